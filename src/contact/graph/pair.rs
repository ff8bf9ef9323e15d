//! What is known of a pair, in the pieces in which it is asked for.

use crate::components::Material;
use crate::contact::Manifold;
use crate::contact::kernels::{PairCache, PartsMemory};
use crate::math::{Pose, Real, Vec3};

/// Two colliders, and when they must be collided again.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Slot of the first collider, the lesser one; [`NONE`](crate::index::NONE) where no pair is.
    pub a: u32,
    /// Slot of the second collider.
    pub b: u32,
    /// While the odometers of both bodies sum to no more than this, nothing need be asked of the pair (m): of one that is not
    /// active, not even at the step's end.
    pub(crate) valid_until: f64,
}

/// What a pair is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Status(u16);

impl Status {
    /// The manifold has points: the pair touches or may touch within the step.
    pub const ACTIVE: Self = Self(1);
    /// The surfaces touch.
    pub const TOUCHING: Self = Self(2);
    /// At least one collider is a sensor.
    pub const SENSOR: Self = Self(4);
    /// At least one shape is a mesh, a height field or a compound: the pair may have several manifolds.
    pub const COMPOSITE: Self = Self(8);
    /// At least one shape is round: its contact point moves over the surface as it rolls.
    pub const ROUND: Self = Self(16);
    /// Touched when the last events were written.
    pub const TOUCHED: Self = Self(32);
    /// The solver left the separations as they are after the step.
    pub(crate) const CARRIED: Self = Self(64);
    /// A contact source says where the pair touches: its slots are bodies', with or without colliders.
    pub const SOURCE: Self = Self(128);
    /// No kernel collides the shapes or some of their parts, or it gave no usable answer.
    pub const NOT_COLLIDED: Self = Self(256);
    /// The last was told in an event.
    pub const TOLD: Self = Self(512);
    /// A contact hook lets the two pass through each other.
    pub const DISABLED: Self = Self(1024);
    /// Either body asked for continuous collision.
    pub(crate) const CCD: Self = Self(2048);

    /// Whether the pair has one manifold that the narrow phase finds and keeps.
    #[inline]
    pub(crate) const fn is_simple(self) -> bool {
        self.0 & (Self::COMPOSITE.0 | Self::SOURCE.0) == 0
    }

    /// Whether all of `flag` is set.
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

/// What is known of a pair whether it touches or not: a cache line in `f32`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(align(64))]
pub(crate) struct Look {
    /// The second body in the first one's axes when the pair was last collided.
    pub relative: Pose,
    /// What the kernel remembers.
    pub cache: PairCache,
    /// The least separation found when the pair was last collided, or a lower bound (m).
    pub gap: Real,
    /// What contact hooks remember of the pair.
    pub memory: u32,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<Look>() == 64);

/// What is known of a pair that owns a manifold.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Record {
    /// The manifold's normal in the first body's axes.
    pub local_normal: Vec3,
    /// Both surfaces combined.
    pub material: Material,
    /// Velocity of the second surface over its body less that of the first over its own, world axes (m/s).
    pub surface_velocity: Vec3,
    /// Counts how often the manifold was made anew; never 0.
    pub revision: u32,
    /// While the odometers of both bodies sum to no more than this, the manifold is kept (m).
    pub valid_until: f64,
}

impl Record {
    /// The record of a manifold that is to be made.
    pub(crate) fn new(material: Material) -> Self {
        Self {
            local_normal: Vec3::Y,
            material,
            surface_velocity: Vec3::ZERO,
            revision: 1,
            valid_until: f64::NEG_INFINITY,
        }
    }

    /// Says that the manifold is another than before.
    #[inline]
    pub(crate) fn renew(&mut self) {
        self.revision = self.revision.wrapping_add(1).max(1);
    }
}

/// The several manifolds of a pair with a mesh, a height field or a compound.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Composite {
    pub pair: u32,
    /// The manifolds of the last step.
    pub parts: Vec<Manifold>,
    /// Their normals in the first body's axes.
    pub normals: Vec<Vec3>,
    /// What its pairs of parts remember.
    pub memory: PartsMemory,
    /// What the step at hand found.
    pub visit: Visit,
}

/// What looking at a composite pair came to, until it is written back.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Visit {
    /// Nothing about it changed.
    #[default]
    Same,
    /// It has no manifolds, and will have none while the odometers of both bodies sum to no more than this (m).
    Apart { valid_until: f64 },
    /// Its manifolds were kept, and are until then (m), and followed their bodies.
    Followed { touching: bool, valid_until: f64 },
    /// They were made anew, whether or not all parts are `known` to some kernel, with the second body at `relative` in the first one's
    /// axes; the least separation is `gap`, or a lower bound (m).
    Collided { known: bool, touching: bool, relative: Pose, gap: Real, valid_until: f64 },
}
