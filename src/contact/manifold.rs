//! A contact manifold: up to four points that two convex surfaces share, with one normal.

use crate::math::{Real, Vec3};

/// The most points of a manifold. Four carry a face on a face: the deepest and the three that span the most area.
pub const MAX_POINTS: usize = 4;

/// One point of a [`Manifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// The point on the first collider's surface, from the centre of mass of its body, in that body's axes (m).
    pub anchor_a: Vec3,
    /// The point on the second collider's surface, from the centre of mass of its body, in that body's axes (m).
    pub anchor_b: Vec3,
    /// Distance from the first surface to the second along the normal (m): negative where they overlap.
    pub separation: Real,
    /// Which features of the two shapes meet here. Equal from step to step while they stay the same.
    pub feature: u32,
    /// Normal impulse of the last step (N s), at least zero.
    pub normal_impulse: Real,
}

/// Up to [`MAX_POINTS`] contact points between two colliders, with one normal, and the impulses they carry.
///
/// On cache lines of its own, of which it fills three in `f32`: thousands of them are read in no order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// Unit normal in world axes, from the first body towards the second.
    pub normal: Vec3,
    /// The number of points in use.
    pub count: u32,
    /// The points; those from `count` on mean nothing.
    pub points: [ManifoldPoint; MAX_POINTS],
    /// Friction impulse of the last step on the second body, at the manifold's centre, world axes, square to the
    /// normal (N s).
    pub friction_impulse: Vec3,
    /// Angular friction impulse of the last step on the second body about the normal (N m s).
    pub twist_impulse: Real,
    /// Rolling friction impulse of the last step on the second body, world axes, square to the normal (N m s).
    pub rolling_impulse: Vec3,
    /// Whether the surfaces slid over each other at the end of the last step: the dynamic coefficient of friction
    /// rules the next one, else the static coefficient does.
    pub sliding: bool,
}

impl Manifold {
    /// The points in use.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// The points in use.
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.count as usize]
    }

    /// Makes every impulse nothing.
    pub(crate) fn forget_impulses(&mut self) {
        for point in &mut self.points {
            point.normal_impulse = 0.0;
        }
        (self.friction_impulse, self.rolling_impulse) = (Vec3::ZERO, Vec3::ZERO);
        self.twist_impulse = 0.0;
    }

    /// Makes every impulse `by` times what it is.
    pub(crate) fn scale_impulses(&mut self, by: Real) {
        for point in &mut self.points {
            point.normal_impulse *= by;
        }
        self.friction_impulse *= by;
        self.twist_impulse *= by;
        self.rolling_impulse *= by;
    }
}
