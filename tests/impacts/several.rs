//! Simultaneous impacts against known solutions.

use dolmen::impact::collision_matrix::BodyAtContact;
use dolmen::impact::simultaneous::{Block, BlockOutcome, newton, plastic, poisson};
use dolmen::math::{DMat3, DVec3};

/// A row of touching balls of 1 kg.
fn row(speeds: &[f64], restitution: f64, law: impl Fn(&Block) -> BlockOutcome) -> Vec<f64> {
    let n = speeds.len() - 1;
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        matrix[i * n + i] = 2.0;
        if i > 0 {
            matrix[i * n + i - 1] = -1.0;
            matrix[(i - 1) * n + i] = -1.0;
        }
    }
    let velocity: Vec<f64> = speeds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let block = Block { matrix: &matrix, velocity: &velocity, restitution: &vec![restitution; n] };
    let j = law(&block).impulses;
    let push = |i: usize| if i == 0 { 0.0 } else { j[i - 1] } - j.get(i).copied().unwrap_or(0.0);
    speeds.iter().enumerate().map(|(i, v)| v + push(i)).collect()
}

/// The difference between two lists of numbers, if larger than rounding.
fn difference(found: &[f64], expected: &[f64]) -> Option<String> {
    let worst = found.iter().zip(expected).map(|(f, e)| (f - e).abs()).fold(0.0, f64::max);
    (worst >= 1e-13).then(|| format!("{found:?} is not {expected:?}"))
}

#[test]
fn newtons_cradle_hit_simultaneously_moves_as_one_piece() {
    let law = |block: &Block| newton(block).unwrap();
    // Baber 2006, figure 16, and the same with five balls.
    assert_eq!(difference(&row(&[1.0, 0.0], 1.0, law), &[0.0, 1.0]), None);
    assert_eq!(difference(&row(&[1.0, 0.0, 0.0], 1.0, law), &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]), None);
    assert_eq!(difference(&row(&[1.0, 0.0, 0.0, 0.0, 0.0], 1.0, law), &[-0.6, 0.4, 0.4, 0.4, 0.4]), None);
    assert_eq!(difference(&row(&[1.0, 1.0, 0.0, 0.0, 0.0], 1.0, law), &[-0.2, -0.2, 0.8, 0.8, 0.8]), None);
    assert_eq!(difference(&row(&[1.0, 1.0, 1.0, 0.0, 0.0], 1.0, law), &[0.2, 0.2, 0.2, 1.2, 1.2]), None);
    assert_eq!(difference(&row(&[1.0, 1.0, 1.0, 1.0, 0.0], 1.0, law), &[0.6, 0.6, 0.6, 0.6, 1.6]), None);
}

#[test]
fn poissons_law_gives_the_cradle_the_same_answer() {
    let law = |block: &Block| poisson(block).unwrap();
    assert_eq!(difference(&row(&[1.0, 0.0, 0.0], 1.0, law), &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]), None);
    assert_eq!(difference(&row(&[1.0, 0.0, 0.0], 0.5, law), &[0.0, 0.5, 0.5]), None);
}

#[test]
fn a_plastic_row_sticks_together() {
    let law = |block: &Block| plastic(block).unwrap();
    assert_eq!(difference(&row(&[1.0, 0.0, 0.0, 0.0], 0.3, law), &[0.25; 4]), None);
}

/// The block of one body with several ground contacts, from its arms.
fn block_of(bodies: &[BodyAtContact]) -> Vec<f64> {
    let entry = |a: &BodyAtContact, b: &BodyAtContact| DVec3::Z.dot(a.response_to(b) * DVec3::Z);
    bodies.iter().flat_map(|a| bodies.iter().map(move |b| entry(a, b))).collect()
}

#[test]
fn a_stick_that_lands_flat_rises_without_spin() {
    // Baber 2006, appendix C, as a simultaneous impact: mass 1, half length 1, any inertia.
    for inertia in [0.1, 1.0 / 3.0, 0.9] {
        let end = |x: f64| BodyAtContact {
            inverse_mass: 1.0,
            inverse_inertia: DMat3::from_diagonal(DVec3::new(0.0, 1.0 / inertia, 0.0)),
            arm: DVec3::X * x,
        };
        let matrix = block_of(&[end(1.0), end(-1.0)]);
        for e in [0.0, 0.4, 1.0] {
            let block = Block { matrix: &matrix, velocity: &[-1.0, -1.0], restitution: &[e, e] };
            let after = newton(&block).unwrap();
            assert_eq!(difference(&after.velocities, &[e, e]), None);
            assert_eq!(difference(&after.impulses, &[0.5 * (1.0 + e), 0.5 * (1.0 + e)]), None);
        }
    }
}

#[test]
fn the_answer_does_not_depend_on_the_order_of_the_contacts() {
    let corner = |x: f64, y: f64| BodyAtContact {
        inverse_mass: 0.5,
        inverse_inertia: DMat3::from_diagonal(DVec3::new(1.3, 2.1, 1.0)),
        arm: DVec3::new(x, y, -0.5),
    };
    let bodies = [corner(1.0, 0.7), corner(1.0, -0.7), corner(-1.0, 0.7), corner(-1.0, -0.7)];
    let speeds = [-1.0, -0.2, -0.8, 0.0];
    let after = |order: [usize; 4]| {
        let matrix = block_of(&order.map(|i| bodies[i]));
        let velocity = order.map(|i| speeds[i]);
        let result = newton(&Block { matrix: &matrix, velocity: &velocity, restitution: &[0.6; 4] }).unwrap();
        let mut by_contact = [0.0; 4];
        for (at, i) in order.into_iter().enumerate() {
            by_contact[i] = result.velocities[at];
        }
        by_contact
    };
    let first = after([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        assert_eq!(difference(&after(order), &first), None);
    }
}
