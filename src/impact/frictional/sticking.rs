//! The continuation of a contact that stopped sliding (Baber 2011, sections 3.5 to 3.10).

use super::observer::Observer;
use super::problem::Scaled;
use super::progress::{Line, Progress};
use super::types::Ending;
use crate::tolerances::IMPACT;

/// Ends the impact of a contact that has stopped.
///
/// It sticks if the force that keeps `u_x = u_y = 0` lies in the cone: `|M^-1 k| <= mu`. Otherwise
/// it leaves along the diverging ray.
pub(super) fn stick<O: Observer>(problem: &Scaled, state: &mut Progress, observer: &mut O) -> Ending {
    state.velocity.x = 0.0;
    state.velocity.y = 0.0;
    let (qx, qy) = holding_friction(problem);
    let limit = problem.friction * (1.0 + IMPACT.rounding);
    if qx * qx + qy * qy <= limit * limit {
        let slope = problem.kz - (problem.kx * qx + problem.ky * qy);
        state.follow(problem, &Line { velocity: [0.0, 0.0], friction: [-qx, -qy], slope }, f64::INFINITY, observer);
        return Ending::StableSticking;
    }
    let (cx, cy, growth) = diverging_ray(problem);
    let mu = problem.friction;
    let slope = problem.kz - mu * (problem.kx * cx + problem.ky * cy);
    let line = Line { velocity: [growth * cx, growth * cy], friction: [-mu * cx, -mu * cy], slope };
    state.follow(problem, &line, f64::INFINITY, observer);
    Ending::UnstableSticking
}

/// `M^-1 k`: minus the tangential impulse per unit of normal impulse that prevents sliding.
fn holding_friction(problem: &Scaled) -> (f64, f64) {
    let Scaled { k11, k22, kx, ky, .. } = *problem;
    if let Some([a, b, d]) = holding_matrix(problem) {
        return (a * kx + b * ky, b * kx + d * ky);
    }
    // At most one tangential direction is free (locked axes), and k lies along it because K is
    // semidefinite.
    let trace = k11 + k22;
    if trace > 0.0 { (kx / trace, ky / trace) } else { (0.0, 0.0) }
}

/// `M^-1` as `[11, 12, 22]`: the tangential impulse per change of the sliding velocity; `None` if M
/// is singular.
#[inline]
pub(super) fn holding_matrix(problem: &Scaled) -> Option<[f64; 3]> {
    let Scaled { k11, k12, k22, .. } = *problem;
    let (det, trace) = (k11 * k22 - k12 * k12, k11 + k22);
    (det > 64.0 * f64::EPSILON * f64::EPSILON * trace * trace).then(|| [k22 / det, -k12 / det, k11 / det])
}

/// The direction of the only ray on which the sliding speed grows, and its growth `d|u_t|/dp_z`.
///
/// The growth is the positive root of the secular equation `|(g I + mu M)^-1 k| = 1` (Baber 2011,
/// section 3.10, whose quartic it replaces), and the vector inside is the direction. Newton's
/// method on `1/|w|`, whose graph is nearly straight, climbs to the root from below without
/// overshooting.
pub(crate) fn diverging_ray(problem: &Scaled) -> (f64, f64, f64) {
    let Scaled { k11, k12, k22, kx, ky, friction: mu, .. } = *problem;
    let solve = |growth: f64, x: f64, y: f64| {
        let (a, b, d) = (growth + mu * k11, mu * k12, growth + mu * k22);
        let det = a * d - b * b;
        ((d * x - b * y) / det, (a * y - b * x) / det)
    };
    // |w| >= |k| / (g + mu * largest eigenvalue): the root is not below this, where the matrix is
    // regular.
    let k_length = (kx * kx + ky * ky).sqrt();
    let (_, stiff) = problem.tangential_responses();
    let mut growth = (k_length - mu * stiff).max(0.0);
    let (mut wx, mut wy) = solve(growth, kx, ky);
    // Each iteration at least doubles the correct digits once close; thirty suffice for any matrix.
    for _ in 0..30 {
        let square = wx * wx + wy * wy;
        let length = square.sqrt();
        let (vx, vy) = solve(growth, wx, wy);
        let next = growth + (length - 1.0) * square / (wx * vx + wy * vy);
        if next.is_nan() || next <= growth {
            break;
        }
        growth = next;
        (wx, wy) = solve(growth, kx, ky);
    }
    let length = (wx * wx + wy * wy).sqrt();
    (wx / length, wy / length, growth)
}

#[cfg(test)]
mod tests {
    use super::super::Impact;
    use super::*;
    use crate::math::{DMat3, DVec3};
    use proptest::prelude::*;

    fn scaled(k: DMat3, friction: f64) -> Scaled {
        Scaled::new(&Impact { k, velocity: -DVec3::Z, friction, restitution: 0.5 }).unwrap()
    }

    #[test]
    fn the_diverging_ray_of_figure_4_is_at_86_669_degrees() {
        let k = DMat3::from_cols_array(&[20.0, 0.0, 1.0, 0.0, 4.0, 6.0, 1.0, 6.0, 10.0]);
        let problem = scaled(k, 0.7);
        let (cx, cy, growth) = diverging_ray(&problem);
        assert!((cy.atan2(cx).to_degrees() - 86.669).abs() < 5e-4);
        // Scaled by a power of two; the notes' value is 3.2102 in the paper's units.
        assert!((growth * 20.0 / problem.k11 - 3.2102).abs() < 5e-5);
    }

    proptest! {
        #[test]
        fn on_the_diverging_ray_velocity_grows_along_itself(
            a in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform3(-1.0..1.0f64),
            c in prop::array::uniform3(-1.0..1.0f64), part in 0.01..0.999f64,
        ) {
            let root = DMat3::from_cols(a.into(), b.into(), c.into());
            let k = root * root.transpose() + DMat3::from_diagonal(DVec3::splat(1e-3));
            // A part of the friction that would hold the contact.
            let (qx, qy) = holding_friction(&scaled(k, 1.0));
            let mu = part * qx.hypot(qy);
            let problem = scaled(k, mu);
            let (cx, cy, growth) = diverging_ray(&problem);
            let (mx, my) = problem.tangential(cx, cy);
            let (ax, ay) = (problem.kx - mu * mx, problem.ky - mu * my);
            prop_assert!(growth > 0.0);
            prop_assert!((ax - growth * cx).hypot(ay - growth * cy) < 1e-13);
            prop_assert!(problem.kz - mu * (problem.kx * cx + problem.ky * cy) > 0.0);
        }
    }
}
