//! Assembly of the Delassus matrix of joint groups, in lanes.
//!
//! The matrix of a group with bounds depends on its active rows, and on nothing else that changes
//! before its joints are linearised again. Solutions with the same active rows share one factor.

use super::batch::{BatchView, BodyLanes, JointLanes, RowLanes};
use super::jacobians::times_inverse_mass;
use super::ldlt::factorise;
use super::row::Coordinate;
use super::symbolic::{JointBlock, OffDiagonal, SymbolicFactor};
use crate::ids::NONE;
use crate::math::Real;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, Wide};
use crate::tolerances::{CFM_REFERENCE_SUBSTEP, CONTACT_FREE_CFM, JOINTS};

/// Assembles and factors the matrix of a batch, in the lanes from `o` on. `h` is the substep (s);
/// `springs` says whether springs are active. Not inlined: it is large and called by several
/// passes.
#[inline(always)]
pub(super) fn assemble_and_factor(simd: SimdLevel, view: &mut BatchView, o: usize, h: Real, springs: bool) {
    let cfm_scale = if view.rigid { 1.0 } else { cfm_scale(h) };
    let contact_free_cfm = if view.rigid { JOINTS.cfm } else { CONTACT_FREE_CFM };
    simd.run(Assemble { view, o, cfm: [JOINTS.cfm * cfm_scale, contact_free_cfm * cfm_scale], springs });
}

/// Factors the matrix of the active rows of a group with bounds, unless that was done since its joints
/// were linearised.
#[inline(always)]
pub(super) fn factor_active_rows<L: Simd>(simd: SimdLevel, view: &mut BatchView, o: usize, h: Real, springs: bool) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let state = if springs && view.factor.has_springs { one + one } else { one };
    let active_lanes = L::load(view.active_lanes, o);
    let mut change = (L::load(view.factored_lanes, o) - state).abs();
    for row in view.rows.iter() {
        change = (L::load(&row.factored, o) - activity(row, o)).abs().max(change);
    }
    if L::bits(L::and(active_lanes.gt(zero), change.gt(zero))) == 0 {
        return;
    }
    assemble_and_factor(simd, view, o, h, springs);
    (active_lanes * state).store(view.factored_lanes, o);
    for row in view.rows.iter_mut() {
        activity::<L>(row, o).store(&mut row.factored, o);
    }
}

/// Activity of a row and of its matrix row, as one number.
#[inline(always)]
fn activity<L: Simd>(row: &RowLanes, o: usize) -> L {
    L::load(&row.active, o) + L::load(&row.in_matrix, o) * L::splat(2.0)
}

/// Factor of the CFM for a substep of `h` (s), so that the compliance has a lower bound for short
/// substeps.
///
/// Joints solved anew in each substep stretch under a force `f` by `cfm k h² f` with the inverse
/// effective mass `k`. If the stretch fell with the substep, taut joints would become stiffer with
/// more substeps and so ask for still more.
fn cfm_scale(h: Real) -> Real {
    let cfm_scale = CFM_REFERENCE_SUBSTEP / h;
    (cfm_scale * cfm_scale).max(1.0)
}

struct Assemble<'a, 'b> {
    view: &'a mut BatchView<'b>,
    o: usize,
    /// CFM as a fraction of the diagonal: of groups in contact, and of contact-free groups.
    cfm: [Real; 2],
    springs: bool,
}

impl SimdKernel for Assemble<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        assemble::<L>(self.view, self.o, self.cfm, self.springs);
    }
}

/// Assembles the matrix of the active rows and factors it, `L D L^T`. The diagonal ends as the
/// inverse of D.
///
/// The CFM adds a small fraction to each diagonal entry, so that redundant rows share a load
/// instead of dividing by zero; the next pass corrects the remaining error. Inactive rows are
/// masked.
#[inline(always)]
fn assemble<L: Simd>(view: &mut BatchView, o: usize, [contact_cfm, contact_free_cfm]: [Real; 2], springs: bool) {
    let contact_free = L::load(view.leapfrog, o).gt(L::splat(0.0));
    let cfm = L::select(contact_free, L::splat(contact_free_cfm), L::splat(contact_cfm));
    let BatchView { factor, bodies, joints, rows, matrix, active_lanes, .. } = view;
    let count = factor.row_count();
    let (diagonal, below) = matrix.split_at_mut(2 * count);
    let (diagonal, min_pivot) = diagonal.split_at_mut(count);
    for (number, (kind, block)) in factor.joints.iter().zip(&factor.blocks).enumerate() {
        let pair = kind.bodies.map(|body| &bodies[body as usize]);
        let scalar_rows = &rows[block.leads()];
        if block.has_point {
            point_block::<L>(block, &joints[number], pair, scalar_rows, (diagonal, below), o);
        }
        if let [(Coordinate::Pulley, _)] = kind.rows[..] {
            pulley_entry::<L>(&scalar_rows[0], pair, o).store(&mut diagonal[block.first_scalar_row()], o);
        } else {
            scalar_block::<L>(block, pair, scalar_rows, (diagonal, below), o);
        }
        let active_lanes = L::load(active_lanes, o);
        for row in block.row as usize..block.first_scalar_row() {
            add_cfm(&mut diagonal[row], &mut min_pivot[row], (cfm, L::splat(0.0)), active_lanes, o);
        }
        for (k, row) in block.leads().zip(block.first_scalar_row()..) {
            let soft = if springs { L::load(&rows[k].softness, o) } else { L::splat(0.0) };
            let own = L::splat(factor.cfm[k]) * L::load(&rows[k].active, o);
            let in_matrix = L::load(&rows[k].in_matrix, o);
            add_cfm(&mut diagonal[row], &mut min_pivot[row], (own.max(cfm), soft), in_matrix, o);
        }
    }
    for &entry in &factor.fill {
        L::splat(0.0).store(&mut below[entry as usize], o);
    }
    for pair_entry in &factor.off_diagonals {
        off_diagonal_block::<L>(factor, pair_entry, bodies, joints, rows, below, o);
    }
    if factor.has_bounds {
        mask_inactive::<L>(factor, rows, L::load(active_lanes, o), below, o);
    }
    factorise::<L>(factor, diagonal, min_pivot, below, o);
}

/// Diagonal block of a point constraint, and the entries of the joint's scalar rows in its columns.
#[inline(always)]
fn point_block<L: Simd>(
    block: &JointBlock,
    joint: &JointLanes,
    bodies: [&BodyLanes; 2],
    scalar_rows: &[RowLanes],
    (diagonal, below): (&mut [Wide], &mut [Wide]),
    o: usize,
) {
    let point = PointBlock {
        block,
        angular_response: [&joint.angular_response[0], &joint.angular_response[1]],
        arms: [Vector::<L>::load(&joint.arms[0], o), Vector::load(&joint.arms[1], o)],
        mass: Vector::load(&bodies[0].mass, o) + Vector::load(&bodies[1].mass, o),
    };
    // Written out: a nested loop would not be unrolled, and would look up its column in each
    // iteration.
    point_column::<L, 0>(&point, scalar_rows, (diagonal, below), o);
    point_column::<L, 1>(&point, scalar_rows, (diagonal, below), o);
    point_column::<L, 2>(&point, scalar_rows, (diagonal, below), o);
}

/// A point constraint with its arms loaded.
struct PointBlock<'a, L> {
    block: &'a JointBlock,
    angular_response: [&'a [[Wide; 3]; 3]; 2],
    arms: [Vector<L>; 2],
    /// Sum of the inverse masses of both bodies.
    mass: Vector<L>,
}

/// Column K of a point constraint.
#[inline(always)]
fn point_column<L: Simd, const K: usize>(
    point: &PointBlock<L>,
    scalar_rows: &[RowLanes],
    (diagonal, below): (&mut [Wide], &mut [Wide]),
    o: usize,
) {
    let angular_response =
        [Vector::<L>::load(&point.angular_response[0][K], o), Vector::<L>::load(&point.angular_response[1][K], o)];
    let column = add_component::<L, K>(
        angular_response[0].cross(point.arms[0]) + angular_response[1].cross(point.arms[1]),
        point.mass,
    );
    let column = [column.x, column.y, column.z];
    column[K].store(&mut diagonal[point.block.row as usize + K], o);
    let entries = &mut below[point.block.column(K)..][..point.block.count as usize - 1 - K];
    for under in K + 1..3 {
        column[under].store(&mut entries[under - K - 1], o);
    }
    for (row, entry) in scalar_rows.iter().zip(&mut entries[2 - K..]) {
        // Scalar rows beside a point constraint are angular.
        let angular = Vector::load(&row.angular[0], o).dot(angular_response[0])
            + Vector::load(&row.angular[1], o).dot(angular_response[1]);
        angular.store(entry, o);
    }
}

/// A vector, with component K of another added to its own.
#[inline(always)]
fn add_component<L: Simd, const K: usize>(mut v: Vector<L>, mass: Vector<L>) -> Vector<L> {
    match K {
        0 => v.x = v.x + mass.x,
        1 => v.y = v.y + mass.y,
        _ => v.z = v.z + mass.z,
    }
    v
}

/// Diagonal block of the scalar rows of a joint.
#[inline(always)]
fn scalar_block<L: Simd>(
    block: &JointBlock,
    bodies: [&BodyLanes; 2],
    scalar_rows: &[RowLanes],
    (diagonal, below): (&mut [Wide], &mut [Wide]),
    o: usize,
) {
    for (k, column) in scalar_rows.iter().enumerate() {
        let angular_response =
            [Vector::<L>::load(&column.angular_response[0], o), Vector::<L>::load(&column.angular_response[1], o)];
        let axis = Vector::<L>::load(&column.linear[1], o);
        let add_component = times_inverse_mass(axis, &bodies[0].mass, o) + times_inverse_mass(axis, &bodies[1].mass, o);
        scalar_entry(column, angular_response, add_component, o).store(&mut diagonal[block.first_scalar_row() + k], o);
        for (row, entry) in scalar_rows[k + 1..].iter().zip(&mut below[block.column(block.point_rows() + k)..]) {
            scalar_entry(row, angular_response, add_component, o).store(entry, o);
        }
    }
}

/// Entry of a scalar row in a column of the same joint.
#[inline(always)]
fn scalar_entry<L: Simd>(row: &RowLanes, angular_response: [Vector<L>; 2], add_component: Vector<L>, o: usize) -> L {
    let angular = Vector::load(&row.angular[0], o).dot(angular_response[0])
        + Vector::load(&row.angular[1], o).dot(angular_response[1]);
    angular + Vector::load(&row.linear[1], o).dot(add_component)
}

/// Diagonal entry of a pulley, whose forces on both bodies differ.
#[inline(always)]
fn pulley_entry<L: Simd>(row: &RowLanes, bodies: [&BodyLanes; 2], o: usize) -> L {
    let mut entry = L::splat(0.0);
    for (side, body) in bodies.into_iter().enumerate() {
        let axis = Vector::<L>::load(&row.linear[side], o);
        let angular = Vector::load(&row.angular[side], o).dot(Vector::load(&row.angular_response[side], o));
        entry = entry + angular + axis.dot(times_inverse_mass(axis, &body.mass, o));
    }
    entry
}

/// Adds the CFM, as a fraction of the diagonal entry, and the compliance `soft` to the entry. The
/// minimal pivot is half the CFM part.
#[inline(always)]
fn add_cfm<L: Simd>(entry: &mut Wide, min_pivot: &mut Wide, (cfm, soft): (L, L), active: L, o: usize) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let own = L::load(entry, o);
    let cfm = own * cfm;
    let in_matrix = L::and(own.gt(L::splat(Real::MIN_POSITIVE)), active.gt(zero));
    L::select(in_matrix, own + cfm + soft, one).store(entry, o);
    L::select(in_matrix, cfm * L::splat(0.5), one).store(min_pivot, o);
}

/// Off-diagonal block of two joints with a common body: the rows of the second in the columns of
/// the first.
#[inline(always)]
fn off_diagonal_block<L: Simd>(
    factor: &SymbolicFactor,
    pair_entry: &OffDiagonal,
    bodies: &[BodyLanes],
    joints: &[JointLanes],
    rows: &[RowLanes],
    below: &mut [Wide],
    o: usize,
) {
    let [first, second] = pair_entry.joints.map(|joint| &factor.blocks[joint as usize]);
    let [mine, other] = pair_entry.sides.map(usize::from);
    let sign = L::splat(if mine == other { 1.0 } else { -1.0 });
    let mass = Vector::<L>::load(&bodies[pair_entry.body as usize].mass, o).scale(sign);
    let under = &joints[pair_entry.joints[1] as usize];
    let shared = SharedBody {
        block: first,
        scalar_rows: &rows[second.leads()],
        has_point: second.has_point,
        side: other,
        sign,
        mass,
        arm: Vector::<L>::load(&under.arms[other], o).scale(sign),
        offset: pair_entry.offset as usize,
        accumulates: pair_entry.accumulates,
    };
    if first.has_point {
        let angular_response = &joints[pair_entry.joints[0] as usize].angular_response[mine];
        point_off_diagonal::<L, 0>(&shared, angular_response, below, o);
        point_off_diagonal::<L, 1>(&shared, angular_response, below, o);
        point_off_diagonal::<L, 2>(&shared, angular_response, below, o);
    }
    for (k, column) in rows[first.leads()].iter().enumerate() {
        let entries = shared.entries(below, first.point_rows() + k);
        let angular_response = Vector::<L>::load(&column.angular_response[mine], o);
        let axis = Vector::<L>::load(&column.linear[mine], o);
        let add_component = Vector::new(axis.x * mass.x, axis.y * mass.y, axis.z * mass.z);
        if second.has_point {
            put_point(angular_response.cross(shared.arm) + add_component, entries, pair_entry.accumulates, o);
        }
        for (row, entry) in shared.scalar_rows.iter().zip(&mut entries[second.point_rows()..]) {
            let angular = Vector::load(&row.angular[other], o).dot(angular_response) * sign;
            put_entry(
                angular + Vector::load(&row.linear[other], o).dot(add_component),
                entry,
                pair_entry.accumulates,
                o,
            );
        }
    }
}

/// The common body of two joints, for the entries of the second in columns of the first.
struct SharedBody<'a, L> {
    block: &'a JointBlock,
    /// Scalar matrix rows of the second joint, whether it has a point constraint, and its side on
    /// the body.
    scalar_rows: &'a [RowLanes],
    has_point: bool,
    side: usize,
    /// -1 where the body is on different sides; with this sign the inverse mass, and the arm of the
    /// second joint's point constraint.
    sign: L,
    mass: Vector<L>,
    arm: Vector<L>,
    offset: usize,
    accumulates: bool,
}

impl<L> SharedBody<'_, L> {
    /// Entries of the second joint in column `k` of the first, and what follows. Each column lists
    /// the other rows of its own joint first.
    #[inline(always)]
    fn entries<'b>(&self, below: &'b mut [Wide], k: usize) -> &'b mut [Wide] {
        &mut below[self.block.column(k) + self.block.count as usize - 1 - k + self.offset..]
    }
}

/// Column K of the first joint's point constraint at the second joint's rows.
#[inline(always)]
fn point_off_diagonal<L: Simd, const K: usize>(
    shared: &SharedBody<L>,
    angular_response: &[[Wide; 3]; 3],
    below: &mut [Wide],
    o: usize,
) {
    let angular_response = Vector::<L>::load(&angular_response[K], o);
    let entries = shared.entries(below, K);
    if shared.has_point {
        put_point(
            add_component::<L, K>(angular_response.cross(shared.arm), shared.mass),
            entries,
            shared.accumulates,
            o,
        );
    }
    let mass = [shared.mass.x, shared.mass.y, shared.mass.z][K];
    for (row, entry) in shared.scalar_rows.iter().zip(&mut entries[if shared.has_point { 3 } else { 0 }..]) {
        let angular = Vector::load(&row.angular[shared.side], o).dot(angular_response) * shared.sign;
        put_entry(angular + mass * L::load(&row.linear[shared.side][K], o), entry, shared.accumulates, o);
    }
}

/// Writes or adds the three entries of a point constraint in a column.
#[inline(always)]
fn put_point<L: Simd>(v: Vector<L>, entries: &mut [Wide], accumulates: bool, o: usize) {
    let [x, y, z, ..] = entries else { unreachable!("a point has three rows") };
    put_entry(v.x, x, accumulates, o);
    put_entry(v.y, y, accumulates, o);
    put_entry(v.z, z, accumulates, o);
}

/// Writes or adds an entry.
#[inline(always)]
fn put_entry<L: Simd>(x: L, entry: &mut Wide, accumulates: bool, o: usize) {
    let x = if accumulates { L::load(entry, o) + x } else { x };
    x.store(entry, o);
}

/// Clears the entries of inactive rows.
#[inline(always)]
fn mask_inactive<L: Simd>(factor: &SymbolicFactor, rows: &[RowLanes], active_lanes: L, below: &mut [Wide], o: usize) {
    for (row, column) in factor.columns.iter().enumerate() {
        let mine = row_mask(factor, rows, active_lanes, row, o);
        for (&under, entry) in factor.below[column.entries.clone()].iter().zip(&mut below[column.entries.clone()]) {
            let other = row_mask(factor, rows, active_lanes, under as usize, o);
            (L::load(entry, o) * (mine * other)).store(entry, o);
        }
    }
}

/// 1 for an active matrix row, else 0.
#[inline(always)]
fn row_mask<L: Simd>(factor: &SymbolicFactor, rows: &[RowLanes], active_lanes: L, row: usize, o: usize) -> L {
    match factor.columns[row].scalar {
        NONE => active_lanes,
        scalar => L::load(&rows[scalar as usize].in_matrix, o),
    }
}
