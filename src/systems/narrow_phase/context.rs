//! What a pair is asked before its shapes are collided, and what its answer is good for.

use super::manifold::Mount;
use super::stance::Stance;
use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::kernels::{Ahead, Geometry, PairKernels};
use crate::contact::{Look, Manifold, Pair, Status};
use crate::math::{Pose, Real};
use crate::motion::rotation::integrate_orientation;
use crate::tolerances::{
    FOLLOW_PATH, NEAR_PART, NEAR_SLACK, RECYCLE_GAP_ROUND, RECYCLE_PATH, RECYCLE_PATH_ROUND, SPECULATIVE_MARGIN, TOUCH,
};

/// What the sieve of pairs asks of a collider: how far its body has moved in all, and how far it will have moved, at most, at the
/// step's end (m).
#[derive(Clone, Copy, Default)]
pub(super) struct Path {
    pub so_far: f64,
    pub with_step: f64,
}

/// What every pair needs to know of the step.
pub(super) struct Context<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub kernels: &'a PairKernels,
    /// Whether the game has a say in every contact.
    pub edits: bool,
    pub stances: &'a [Stance],
    pub paths: &'a [Path],
    pub unit: Real,
    pub exact: bool,
    /// Length of the step (s).
    pub dt: Real,
}

/// The bodies of a pair and how they stand to each other.
pub(super) struct Stand<'a> {
    pub a: &'a Stance,
    pub b: &'a Stance,
    pub odometers: f64,
    /// How far the two can close in on each other in this step (m).
    pub travel: Real,
    /// Distance within which contacts are looked for in any case, and how much farther out the pair is collided (m).
    pub margin: Real,
    pub slack: Real,
    /// Distance within which a contact may matter in this step (m).
    pub reach: Real,
    /// A manifold counts if its deepest point is no farther apart (m).
    pub limit: Real,
}

impl Stand<'_> {
    /// How far any point of either body has moved against the other, at most, since they stood `before` to each other and not `now`
    /// (m): it is the same way whichever of them is thought to stand still, and known better where the one that moves is small.
    #[inline]
    pub fn moved(&self, before: &Pose, now: &Pose) -> Real {
        if self.b.radius <= self.a.radius {
            self.b.moved_about_center(before, now)
        } else {
            self.a.moved_about_center(&before.inverse(), &now.inverse())
        }
    }
}

impl<'a> Context<'a> {
    #[inline]
    pub fn bodies_of(&self, pair: &Pair) -> [usize; 2] {
        [pair.a, pair.b].map(|collider| self.colliders.body[collider as usize] as usize)
    }

    #[inline]
    pub fn odometers(&self, [a, b]: [usize; 2]) -> f64 {
        self.bodies.odometer[a] + self.bodies.odometer[b]
    }

    #[inline]
    pub fn stand(&self, pair: &Pair, [a, b]: [usize; 2], status: Status) -> Stand<'a> {
        let odometers = self.odometers([a, b]);
        let (a, b) = (&self.stances[a], &self.stances[b]);
        let travel = a.travel(b);
        // Between two bodies that move and need not be exact, what lies farther off than half the smaller one is left to the next
        // step.
        let followed = status.has(Status::CCD) || !a.dynamic || !b.dynamic;
        let seen = if self.exact || followed { travel } else { travel.min(0.5 * a.radius.min(b.radius)) };
        // What is fast and does not touch yet is left to the sweep, which meets no two of the others.
        let swept = followed && (a.fast || b.fast) && self.is_left(pair, a, b);
        let seen = if swept { seen.min(a.radius.min(b.radius)) } else { seen };
        // What is round keeps all its points, and exact laws are to know what a body may be thrown at within the step.
        let whole = self.exact || status.has(Status::ROUND);
        let near = if whole { Real::INFINITY } else { NEAR_PART * a.radius.min(b.radius) };
        let [margin, slack] = [SPECULATIVE_MARGIN, NEAR_SLACK].map(|far| near.min(far * self.unit));
        let reach = if status.has(Status::SENSOR) { 0.0 } else { margin + seen };
        let limit = if swept { reach.min(TOUCH * self.unit) } else { reach };
        Stand { a, b, odometers, travel, margin, slack, reach, limit }
    }

    /// Whether a fast pair is better left to the sweep. Not where the game itself has a say in its contacts; nor where those at
    /// the step's start tell all: one is a plane, and neither spins fast.
    #[inline]
    fn is_left(&self, pair: &Pair, a: &Stance, b: &Stance) -> bool {
        let shapes = [pair.a, pair.b].map(|c| self.geometry(c));
        let plane = shapes.iter().any(|shape| matches!(shape, Geometry::HalfSpace { .. }));
        !self.edits && (!plane || a.spinning || b.spinning) && self.kernels.leave(shapes[0], shapes[1])
    }

    /// Whether the bodies have moved far enough, by their odometers, for anything to be asked of a pair. What the solver carried
    /// on is not so any more.
    #[inline]
    pub fn is_in_doubt(&self, pair: &Pair, status: &mut Status) -> bool {
        let (a, b) = (&self.paths[pair.a as usize], &self.paths[pair.b as usize]);
        if status.has(Status::ACTIVE) {
            let carried = status.has(Status::CARRIED);
            status.set(Status::CARRIED, false);
            return !carried || a.so_far + b.so_far > pair.valid_until;
        }
        a.with_step + b.with_step > pair.valid_until
    }

    /// Where the second collider of a pair will be in the first one's frame at the step's end, if nothing changes how their bodies move: asked
    /// where one of them is not pushed about.
    #[inline]
    pub fn ahead(&self, pair: &Pair) -> Option<Ahead> {
        let slots = self.bodies_of(pair);
        if slots.iter().all(|&slot| self.stances[slot].dynamic) {
            return None;
        }
        let [a, b] = slots.map(|slot| {
            let stance = &self.stances[slot];
            if !self.bodies.is_moving(slot) {
                return stance.pose();
            }
            let turned = integrate_orientation(stance.orientation, self.bodies.angular_velocity[slot] * self.dt);
            let center = stance.center + self.bodies.linear_velocity[slot] * self.dt;
            Pose::from_parts(center - turned * self.bodies.local_center[slot], turned)
        });
        let first_moves = self.stances[slots[0]].dynamic;
        Some(Ahead { b_in_a: self.between(pair, &a.inv_mul(&b)), first_moves, unit: self.unit })
    }

    /// Where the second collider of a pair is in the first one's frame, with their bodies so to each other.
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
    pub fn mount(&self, collider: u32) -> Mount {
        let body = self.colliders.body[collider as usize] as usize;
        Mount {
            pose: self.colliders.local[collider as usize],
            center: self.bodies.local_center[body],
            plain: self.is_own(collider),
        }
    }

    /// Whether a collider is its body's own: then its pose is the body's.
    #[inline]
    pub fn is_own(&self, collider: u32) -> bool {
        self.colliders.body[collider as usize] == collider
    }

    /// The radii (m) of two balls about their bodies' origins.
    #[inline]
    pub fn balls(&self, pair: &Pair) -> Option<[Real; 2]> {
        match [pair.a, pair.b].map(|c| (self.geometry(c), self.is_own(c))) {
            [(Geometry::Ball { radius: a }, true), (Geometry::Ball { radius: b }, true)] => Some([*a, *b]),
            _ => None,
        }
    }

    /// How far the two bodies may move before the answer just found is doubted (m).
    #[inline]
    pub fn validity(&self, status: Status, gap: Real, margin: Real) -> Real {
        if !status.has(Status::ACTIVE) {
            // What lies inside a sensor stays there until it has moved by its depth.
            return if status.has(Status::SENSOR) { gap.abs() } else { gap - margin };
        }
        match (self.exact, status.has(Status::ROUND)) {
            (true, _) => 0.0,
            (false, true) => (RECYCLE_PATH_ROUND * self.unit).max(RECYCLE_GAP_ROUND * gap),
            (false, false) => RECYCLE_PATH * self.unit,
        }
    }

    /// How far two bodies may move (m), if the spheres around them are too far apart to meet within the step.
    #[inline]
    pub fn spheres_apart(&self, stand: &Stand) -> Option<Real> {
        let Stand { a, b, .. } = stand;
        let gap = (b.center - a.center).length() - a.radius - b.radius;
        let credit = gap - stand.margin;
        (gap > stand.reach && credit > stand.travel).then_some(credit)
    }

    /// How far the two bodies may still move if the last answer holds (m): they hardly moved against each other.
    #[inline]
    pub fn credit_left(
        &self,
        pair: &Pair,
        status: Status,
        look: &Look,
        stand: &Stand,
        relative: &Pose,
    ) -> Option<Real> {
        if pair.valid_until == f64::NEG_INFINITY {
            return None;
        }
        let validity = self.validity(status, look.gap, stand.margin);
        let needed = if status.has(Status::ACTIVE) { 0.0 } else { stand.travel };
        if validity <= needed {
            // However little they moved.
            return None;
        }
        let credit = validity - stand.b.moved(&look.relative, relative);
        (credit > needed).then_some(credit)
    }

    #[inline]
    pub fn touches(&self, manifold: &Manifold) -> bool {
        manifold.points().iter().any(|p| p.separation <= TOUCH * self.unit)
    }

    /// Until when, by the odometers, nothing need be asked of a pair whose answer holds until `valid_until`; if it is active, and
    /// the solver carries its separations on. Of round surfaces the solver keeps rows that are older than the answer, so it gains
    /// nothing by a new one.
    #[inline]
    pub fn look_again(&self, status: Status, odometers: f64, valid_until: f64) -> f64 {
        let follow = odometers + f64::from(FOLLOW_PATH * self.unit);
        match (status.has(Status::ACTIVE), status.has(Status::ROUND) && !self.exact) {
            (false, _) => valid_until,
            (true, false) => valid_until.min(follow),
            (true, true) => follow,
        }
    }
}

const _: () = assert!(size_of::<Pair>() == 16);
