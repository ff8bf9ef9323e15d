//! Active-set solve of a joint group: residuals, direct solve, impulse bounds.

use super::assembly;
use super::batch::{BatchView, RowLanes};
use super::body_pair::BodyPair;
use super::jacobians::{JointPose, predict_poses_masked, value};
use super::ldlt::substitute;
use super::row::{Coordinate, RowKind};
use crate::math::Real;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH, Wide};
use crate::tolerances::{ITERATIVE_IMPULSE_DECAY, JOINTS, RELINEARISE_CONVERGED_ANGLE};

/// Maximum retries of the active-set solve; each removes at least one row. Fewer: platforms on four
/// ropes gain momentum; more: cost where many ropes come taut at once.
const MAX_ACTIVE_SET_ITERATIONS: u32 = 4;

/// Level at which the constraints are solved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstraintLevel {
    /// Constraints satisfied at the end of the substep.
    Position,
    /// Velocities consistent with the Jacobian.
    Velocity,
}

/// Rate that a coordinate must have over the substep: the fraction `erp` of its current error per
/// substep, clamped to the maximum correction speed, and the predicted change.
#[inline(always)]
fn bias_rate<L: Simd>(value: L, predicted: L, target: L, over_h: L, erp: L) -> L {
    clamp_correction((value - target) * over_h * erp) + (predicted - value) * over_h
}

/// Clamps a correction rate to the maximum correction speed.
#[inline(always)]
pub(super) fn clamp_correction<L: Simd>(rate: L) -> L {
    let most = L::splat(JOINTS.max_correction_speed);
    rate.min(most).max(L::splat(0.0) - most)
}

/// Projected active-set solve: `iterations` solutions, each repeated until no bound clamps any of
/// it, and up to `extra_iterations` in lanes with a body that the last solution rotated by more
/// than `RELINEARISE_CONVERGED_ANGLE`. Returns the largest residual of an active row before the
/// last solution.
///
/// If clamping changes any impulse, the whole direct solution is discarded: with redundant rows
/// (four ropes on a platform) unclamped impulses may cancel, and the clamped part alone injects
/// momentum. The violating rows are fixed at their bounds and leave the active set; then the rest
/// is solved again. No row enters within the loop, so it ends. Limits that the solution violates
/// enter with the next one.
///
/// The joints are linearised at poses without motor, spring and limit impulses, or after a complete
/// solution: a row clamped by itself may imply a motion that no group can make, such as a motor
/// torque on a long arm without the reaction of the arm's other joints. Later impulses count
/// through the Jacobian.
///
/// Not inlined: it is large and called by several passes.
#[inline(always)]
pub(super) fn solve_active_set<L: Simd>(
    view: &mut BatchView,
    o: usize,
    h: Real,
    (level, iterations, extra_iterations): (ConstraintLevel, u32, u32),
    kick_fraction: L,
    simd: SimdLevel,
) -> L {
    let mut kick_fractions = Wide([0.0; WIDTH]);
    kick_fraction.store(&mut kick_fractions, o);
    let largest = match level {
        ConstraintLevel::Position => {
            simd.run(ActiveSetSolve::<true> { view, o, h, iterations, extra_iterations, kick_fractions, simd })
        }
        ConstraintLevel::Velocity => {
            simd.run(ActiveSetSolve::<false> { view, o, h, iterations, extra_iterations, kick_fractions, simd })
        }
    };
    L::load(&largest, o)
}

/// Arguments of [`solve_active_set`]. The level is a constant, since every row branches on it.
struct ActiveSetSolve<'a, 'b, const POSITION: bool> {
    view: &'a mut BatchView<'b>,
    o: usize,
    h: Real,
    iterations: u32,
    extra_iterations: u32,
    kick_fractions: Wide,
    simd: SimdLevel,
}

impl<const POSITION: bool> SimdKernel for ActiveSetSolve<'_, '_, POSITION> {
    /// Largest residuals, in the requested lanes.
    type Output = Wide;

    #[inline(always)]
    fn run<L: Simd>(self) -> Wide {
        let Self { view, o, h, iterations, extra_iterations, kick_fractions, simd } = self;
        let level = if POSITION { ConstraintLevel::Position } else { ConstraintLevel::Velocity };
        let mut largest = Wide([0.0; WIDTH]);
        iterate_active_set::<L>(view, o, h, (level, iterations, extra_iterations), L::load(&kick_fractions, o), simd)
            .store(&mut largest, o);
        largest
    }
}

#[inline(always)]
fn iterate_active_set<L: Simd>(
    view: &mut BatchView,
    o: usize,
    h: Real,
    (level, mut iterations, mut extra_iterations): (ConstraintLevel, u32, u32),
    kick_fraction: L,
    simd: SimdLevel,
) -> L {
    let zero = L::splat(0.0);
    let active_lanes = L::load(view.active_lanes, o);
    let may_retry = view.factor.has_bounds && !view.iterative;
    let (mut largest, mut excess) = (zero, zero);
    // A single loop, since an iteration is large and inlined.
    let (mut solutions, mut retries) = (0, 0);
    let mut here = active_lanes;
    while solutions < iterations {
        let rows = if retries == 0 { RowFilter::All } else { RowFilter::Active };
        if level == ConstraintLevel::Position && rows == RowFilter::All && solutions > 0 {
            predict_poses_masked::<L>(view, o, h, L::and(L::splat(Real::MIN_POSITIVE).gt(excess), here.gt(zero)));
        }
        let residual;
        (residual, excess) = iteration::<L>(
            view,
            o,
            h,
            level,
            kick_fraction,
            (rows, may_retry && retries < MAX_ACTIVE_SET_ITERATIONS),
            simd,
        );
        if rows == RowFilter::All {
            largest = residual;
            if may_retry {
                for velocity in view.bodies.iter_mut().flat_map(|body| &mut body.velocity) {
                    // Adding zero clears the sign of zeros, which would depend on whether other
                    // lanes needed this iteration.
                    (Vector::<L>::load(velocity, o) + Vector::new(zero, zero, zero)).store(velocity, o);
                }
            }
        }
        let again = excess.gt(zero);
        if may_retry && retries < MAX_ACTIVE_SET_ITERATIONS && L::bits(again) != 0 {
            retries += 1;
            L::select(again, L::load(view.active_lanes, o), zero).store(view.active_lanes, o);
        } else {
            (solutions, retries) = (solutions + 1, 0);
            if solutions == iterations && extra_iterations > 0 {
                let turned = rotated_further::<L>(view, o, RELINEARISE_CONVERGED_ANGLE / h);
                here = L::select(turned, here, zero);
                (iterations, extra_iterations) = (iterations + u32::from(L::bits(turned) != 0), extra_iterations - 1);
            }
            here.store(view.active_lanes, o);
        }
    }
    active_lanes.store(view.active_lanes, o);
    largest
}

/// Lanes where the angular velocity of some body changed by more than this since the last
/// linearisation (rad/s).
#[inline(always)]
pub(super) fn rotated_further<L: Simd>(view: &BatchView, o: usize, most_change: Real) -> L::Mask {
    let bound = L::splat(most_change);
    largest_spin_change_squared::<L>(view, o).gt(bound * bound)
}

/// Square of the largest change of the angular velocity of a body since the last linearisation
/// (rad²/s²).
#[inline(always)]
pub(super) fn largest_spin_change_squared<L: Simd>(view: &BatchView, o: usize) -> L {
    largest_difference_squared(view.bodies.iter().map(|body| [&body.velocity[1], &body.linearised_velocity[1]]), o)
}

/// Square of the largest difference of two vectors of a pair.
#[inline(always)]
pub(super) fn largest_difference_squared<'a, L: Simd>(pairs: impl Iterator<Item = [&'a [Wide; 3]; 2]>, o: usize) -> L {
    let mut most = L::splat(0.0);
    for [a, b] in pairs {
        let by = Vector::<L>::load(a, o) - Vector::load(b, o);
        most = by.dot(by).max(most);
    }
    most
}

/// Bounded rows that may be active in an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowFilter {
    All,
    /// Rows that were active in the last iteration.
    Active,
}

/// One iteration: residuals, active set, solve, bounds, impulses. Returns the largest residual of
/// an active row, and the largest impulse excess over its bounds (N s, N m s). `kick_fraction` is
/// the fraction of a substep's force that motors and springs have. If an impulse was clamped and
/// the caller may retry, only the clamped rows move to their bounds.
#[inline(always)]
fn iteration<L: Simd>(
    view: &mut BatchView,
    o: usize,
    h: Real,
    level: ConstraintLevel,
    kick_fraction: L,
    (rows, may_retry): (RowFilter, bool),
    simd: SimdLevel,
) -> (L, L) {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let largest = residuals(view, o, (L::splat(h), L::splat(1.0 / h)), level, kick_fraction, rows);
    if view.factor.has_bounds {
        assembly::factor_active_rows::<L>(simd, view, o, h, level == ConstraintLevel::Position);
    }
    substitute::<L>(view, o);
    let decay = if view.iterative && level == ConstraintLevel::Position {
        L::splat(1.0 - ITERATIVE_IMPULSE_DECAY)
    } else {
        one
    };
    let excess = if view.factor.has_bounds { clamped_excess::<L>(view, o, kick_fraction, decay) } else { zero };
    let given = if may_retry { L::select(excess.gt(zero), zero, one) } else { one };
    for ((kind, block), joint) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter_mut()) {
        let mut pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        if let [x, y, z, ..] = &view.changes[block.row as usize..][..block.point_rows()] {
            let impulse = Vector::new(L::load(x, o), L::load(y, o), L::load(z, o)).scale(decay * given);
            (Vector::load(&joint.impulse, o) + impulse).store(&mut joint.impulse, o);
            pair.apply_point_impulse(view.bodies, joint, impulse, o);
        }
        let slots = &view.factor.slots[block.scalar_rows()];
        let list = view.rows[block.scalar_rows()].iter_mut().zip(slots).zip(&kind.rows[block.point_rows()..]);
        for ((row, &slot), &(coordinate, row_kind)) in list {
            let (old, change) = (L::load(&row.impulse, o), L::load(&view.changes[slot as usize], o));
            let new = if row_kind == RowKind::Equality {
                (old + change * given) * decay
            } else {
                let active = L::load(&row.active, o);
                let [unclamped, clamped] = clamped(row, row_kind, change, kick_fraction, decay, o);
                let beyond = (unclamped - clamped).abs().gt(zero);
                // A row at its bound stays there until the next solution.
                let waits = one.gt(given);
                L::select(L::and(beyond, waits), zero, active).store(&mut row.active, o);
                let given = L::select(beyond, clamped, L::select(waits, old, clamped));
                L::select(active.gt(zero), given, old)
            };
            new.store(&mut row.impulse, o);
            pair.apply_impulse(view.bodies, coordinate, row, new - old, o);
        }
        pair.store(view.bodies, o);
    }
    (largest, excess)
}

/// Largest impulse excess of an active row over its bounds (N s, N m s).
#[inline(always)]
fn clamped_excess<L: Simd>(view: &BatchView, o: usize, kick_fraction: L, decay: L) -> L {
    let mut excess = L::splat(0.0);
    for (kind, block) in view.factor.joints.iter().zip(&view.factor.blocks) {
        let slots = &view.factor.slots[block.scalar_rows()];
        for ((row, &slot), &(_, row_kind)) in
            view.rows[block.scalar_rows()].iter().zip(slots).zip(&kind.rows[block.point_rows()..])
        {
            if row_kind != RowKind::Equality {
                let change = L::load(&view.changes[slot as usize], o);
                let [unclamped, clamped] = clamped(row, row_kind, change, kick_fraction, decay, o);
                excess = (L::load(&row.active, o) * (unclamped - clamped)).abs().max(excess);
            }
        }
    }
    excess
}

/// Impulse of a bounded row after a change, unclamped and clamped. The decay `decay` applies to
/// limits only, not to motors and springs.
#[inline(always)]
fn clamped<L: Simd>(row: &RowLanes, row_kind: RowKind, change: L, kick_fraction: L, decay: L, o: usize) -> [L; 2] {
    let unclamped = L::load(&row.impulse, o) + change;
    let unclamped = if row_kind == RowKind::Limit { unclamped * decay } else { unclamped };
    let [low, high] = impulse_bounds(row, row_kind, kick_fraction, o);
    [unclamped, unclamped.max(low).min(high)]
}

/// Writes the negative residuals to `changes`, and updates the active set. Returns the largest
/// residual.
#[inline(always)]
fn residuals<L: Simd>(
    view: &mut BatchView,
    o: usize,
    (h, over_h): (L, L),
    level: ConstraintLevel,
    kick_fraction: L,
    rows: RowFilter,
) -> L {
    let zero = L::splat(0.0);
    let active_lanes = L::load(view.active_lanes, o);
    let opposite = zero - active_lanes;
    let erp = L::load(view.erp, o);
    let mut largest = zero;
    for ((kind, block), joint) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter()) {
        let pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        let [a, b] = kind.bodies.map(|body| &view.bodies[body as usize]);
        let placed = JointPose::<L>::new(joint, [a, b], o);
        let since = pair.since_linearisation(view.bodies, o);
        if let [x, y, z, ..] = &mut view.changes[block.row as usize..][..block.point_rows()] {
            let residual = if level == ConstraintLevel::Velocity {
                pair.relative_velocity(joint, o)
            } else {
                let now = Vector::load(&joint.point_error, o);
                let predicted = placed.gap + since.relative_velocity(joint, o).scale(h);
                Vector::new(
                    bias_rate(now.x, predicted.x, zero, over_h, erp),
                    bias_rate(now.y, predicted.y, zero, over_h, erp),
                    bias_rate(now.z, predicted.z, zero, over_h, erp),
                )
            };
            let change = residual.scale(opposite);
            largest = change.max_abs().max(largest);
            change.x.store(x, o);
            change.y.store(y, o);
            change.z.store(z, o);
        }
        let first = block.row as usize + block.point_rows();
        let (leads, followers) = view.rows[block.scalar_rows()].split_at_mut(block.leads().len());
        let (lead_kinds, follower_kinds) = kind.rows[block.point_rows()..].split_at(leads.len());
        let slots = &view.factor.slots[block.followers()];
        let shared = || slots.iter().map(|&slot| slot as usize - first);
        if rows == RowFilter::All {
            for ((row, &(_, row_kind)), lead) in followers.iter_mut().zip(follower_kinds).zip(shared()) {
                split_limit_drive(&mut leads[lead], (row, row_kind), level, (kick_fraction, active_lanes), over_h, o);
            }
        }
        // Range of rates that the limits leave to a motor of the same coordinate: two rows that ask
        // for different rates would get unbounded impulses.
        let mut rate_bounds = None;
        let changes = &mut view.changes[first..];
        for ((row, change), &(coordinate, row_kind)) in leads.iter_mut().zip(&mut *changes).zip(lead_kinds) {
            let mut predicted = zero;
            if level == ConstraintLevel::Position {
                predicted = value(coordinate, &placed, row, o) + since.rate(coordinate, row, o) * h;
            }
            if row_kind == RowKind::Limit {
                rate_bounds = Some((coordinate, limit_rate_bounds(row, over_h, o)));
            }
            let residual = match row_kind {
                RowKind::Equality if level == ConstraintLevel::Velocity => pair.rate(coordinate, row, o),
                RowKind::Equality => bias_rate(L::load(&row.value, o), predicted, L::load(&row.target, o), over_h, erp),
                _ => {
                    let mine = rate_bounds.filter(|(limited, _)| *limited == coordinate).map(|(_, rates)| rates);
                    let active_lanes =
                        if rows == RowFilter::Active { active_lanes * L::load(&row.active, o) } else { active_lanes };
                    bounded_residual(
                        row,
                        row_kind,
                        predicted,
                        &pair,
                        coordinate,
                        level,
                        (kick_fraction, active_lanes),
                        (over_h, erp, mine),
                        o,
                    )
                }
            };
            let active = if row_kind == RowKind::Equality { active_lanes } else { L::load(&row.active, o) };
            // In unbounded groups all rows stay in the matrix, which is factored once per substep
            // for all lanes.
            if view.factor.has_bounds {
                active.store(&mut row.active, o);
                active.store(&mut row.in_matrix, o);
            }
            let residual = active * residual;
            largest = residual.abs().max(largest);
            (zero - residual).store(change, o);
        }
        for ((row, &(coordinate, row_kind)), lead) in followers.iter_mut().zip(follower_kinds).zip(shared()) {
            let lead_row = &mut leads[lead];
            let rate_bounds = Some(limit_rate_bounds(lead_row, over_h, o));
            let active_lanes =
                if rows == RowFilter::Active { active_lanes * L::load(&row.active, o) } else { active_lanes };
            let residual = bounded_residual(
                row,
                row_kind,
                zero,
                &pair,
                coordinate,
                level,
                (kick_fraction, active_lanes),
                (over_h, erp, rate_bounds),
                o,
            );
            // Limits have priority.
            let leads = L::load(&lead_row.active, o);
            let active = L::load(&row.active, o) * (L::splat(1.0) - leads);
            active.store(&mut row.active, o);
            (leads + active).store(&mut lead_row.in_matrix, o);
            (L::load(&row.softness, o) * active).store(&mut lead_row.softness, o);
            let residual = active * residual;
            largest = residual.abs().max(largest);
            (L::load(&changes[lead], o) - residual).store(&mut changes[lead], o);
        }
    }
    largest
}

/// Redistributes the common impulse of a limit and a motor or spring of one coordinate: at the
/// limit the motor has its own impulse at that rate, elsewhere the limit has none. Inactive lanes
/// are not changed: otherwise they would depend on the lanes beside them.
#[inline(always)]
fn split_limit_drive<L: Simd>(
    limit: &mut RowLanes,
    (drive, row_kind): (&mut RowLanes, RowKind),
    level: ConstraintLevel,
    (kick_fraction, active_lanes): (L, L),
    over_h: L,
    o: usize,
) {
    let zero = L::splat(0.0);
    let held = L::load(&limit.impulse, o);
    let driven = L::load(&drive.impulse, o);
    let (both, above) = (held + driven, near_upper::<L>(limit, o));
    let [least, most] = limit_rate_bounds(limit, over_h, o);
    let [low, high] = impulse_bounds(drive, row_kind, kick_fraction, o);
    let inside = both.max(low).min(high);
    let motor_impulse = match row_kind {
        RowKind::Spring | RowKind::AccelerationSpring if level == ConstraintLevel::Velocity => return,
        RowKind::Spring | RowKind::AccelerationSpring => {
            let softness = L::load(&drive.softness, o);
            let gives = softness.gt(zero);
            let rate = L::select(above, most, least).div(L::select(gives, softness, L::splat(1.0)));
            let unclamped = zero - rate - L::load(&drive.spring_impulse, o) * kick_fraction;
            L::select(gives, unclamped.max(low).min(high), inside)
        }
        _ => {
            let wanted = L::load(&drive.target, o);
            let below = L::select(wanted.gt(least), high, inside);
            L::select(above, L::select(most.gt(wanted), low, inside), below)
        }
    };
    let rest = both - motor_impulse;
    let [limit_held, limit_holds] =
        [L::select(above, zero - held, held).gt(zero), L::select(above, zero - rest, rest).gt(zero)];
    let limit_held = L::and(limit_held, active_lanes.gt(zero));
    let [new_limit, new_drive] = [L::select(limit_holds, rest, zero), L::select(limit_holds, motor_impulse, both)];
    L::select(limit_held, new_limit, held).store(&mut limit.impulse, o);
    L::select(limit_held, new_drive, driven).store(&mut drive.impulse, o);
}

/// Minimum and maximum impulse of a bounded row.
#[inline(always)]
fn impulse_bounds<L: Simd>(row: &RowLanes, row_kind: RowKind, kick_fraction: L, o: usize) -> [L; 2] {
    let (low, high) = (L::load(&row.low, o) * kick_fraction, L::load(&row.high, o) * kick_fraction);
    if row_kind != RowKind::Limit {
        return [low, high];
    }
    let above = near_upper::<L>(row, o);
    [L::select(above, low, L::splat(0.0)), L::select(above, L::splat(0.0), high)]
}

/// Minimum and maximum rate that keep a coordinate within its range over the substep; never
/// directed back into the range, which is up to the limit itself.
#[inline(always)]
fn limit_rate_bounds<L: Simd>(row: &RowLanes, over_h: L, o: usize) -> [L; 2] {
    let (value, zero) = (L::load(&row.value, o), L::splat(0.0));
    let (least, most) = ((L::load(&row.target, o) - value) * over_h, (L::load(&row.target_high, o) - value) * over_h);
    [least.min(zero), most.max(zero)]
}

/// Whether a coordinate is nearer to the upper end of its range.
#[inline(always)]
fn near_upper<L: Simd>(row: &RowLanes, o: usize) -> L::Mask {
    L::load(&row.value, o).gt(L::splat(0.5) * (L::load(&row.target, o) + L::load(&row.target_high, o)))
}

/// Residual of a bounded row. Updates its active state: at a bound it is active only if its impulse
/// would move inside.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn bounded_residual<L: Simd>(
    row: &mut RowLanes,
    row_kind: RowKind,
    predicted: L,
    pair: &BodyPair<L>,
    coordinate: Coordinate,
    level: ConstraintLevel,
    (kick_fraction, active_lanes): (L, L),
    (over_h, erp, rate_bounds): (L, L, Option<[L; 2]>),
    o: usize,
) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let (value, target) = (L::load(&row.value, o), L::load(&row.target, o));
    let impulse = L::load(&row.impulse, o);
    let residual = match (row_kind, level) {
        (RowKind::Limit, _) => {
            let above = near_upper::<L>(row, o);
            let bound = L::select(above, L::load(&row.target_high, o), target);
            if level == ConstraintLevel::Position {
                // Violations are corrected at most at the maximum correction speed; inside the
                // range the whole distance may be used.
                let (most, off) = (L::splat(JOINTS.max_correction_speed), value - bound);
                let (over, under) = (off.max(zero), off.min(zero));
                let wrong = (L::select(above, over, under) * erp + L::select(above, under, over)) * over_h;
                L::select(above, wrong.min(most), wrong.max(zero - most)) + (predicted - value) * over_h
            } else {
                let gap = value - bound;
                let gap = L::select(above, gap.min(zero), gap.max(zero));
                pair.rate(coordinate, row, o) + gap * over_h
            }
        }
        (RowKind::Spring | RowKind::AccelerationSpring, ConstraintLevel::Position) => {
            let held = L::load(&row.spring_impulse, o) * kick_fraction + impulse;
            pair.rate(coordinate, row, o) + L::load(&row.softness, o) * held
        }
        (RowKind::Spring | RowKind::AccelerationSpring, ConstraintLevel::Velocity) => {
            zero.store(&mut row.active, o);
            return zero;
        }
        _ => {
            let wanted = rate_bounds.map_or(target, |[least, most]| target.max(least).min(most));
            pair.rate(coordinate, row, o) - wanted
        }
    };
    let [low, high] = impulse_bounds(row, row_kind, kick_fraction, o);
    let inside = L::select(impulse.gt(low), one, L::select(zero.gt(residual), one, zero));
    let active = active_lanes * L::select(high.gt(impulse), inside, L::select(residual.gt(zero), inside, zero));
    active.store(&mut row.active, o);
    residual
}
