//! Data of a collider pair, split by how often it is read.

use crate::components::Material;
use crate::contact::Manifold;
use crate::contact::kernels::{PairCache, PartCache};
use crate::math::{Pose, Real, Vec3};

/// Two colliders, and how long their last narrow-phase result stays valid.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Slot of the first collider, the lower one; [`NONE`](crate::ids::NONE) for a vacant entry.
    pub a: u32,
    /// Slot of the second collider.
    pub b: u32,
    /// Sum of both bodies' odometers up to which the result is valid (m). For an inactive pair it
    /// bounds the odometers at the end of the step.
    pub(crate) valid_until: f64,
}

/// Status flags of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Status(u16);

impl Status {
    /// The manifold has points: the surfaces touch, or may touch within the step.
    pub const ACTIVE: Self = Self(1);
    /// The surfaces touch.
    pub const TOUCHING: Self = Self(2);
    /// At least one collider is a sensor.
    pub const SENSOR: Self = Self(4);
    /// At least one shape is a mesh, a height field or a compound: the pair may have several
    /// manifolds.
    pub const COMPOSITE: Self = Self(8);
    /// At least one shape is round: its contact point moves over the surface as it rolls.
    pub const ROUND: Self = Self(16);
    /// The pair was touching in the last events.
    pub const REPORTED_TOUCHING: Self = Self(32);
    /// The solver has advanced the separations to the end of the step.
    pub(crate) const ADVANCED: Self = Self(64);
    /// Pair of a contact source. Its slots are those of bodies, with or without colliders.
    pub const SOURCE: Self = Self(128);
    /// No kernel supports the shapes or some of their parts, or its output was invalid.
    pub const NOT_COLLIDED: Self = Self(256);
    /// [`Self::NOT_COLLIDED`] was reported in an event.
    pub const REPORTED_NOT_COLLIDED: Self = Self(512);
    /// A contact hook disabled the contact.
    pub const DISABLED: Self = Self(1024);
    /// Either body has continuous collision detection (CCD) enabled.
    pub(crate) const CCD: Self = Self(2048);
    /// Impacts of this step have left the surfaces overlapping at the extrapolated start of their
    /// motion, where they never were: see [`impact::propagation`](crate::impact::propagation).
    pub(crate) const EXTRAPOLATED: Self = Self(4096);

    /// True if the narrow phase owns a single manifold for the pair.
    #[inline]
    pub(crate) const fn is_simple(self) -> bool {
        self.0 & (Self::COMPOSITE.0 | Self::SOURCE.0) == 0
    }

    /// True if all of `flag` is set.
    #[inline]
    pub const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// Sets or clears `flag`.
    #[inline]
    pub(crate) fn set(&mut self, flag: Self, on: bool) {
        if on {
            self.0 |= flag.0;
        } else {
            self.0 &= !flag.0;
        }
    }
}

/// Narrow-phase cache of a pair, touching or not: one cache line in `f32`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(align(64))]
pub(crate) struct NarrowPhaseCache {
    /// Pose of the second body relative to the first when the pair was last collided.
    pub relative: Pose,
    /// Cache of the contact kernel.
    pub kernel: PairCache,
    /// Least separation when the pair was last collided, or a lower bound of it (m).
    pub gap: Real,
    /// Data of contact hooks about the pair.
    pub user_data: u32,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<NarrowPhaseCache>() == 64);

/// Persistent data of a pair with a manifold.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ContactRecord {
    /// The manifold's normal in the first body's axes.
    pub local_normal: Vec3,
    /// Combined material of both surfaces.
    pub material: Material,
    /// Surface velocity of the second collider relative to its body less that of the first, in
    /// world axes (m/s).
    pub surface_velocity: Vec3,
    /// Revision of the manifold: incremented when it is rebuilt, never 0.
    pub revision: u32,
    /// Sum of both bodies' odometers up to which the manifold is kept (m).
    pub valid_until: f64,
}

impl ContactRecord {
    /// Data of a new manifold.
    pub(crate) fn new(material: Material) -> Self {
        Self {
            local_normal: Vec3::Y,
            material,
            surface_velocity: Vec3::ZERO,
            revision: 1,
            valid_until: f64::NEG_INFINITY,
        }
    }

    /// Marks the manifold as changed.
    #[inline]
    pub(crate) fn bump_revision(&mut self) {
        self.revision = self.revision.wrapping_add(1).max(1);
    }
}

/// Manifolds of a pair with a mesh, a height field, a compound or a pair kernel.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CompositeContacts {
    pub pair: u32,
    /// The manifolds of the last step.
    pub parts: Vec<Manifold>,
    /// Their normals in the first body's axes.
    pub normals: Vec<Vec3>,
    /// Cache of its pairs of parts.
    pub part_cache: PartCache,
    /// Result of the current step.
    pub update: CompositeUpdate,
}

/// Result of updating a composite pair, until it is written to the graph.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum CompositeUpdate {
    /// Unchanged.
    #[default]
    Unchanged,
    /// No manifolds, while the sum of both bodies' odometers is no more than this (m).
    Separated { valid_until: f64 },
    /// The manifolds were kept and their separations updated.
    Followed { touching: bool, valid_until: f64 },
    /// The manifolds were rebuilt. `known`: a kernel supports all parts. `relative`: pose of the
    /// second body relative to the first. `gap`: least separation, or a lower bound (m).
    Collided { known: bool, touching: bool, relative: Pose, gap: Real, valid_until: f64 },
}
