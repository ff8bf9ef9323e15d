//! Products of quaternions, and with vectors: glam's scalar formulas and bits, in registers of four
//! lanes where the processor is sure to have them.

#[cfg(not(all(target_arch = "x86_64", not(feature = "f64"))))]
mod lanes {
    use crate::math::{Quat, Vec3};

    #[inline(always)]
    pub fn product(p: Quat, q: Quat) -> Quat {
        p * q
    }

    #[inline(always)]
    pub fn rotate(q: Quat, v: Vec3) -> Vec3 {
        q * v
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "f64")))]
mod lanes {
    use crate::math::{Quat, Vec3};
    use std::arch::x86_64::*;

    /// Four lanes of the product of quaternions.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn product_lanes(p: Quat, q: Quat) -> __m128 {
        let right = _mm_setr_ps(q.x, q.y, q.z, q.w);
        // Lanes w z y x, z w x y and y x w z of `q`, with the signs of the products of i, j and k.
        let by_x = _mm_xor_ps(_mm_shuffle_ps::<0b00_01_10_11>(right, right), _mm_setr_ps(0.0, -0.0, 0.0, -0.0));
        let by_y = _mm_xor_ps(_mm_shuffle_ps::<0b01_00_11_10>(right, right), _mm_setr_ps(0.0, 0.0, -0.0, -0.0));
        let by_z = _mm_xor_ps(_mm_shuffle_ps::<0b10_11_00_01>(right, right), _mm_setr_ps(-0.0, 0.0, 0.0, -0.0));
        let sum = _mm_add_ps(_mm_mul_ps(_mm_set1_ps(p.w), right), _mm_mul_ps(_mm_set1_ps(p.x), by_x));
        let sum = _mm_add_ps(sum, _mm_mul_ps(_mm_set1_ps(p.y), by_y));
        _mm_add_ps(sum, _mm_mul_ps(_mm_set1_ps(p.z), by_z))
    }

    /// Three lanes of a vector turned by a quaternion.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn rotate_lanes(q: Quat, v: Vec3) -> __m128 {
        let (axis, lanes) = (_mm_setr_ps(q.x, q.y, q.z, 0.0), _mm_setr_ps(v.x, v.y, v.z, 0.0));
        let b = Vec3::new(q.x, q.y, q.z);
        // The cross product's lanes z, x, y, then x, y, z.
        let cross = _mm_sub_ps(_mm_mul_ps(axis, next_lanes(lanes)), _mm_mul_ps(lanes, next_lanes(axis)));
        let kept = _mm_mul_ps(lanes, _mm_set1_ps(q.w * q.w - b.dot(b)));
        let sum = _mm_add_ps(kept, _mm_mul_ps(axis, _mm_set1_ps(v.dot(b) * 2.0)));
        _mm_add_ps(sum, _mm_mul_ps(next_lanes(cross), _mm_set1_ps(q.w * 2.0)))
    }

    /// Lanes y, z, x.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn next_lanes(lanes: __m128) -> __m128 {
        _mm_shuffle_ps::<0b11_00_10_01>(lanes, lanes)
    }

    #[inline(always)]
    pub fn product(p: Quat, q: Quat) -> Quat {
        let mut lanes = [0.0; 4];
        // SAFETY: SSE2 is part of every x86-64, and four lanes fit into four scalars.
        unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), product_lanes(p, q)) };
        Quat::from_array(lanes)
    }

    #[inline(always)]
    pub fn rotate(q: Quat, v: Vec3) -> Vec3 {
        let mut lanes = [0.0; 4];
        // SAFETY: SSE2 is part of every x86-64, and four lanes fit into four scalars.
        unsafe { _mm_storeu_ps(lanes.as_mut_ptr(), rotate_lanes(q, v)) };
        Vec3::new(lanes[0], lanes[1], lanes[2])
    }
}

use crate::math::{Pose, Quat, Vec3};

/// The rotation `q`, then `p`: `p * q`.
#[inline(always)]
pub(crate) fn product(p: Quat, q: Quat) -> Quat {
    lanes::product(p, q)
}

/// A vector turned by a unit quaternion: `q * v`.
#[inline(always)]
pub(crate) fn rotate(q: Quat, v: Vec3) -> Vec3 {
    lanes::rotate(q, v)
}

/// A pose in the frame of another: `frame.inv_mul(pose)`.
#[inline(always)]
pub(crate) fn pose_in(frame: &Pose, pose: &Pose) -> Pose {
    let back = frame.rotation.inverse();
    Pose::from_parts(rotate(back, pose.translation - frame.translation), product(back, pose.rotation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;
    use proptest::prelude::*;
    use std::ops::Range;

    fn coordinates<const N: usize>() -> impl Strategy<Value = [Real; N]> {
        let (near, far): (Range<Real>, Range<Real>) = (-1.0..1.0, -1e9..1e9);
        prop::array::uniform(prop_oneof![4 => near, 1 => Just(0.0), 1 => Just(-0.0), 1 => far])
    }

    proptest! {
        #[test]
        fn products_have_the_bits_of_scalar_code(p in coordinates::<4>(), q in coordinates::<4>(), v in coordinates::<3>()) {
            let (p, q, v) = (Quat::from_array(p), Quat::from_array(q), Vec3::from_array(v));
            let bits = |x: &[Real]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&product(p, q).to_array()), bits(&(p * q).to_array()));
            let unit = if q.length_squared() > 1e-30 { q.normalize() } else { Quat::IDENTITY };
            prop_assert_eq!(bits(&rotate(unit, v).to_array()), bits(&(unit * v).to_array()));
            let (frame, pose) = (Pose::from_parts(v, unit), Pose::from_parts(Vec3::new(v.y, v.z, v.x), p));
            let (ours, theirs) = (pose_in(&frame, &pose), frame.inv_mul(&pose));
            prop_assert_eq!(bits(&ours.translation.to_array()), bits(&theirs.translation.to_array()));
            prop_assert_eq!(bits(&ours.rotation.to_array()), bits(&theirs.rotation.to_array()));
        }
    }
}
