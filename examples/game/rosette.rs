//! The bell: a pillar with a rosette as its cross-section: a user-defined shape with its own
//! kernels.

use dolmen::contact::kernels::{KernelPoints, PairKernels};
use dolmen::math::Pose;
use dolmen::math::parry::bounding_volume::Aabb;
use dolmen::math::parry::shape::{Ball, Cuboid};
use dolmen::prelude::*;

/// A pillar about y with the radius `radius + lobe cos(5 angle)` (m).
#[derive(Clone, Copy, Debug)]
pub struct Rosette {
    radius: Real,
    lobe: Real,
    half_height: Real,
}

/// The game's bell.
pub const BELL: Rosette = Rosette { radius: 1.0, lobe: 0.15, half_height: 1.0 };

const LOBES: Real = 5.0;

impl Rosette {
    /// Signed distance of a point from the wall (m, negative inside), to first order, and the unit
    /// normal.
    fn wall(&self, point: Vec3) -> (Real, Vec3) {
        let out = point.with_y(0.0);
        let Some(radial) = out.try_normalize() else { return (-self.radius, Vec3::X) };
        let (angle, far) = (out.z.atan2(out.x), out.length());
        let rim = self.radius + self.lobe * (LOBES * angle).cos();
        let slope = -self.lobe * LOBES * (LOBES * angle).sin() / far.max(0.5 * self.radius);
        let around = Vec3::new(-radial.z, 0.0, radial.x);
        let normal = (radial - around * slope).normalize();
        ((far - rim) * normal.dot(radial), normal)
    }

    fn push(&self, point: Vec3, radius: Real, local: Pose, prediction: Real, feature: u32, out: &mut KernelPoints) {
        if point.y.abs() > self.half_height + radius {
            return;
        }
        let (gap, normal) = self.wall(point);
        let gap = gap - radius;
        if gap <= prediction {
            let surface = point - normal * radius;
            out.push(normal, surface - normal * gap, local.inverse_transform_point(surface), gap, feature);
        }
    }
}

impl CustomShape for Rosette {
    fn bounds(&self) -> Aabb {
        let out = self.radius + self.lobe;
        let half = Vec3::new(out, self.half_height, out);
        Aabb::new(-half, half)
    }

    /// Rays from above: the hit on the top face.
    fn cast_ray(&self, origin: Vec3, direction: Vec3, most: Real) -> Option<(Real, Vec3)> {
        let time = (self.half_height - origin.y) / direction.y;
        let there = origin + direction * time;
        ((0.0..=most).contains(&time) && self.wall(there).0 <= 0.0).then_some((time, Vec3::Y))
    }
}

/// Registers the kernels for balls and boxes.
pub fn register(kernels: &mut PairKernels) {
    kernels.register(
        |rosette: &Custom<Rosette>, ball: &Ball, pose: &Pose, prediction: Real, out: &mut KernelPoints| {
            rosette.push(pose.translation, ball.radius, *pose, prediction, 0, out);
        },
    );
    // A box is sampled at its corners and at its point nearest to the axis, which is enough for
    // flat lobes.
    kernels.register(
        |rosette: &Custom<Rosette>, block: &Cuboid, pose: &Pose, prediction: Real, out: &mut KernelPoints| {
            let half = block.half_extents;
            let axis = pose.inverse_transform_point(Vec3::Y * pose.translation.y);
            rosette.push(*pose * axis.clamp(-half, half), 0.0, *pose, prediction, 8, out);
            for k in 0..8 {
                let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                rosette.push(*pose * (half * Vec3::new(sign(1), sign(2), sign(4))), 0.0, *pose, prediction, k, out);
            }
        },
    );
}
