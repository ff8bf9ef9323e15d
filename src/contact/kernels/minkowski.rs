//! Minkowski difference of two convex cores, in `f64`.

use super::rounded_convex::Core;
use crate::math::{DMat3, DQuat, DVec3, Pose, Vec3, from_f64, to_f64};

/// Vertex of the Minkowski difference of two shapes, and the vertices of the shapes that make it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MinkowskiVertex {
    /// The second shape's vertex less the first one's.
    pub point: DVec3,
    pub on_a: DVec3,
    /// Numbers of both vertices among the corners of their shapes.
    pub numbers: [u8; 2],
}

/// The second core less the first one, in the first one's axes. It contains the origin where they overlap.
pub(crate) struct MinkowskiDifference<'a> {
    a: &'a Core<'a>,
    b: &'a Core<'a>,
    to_a: DMat3,
    back: DMat3,
    /// Position of the second core (m).
    pub shift: DVec3,
}

impl<'a> MinkowskiDifference<'a> {
    #[inline]
    pub fn new(a: &'a Core<'a>, b: &'a Core<'a>, b_in_a: &Pose) -> Self {
        let q = b_in_a.rotation;
        let to_a = DMat3::from_quat(DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize());
        Self { a, b, to_a, back: to_a.transpose(), shift: to_f64(b_in_a.translation) }
    }

    /// The vertex of a vertex of each core, each with its number.
    #[inline]
    pub fn vertex(&self, (on_a, of_a): (Vec3, u8), (on_b, of_b): (Vec3, u8)) -> MinkowskiVertex {
        let on_a = to_f64(on_a);
        MinkowskiVertex { point: self.to_a * to_f64(on_b) + self.shift - on_a, on_a, numbers: [of_a, of_b] }
    }

    /// Support vertex against `direction`: the least along it.
    #[inline]
    pub fn support(&self, direction: DVec3) -> MinkowskiVertex {
        let (on_a, on_b) = (from_f64(direction), from_f64(self.back * -direction));
        self.vertex(self.a.support(on_a), self.b.support(on_b))
    }
}
