//! The passes of a substep over a unit of joints.
//!
//! Gravity acts in whole kicks at the start of each substep. That is leapfrog seen at the wrong moments: half a kick too
//! early. Contacts hardly notice, but a swinging body's energy would seem to sway by `h g v / 2`. So a tree that no
//! contact carries *leaps*: its first kick is a half one, and the other half comes at the end of the step. Bodies that no contact
//! touches leap in their spin in other trees too, unless these have bounds or lie in a large heap: a gyroscope on a stand would gain energy as it
//! wobbles.

use super::factor;
use super::foresight::{compare, look_ahead, look_aside};
use super::geometry::{Placed, drift, look, refresh, stand};
use super::pair::Pair;
use super::round::{Aim, rounds};
use super::row::{Coordinate, Law};
use super::taut;
use super::thrift::give_back;
use super::tumble::{precess, turn_inertia};
use super::unit::Parts;
use crate::math::Real;
use crate::solver::body::{LINE, START};
use crate::solver::lanes::{Kernel, Lane, Path, Vector, WIDTH};
use crate::tolerances::{JOINT_AGAIN, JOINT_ASTRAY};

/// Which half of a substep a visit to a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Impulses that bring the joints together at the substep's end. The bodies have not moved yet.
    Solve,
    /// Rows where the bodies have come to, and velocities that agree with them.
    Relax,
    /// Both, and the unit moves its bodies in between: for those that no other unit moves.
    Whole,
    /// Velocities that agree once more, where contacts have changed them since.
    Settle,
    /// At the start of a substep, of what is swept: what it repeats pulls where the joints have come to.
    Turn,
}

/// A visit to a unit in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// Length of the substep (s).
    pub h: Real,
    pub half: Half,
    /// Times that the joints are brought together; whether those of trees that turn fast are `again`.
    pub rounds: u32,
    pub again: bool,
    /// Times more in lanes that the last one still turned by much.
    pub more: u32,
    /// Whether it is in a heap of small trees, where a second time is right however far they turn.
    pub heap: bool,
    /// Whether the joints are looked at where what they last bore brings them to.
    pub foresees: bool,
    /// Whether it is the first substep of the step. In it springs of trees that leap pull for half as long, as gravity does.
    pub first: bool,
}

struct Open<'a, 'b> {
    parts: &'a mut Parts<'b>,
    path: Path,
    lines: *mut Real,
    starts: *mut Real,
    h: Real,
}

struct Close<'a, 'b> {
    parts: &'a mut Parts<'b>,
    path: Path,
    lines: *mut Real,
    h: Real,
}

struct Substep<'a, 'b> {
    parts: &'a mut Parts<'b>,
    path: Path,
    lines: *mut Real,
    starts: *const Real,
    visit: Visit,
}

/// Begins a step of substeps of `h` (s): rows where the bodies are, and half a kick back for what leaps. The starts of
/// the bodies go back with them, so that what is repeated in the next substep is a whole kick.
///
/// # Safety
/// The unit's lines must exist at `lines` and `starts`, those that it moves belong to the caller alone and occur once in a
/// body's lanes; nobody may be writing the others.
pub(crate) unsafe fn open(path: Path, parts: &mut Parts, lines: *mut Real, starts: *mut Real, h: Real) {
    path.run(Open { parts, path, lines, starts, h });
}

/// Does a substep, or half of one. Returns the greatest correction of the relaxation (m/s; rad/s counts alike).
///
/// # Safety
/// As for [`open`].
pub(crate) unsafe fn visit(path: Path, parts: &mut Parts, lines: *mut Real, starts: *const Real, visit: Visit) -> Real {
    path.run(Substep { parts, path, lines, starts, visit })
}

/// Ends a step of substeps of `h` (s): the other half of the kick of gravity, springs and spins for what leaps.
///
/// # Safety
/// As for [`open`].
pub(crate) unsafe fn close(path: Path, parts: &mut Parts, lines: *mut Real, h: Real) {
    path.run(Close { parts, path, lines, h });
}

impl Kernel for Open<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { parts, path, lines, starts, h } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `open`.
            unsafe { load::<L>(parts, lines, o) };
            let (zero, one) = (L::splat(0.0), L::splat(1.0));
            let [leap, spin] = leaps::<L>(parts, o);
            let back = [zero - leap, zero - spin];
            kick(parts, o, back);
            // SAFETY: as above.
            unsafe { shift::<L>(parts, starts, o, back) };
            one.store(parts.stands, o);
            one.store(parts.foretells, o);
            for row in parts.rows.iter_mut() {
                one.store(&mut row.active, o);
                one.store(&mut row.takes_part, o);
            }
            arrive(path, parts, o, h);
            repeat::<L>(parts, o);
            // SAFETY: as above.
            unsafe { save::<L>(parts, lines, o, false) };
            o += L::N;
        }
    }
}

impl Kernel for Substep<'_, '_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let Self { parts, path, lines, starts, visit } = self;
        let mut worst = L::splat(0.0);
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `visit`.
            unsafe { load::<L>(parts, lines, o) };
            let share = share::<L>(parts, o, visit.first);
            if matches!(visit.half, Half::Solve | Half::Whole) {
                solve::<L>(parts, o, visit, share, path);
            }
            match visit.half {
                Half::Solve => note_push::<L>(parts, o),
                Half::Whole => drift::<L>(parts, o, visit.h),
                Half::Relax | Half::Settle => open_account::<L>(parts, o),
                Half::Turn => {}
            }
            if matches!(visit.half, Half::Relax | Half::Whole) {
                worst = relax::<L>(parts, o, visit.h, share, path).max(worst);
                // SAFETY: passed on to the caller of `visit`.
                unsafe { give_back::<L>(parts, starts, visit.first, o) };
            }
            if visit.half == Half::Turn {
                turn::<L>(parts, o);
            }
            if visit.half == Half::Settle {
                worst = settle::<L>(parts, o, visit.h, path).max(worst);
            }
            // SAFETY: as above.
            unsafe { save::<L>(parts, lines, o, visit.half == Half::Whole) };
            o += L::N;
        }
        worst.greatest(0.0)
    }
}

impl Kernel for Close<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { parts, path, lines, h } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `close`.
            unsafe { load::<L>(parts, lines, o) };
            let [leap, spin] = leaps::<L>(parts, o);
            kick(parts, o, [leap, spin]);
            let half = L::splat(0.5);
            precess::<L>(parts, o, spin * L::splat(0.5 * h));
            warm::<L>(parts, o, leap * half);
            springs_close::<L>(parts, o, leap * half);
            // Others agree already, but for what contacts did to them last, which stands.
            kicked::<L>(parts, [leap, spin], o).store(parts.stands, o);
            rounds::<L>(parts, o, h, (Aim::Velocity, 1, 0), half, path);
            sum_up::<L>(parts, o, L::splat(1.0));
            // SAFETY: as above.
            unsafe { save::<L>(parts, lines, o, false) };
            o += L::N;
        }
    }
}

/// Begins the step of trees that do not leap with what their joints bore in a substep of the last one; the first solve takes it back.
///
/// Contacts come first: on a plank that nobody holds yet, what lies there would slide in each step by as much as all of it falls in
/// a substep. Of swept joints, the news of a weight takes many steps from joint to joint, and each has what the others repeat.
#[inline(always)]
fn repeat<L: Lane>(parts: &mut Parts, o: usize) {
    let zero = L::splat(0.0);
    for body in parts.bodies.iter_mut() {
        for part in 0..2 {
            let opposite = Vector::new(zero, zero, zero) - Vector::load(&body.velocity[part], o);
            opposite.store(&mut body.pushed[part], o);
        }
    }
    give::<L>(parts, o, L::splat(1.0) - L::load(parts.leap, o));
    note_push::<L>(parts, o);
}

/// Takes back what joints did to the velocities, and lets their impulses pull where they are.
#[inline(always)]
fn turn<L: Lane>(parts: &mut Parts, o: usize) {
    take_back::<L>(parts, o);
    give::<L>(parts, o, L::splat(1.0));
    note_push::<L>(parts, o);
}

/// Gives the bodies a share of the impulses of all rows.
#[inline(always)]
fn give<L: Lane>(parts: &mut Parts, o: usize, share: L) {
    for ((kind, place), joint) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter()) {
        let mut pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        if place.pinned {
            pair.pin(parts.bodies, joint, Vector::load(&joint.impulse, o).scale(share), o);
        }
        for (row, &(coordinate, _)) in parts.rows[place.singles()].iter().zip(&kind.rows[place.pin()..]) {
            pair.push(parts.bodies, coordinate, row, L::load(&row.impulse, o) * share, o);
        }
        pair.store(parts.bodies, o);
    }
}

/// Takes back what joints did to the velocities.
#[inline(always)]
fn take_back<L: Lane>(parts: &mut Parts, o: usize) {
    let zero = L::splat(0.0);
    for body in parts.bodies.iter_mut() {
        for part in 0..2 {
            let own = Vector::<L>::load(&body.velocity[part], o) - Vector::load(&body.pushed[part], o);
            own.store(&mut body.velocity[part], o);
            (Vector::new(zero, zero, zero) - own).store(&mut body.pushed[part], o);
        }
    }
}

/// Impulses that bring the joints together at the substep's end.
#[inline(always)]
fn solve<L: Lane>(parts: &mut Parts, o: usize, visit: Visit, share: L, path: Path) {
    // In large heaps the joints are looked at where they come to if they bear what they last bore: where the bodies would be
    // without them is far off where they bear much, and what the answer says of that is wrong by the square of the turn in between.
    let foresees = visit.foresees;
    if foresees {
        look_ahead::<L>(parts, o, visit.h);
    }
    take_back::<L>(parts, o);
    let [_, spins] = leaps::<L>(parts, o);
    let whole = L::splat(1.0);
    let part = if visit.first { whole - L::splat(0.5) * spins } else { whole };
    precess::<L>(parts, o, L::splat(visit.h) * part);
    if foresees {
        look_aside::<L>(parts, o, visit.h);
    } else {
        look::<L>(parts, o, visit.h);
    }
    warm::<L>(parts, o, share);
    rounds::<L>(parts, o, visit.h, (Aim::Position, visit.rounds, visit.more), share, path);
    if foresees {
        compare::<L>(parts, o);
    }
    if visit.again {
        again::<L>(parts, o, visit, share, path);
    }
}

/// One round more in lanes with a body or rod that turns by more than [`JOINT_AGAIN`] in the substep: its joints would be
/// left apart by about the square of that.
#[inline(always)]
fn again<L: Lane>(parts: &mut Parts, o: usize, visit: Visit, share: L, path: Path) {
    let h = visit.h;
    let zero = L::splat(0.0);
    let none = Vector::new(zero, zero, zero);
    let mut fastest = zero;
    for body in parts.bodies.iter_mut() {
        // A zero's sign would tell whether a round was run for the lanes beside it: there are as many as the processor has.
        let speed = Vector::<L>::load(&body.velocity[0], o) + none;
        let spin = Vector::<L>::load(&body.velocity[1], o) + none;
        speed.store(&mut body.velocity[0], o);
        spin.store(&mut body.velocity[1], o);
        fastest = spin.dot(spin).max(fastest);
    }
    let fastest_body = fastest;
    for (kind, joint) in parts.program.joints.iter().zip(parts.joints.iter()) {
        if kind.rows.iter().any(|&(coordinate, _)| coordinate == Coordinate::Distance) {
            let [a, b] = kind.bodies.map(|body| &parts.bodies[body as usize]);
            fastest = Placed::<L>::new(joint, [a, b], o).turning([a, b], o).max(fastest);
        }
    }
    let bound = L::splat(JOINT_AGAIN / h);
    // What nothing carries gives way by enough.
    let astray = L::splat(JOINT_ASTRAY / h);
    let astray = L::select(L::load(parts.leap, o).gt(zero), L::splat(Real::MAX), astray * astray);
    let mut turns = fastest.gt(bound * bound);
    if !visit.heap {
        turns = L::and(turns, astray.gt(fastest_body));
    }
    if L::bits(turns) == 0 {
        return;
    }
    L::select(turns, L::splat(1.0), zero).store(parts.stands, o);
    look::<L>(parts, o, h);
    rounds::<L>(parts, o, h, (Aim::Position, 1, 0), share, path);
    L::splat(1.0).store(parts.stands, o);
}

/// Makes the rows where the bodies have come to, and their velocities agree with them. Returns the greatest correction.
#[inline(always)]
fn relax<L: Lane>(parts: &mut Parts, o: usize, h: Real, share: L, path: Path) -> L {
    turn_inertia::<L>(parts, o, h);
    arrive(path, parts, o, h);
    let worst = agree::<L>(parts, o, h, share, path);
    sum_up::<L>(parts, o, L::splat(1.0));
    // The next substep begins with what a whole one takes.
    let whole = L::splat(1.0).div(share);
    for row in parts.rows.iter_mut() {
        (L::load(&row.impulse, o) * whole).store(&mut row.impulse, o);
    }
    worst
}

/// Opens the account of what the joints do to the velocities in this substep again.
#[inline(always)]
fn open_account<L: Lane>(parts: &mut Parts, o: usize) {
    for body in parts.bodies.iter_mut() {
        for part in 0..2 {
            let rest = Vector::<L>::load(&body.pushed[part], o) - Vector::load(&body.velocity[part], o);
            rest.store(&mut body.pushed[part], o);
        }
    }
}

/// Makes the velocities agree with the rows as they stand, and closes the account of that. Returns the greatest correction.
#[inline(always)]
fn agree<L: Lane>(parts: &mut Parts, o: usize, h: Real, share: L, path: Path) -> L {
    let worst = rounds::<L>(parts, o, h, (Aim::Velocity, 1, 0), share, path);
    note_push::<L>(parts, o);
    worst
}

/// Makes the velocities of trees that do not leap agree once more. Returns the greatest correction.
#[inline(always)]
fn settle<L: Lane>(parts: &mut Parts, o: usize, h: Real, path: Path) -> L {
    let one = L::splat(1.0);
    let settles = one - L::load(parts.leap, o);
    // What the sums have of these impulses already is taken out, and all of it put in.
    sum_up::<L>(parts, o, L::splat(0.0) - settles);
    settles.store(parts.stands, o);
    let worst = agree::<L>(parts, o, h, one, path);
    one.store(parts.stands, o);
    sum_up::<L>(parts, o, settles);
    worst
}

/// Makes the rows where the bodies are, and factors their matrix where it stays the same until they move: a function of its own, for it
/// is large and called for twice.
fn arrive(path: Path, parts: &mut Parts, o: usize, h: Real) {
    path.run(Arrive { parts, o, h });
    if !parts.program.bounded {
        factor::on(path, parts, o, h, true);
    }
}

struct Arrive<'a, 'b> {
    parts: &'a mut Parts<'b>,
    o: usize,
    h: Real,
}

impl Kernel for Arrive<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { parts, o, h } = self;
        stand::<L>(parts, o);
        taut::hold::<L>(parts, o, h);
        refresh::<L>(parts, o, h);
        taut::let_go::<L>(parts, o);
    }
}

/// Gives trees that leap what their springs still owe them: a `share` of a substep's impulse. Of a spring the impulse is known; of one that
/// is too stiff for the substep it is what it last was, for no motion follows to take the rounding of its stretch back.
#[inline(always)]
fn springs_close<L: Lane>(parts: &mut Parts, o: usize, share: L) {
    for (kind, place) in parts.program.joints.iter().zip(&parts.program.places) {
        let mut pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        for (row, &(coordinate, law)) in parts.rows[place.singles()].iter_mut().zip(&kind.rows[place.pin()..]) {
            if matches!(law, Law::Spring | Law::Tuned) {
                let old = L::load(&row.impulse, o);
                let pull = L::splat(0.0) - L::load(&row.pull, o);
                let pull = pull.max(L::load(&row.low, o)).min(L::load(&row.high, o));
                let resolved = L::load(&row.resolved, o);
                let impulse = pull * share * resolved + old * (L::splat(1.0) - resolved);
                pair.push(parts.bodies, coordinate, row, impulse - old, o);
                impulse.store(&mut row.impulse, o);
            }
        }
        pair.store(parts.bodies, o);
    }
}

/// Fetches the motion of the bodies.
///
/// # Safety
/// As for [`open`].
#[inline(always)]
pub(super) unsafe fn load<L: Lane>(parts: &mut Parts, lines: *const Real, o: usize) {
    for body in parts.bodies.iter_mut() {
        for part in 0..2 {
            // SAFETY: passed on to the caller; the four quads lie inside a line.
            let (q, p) = unsafe {
                (L::gather::<LINE>(lines, &body.line, o, part), L::gather::<LINE>(lines, &body.line, o, part + 2))
            };
            Vector::from_quad(q).store(&mut body.velocity[part], o);
            q[3].store(&mut body.spare[part], o);
            Vector::from_quad(p).store(&mut body.moved[part], o);
        }
    }
}

/// Puts the velocities of the bodies back, and where they `moved` to.
///
/// # Safety
/// As for [`open`].
#[inline(always)]
unsafe fn save<L: Lane>(parts: &Parts, lines: *mut Real, o: usize, moved: bool) {
    for body in parts.bodies.iter() {
        for part in 0..2 {
            let velocity = Vector::<L>::load(&body.velocity[part], o).quad(L::load(&body.spare[part], o));
            // SAFETY: passed on to the caller; the four quads lie inside a line.
            unsafe { L::scatter::<LINE>(lines, &body.line, body.write, o, part, velocity) };
            if moved {
                let moved = Vector::<L>::load(&body.moved[part], o).quad(L::splat(0.0));
                // SAFETY: as above.
                unsafe { L::scatter::<LINE>(lines, &body.line, body.write, o, part + 2, moved) };
            }
        }
    }
}

/// Whether velocities leap, and whether spins do.
#[inline(always)]
fn leaps<L: Lane>(parts: &Parts, o: usize) -> [L; 2] {
    [L::load(parts.leap, o), L::load(parts.spins, o)]
}

/// Where joints have to agree once more at the end of a step: in trees that leap, and where a spin took half a kick there.
#[inline(always)]
fn kicked<L: Lane>(parts: &Parts, [leap, spins]: [L; 2], o: usize) -> L {
    let mut kick = L::splat(0.0);
    for body in parts.bodies.iter() {
        kick = Vector::<L>::load(&body.kick[1], o).max_abs().max(kick);
        kick = L::load(&body.tumbles, o).max(kick);
    }
    L::select(kick.gt(L::splat(0.0)), spins, leap)
}

/// Adds multiples of half a substep's acceleration to the bodies' velocities, and to their spins.
#[inline(always)]
fn kick<L: Lane>(parts: &mut Parts, o: usize, shares: [L; 2]) {
    for body in parts.bodies.iter_mut() {
        for (part, share) in shares.into_iter().enumerate() {
            let velocity = Vector::<L>::load(&body.velocity[part], o);
            let kick = Vector::load(&body.kick[part], o).scale(share);
            (velocity + kick).store(&mut body.velocity[part], o);
        }
    }
}

/// The same for the velocities that the bodies start from.
///
/// # Safety
/// As for [`open`].
#[inline(always)]
unsafe fn shift<L: Lane>(parts: &Parts, starts: *mut Real, o: usize, shares: [L; 2]) {
    for body in parts.bodies.iter() {
        for (part, share) in shares.into_iter().enumerate() {
            // SAFETY: passed on to the caller; quads 0 and 1 lie inside a start.
            unsafe {
                let q = L::gather::<START>(starts, &body.line, o, part);
                let kick = Vector::load(&body.kick[part], o).scale(share);
                let quad = (Vector::from_quad(q) + kick).quad(q[3]);
                L::scatter::<START>(starts, &body.line, body.write, o, part, quad);
            }
        }
    }
}

/// The share of a substep's kick that the trees of a unit take: half of the `first` where they leap.
#[inline(always)]
fn share<L: Lane>(parts: &Parts, o: usize, first: bool) -> L {
    let one = L::splat(1.0);
    if first { one - L::splat(0.5) * L::load(parts.leap, o) } else { one }
}

/// Begins the impulses of a substep: from nothing for what is simply locked, for the rest from a share of those of the last
/// one, which say whether a row is at its bound.
#[inline(always)]
fn warm<L: Lane>(parts: &mut Parts, o: usize, share: L) {
    let none = L::splat(0.0);
    for joint in parts.joints.iter_mut() {
        Vector::new(none, none, none).store(&mut joint.impulse, o);
    }
    if !parts.program.bounded {
        for row in parts.rows.iter_mut() {
            none.store(&mut row.impulse, o);
        }
        return;
    }
    for (kind, place) in parts.program.joints.iter().zip(&parts.program.places) {
        let mut pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        for (row, &(coordinate, law)) in parts.rows[place.singles()].iter_mut().zip(&kind.rows[place.pin()..]) {
            let mut impulse = none;
            if law != Law::Lock {
                let last = L::load(&row.impulse, o);
                // A limit that was struck is not struck again.
                impulse = if law == Law::Range { lesser(last, L::load(&row.before, o)) } else { last } * share;
                last.store(&mut row.before, o);
                pair.push(parts.bodies, coordinate, row, impulse, o);
            }
            impulse.store(&mut row.impulse, o);
        }
        pair.store(parts.bodies, o);
    }
}

/// Of two that point the same way the lesser, else nothing.
#[inline(always)]
fn lesser<L: Lane>(a: L, b: L) -> L {
    let less = L::select(b.abs().gt(a.abs()), a, b);
    L::select((a * b).gt(L::splat(0.0)), less, L::splat(0.0))
}

/// Closes the account of what the joints did to the velocities in this substep.
#[inline(always)]
fn note_push<L: Lane>(parts: &mut Parts, o: usize) {
    for body in parts.bodies.iter_mut() {
        for part in 0..2 {
            let pushed = Vector::<L>::load(&body.pushed[part], o) + Vector::load(&body.velocity[part], o);
            pushed.store(&mut body.pushed[part], o);
        }
    }
}

/// Adds the substep's impulses, `times` so much, to the sums of the step.
#[inline(always)]
fn sum_up<L: Lane>(parts: &mut Parts, o: usize, times: L) {
    let none = Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0));
    for ((kind, place), joint) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter_mut()) {
        let mut force = if place.pinned { Vector::load(&joint.impulse, o) } else { none };
        let mut torque = none;
        for (row, (coordinate, _)) in parts.rows[place.singles()].iter_mut().zip(&kind.rows[place.pin()..]) {
            let impulse = L::load(&row.impulse, o);
            (L::load(&row.sum, o) + impulse * times).store(&mut row.sum, o);
            if coordinate.is_linear() {
                force = force + Vector::load(&row.axis, o).scale(impulse);
            } else {
                torque = torque + Vector::load(&row.arms[1], o).scale(impulse);
            }
        }
        let size = force.dot(force).sqrt();
        (L::load(&joint.load, o) + size * times).store(&mut joint.load, o);
        L::load(&joint.peak, o).max(size).store(&mut joint.peak, o);
        (Vector::load(&joint.force, o) + force.scale(times)).store(&mut joint.force, o);
        // A pin alone pulls at a point and twists nothing.
        if place.single_count > 0 {
            (Vector::load(&joint.torque, o) + torque.scale(times)).store(&mut joint.torque, o);
        }
    }
}
