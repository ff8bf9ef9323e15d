//! Islands with joints of the substepping solver: gathers their bodies, contacts and joints, and
//! applies the result.

use super::assign::IslandSolver;
use super::result::Solved;
use super::solver_bodies::{apply_motions, contact_ref, fill_bodies, is_in, kinematic, moving, solver_body, symmetric};
use crate::bodies::{Bodies, Kind};
use crate::ids::NONE;
use crate::islands::Islands;
use crate::joint::{
    MidpointInertia, MidpointInertiaKernel, MidpointInertiaLanes, force_on_first, midpoint_rule_suffices,
};
use crate::joints::Joints;
use crate::math::{Mat3, Real, Vec3};
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::settings::Accuracy;
use crate::solver::simd::WIDTH;
use crate::solver::{
    BodyMotion, ContactRef, Coordinate, GyroscopicBody, JointIslandSolver, JointOutcome, JointRow, Parameters,
    Precision, SimdLevel, SolverBody, SolverJoint,
};
use crate::state::State;
use crate::systems::joints::{place_joint, record_outcome};
use crate::tolerances::SUBSTEP_PHASE;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    /// By joint: the key of its island, or [`NONE`] if this solver does not have it.
    keys: Vec<u32>,
    /// The joints of this solver by slot, each with the key of its island.
    own_joints: Vec<(u32, u32)>,
    refs: Vec<ContactRef>,
    /// Bodies by slot + 1.
    bodies: Vec<SolverBody>,
    motions: Vec<BodyMotion>,
    /// By slot: whether its solver body is not the fixed world.
    filled: Vec<bool>,
    /// By slot: the torque of its joints in the last step, world axes (N m).
    torques: Vec<Vec3>,
    chunks: Vec<JointChunk>,
}

/// Part of the joints in the form of the solver, with their rows.
#[derive(Default)]
struct JointChunk {
    joints: Vec<SolverJoint>,
    rows: Vec<JointRow>,
    torques: Vec<[Vec3; 2]>,
}

/// Solves all islands with joints.
pub(super) fn run(
    state: &mut State,
    (joint_solver, buffers): (&mut JointIslandSolver, &mut Buffers),
    solved: &mut Solved,
    parameters: &Parameters,
) {
    let State { bodies, contacts, islands, joints, settings, dt, counts, events, helpers, .. } = state;
    let Buffers { keys, own_joints, refs, bodies: solver, motions, filled, torques, chunks } = buffers;
    let Solved { solvers, residual, pushed, .. } = solved;
    if !solvers.contains(&IslandSolver::Joints) {
        return;
    }
    let is_own = |island: u32| solvers[island as usize] == IslandSolver::Joints;
    let is_own_body = |slot: usize| is_in(islands, solvers, slot, IslandSolver::Joints);
    list_joints(islands, joints, solvers, (keys, own_joints));
    write_joints((bodies, joints, helpers), own_joints, joint_solver, chunks, torques);
    refs.clear();
    refs.extend(
        contacts.contacts.iter().filter(|c| is_own(c.island)).map(|c| contact_ref(bodies, contacts, islands, c)),
    );
    motions.resize(bodies.slots() + 1, BodyMotion::default());
    let make = |slot: usize| {
        is_own_body(slot).then(|| moving(bodies, slot, bodies.inverse_inertia[slot] * bodies.torque[slot]))
    };
    fill_bodies(bodies.slots(), helpers, solver, filled, &make);
    let simd = parameters.simd;
    set_midpoint_inertia((bodies, helpers), (simd, *dt), &is_own_body, torques, &mut solver[1..]);
    if bodies.kind.contains(&Kind::Kinematic) {
        let touching = contacts.contacts.iter().filter(|c| is_own(c.island)).flat_map(|c| [c.a, c.b]);
        let jointed =
            own_joints.iter().flat_map(|&(joint, _)| joints.bodies[joint as usize]).filter(|&slot| slot != NONE);
        for slot in touching.chain(jointed) {
            if let Some(body) = kinematic(bodies, slot) {
                solver[slot as usize + 1] = body;
                filled[slot as usize] = true;
            }
        }
    }
    let precision = match settings.accuracy {
        Accuracy::Game => Precision::Game,
        Accuracy::Exact => Precision::Exact,
    };
    list_gyroscopic(bodies, islands, is_own, *dt, &mut joint_solver.gyroscopic);
    joint_solver.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    // The torque of a new joint on a spinning body is unknown: the step is solved once to find it.
    let spins = |slot: u32| slot != NONE && bodies.angular_velocity[slot as usize] != Vec3::ZERO;
    let is_new = |&(joint, _): &(u32, u32)| joints.row_forces[joint as usize].is_empty();
    if own_joints.iter().filter(|joint| is_new(joint)).any(|&(j, _)| joints.bodies[j as usize].into_iter().any(spins)) {
        torques.fill(Vec3::ZERO);
        for (number, &(joint, _)) in own_joints.iter().enumerate() {
            let SolverJoint { arms, frames, .. } = joint_solver.joints[number];
            let at_start = (arms, frames.map(|frame| frame.x_axis));
            let of_joint = joint_torques(joints, joint as usize, at_start, &joint_solver.outcomes()[number]);
            add_torques(joints.bodies[joint as usize], &of_joint, torques);
        }
        set_midpoint_inertia((bodies, helpers), (simd, *dt), &is_own_body, torques, &mut solver[1..]);
        joint_solver.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    }
    apply_motions((bodies, helpers), (islands, solvers, IslandSolver::Joints), motions, (residual, pushed));
    counts.substeps = counts.substeps.max(joint_solver.substeps() as usize);
    for (number, &(joint, _)) in own_joints.iter().enumerate() {
        let rows = &joint_solver.rows[joint_solver.joints[number].row_range()];
        record_outcome(joints, joint, joint_solver.outcomes()[number], rows.iter().map(|row| row.last), events);
    }
}

/// Lists the joints of the solver by slot, not by island: the solver keeps its joint groups for as
/// long as the list stays the same.
fn list_joints(
    islands: &Islands,
    joints: &Joints,
    solvers: &[IslandSolver],
    (keys, own_joints): (&mut Vec<u32>, &mut Vec<(u32, u32)>),
) {
    keys.clear();
    keys.resize(joints.slots(), NONE);
    for (island, _) in islands.islands.iter().zip(solvers).filter(|(_, solvers)| **solvers == IslandSolver::Joints) {
        let name = islands.bodies[island.body_range().start];
        for &joint in &joints.acting[island.joint_range()] {
            keys[joint as usize] = name;
        }
    }
    own_joints.clear();
    own_joints.extend((0..).zip(keys.iter().copied()).filter(|&(_, name)| name != NONE));
}

/// Gives the spinning bodies of the solver (by slot) the inertia and the angular acceleration of
/// the midpoint of the step, under the `torques` of their joints.
fn set_midpoint_inertia(
    (bodies, helpers): (&Bodies, &WorkerPool),
    (simd, dt): (SimdLevel, Real),
    is_own_body: &(impl Fn(usize) -> bool + Sync),
    torques: &[Vec3],
    solver: &mut [SolverBody],
) {
    let solver = DisjointSlice::new(solver);
    helpers.for_each_chunk(bodies.slots(), MIN_CHUNK_ARITHMETIC, &|share| {
        let (mut spins, mut slots, mut count) = (MidpointInertiaLanes::default(), [0; WIDTH], 0);
        // SAFETY: chunks are disjoint.
        let of = |slot: usize| unsafe { solver.get(slot as u32) }.expect("a body for each slot");
        let take = |spins: &mut MidpointInertiaLanes, slots: &[usize]| {
            simd.run(MidpointInertiaKernel { lanes: spins, h: dt });
            for (lane, &slot) in slots.iter().enumerate() {
                let body = of(slot);
                (body.inverse_inertia, body.angular_acceleration) = spins.get(lane);
            }
        };
        for slot in share.filter(|&slot| is_own_body(slot)) {
            let (torque, velocity) = (bodies.torque[slot], bodies.angular_velocity[slot]);
            if velocity == Vec3::ZERO || bodies.is_rotation_locked(slot) {
                continue;
            }
            let (turns, principal) = ([bodies.orientation[slot], bodies.frame[slot]], bodies.principal[slot]);
            if midpoint_rule_suffices(velocity, dt) {
                spins.set(count, turns, principal, velocity, torque, torques[slot]);
                slots[count] = slot;
                count += 1;
                if count == WIDTH {
                    take(&mut spins, &slots);
                    count = 0;
                }
                continue;
            }
            let midway = MidpointInertia::new(turns[0] * turns[1], principal, velocity, torque, torques[slot], dt);
            let inverse = midway.inverse_inertia(principal);
            let body = of(slot);
            body.inverse_inertia = symmetric(&inverse);
            body.angular_acceleration = inverse * torque + midway.gyroscopic;
        }
        if count > 0 {
            take(&mut spins, &slots[..count]);
        }
    });
}

/// Lists the bodies whose inertia has to turn with them within a step of `dt` (s).
fn list_gyroscopic(
    bodies: &Bodies,
    islands: &Islands,
    is_own: impl Fn(u32) -> bool,
    dt: Real,
    gyroscopic: &mut Vec<(u32, GyroscopicBody)>,
) {
    gyroscopic.clear();
    let fast = (SUBSTEP_PHASE.resolved / dt) * (SUBSTEP_PHASE.resolved / dt);
    for &slot in islands.bodies.iter().filter(|&&slot| is_own(islands.island_of[slot as usize])) {
        let at = slot as usize;
        let principal = bodies.principal[at];
        let round = principal.x == principal.y && principal.y == principal.z;
        if bodies.angular_velocity[at].length_squared() > fast && !round && !bodies.is_rotation_locked(at) {
            let inverse = bodies.inverse_inertia[at];
            let angular_acceleration = inverse * bodies.torque[at];
            gyroscopic.push((slot + 1, GyroscopicBody { inverse_inertia: symmetric(&inverse), angular_acceleration }));
        }
    }
    gyroscopic.sort_unstable_by_key(|&(body, _)| body);
}

/// Torques of a joint on its bodies about their centres, by its arms and the parts of a pulley's rope.
fn joint_torques(
    joints: &Joints,
    joint: usize,
    (arms, parts): ([Vec3; 2], [Vec3; 2]),
    outcome: &JointOutcome,
) -> [Vec3; 2] {
    let kind = &joints.specs[joint].as_ref().expect("an acting joint is there").kind;
    let forces = [-force_on_first(kind, parts, outcome.force), outcome.force];
    [(0, -1.0), (1, 1.0)].map(|(side, sign)| (outcome.torque + arms[side].cross(forces[side])) * sign)
}

/// Adds the torques of a joint to those of its bodies.
fn add_torques(pair: [u32; 2], joint_torques: &[Vec3; 2], torques: &mut [Vec3]) {
    for (&slot, joint_torques) in pair.iter().zip(joint_torques) {
        if let Some(sum) = torques.get_mut(slot as usize) {
            *sum += *joint_torques;
        }
    }
}

/// Gives these joints to the solver, each as one of the island of its name, and notes how they
/// twisted their bodies last.
fn write_joints(
    (bodies, joints, helpers): (&Bodies, &Joints, &WorkerPool),
    own_joints: &[(u32, u32)],
    solver: &mut JointIslandSolver,
    chunks: &mut Vec<JointChunk>,
    torques: &mut Vec<Vec3>,
) {
    let used = helpers.for_each_chunk_with(
        own_joints.len(),
        chunks,
        MIN_CHUNK_ARITHMETIC,
        &|share, chunk: &mut JointChunk| {
            chunk.joints.clear();
            chunk.rows.clear();
            chunk.torques.clear();
            for &(joint, island) in &own_joints[share] {
                write_joint(bodies, joints, joint as usize, island, chunk);
            }
        },
    );
    torques.clear();
    torques.resize(bodies.slots(), Vec3::ZERO);
    let sums = chunks[..used].iter().flat_map(|chunk| &chunk.torques);
    for (&(joint, _), joint_torques) in own_joints.iter().zip(sums) {
        add_torques(joints.bodies[joint as usize], joint_torques, torques);
    }
    if let [chunk] = &mut chunks[..used] {
        std::mem::swap(&mut solver.joints, &mut chunk.joints);
        std::mem::swap(&mut solver.rows, &mut chunk.rows);
        return;
    }
    solver.joints.clear();
    solver.rows.clear();
    for JointChunk { joints, rows, .. } in &chunks[..used] {
        let first = solver.rows.len() as u32;
        solver.joints.extend(joints.iter().map(|j| SolverJoint { rows: j.rows.map(|row| first + row), ..*j }));
        solver.rows.extend_from_slice(rows);
    }
}

/// Writes a joint of the island of this key.
fn write_joint(bodies: &Bodies, joints: &Joints, joint: usize, island: u32, chunk: &mut JointChunk) {
    let placed = place_joint(bodies, joints, joint, true);
    let outcome = &joints.outcome[joint];
    chunk.torques.push(joint_torques(joints, joint, (placed.arms, placed.parts), outcome));
    let first = chunk.rows.len();
    placed.rows(bodies, joints, joint, &mut chunk.rows);
    let rows = &mut chunk.rows[first..];
    if rows.len() == joints.row_forces[joint].len() {
        for (row, &last) in rows.iter_mut().zip(&joints.row_forces[joint]) {
            row.last = last;
        }
    }
    // A point joint has no angular rows.
    let is_pin = rows.iter().all(|row| matches!(row.coordinate, Coordinate::Point(_)));
    let frames = match rows {
        [JointRow { coordinate: Coordinate::Pulley, .. }] => {
            placed.parts.map(|part| Mat3::from_cols(part, Vec3::ZERO, Vec3::ZERO))
        }
        _ if is_pin => [Mat3::IDENTITY; 2],
        _ => placed.frames().map(Mat3::from_quat),
    };
    let [a, b] = joints.bodies[joint].map(|slot| if slot == NONE { 0 } else { solver_body(bodies, slot) });
    chunk.joints.push(SolverJoint {
        a,
        b,
        island,
        rows: [first as u32, chunk.rows.len() as u32],
        arms: placed.arms,
        gap: placed.anchor_offset,
        span: placed.span(&chunk.rows[first..]),
        frames,
        load: outcome.load,
    });
}
