//! The matrix of a tree of joints: assembly and factor, eight trees at a time.

use super::eliminate::eliminate;
use super::geometry::massed;
use super::program::{Couple, Place, Program};
use super::unit::{BodyLanes, JointLanes, Parts, RowLanes};
use crate::index::NONE;
use crate::math::Real;
use crate::solver::lanes::{Kernel, Lane, Path, Row, Vector};
use crate::tolerances::{JOINT_SLACK, JOINT_SLACK_FREE, JOINT_STIFF};

/// Assembles and factors the matrix of a unit, in the lanes from `o` on, as a function of its own: it is called for in several
/// passes. `h` is the substep (s); `springs` says whether springs take part.
#[inline(always)]
pub(super) fn on(path: Path, parts: &mut Parts, o: usize, h: Real, springs: bool) {
    let finer = if parts.stiff { 1.0 } else { finer(h) };
    let free = if parts.stiff { JOINT_SLACK } else { JOINT_SLACK_FREE };
    path.run(Factor { parts, o, slack: [JOINT_SLACK * finer, free * finer], springs });
}

/// How many times more is added to the diagonal in a substep of `h` (s).
///
/// Joints that are solved anew in each substep stretch under a force `f` by `slack k h² f`, with `k` for how they answer to
/// impulses. If that fell with the substep, what is taut would be the tauter the more substeps it got, and get the more substeps
/// for it; and each change of them would pluck it.
fn finer(h: Real) -> Real {
    let finer = JOINT_STIFF / h;
    (finer * finer).max(1.0)
}

struct Factor<'a, 'b> {
    parts: &'a mut Parts<'b>,
    o: usize,
    /// The part of itself that is added to the diagonal: of trees that something carries, and of those that leap.
    slack: [Real; 2],
    springs: bool,
}

impl Kernel for Factor<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        factor::<L>(self.parts, self.o, self.slack, self.springs);
    }
}

/// Assembles the matrix of the active rows and factors it, `L D L^T`. The diagonal ends up as the inverse of D.
///
/// A little of each diagonal entry is added to it, so that rows that say the same thing twice share the load instead of
/// dividing by zero; what that leaves undone is done in the next pass. An inactive row is taken out of it.
#[inline(always)]
fn factor<L: Lane>(parts: &mut Parts, o: usize, [carried, free]: [Real; 2], springs: bool) {
    let leaps = L::load(parts.leap, o).gt(L::splat(0.0));
    let slack = L::select(leaps, L::splat(free), L::splat(carried));
    let Parts { program, bodies, joints, rows, matrix, stands, .. } = parts;
    let count = program.row_count();
    let (diagonal, below) = matrix.split_at_mut(2 * count);
    let (diagonal, least) = diagonal.split_at_mut(count);
    for (number, (kind, place)) in program.joints.iter().zip(&program.places).enumerate() {
        let pair = kind.bodies.map(|body| &bodies[body as usize]);
        let singles = &rows[place.leads()];
        if place.pinned {
            own_pin::<L>(place, &joints[number], pair, singles, (diagonal, below), o);
        }
        own_singles::<L>(place, pair, singles, (diagonal, below), o);
        let stands = L::load(stands, o);
        for row in place.row as usize..place.single_row() {
            give_way(&mut diagonal[row], &mut least[row], (slack, L::splat(0.0)), stands, o);
        }
        for (k, row) in place.leads().zip(place.single_row()..) {
            let soft = if springs { L::load(&rows[k].softness, o) } else { L::splat(0.0) };
            let own = L::splat(program.slack[k]) * L::load(&rows[k].active, o);
            let takes_part = L::load(&rows[k].takes_part, o);
            give_way(&mut diagonal[row], &mut least[row], (own.max(slack), soft), takes_part, o);
        }
    }
    for &entry in &program.fill {
        L::splat(0.0).store(&mut below[entry as usize], o);
    }
    for couple in &program.couples {
        join::<L>(program, couple, bodies, joints, rows, below, o);
    }
    if program.bounded {
        leave_out::<L>(program, rows, L::load(stands, o), below, o);
    }
    eliminate::<L>(program, diagonal, least, below, o);
}

/// The entries of a pin among themselves, and of the other rows of its joint in its columns.
#[inline(always)]
fn own_pin<L: Lane>(
    place: &Place,
    joint: &JointLanes,
    bodies: [&BodyLanes; 2],
    singles: &[RowLanes],
    (diagonal, below): (&mut [Row], &mut [Row]),
    o: usize,
) {
    let pin = Pin {
        place,
        turns: [&joint.turns[0], &joint.turns[1]],
        arms: [Vector::<L>::load(&joint.arms[0], o), Vector::load(&joint.arms[1], o)],
        mass: Vector::load(&bodies[0].mass, o) + Vector::load(&bodies[1].mass, o),
    };
    // One after another: a loop around loops is not unrolled, and looks up in each turn which column it is at.
    own_pin_column::<L, 0>(&pin, singles, (diagonal, below), o);
    own_pin_column::<L, 1>(&pin, singles, (diagonal, below), o);
    own_pin_column::<L, 2>(&pin, singles, (diagonal, below), o);
}

/// A pin with its arms at hand.
struct Pin<'a, L> {
    place: &'a Place,
    turns: [&'a [[Row; 3]; 3]; 2],
    arms: [Vector<L>; 2],
    /// The sum of the inverse masses of both bodies.
    mass: Vector<L>,
}

/// Column K of a pin.
#[inline(always)]
fn own_pin_column<L: Lane, const K: usize>(
    pin: &Pin<L>,
    singles: &[RowLanes],
    (diagonal, below): (&mut [Row], &mut [Row]),
    o: usize,
) {
    let turns = [Vector::<L>::load(&pin.turns[0][K], o), Vector::<L>::load(&pin.turns[1][K], o)];
    let column = along::<L, K>(turns[0].cross(pin.arms[0]) + turns[1].cross(pin.arms[1]), pin.mass);
    let column = [column.x, column.y, column.z];
    column[K].store(&mut diagonal[pin.place.row as usize + K], o);
    let entries = &mut below[pin.place.column(K)..][..pin.place.count as usize - 1 - K];
    for under in K + 1..3 {
        column[under].store(&mut entries[under - K - 1], o);
    }
    for (row, entry) in singles.iter().zip(&mut entries[2 - K..]) {
        // What is beside a pin is about turning.
        let angular = Vector::load(&row.arms[0], o).dot(turns[0]) + Vector::load(&row.arms[1], o).dot(turns[1]);
        angular.store(entry, o);
    }
}

/// A vector, and component K of another added to its own.
#[inline(always)]
fn along<L: Lane, const K: usize>(mut v: Vector<L>, mass: Vector<L>) -> Vector<L> {
    match K {
        0 => v.x = v.x + mass.x,
        1 => v.y = v.y + mass.y,
        _ => v.z = v.z + mass.z,
    }
    v
}

/// The entries among themselves of the rows of a joint that are not of a pin.
#[inline(always)]
fn own_singles<L: Lane>(
    place: &Place,
    bodies: [&BodyLanes; 2],
    singles: &[RowLanes],
    (diagonal, below): (&mut [Row], &mut [Row]),
    o: usize,
) {
    for (k, column) in singles.iter().enumerate() {
        let turns = [Vector::<L>::load(&column.turns[0], o), Vector::<L>::load(&column.turns[1], o)];
        let axis = Vector::<L>::load(&column.axis, o);
        let along = massed(axis, &bodies[0].mass, o) + massed(axis, &bodies[1].mass, o);
        single_by_single(column, turns, along, o).store(&mut diagonal[place.single_row() + k], o);
        for (row, entry) in singles[k + 1..].iter().zip(&mut below[place.column(place.pin() + k)..]) {
            single_by_single(row, turns, along, o).store(entry, o);
        }
    }
}

/// The entry of a row that is not of a pin in a column of the same joint.
#[inline(always)]
fn single_by_single<L: Lane>(row: &RowLanes, turns: [Vector<L>; 2], along: Vector<L>, o: usize) -> L {
    let angular = Vector::load(&row.arms[0], o).dot(turns[0]) + Vector::load(&row.arms[1], o).dot(turns[1]);
    angular + Vector::load(&row.axis, o).dot(along)
}

/// Adds what a row gives way to its entry of the diagonal, and notes the least that elimination may leave of it. `ways` is a
/// fraction of the entry, and what is added beside.
#[inline(always)]
fn give_way<L: Lane>(entry: &mut Row, least: &mut Row, (slack, soft): (L, L), active: L, o: usize) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let own = L::load(entry, o);
    let slack = own * slack;
    let takes_part = L::and(own.gt(L::splat(Real::MIN_POSITIVE)), active.gt(zero));
    L::select(takes_part, own + slack + soft, one).store(entry, o);
    L::select(takes_part, slack * L::splat(0.5), one).store(least, o);
}

/// The entries of two joints that share a body: the rows of the second in the columns of the first.
#[inline(always)]
fn join<L: Lane>(
    program: &Program,
    couple: &Couple,
    bodies: &[BodyLanes],
    joints: &[JointLanes],
    rows: &[RowLanes],
    below: &mut [Row],
    o: usize,
) {
    let [first, second] = couple.joints.map(|joint| &program.places[joint as usize]);
    let [mine, other] = couple.sides.map(usize::from);
    let sign = L::splat(if mine == other { 1.0 } else { -1.0 });
    let mass = Vector::<L>::load(&bodies[couple.body as usize].mass, o).scale(sign);
    let under = &joints[couple.joints[1] as usize];
    let shared = Shared {
        place: first,
        singles: &rows[second.leads()],
        pinned: second.pinned,
        side: other,
        sign,
        mass,
        arm: Vector::<L>::load(&under.arms[other], o).scale(sign),
        offset: couple.offset as usize,
        adds: couple.adds,
    };
    if first.pinned {
        let turns = &joints[couple.joints[0] as usize].turns[mine];
        join_pin_column::<L, 0>(&shared, turns, below, o);
        join_pin_column::<L, 1>(&shared, turns, below, o);
        join_pin_column::<L, 2>(&shared, turns, below, o);
    }
    for (k, column) in rows[first.leads()].iter().enumerate() {
        let entries = shared.entries(below, first.pin() + k);
        let turns = Vector::<L>::load(&column.turns[mine], o);
        let axis = Vector::<L>::load(&column.axis, o);
        let along = Vector::new(axis.x * mass.x, axis.y * mass.y, axis.z * mass.z);
        if second.pinned {
            put_pin(turns.cross(shared.arm) + along, entries, couple.adds, o);
        }
        for (row, entry) in shared.singles.iter().zip(&mut entries[second.pin()..]) {
            let angular = Vector::load(&row.arms[other], o).dot(turns) * sign;
            put(angular + Vector::load(&row.axis, o).dot(along), entry, couple.adds, o);
        }
    }
}

/// A body that two joints share, as the entries of the second in columns of the first see it.
struct Shared<'a, L> {
    place: &'a Place,
    /// The rows of the second in the matrix that are not of its pin, whether it has one, and on which of its sides the body is.
    singles: &'a [RowLanes],
    pinned: bool,
    side: usize,
    /// Minus where the body is on different sides; with this sign the inverse mass, and the arm of the second's pin.
    sign: L,
    mass: Vector<L>,
    arm: Vector<L>,
    offset: usize,
    adds: bool,
}

impl<L> Shared<'_, L> {
    /// The entries of the second in column `k` of the first, and what follows. Each column lists the rest of its own joint first.
    #[inline(always)]
    fn entries<'b>(&self, below: &'b mut [Row], k: usize) -> &'b mut [Row] {
        &mut below[self.place.column(k) + self.place.count as usize - 1 - k + self.offset..]
    }
}

/// Column K of the first joint's pin at the second's rows.
#[inline(always)]
fn join_pin_column<L: Lane, const K: usize>(shared: &Shared<L>, turns: &[[Row; 3]; 3], below: &mut [Row], o: usize) {
    let turns = Vector::<L>::load(&turns[K], o);
    let entries = shared.entries(below, K);
    if shared.pinned {
        put_pin(along::<L, K>(turns.cross(shared.arm), shared.mass), entries, shared.adds, o);
    }
    let mass = [shared.mass.x, shared.mass.y, shared.mass.z][K];
    for (row, entry) in shared.singles.iter().zip(&mut entries[if shared.pinned { 3 } else { 0 }..]) {
        let angular = Vector::load(&row.arms[shared.side], o).dot(turns) * shared.sign;
        put(angular + mass * L::load(&row.axis[K], o), entry, shared.adds, o);
    }
}

/// Puts the three entries of a pin in a column, or adds to them.
#[inline(always)]
fn put_pin<L: Lane>(v: Vector<L>, entries: &mut [Row], adds: bool, o: usize) {
    let [x, y, z, ..] = entries else { unreachable!("a pin has three rows") };
    put(v.x, x, adds, o);
    put(v.y, y, adds, o);
    put(v.z, z, adds, o);
}

/// Puts an entry, or adds to it.
#[inline(always)]
fn put<L: Lane>(x: L, entry: &mut Row, adds: bool, o: usize) {
    let x = if adds { L::load(entry, o) + x } else { x };
    x.store(entry, o);
}

/// Takes the inactive rows out.
#[inline(always)]
fn leave_out<L: Lane>(program: &Program, rows: &[RowLanes], stands: L, below: &mut [Row], o: usize) {
    for (row, column) in program.columns.iter().enumerate() {
        let mine = active(program, rows, stands, row, o);
        for (&under, entry) in program.below[column.entries.clone()].iter().zip(&mut below[column.entries.clone()]) {
            let other = active(program, rows, stands, under as usize, o);
            (L::load(entry, o) * (mine * other)).store(entry, o);
        }
    }
}

/// 1 where a row takes part, else 0.
#[inline(always)]
fn active<L: Lane>(program: &Program, rows: &[RowLanes], stands: L, row: usize, o: usize) -> L {
    match program.columns[row].single {
        NONE => stands,
        single => L::load(&rows[single as usize].takes_part, o),
    }
}
