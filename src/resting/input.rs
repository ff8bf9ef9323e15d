//! Input of a contact problem: bodies and contacts in the engine's terms.

use crate::math::{DMat3, DVec3};

/// The index of an immovable body: static or kinematic.
pub const WORLD: u32 = u32::MAX;

/// A movable body at the start of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Centre of mass (m).
    pub position: DVec3,
    /// Inverse mass for each world axis (1/kg): equal but for locked axes, zero along a locked one.
    pub inverse_mass: DVec3,
    /// Inverse principal moments of inertia (1/(kg m²)), zero about a locked principal axis.
    pub inverse_inertia: DVec3,
    /// The principal axes in world axes: orthonormal columns.
    pub principal_axes: DMat3,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity, world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Acceleration without contact forces (m/s²): gravity and external force over mass.
    pub acceleration: DVec3,
    /// Angular acceleration without contact forces, world axes (rad/s²): external torque and
    /// [`Body::gyroscopic_acceleration`], or the mean over the step by a better integration of the
    /// free rotation.
    pub angular_acceleration: DVec3,
}

impl Body {
    /// A body at rest with this mass (kg) and these principal moments (kg m²) along the world axes,
    /// in free fall under `gravity` (m/s²).
    pub fn at_rest(position: DVec3, mass: f64, moments: DVec3, gravity: DVec3) -> Self {
        Self {
            position,
            inverse_mass: DVec3::splat(1.0 / mass),
            inverse_inertia: moments.recip(),
            principal_axes: DMat3::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            acceleration: gravity,
            angular_acceleration: DVec3::ZERO,
        }
    }

    /// Angular acceleration of a body free of torque, `-I^-1 (w x I w)` (rad/s², world axes; Baber
    /// 2006, equation 17). Zero about locked axes.
    pub fn gyroscopic_acceleration(&self) -> DVec3 {
        let w = self.principal_axes.transpose() * self.angular_velocity;
        let inverse = self.inverse_inertia;
        let moment = |k: f64| if k > 0.0 { 1.0 / k } else { 0.0 };
        let momentum = DVec3::new(moment(inverse.x), moment(inverse.y), moment(inverse.z)) * w;
        self.principal_axes * (-inverse * w.cross(momentum))
    }
}

/// The feature that fixes the normal, and so its rotation as the bodies move. Used at the
/// acceleration level only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum NormalCarrier {
    /// A face of the first body, with a vertex of the second on it.
    #[default]
    FirstFace,
    /// A face of the second body, with a vertex of the first on it.
    SecondFace,
    /// Two crossing edges: their directions in world axes, of any length.
    Edges {
        /// The edge of the first body.
        first: DVec3,
        /// The edge of the second body.
        second: DVec3,
    },
}

/// A contact point between two bodies, or a body and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The first body, or [`WORLD`].
    pub first: u32,
    /// The second body, or [`WORLD`]. The contact's impulse acts on it, and the opposite one on the
    /// first.
    pub second: u32,
    /// Contact point (m). On the surface of a ball, not in the middle of an overlap: the arm
    /// matters to rolling.
    pub point: DVec3,
    /// Unit normal from the first body to the second.
    pub normal: DVec3,
    /// Coefficient of friction of a sticking contact; never below `dynamic_friction`.
    pub static_friction: f64,
    /// Coefficient of friction of a sliding contact.
    pub dynamic_friction: f64,
    /// True if it stuck in the last step (or meets at rest): it then bears up to `static_friction`.
    pub sticking: bool,
    /// Speed added to the separating velocity (m/s): an open gap over the step, or minus a
    /// separation speed.
    pub bias: f64,
    /// Velocity of the second surface against the first beyond the two bodies' own motion (m/s):
    /// that of a kinematic body, or of a belt.
    pub surface_velocity: DVec3,
    /// The impulse on the second body in the last step, world axes (N s): the start of the search,
    /// which also decides between several solutions.
    pub impulse: DVec3,
    /// The feature that fixes the normal; used at the acceleration level.
    pub carrier: NormalCarrier,
}

impl Contact {
    /// A closed contact with one coefficient of friction and no history.
    pub fn new(first: u32, second: u32, point: DVec3, normal: DVec3, friction: f64) -> Self {
        Self {
            first,
            second,
            point,
            normal,
            static_friction: friction,
            dynamic_friction: friction,
            sticking: false,
            bias: 0.0,
            surface_velocity: DVec3::ZERO,
            impulse: DVec3::ZERO,
            carrier: NormalCarrier::default(),
        }
    }
}

/// Level of formulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FormulationLevel {
    /// Impulses over a step of this length (s), as in the engine's steps. Friction is exact.
    Velocity {
        /// The step (s).
        step: f64,
    },
    /// Forces at one instant, as in the thesis. Frictionless (coefficients are ignored), for
    /// contacts that neither approach nor separate. Points of curved surfaces need the velocity
    /// level, as their contact points travel.
    Acceleration,
}

/// Reasons for which a contact problem cannot be assembled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemError {
    /// The body at this index has a value that is not finite, or a negative inverse mass or
    /// inertia.
    Body(usize),
    /// The contact at this index names an unknown body or the same body twice, or has a value that
    /// is not finite, a normal that is not of unit length, or a negative coefficient.
    Contact(usize),
    /// The joint constraint at this index names an unknown body, has a value that is not finite or
    /// a bounded strength, or is used at the acceleration level.
    JointConstraint(usize),
    /// The step is not positive and finite, or gravity is not finite.
    Step,
}

impl std::fmt::Display for ProblemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Body(i) => write!(f, "body {i} of the contact problem is not a possible body"),
            Self::Contact(i) => write!(f, "contact {i} of the contact problem is not a possible contact"),
            Self::JointConstraint(i) => write!(f, "joint constraint {i} of the contact problem is not possible"),
            Self::Step => write!(f, "the step of the contact problem must be positive and finite"),
        }
    }
}

impl std::error::Error for ProblemError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_top_changes_its_spin_as_euler_says() {
        let mut body = Body::at_rest(DVec3::ZERO, 1.0, DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO);
        body.angular_velocity = DVec3::new(0.5, 2.0, -1.0);
        // I1 w1' = (I2 - I3) w2 w3, and cyclically.
        let expected = DVec3::new((3.0 - 2.0) * 2.0, (1.0 - 3.0) * 0.5 / 2.0, (1.0 - 2.0) / 3.0);
        assert!((body.gyroscopic_acceleration() - expected).length() < 1e-15);
    }
}
