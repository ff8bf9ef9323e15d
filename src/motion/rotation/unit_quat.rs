//! A unit quaternion of plain scalars.
//!
//! glam's single-precision quaternion occupies a vector register, which prevents the compiler from
//! giving each body a lane. The rotation laws use these scalars, for one body and for many.

use crate::{
    math::{Quat, Real, Vec3},
    motion::trig::{sinc_cos, small_sinc_cos},
};

/// `w + v.x i + v.y j + v.z k`.
#[derive(Clone, Copy, Debug)]
pub(in crate::motion) struct UnitQuat {
    pub v: Vec3,
    pub w: Real,
}

impl UnitQuat {
    #[inline(always)]
    pub(in crate::motion) fn from_quat(q: Quat) -> Self {
        Self { v: Vec3::new(q.x, q.y, q.z), w: q.w }
    }

    #[inline(always)]
    pub(in crate::motion) fn to_quat(self) -> Quat {
        Quat::from_xyzw(self.v.x, self.v.y, self.v.z, self.w)
    }

    /// The rotation by the vector `2 half` (rad): the exponential map.
    #[inline(always)]
    pub(in crate::motion) fn exp(half: Vec3) -> Self {
        let (sinc, cos) = sinc_cos(half.length_squared());
        Self { v: half * sinc, w: cos }
    }

    /// [`Self::exp`] of a vector no longer than [`SMALL`](crate::motion::trig::SMALL): the same
    /// bits, faster.
    #[inline(always)]
    pub(in crate::motion) fn exp_small(half: Vec3) -> Self {
        let (sinc, cos) = small_sinc_cos(half.length_squared());
        Self { v: half * sinc, w: cos }
    }

    #[inline(always)]
    pub(in crate::motion) fn times(self, o: Self) -> Self {
        let (a, b) = (self.v, o.v);
        Self {
            v: Vec3::new(
                (self.w * b.x + a.x * o.w) + (a.y * b.z - a.z * b.y),
                (self.w * b.y + a.y * o.w) + (a.z * b.x - a.x * b.z),
                (self.w * b.z + a.z * o.w) + (a.x * b.y - a.y * b.x),
            ),
            w: self.w * o.w - (a.x * b.x + a.y * b.y + a.z * b.z),
        }
    }

    /// `a` where `first`, else `b`, without a branch.
    #[inline(always)]
    pub(in crate::motion) fn select(first: bool, a: Self, b: Self) -> Self {
        Self { v: select(first, a.v, b.v), w: if first { a.w } else { b.w } }
    }

    #[inline(always)]
    pub(in crate::motion) fn conjugate(self) -> Self {
        Self { v: -self.v, w: self.w }
    }

    #[inline(always)]
    pub(in crate::motion) fn normalized(self) -> Self {
        let scale = 1.0 / (self.v.length_squared() + self.w * self.w).sqrt();
        Self { v: self.v * scale, w: self.w * scale }
    }

    /// [`Self::normalized`] of a product of unit quaternions: one Newton step for the inverse root,
    /// exact to the square of the rounding error of the length.
    #[inline(always)]
    pub(in crate::motion) fn renormalized(self) -> Self {
        let scale = 1.5 - 0.5 * (self.v.length_squared() + self.w * self.w);
        Self { v: self.v * scale, w: self.w * scale }
    }

    /// The rotation's matrix.
    #[inline(always)]
    pub(in crate::motion) fn axes(self) -> Axes {
        let (x, y, z, w) = (self.v.x, self.v.y, self.v.z, self.w);
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, yz, zx) = (x * y2, y * z2, z * x2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        Axes {
            x: Vec3::new(1.0 - (yy + zz), xy + wz, zx - wy),
            y: Vec3::new(xy - wz, 1.0 - (zz + xx), yz + wx),
            z: Vec3::new(zx + wy, yz - wx, 1.0 - (xx + yy)),
        }
    }
}

/// A body's principal axes in world axes: the columns of a rotation.
#[derive(Clone, Copy)]
pub(in crate::motion) struct Axes {
    x: Vec3,
    y: Vec3,
    z: Vec3,
}

impl Axes {
    #[inline(always)]
    pub(in crate::motion) fn to_body(self, world: Vec3) -> Vec3 {
        Vec3::new(self.x.dot(world), self.y.dot(world), self.z.dot(world))
    }

    #[inline(always)]
    pub(in crate::motion) fn to_world(self, body: Vec3) -> Vec3 {
        self.x * body.x + self.y * body.y + self.z * body.z
    }

    /// The symmetric tensor with these values along the axes, in world axes: xx, yy, zz, xy, xz,
    /// yz.
    #[inline(always)]
    pub(in crate::motion) fn tensor(self, values: Vec3) -> [Real; 6] {
        let (x, y, z) = (self.x * values.x, self.y * values.y, self.z * values.z);
        [
            x.x * self.x.x + y.x * self.y.x + z.x * self.z.x,
            x.y * self.x.y + y.y * self.y.y + z.y * self.z.y,
            x.z * self.x.z + y.z * self.y.z + z.z * self.z.z,
            x.x * self.x.y + y.x * self.y.y + z.x * self.z.y,
            x.x * self.x.z + y.x * self.y.z + z.x * self.z.z,
            x.y * self.x.z + y.y * self.y.z + z.y * self.z.z,
        ]
    }
}

/// `a` where `first`, else `b`, without a branch.
#[inline(always)]
pub(in crate::motion) fn select(first: bool, a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: Real, b: Real| if first { a } else { b };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}
