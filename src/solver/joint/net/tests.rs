//! Nets by themselves.

use super::*;
use crate::math::{Mat3, Quat};
use crate::solver::body::{Line, Start, open};
use crate::solver::joint::Coordinate;
use crate::solver::kernels::{begin_substep, drift_turning};
use crate::solver::lanes::Portable;
use crate::solver::layout::Scheduler;
use crate::tolerances::JOINT_SLACK;

const H: Real = 1.0 / 960.0;
const BODIES: usize = 13;

/// Bodies that tumble, one that is fixed, one that is driven and one that keeps to a line.
fn bodies() -> Vec<SolverBody> {
    let mut all = vec![SolverBody::FIXED];
    for k in 1..BODIES {
        let x = k as Real;
        let body = SolverBody {
            position: Vec3::new(x, 0.3 * (x * 1.7).sin(), 0.2 * (x * 2.3).cos()),
            orientation: Quat::IDENTITY,
            linear_velocity: Vec3::new((x * 3.1).sin(), (x * 0.7).cos(), (x * 1.9).sin()),
            angular_velocity: Vec3::new((x * 0.3).cos(), (x * 2.9).sin(), (x * 1.3).cos()) * 2.0,
            inverse_mass: 1.0 / (1.0 + 0.2 * x),
            inverse_inertia: [6.0 + 0.1 * x, 9.0, 4.0, 0.3, -0.2, 0.1],
            radius: 0.5,
            ..SolverBody::FIXED
        };
        all.push(match k {
            5 => SolverBody { inverse_mass: 0.0, inverse_inertia: [0.0; 6], ..body },
            9 => SolverBody { locked: [false, true, true], inverse_inertia: [0.0; 6], ..body },
            _ => body,
        });
    }
    all
}

/// A pin between every body and the next but one, and the next, so that there are loops.
fn joints(bodies: &[SolverBody], first: usize) -> (Vec<SolverJoint>, Vec<JointRow>) {
    let (mut joints, mut rows) = (Vec::new(), Vec::new());
    for a in first..BODIES {
        for b in [a + 1, a + 2].into_iter().filter(|&b| b < BODIES) {
            let middle = (bodies[a].position + bodies[b].position) * 0.5;
            let levers = [middle - bodies[a].position, middle - bodies[b].position];
            let start = rows.len() as u32;
            rows.extend((0..3).map(|k| JointRow::lock(Coordinate::Point(k), 0.0)));
            joints.push(SolverJoint {
                a: a as u32,
                b: b as u32,
                island: 0,
                rows: [start, start + 3],
                levers,
                gap: Vec3::ZERO,
                frames: [Mat3::IDENTITY; 2],
                load: JointLoad::default(),
            });
        }
    }
    (joints, rows)
}

/// The net of these joints, and the lines and starts of the bodies.
fn lay_out(bodies: &[SolverBody], joints: &[SolverJoint]) -> (Net, Vec<Line>, Vec<Start>) {
    let (mut net, mut scheduler) = (Net::default(), Scheduler::default());
    scheduler.begin();
    for (here, joint) in joints.iter().enumerate() {
        net.add(here as u32);
        let ends = [joint.a, joint.b];
        scheduler.add(here as u32, ends, ends.map(|body| bodies[body as usize].movable()), 1);
    }
    scheduler.place(bodies.len(), &mut net.lanes, &mut net.sides);
    let (lines, starts) = bodies.iter().map(|body| open(body, H)).unzip();
    (net, lines, starts)
}

/// Runs substeps; returns how fast anchors parted before the last sweep.
fn run(path: Path, bodies: &[SolverBody], first: usize, substeps: usize) -> (Vec<Line>, Vec<JointOutcome>, Real) {
    let (joints, rows) = joints(bodies, first);
    let (mut net, mut lines, mut starts) = lay_out(bodies, &joints);
    let mut parted = 0.0;
    for substep in 0..substeps {
        if substep > 0 {
            begin_substep::<Portable, true>(&mut lines, &mut starts);
        }
        let at = lines.as_mut_ptr().cast();
        // SAFETY: one thread, and every line is there.
        unsafe {
            if substep == 0 {
                net.open(path, (&joints, &rows), bodies, at, H);
            } else {
                net.turn(path, at, H);
            }
            net.solve(path, at);
        }
        drift_turning::<Portable>(&mut lines, H);
        // SAFETY: as above.
        parted = unsafe { net.relax(path, lines.as_mut_ptr().cast()) };
    }
    let outcomes = net.outcomes(&joints, substeps as Real * H, H).map(|(_, _, outcome)| outcome).collect();
    (lines, outcomes, parted)
}

#[test]
fn sweeps_have_the_same_bits_on_every_path() {
    let bodies = bodies();
    let runs: Vec<_> = Path::available()
        .iter()
        .map(|&path| {
            let (lines, outcomes, _) = run(path, &bodies, 0, 12);
            let motion: Vec<_> =
                lines.iter().flat_map(|line| line.velocity.0.into_iter().chain(line.moved.0)).collect();
            let forces: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.force.to_array()).collect();
            [motion, forces].concat().into_iter().map(Real::to_bits).collect::<Vec<_>>()
        })
        .collect();
    assert!(runs.iter().all(|run| *run == runs[0]));
}

#[test]
fn pins_come_to_agree_and_what_holds_them_is_balanced() {
    // Without the fixed body, and without those that somebody drives.
    let mut bodies = bodies();
    (bodies[5], bodies[9]) = (bodies[4], bodies[8]);
    bodies[5].position.x = 5.0;
    bodies[9].position.x = 9.0;
    let momentum = |motion: &dyn Fn(usize) -> (Vec3, Vec3)| {
        (1..BODIES).fold([Vec3::ZERO; 2], |[p, l], k| {
            let body = &bodies[k];
            let (v, w) = motion(k);
            let [xx, yy, zz, xy, xz, yz] = body.inverse_inertia;
            let inverse = Mat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
            let straight = v / body.inverse_mass;
            [p + straight, l + body.position.cross(straight) + inverse.inverse() * w]
        })
    };
    let before = momentum(&|k| (bodies[k].linear_velocity, bodies[k].angular_velocity));
    let (lines, _, first) = run(Path::best(), &bodies, 1, 1);
    let after = momentum(&|k| {
        let v = &lines[k].velocity.0;
        (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[4], v[5], v[6]))
    });
    for (before, after) in before.into_iter().zip(after) {
        assert!((after - before).length() < 2e4 * Real::EPSILON, "{before} {after}");
    }
    let (_, _, later) = run(Path::best(), &bodies, 1, 64);
    println!("anchors part by {first:e} m/s after one substep, {later:e} after 64");
    assert!(first > 0.1 && later < 0.1 * first, "{first} {later}");
}

#[test]
fn a_pin_by_itself_is_solved_by_one_sweep() {
    let bodies = bodies();
    for (a, b) in [(1, 2), (0, 3), (4, 5), (9, 10), (0, 9)] {
        let (all, rows) = joints(&bodies, 0);
        let mut pin = all[0];
        (pin.a, pin.b) = (a, b);
        pin.levers = [Vec3::new(0.3, -0.1, 0.2), Vec3::new(-0.4, 0.2, 0.1)];
        let (mut net, mut lines, _) = lay_out(&bodies, &[pin]);
        let at = lines.as_mut_ptr().cast();
        // SAFETY: one thread, and every line is there.
        unsafe {
            net.open(Path::best(), (&[pin], &rows), &bodies, at, H);
            net.solve(Path::best(), at);
            net.relax(Path::best(), at);
        }
        let speed = |body: u32, lever: Vec3| {
            let v = &lines[body as usize].velocity.0;
            Vec3::new(v[0], v[1], v[2]) + Vec3::new(v[4], v[5], v[6]).cross(lever)
        };
        let parting = speed(b, pin.levers[1]) - speed(a, pin.levers[0]);
        // What keeps to a line cannot follow what is fixed across it.
        let open = if (a, b) == (0, 9) { Vec3::X } else { Vec3::ONE };
        // What is added to the diagonal leaves as much of it.
        assert!((parting * open).length() < 8.0 * JOINT_SLACK, "{a} {b}: {parting}");
    }
}
