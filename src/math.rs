//! The engine's scalar and its vectors: the only place that distinguishes `f32` and `f64`.
//!
//! Code in the engine's precision uses [`Real`], [`Vec3`], [`Quat`], [`Mat3`] and [`Pose`]. Impacts
//! and resting contact forces are always solved in `f64` with [`DVec3`] and [`DMat3`]; [`to_f64`]
//! and [`from_f64`] convert.
//!
//! Sines, arc tangents and powers come from the crate `libm` (here `real`, in `f64` the crate
//! itself), never from the standard library: that calls the platform, and platforms differ in the
//! last bits. Roots and roundings are exact everywhere. `clippy.toml` lists what must not be called.

pub(crate) mod turn;

pub use glam::{DMat3, DQuat, DVec3};

#[cfg(not(feature = "f64"))]
mod scalar {
    pub(crate) use glam::Vec4;
    pub use glam::{Mat3, Quat, Vec3};
    pub use parry3d as parry;
    /// The engine's scalar: `f32`, or `f64` with the feature `f64`.
    pub type Real = f32;
    /// Mathematical constants in the engine's scalar.
    pub use std::f32::consts;
    /// Functions of the crate `libm` in the engine's scalar.
    pub(crate) mod real {
        pub(crate) use libm::{
            asinf as asin, atan2f as atan2, atanf as atan, cosf as cos, expf as exp, hypotf as hypot, powf as pow,
            sinf as sin, tanf as tan,
        };
    }
}
#[cfg(feature = "f64")]
mod scalar {
    pub(crate) use glam::DVec4 as Vec4;
    pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
    pub use parry3d_f64 as parry;
    /// The engine's scalar: `f32`, or `f64` with the feature `f64`.
    pub type Real = f64;
    /// Mathematical constants in the engine's scalar.
    pub use std::f64::consts;
    /// Functions of the crate `libm` in the engine's scalar.
    pub(crate) mod real {
        pub(crate) use libm::{asin, atan, atan2, cos, exp, hypot, pow, sin, tan};
    }
}

pub use parry::math::Pose;
pub use scalar::*;

/// Length with the processor's own root, which has the bits of glam's. That of `libm` is a block of
/// assembly, which keeps loops from being vectorised, or software on WebAssembly.
pub(crate) trait Norm {
    /// Its scalar.
    type Scalar;
    /// The length of a vector.
    fn norm(self) -> Self::Scalar;
}

impl Norm for glam::Vec3 {
    type Scalar = f32;
    #[inline(always)]
    fn norm(self) -> f32 {
        self.length_squared().sqrt()
    }
}

impl Norm for DVec3 {
    type Scalar = f64;
    #[inline(always)]
    fn norm(self) -> f64 {
        self.length_squared().sqrt()
    }
}

/// Converts a vector to `f64`.
#[inline]
pub fn to_f64(v: Vec3) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// Converts a rotation to `f64`, normalized.
#[inline]
pub fn quat_to_f64(q: Quat) -> DQuat {
    DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize()
}

/// Rounds a vector to the engine's scalar.
#[inline]
pub fn from_f64(v: DVec3) -> Vec3 {
    Vec3::new(v.x as Real, v.y as Real, v.z as Real)
}

/// Rounds a vector to the engine's scalar; what overflows becomes its largest number, and what is no
/// number zero.
#[inline]
pub(crate) fn from_f64_bounded(v: DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(bounded))
}

/// Rounds a number to the engine's scalar; what overflows becomes its largest number, and what is no
/// number zero.
#[inline]
pub(crate) fn bounded(x: f64) -> Real {
    if x.is_nan() { 0.0 } else { x.clamp(f64::from(Real::MIN), f64::from(Real::MAX)) as Real }
}

/// True if two vectors differ in any bit. Unlike `!=` it has no branches, and a NaN equals itself.
#[inline(always)]
pub fn bits_differ(a: Vec3, b: Vec3) -> bool {
    let differ = |a: Real, b: Real| a.to_bits() ^ b.to_bits();
    differ(a.x, b.x) | differ(a.y, b.y) | differ(a.z, b.z) != 0
}

/// [`bits_differ`] of quaternions.
#[inline(always)]
pub fn quat_bits_differ(a: Quat, b: Quat) -> bool {
    let differ = |a: Real, b: Real| a.to_bits() ^ b.to_bits();
    differ(a.x, b.x) | differ(a.y, b.y) | differ(a.z, b.z) | differ(a.w, b.w) != 0
}

/// True if a quaternion can be normalized.
#[inline]
pub(crate) fn is_direction(q: Quat) -> bool {
    q.length_squared() > 0.0 && q.length_squared().is_finite()
}

/// The angle (rad) between two orientations, up to half a turn: never underestimated, and
/// overestimated by at most 3 %. Unlike an arc cosine it is accurate for small angles.
#[inline]
pub fn angle_between(p: Quat, q: Quat) -> Real {
    let chord = (q - p).length_squared().min((q + p).length_squared()).sqrt();
    // An upper bound of 4 asin(chord / 2) for chords up to a half turn.
    2.0 * chord * (1.0 + 0.06 * chord * chord)
}

/// Two unit vectors that complete the unit vector `n` to a right-handed orthonormal basis `(t1, t2,
/// n)`.
///
/// Branch-free but for the sign of `n.z`, and continuous everywhere else (Duff et al., "Building an
/// orthonormal basis, revisited", 2017).
#[inline]
pub fn orthonormal_basis(n: Vec3) -> (Vec3, Vec3) {
    let sign = Real::copysign(1.0, n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vec3::new(b, sign + n.y * n.y * a, -n.y))
}

/// The symmetric matrix `frame diag(principal) frame^-1`: a tensor from its principal values and
/// their frame.
#[inline]
pub fn rotated_diagonal(principal: Vec3, frame: Quat) -> Mat3 {
    let r = Mat3::from_quat(frame);
    Mat3::from_cols(r.x_axis * principal.x, r.y_axis * principal.y, r.z_axis * principal.z) * r.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overflows_becomes_the_largest_number() {
        let large = f64::MAX;
        let got = from_f64_bounded(DVec3::new(large, -large, f64::NAN));
        assert_eq!(got, Vec3::new(large as Real, -large as Real, 0.0).clamp(Vec3::MIN, Vec3::MAX));
        assert!(got.is_finite() && bounded(f64::INFINITY) == Real::MAX && bounded(0.5) == 0.5);
    }

    #[test]
    fn basis_is_orthonormal_and_right_handed() {
        for n in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z, Vec3::new(0.6, -0.48, -0.64), Vec3::new(1e-6, 0.0, -1.0)] {
            let n = n.normalize();
            let (a, b) = orthonormal_basis(n);
            assert!((a.cross(b) - n).length() < 1e-6, "{n}");
            assert!(a.dot(b).abs() < 1e-6 && (a.length() - 1.0).abs() < 1e-6, "{n}");
        }
    }

    #[test]
    fn rotated_diagonal_keeps_principal_values_along_the_frame() {
        let frame = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-0.3);
        let m = rotated_diagonal(Vec3::new(1.0, 2.0, 3.0), frame);
        assert!((m * (frame * Vec3::Y) - frame * Vec3::Y * 2.0).length() < 1e-6);
    }
}
