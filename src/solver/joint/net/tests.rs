//! Nets by themselves.

use super::*;
use crate::math::{Mat3, Quat, Vec3};
use crate::parallel::Helpers;
use crate::solver::body::{Start, open};
use crate::solver::joint::{Coordinate, JointLoad, Law};
use crate::solver::kernels::{begin_substep, drift_turning};
use crate::solver::lanes::Path;
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

/// How joints are made: from their places, and how far apart their anchors are.
type Kinds = dyn Fn(usize, Real) -> Vec<JointRow>;

fn lock(coordinates: &[Coordinate]) -> Vec<JointRow> {
    coordinates.iter().map(|&coordinate| JointRow::lock(coordinate, 0.0)).collect()
}

fn pin(_: usize, _: Real) -> Vec<JointRow> {
    lock(&[0, 1, 2].map(Coordinate::Point))
}

/// One of every kind in turn.
fn any(number: usize, apart: Real) -> Vec<JointRow> {
    let points = [0, 1, 2].map(Coordinate::Point);
    let welds = [0, 1, 2].map(Coordinate::Weld);
    let hinge = |free, others: [u8; 2]| others.map(|k| Coordinate::Align { free, k });
    match number % KINDS {
        0 => pin(number, apart),
        1 => lock(&[&points[..], &hinge(0, [1, 2])].concat()),
        2 => lock(&[points, welds].concat()),
        3 => lock(&[&[1, 2].map(Coordinate::Along)[..], &welds].concat()),
        4 => vec![JointRow::lock(Coordinate::Distance, apart)],
        5 => {
            let row = JointRow::lock(Coordinate::Distance, 0.0);
            vec![JointRow { law: Law::Range, target_high: 0.9 * apart, ..row }]
        }
        6 => lock(&[Coordinate::Along(1)]),
        7 => lock(&[&points[..], &hinge(1, [0, 2])].concat()),
        _ => lock(&[&[0, 1].map(Coordinate::Along)[..], &hinge(2, [0, 1])].concat()),
    }
}

const KINDS: usize = 9;

/// A joint with these rows between two bodies, its anchors halfway if it keeps them together.
fn joint(
    bodies: &[SolverBody],
    [a, b]: [usize; 2],
    number: usize,
    kinds: &Kinds,
    rows: &mut Vec<JointRow>,
) -> SolverJoint {
    let way = bodies[b].position - bodies[a].position;
    let own = kinds(number, 0.5 * way.length());
    let share = if own[0].coordinate == Coordinate::Distance { 0.25 } else { 0.5 };
    let start = rows.len() as u32;
    rows.extend(own);
    SolverJoint {
        a: a as u32,
        b: b as u32,
        island: 0,
        rows: [start, rows.len() as u32],
        levers: [way * share, way * -share],
        gap: way * (1.0 - 2.0 * share),
        span: 0.0,
        frames: [Mat3::from_quat(Quat::from_rotation_x(0.4) * Quat::from_rotation_y(number as Real)); 2],
        load: JointLoad::default(),
    }
}

/// A joint between every body and the next but one, and the next, so that there are loops.
fn joints(bodies: &[SolverBody], first: usize, kinds: &Kinds) -> (Vec<SolverJoint>, Vec<JointRow>) {
    let (mut joints, mut rows) = (Vec::new(), Vec::new());
    for a in first..BODIES {
        for b in [a + 1, a + 2].into_iter().filter(|&b| b < BODIES) {
            let made = joint(bodies, [a, b], joints.len(), kinds, &mut rows);
            joints.push(made);
        }
    }
    (joints, rows)
}

/// The net of these joints, and the lines and starts of the bodies.
fn lay_out(bodies: &[SolverBody], (joints, rows): (&[SolverJoint], &[JointRow])) -> (Net, Vec<Line>, Vec<Start>) {
    let mut net = Net::default();
    for (here, joint) in joints.iter().enumerate() {
        let kinds: Vec<_> = rows[joint.row_range()].iter().map(|row| (row.coordinate, row.law)).collect();
        net.add(here as u32, Form::of(&kinds).expect("nets have a form for it"));
    }
    let movable: Vec<bool> = bodies.iter().map(SolverBody::movable).collect();
    net.place(joints, &movable, &mut Scheduler::default(), |body| body, (bodies.len(), false));
    let (lines, starts) = bodies.iter().map(|body| open(body, H)).unzip();
    (net, lines, starts)
}

/// Runs substeps; returns how fast anchors parted before the last sweep.
fn run(
    path: Path,
    bodies: &[SolverBody],
    (first, kinds): (usize, &Kinds),
    substeps: usize,
) -> (Vec<Line>, Vec<JointOutcome>, Real) {
    let (joints, rows) = joints(bodies, first, kinds);
    let (mut net, mut lines, mut starts) = lay_out(bodies, (&joints, &rows));
    let (mut parted, alone) = (0.0, Helpers::default());
    let crew = (path, &alone);
    for substep in 0..substeps {
        if substep > 0 {
            begin_substep::<true>(path, &mut lines, &mut starts);
        }
        let at = Apart::new(&mut lines);
        // SAFETY: one thread, and every line is there.
        unsafe {
            if substep == 0 {
                net.open(crew, (&joints, &rows), bodies, &at, H);
            } else {
                net.turn(crew, &at, H);
            }
            net.solve(crew, &at);
        }
        drift_turning(path, &mut lines, H);
        // SAFETY: as above.
        parted = unsafe { net.relax(crew, &Apart::new(&mut lines)) };
    }
    let outcomes = net.outcomes(&joints, substeps as Real * H, H).map(|(_, outcome)| outcome).collect();
    (lines, outcomes, parted)
}

/// What is the same for any lanes.
fn bits(bodies: &[SolverBody], kinds: &Kinds, path: Path) -> Vec<impl PartialEq + use<>> {
    let (lines, outcomes, _) = run(path, bodies, (0, kinds), 12);
    let motion = lines.iter().flat_map(|line| line.velocity.0.into_iter().chain(line.moved.0));
    let forces =
        outcomes.iter().flat_map(|outcome| outcome.force.to_array().into_iter().chain(outcome.torque.to_array()));
    motion.chain(forces).map(Real::to_bits).collect()
}

#[test]
fn sweeps_have_the_same_bits_on_every_path() {
    let bodies = bodies();
    for kinds in [&pin as &Kinds, &any] {
        let runs: Vec<_> = Path::available().iter().map(|&path| bits(&bodies, kinds, path)).collect();
        assert!(runs.iter().all(|run| *run == runs[0]));
    }
}

#[test]
fn joints_come_to_agree_and_what_holds_them_is_balanced() {
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
    // Ropes that are pulled short come to agree when all of the net has followed.
    let stiff = |number: usize, apart: Real| any(if number % KINDS == 5 { 0 } else { number }, apart);
    for (name, kinds) in [("pins", &pin as &Kinds), ("all kinds", &stiff)] {
        let before = momentum(&|k| (bodies[k].linear_velocity, bodies[k].angular_velocity));
        let (lines, _, first) = run(Path::best(), &bodies, (1, kinds), 1);
        let after = momentum(&|k| {
            let v = &lines[k].velocity.0;
            (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[4], v[5], v[6]))
        });
        for (before, after) in before.into_iter().zip(after) {
            assert!((after - before).length() < 2e4 * Real::EPSILON, "{name}: {before} {after}");
        }
        let (_, _, later) = run(Path::best(), &bodies, (1, kinds), 64);
        println!("{name} part by {first:e} m/s after one substep, {later:e} after 64");
        assert!(first > 0.1 && later < 0.1 * first, "{name}: {first} {later}");
    }
}

#[test]
fn a_joint_by_itself_is_solved_by_one_sweep_and_leaves_free_what_it_does_not_lock() {
    let bodies = bodies();
    for (number, ends) in
        (0..KINDS).flat_map(|number| [[1, 2], [0, 3], [4, 5], [9, 10], [0, 9]].map(|ends| (number, ends)))
    {
        let mut rows = Vec::new();
        let mut made = joint(&bodies, ends, number, &any, &mut rows);
        made.levers[0] += Vec3::new(0.3, -0.1, 0.2);
        made.levers[1] += Vec3::new(0.3, -0.1, 0.2);
        let (mut net, mut lines, _) = lay_out(&bodies, (&[made], &rows));
        let (at, alone) = (Apart::new(&mut lines), Helpers::default());
        let crew = (Path::best(), &alone);
        // SAFETY: one thread, and every line is there.
        unsafe {
            net.open(crew, (&[made], &rows), &bodies, &at, H);
            net.solve(crew, &at);
            net.relax(crew, &at);
        }
        let motion = |body: usize| {
            let v = &lines[body].velocity.0;
            [Vec3::new(v[0], v[1], v[2]), Vec3::new(v[4], v[5], v[6])]
        };
        let [[va, wa], [vb, wb]] = ends.map(motion);
        let parting = (vb + wb.cross(made.levers[1])) - (va + wa.cross(made.levers[0] + made.gap));
        let frame = &made.frames[0];
        // What keeps to a line cannot follow what is fixed across it, and does not turn.
        let held = ends == [0, 9];
        for row in rows.iter().filter(|_| !held || number == 0) {
            let rate = match row.coordinate {
                Coordinate::Point(0) | Coordinate::Distance if held => parting.x,
                Coordinate::Point(_) if held => 0.0,
                Coordinate::Point(k) => parting[k as usize],
                Coordinate::Along(k) => parting.dot(frame.col(k as usize)),
                Coordinate::Distance => parting.dot(made.gap.normalize()),
                Coordinate::Weld(k) => (wb - wa)[k as usize],
                Coordinate::Align { k, .. } => (wb - wa).dot(frame.col(k as usize)),
                _ => unreachable!("nets have no form for it"),
            };
            // A rope that goes slack is left alone.
            let slack = row.law == Law::Range && rate < 0.0;
            // What is added to the diagonal leaves as much of it.
            assert!(slack || rate.abs() < 32.0 * JOINT_SLACK, "{number} {ends:?} {:?}: {rate}", row.coordinate);
        }
        let (_, outcome) = net.outcomes(&[made], H, H).next().expect("it has one joint");
        let free = match number {
            0 => outcome.torque.length(),
            1 => outcome.torque.dot(frame.x_axis) / outcome.torque.length(),
            3 => outcome.force.dot(frame.x_axis) / outcome.force.length(),
            4 | 5 => outcome.force.cross(made.gap.normalize()).length() / outcome.force.length().max(1e-3),
            6 => outcome.force.cross(frame.y_axis).length() / outcome.force.length(),
            7 => outcome.torque.dot(frame.y_axis) / outcome.torque.length(),
            8 => outcome.force.dot(frame.z_axis) / outcome.force.length(),
            _ => 0.0,
        };
        assert!(held || free.abs() < 64.0 * Real::EPSILON, "{number} {ends:?}: {free}");
    }
}
