//! Iterative joints alone.

use super::*;
use crate::math::{Mat3, Quat, Vec3};
use crate::parallel::WorkerPool;
use crate::solver::body::{SubstepStart, load};
use crate::solver::joint::{Coordinate, JointLoad, RowKind};
use crate::solver::kernels::{begin_substep, drift_large_rotations};
use crate::solver::layout::Scheduler;
use crate::solver::simd::SimdLevel;
use crate::tolerances::JOINTS;

const H: Real = 1.0 / 960.0;
const BODIES: usize = 13;

/// Bodies that rotate freely, one fixed, one kinematic, and one locked to a line.
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

/// Rows of a joint, from its number and the distance of its anchors.
type Kinds = dyn Fn(usize, Real) -> Vec<JointRow>;

fn lock(coordinates: &[Coordinate]) -> Vec<JointRow> {
    coordinates.iter().map(|&coordinate| JointRow::lock(coordinate, 0.0)).collect()
}

fn point(_: usize, _: Real) -> Vec<JointRow> {
    lock(&[0, 1, 2].map(Coordinate::Point))
}

/// Every kind in turn.
fn any(number: usize, apart: Real) -> Vec<JointRow> {
    let points = [0, 1, 2].map(Coordinate::Point);
    let welds = [0, 1, 2].map(Coordinate::Weld);
    let hinge = |free, others: [u8; 2]| others.map(|k| Coordinate::Align { free, k });
    match number % KINDS {
        0 => point(number, apart),
        1 => lock(&[&points[..], &hinge(0, [1, 2])].concat()),
        2 => lock(&[points, welds].concat()),
        3 => lock(&[&[1, 2].map(Coordinate::Along)[..], &welds].concat()),
        4 => vec![JointRow::lock(Coordinate::Distance, apart)],
        5 => {
            let row = JointRow::lock(Coordinate::Distance, 0.0);
            vec![JointRow { kind: RowKind::Limit, target_high: 0.9 * apart, ..row }]
        }
        6 => lock(&[Coordinate::Along(1)]),
        7 => lock(&[&points[..], &hinge(1, [0, 2])].concat()),
        _ => lock(&[&[0, 1].map(Coordinate::Along)[..], &hinge(2, [0, 1])].concat()),
    }
}

const KINDS: usize = 9;

/// A joint with these rows between two bodies, with coincident anchors in the middle unless it is a
/// distance constraint.
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
        arms: [way * share, way * -share],
        gap: way * (1.0 - 2.0 * share),
        span: 0.0,
        frames: [Mat3::from_quat(Quat::from_rotation_x(0.4) * Quat::from_rotation_y(number as Real)); 2],
        load: JointLoad::default(),
    }
}

/// Joints between each body and the next two, so that there are loops.
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

/// The iterative joints, the body states and the substep starts.
fn build(
    bodies: &[SolverBody],
    (joints, rows): (&[SolverJoint], &[JointRow]),
) -> (IterativeJoints, Vec<BodyState>, Vec<SubstepStart>) {
    let mut iterative = IterativeJoints::default();
    for (here, joint) in joints.iter().enumerate() {
        let kinds: Vec<_> = rows[joint.row_range()].iter().map(|row| (row.coordinate, row.kind)).collect();
        iterative.add(here as u32, ConstraintKind::of(&kinds).expect("a kind of iterative joint"));
    }
    let movable: Vec<bool> = bodies.iter().map(SolverBody::movable).collect();
    iterative.assign_lanes(joints, &movable, &mut Scheduler::default(), |body| body, (bodies.len(), false));
    let (states, starts) = bodies.iter().map(|body| load(body, 1.0, H)).unzip();
    (iterative, states, starts)
}

/// Runs substeps; returns the residual velocity before the last sweep.
fn run(
    simd: SimdLevel,
    bodies: &[SolverBody],
    (first, kinds): (usize, &Kinds),
    substeps: usize,
) -> (Vec<BodyState>, Vec<JointOutcome>, Real) {
    let (joints, rows) = joints(bodies, first, kinds);
    let (mut iterative, mut states, mut starts) = build(bodies, (&joints, &rows));
    let (mut parted, alone) = (0.0, WorkerPool::default());
    let workers = (simd, &alone);
    for substep in 0..substeps {
        if substep > 0 {
            begin_substep::<true>(simd, &mut states, &mut starts);
        }
        let at = DisjointSlice::new(&mut states);
        // SAFETY: single thread, all body states exist.
        unsafe {
            if substep == 0 {
                iterative.begin_step(workers, (&joints, &rows), bodies, &at, H);
            } else {
                iterative.warm_start(workers, &at, H);
            }
            iterative.solve_positions(workers, &at);
        }
        drift_large_rotations(simd, &mut states, H);
        // SAFETY: as above.
        parted = unsafe { iterative.project_velocities(workers, &DisjointSlice::new(&mut states)) };
    }
    let outcomes = iterative.outcomes(&joints, substeps as Real * H, H).map(|(_, outcome)| outcome).collect();
    (states, outcomes, parted)
}

/// Bits that must not depend on the SIMD level.
fn bits(bodies: &[SolverBody], kinds: &Kinds, simd: SimdLevel) -> Vec<impl PartialEq + use<>> {
    let (states, outcomes, _) = run(simd, bodies, (0, kinds), 12);
    let motion = states.iter().flat_map(|state| state.velocity.0.into_iter().chain(state.displacement.0));
    let forces =
        outcomes.iter().flat_map(|outcome| outcome.force.to_array().into_iter().chain(outcome.torque.to_array()));
    motion.chain(forces).map(Real::to_bits).collect()
}

#[test]
fn sweeps_have_the_same_bits_at_every_simd_level() {
    let bodies = bodies();
    for kinds in [&point as &Kinds, &any] {
        let runs: Vec<_> = SimdLevel::available().iter().map(|&simd| bits(&bodies, kinds, simd)).collect();
        assert!(runs.iter().all(|run| *run == runs[0]));
    }
}

#[test]
fn velocities_become_consistent_and_joint_impulses_are_balanced() {
    // Without the fixed and the kinematic body.
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
    // Ropes that are too long take many substeps to come to rest.
    let no_ropes = |number: usize, apart: Real| any(if number % KINDS == 5 { 0 } else { number }, apart);
    for (name, kinds) in [("points", &point as &Kinds), ("all kinds", &no_ropes)] {
        let before = momentum(&|k| (bodies[k].linear_velocity, bodies[k].angular_velocity));
        let (states, _, first) = run(SimdLevel::best(), &bodies, (1, kinds), 1);
        let after = momentum(&|k| {
            let v = &states[k].velocity.0;
            (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[4], v[5], v[6]))
        });
        for (before, after) in before.into_iter().zip(after) {
            assert!((after - before).length() < 2e4 * Real::EPSILON, "{name}: {before} {after}");
        }
        let (_, _, later) = run(SimdLevel::best(), &bodies, (1, kinds), 64);
        println!("{name} part by {first:e} m/s after one substep, {later:e} after 64");
        assert!(first > 0.1 && later < 0.1 * first, "{name}: {first} {later}");
    }
}

#[test]
fn a_single_joint_is_solved_by_one_sweep_and_leaves_free_what_it_does_not_lock() {
    let bodies = bodies();
    for (number, ends) in
        (0..KINDS).flat_map(|number| [[1, 2], [0, 3], [4, 5], [9, 10], [0, 9]].map(|ends| (number, ends)))
    {
        let mut rows = Vec::new();
        let mut made = joint(&bodies, ends, number, &any, &mut rows);
        made.arms[0] += Vec3::new(0.3, -0.1, 0.2);
        made.arms[1] += Vec3::new(0.3, -0.1, 0.2);
        let (mut iterative, mut states, _) = build(&bodies, (&[made], &rows));
        let (at, alone) = (DisjointSlice::new(&mut states), WorkerPool::default());
        let workers = (SimdLevel::best(), &alone);
        // SAFETY: single thread, all body states exist.
        unsafe {
            iterative.begin_step(workers, (&[made], &rows), &bodies, &at, H);
            iterative.solve_positions(workers, &at);
            iterative.project_velocities(workers, &at);
        }
        let motion = |body: usize| {
            let v = &states[body].velocity.0;
            [Vec3::new(v[0], v[1], v[2]), Vec3::new(v[4], v[5], v[6])]
        };
        let [[va, wa], [vb, wb]] = ends.map(motion);
        let relative_velocity = (vb + wb.cross(made.arms[1])) - (va + wa.cross(made.arms[0] + made.gap));
        let frame = &made.frames[0];
        // A body locked to a line cannot follow a fixed one across it, and does not rotate.
        let held = ends == [0, 9];
        for row in rows.iter().filter(|_| !held || number == 0) {
            let rate = match row.coordinate {
                Coordinate::Point(0) | Coordinate::Distance if held => relative_velocity.x,
                Coordinate::Point(_) if held => 0.0,
                Coordinate::Point(k) => relative_velocity[k as usize],
                Coordinate::Along(k) => relative_velocity.dot(frame.col(k as usize)),
                Coordinate::Distance => relative_velocity.dot(made.gap.normalize()),
                Coordinate::Weld(k) => (wb - wa)[k as usize],
                Coordinate::Align { k, .. } => (wb - wa).dot(frame.col(k as usize)),
                _ => unreachable!("no kind of iterative joint has it"),
            };
            // A slack rope is not constrained.
            let loose = row.kind == RowKind::Limit && rate < 0.0;
            // The CFM on the diagonal leaves a residual of its size.
            assert!(loose || rate.abs() < 32.0 * JOINTS.cfm, "{number} {ends:?} {:?}: {rate}", row.coordinate);
        }
        let (_, outcome) = iterative.outcomes(&[made], H, H).next().expect("it has one joint");
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
