//! The friction cone `|t| <= mu n`: its projection, and the derivatives that Newton's method needs.
//!
//! Vectors are in contact axes: `x` along the normal, `y` and `z` along the tangents.

use crate::math::{DMat3, DVec3};

/// The friction coefficient of bilateral constraints: the cone is the whole space.
pub const BILATERAL: f64 = f64::INFINITY;

/// The length of the tangential part.
#[inline(always)]
pub fn tangential(v: DVec3) -> f64 {
    (v.y * v.y + v.z * v.z).sqrt()
}

/// De Saxcé's shift, `mu |u_t|`: added to the normal velocity, it turns Coulomb's law into the
/// complementarity of a cone and its dual. Zero for bilateral constraints.
#[inline(always)]
pub fn shift(u: DVec3, mu: f64) -> f64 {
    if mu == BILATERAL { 0.0 } else { mu * tangential(u) }
}

/// The point of the cone of friction `mu` that is nearest to `z`.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::cone::project;
/// assert_eq!(project(DVec3::new(2.0, 0.5, 0.0), 0.5), DVec3::new(2.0, 0.5, 0.0));
/// assert_eq!(project(DVec3::new(-2.0, 0.5, 0.0), 0.5), DVec3::ZERO);
/// assert_eq!(project(DVec3::new(0.0, 2.0, 0.0), 1.0), DVec3::new(1.0, 1.0, 0.0));
/// ```
#[inline(always)]
pub fn project(z: DVec3, mu: f64) -> DVec3 {
    let t = tangential(z);
    // The polar cone first: without friction, a pull straight along the normal passes the other
    // test too.
    if mu * t <= -z.x {
        DVec3::ZERO
    } else if t <= mu * z.x || mu == BILATERAL {
        z
    } else {
        let n = (z.x + mu * t) / (1.0 + mu * mu);
        let shrink = mu * n / t;
        DVec3::new(n, shrink * z.y, shrink * z.z)
    }
}

/// The projection and its derivative, which is symmetric with eigenvalues from 0 to 1.
#[inline]
pub fn project_with_derivative(z: DVec3, mu: f64) -> (DVec3, DMat3) {
    let t = tangential(z);
    if mu * t <= -z.x {
        (DVec3::ZERO, DMat3::ZERO)
    } else if t <= mu * z.x || mu == BILATERAL {
        (z, DMat3::IDENTITY)
    } else {
        let scale = 1.0 / (1.0 + mu * mu);
        let n = (z.x + mu * t) * scale;
        let (ey, ez) = (z.y / t, z.z / t);
        let bend = mu * n / t;
        let along = mu * mu * scale - bend;
        let side = mu * scale;
        let derivative = DMat3::from_cols(
            DVec3::new(scale, side * ey, side * ez),
            DVec3::new(side * ey, along * ey * ey + bend, along * ey * ez),
            DVec3::new(side * ez, along * ey * ez, along * ez * ez + bend),
        );
        (DVec3::new(n, mu * n * ey, mu * n * ez), derivative)
    }
}

/// The projection of Alart and Curnier: the normal part on the half-line, the tangential part on
/// the disc whose radius is `mu` times the normal part found. Its fixed points satisfy Coulomb's
/// law with no further shift.
#[inline(always)]
pub fn project_disc(z: DVec3, mu: f64) -> DVec3 {
    if z.x <= 0.0 {
        return if mu == BILATERAL { z } else { DVec3::ZERO };
    }
    let (t, radius) = (tangential(z), mu * z.x);
    if t <= radius {
        z
    } else {
        let shrink = radius / t;
        DVec3::new(z.x, shrink * z.y, shrink * z.z)
    }
}

/// [`project_disc`] and its derivative, which is not symmetric where the contact slips.
#[inline]
pub fn project_disc_with_derivative(z: DVec3, mu: f64) -> (DVec3, DMat3) {
    if z.x <= 0.0 {
        return if mu == BILATERAL { (z, DMat3::IDENTITY) } else { (DVec3::ZERO, DMat3::ZERO) };
    }
    let (t, radius) = (tangential(z), mu * z.x);
    if t <= radius {
        return (z, DMat3::IDENTITY);
    }
    let (ey, ez) = (z.y / t, z.z / t);
    let bend = radius / t;
    let derivative = DMat3::from_cols(
        DVec3::new(1.0, mu * ey, mu * ez),
        DVec3::new(0.0, bend * ez * ez, -bend * ey * ez),
        DVec3::new(0.0, -bend * ey * ez, bend * ey * ey),
    );
    (DVec3::new(z.x, bend * z.y, bend * z.z), derivative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    #[test]
    fn nothing_pulls_without_friction() {
        for x in [-2.0, -0.0, 0.0] {
            assert_eq!(project(DVec3::new(x, 0.0, 0.0), 0.0), DVec3::ZERO);
            assert_eq!(project_with_derivative(DVec3::new(x, 0.0, 0.0), 0.0), (DVec3::ZERO, DMat3::ZERO));
        }
    }

    proptest! {
        #[test]
        fn a_bilateral_constraint_takes_every_impulse_as_it_is(z in vector()) {
            let all = (z, DMat3::IDENTITY);
            prop_assert_eq!((project(z, BILATERAL), project_disc(z, BILATERAL)), (z, z));
            prop_assert_eq!([project_with_derivative(z, BILATERAL), project_disc_with_derivative(z, BILATERAL)], [all; 2]);
            prop_assert_eq!(shift(z, BILATERAL), 0.0);
        }

        /// Moreau: `z = p + (z - p)` with `p` in the cone, `z - p` in its polar, square to each
        /// other.
        #[test]
        fn the_projection_splits_a_vector_as_moreau_says(z in vector(), mu in 0.0..2.0f64) {
            let p = project(z, mu);
            let rest = z - p;
            prop_assert!(tangential(p) <= mu * p.x + 1e-12);
            // The polar cone: mu |t| <= -n, turned inside out.
            prop_assert!(mu * tangential(rest) <= -rest.x + 1e-12);
            prop_assert!(p.dot(rest).abs() < 1e-12);
        }

        #[test]
        fn derivatives_match_differences(z in vector(), mu in 0.05..2.0f64, d in vector()) {
            let step = 1e-6;
            // Away from the kinks, where there is no derivative.
            prop_assume!((tangential(z) - mu * z.x).abs() > 1e-4);
            prop_assume!((mu * tangential(z) + z.x).abs() > 1e-4 && z.x.abs() > 1e-4 && tangential(z) > 1e-2);
            for f in [project_with_derivative, project_disc_with_derivative] {
                let (_, derivative) = f(z, mu);
                let difference = (f(z + d * step, mu).0 - f(z - d * step, mu).0) / (2.0 * step);
                prop_assert!((derivative * d - difference).length() < 1e-3, "{} {}", derivative * d, difference);
            }
            prop_assert_eq!(project_disc_with_derivative(z, mu).0, project_disc(z, mu));
            prop_assert!((project_with_derivative(z, mu).0 - project(z, mu)).length() < 1e-15);
        }
    }
}
