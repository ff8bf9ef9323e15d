//! Validity of narrow-phase results: the tests of a pair before its shapes are collided.

use super::body_view::BodyView;
use super::manifold::Placement;
use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::kernels::{Geometry, PairKernels, PredictedPose};
use crate::contact::{Manifold, NarrowPhaseCache, Pair, Status};
use crate::math::{Norm, Pose, Real};
use crate::motion::rotation::integrate_orientation;
use crate::tolerances::{CONTACT, MANIFOLD, RECYCLE_PER_MARGIN, SEPARATION_UPDATE_PATH};

/// Path bounds of a collider for the prefilter of pairs: its odometer, and an upper bound of it at
/// the end of the step (m).
#[derive(Clone, Copy, Default)]
pub(super) struct PathBound {
    pub so_far: f64,
    pub with_step: f64,
}

/// Common data of the step for all pairs.
pub(super) struct PairContext<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub kernels: &'a PairKernels,
    /// True if contact hooks edit the contacts.
    pub edits: bool,
    pub views: &'a [BodyView],
    pub path_bounds: &'a [PathBound],
    pub unit: Real,
    pub exact: bool,
    /// Time step (s).
    pub dt: Real,
}

/// Bodies of a pair, their relative motion, and the distances derived from it.
pub(super) struct PairMotion<'a> {
    pub a: &'a BodyView,
    pub b: &'a BodyView,
    pub odometers: f64,
    /// Bound of their approach in this step (m).
    pub travel: Real,
    /// Speculative margin (m): also the additional distance at which the pair is collided, so that
    /// its contacts serve several steps.
    pub margin: Real,
    /// Greatest separation of a contact point in this step (m).
    pub reach: Real,
    /// Greatest separation of the deepest point of a manifold (m).
    pub limit: Real,
}

impl PairMotion<'_> {
    /// Bound of the relative displacement of any point of either body since their relative pose was
    /// `before` (m). It is the same for both frames; that of the smaller body gives the tighter
    /// bound.
    #[inline]
    pub fn moved(&self, before: &Pose, now: &Pose) -> Real {
        if self.b.radius <= self.a.radius {
            self.b.moved_about_center(before, now)
        } else {
            self.a.moved_about_center(&before.inverse(), &now.inverse())
        }
    }
}

impl<'a> PairContext<'a> {
    #[inline]
    pub fn bodies_of(&self, pair: &Pair) -> [usize; 2] {
        [pair.a, pair.b].map(|collider| self.colliders.body[collider as usize] as usize)
    }

    #[inline]
    pub fn odometers(&self, [a, b]: [usize; 2]) -> f64 {
        self.bodies.odometer[a] + self.bodies.odometer[b]
    }

    #[inline]
    pub fn motion(&self, pair: &Pair, [a, b]: [usize; 2], status: Status) -> PairMotion<'a> {
        let odometers = self.odometers([a, b]);
        let (a, b) = (&self.views[a], &self.views[b]);
        let travel = a.travel(b);
        // With `Accuracy::Game`, contacts between two dynamic bodies further apart than half the
        // smaller one wait for the next step.
        let followed = status.has(Status::CCD) || !a.dynamic || !b.dynamic;
        let travel_bound = if self.exact || followed { travel } else { travel.min(0.5 * a.radius.min(b.radius)) };
        // Fast pairs that do not touch yet are left to CCD, which does not handle two dynamic
        // bodies without the CCD flag.
        let left_to_ccd = followed && (a.fast || b.fast) && self.is_left_to_ccd(pair, a, b);
        let travel_bound = if left_to_ccd { travel_bound.min(a.radius.min(b.radius)) } else { travel_bound };
        // Round surfaces keep all their points. The direct solver needs all contacts that impacts
        // may close within the step.
        let whole = self.exact || status.has(Status::ROUND);
        let near = if whole { Real::INFINITY } else { CONTACT.margin_per_radius * a.radius.min(b.radius) };
        let margin = near.min(CONTACT.speculative_margin * self.unit);
        let reach = if status.has(Status::SENSOR) { 0.0 } else { margin + travel_bound };
        let limit = if left_to_ccd { reach.min(CONTACT.touch * self.unit) } else { reach };
        PairMotion { a, b, odometers, travel, margin, reach, limit }
    }

    /// True if a fast pair is left to CCD. Not with contact editors, nor where the contacts at the
    /// start of the step suffice: one shape is a plane, and neither body rotates fast.
    #[inline]
    fn is_left_to_ccd(&self, pair: &Pair, a: &BodyView, b: &BodyView) -> bool {
        let shapes = [pair.a, pair.b].map(|c| self.geometry(c));
        let plane = shapes.iter().any(|shape| matches!(shape, Geometry::HalfSpace { .. }));
        !self.edits && (!plane || a.spinning || b.spinning) && self.kernels.uses_builtin_kernels(shapes[0], shapes[1])
    }

    /// Whether, by the odometers, the result of a pair may be invalid. Clears the flag of
    /// separations advanced by the solver.
    #[inline]
    pub fn may_be_invalid(&self, pair: &Pair, status: &mut Status) -> bool {
        let (a, b) = (&self.path_bounds[pair.a as usize], &self.path_bounds[pair.b as usize]);
        if status.has(Status::ACTIVE) {
            let carried = status.has(Status::ADVANCED);
            status.set(Status::ADVANCED, false);
            return !carried || a.so_far + b.so_far > pair.valid_until;
        }
        a.with_step + b.with_step > pair.valid_until
    }

    /// Predicted pose of the second collider in the first one's frame at the end of the step,
    /// without any change of velocity; for pairs with a body that is not dynamic.
    #[inline]
    pub fn predicted_pose(&self, pair: &Pair) -> Option<PredictedPose> {
        let slots = self.bodies_of(pair);
        if slots.iter().all(|&slot| self.views[slot].dynamic) {
            return None;
        }
        let [a, b] = slots.map(|slot| {
            let view = &self.views[slot];
            if !self.bodies.is_moving(slot) {
                return view.pose();
            }
            let turned = integrate_orientation(view.orientation, self.bodies.angular_velocity[slot] * self.dt);
            let center = view.center + self.bodies.linear_velocity[slot] * self.dt;
            Pose::from_parts(center - turned * self.bodies.local_center[slot], turned)
        });
        let first_moves = self.views[slots[0]].dynamic;
        Some(PredictedPose { b_in_a: self.between(pair, &a.inv_mul(&b)), first_moves, length_unit: self.unit })
    }

    /// Pose of the second collider in the first one's frame, from the relative pose of their
    /// bodies.
    #[inline]
    pub fn between(&self, pair: &Pair, relative: &Pose) -> Pose {
        if self.is_own(pair.a) && self.is_own(pair.b) {
            return *relative;
        }
        let [local_a, local_b] = [pair.a, pair.b].map(|c| &self.colliders.local[c as usize]);
        local_a.inv_mul(&(*relative * *local_b))
    }

    #[inline]
    pub fn geometry(&self, collider: u32) -> &Geometry {
        self.colliders.geometry[collider as usize].as_ref().expect("a live collider has a shape")
    }

    #[inline]
    pub fn placement(&self, collider: u32) -> Placement {
        let body = self.colliders.body[collider as usize] as usize;
        Placement {
            pose: self.colliders.local[collider as usize],
            center: self.bodies.local_center[body],
            plain: self.is_own(collider),
        }
    }

    /// True if a collider is its body's own: then its pose is the body's.
    #[inline]
    pub fn is_own(&self, collider: u32) -> bool {
        self.colliders.body[collider as usize] == collider
    }

    /// Radii (m) of two balls about their bodies' origins.
    #[inline]
    pub fn balls(&self, pair: &Pair) -> Option<[Real; 2]> {
        match [pair.a, pair.b].map(|c| (self.geometry(c), self.is_own(c))) {
            [(Geometry::Ball { radius: a }, true), (Geometry::Ball { radius: b }, true)] => Some([*a, *b]),
            _ => None,
        }
    }

    /// Relative path of the bodies for which the result just found stays valid (m). Points that it
    /// lacks were further apart than `margin`.
    #[inline]
    pub fn validity(&self, status: Status, gap: Real, motion: &PairMotion) -> Real {
        let PairMotion { a, b, margin, .. } = *motion;
        if !status.has(Status::ACTIVE) {
            // A body inside a sensor stays there until it has moved by its depth.
            return if status.has(Status::SENSOR) { gap.abs() } else { gap - margin };
        }
        match (self.exact, status.has(Status::ROUND)) {
            (true, _) => 0.0,
            // The normal turns with a body.
            (false, true) => {
                let length = gap.min(a.radius).min(b.radius);
                (MANIFOLD.clip_slack * self.unit).max(CONTACT.recycle_per_gap * length)
            }
            (false, false) => RECYCLE_PER_MARGIN * margin,
        }
    }

    /// Remaining path of two bodies (m), if their bounding spheres are too far apart to meet within
    /// the step.
    #[inline]
    pub fn spheres_separate(&self, motion: &PairMotion) -> Option<Real> {
        let PairMotion { a, b, .. } = motion;
        let gap = (b.center - a.center).norm() - a.radius - b.radius;
        let credit = gap - motion.margin;
        (gap > motion.reach && credit > motion.travel).then_some(credit)
    }

    /// Remaining path of the two bodies (m), if their relative displacement leaves the last result
    /// valid.
    #[inline]
    pub fn remaining_path(
        &self,
        pair: &Pair,
        status: Status,
        cached: &NarrowPhaseCache,
        motion: &PairMotion,
        relative: &Pose,
    ) -> Option<Real> {
        if pair.valid_until == f64::NEG_INFINITY {
            return None;
        }
        let validity = self.validity(status, cached.gap, motion);
        let needed = if status.has(Status::ACTIVE) { 0.0 } else { motion.travel };
        if validity <= needed {
            // Invalid after any displacement.
            return None;
        }
        let credit = validity - motion.b.moved(&cached.relative, relative);
        (credit > needed).then_some(credit)
    }

    #[inline]
    pub fn touches(&self, manifold: &Manifold) -> bool {
        manifold.points().iter().any(|p| p.separation <= CONTACT.touch * self.unit)
    }

    /// Sum of the odometers up to which a pair need not be checked, given that of its result.
    /// Separations of active pairs that the solver advances are refreshed earlier. For round
    /// surfaces the solver keeps rows older than the result, so a new result gains nothing.
    #[inline]
    pub fn next_check(&self, status: Status, odometers: f64, valid_until: f64) -> f64 {
        let follow = odometers + f64::from(SEPARATION_UPDATE_PATH * self.unit);
        match (status.has(Status::ACTIVE), status.has(Status::ROUND) && !self.exact) {
            (false, _) => valid_until,
            (true, false) => valid_until.min(follow),
            (true, true) => follow,
        }
    }
}

const _: () = assert!(size_of::<Pair>() == 16);
