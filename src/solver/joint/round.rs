//! One round of a pass: what the rows miss, the solve, and the impulses that mend it.

use super::eliminate::substitute;
use super::factor;
use super::geometry::{Placed, look_again, value};
use super::pair::Pair;
use super::row::{Coordinate, Law};
use super::unit::{Parts, RowLanes};
use crate::math::Real;
use crate::solver::lanes::{Kernel, Lane, Path, Row, Vector, WIDTH};
use crate::tolerances::{CUT_ROUNDS, JOINT_PUSH, JOINT_SETTLED, NET_LEAK};

/// What a pass asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// Joints together at the end of the substep.
    Position,
    /// Velocities that agree with the rows.
    Velocity,
}

/// How fast a coordinate must change by the substep's end: of what is wrong already a `part` is mended, and no faster than the
/// greatest push.
#[inline(always)]
fn mend<L: Lane>(value: L, ahead: L, target: L, over_h: L, part: L) -> L {
    pushed((value - target) * over_h * part) + (ahead - value) * over_h
}

/// A rate at which what is apart is to come together, no faster than the greatest push.
#[inline(always)]
pub(super) fn pushed<L: Lane>(rate: L) -> L {
    let most = L::splat(JOINT_PUSH);
    rate.min(most).max(L::splat(0.0) - most)
}

/// As many answers as `times`, each of as many rounds as it takes until no bound cuts off any of it, and up to so many `more` in lanes with a
/// body that the last one turned by more than [`JOINT_SETTLED`]. Returns the greatest miss of an active row when the last one was begun.
///
/// An answer of which something is cut off is wrong altogether: of ropes that carry a platform at its four corners any three say what the
/// fourth does, so that impulses of them that hold each other are hardly bounded, and the pulls without the pushes throw it about. So
/// nothing of it is given to the bodies: what would go beyond a bound is put there and takes no part any more, and the rest is
/// solved for anew. It ends, for nothing comes in. Limits that the answer passes come in with the next one, which is begun where
/// this one has led.
///
/// It is a function of its own, for it is large and called for in several passes.
///
/// Nor is a row at its bound by itself a motion that anything could make: a motor's torque on a long arm, without what the arm's other
/// links take of it, turns the first one by radians. So the joints are looked at where they would be without motors, springs and limits, or
/// after a whole answer, and what was added since counts as the rows tell.
#[inline(always)]
pub(super) fn rounds<L: Lane>(
    parts: &mut Parts,
    o: usize,
    h: Real,
    (aim, times, more): (Aim, u32, u32),
    share: L,
    path: Path,
) -> L {
    let mut shares = Row([0.0; WIDTH]);
    share.store(&mut shares, o);
    let worst = match aim {
        Aim::Position => path.run(Rounds::<true> { parts, o, h, times, more, shares, path }),
        Aim::Velocity => path.run(Rounds::<false> { parts, o, h, times, more, shares, path }),
    };
    L::load(&worst, o)
}

/// What [`rounds`] is asked for. Which aim it has decides about every row, and is known where it is compiled.
struct Rounds<'a, 'b, const POSITION: bool> {
    parts: &'a mut Parts<'b>,
    o: usize,
    h: Real,
    times: u32,
    more: u32,
    shares: Row,
    path: Path,
}

impl<const POSITION: bool> Kernel for Rounds<'_, '_, POSITION> {
    /// The greatest misses, in the lanes that were asked for.
    type Output = Row;

    #[inline(always)]
    fn run<L: Lane>(self) -> Row {
        let Self { parts, o, h, times, more, shares, path } = self;
        let aim = if POSITION { Aim::Position } else { Aim::Velocity };
        let mut worst = Row([0.0; WIDTH]);
        rounds_here::<L>(parts, o, h, (aim, times, more), L::load(&shares, o), path).store(&mut worst, o);
        worst
    }
}

#[inline(always)]
fn rounds_here<L: Lane>(
    parts: &mut Parts,
    o: usize,
    h: Real,
    (aim, mut times, mut more): (Aim, u32, u32),
    share: L,
    path: Path,
) -> L {
    let zero = L::splat(0.0);
    let stands = L::load(parts.stands, o);
    let mends = parts.program.bounded && !parts.swept;
    let (mut worst, mut cut) = (zero, zero);
    // One loop for all: a round is a large function, and in line.
    let (mut answers, mut mended) = (0, 0);
    let mut here = stands;
    while answers < times {
        let rows = if mended == 0 { Rows::All } else { Rows::Active };
        if aim == Aim::Position && rows == Rows::All && answers > 0 {
            look_again::<L>(parts, o, h, L::and(L::splat(Real::MIN_POSITIVE).gt(cut), here.gt(zero)));
        }
        let missed;
        (missed, cut) = round::<L>(parts, o, h, aim, share, (rows, mends && mended < CUT_ROUNDS), path);
        if rows == Rows::All {
            worst = missed;
            if mends {
                for velocity in parts.bodies.iter_mut().flat_map(|body| &mut body.velocity) {
                    // A zero's sign would tell whether a round was run for the lanes beside it.
                    (Vector::<L>::load(velocity, o) + Vector::new(zero, zero, zero)).store(velocity, o);
                }
            }
        }
        let again = cut.gt(zero);
        if mends && mended < CUT_ROUNDS && L::bits(again) != 0 {
            mended += 1;
            L::select(again, L::load(parts.stands, o), zero).store(parts.stands, o);
        } else {
            (answers, mended) = (answers + 1, 0);
            if answers == times && more > 0 {
                let turned = turned::<L>(parts, o, h);
                here = L::select(turned, here, zero);
                (times, more) = (times + u32::from(L::bits(turned) != 0), more - 1);
            }
            here.store(parts.stands, o);
        }
    }
    stands.store(parts.stands, o);
    worst
}

/// Where some body was turned by more than [`JOINT_SETTLED`] since it was looked at last, in a substep of `h` (s).
#[inline(always)]
fn turned<L: Lane>(parts: &Parts, o: usize, h: Real) -> L::Mask {
    let mut most = L::splat(0.0);
    for body in parts.bodies.iter() {
        let by = Vector::<L>::load(&body.velocity[1], o) - Vector::load(&body.seen[1], o);
        most = by.dot(by).max(most);
    }
    let bound = L::splat(JOINT_SETTLED / h);
    most.gt(bound * bound)
}

/// Which rows with bounds may take part in a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    All,
    /// Those that took part in the last one.
    Active,
}

/// Misses of all rows, active set, solve, bounds, impulses. Returns the greatest miss of an active row, and the greatest part of its
/// impulse that bounds cut off a row (N s, N m s). `share` is how much of a substep's force motors and springs have. Where something is cut
/// off and the round is to be `mended` by another, nothing is given but what puts that at its bound.
#[inline(always)]
fn round<L: Lane>(
    parts: &mut Parts,
    o: usize,
    h: Real,
    aim: Aim,
    share: L,
    (rows, mended): (Rows, bool),
    path: Path,
) -> (L, L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let worst = miss(parts, o, (L::splat(h), L::splat(1.0 / h)), aim, share, rows);
    if parts.program.bounded {
        factor::on(path, parts, o, h, aim == Aim::Position);
    }
    substitute::<L>(parts, o);
    let kept = if parts.swept && aim == Aim::Position { L::splat(1.0 - NET_LEAK) } else { one };
    let cut = if parts.program.bounded { cut_off::<L>(parts, o, share, kept) } else { zero };
    let given = if mended { L::select(cut.gt(zero), zero, one) } else { one };
    for ((kind, place), joint) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter_mut()) {
        let mut pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        if let [x, y, z, ..] = &parts.changes[place.row as usize..][..place.pin()] {
            let impulse = Vector::new(L::load(x, o), L::load(y, o), L::load(z, o)).scale(kept * given);
            (Vector::load(&joint.impulse, o) + impulse).store(&mut joint.impulse, o);
            pair.pin(parts.bodies, joint, impulse, o);
        }
        let slots = &parts.program.slots[place.singles()];
        let list = parts.rows[place.singles()].iter_mut().zip(slots).zip(&kind.rows[place.pin()..]);
        for ((row, &slot), &(coordinate, law)) in list {
            let (old, change) = (L::load(&row.impulse, o), L::load(&parts.changes[slot as usize], o));
            let new = if law == Law::Lock {
                (old + change * given) * kept
            } else {
                let active = L::load(&row.active, o);
                let [asked, within] = within(row, law, change, share, kept, o);
                let beyond = (asked - within).abs().gt(zero);
                // What is at its bound stays there until the next answer.
                let waits = one.gt(given);
                L::select(L::and(beyond, waits), zero, active).store(&mut row.active, o);
                let given = L::select(beyond, within, L::select(waits, old, within));
                L::select(active.gt(zero), given, old)
            };
            new.store(&mut row.impulse, o);
            pair.push(parts.bodies, coordinate, row, new - old, o);
        }
        pair.store(parts.bodies, o);
    }
    (worst, cut)
}

/// The greatest part of its impulse that bounds cut off an active row (N s, N m s).
#[inline(always)]
fn cut_off<L: Lane>(parts: &Parts, o: usize, share: L, kept: L) -> L {
    let mut cut = L::splat(0.0);
    for (kind, place) in parts.program.joints.iter().zip(&parts.program.places) {
        let slots = &parts.program.slots[place.singles()];
        for ((row, &slot), &(_, law)) in parts.rows[place.singles()].iter().zip(slots).zip(&kind.rows[place.pin()..]) {
            if law != Law::Lock {
                let change = L::load(&parts.changes[slot as usize], o);
                let [asked, within] = within(row, law, change, share, kept, o);
                cut = (L::load(&row.active, o) * (asked - within)).abs().max(cut);
            }
        }
    }
    cut
}

/// The impulse that a row with bounds would have after a change, and within its bounds. What drives and pulls is not let go.
#[inline(always)]
fn within<L: Lane>(row: &RowLanes, law: Law, change: L, share: L, kept: L, o: usize) -> [L; 2] {
    let asked = L::load(&row.impulse, o) + change;
    let asked = if law == Law::Range { asked * kept } else { asked };
    let [low, high] = bounds(row, law, share, o);
    [asked, asked.max(low).min(high)]
}

/// What the rows miss, with the opposite sign into `changes`, and which of them take part. Returns the greatest miss.
#[inline(always)]
fn miss<L: Lane>(parts: &mut Parts, o: usize, (h, over_h): (L, L), aim: Aim, share: L, rows: Rows) -> L {
    let zero = L::splat(0.0);
    let stands = L::load(parts.stands, o);
    let opposite = zero - stands;
    let part = L::load(parts.mends, o);
    let mut worst = zero;
    for ((kind, place), joint) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter()) {
        let pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        let [a, b] = kind.bodies.map(|body| &parts.bodies[body as usize]);
        let placed = Placed::<L>::new(joint, [a, b], o);
        let since = pair.since(parts.bodies, o);
        if let [x, y, z, ..] = &mut parts.changes[place.row as usize..][..place.pin()] {
            let miss = if aim == Aim::Velocity {
                pair.parting(joint, o)
            } else {
                let now = Vector::load(&joint.parted, o);
                let ahead = placed.gap + since.parting(joint, o).scale(h);
                Vector::new(
                    mend(now.x, ahead.x, zero, over_h, part),
                    mend(now.y, ahead.y, zero, over_h, part),
                    mend(now.z, ahead.z, zero, over_h, part),
                )
            };
            let change = miss.scale(opposite);
            worst = change.max_abs().max(worst);
            change.x.store(x, o);
            change.y.store(y, o);
            change.z.store(z, o);
        }
        let first = place.row as usize + place.pin();
        let (leads, followers) = parts.rows[place.singles()].split_at_mut(place.leads().len());
        let (lead_kinds, follower_kinds) = kind.rows[place.pin()..].split_at(leads.len());
        let slots = &parts.program.slots[place.followers()];
        let shared = || slots.iter().map(|&slot| slot as usize - first);
        if rows == Rows::All {
            for ((row, &(_, law)), lead) in followers.iter_mut().zip(follower_kinds).zip(shared()) {
                divide(&mut leads[lead], (row, law), aim, (share, stands), over_h, o);
            }
        }
        // What its limits leave to what drives the same coordinate: two rows that ask for different rates of one would be
        // answered by impulses without bound.
        let mut room = None;
        let changes = &mut parts.changes[first..];
        for ((row, change), &(coordinate, law)) in leads.iter_mut().zip(&mut *changes).zip(lead_kinds) {
            let mut ahead = zero;
            if aim == Aim::Position {
                ahead = value(coordinate, &placed, row, o) + since.rate(coordinate, row, o) * h;
            }
            if law == Law::Range {
                room = Some((coordinate, room_left(row, over_h, o)));
            }
            let miss = match law {
                Law::Lock if aim == Aim::Velocity => pair.rate(coordinate, row, o),
                Law::Lock => mend(L::load(&row.value, o), ahead, L::load(&row.target, o), over_h, part),
                _ => {
                    let mine = room.filter(|(limited, _)| *limited == coordinate).map(|(_, rates)| rates);
                    let stands = if rows == Rows::Active { stands * L::load(&row.active, o) } else { stands };
                    bounded(row, law, ahead, &pair, coordinate, aim, (share, stands), (over_h, part, mine), o)
                }
            };
            let active = if law == Law::Lock { stands } else { L::load(&row.active, o) };
            // Elsewhere all take part: the matrix is that of the whole substep, whichever lanes a round is for.
            if parts.program.bounded {
                active.store(&mut row.active, o);
                active.store(&mut row.takes_part, o);
            }
            let miss = active * miss;
            worst = miss.abs().max(worst);
            (zero - miss).store(change, o);
        }
        for ((row, &(coordinate, law)), lead) in followers.iter_mut().zip(follower_kinds).zip(shared()) {
            let lead_row = &mut leads[lead];
            let room = Some(room_left(lead_row, over_h, o));
            let stands = if rows == Rows::Active { stands * L::load(&row.active, o) } else { stands };
            let miss = bounded(row, law, zero, &pair, coordinate, aim, (share, stands), (over_h, part, room), o);
            // What limits comes first.
            let leads = L::load(&lead_row.active, o);
            let active = L::load(&row.active, o) * (L::splat(1.0) - leads);
            active.store(&mut row.active, o);
            (leads + active).store(&mut lead_row.takes_part, o);
            (L::load(&row.softness, o) * active).store(&mut lead_row.softness, o);
            let miss = active * miss;
            worst = miss.abs().max(worst);
            (L::load(&changes[lead], o) - miss).store(&mut changes[lead], o);
        }
    }
    worst
}

/// Divides what a limit and what drives the same coordinate bear together anew: at the limit the drive has what it has at that rate, and
/// elsewhere the limit has nothing. In lanes that do not stand nothing is touched: those beside them decide whether it comes to this.
#[inline(always)]
fn divide<L: Lane>(
    limit: &mut RowLanes,
    (drive, law): (&mut RowLanes, Law),
    aim: Aim,
    (share, stands): (L, L),
    over_h: L,
    o: usize,
) {
    let zero = L::splat(0.0);
    let held = L::load(&limit.impulse, o);
    let driven = L::load(&drive.impulse, o);
    let (both, above) = (held + driven, is_above::<L>(limit, o));
    let [least, most] = room_left(limit, over_h, o);
    let [low, high] = bounds(drive, law, share, o);
    let inside = both.max(low).min(high);
    let has = match law {
        Law::Spring | Law::Tuned if aim == Aim::Velocity => return,
        Law::Spring | Law::Tuned => {
            let softness = L::load(&drive.softness, o);
            let gives = softness.gt(zero);
            let rate = L::select(above, most, least).div(L::select(gives, softness, L::splat(1.0)));
            let asked = zero - rate - L::load(&drive.pull, o) * share;
            L::select(gives, asked.max(low).min(high), inside)
        }
        _ => {
            let wanted = L::load(&drive.target, o);
            let below = L::select(wanted.gt(least), high, inside);
            L::select(above, L::select(most.gt(wanted), low, inside), below)
        }
    };
    let rest = both - has;
    let [held_it, holds] = [L::select(above, zero - held, held).gt(zero), L::select(above, zero - rest, rest).gt(zero)];
    let held_it = L::and(held_it, stands.gt(zero));
    let [limit_has, drive_has] = [L::select(holds, rest, zero), L::select(holds, has, both)];
    L::select(held_it, limit_has, held).store(&mut limit.impulse, o);
    L::select(held_it, drive_has, driven).store(&mut drive.impulse, o);
}

/// Least and greatest impulse of a row that has bounds.
#[inline(always)]
fn bounds<L: Lane>(row: &RowLanes, law: Law, share: L, o: usize) -> [L; 2] {
    let (low, high) = (L::load(&row.low, o) * share, L::load(&row.high, o) * share);
    if law != Law::Range {
        return [low, high];
    }
    let above = is_above::<L>(row, o);
    [L::select(above, low, L::splat(0.0)), L::select(above, L::splat(0.0), high)]
}

/// The least and the greatest rate that keep a coordinate within its range over the substep; none back where it is beyond,
/// for its limit brings it back.
#[inline(always)]
fn room_left<L: Lane>(row: &RowLanes, over_h: L, o: usize) -> [L; 2] {
    let (value, zero) = (L::load(&row.value, o), L::splat(0.0));
    let [least, most] = [&row.target, &row.target_high].map(|end| (L::load(end, o) - value) * over_h);
    [least.min(zero), most.max(zero)]
}

/// Whether a coordinate is nearer to the upper end of its range.
#[inline(always)]
fn is_above<L: Lane>(row: &RowLanes, o: usize) -> L::Mask {
    L::load(&row.value, o).gt(L::splat(0.5) * (L::load(&row.target, o) + L::load(&row.target_high, o)))
}

/// The miss of a row that has bounds; notes whether it takes part: at a bound only where its impulse would go back inside.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn bounded<L: Lane>(
    row: &mut RowLanes,
    law: Law,
    ahead: L,
    pair: &Pair<L>,
    coordinate: Coordinate,
    aim: Aim,
    (share, stands): (L, L),
    (over_h, part, room): (L, L, Option<[L; 2]>),
    o: usize,
) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (value, target) = (L::load(&row.value, o), L::load(&row.target, o));
    let impulse = L::load(&row.impulse, o);
    let miss = match (law, aim) {
        (Law::Range, _) => {
            let above = is_above::<L>(row, o);
            let bound = L::select(above, L::load(&row.target_high, o), target);
            if aim == Aim::Position {
                // What is beyond comes back no faster than the greatest push; what is inside may use all its room.
                let (most, off) = (L::splat(JOINT_PUSH), value - bound);
                let (over, under) = (off.max(zero), off.min(zero));
                let wrong = (L::select(above, over, under) * part + L::select(above, under, over)) * over_h;
                L::select(above, wrong.min(most), wrong.max(zero - most)) + (ahead - value) * over_h
            } else {
                let gap = value - bound;
                let gap = L::select(above, gap.min(zero), gap.max(zero));
                pair.rate(coordinate, row, o) + gap * over_h
            }
        }
        (Law::Spring | Law::Tuned, Aim::Position) => {
            let held = L::load(&row.pull, o) * share + impulse;
            pair.rate(coordinate, row, o) + L::load(&row.softness, o) * held
        }
        (Law::Spring | Law::Tuned, Aim::Velocity) => {
            zero.store(&mut row.active, o);
            return zero;
        }
        _ => {
            let wanted = room.map_or(target, |[least, most]| target.max(least).min(most));
            pair.rate(coordinate, row, o) - wanted
        }
    };
    let [low, high] = bounds(row, law, share, o);
    let inside = L::select(impulse.gt(low), one, L::select(zero.gt(miss), one, zero));
    let active = stands * L::select(high.gt(impulse), inside, L::select(miss.gt(zero), inside, zero));
    active.store(&mut row.active, o);
    miss
}
