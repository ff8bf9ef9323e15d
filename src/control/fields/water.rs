//! Water: buoyancy, currents and drag.

use super::submerged::{Plane, Submerged, submerged};
use super::{Field, Floating, Placed};
use crate::control::first_negative;
use crate::math::{Real, Vec3, real};

/// Water below a surface through the entity's origin, across the entity's y axis.
///
/// A body whose centre of mass is above or below the surface's rectangle, and not deeper than the
/// water, loses the weight of the water that it displaces, at the centre of the displaced volume
/// ([`submerged`](super::submerged)). Drag is proportional to the velocity against the current and to
/// the displaced mass.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Water {
    /// Half extents of the surface in x and z, and the depth in y (m).
    pub extent: Vec3,
    /// Density (kg/m³).
    pub density: Real,
    /// Velocity of the current in the axes of the entity (m/s).
    pub flow: Vec3,
    /// Drag per displaced mass: the rate at which a body of the water's density, wholly in it, loses
    /// its velocity against the water (1/s).
    pub linear_drag: Real,
    /// The same for its angular velocity (1/s).
    pub angular_drag: Real,
}

impl Water {
    /// Still fresh water of 1000 kg/m³, whose drag slows a body within about a second.
    pub const fn fresh(extent: Vec3) -> Self {
        Self { extent, density: 1000.0, flow: Vec3::ZERO, linear_drag: 1.0, angular_drag: 1.0 }
    }
}

impl Field for Water {
    const NAME: &'static str = "Water";

    fn problem(&self) -> Option<String> {
        if !self.extent.cmpgt(Vec3::ZERO).all() {
            return Some(format!("the extent must be positive, got {}", self.extent));
        }
        if !self.flow.is_finite() {
            return Some(format!("the flow must be finite, got {}", self.flow));
        }
        first_negative(&[
            ("density", self.density),
            ("linear_drag", self.linear_drag),
            ("angular_drag", self.angular_drag),
        ])
    }

    fn key(self) -> impl Iterator<Item = Real> {
        let rates = [self.density, self.linear_drag, self.angular_drag];
        self.extent.to_array().into_iter().chain(self.flow.to_array()).chain(rates)
    }
}

/// The mean force of the waters on a body that falls with an acceleration (N), and the torque (N m).
pub(super) fn force(waters: &[Placed<Water>], body: &Floating, fall: Vec3, parts: &[(u32, u32)]) -> [Vec3; 2] {
    let mut load = [Vec3::ZERO; 2];
    for Placed { field, pose } in waters {
        let Vec3 { x, y, z } = field.extent;
        let place = pose.inverse_transform_point(body.center);
        if place.x.abs() > x || place.z.abs() > z || place.y < -y {
            continue;
        }
        let Submerged { volume, center } =
            displaced(body, parts, &Plane { point: pose.translation, normal: pose.rotation * Vec3::Y });
        if volume <= 0.0 {
            continue;
        }
        let mass = field.density * volume;
        let lift = fall * -mass;
        let against = body.velocity + (fall + lift / body.mass) * (0.5 * body.dt) - pose.rotation * field.flow;
        // The exact decay over the step: however strong, it never turns the motion round.
        let lost = |rate: Real| 1.0 - real::exp(-rate * mass / body.mass * body.dt);
        let drag = against * (-lost(field.linear_drag) * body.mass / body.dt);
        let bodies = &body.physics.state().bodies;
        let momentum = bodies.inverse_inertia[body.slot].inverse() * body.spin;
        let slowing = momentum * (-lost(field.angular_drag) / body.dt);
        load[0] += lift + drag;
        load[1] += (center - body.center_midway()).cross(lift);
        if slowing.is_finite() {
            load[1] += slowing;
        }
    }
    load
}

/// The volume of all colliders of a body below a plane, and its centre.
fn displaced(body: &Floating, parts: &[(u32, u32)], plane: &Plane) -> Submerged {
    let state = body.physics.state();
    let (colliders, midway) = (&state.colliders, body.pose_midway());
    let mut whole = Submerged::default();
    let first = parts.partition_point(|&(owner, _)| (owner as usize) < body.slot);
    let further = parts[first..].iter().take_while(|&&(owner, _)| owner as usize == body.slot);
    for slot in std::iter::once(body.slot).chain(further.map(|&(_, slot)| slot as usize)) {
        if colliders.sensor[slot] {
            continue;
        }
        if let Some(geometry) = &colliders.geometry[slot] {
            let pose = midway * colliders.local[slot];
            whole.add(&geometry.with_shape(|shape| submerged(shape, &pose, plane)));
        }
    }
    whole
}
