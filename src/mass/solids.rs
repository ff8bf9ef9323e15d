//! Closed forms of parry's basic solids, of uniform density (kg/m³). Axes of revolution lie along
//! y.
//!
//! Every function fails with [`MassError::NotPositive`] if a density or a length is not positive
//! and finite.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::{MassError, MassProperties, eigen::principal_axes, error::positive, tensors::outer};

/// A box with these half extents (m).
///
/// ```
/// use dolmen::{mass::solids, math::DVec3};
/// let block = solids::cuboid(DVec3::new(0.05, 2.0, 0.45), 10.0 / 0.36)?;
/// assert!((block.mass - 10.0).abs() < 1e-12);
/// assert!((block.principal.y - 10.0 / 12.0 * (0.1 * 0.1 + 0.9 * 0.9)).abs() < 1e-12);
/// # Ok::<(), dolmen::mass::MassError>(())
/// ```
pub fn cuboid(half_extents: DVec3, density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    for half in half_extents.to_array() {
        positive("half extent", half)?;
    }
    let mass = 8.0 * half_extents.x * half_extents.y * half_extents.z * density;
    let s = half_extents * half_extents;
    let principal = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
    centered(mass, principal)
}

/// A ball of this radius (m).
pub fn ball(radius: f64, density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    positive("radius", radius)?;
    let mass = 4.0 / 3.0 * PI * radius * radius * radius * density;
    centered(mass, DVec3::splat(0.4 * mass * radius * radius))
}

/// A cylinder along y with this half height and radius (m).
pub fn cylinder(half_height: f64, radius: f64, density: f64) -> Result<MassProperties, MassError> {
    round(half_height, radius, density)?;
    let mass = 2.0 * PI * radius * radius * half_height * density;
    let across = mass * (radius * radius / 4.0 + half_height * half_height / 3.0);
    centered(mass, DVec3::new(across, 0.5 * mass * radius * radius, across))
}

/// A cone along y, its base at `-half_height` and its tip at `+half_height` (m). The centre lies a
/// quarter of the height above the base.
pub fn cone(half_height: f64, radius: f64, density: f64) -> Result<MassProperties, MassError> {
    round(half_height, radius, density)?;
    let mass = 2.0 / 3.0 * PI * radius * radius * half_height * density;
    let across = 0.15 * mass * (radius * radius + half_height * half_height);
    let body = centered(mass, DVec3::new(across, 0.3 * mass * radius * radius, across))?;
    Ok(MassProperties { center: DVec3::new(0.0, -0.5 * half_height, 0.0), ..body })
}

/// A capsule: all points within `radius` of the segment from `a` to `b` (m). The ends may be equal:
/// a ball.
pub fn capsule(a: DVec3, b: DVec3, radius: f64, density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    positive("radius", radius)?;
    let (axis, r2) = (b - a, radius * radius);
    let half = 0.5 * axis.length();
    if !half.is_finite() {
        return Err(MassError::NotPositive { what: "length", value: half });
    }
    let tube = 2.0 * PI * r2 * half * density;
    let ends = 4.0 / 3.0 * PI * r2 * radius * density;
    let along = tube * r2 / 2.0 + ends * 0.4 * r2;
    let across = tube * (half * half / 3.0 + r2 / 4.0) + ends * (0.4 * r2 + half * half + 0.75 * half * radius);
    let center = 0.5 * (a + b);
    let (principal, frame) = if half > 0.0 {
        let u = axis / (2.0 * half);
        principal_axes(DMat3::from_diagonal(DVec3::splat(across)) + outer(u, u) * (along - across))
    } else {
        (DVec3::splat(along), DQuat::IDENTITY)
    };
    Ok(MassProperties { mass: tube + ends, center, principal, frame })
}

fn round(half_height: f64, radius: f64, density: f64) -> Result<(), MassError> {
    positive("density", density)?;
    positive("half height", half_height)?;
    positive("radius", radius)?;
    Ok(())
}

/// Principal axes along the shape's own, centre at its origin.
fn centered(mass: f64, principal: DVec3) -> Result<MassProperties, MassError> {
    positive("mass", mass)?;
    Ok(MassProperties { mass, center: DVec3::ZERO, principal, frame: DQuat::IDENTITY })
}
