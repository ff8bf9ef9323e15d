//! Colours and sizes of a drawing.

use super::renderer::Colour;
use crate::math::Real;

/// Colours and sizes. The defaults suit bodies of about a metre and of about a hundred kilograms;
/// the weight of such a body is an arrow of a metre.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Style {
    /// Static bodies.
    pub fixed: Colour,
    /// Kinematic bodies.
    pub kinematic: Colour,
    /// Dynamic bodies.
    pub dynamic: Colour,
    /// Sleeping bodies.
    pub asleep: Colour,
    /// Sensors.
    pub sensor: Colour,
    /// Islands, in turn.
    pub islands: [Colour; 6],
    /// The direct solver.
    pub direct: Colour,
    /// The substepping solver.
    pub substeps: Colour,
    /// The substepping solver of islands with joints.
    pub joint_islands: Colour,
    /// Axes x, y and z.
    pub axes: [Colour; 3],
    /// Centres of mass.
    pub center: Colour,
    /// Velocities.
    pub velocity: Colour,
    /// Angular velocities.
    pub spin: Colour,
    /// Boxes of the broad phase.
    pub aabb: Colour,
    /// Joints.
    pub joint: Colour,
    /// Broken joints.
    pub broken: Colour,
    /// Limits of joints.
    pub limit: Colour,
    /// Contacts whose surfaces touch or overlap.
    pub contact: Colour,
    /// Contacts whose surfaces are apart.
    pub near: Colour,
    /// Forces.
    pub force: Colour,
    /// Torques.
    pub torque: Colour,
    /// Rays that hit nothing.
    pub ray: Colour,
    /// Rays that hit.
    pub ray_hit: Colour,
    /// Lines of a full circle, at least 3.
    pub segments: u32,
    /// Half the side of the square that stands for a half-space, and the most that is drawn of a ray
    /// without a hit (m).
    pub extent: Real,
    /// Length of the axes of bodies and joints, and radius of dials (m).
    pub frame: Real,
    /// Size of points (m).
    pub point: Real,
    /// Length of normals (m).
    pub normal: Real,
    /// Length of the arrow of a force (m/N).
    pub force_scale: Real,
    /// Length of the arrow of a torque (m/(N m)).
    pub torque_scale: Real,
    /// Length of the arrow of a velocity (m/(m/s)).
    pub velocity_scale: Real,
    /// Length of the arrow of an angular velocity (m/(rad/s)).
    pub spin_scale: Real,
}

const fn opaque(red: f32, green: f32, blue: f32) -> Colour {
    [red, green, blue, 1.0]
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fixed: opaque(0.50, 0.52, 0.55),
            kinematic: opaque(0.45, 0.30, 0.80),
            dynamic: opaque(0.10, 0.35, 0.65),
            asleep: opaque(0.68, 0.70, 0.74),
            sensor: opaque(0.10, 0.65, 0.60),
            islands: [
                opaque(0.85, 0.40, 0.10),
                opaque(0.15, 0.55, 0.25),
                opaque(0.15, 0.40, 0.80),
                opaque(0.70, 0.20, 0.55),
                opaque(0.55, 0.50, 0.05),
                opaque(0.05, 0.55, 0.60),
            ],
            direct: opaque(0.10, 0.60, 0.20),
            substeps: opaque(0.85, 0.50, 0.05),
            joint_islands: opaque(0.55, 0.20, 0.75),
            axes: [opaque(0.85, 0.10, 0.10), opaque(0.10, 0.65, 0.10), opaque(0.10, 0.20, 0.90)],
            center: opaque(0.05, 0.05, 0.05),
            velocity: opaque(0.05, 0.60, 0.75),
            spin: opaque(0.75, 0.55, 0.05),
            aabb: opaque(0.70, 0.65, 0.45),
            joint: opaque(0.25, 0.20, 0.15),
            broken: opaque(0.80, 0.70, 0.70),
            limit: opaque(0.90, 0.55, 0.05),
            contact: opaque(0.85, 0.15, 0.15),
            near: opaque(0.90, 0.65, 0.60),
            force: opaque(0.80, 0.05, 0.25),
            torque: opaque(0.60, 0.05, 0.70),
            ray: opaque(0.60, 0.60, 0.60),
            ray_hit: opaque(0.95, 0.35, 0.05),
            segments: 24,
            extent: 10.0,
            frame: 0.25,
            point: 0.06,
            normal: 0.2,
            force_scale: 1e-3,
            torque_scale: 1e-3,
            velocity_scale: 0.1,
            spin_scale: 0.1,
        }
    }
}
