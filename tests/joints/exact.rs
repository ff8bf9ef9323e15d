//! With `Accuracy::Exact`, joints beside contacts are rows of the direct solver.

use crate::sleep::damped_bridge;
use crate::stage::*;
use dolmen::math::{DVec3, Real, to_f64};
use dolmen::prelude::*;
use hecs::Entity;

/// Maximum joint error: in `f32`, the rounding of positions a few metres away.
const BAR: f64 = if F64 { 1e-9 } else { 1e-5 };

fn exact() -> Bench {
    Bench::new(1.0 / 60.0, Accuracy::Exact)
}

/// Steps; returns the largest joint error (m) and the number of steps in which the direct solver
/// solved all islands.
fn held(stage: &mut Bench, seconds: f64) -> (f64, usize) {
    let (mut worst, mut exact): (f64, usize) = (0.0, 0);
    for _ in 0..(seconds / f64::from(stage.dt)) as usize {
        stage.step();
        worst = worst.max(stage.worst_gap());
        let counts = &stage.physics.state().counts;
        exact += usize::from(counts.direct_islands == 1 && counts.substepped_islands == 0);
    }
    (worst, exact)
}

#[test]
fn a_chain_that_half_lies_on_a_floor_does_not_drift() {
    let mut stage = exact();
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).at(0.0, -1.0, 0.0));
    let mut last: Option<Entity> = None;
    for k in 0..12 {
        // Some hang, the others lie on the floor already.
        let (from, way) = if k < 4 {
            (Vec3::new(0.0, -0.2 * k as Real, 0.0), Vec3::NEG_Y)
        } else {
            (Vec3::new(0.2 * (k - 4) as Real, -0.8, 0.0), Vec3::new(0.9, -0.43, 0.0).normalize())
        };
        let turned = Quat::from_rotation_arc(Vec3::Y, -way);
        let link = Body::dynamic(Collider::capsule(0.06, 0.04)).density(1000.0).damping(2.0, 2.0);
        let link = stage.world.spawn(link.position(from + way * 0.1).orientation(turned));
        let half = Vec3::Y * 0.1;
        let (to, anchor) = if last.is_some() { (-half, half) } else { (Vec3::ZERO, half) };
        stage.join(Joint::spherical(last, link).anchors(to, anchor));
        last = Some(link);
    }
    let (settling, some) = held(&mut stage, 5.0);
    let (worst, all) = held(&mut stage, 3.0);
    println!("chain on a floor: {settling:e} apart while it swings, {worst:e} then; {some} and {all} steps exact");
    assert!(worst < BAR && settling < 10.0 * BAR, "{settling} {worst}");
    assert!(all > 60, "{all}");
}

#[test]
fn a_ball_on_a_string_leans_on_a_wall_by_the_forces_of_the_closed_form() {
    let (radius, high, mass): (f64, f64, f64) = (0.25, 1.0, 2.0);
    let mut stage = exact();
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::X)).material(Material::new(0.8, 0.0)));
    // The string ends half-way up the ball, above its centre: the wall has to prevent its rotation.
    let ball = Body::dynamic(Collider::ball(radius as Real)).mass(mass as Real).material(Material::new(0.8, 0.0));
    let ball = stage.world.spawn(ball.at(radius as Real, 0.0, 0.0));
    let (top, end) = (Vec3::new(0.0, high as Real, 0.0), Vec3::new(0.0, 0.5 * radius as Real, 0.0));
    let length = DVec3::new(-radius, high - 0.5 * radius, 0.0).length();
    let string = stage.join(Joint::distance(None, ball, length as Real, length as Real).anchors(top, end));
    let (_, all) = held(&mut stage, 2.0);
    let end_arm = to_f64(stage.orientation(ball) * end);
    let way = to_f64(top) - (to_f64(stage.position(ball)) + end_arm);
    let (apart, along) = ((way.length() - length).abs(), way.normalize());
    // String and wall friction exert opposite torques about the centre, and carry the weight
    // together.
    let arms = end_arm.cross(along).z + radius * along.y;
    let tension = radius * mass * f64::from(G) / arms;
    let pull = to_f64(stage.state(string).force);
    let error = (pull - along * tension).length() / tension;
    println!("on a wall: force off by {error:e}, {apart:e} apart, {all} steps exact");
    // A new contact carries a load after a step or two.
    assert!(all >= 115 && apart < BAR, "{all} {apart}");
    assert!(error < if F64 { 1e-8 } else { 1e-5 }, "{pull} {tension}");
    assert!(to_f64(stage.velocity(ball)).length() < 1e-6);
}

#[test]
fn a_loaded_bridge_does_not_drift() {
    let mut stage = exact();
    damped_bridge(&mut stage, 8);
    // It swings for some seconds, with air resistance.
    let (falling, some) = held(&mut stage, 6.5);
    let (worst, all) = held(&mut stage, 3.0);
    println!("bridge: {falling:e} apart while it swings, {worst:e} then; {some} and {all} steps exact");
    assert!(falling.max(worst) < BAR, "{falling} {worst}");
    assert!(all > 100, "{all}");
}

#[test]
fn joints_with_motors_or_near_their_limits_stay_with_their_own_solver() {
    let axis = JointAxis::default();
    let motor = JointAxis { motor: Some(Motor::velocity(0.0, 1.0)), ..axis };
    let near = JointAxis { limits: Some([-0.005, 0.5]), ..axis };
    let far = JointAxis { limits: Some([-0.5, 0.5]), ..axis };
    for (axis, is_exact) in [(axis, true), (motor, false), (near, false), (far, true)] {
        let mut stage = exact();
        stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let body = stage.world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 0.5, 0.0));
        let hinge = Joint::new(None, body, JointKind::Revolute(axis)).anchors(Vec3::new(2.0, 0.5, 0.0), Vec3::X * 2.0);
        stage.join(hinge.axes(Vec3::Z, Vec3::Z));
        let (worst, exact) = held(&mut stage, 0.5);
        assert_eq!((exact >= 25, exact == 0), (is_exact, !is_exact), "{axis:?}");
        assert!(worst < BAR, "{worst}");
    }
}
