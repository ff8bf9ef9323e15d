//! Impacts with closed-form solutions.

use dolmen::impact::frictional::DEFAULT_TOLERANCE;
use dolmen::impact::frictional::{Ending, Impact, InvalidImpact, Outcome, solve};
use dolmen::math::{DMat3, DVec3};

fn solved(k: DMat3, velocity: DVec3, friction: f64, restitution: f64) -> Outcome {
    solve(&Impact { k, velocity, friction, restitution }, DEFAULT_TOLERANCE).unwrap()
}

fn ball(mass: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0) / mass)
}

/// A thin rod of 1 kg on its end, `angle` from the ground, in the plane x z; along y it has the
/// response of a lying rod.
fn rod(degrees: f64) -> DMat3 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let coupling = -3.0 * sin * cos;
    DMat3::from_cols_array(&[1.0 + 3.0 * sin * sin, 0.0, coupling, 0.0, 4.0, 0.0, coupling, 0.0, 1.0 + 3.0 * cos * cos])
}

#[track_caller]
fn close(found: DVec3, expected: DVec3, tolerance: f64) {
    assert!((found - expected).length() <= tolerance * (1.0 + expected.length()), "{found} is not {expected}");
}

#[test]
fn a_ball_slides_throughout_below_its_critical_friction_and_sticks_above() {
    for mass in [1e-3, 1.0, 40.0] {
        let velocity = DVec3::new(0.6, -0.8, -1.0);
        let critical = 2.0 / 7.0 / 1.5;
        let slid = solved(ball(mass), velocity, 0.1, 0.5);
        close(slid.velocity, DVec3::new(0.6 * 0.475, -0.8 * 0.475, 0.5), 1e-14);
        close(slid.impulse / mass, DVec3::new(-0.6 * 0.15, 0.8 * 0.15, 1.5), 1e-14);
        assert_eq!(slid.ended_by, Ending::Sliding);
        assert_eq!(solved(ball(mass), velocity, critical * 0.999, 0.5).ended_by, Ending::Sliding);
        for friction in [critical * 1.001, 0.5, 30.0] {
            let held = solved(ball(mass), velocity, friction, 0.5);
            assert_eq!((held.ended_by, held.velocity.truncate().length()), (Ending::StableSticking, 0.0));
            assert!((held.velocity.z - 0.5).abs() < 1e-15);
            close(held.impulse / mass, DVec3::new(-0.6 * 2.0 / 7.0, 0.8 * 2.0 / 7.0, 1.5), 1e-14);
            let lost = mass * (1.0 / 7.0 + 0.5 * (1.0 - 0.25));
            assert!((held.energy_change + lost).abs() < 1e-14 * lost);
        }
    }
}

#[test]
fn a_ball_with_backspin_comes_back_if_it_spins_fast_enough() {
    // Radius 1, sliding velocity v - w at the lowest point; sticking conserves (5 v + 2 w) / 7.
    for (spin, returns) in [(-2.4, false), (-2.6, true)] {
        let (v, w) = (1.0, spin);
        let outcome = solved(ball(1.0), DVec3::new(v - w, 0.0, -1.0), 5.0, 0.0);
        let after = v + outcome.impulse.x;
        assert!((after - (5.0 * v + 2.0 * w) / 7.0).abs() < 1e-14);
        assert_eq!(after < 0.0, returns);
    }
}

#[test]
fn sliding_keeps_its_direction_where_nothing_couples_and_all_tangents_answer_alike() {
    let outcome = solved(DMat3::from_diagonal(DVec3::new(2.0, 2.0, 5.0)), DVec3::new(3.0, 4.0, -1.0), 0.3, 0.7);
    assert!((outcome.velocity.x * 4.0 - outcome.velocity.y * 3.0).abs() < 1e-14);
    assert!((outcome.impulse.truncate().length() - 0.3 * outcome.impulse.z).abs() < 1e-15);
}

#[test]
fn a_rod_at_45_degrees_sticks_from_friction_three_fifths() {
    let fall = DVec3::new(0.0, 0.0, -1.0);
    for e in [0.0, 0.5, 1.0] {
        for friction in [0.6, 0.7, 5.0] {
            let held = solved(rod(45.0), fall, friction, e);
            close(held.velocity, DVec3::new(0.0, 0.0, e), 1e-14);
            close(held.impulse, DVec3::new(0.375, 0.0, 0.625) * (1.0 + e), 1e-14);
            assert_eq!(held.ended_by, Ending::StableSticking);
        }
        for friction in [0.0, 0.3, 0.59] {
            let slid = solved(rod(45.0), fall, friction, e);
            let normal = (1.0 + e) / (2.5 - 1.5 * friction);
            close(slid.impulse, DVec3::new(friction * normal, 0.0, normal), 1e-14);
            close(slid.velocity, DVec3::new((2.5 * friction - 1.5) * normal, 0.0, e), 1e-14);
        }
    }
    let ending = |friction| solved(rod(45.0), fall, friction, 0.5).ended_by;
    assert_eq!((ending(0.0), ending(0.3)), (Ending::Sliding, Ending::UnstableSticking));
}

#[test]
fn a_rod_that_jams_is_pressed_to_a_stop_and_thrown_up() {
    // Painleve: friction 1.5 is above (1 + 3 cos^2) / (3 sin cos) = 1.347 for 60 degrees.
    let jammed = solved(rod(60.0), DVec3::new(-1.0, 0.0, -0.01), 1.5, 0.5);
    close(jammed.velocity, DVec3::new(0.0, 0.0, 0.0870170336), 1e-9);
    close(jammed.impulse, DVec3::new(0.4690072059, 0.0, 0.4035858663), 1e-9);
    let free = solved(rod(60.0), DVec3::new(-1.0, 0.0, -0.01), 1.2, 0.5);
    close(free.velocity, DVec3::new(-0.795900830, 0.0, 0.005), 1e-9);
    assert_eq!((jammed.ended_by, free.ended_by), (Ending::StableSticking, Ending::Sliding));
}

#[test]
fn without_friction_the_impact_is_newtons() {
    let k = DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]);
    let velocity = DVec3::new(0.7, -2.0, -1.3);
    let outcome = solved(k, velocity, 0.0, 0.8);
    let normal = 1.8 * 1.3 / 4.0;
    close(outcome.impulse, DVec3::new(0.0, 0.0, normal), 1e-15);
    close(outcome.velocity, velocity + k.z_axis * normal, 1e-15);
    assert_eq!(outcome.ended_by, Ending::Sliding);
}

#[test]
fn stronges_law_is_newtons_where_the_slip_does_not_change_and_another_where_it_does() {
    let k = DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]);
    let ratio = |velocity: DVec3, friction| solved(k, velocity, friction, 0.8).velocity.z / -velocity.z;
    // Uncoupled; starting without slip; sliding on and on the diverging ray.
    assert!((solved(ball(1.0), DVec3::new(1.0, 0.2, -1.0), 0.2, 0.8).velocity.z - 0.8).abs() < 1e-14);
    assert!((ratio(DVec3::new(0.0, 0.0, -1.0), 0.1) - 0.8).abs() < 1e-14);
    assert!((ratio(DVec3::new(0.0, 0.0, -1.0), 2.0) - 0.8).abs() < 1e-14);
    // Slip that stops during the impact.
    assert!((ratio(DVec3::new(0.3, 0.0, -1.0), 0.9) - 0.8).abs() > 1e-3);
}

#[test]
fn a_contact_that_sticks_answers_with_the_schur_complement() {
    let k = DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]);
    let outcome = solved(k, DVec3::new(0.0, 0.0, -1.0), 1.0, 0.5);
    let inverse = k.inverse();
    close(outcome.impulse, inverse * DVec3::new(0.0, 0.0, 1.5), 1e-14);
    assert_eq!(outcome.velocity, DVec3::new(0.0, 0.0, 0.5));
}

#[test]
fn enormous_friction_stops_sliding_at_once() {
    let k = DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]);
    let velocity = DVec3::new(0.5, -0.3, -1.0);
    // The approach when u_t is zero: u_z - k.M^-1 u_t.
    let det = 3.0 * 2.0 - 0.4 * 0.4;
    let (x, y) = ((2.0 * velocity.x - 0.4 * velocity.y) / det, (3.0 * velocity.y - 0.4 * velocity.x) / det);
    let approach = velocity.z - (-1.1 * x + 0.6 * y);
    assert!(approach < 0.0);
    for (friction, bar) in [(1e5, 1e-4), (1e9, 1e-8), (1e15, 1e-12)] {
        let outcome = solved(k, velocity, friction, 0.5);
        close(outcome.velocity, DVec3::new(0.0, 0.0, -0.5 * approach), bar);
    }
}

#[test]
fn a_plastic_impact_ends_with_no_normal_velocity_and_an_elastic_one_gives_all_work_back() {
    let k = DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]);
    for friction in [0.0, 0.2, 0.9] {
        for slide in [0.0, 1e-6, 0.3, 40.0] {
            let velocity = DVec3::new(slide, -0.4 * slide, -1.0);
            let plastic = solved(k, velocity, friction, 0.0);
            assert_eq!((plastic.velocity.z, plastic.restitution_work), (0.0, 0.0));
            let elastic = solved(k, velocity, friction, 1.0);
            let returned = elastic.restitution_work / -elastic.compression_work;
            assert!((returned - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_body_that_only_moves_up_and_down_slides_on_unhindered() {
    // Locked axes: no tangential response, or one along one tangent only.
    let velocity = DVec3::new(0.3, 0.4, -1.0);
    let rigid = solved(DMat3::from_diagonal(DVec3::new(0.0, 0.0, 2.0)), velocity, 0.5, 0.5);
    close(rigid.velocity, DVec3::new(0.3, 0.4, 0.5), 1e-15);
    let stop = solved(DMat3::from_diagonal(DVec3::new(0.0, 0.0, 2.0)), DVec3::new(0.0, 0.0, -1.0), 0.5, 0.5);
    assert_eq!((stop.velocity.z, stop.ended_by), (0.5, Ending::StableSticking));
    let rail = DMat3::from_cols_array(&[1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 2.0]);
    for friction in [0.1, 0.9] {
        let outcome = solved(rail, velocity, friction, 0.5);
        assert!((outcome.velocity.y - 0.4).abs() < 1e-12 && outcome.energy_change < 0.0 && outcome.velocity.z > 0.0);
    }
}

#[test]
fn what_is_no_impact_is_an_error() {
    let good = Impact { k: ball(1.0), velocity: DVec3::new(1.0, 0.0, -1.0), friction: 0.5, restitution: 0.5 };
    let with = |change: fn(&mut Impact)| {
        let mut impact = good;
        change(&mut impact);
        solve(&impact, DEFAULT_TOLERANCE).unwrap_err()
    };
    assert_eq!(with(|i| i.velocity.z = 0.0), InvalidImpact::NotApproaching);
    assert_eq!(with(|i| i.velocity.z = 1.0), InvalidImpact::NotApproaching);
    assert_eq!(with(|i| i.velocity.z = -1e-310), InvalidImpact::NotApproaching);
    assert_eq!(with(|i| i.velocity.y = f64::INFINITY), InvalidImpact::NotFinite);
    assert_eq!(with(|i| i.k.y_axis.z = f64::NAN), InvalidImpact::NotFinite);
    assert_eq!(with(|i| i.friction = f64::NAN), InvalidImpact::NotFinite);
    assert_eq!(with(|i| i.friction = -1e-9), InvalidImpact::NegativeFriction);
    assert_eq!(with(|i| i.restitution = 1.0 + 1e-9), InvalidImpact::RestitutionOutOfRange);
    assert_eq!(with(|i| i.k = DMat3::ZERO), InvalidImpact::NotACollisionMatrix);
    assert_eq!(with(|i| i.k.x_axis.x = -1.0), InvalidImpact::NotACollisionMatrix);
    assert_eq!(with(|i| i.k.x_axis.z = 10.0), InvalidImpact::NotACollisionMatrix);
    assert_eq!(with(|i| (i.k, i.velocity) = (ball(1e300), i.velocity * 1e300)), InvalidImpact::NotFinite);
}

#[test]
fn any_tolerance_is_brought_into_its_range() {
    let impact = Impact {
        k: DMat3::from_cols_array(&[3.0, 0.4, -1.1, 0.4, 2.0, 0.6, -1.1, 0.6, 4.0]),
        velocity: DVec3::new(0.5, -0.3, -1.0),
        friction: 0.3,
        restitution: 0.5,
    };
    let at = |tolerance| solve(&impact, tolerance).unwrap();
    assert_eq!(at(f64::NAN), at(DEFAULT_TOLERANCE));
    assert_eq!(at(0.0), at(-1.0));
    assert_eq!(at(f64::INFINITY), at(1e-5));
    assert!((at(f64::INFINITY).impulse - at(0.0).impulse).length() < 0.02);
}
