//! Iterative joints: grids with more loops than the direct solver accepts.

use crate::stage::*;
use dolmen::math::{DVec3, Real, to_f64};
use dolmen::prelude::*;
use hecs::Entity;

/// The joint between a ball and the next of its column (`Vec3::Y`, downwards) or of its row
/// (`Vec3::X`).
type MakeJoint = dyn Fn(usize, Entity, Entity, Vec3) -> Joint;

/// Balls of 0.8 m in the corners of squares of a metre, `held` of them in the middle of the first
/// row; joined to those below and beside.
fn grid(stage: &mut Bench, side: usize, held: usize, make: &MakeJoint) -> Vec<Entity> {
    let mut balls: Vec<Entity> = Vec::new();
    let mut joints = 0;
    let mut join = |stage: &mut Bench, a, b, way| {
        stage.join(make(joints, a, b, way));
        joints += 1;
    };
    let first = (side - held) / 2;
    for column in 0..side {
        for row in 0..side {
            let holds = row == 0 && (first..first + held).contains(&column);
            let place = Vec3::new(column as Real, (2 * side - row) as Real, 0.0);
            let body = if holds { Body::fixed(Collider::ball(0.4)) } else { Body::dynamic(Collider::ball(0.4)) };
            let here = stage.world.spawn(body.position(place));
            if row > 0 {
                join(stage, balls[balls.len() - 1], here, -Vec3::Y);
            }
            if column > 0 && !(holds && column > first) {
                join(stage, balls[balls.len() - side], here, Vec3::X);
            }
            balls.push(here);
        }
    }
    balls
}

/// With the anchors halfway between the bodies.
fn centred(joint: Joint, way: Vec3) -> Joint {
    joint.anchors(way * 0.5, way * -0.5)
}

fn hinge(a: Entity, b: Entity, way: Vec3, axis: Vec3) -> Joint {
    centred(Joint::revolute(a, b), way).axes(axis, axis)
}

fn rod(a: Entity, b: Entity, least: Real) -> Joint {
    Joint::distance(a, b, least, 1.0)
}

/// Kinetic and potential energy of balls, over the mass of one (J/kg).
fn energy(stage: &Bench, balls: &[Entity]) -> [f64; 2] {
    let of = |&ball: &Entity| {
        let (v, w) = (to_f64(stage.velocity(ball)), to_f64(stage.spin(ball)));
        let height = f64::from(stage.position(ball).y);
        [0.5 * v.length_squared() + 0.2 * 0.4 * 0.4 * w.length_squared(), f64::from(G) * height]
    };
    balls.iter().map(of).fold([0.0, 0.0], |[k, p], [a, b]| [k + a, p + b])
}

/// Largest joint errors: anchors (m), and axes (rad).
fn apart(stage: &Bench) -> [f64; 2] {
    let mut worst: [f64; 2] = [0.0; 2];
    for joint in stage.world.query::<&Joint>().iter() {
        let of = |side: usize| {
            let body = joint.bodies[side].expect("no joint is to the world");
            let (place, turn, frame) = (stage.position(body), stage.orientation(body), &joint.frames[side]);
            (to_f64(place) + to_f64(turn * frame.anchor), turn * frame.orientation)
        };
        let ((a, p), (b, q)) = (of(0), of(1));
        let axis = to_f64(p * Vec3::X);
        let relative = p.inverse() * q;
        let turned = 2.0 * to_f64(Vec3::new(relative.x, relative.y, relative.z)).length();
        let gap = b - a;
        let [off, lean] = match joint.kind {
            JointKind::Distance { least, greatest } => {
                let length = gap.length();
                [(length - f64::from(greatest)).max(f64::from(least) - length), 0.0]
            }
            JointKind::Prismatic(_) => [gap.reject_from(axis).length(), turned],
            JointKind::Fixed => [gap.length(), turned],
            JointKind::Revolute(_) => [gap.length(), axis.cross(to_f64(q * Vec3::X)).length()],
            _ => [gap.length(), 0.0],
        };
        assert!(off.is_finite() && lean.is_finite(), "a joint is nowhere");
        worst = [worst[0].max(off), worst[1].max(lean)];
    }
    worst
}

/// Result of a run.
#[derive(Debug)]
#[allow(dead_code)]
struct RunResult {
    /// Largest energy over that of the start, and kinetic energy at the end, per ball (J/kg).
    gained: f64,
    left: f64,
    /// Largest joint errors (m, rad).
    gap: f64,
    lean: f64,
}

fn run(stage: &mut Bench, balls: &[Entity], steps: usize) -> RunResult {
    let count = balls.len() as f64;
    let start: f64 = energy(stage, balls).iter().sum();
    let mut result = RunResult { gained: Real::NEG_INFINITY.into(), left: 0.0, gap: 0.0, lean: 0.0 };
    for _ in 0..steps {
        stage.step();
        let [kinetic, potential] = energy(stage, balls);
        let [gap, lean] = apart(stage);
        (result.gained, result.left) = (result.gained.max((kinetic + potential - start) / count), kinetic / count);
        (result.gap, result.lean) = (result.gap.max(gap), result.lean.max(lean));
    }
    result
}

/// Rounding changes the energy by a little (J/kg): a millimetre's fall is 0.01.
const ENERGY_ROUNDING: f64 = 1e-3;

/// Grids of 20 by 20 balls with such joints gain no energy, come to hang still, and hold.
fn hang_still(kinds: &[(&str, &MakeJoint)]) {
    for &(name, make) in kinds {
        let mut stage = Bench::game();
        let balls = grid(&mut stage, 20, 7, make);
        let result = run(&mut stage, &balls, 600);
        println!("{name}: {result:?}");
        assert!(result.gained < ENERGY_ROUNDING && result.left < 0.01, "{name}: {result:?}");
        assert!(result.gap < 0.01 && result.lean < 0.01, "{name}: {result:?}");
    }
}

#[test]
fn grids_of_hinges_and_welds_and_sliders_hang_still() {
    let kinds: [(&str, &MakeJoint); 5] = [
        ("hinges across the grid", &|_, a, b, way| hinge(a, b, way, Vec3::Z)),
        ("hinges along its rows and columns", &|_, a, b, way| hinge(a, b, way, way)),
        ("welds", &|_, a, b, way| centred(Joint::fixed(a, b), way)),
        ("sliders across the grid", &|_, a, b, way| centred(Joint::prismatic(a, b), way).axes(Vec3::Z, Vec3::Z)),
        ("all kinds", &|k, a, b, way| match k % 5 {
            0 => centred(Joint::spherical(a, b), way),
            1 => hinge(a, b, way, Vec3::Z),
            2 => centred(Joint::fixed(a, b), way),
            3 => rod(a, b, 1.0),
            _ => centred(Joint::prismatic(a, b), way).axes(way, way),
        }),
    ];
    hang_still(&kinds);
}

/// Rods and ropes leave a grid much freer than point constraints: its halves fall against each
/// other.
#[test]
fn grids_of_rods_and_ropes_come_down_and_stretch_by_less_than_a_centimetre() {
    for (name, least) in [("rods", 1.0), ("ropes", 0.0)] {
        let mut stage = Bench::game();
        let balls = grid(&mut stage, 20, 7, &move |_, a, b, _| rod(a, b, least));
        let result = run(&mut stage, &balls, 600);
        println!("{name}: {result:?}");
        assert!(result.gained < ENERGY_ROUNDING && result.left < 1.0, "{name}: {result:?}");
        assert!(result.gap < 0.01, "{name}: {result:?}");
    }
}

/// Near limits, motors and friction stay with the solver of joint groups, beside iterative joints.
#[test]
fn grids_with_limits_and_friction_gain_no_energy() {
    let kinds: [(&str, &MakeJoint); 4] = [
        ("limits that are far", &|_, a, b, way| hinge(a, b, way, Vec3::Z).limits(-1.0, 1.0)),
        ("limits that are near", &|_, a, b, way| hinge(a, b, way, way.cross(Vec3::Z)).limits(-0.02, 0.02)),
        ("some with friction", &|k, a, b, way| {
            let joint = hinge(a, b, way, Vec3::Z);
            if k % 10 == 3 { joint.friction(1000.0) } else { joint }
        }),
        ("balls with friction", &|_, a, b, way| centred(Joint::spherical(a, b), way).friction(10.0)),
    ];
    hang_still(&kinds);
}

#[test]
fn a_grid_that_flies_keeps_its_momentum() {
    let mut stage = Bench::game().weightless();
    let balls = grid(&mut stage, 16, 0, &|k, a, b, way| match k % 6 {
        0 => centred(Joint::spherical(a, b), way),
        1 => hinge(a, b, way, way.cross(Vec3::Z)),
        2 => centred(Joint::fixed(a, b), way),
        3 => rod(a, b, 1.0),
        4 => rod(a, b, 0.0),
        _ => centred(Joint::prismatic(a, b), way).axes(way, way),
    });
    for (k, &ball) in balls.iter().enumerate() {
        let x = k as Real;
        let v = Vec3::new((x * 3.1).sin(), (x * 0.7).cos(), (x * 1.9).sin() + 1.0);
        stage.world.insert_one(ball, LinearVelocity(v)).unwrap();
        stage.world.insert_one(ball, AngularVelocity(Vec3::new(0.0, (x * 1.3).cos(), 1.0))).unwrap();
        // Without collisions only joints act: the arms of impacts are those of a whole step.
        stage.world.insert_one(ball, CollisionLayers { layers: 1, mask: 0 }).unwrap();
    }
    let momentum = |stage: &Bench| {
        balls.iter().fold([DVec3::ZERO; 2], |[p, l], &ball| {
            let (x, v, w) = (to_f64(stage.position(ball)), to_f64(stage.velocity(ball)), to_f64(stage.spin(ball)));
            [p + v, l + x.cross(v) + 0.4 * 0.4 * 0.4 * w]
        })
    };
    let before = momentum(&stage);
    for _ in 0..60 {
        stage.step();
    }
    let after = momentum(&stage);
    println!("momentum {before:.6?}, then {after:.6?}");
    let [p, l] = [(after[0] - before[0]).length(), (after[1] - before[1]).length()];
    // Of 256 balls at 1 m/s. Angular impulses have the arms of a substep's start: the loss is of
    // the size of the motion, in sum a hundred thousandth.
    assert!(p < 256.0 * 1e3 * f64::from(Real::EPSILON) && l < 0.1, "{p} {l}");
}

#[test]
fn a_grid_has_the_same_bits_on_any_threads() {
    let bits = |threads: usize| {
        let mut stage = Bench::new(1.0 / 60.0, Accuracy::Game);
        stage.physics.settings.threads = Some(threads);
        // Large enough for shared sweeps.
        let balls = grid(&mut stage, 60, 5, &|k, a, b, way| match k % 3 {
            0 => hinge(a, b, way, Vec3::Z),
            1 => rod(a, b, 1.0),
            _ => centred(Joint::spherical(a, b), way),
        });
        (0..40).for_each(|_| stage.step());
        let of = |&ball: &Entity| stage.position(ball).to_array().into_iter().chain(stage.spin(ball).to_array());
        balls.iter().flat_map(of).map(Real::to_bits).collect::<Vec<_>>()
    };
    let alone = bits(1);
    for threads in [2, 3, 8] {
        assert!(bits(threads) == alone, "{threads} threads");
    }
}
