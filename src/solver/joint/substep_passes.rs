//! Substep passes over a joint batch.
//!
//! Gravity acts as a full kick at the start of each substep (semi-implicit Euler). Groups without
//! contacts use kick-drift-kick (leapfrog, velocity Verlet): half of gravity before the first
//! substep, half after the last; without it the energy of a pendulum would oscillate by `h g v /
//! 2`. Angular velocities of bodies without contacts use leapfrog in other groups too, unless the
//! group has bounds or lies in a large pile: a gyroscope on a stand would gain energy by its
//! nutation.

use super::active_set::{ConstraintLevel, solve_active_set};
use super::assembly;
use super::batch::BatchView;
use super::body_pair::BodyPair;
use super::energy_guard::remove_gain;
use super::geometric_stiffness;
use super::gyroscopic::{apply_gyroscopic, rotate_inertia};
use super::implicit_projection::project_implicitly;
use super::impulse_prediction::{predict_with_impulses, predict_without_impulses, update_prediction_gate};
use super::jacobians::{JointPose, drift, predict_poses, predict_poses_masked, update_jacobians, use_current_poses};
use super::row::{Coordinate, RowKind};
use crate::math::Real;
use crate::solver::body::{BODY_STATE_LEN, SUBSTEP_START_LEN};
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH};
use crate::tolerances::JOINTS;

/// Pass of a substep over a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Position-level solve: impulses that satisfy the constraints at the end of the substep. The
    /// bodies have not moved yet.
    SolvePosition,
    /// Velocity-level solve: Jacobian at the new poses, velocities consistent with it.
    ProjectVelocity,
    /// Both, with the motion of the bodies in between: for bodies that no other batch moves.
    Both,
    /// A further velocity-level solve after the contacts.
    Resolve,
    /// At the start of a substep, for iterative joints: last impulses along the current Jacobian.
    WarmStart,
}

/// Parameters of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassParams {
    /// Length of the substep (s).
    pub h: Real,
    pub pass: Pass,
    /// Position-level solutions; whether fast rotating groups get a further one at new poses
    /// (`relinearise`).
    pub iterations: u32,
    pub relinearise: bool,
    /// Solutions after all others, which take away what the CFM left.
    pub refinements: u32,
    /// Further solutions in lanes that the last one still rotated.
    pub extra_iterations: u32,
    /// True if the poses are predicted with the last impulses.
    pub predicts: bool,
    /// True if it is the first substep of the step. In it leapfrog groups get half of gravity and
    /// of the spring impulses.
    pub first: bool,
}

struct BeginStep<'a, 'b> {
    view: &'a mut BatchView<'b>,
    simd: SimdLevel,
    states: *mut Real,
    starts: *mut Real,
    h: Real,
}

struct EndStep<'a, 'b> {
    view: &'a mut BatchView<'b>,
    simd: SimdLevel,
    states: *mut Real,
    h: Real,
}

struct RunPass<'a, 'b> {
    view: &'a mut BatchView<'b>,
    simd: SimdLevel,
    states: *mut Real,
    starts: *const Real,
    params: PassParams,
}

/// Begins a step of substeps of `h` (s): Jacobians at the current poses; leapfrog groups get half a
/// kick subtracted. It is subtracted from the substep starts as well, so that later substeps add
/// full kicks.
///
/// # Safety
/// The batch's body states and substep starts must exist at `states` and `starts`. Those that it
/// moves belong to the caller alone and occur once in a body's lanes; the others must not be
/// written meanwhile.
pub(crate) unsafe fn begin_step(simd: SimdLevel, view: &mut BatchView, states: *mut Real, starts: *mut Real, h: Real) {
    simd.run(BeginStep { view, simd, states, starts, h });
}

/// Runs a pass. Returns the largest velocity correction of the velocity-level solve (m/s; rad/s
/// counts alike).
///
/// # Safety
/// As for [`begin_step`].
pub(crate) unsafe fn run_pass(
    simd: SimdLevel,
    view: &mut BatchView,
    states: *mut Real,
    starts: *const Real,
    params: PassParams,
) -> Real {
    simd.run(RunPass { view, simd, states, starts, params })
}

/// Ends a step of substeps of `h` (s): the second half kick of gravity, springs and gyroscopic
/// terms for leapfrog groups.
///
/// # Safety
/// As for [`begin_step`].
pub(crate) unsafe fn end_step(simd: SimdLevel, view: &mut BatchView, states: *mut Real, h: Real) {
    simd.run(EndStep { view, simd, states, h });
}

impl SimdKernel for BeginStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { view, simd, states, starts, h } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `begin_step`.
            unsafe { load_bodies::<L>(view, states, o) };
            let (zero, one) = (L::splat(0.0), L::splat(1.0));
            let [leapfrog, leapfrog_angular] = leapfrog_masks::<L>(view, o);
            let back = [zero - leapfrog, zero - leapfrog_angular];
            apply_half_kicks(view, o, back);
            // SAFETY: as above.
            unsafe { shift_starts::<L>(view, starts, o, back) };
            one.store(view.active_lanes, o);
            one.store(view.prediction_valid, o);
            zero.store(&mut view.energy_guard.goes_round, o);
            for row in view.rows.iter_mut() {
                one.store(&mut row.active, o);
                one.store(&mut row.in_matrix, o);
            }
            linearise(simd, view, o, h);
            apply_last_impulses::<L>(view, o);
            // SAFETY: as above.
            unsafe { store_bodies::<L>(view, states, o, false) };
            o += L::N;
        }
    }
}

impl SimdKernel for RunPass<'_, '_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let Self { view, simd, states, starts, params } = self;
        let mut worst = L::splat(0.0);
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `run_pass`.
            unsafe { load_bodies::<L>(view, states, o) };
            let kick_fraction = kick_fraction::<L>(view, o, params.first);
            if matches!(params.pass, Pass::SolvePosition | Pass::Both) {
                solve_positions::<L>(view, o, params, kick_fraction, simd);
            }
            match params.pass {
                Pass::SolvePosition => end_velocity_change::<L>(view, o),
                Pass::Both => drift::<L>(view, o, params.h),
                Pass::ProjectVelocity | Pass::Resolve => begin_velocity_change::<L>(view, o),
                Pass::WarmStart => {}
            }
            if matches!(params.pass, Pass::ProjectVelocity | Pass::Both) {
                worst = project_velocities::<L>(view, o, params.h, kick_fraction, simd).max(worst);
                // SAFETY: passed on to the caller of `run_pass`.
                unsafe { remove_gain::<L>(view, starts, (params.first, kick_fraction), o) };
            }
            if params.pass == Pass::WarmStart {
                warm_start::<L>(view, o);
            }
            if params.pass == Pass::Resolve {
                worst = resolve::<L>(view, o, params.h, simd).max(worst);
            }
            // SAFETY: as above.
            unsafe { store_bodies::<L>(view, states, o, params.pass == Pass::Both) };
            o += L::N;
        }
        worst.max_lane(0.0)
    }
}

impl SimdKernel for EndStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { view, simd, states, h } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `end_step`.
            unsafe { load_bodies::<L>(view, states, o) };
            let [leapfrog, leapfrog_angular] = leapfrog_masks::<L>(view, o);
            apply_half_kicks(view, o, [leapfrog, leapfrog_angular]);
            let half = L::splat(0.5);
            apply_gyroscopic::<L>(view, o, leapfrog_angular * L::splat(0.5 * h));
            seed_impulses::<L>(view, o, leapfrog * half);
            end_springs::<L>(view, o, leapfrog * half);
            // Other groups are consistent already, except for the last contact impulses, which
            // stand.
            needs_final_projection::<L>(view, [leapfrog, leapfrog_angular], o).store(view.active_lanes, o);
            solve_active_set::<L>(view, o, h, (ConstraintLevel::Velocity, 1, 0), half, simd);
            accumulate_impulses::<L>(view, o, L::splat(1.0));
            // SAFETY: as above.
            unsafe { store_bodies::<L>(view, states, o, false) };
            o += L::N;
        }
    }
}

/// Begins the step of groups in contact with the joint impulses of a substep of the last step; the
/// first position-level solve removes them.
///
/// Contacts are solved first: without these impulses a contact on a jointed plank would see the
/// plank in free fall, and slip. Iterative joints need them, since a load takes many steps from
/// joint to joint.
#[inline(always)]
fn apply_last_impulses<L: Simd>(view: &mut BatchView, o: usize) {
    let zero = L::splat(0.0);
    for body in view.bodies.iter_mut() {
        for part in 0..2 {
            let opposite = Vector::new(zero, zero, zero) - Vector::load(&body.velocity[part], o);
            opposite.store(&mut body.velocity_change[part], o);
        }
    }
    apply_impulses::<L>(view, o, L::splat(1.0) - L::load(view.leapfrog, o));
    end_velocity_change::<L>(view, o);
}

/// Removes the joint impulses from the velocities, and applies them along the current Jacobian.
#[inline(always)]
fn warm_start<L: Simd>(view: &mut BatchView, o: usize) {
    remove_joint_impulses::<L>(view, o);
    apply_impulses::<L>(view, o, L::splat(1.0));
    end_velocity_change::<L>(view, o);
}

/// Applies a fraction of the impulses of all rows.
#[inline(always)]
fn apply_impulses<L: Simd>(view: &mut BatchView, o: usize, kick_fraction: L) {
    for ((kind, block), joint) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter()) {
        let mut pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        if block.has_point {
            pair.apply_point_impulse(view.bodies, joint, Vector::load(&joint.impulse, o).scale(kick_fraction), o);
        }
        for (row, &(coordinate, _)) in view.rows[block.scalar_rows()].iter().zip(&kind.rows[block.point_rows()..]) {
            pair.apply_impulse(view.bodies, coordinate, row, L::load(&row.impulse, o) * kick_fraction, o);
        }
        pair.store(view.bodies, o);
    }
}

/// Removes the joint impulses from the velocities.
#[inline(always)]
fn remove_joint_impulses<L: Simd>(view: &mut BatchView, o: usize) {
    let zero = L::splat(0.0);
    for body in view.bodies.iter_mut() {
        for part in 0..2 {
            let own = Vector::<L>::load(&body.velocity[part], o) - Vector::load(&body.velocity_change[part], o);
            own.store(&mut body.velocity[part], o);
            (Vector::new(zero, zero, zero) - own).store(&mut body.velocity_change[part], o);
        }
    }
}

/// Position-level solve: impulses that satisfy the constraints at the end of the substep.
#[inline(always)]
fn solve_positions<L: Simd>(view: &mut BatchView, o: usize, params: PassParams, kick_fraction: L, simd: SimdLevel) {
    // In large piles the poses are predicted with the last impulses: free poses are far off for
    // heavily loaded bodies, and the linearisation error grows with the square of the rotation in
    // between.
    let predicts = params.predicts;
    if predicts {
        predict_with_impulses::<L>(view, o, params.h);
    }
    remove_joint_impulses::<L>(view, o);
    let [_, leapfrog_angular] = leapfrog_masks::<L>(view, o);
    let whole = L::splat(1.0);
    let part = if params.first { whole - L::splat(0.5) * leapfrog_angular } else { whole };
    apply_gyroscopic::<L>(view, o, L::splat(params.h) * part);
    if predicts {
        predict_without_impulses::<L>(view, o, params.h);
    } else {
        predict_poses::<L>(view, o, params.h);
    }
    seed_impulses::<L>(view, o, kick_fraction);
    solve_active_set::<L>(
        view,
        o,
        params.h,
        (ConstraintLevel::Position, params.iterations, params.extra_iterations),
        kick_fraction,
        simd,
    );
    if predicts {
        update_prediction_gate::<L>(view, o);
    }
    if params.relinearise {
        relinearise::<L>(view, o, params, kick_fraction, simd);
    }
    project_implicitly::<L>(view, o, params.h, kick_fraction, simd);
    if params.refinements > 0 {
        predict_poses::<L>(view, o, params.h);
        // Lanes that were solved implicitly would leave their solution again.
        (whole - L::load(&view.energy_guard.implicit, o)).store(view.active_lanes, o);
        let level = (ConstraintLevel::Position, params.refinements, 0);
        solve_active_set::<L>(view, o, params.h, level, kick_fraction, simd);
        whole.store(view.active_lanes, o);
    }
}

/// A further solution in lanes with a body or rod that rotates by more than
/// `JOINTS.relinearise_angle` in the substep: the linearisation error is about the square of the
/// rotation.
#[inline(always)]
fn relinearise<L: Simd>(view: &mut BatchView, o: usize, params: PassParams, kick_fraction: L, simd: SimdLevel) {
    let h = params.h;
    let zero = L::splat(0.0);
    let zero_impulse = Vector::new(zero, zero, zero);
    let mut fastest = zero;
    for body in view.bodies.iter_mut() {
        // Adding zero clears the sign of zeros, which would depend on whether other lanes needed
        // this iteration.
        let speed = Vector::<L>::load(&body.velocity[0], o) + zero_impulse;
        let spin = Vector::<L>::load(&body.velocity[1], o) + zero_impulse;
        speed.store(&mut body.velocity[0], o);
        spin.store(&mut body.velocity[1], o);
        fastest = spin.dot(spin).max(fastest);
    }
    for (kind, joint) in view.factor.joints.iter().zip(view.joints.iter()) {
        if kind.rows.iter().any(|&(coordinate, _)| coordinate.is_line()) {
            let [a, b] = kind.bodies.map(|body| &view.bodies[body as usize]);
            fastest = JointPose::<L>::new(joint, [a, b], o).rod_rate_squared([a, b], o).max(fastest);
        }
        if let [(Coordinate::Pulley, _)] = kind.rows[..] {
            let bodies = kind.bodies.map(|body| &view.bodies[body as usize]);
            fastest = JointPose::<L>::new(joint, bodies, o).parts_rate_squared(bodies, o).max(fastest);
        }
    }
    let bound = L::splat(JOINTS.relinearise_angle / h);
    let turns = fastest.gt(bound * bound);
    if L::bits(turns) == 0 {
        return;
    }
    L::select(turns, L::splat(1.0), zero).store(view.active_lanes, o);
    predict_poses_masked::<L>(view, o, h, turns);
    solve_active_set::<L>(view, o, h, (ConstraintLevel::Position, 1, 0), kick_fraction, simd);
    L::splat(1.0).store(view.active_lanes, o);
}

/// Jacobian at the new poses, and velocities consistent with it. Returns the largest correction.
#[inline(always)]
fn project_velocities<L: Simd>(view: &mut BatchView, o: usize, h: Real, kick_fraction: L, simd: SimdLevel) -> L {
    rotate_inertia::<L>(view, o, h);
    linearise(simd, view, o, h);
    let worst = solve_velocities::<L>(view, o, h, kick_fraction, simd);
    accumulate_impulses::<L>(view, o, L::splat(1.0));
    // The next substep begins with the impulses of a full one.
    let whole = L::splat(1.0).div(kick_fraction);
    for row in view.rows.iter_mut() {
        (L::load(&row.impulse, o) * whole).store(&mut row.impulse, o);
    }
    worst
}

/// Begins the record of the joints' velocity changes.
#[inline(always)]
fn begin_velocity_change<L: Simd>(view: &mut BatchView, o: usize) {
    for body in view.bodies.iter_mut() {
        for part in 0..2 {
            let rest = Vector::<L>::load(&body.velocity_change[part], o) - Vector::load(&body.velocity[part], o);
            rest.store(&mut body.velocity_change[part], o);
        }
    }
}

/// Makes the velocities consistent with the current Jacobian, and ends the record of velocity
/// changes. Returns the largest correction.
#[inline(always)]
fn solve_velocities<L: Simd>(view: &mut BatchView, o: usize, h: Real, kick_fraction: L, simd: SimdLevel) -> L {
    let worst = solve_active_set::<L>(view, o, h, (ConstraintLevel::Velocity, 1, 0), kick_fraction, simd);
    end_velocity_change::<L>(view, o);
    worst
}

/// A further velocity-level solve of the groups in contact. Returns the largest correction.
#[inline(always)]
fn resolve<L: Simd>(view: &mut BatchView, o: usize, h: Real, simd: SimdLevel) -> L {
    let one = L::splat(1.0);
    let resolved_lanes = one - L::load(view.leapfrog, o);
    // The sums already contain these impulses: subtracts them before the solve, and adds the new
    // ones after it.
    accumulate_impulses::<L>(view, o, L::splat(0.0) - resolved_lanes);
    resolved_lanes.store(view.active_lanes, o);
    let worst = solve_velocities::<L>(view, o, h, one, simd);
    one.store(view.active_lanes, o);
    accumulate_impulses::<L>(view, o, resolved_lanes);
    worst
}

/// Updates the Jacobian at the current poses, and factors the matrix if it is constant until the
/// bodies move. Not inlined: it is large and called twice.
fn linearise(simd: SimdLevel, view: &mut BatchView, o: usize, h: Real) {
    simd.run(Linearise { view, o, h });
    if !view.factor.has_bounds {
        assembly::assemble_and_factor(simd, view, o, h, true);
    }
}

struct Linearise<'a, 'b> {
    view: &'a mut BatchView<'b>,
    o: usize,
    h: Real,
}

impl SimdKernel for Linearise<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { view, o, h } = self;
        use_current_poses::<L>(view, o);
        let anchored = L::load(&view.energy_guard.anchored, o).gt(L::splat(0.0));
        if view.stabilized && L::bits(anchored) != 0 {
            geometric_stiffness::apply::<L>(view, o, h, anchored);
            update_jacobians::<L>(view, o, h);
            geometric_stiffness::restore::<L>(view, o);
        } else {
            update_jacobians::<L>(view, o, h);
        }
    }
}

/// Adds the second half kick of springs in leapfrog groups: the fraction `kick_fraction` of a
/// substep's impulse. The implicit part of a spring keeps its last impulse, since no motion follows
/// that would correct the rounding of its stretch.
#[inline(always)]
fn end_springs<L: Simd>(view: &mut BatchView, o: usize, kick_fraction: L) {
    for (kind, block) in view.factor.joints.iter().zip(&view.factor.blocks) {
        let mut pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        for (row, &(coordinate, row_kind)) in
            view.rows[block.scalar_rows()].iter_mut().zip(&kind.rows[block.point_rows()..])
        {
            if row_kind.is_spring() {
                let old = L::load(&row.impulse, o);
                let pull = L::splat(0.0) - L::load(&row.spring_impulse, o);
                let pull = pull.max(L::load(&row.low, o)).min(L::load(&row.high, o));
                let resolved = L::load(&row.resolved, o);
                let impulse = pull * kick_fraction * resolved + old * (L::splat(1.0) - resolved);
                pair.apply_impulse(view.bodies, coordinate, row, impulse - old, o);
                impulse.store(&mut row.impulse, o);
            }
        }
        pair.store(view.bodies, o);
    }
}

/// Loads the motion of the bodies.
///
/// # Safety
/// As for [`begin_step`].
#[inline(always)]
pub(super) unsafe fn load_bodies<L: Simd>(view: &mut BatchView, states: *const Real, o: usize) {
    for body in view.bodies.iter_mut() {
        for part in 0..2 {
            // SAFETY: passed on to the caller; the four quads lie inside a body state.
            let (q, p) = unsafe {
                (
                    L::gather::<BODY_STATE_LEN>(states, &body.state, o, part),
                    L::gather::<BODY_STATE_LEN>(states, &body.state, o, part + 2),
                )
            };
            Vector::from_quad(q).store(&mut body.velocity[part], o);
            q[3].store(&mut body.spare[part], o);
            Vector::from_quad(p).store(&mut body.moved[part], o);
        }
    }
}

/// Stores the velocities of the bodies, and their displacements if they `moved`.
///
/// # Safety
/// As for [`begin_step`].
#[inline(always)]
unsafe fn store_bodies<L: Simd>(view: &BatchView, states: *mut Real, o: usize, moved: bool) {
    for body in view.bodies.iter() {
        for part in 0..2 {
            let velocity = Vector::<L>::load(&body.velocity[part], o).quad(L::load(&body.spare[part], o));
            // SAFETY: passed on to the caller; the four quads lie inside a body state.
            unsafe { L::scatter::<BODY_STATE_LEN>(states, &body.state, body.write, o, part, velocity) };
            if moved {
                let moved = Vector::<L>::load(&body.moved[part], o).quad(L::splat(0.0));
                // SAFETY: as above.
                unsafe { L::scatter::<BODY_STATE_LEN>(states, &body.state, body.write, o, part + 2, moved) };
            }
        }
    }
}

/// Lane masks of leapfrog for velocities and for angular velocities.
#[inline(always)]
fn leapfrog_masks<L: Simd>(view: &BatchView, o: usize) -> [L; 2] {
    [L::load(view.leapfrog, o), L::load(view.leapfrog_angular, o)]
}

/// Lanes that need a velocity-level solve at the end of the step: leapfrog groups, and groups with
/// an angular half kick.
#[inline(always)]
fn needs_final_projection<L: Simd>(view: &BatchView, [leapfrog, leapfrog_angular]: [L; 2], o: usize) -> L {
    let mut kick = L::splat(0.0);
    for body in view.bodies.iter() {
        kick = Vector::<L>::load(&body.half_kick[1], o).max_abs().max(kick);
        kick = L::load(&body.gyroscopic, o).max(kick);
    }
    L::select(kick.gt(L::splat(0.0)), leapfrog_angular, leapfrog)
}

/// Adds multiples of the half kicks to the velocities and angular velocities.
#[inline(always)]
fn apply_half_kicks<L: Simd>(view: &mut BatchView, o: usize, shares: [L; 2]) {
    for body in view.bodies.iter_mut() {
        for (part, kick_fraction) in shares.into_iter().enumerate() {
            let velocity = Vector::<L>::load(&body.velocity[part], o);
            let kick = Vector::load(&body.half_kick[part], o).scale(kick_fraction);
            (velocity + kick).store(&mut body.velocity[part], o);
        }
    }
}

/// As [`apply_half_kicks`], for the substep starts.
///
/// # Safety
/// As for [`begin_step`].
#[inline(always)]
unsafe fn shift_starts<L: Simd>(view: &BatchView, starts: *mut Real, o: usize, shares: [L; 2]) {
    for body in view.bodies.iter() {
        for (part, kick_fraction) in shares.into_iter().enumerate() {
            // SAFETY: passed on to the caller; quads 0 and 1 lie inside a substep start.
            unsafe {
                let q = L::gather::<SUBSTEP_START_LEN>(starts, &body.state, o, part);
                let kick = Vector::load(&body.half_kick[part], o).scale(kick_fraction);
                let quad = (Vector::from_quad(q) + kick).quad(q[3]);
                L::scatter::<SUBSTEP_START_LEN>(starts, &body.state, body.write, o, part, quad);
            }
        }
    }
}

/// Fraction of a substep's kick: one half in the `first` substep of leapfrog groups, else one.
#[inline(always)]
fn kick_fraction<L: Simd>(view: &BatchView, o: usize, first: bool) -> L {
    let one = L::splat(1.0);
    if first { one - L::splat(0.5) * L::load(view.leapfrog, o) } else { one }
}

/// Initial impulses of a substep: zero for equality rows; for bounded rows a fraction of the last
/// ones, which tell whether a row is at its bound.
#[inline(always)]
fn seed_impulses<L: Simd>(view: &mut BatchView, o: usize, kick_fraction: L) {
    let zero_impulse = L::splat(0.0);
    for joint in view.joints.iter_mut() {
        Vector::new(zero_impulse, zero_impulse, zero_impulse).store(&mut joint.impulse, o);
    }
    if !view.factor.has_bounds {
        for row in view.rows.iter_mut() {
            zero_impulse.store(&mut row.impulse, o);
        }
        return;
    }
    for (kind, block) in view.factor.joints.iter().zip(&view.factor.blocks) {
        let mut pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        for (row, &(coordinate, row_kind)) in
            view.rows[block.scalar_rows()].iter_mut().zip(&kind.rows[block.point_rows()..])
        {
            let mut impulse = zero_impulse;
            if row_kind != RowKind::Equality {
                let last = L::load(&row.impulse, o);
                // The impulse of an impact on a limit is not repeated.
                impulse = if row_kind == RowKind::Limit {
                    smaller_same_sign(last, L::load(&row.previous_impulse, o))
                } else {
                    last
                } * kick_fraction;
                last.store(&mut row.previous_impulse, o);
                pair.apply_impulse(view.bodies, coordinate, row, impulse, o);
            }
            impulse.store(&mut row.impulse, o);
        }
        pair.store(view.bodies, o);
    }
}

/// Of two numbers of equal sign the one of smaller magnitude, else zero.
#[inline(always)]
fn smaller_same_sign<L: Simd>(a: L, b: L) -> L {
    let less = L::select(b.abs().gt(a.abs()), a, b);
    L::select((a * b).gt(L::splat(0.0)), less, L::splat(0.0))
}

/// Ends the record of the joints' velocity changes.
#[inline(always)]
fn end_velocity_change<L: Simd>(view: &mut BatchView, o: usize) {
    for body in view.bodies.iter_mut() {
        for part in 0..2 {
            let velocity_change =
                Vector::<L>::load(&body.velocity_change[part], o) + Vector::load(&body.velocity[part], o);
            velocity_change.store(&mut body.velocity_change[part], o);
        }
    }
}

/// Adds the substep's impulses, times `weight`, to the sums of the step.
#[inline(always)]
fn accumulate_impulses<L: Simd>(view: &mut BatchView, o: usize, weight: L) {
    let zero_impulse = Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0));
    for ((kind, block), joint) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter_mut()) {
        let mut force = if block.has_point { Vector::load(&joint.impulse, o) } else { zero_impulse };
        let mut torque = zero_impulse;
        for (row, (coordinate, _)) in view.rows[block.scalar_rows()].iter_mut().zip(&kind.rows[block.point_rows()..]) {
            let impulse = L::load(&row.impulse, o);
            (L::load(&row.impulse_sum, o) + impulse * weight).store(&mut row.impulse_sum, o);
            if coordinate.is_linear() {
                force = force + Vector::load(&row.linear[1], o).scale(impulse);
            } else {
                torque = torque + Vector::load(&row.angular[1], o).scale(impulse);
            }
        }
        let size = force.dot(force).sqrt();
        (L::load(&joint.load, o) + size * weight).store(&mut joint.load, o);
        L::load(&joint.peak, o).max(size).store(&mut joint.peak, o);
        (Vector::load(&joint.force, o) + force.scale(weight)).store(&mut joint.force, o);
        // A point constraint alone exerts no torque about its anchor.
        if block.scalar_count > 0 {
            (Vector::load(&joint.torque, o) + torque.scale(weight)).store(&mut joint.torque, o);
        }
    }
}
