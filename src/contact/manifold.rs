//! Contact manifold: up to four points between two convex surfaces, with one normal.

use crate::math::{Real, Vec3};

/// Greatest number of points of a manifold. Four carry a face on a face: the deepest one and the
/// three that span the largest area.
pub const MAX_POINTS: usize = 4;

/// One point of a [`Manifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// Point on the first collider's surface, relative to its body's centre of mass, in body axes
    /// (m).
    pub anchor_a: Vec3,
    /// Point on the second collider's surface, relative to its body's centre of mass, in body axes
    /// (m).
    pub anchor_b: Vec3,
    /// Distance from the first surface to the second along the normal (m): negative where they
    /// overlap.
    pub separation: Real,
    /// Identifier of the pair of features that meet here. It is stable from step to step.
    pub feature: u32,
    /// Normal impulse of the last step (N s), never negative. It warm-starts the next one.
    pub normal_impulse: Real,
}

/// Up to [`MAX_POINTS`] contact points between two colliders, with one normal, and their impulses.
///
/// Aligned to cache lines, of which it fills three in `f32`: manifolds are read in random order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// Unit normal in world axes, from the first body towards the second.
    pub normal: Vec3,
    /// The number of points in use.
    pub count: u32,
    /// The points. Entries from `count` on are unspecified.
    pub points: [ManifoldPoint; MAX_POINTS],
    /// Friction impulse of the last step on the second body, at the centre of the manifold, in
    /// world axes and orthogonal to the normal (N s).
    pub friction_impulse: Vec3,
    /// Torsional friction impulse of the last step on the second body about the normal (N m s).
    pub twist_impulse: Real,
    /// Rolling friction impulse of the last step on the second body, in world axes and orthogonal
    /// to the normal (N m s).
    pub rolling_impulse: Vec3,
    /// True if the surfaces slid at the end of the last step. The next step then uses the
    /// coefficient of dynamic friction, else that of static friction.
    pub sliding: bool,
    /// Levels by which the substepping solver has scaled the lighter mass up, so that the contact
    /// bears its load: see `solver::mass_scaling`.
    pub mass_scaling: u16,
}

/// Fewest contact points that make a face. A contact with fewer may belong to a round body, whose
/// contact points change as it turns.
pub(crate) const FACE_POINTS: usize = 3;

impl Manifold {
    /// The points in use.
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// The points in use.
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.count as usize]
    }

    /// The sum of the normal impulses of the last step (N s).
    pub(crate) fn normal_impulse(&self) -> f64 {
        self.points().iter().map(|p| f64::from(p.normal_impulse)).sum()
    }

    /// Sets all impulses to zero.
    pub(crate) fn clear_impulses(&mut self) {
        for point in &mut self.points {
            point.normal_impulse = 0.0;
        }
        (self.friction_impulse, self.rolling_impulse) = (Vec3::ZERO, Vec3::ZERO);
        self.twist_impulse = 0.0;
    }

    /// Multiplies all impulses by a factor.
    pub(crate) fn scale_impulses(&mut self, by: Real) {
        for point in &mut self.points {
            point.normal_impulse *= by;
        }
        self.friction_impulse *= by;
        self.twist_impulse *= by;
        self.rolling_impulse *= by;
    }
}
