//! Principal axes: eigenvectors of a symmetric 3x3 matrix, as the rotation nearest to the identity.

use glam::{DMat3, DQuat, DVec3};

use crate::tolerances::INERTIA_OFF_DIAGONAL;

/// Cap on Jacobi sweeps. Convergence is quadratic: six suffice for any 3x3 matrix.
const SWEEPS: usize = 12;

/// Principal values of the symmetric matrix `m` and the rotation from the principal axes to its
/// own, such that `m = R diag(values) R^T`.
///
/// Of the 24 rotations that order and orient the same axes, the one nearest to the identity is
/// taken: a diagonal matrix keeps its diagonal, in its order and exactly, and the identity. The
/// same matrix always gives the same bits.
///
/// Jacobi's method, cyclic by rows (Golub and Van Loan, "Matrix Computations", section 8.5): slower
/// than a closed form, but accurate to the last digits at equal values, where the closed form loses
/// half of them.
///
/// ```
/// use dolmen::{mass::principal_axes, math::{DMat3, DQuat, DVec3}};
/// let (values, frame) = principal_axes(DMat3::from_diagonal(DVec3::new(3.0, 1.0, 2.0)));
/// assert_eq!((values, frame), (DVec3::new(3.0, 1.0, 2.0), DQuat::IDENTITY));
/// ```
pub fn principal_axes(m: DMat3) -> (DVec3, DQuat) {
    let mut a = [[0.0; 3]; 3];
    for (i, row) in a.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = 0.5 * (m.col(j)[i] + m.col(i)[j]);
        }
    }
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let largest = a.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() > INERTIA_OFF_DIAGONAL * largest {
                rotate(&mut a, &mut axes, p, q);
                rotated = true;
            }
        }
        if !rotated {
            break;
        }
    }
    nearest_to_identity([a[0][0], a[1][1], a[2][2]], axes)
}

/// One Jacobi rotation: makes `a[p][q]` zero and rotates the columns `p` and `q` of `axes`.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = 1.0_f64.copysign(theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    let (shift, arp, arq) = (t * a[p][q], a[r][p], a[r][q]);
    a[p][p] -= shift;
    a[q][q] += shift;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    (a[r][p], a[r][q]) = (c * arp - s * arq, s * arp + c * arq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for row in axes {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

/// The order and the signs of the columns of `axes` for the rotation nearest to the identity, the
/// one with the largest trace. Ties go to the first in a fixed order.
fn nearest_to_identity(values: [f64; 3], axes: [[f64; 3]; 3]) -> (DVec3, DQuat) {
    let column = |j: usize| DVec3::new(axes[0][j], axes[1][j], axes[2][j]);
    let mut best = (f64::NEG_INFINITY, DMat3::IDENTITY, DVec3::ZERO);
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
        for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let (x, y) = (column(order[0]) * sx, column(order[1]) * sy);
            let r = DMat3::from_cols(x, y, x.cross(y));
            let trace = r.x_axis.x + r.y_axis.y + r.z_axis.z;
            if trace > best.0 {
                best = (trace, r, DVec3::from_array(order.map(|i| values[i])));
            }
        }
    }
    let (_, r, values) = best;
    let frame = if r == DMat3::IDENTITY { DQuat::IDENTITY } else { DQuat::from_mat3(&r).normalize() };
    (values, if frame.w < 0.0 { -frame } else { frame })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rebuild(values: DVec3, frame: DQuat) -> DMat3 {
        let r = DMat3::from_quat(frame);
        r * DMat3::from_diagonal(values) * r.transpose()
    }

    fn worst(m: DMat3) -> f64 {
        m.to_cols_array().iter().fold(0.0_f64, |w, x| w.max(x.abs()))
    }

    #[test]
    fn equal_moments_with_noise_keep_the_identity() {
        let mut m = DMat3::from_diagonal(DVec3::splat(2.0));
        m.y_axis.x = 3e-16;
        m.x_axis.y = 3e-16;
        assert_eq!(principal_axes(m).1, DQuat::IDENTITY);
    }

    proptest! {
        #[test]
        fn the_frame_and_the_values_rebuild_any_symmetric_matrix(
            d in prop::array::uniform3(-10.0..10.0_f64), o in prop::array::uniform3(-10.0..10.0_f64),
        ) {
            let m = DMat3::from_cols_array(&[d[0], o[0], o[1], o[0], d[1], o[2], o[1], o[2], d[2]]);
            let (values, frame) = principal_axes(m);
            prop_assert!(worst(rebuild(values, frame) - m) <= 4e-12 * worst(m).max(1e-3));
        }

        #[test]
        fn nearly_equal_moments_are_found_to_the_last_digits(
            axis in prop::array::uniform3(-1.0..1.0_f64), angle in 0.0..3.1_f64, gap in 0.0..1e-9_f64,
        ) {
            prop_assume!(DVec3::from_array(axis).length() > 0.1);
            let r = DQuat::from_axis_angle(DVec3::from_array(axis).normalize(), angle);
            let m = rebuild(DVec3::new(1.0, 1.0 + gap, 1.0 - 2.0 * gap), r);
            let (values, frame) = principal_axes(m);
            prop_assert!(worst(rebuild(values, frame) - m) <= 1e-12);
        }

        #[test]
        fn the_frame_turns_by_at_most_63_degrees(
            axis in prop::array::uniform3(-1.0..1.0_f64), angle in 0.0..3.1_f64,
        ) {
            // No rotation is farther than 62.8 degrees from all 24 that map the axes onto each
            // other.
            prop_assume!(DVec3::from_array(axis).length() > 0.1);
            let r = DQuat::from_axis_angle(DVec3::from_array(axis).normalize(), angle);
            let (_, frame) = principal_axes(rebuild(DVec3::new(1.0, 2.0, 3.0), r));
            prop_assert!(2.0 * frame.w.min(1.0).acos() <= 62.9_f64.to_radians());
        }
    }
}
