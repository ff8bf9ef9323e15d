//! Input components of an entity, which the step reads and never writes.
//!
//! The step keeps a copy and detects edits by comparison, so a game need not notify it.

use crate::components::*;
use crate::math::Vec3;

/// Set of the optional components of an entity: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Present(u32);

impl Present {
    pub(crate) fn set(&mut self, bit: u32, on: bool) {
        self.0 |= u32::from(on) << bit;
    }
    /// Number of bits in use.
    pub(crate) const BITS: u32 = 26;

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    pub(crate) const fn has_all(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}

/// Components of one entity that the step reads. The fields that every body has come first and
/// share a cache line.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Inputs {
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub collider: Option<Collider>,
    pub material: Option<Material>,
    pub kind: Option<RigidBody>,
    pub present: Present,
    pub density: Option<Density>,
    pub mass: Option<Mass>,
    pub center: Option<CenterOfMass>,
    pub inertia: Option<Inertia>,
    pub force: Option<ExternalForce>,
    pub torque: Option<ExternalTorque>,
    pub impulse: Option<ExternalImpulse>,
    pub gravity_scale: Option<GravityScale>,
    pub damping: Option<Damping>,
    pub locked: Option<LockedAxes>,
    pub layers: Option<CollisionLayers>,
    pub sensor: Option<Sensor>,
    pub ccd: Option<Ccd>,
    pub collider_of: Option<ColliderOf>,
    pub surface_velocity: Option<SurfaceVelocity>,
    pub force_threshold: Option<ContactForceThreshold>,
    pub solver_layers: Option<SolverLayers>,
    pub ignored: Option<IgnoreContactsWith>,
    pub sleep_control: Option<SleepControl>,
}

impl Inputs {
    /// True if a component differs that the mass of the body depends on.
    pub(crate) fn mass_differs(&self, other: &Self) -> bool {
        self.collider != other.collider
            || self.kind != other.kind
            || self.density != other.density
            || self.mass != other.mass
            || self.center != other.center
            || self.inertia != other.inertia
            || self.locked != other.locked
            || self.collider_of != other.collider_of
    }

    /// True if a component differs that decides which pairs the collider has: its pairs end, and
    /// new ones are searched.
    pub(crate) fn pairs_differ(&self, other: &Self) -> bool {
        self.collider != other.collider
            || self.kind != other.kind
            || self.layers != other.layers
            || self.solver_layers != other.solver_layers
            || self.ignored != other.ignored
            || self.sensor.is_some() != other.sensor.is_some()
            || self.collider_of.map(|of| of.body) != other.collider_of.map(|of| of.body)
    }

    /// True if the surface, or its pose in the body, differs: its pairs persist, but their cached
    /// data are invalid.
    pub(crate) fn surface_differs(&self, other: &Self) -> bool {
        self.material != other.material
            || self.surface_velocity != other.surface_velocity
            || self.ccd.is_some() != other.ccd.is_some()
            || self.collider_of != other.collider_of
    }

    /// Gravity times the factor of the entity.
    pub(crate) fn gravity(&self, gravity: Vec3) -> Vec3 {
        gravity * self.gravity_scale.unwrap_or_default().0
    }
}
