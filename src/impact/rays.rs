//! The rays of constant sliding: sliding directions that an impact keeps (Baber 2011, section 3.7).

use super::collision_matrix::symmetrised;
use crate::math::DMat3;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A sliding direction that the impact keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The angle from the tangent x towards y, in radians, from 0 to 2 pi.
    pub angle: f64,
    /// The growth of the sliding speed, `d|u_t|/dp_z`, in 1/kg: positive on a diverging ray,
    /// negative on a converging one.
    pub growth: f64,
    /// True if trajectories beside the ray turn towards it.
    pub attracts: bool,
}

/// The rays of constant sliding of a collision matrix and a coefficient of friction, sorted by
/// angle: two to four.
///
/// Empty if there are none or infinitely many (every direction is a ray where the matrix has no
/// coupling and an isotropic tangential block, as for a ball), and for input that is not finite or
/// has negative friction.
///
/// In the axes of `M`, the tangential block, the condition that velocity changes along itself
/// (Baber, equation 7) is `k_2 cos - k_1 sin = d sin cos` with `d = mu (m_2 - m_1)`. Each quadrant
/// holds none, one or two roots; signs tell how many, and each is bracketed. No quartic is solved
/// and no root is lost.
///
/// ```
/// use dolmen::{impact::rays::rays, math::DMat3};
/// // Baber 2011, figure 4.
/// let k = DMat3::from_cols_array(&[20.0, 0.0, 1.0, 0.0, 4.0, 6.0, 1.0, 6.0, 10.0]);
/// let angles: Vec<i64> = rays(k, 0.7).iter().map(|ray| ray.angle.to_degrees().round() as i64).collect();
/// assert_eq!(angles, [87, 209, 281, 323]);
/// ```
pub fn rays(k: DMat3, friction: f64) -> Vec<Ray> {
    if !(k.is_finite() && friction.is_finite() && friction >= 0.0) {
        return Vec::new();
    }
    let k = symmetrised(k);
    let (k11, k12, k22, kx, ky) = (k.x_axis.x, k.x_axis.y, k.y_axis.y, k.x_axis.z, k.y_axis.z);
    // The axis of the smaller eigenvalue of M.
    let axis = 0.5 * libm::atan2(2.0 * k12, k11 - k22) + FRAC_PI_2;
    let (sin, cos) = libm::sincos(axis);
    let (k1, k2) = (cos * kx + sin * ky, cos * ky - sin * kx);
    let d = friction * libm::hypot(k11 - k22, 2.0 * k12);
    let mut rays: Vec<Ray> = angles(k1, k2, d)
        .into_iter()
        .map(|angle| {
            let angle = (angle + axis).rem_euclid(TAU);
            let (sin, cos) = libm::sincos(angle);
            let (mx, my) = (k11 * cos + k12 * sin, k12 * cos + k22 * sin);
            let (along, drag) = (kx * cos + ky * sin, friction * (cos * mx + sin * my));
            let across = friction * (k11 + k22) - drag;
            Ray { angle, growth: along - drag, attracts: drag - across - along < 0.0 }
        })
        .collect();
    rays.sort_by(|a, b| a.angle.total_cmp(&b.angle));
    rays
}

/// The roots of `k2 cos - k1 sin = d sin cos`, with `d >= 0`.
fn angles(k1: f64, k2: f64, d: f64) -> Vec<f64> {
    let mut roots = Vec::with_capacity(4);
    if k1 == 0.0 && k2 == 0.0 {
        // The axes, unless every direction is a ray.
        return if d > 0.0 { vec![0.0, FRAC_PI_2, PI, 3.0 * FRAC_PI_2] } else { roots };
    }
    if k2 == 0.0 {
        roots.extend([0.0, PI]);
        if k1.abs() < d {
            let angle = libm::acos(-k1 / d);
            roots.extend([angle, TAU - angle]);
        }
        return roots;
    }
    if k1 == 0.0 {
        roots.extend([FRAC_PI_2, 3.0 * FRAC_PI_2]);
        if k2.abs() < d {
            let angle = libm::asin(k2 / d);
            roots.extend([angle, PI - angle]);
        }
        return roots;
    }
    for (sign_cos, sign_sin) in [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)] {
        // With sine and cosine both positive: a cos - b sin - d sin cos = 0.
        let (a, b) = (sign_sin * k2, sign_cos * k1);
        let excess = |t: f64| {
            let (sin, cos) = libm::sincos(t);
            a * cos - b * sin - d * sin * cos
        };
        let mut add = |t: f64| {
            let (sin, cos) = libm::sincos(t);
            roots.push(libm::atan2(sign_sin * sin, sign_cos * cos));
        };
        if (a > 0.0) == (b > 0.0) {
            add(bisect(excess, 0.0, FRAC_PI_2));
        } else if a > 0.0 {
            // a / sin + |b| / cos is convex; its least value is where tan^3 = a / |b|.
            let least = libm::atan(libm::cbrt(a / -b));
            let there = excess(least);
            if there < 0.0 {
                add(bisect(excess, 0.0, least));
                add(bisect(excess, least, FRAC_PI_2));
            } else if there == 0.0 {
                add(least);
            }
        }
    }
    roots
}

/// The root between two angles where the function has different signs, to the last bit.
fn bisect(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let sign = function(low) > 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if (function(middle) > 0.0) == sign {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use proptest::prelude::*;

    fn turning(k: DMat3, mu: f64, angle: f64) -> f64 {
        let c = DVec3::new(-mu * angle.cos(), -mu * angle.sin(), 1.0);
        let rate = k * c;
        angle.cos() * rate.y - angle.sin() * rate.x
    }

    #[test]
    fn a_ball_has_no_single_rays() {
        assert!(rays(DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0)), 0.5).is_empty());
    }

    #[test]
    fn without_coupling_the_rays_are_the_axes_of_the_tangential_block() {
        let found = rays(DMat3::from_diagonal(DVec3::new(2.0, 5.0, 1.0)), 0.5);
        let angles: Vec<f64> = found.iter().map(|ray| ray.angle.to_degrees()).collect();
        for (angle, expected) in angles.iter().zip([0.0, 90.0, 180.0, 270.0]) {
            assert!((angle - expected).abs() < 1e-12, "{angles:?}");
        }
        assert!(found.iter().all(|ray| ray.growth < 0.0));
    }

    proptest! {
        #[test]
        fn velocity_turns_on_no_ray_and_turns_one_way_between_two(
            a in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform3(-1.0..1.0f64),
            c in prop::array::uniform3(-1.0..1.0f64), mu in 0.0..2.0f64,
        ) {
            let root = DMat3::from_cols(a.into(), b.into(), c.into());
            let k = root * root.transpose();
            let found = rays(k, mu);
            prop_assert!((2..=4).contains(&found.len()));
            for (ray, next) in found.iter().zip(found.iter().cycle().skip(1)) {
                prop_assert!(turning(k, mu, ray.angle).abs() < 1e-13);
                let gap = (next.angle - ray.angle).rem_euclid(TAU);
                let signs = [0.1, 0.5, 0.9].map(|part| turning(k, mu, ray.angle + part * gap) > 0.0);
                prop_assume!(gap > 1e-6);
                prop_assert!(signs[0] == signs[1] && signs[1] == signs[2]);
                prop_assert_eq!(ray.attracts, !signs[0]);
            }
        }
    }
}
