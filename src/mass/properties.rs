//! Mass, centre and inertia of a body, and their combination.

use glam::{DMat3, DQuat, DVec3};

use super::{
    MassError,
    eigen::principal_axes,
    error::positive,
    tensors::{inertia_of_second, outer},
};
use crate::tolerances::ROUNDING;

/// Mass distribution of a rigid body, in the axes of its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass, from the shape's origin (m).
    pub center: DVec3,
    /// Principal moments of inertia about the centre (kg m²), each positive, none above the sum of
    /// the other two.
    pub principal: DVec3,
    /// Unit quaternion that turns the principal axes into the shape's axes.
    pub frame: DQuat,
}

impl MassProperties {
    /// The inertia tensor about the centre of mass, in the shape's axes (kg m²).
    pub fn inertia(&self) -> DMat3 {
        let r = DMat3::from_quat(self.frame);
        r * DMat3::from_diagonal(self.principal) * r.transpose()
    }

    /// The inertia tensor about `point`, in the shape's axes (kg m²): the theorem of parallel axes.
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        let arm = point - self.center;
        self.inertia() + inertia_of_second(outer(arm, arm)) * self.mass
    }

    /// The same body, turned by `rotation` about the shape's origin and then moved by `translation`
    /// (m).
    pub fn moved(&self, rotation: DQuat, translation: DVec3) -> Self {
        let frame = rotation * self.frame;
        Self { center: rotation * self.center + translation, frame: frame.normalize(), ..*self }
    }

    /// The same distribution with another total mass (kg, positive).
    pub fn with_mass(&self, mass: f64) -> Result<Self, MassError> {
        let mass = positive("mass", mass)?;
        Ok(Self { mass, principal: self.principal * (mass / self.mass), ..*self })
    }

    /// Checks mass and inertia; see [`validate_inertia`].
    pub fn validate(&self) -> Result<(), MassError> {
        positive("mass", self.mass)?;
        validate_inertia(self.principal)
    }
}

/// Checks that principal moments of inertia (kg m²) are physical: positive, finite, and none above
/// the sum of the other two. Flat bodies, with equality, pass.
///
/// ```
/// use dolmen::{mass::{validate_inertia, MassError}, math::DVec3};
/// assert_eq!(validate_inertia(DVec3::new(1.0, 2.0, 3.0)), Ok(()));
/// assert!(matches!(validate_inertia(DVec3::new(1.0, 1.0, 3.0)), Err(MassError::InertiaTriangle { .. })));
/// ```
pub fn validate_inertia(principal: DVec3) -> Result<(), MassError> {
    if !(principal.is_finite() && principal.min_element() > 0.0) {
        return Err(MassError::InertiaNotPositive { principal });
    }
    let largest = principal.max_element();
    let others = principal.x + principal.y + principal.z - largest;
    if largest > others * (1.0 + ROUNDING.single) {
        return Err(MassError::InertiaTriangle { principal });
    }
    Ok(())
}

/// One body of several parts, all given in the axes of the whole ([`MassProperties::moved`] brings
/// them there).
///
/// Each part's tensor is transferred to the common centre (parallel axes), so no digits are lost
/// far from the origin.
///
/// # Errors
/// [`MassError::Empty`] without parts.
pub fn combine(parts: &[MassProperties]) -> Result<MassProperties, MassError> {
    let Some(first) = parts.first() else { return Err(MassError::Empty) };
    if parts.len() == 1 {
        return Ok(*first);
    }
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let arm = parts.iter().map(|part| (part.center - first.center) * part.mass).sum::<DVec3>() / mass;
    let center = first.center + arm;
    let inertia = parts.iter().map(|part| part.inertia_about(center)).fold(DMat3::ZERO, |sum, part| sum + part);
    let (principal, frame) = principal_axes(inertia);
    Ok(MassProperties { mass, center, principal, frame })
}
