//! A million random impacts, ordinary and extreme.

use crate::impacts::{Random, ordinary};
use dolmen::impact::frictional::DEFAULT_TOLERANCE;
use dolmen::impact::frictional::{Ending, Guard, Impact, Outcome, solve};
use dolmen::math::{DMat3, DVec3};

/// An extreme impact: the condition number of `K` up to `condition`, friction up to `friction`, the
/// ratio of the sliding to the approach speed from e^-12 to e^8, sizes over six decades.
fn wild(random: &mut Random, condition: f64, friction: f64) -> Impact {
    let axes = random.orientation();
    let range = condition.ln() * random.within(0.0, 1.0);
    let eigenvalues = DVec3::new(0.0, random.within(0.0, range), range);
    let size = 10f64.powf(random.within(-3.0, 3.0));
    let eigenvalues = DVec3::new(eigenvalues.x.exp(), eigenvalues.y.exp(), eigenvalues.z.exp()) * size;
    let k = axes * DMat3::from_diagonal(eigenvalues) * axes.transpose();
    let angle = random.within(0.0, std::f64::consts::TAU);
    let slide = random.within(-12.0, 8.0).exp();
    let approach = 10f64.powf(random.within(-2.0, 2.0));
    Impact {
        k,
        velocity: DVec3::new(slide * angle.cos(), slide * angle.sin(), -1.0) * approach,
        friction: friction * random.within(0.0, 1.0).powi(3),
        restitution: match random.bits() % 8 {
            0 => 0.0,
            1 => 1.0,
            _ => random.within(0.0, 1.0),
        },
    }
}

/// Asserts the invariants of every impact.
#[track_caller]
fn check(impact: &Impact, outcome: &Outcome) {
    let (p, u0) = (outcome.impulse, impact.velocity);
    assert!(p.is_finite() && outcome.velocity.is_finite(), "{impact:?} {outcome:?}");
    // Rounding of the three products in the energy change.
    let k = (impact.k + impact.k.transpose()) * 0.5;
    let trace = k.x_axis.x + k.y_axis.y + k.z_axis.z;
    let noise = 16.0 * f64::EPSILON * (p.length() * u0.length() + trace * p.length_squared());
    let change = p.dot(u0) + 0.5 * p.dot(k * p);
    assert!(change <= noise, "energy rises by {change:e}: {impact:?} {outcome:?}");
    let cone = impact.friction * p.z;
    assert!(p.z > 0.0 && p.truncate().length() <= cone * (1.0 + 4.0 * f64::EPSILON), "{impact:?} {outcome:?}");
    assert!(outcome.velocity.z >= -1e-12 * u0.length(), "{impact:?} {outcome:?}");
    assert!(outcome.compression_work <= 0.0 && outcome.restitution_work >= 0.0, "{impact:?} {outcome:?}");
    assert!(outcome.phases >= 1 && outcome.steps < 1000, "{impact:?} {outcome:?}");
    if outcome.ended_by == Ending::StableSticking && outcome.guard == Guard::Kept {
        assert_eq!(outcome.velocity.truncate(), DVec3::ZERO.truncate());
    }
}

#[test]
fn six_hundred_thousand_wild_impacts_lose_energy_inside_the_cone_and_end() {
    let mut random = Random(2011);
    for i in 0..600_000 {
        let impact = wild(&mut random, [1e1, 1e3, 1e6][i % 3], 10.0);
        let outcome = solve(&impact, DEFAULT_TOLERANCE).unwrap();
        check(&impact, &outcome);
        // No impact is solved twice, and scaling only removes rounding.
        assert!(matches!(outcome.guard, Guard::Kept | Guard::Shrunk(0.99999..)), "{impact:?} {outcome:?}");
    }
}

#[test]
fn four_hundred_thousand_ordinary_impacts_never_need_the_guard() {
    let mut random = Random(1996);
    let mut longest = 0;
    for _ in 0..400_000 {
        let impact = ordinary(&mut random);
        let outcome = solve(&impact, DEFAULT_TOLERANCE).unwrap();
        check(&impact, &outcome);
        assert!(outcome.guard == Guard::Kept, "{impact:?} {outcome:?}");
        longest = longest.max(outcome.steps);
    }
    assert!(longest < 100, "{longest}");
}

#[test]
fn matrices_that_rounding_has_made_meaningless_end_too() {
    let mut random = Random(3);
    let mut redone = 0;
    for i in 0..60_000 {
        let impact = wild(&mut random, [1e8, 1e10, 1e14][i % 3], 1e3);
        // The matrix may come out indefinite, which is an error, or nearly so.
        let Ok(outcome) = solve(&impact, DEFAULT_TOLERANCE) else { continue };
        let (p, u0) = (outcome.impulse, impact.velocity);
        assert!(p.is_finite() && outcome.velocity.is_finite());
        assert!(p.truncate().length() <= impact.friction * p.z * (1.0 + 1e-15));
        let k = (impact.k + impact.k.transpose()) * 0.5;
        let trace = k.x_axis.x + k.y_axis.y + k.z_axis.z;
        let noise = 16.0 * f64::EPSILON * (p.length() * u0.length() + trace * p.length_squared());
        assert!(p.dot(u0) + 0.5 * p.dot(k * p) <= noise, "{impact:?} {outcome:?}");
        redone += u32::from(outcome.guard == Guard::Redone);
    }
    assert!(redone > 100, "the guard's rule has to run here: {redone}");
}
