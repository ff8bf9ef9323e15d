//! Invariants of every impact.

use crate::impacts::{Random, ordinary};
use dolmen::impact::collision_matrix::{BodyAtContact, collision_matrix, contact_frame, in_contact_frame};
use dolmen::impact::frictional::DEFAULT_TOLERANCE;
use dolmen::impact::frictional::{Impact, Outcome, solve};
use dolmen::math::{DMat3, DVec3};
use proptest::prelude::*;

fn solved(impact: &Impact) -> Outcome {
    solve(impact, DEFAULT_TOLERANCE).unwrap()
}

/// An ordinary impact from a seed.
fn any_impact() -> impl Strategy<Value = Impact> {
    any::<u64>().prop_map(|seed| ordinary(&mut Random(seed)))
}

/// Tolerance between two solutions of one impact: the error of each.
const AGREE: f64 = 1e-6;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10000))]

    #[test]
    fn the_impulse_scales_with_the_velocity(impact in any_impact(), log in -20.0..20.0f64) {
        let scale = log.exp();
        let one = solved(&impact);
        let scaled = solved(&Impact { velocity: impact.velocity * scale, ..impact });
        prop_assert!((scaled.impulse / scale - one.impulse).length() <= AGREE * one.impulse.length());
        let work = scaled.compression_work / (scale * scale) - one.compression_work;
        prop_assert!(work.abs() <= AGREE * one.impulse.length() * impact.velocity.length());
    }

    #[test]
    fn the_impulse_scales_with_the_masses(impact in any_impact(), log in -20.0..20.0f64) {
        let scale = log.exp();
        let one = solved(&impact);
        let scaled = solved(&Impact { k: impact.k * scale, ..impact });
        prop_assert!((scaled.impulse * scale - one.impulse).length() <= AGREE * one.impulse.length());
        prop_assert!((scaled.velocity - one.velocity).length() <= AGREE * impact.velocity.length() * 100.0);
    }

    #[test]
    fn powers_of_two_scale_every_bit(impact in any_impact(), u in -60i32..60, k in -60i32..60) {
        let (u, k) = (f64::powi(2.0, u), f64::powi(2.0, k));
        let one = solved(&impact);
        let scaled = solved(&Impact { velocity: impact.velocity * u, k: impact.k * k, ..impact });
        prop_assert_eq!(scaled.impulse, one.impulse * (u / k));
        prop_assert_eq!(scaled.velocity, one.velocity * u);
    }

    #[test]
    fn turning_the_tangents_turns_the_outcome(impact in any_impact(), angle in 0.0..7.0f64) {
        let turn = DMat3::from_rotation_z(angle);
        let turned =
            Impact { k: turn * impact.k * turn.transpose(), velocity: turn * impact.velocity, ..impact };
        let (one, other) = (solved(&impact), solved(&turned));
        prop_assert!((turn * one.impulse - other.impulse).length() <= AGREE * one.impulse.length());
    }

    #[test]
    fn a_mirror_mirrors_the_outcome(impact in any_impact()) {
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0));
        let mirrored = Impact { k: mirror * impact.k * mirror, velocity: mirror * impact.velocity, ..impact };
        prop_assert_eq!(solved(&mirrored).impulse, mirror * solved(&impact).impulse);
    }

    #[test]
    fn only_the_symmetric_part_of_the_matrix_counts(impact in any_impact(), skew in prop::array::uniform3(-1.0..1.0f64)) {
        let skew = DMat3::from_cols_array(
            &[0.0, skew[0], skew[1], -skew[0], 0.0, skew[2], -skew[1], -skew[2], 0.0],
        );
        let skewed = Impact { k: impact.k + skew, ..impact };
        let (one, other) = (solved(&impact), solved(&skewed));
        prop_assert!((one.impulse - other.impulse).length() <= AGREE * one.impulse.length());
    }

    #[test]
    fn it_does_not_matter_which_body_is_called_a(
        seed in any::<u64>(), friction in 0.0..1.5f64, restitution in 0.0..=1.0f64,
    ) {
        let mut random = Random(seed);
        let mut body_at_contact = || {
            let axes = random.orientation();
            BodyAtContact {
                inverse_mass: random.within(0.1, 3.0),
                inverse_inertia: axes
                    * DMat3::from_diagonal(random.vector().abs() * 5.0 + DVec3::splat(0.1))
                    * axes.transpose(),
                arm: random.vector(),
            }
        };
        let (a, b) = (body_at_contact(), body_at_contact());
        let normal = random.direction();
        let mut relative = random.vector() * 3.0;
        // Approaching along the normal.
        relative -= normal * (relative.dot(normal) + relative.dot(normal).abs() + 0.1);
        let impulse = |a: &BodyAtContact, b: &BodyAtContact, normal: DVec3, relative: DVec3| {
            let frame = contact_frame(normal);
            let k = in_contact_frame(collision_matrix(a, b), frame);
            frame * solved(&Impact { k, velocity: frame.transpose() * relative, friction, restitution }).impulse
        };
        let on_a = impulse(&a, &b, normal, relative);
        let on_b = impulse(&b, &a, -normal, -relative);
        prop_assert!((on_a + on_b).length() <= AGREE * on_a.length());
    }

    #[test]
    fn a_finer_tolerance_moves_the_impulse_by_no_more_than_the_coarser_ones_error(impact in any_impact()) {
        let fine = solve(&impact, 1e-13).unwrap();
        let mut last = f64::INFINITY;
        for tolerance in [1e-5, 1e-7, 1e-9, 1e-11] {
            let error = (solve(&impact, tolerance).unwrap().impulse - fine.impulse).length() / fine.impulse.length();
            prop_assert!(error <= 1e5 * tolerance, "{} at {}", error, tolerance);
            last = last.min(error);
        }
        prop_assert!(last <= 1e-8);
    }
}
