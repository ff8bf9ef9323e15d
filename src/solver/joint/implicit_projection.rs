//! Implicit position-level solve of groups in which one linearisation does not hold for a substep.
//!
//! RATTLE's impulses act along the Jacobian of the start of the substep. Where slack light links
//! snap tight under a heavy load, no impulses along it satisfy the constraints at the end, and each
//! solution turns the links further than the last. The pose nearest to the free one, in the metric
//! of the masses, that satisfies the constraints always exists: impulses along the Jacobian of the
//! end lead to it, as in implicit Euler, and lose energy.
//!
//! Sequential quadratic programming finds it (Nocedal and Wright, "Numerical Optimization", 2006,
//! chapter 18): the joints are linearised at the last solution, and the Hessian of the constraints
//! under its impulses, the geometric stiffness, adds inertia against the change from that solution.
//! At the end the solution no longer changes, so the added inertia has no part in it and momentum is
//! conserved.

use super::active_set::{
    ConstraintLevel, largest_difference_squared, largest_spin_change_squared, rotated_further, solve_active_set,
};
use super::assembly;
use super::batch::{BatchView, BodyLanes, RaisedInertia};
use super::geometric_stiffness;
use super::jacobians::{predict_poses_masked, relinearise_jacobians};
use crate::math::Real;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH, Wide};
use crate::tolerances::JOINTS;

/// Maximum linearisations of a substep. Fewer: light chains under a ball of 10^5 times their mass
/// tear; more: cost of what cannot be satisfied.
const MAX_LINEARISATIONS: u32 = 40;

/// The same after a substep of the step whose solutions did not end with the maximum: they go round,
/// and those of later substeps will. Larger: steps of 0.1 s.
const LINEARISATIONS_GOING_ROUND: u32 = 4;

/// Maximum rotation of a body from one solution to the next (rad). Larger: the linearisation says
/// nothing there, and solutions go round; smaller: more linearisations.
const MAX_TURN: Real = 0.5;

/// Solves the active lanes whose last solution turned a body by more than `JOINTS.relinearise_angle`,
/// until two solutions differ by no more than that, and tells the energy guard.
#[inline(always)]
pub(super) fn project_implicitly<L: Simd>(view: &mut BatchView, o: usize, h: Real, kick_fraction: L, simd: SimdLevel) {
    if view.iterative {
        return;
    }
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let active = L::load(view.active_lanes, o).gt(zero);
    let unsolved = L::and(rotated_further::<L>(view, o, JOINTS.relinearise_angle / h), active);
    L::select(unsolved, one, zero).store(&mut view.energy_guard.implicit, o);
    if L::bits(unsolved) != 0 {
        let mut kick_fractions = Wide([0.0; WIDTH]);
        kick_fraction.store(&mut kick_fractions, o);
        simd.run(ImplicitProjection { view, o, h, kick_fractions, simd });
    }
}

/// Not inlined: it is large, and few substeps need it.
struct ImplicitProjection<'a, 'b> {
    view: &'a mut BatchView<'b>,
    o: usize,
    h: Real,
    kick_fractions: Wide,
    simd: SimdLevel,
}

impl SimdKernel for ImplicitProjection<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { view, o, h, kick_fractions, simd } = self;
        let zero = L::splat(0.0);
        let all = L::load(view.active_lanes, o);
        let iterations = if view.factor.has_bounds { 2 } else { 1 };
        let mut here = L::load(&view.energy_guard.implicit, o).gt(zero);
        let goes_round = L::load(&view.energy_guard.goes_round, o);
        let persists = L::splat(0.5).gt(goes_round);
        for k in 0..MAX_LINEARISATIONS {
            if k == LINEARISATIONS_GOING_ROUND {
                here = L::and(here, persists);
                if L::bits(here) == 0 {
                    break;
                }
            }
            predict_poses_masked::<L>(view, o, h, here);
            geometric_stiffness::apply::<L>(view, o, h, here);
            for (raised, body) in view.raised.iter_mut().zip(view.bodies.iter_mut()) {
                Vector::<L>::load(&body.velocity[1], o).store(&mut raised.last_spin, o);
                restart::<L>(body, raised, here, o);
            }
            relinearise_jacobians::<L>(view, o, here);
            geometric_stiffness::restore::<L>(view, o);
            let impulses = view.joints.iter_mut().flat_map(|joint| &mut joint.impulse);
            for impulse in impulses.chain(view.rows.iter_mut().map(|row| &mut row.impulse)) {
                L::select(here, zero, L::load(impulse, o)).store(impulse, o);
            }
            if !view.factor.has_bounds {
                // In all lanes, so that none divides by zero.
                all.store(view.active_lanes, o);
                assembly::assemble_and_factor(simd, view, o, h, true);
            }
            L::select(here, all, zero).store(view.active_lanes, o);
            let level = (ConstraintLevel::Position, iterations, 0);
            solve_active_set::<L>(view, o, h, level, L::load(&kick_fractions, o), simd);
            shorten::<L>(view, here, h, o);
            here = L::and(here, changed::<L>(view, o, JOINTS.relinearise_angle / h));
            if L::bits(here) == 0 {
                break;
            }
        }
        all.store(view.active_lanes, o);
        L::select(here, L::splat(1.0), goes_round).store(&mut view.energy_guard.goes_round, o);
    }
}

/// Lanes where the last two solutions differ by more than this in the angular velocity of some body
/// (rad/s). The linearisation of bounded groups may be another: a limit enters with the second of
/// their solutions, and turns the bodies from the first.
#[inline(always)]
fn changed<L: Simd>(view: &BatchView, o: usize, most_change: Real) -> L::Mask {
    let solutions =
        view.bodies.iter().zip(view.raised.iter()).map(|(body, raised)| [&body.velocity[1], &raised.last_spin]);
    let bound = L::splat(most_change);
    largest_difference_squared::<L>(solutions, o).gt(bound * bound)
}

/// Sets the velocities of a body in some lanes to those before the impulses of the joints, except
/// for the part that the added inertia takes of the change since the last solution.
#[inline(always)]
fn restart<L: Simd>(body: &mut BodyLanes, raised: &RaisedInertia, here: L::Mask, o: usize) {
    let none = Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0));
    // Within a pass the record of changes is the negative of the velocities before it. No zero is
    // negative here, so that adding zero in later solutions changes nothing.
    let [velocity, spin] = &body.velocity_change;
    let (velocity, spin) = (none - Vector::<L>::load(velocity, o), none - Vector::<L>::load(spin, o));
    let last = Vector::<L>::load(&body.velocity[1], o);
    let held = (spin - last).transformed_by(&raised.added, o).transformed_by(&body.inertia, o);
    for (own, new) in body.velocity.iter_mut().zip([velocity, spin - held]) {
        Vector::select(here, new, Vector::load(own, o)).store(own, o);
    }
}

/// Shortens the change since the last solution to one that turns no body by more than `MAX_TURN`.
#[inline(always)]
fn shorten<L: Simd>(view: &mut BatchView, here: L::Mask, h: Real, o: usize) {
    let (one, most) = (L::splat(1.0), largest_spin_change_squared::<L>(view, o));
    let bound = L::splat(MAX_TURN / h);
    let long = L::and(here, most.gt(bound * bound));
    let share = L::select(long, bound.div(L::select(long, most, one).sqrt()), one);
    for body in view.bodies.iter_mut() {
        for (velocity, last) in body.velocity.iter_mut().zip(&body.linearised_velocity) {
            let (new, last) = (Vector::<L>::load(velocity, o), Vector::load(last, o));
            Vector::select(long, last + (new - last).scale(share), new).store(velocity, o);
        }
    }
}
