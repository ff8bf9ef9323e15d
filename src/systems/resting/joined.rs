//! The islands with joints: contacts and joints in one loop.

use super::scalable::{contact_ref, fill_bodies, is_in, kinematic, moving, solver_body, symmetric, take_motions};
use super::{Hands, Resting};
use crate::bodies::{Bodies, Kind};
use crate::index::NONE;
use crate::islands::Islands;
use crate::joint::{Midway, Spinning, Spins, turns_little};
use crate::joints::Joints;
use crate::math::{Mat3, Real, Vec3};
use crate::parallel::{Apart, Helpers, WORKED_ON};
use crate::settings::Accuracy;
use crate::solver::lanes::WIDTH;
use crate::solver::{
    Articulated, BodyMotion, ContactRef, Coordinate, JointOutcome, JointRow, Parameters, Path, Precision, SolverBody,
    SolverJoint, Tumble,
};
use crate::systems::joints::{note, place};
use crate::systems::state::State;
use crate::tolerances::JOINT_PRECESSION;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    /// By joint: the name of its island if that is one of its islands, else [`NONE`].
    names: Vec<u32>,
    /// The joints of its islands by their slots, each with the name of its island.
    mine: Vec<(u32, u32)>,
    refs: Vec<ContactRef>,
    /// Bodies by slot + 1.
    bodies: Vec<SolverBody>,
    motions: Vec<BodyMotion>,
    /// By slot: whether its solver body is not the fixed world.
    filled: Vec<bool>,
    /// By slot: the torque that its joints are expected to have, world axes (N m).
    twists: Vec<Vec3>,
    books: Vec<Book>,
}

/// A share of the joints as the solver sees them, with rows of their own.
#[derive(Default)]
struct Book {
    joints: Vec<SolverJoint>,
    rows: Vec<JointRow>,
    twists: Vec<[Vec3; 2]>,
}

/// Solves all islands with joints.
pub(super) fn run(state: &mut State, parameters: &Parameters) {
    let State {
        bodies, contacts, islands, joints, articulated, resting, settings, dt, counts, events, helpers, ..
    } = state;
    let Resting {
        joined: Buffers { names, mine, refs, bodies: solver, motions, filled, twists, books },
        hands,
        residual,
        pushed,
        ..
    } = resting;
    if !hands.contains(&Hands::Joined) {
        return;
    }
    let is_mine = |island: u32| hands[island as usize] == Hands::Joined;
    let in_mine = |slot: usize| is_in(islands, hands, slot, Hands::Joined);
    list_joints(islands, joints, hands, (names, mine));
    fill_joints((bodies, joints, helpers), mine, articulated, books, twists);
    refs.clear();
    refs.extend(
        contacts.contacts.iter().filter(|c| is_mine(c.island)).map(|c| contact_ref(bodies, contacts, islands, c)),
    );
    motions.resize(bodies.slots() + 1, BodyMotion::default());
    let make =
        |slot: usize| in_mine(slot).then(|| moving(bodies, slot, bodies.inverse_inertia[slot] * bodies.torque[slot]));
    fill_bodies(bodies.slots(), helpers, solver, filled, &make);
    let path = parameters.path;
    spin_up((bodies, helpers), (path, *dt), &in_mine, twists, &mut solver[1..]);
    if bodies.kind.contains(&Kind::Kinematic) {
        let touching = contacts.contacts.iter().filter(|c| is_mine(c.island)).flat_map(|c| [c.a, c.b]);
        let jointed = mine.iter().flat_map(|&(joint, _)| joints.bodies[joint as usize]).filter(|&slot| slot != NONE);
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
    list_tumbles(bodies, islands, is_mine, *dt, &mut articulated.tumbles);
    articulated.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    // A joint that is new does not know yet how it twists a body that spins: it is asked first.
    let spins = |slot: u32| slot != NONE && bodies.angular_velocity[slot as usize] != Vec3::ZERO;
    let is_new = |&(joint, _): &(u32, u32)| joints.last[joint as usize].is_empty();
    if mine.iter().filter(|joint| is_new(joint)).any(|&(j, _)| joints.bodies[j as usize].into_iter().any(spins)) {
        twists.fill(Vec3::ZERO);
        for (number, &(joint, _)) in mine.iter().enumerate() {
            let levers = articulated.joints[number].levers;
            let outcome = &articulated.outcomes()[number];
            take_twists(joints.bodies[joint as usize], &twist(&levers, outcome), twists);
        }
        spin_up((bodies, helpers), (path, *dt), &in_mine, twists, &mut solver[1..]);
        articulated.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    }
    take_motions((bodies, helpers), (islands, hands, Hands::Joined), motions, (residual, pushed));
    counts.substeps = counts.substeps.max(articulated.substeps() as usize);
    for (number, &(joint, _)) in mine.iter().enumerate() {
        let rows = &articulated.rows[articulated.joints[number].row_range()];
        note(joints, joint, articulated.outcomes()[number], rows.iter().map(|row| row.last), events);
    }
}

/// Lists the joints of these islands. Their order is that of their slots, whatever islands become one: the solver keeps its trees
/// for as long as the list stays the same.
fn list_joints(
    islands: &Islands,
    joints: &Joints,
    hands: &[Hands],
    (names, mine): (&mut Vec<u32>, &mut Vec<(u32, u32)>),
) {
    names.clear();
    names.resize(joints.slots(), NONE);
    for (island, _) in islands.islands.iter().zip(hands).filter(|(_, hands)| **hands == Hands::Joined) {
        let name = islands.bodies[island.body_range().start];
        for &joint in &joints.acting[island.joint_range()] {
            names[joint as usize] = name;
        }
    }
    mine.clear();
    mine.extend((0..).zip(names.iter().copied()).filter(|&(_, name)| name != NONE));
}

/// Gives the solver (bodies by slot) the inertia and the angular acceleration of those bodies of its islands that spin, on joints that
/// twist them as `twists` says.
fn spin_up(
    (bodies, helpers): (&Bodies, &Helpers),
    (path, dt): (Path, Real),
    in_mine: &(impl Fn(usize) -> bool + Sync),
    twists: &[Vec3],
    solver: &mut [SolverBody],
) {
    let solver = Apart::new(solver);
    helpers.shares(bodies.slots(), WORKED_ON, &|share| {
        let (mut spins, mut slots, mut count) = (Spins::default(), [0; WIDTH], 0);
        // SAFETY: shares are apart.
        let of = |slot: usize| unsafe { solver.get(slot as u32) }.expect("a body for each slot");
        let take = |spins: &mut Spins, slots: &[usize]| {
            path.run(Spinning { spins, h: dt });
            for (lane, &slot) in slots.iter().enumerate() {
                let body = of(slot);
                (body.inverse_inertia, body.angular_acceleration) = spins.get(lane);
            }
        };
        for slot in share.filter(|&slot| in_mine(slot)) {
            let (torque, velocity) = (bodies.torque[slot], bodies.angular_velocity[slot]);
            if velocity == Vec3::ZERO || bodies.is_rotation_locked(slot) {
                continue;
            }
            let (turns, principal) = ([bodies.orientation[slot], bodies.frame[slot]], bodies.principal[slot]);
            if turns_little(velocity, dt) {
                spins.set(count, turns, principal, velocity, torque, twists[slot]);
                slots[count] = slot;
                count += 1;
                if count == WIDTH {
                    take(&mut spins, &slots);
                    count = 0;
                }
                continue;
            }
            let midway = Midway::new(turns[0] * turns[1], principal, velocity, torque, twists[slot], dt);
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

/// Lists the bodies of these islands that turn so far in a step of `dt` (s) that their inertia has to turn with them.
fn list_tumbles(
    bodies: &Bodies,
    islands: &Islands,
    is_mine: impl Fn(u32) -> bool,
    dt: Real,
    tumbles: &mut Vec<(u32, Tumble)>,
) {
    tumbles.clear();
    let fast = (JOINT_PRECESSION / dt) * (JOINT_PRECESSION / dt);
    for &slot in islands.bodies.iter().filter(|&&slot| is_mine(islands.of[slot as usize])) {
        let at = slot as usize;
        let principal = bodies.principal[at];
        let round = principal.x == principal.y && principal.y == principal.z;
        if bodies.angular_velocity[at].length_squared() > fast && !round && !bodies.is_rotation_locked(at) {
            let inverse = bodies.inverse_inertia[at];
            let angular_acceleration = inverse * bodies.torque[at];
            tumbles.push((slot + 1, Tumble { inverse_inertia: symmetric(&inverse), angular_acceleration }));
        }
    }
    tumbles.sort_unstable_by_key(|&(body, _)| body);
}

/// What a joint does to its bodies' torques about their centres.
fn twist(levers: &[Vec3; 2], outcome: &JointOutcome) -> [Vec3; 2] {
    [(0, -1.0), (1, 1.0)].map(|(side, sign)| (outcome.torque + levers[side].cross(outcome.force)) * sign)
}

/// Adds what a joint does to its bodies to their torques.
fn take_twists(pair: [u32; 2], twist: &[Vec3; 2], twists: &mut [Vec3]) {
    for (&slot, twist) in pair.iter().zip(twist) {
        if let Some(sum) = twists.get_mut(slot as usize) {
            *sum += *twist;
        }
    }
}

/// Gives these joints to the solver, each as one of the island of its name, and notes how they twisted their bodies last.
fn fill_joints(
    (bodies, joints, helpers): (&Bodies, &Joints, &Helpers),
    mine: &[(u32, u32)],
    solver: &mut Articulated,
    books: &mut Vec<Book>,
    twists: &mut Vec<Vec3>,
) {
    let used = helpers.in_shares(mine.len(), books, WORKED_ON, &|share, book: &mut Book| {
        book.joints.clear();
        book.rows.clear();
        book.twists.clear();
        for &(joint, island) in &mine[share] {
            fill_joint(bodies, joints, joint as usize, island, book);
        }
    });
    twists.clear();
    twists.resize(bodies.slots(), Vec3::ZERO);
    let sums = books[..used].iter().flat_map(|book| &book.twists);
    for (&(joint, _), twist) in mine.iter().zip(sums) {
        take_twists(joints.bodies[joint as usize], twist, twists);
    }
    if let [book] = &mut books[..used] {
        std::mem::swap(&mut solver.joints, &mut book.joints);
        std::mem::swap(&mut solver.rows, &mut book.rows);
        return;
    }
    solver.joints.clear();
    solver.rows.clear();
    for Book { joints, rows, .. } in &books[..used] {
        let first = solver.rows.len() as u32;
        solver.joints.extend(joints.iter().map(|j| SolverJoint { rows: j.rows.map(|row| first + row), ..*j }));
        solver.rows.extend_from_slice(rows);
    }
}

/// Writes down a joint as one of the island of this name.
fn fill_joint(bodies: &Bodies, joints: &Joints, joint: usize, island: u32, book: &mut Book) {
    let placed = place(bodies, joints, joint, true);
    let outcome = &joints.outcome[joint];
    book.twists.push(twist(&placed.levers, outcome));
    let first = book.rows.len();
    placed.rows(joints, joint, &mut book.rows);
    let rows = &mut book.rows[first..];
    if rows.len() == joints.last[joint].len() {
        for (row, &last) in rows.iter_mut().zip(&joints.last[joint]) {
            row.last = last;
        }
    }
    // A pin turns with nothing.
    let is_pin = rows.iter().all(|row| matches!(row.coordinate, Coordinate::Point(_)));
    let frames = if is_pin { [Mat3::IDENTITY; 2] } else { placed.frames().map(Mat3::from_quat) };
    let [a, b] = joints.bodies[joint].map(|slot| if slot == NONE { 0 } else { solver_body(bodies, slot) });
    book.joints.push(SolverJoint {
        a,
        b,
        island,
        rows: [first as u32, book.rows.len() as u32],
        levers: placed.levers,
        gap: placed.gap,
        span: SolverJoint::span_of(&book.rows[first..], placed.gap),
        frames,
        load: outcome.load,
    });
}
