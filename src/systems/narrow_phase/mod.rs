//! Stage 3, **narrow phase**: which surfaces touch, and where.
//!
//! Four questions are asked of each pair with a body that moves, cheap ones first. Have the two bodies moved far enough, by
//! their odometers, for the last answer to be doubted? Are the spheres around them apart? Have they moved against each
//! other? Only then are the shapes collided. While a manifold is kept, its separations follow the bodies along the kept
//! normal; where the solver carries them on by itself, only now and then. Pairs are independent of each other and run in
//! parallel.

mod composite;
mod manifold;
mod stance;

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::kernels::{Geometry, Manifolds, PairCache, PairKernels, ball_ball, collide_with};
use crate::contact::{ContactHooks, Manifold, Pair, Record, Status};
use crate::math::{Pose, Real};
use crate::parallel;
use crate::settings::Accuracy;
use crate::state::State;
use crate::tolerances::{
    FOLLOW_PATH, INHERIT_DISTANCE, NEAR_SLACK, RECYCLE_PATH, RECYCLE_PATH_ROUND, SPECULATIVE_MARGIN, TOUCH,
};
use manifold::Mount;
pub(crate) use manifold::{inherit, world_point};
use stance::Stance;
use std::cell::RefCell;

thread_local! {
    /// Room for the kernels to work in. What is in it never shows in a result.
    static ROOM: RefCell<Manifolds> = RefCell::default();
}

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct NarrowPhase {
    stances: Vec<Stance>,
    /// The turn of the awake bodies that the stances of the others are good for.
    turn: u64,
}

impl NarrowPhase {
    /// Lets everything be looked at anew.
    pub(crate) fn forget(&mut self) {
        self.stances.clear();
        self.turn = u64::MAX;
    }
}

/// What every pair needs to know of the step.
struct Context<'a> {
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    kernels: &'a PairKernels,
    /// Whether the game has a say in every contact.
    edits: bool,
    stances: &'a [Stance],
    /// Distance within which contacts are looked for in any case (m).
    margin: Real,
    unit: Real,
    exact: bool,
}

/// Fewer pairs than this are not worth handing to another thread.
const LEAST_PIECE: usize = 256;

/// Runs the stage.
pub fn run(state: &mut State, kernels: &PairKernels, hooks: &ContactHooks) {
    let State { bodies, colliders, contacts, settings, dt, counts, threads, awake, narrow_phase, impacts, .. } = state;
    awake.update(bodies, &colliders.body, contacts);
    let NarrowPhase { stances, turn } = narrow_phase;
    if *turn != awake.turn || stances.len() != bodies.slots() {
        *turn = awake.turn;
        stances.clear();
        stances.extend((0..bodies.slots()).map(|slot| Stance::of(bodies, slot, *dt)));
    } else {
        for &slot in &awake.bodies {
            stances[slot as usize] = Stance::of(bodies, slot as usize, *dt);
        }
    }
    for &pair in impacts.written() {
        if let Some(status) = contacts.status.get_mut(pair as usize) {
            status.set(Status::CARRIED, false);
        }
    }
    let unit = settings.length_unit;
    let context = Context {
        bodies,
        colliders,
        kernels,
        edits: hooks.edits(),
        stances,
        margin: SPECULATIVE_MARGIN * unit,
        unit,
        exact: settings.accuracy == Accuracy::Exact,
    };
    contacts.manifolds.truncate(contacts.pairs.len());
    counts.collided = parallel::sum_over_listed(
        &awake.pairs,
        (&mut contacts.pairs, &mut contacts.status, &mut contacts.records, &mut contacts.manifolds),
        *threads,
        LEAST_PIECE,
        &|pair, status, record, manifold| usize::from(context.visit(pair, status, record, manifold)),
    );
    counts.collided += composite::run(&context, contacts, *threads);
}

/// The bodies of a pair and how they stand to each other.
struct Stand<'a> {
    a: &'a Stance,
    b: &'a Stance,
    odometers: f64,
    /// How far the two can close in on each other in this step (m).
    travel: Real,
    /// Distance within which a contact may matter in this step (m).
    reach: Real,
    /// A manifold counts if its deepest point is no farther apart (m).
    limit: Real,
}

impl<'a> Context<'a> {
    fn bodies_of(&self, pair: &Pair) -> [usize; 2] {
        [pair.a, pair.b].map(|collider| self.colliders.body[collider as usize] as usize)
    }

    fn odometers(&self, [a, b]: [usize; 2]) -> f64 {
        self.bodies.odometer[a] + self.bodies.odometer[b]
    }

    fn stand(&self, pair: &Pair, [a, b]: [usize; 2], status: Status, ccd: bool) -> Stand<'a> {
        let odometers = self.odometers([a, b]);
        let (a, b) = (&self.stances[a], &self.stances[b]);
        let travel = a.travel(b);
        // Between two bodies that move and need not be exact, what lies farther off than half the smaller one is left to the next
        // step.
        let followed = ccd || !a.dynamic || !b.dynamic;
        let seen = if self.exact || followed { travel } else { travel.min(0.5 * a.radius.min(b.radius)) };
        // What is fast and does not touch yet is left to the sweep, which meets no two of the others.
        let swept = followed && (a.fast || b.fast) && self.is_left(pair, a, b);
        let seen = if swept { seen.min(a.radius.min(b.radius)) } else { seen };
        let reach = if status.has(Status::SENSOR) { 0.0 } else { self.margin + seen };
        let limit = if swept { reach.min(TOUCH * self.unit) } else { reach };
        Stand { a, b, odometers, travel, reach, limit }
    }

    /// Whether a fast pair is better left to the sweep. Not where the game itself has a say in its contacts; nor where those at
    /// the step's start tell all: one is a plane, and neither spins fast.
    fn is_left(&self, pair: &Pair, a: &Stance, b: &Stance) -> bool {
        let shapes = [pair.a, pair.b].map(|c| self.geometry(c));
        let plane = shapes.iter().any(|shape| matches!(shape, Geometry::HalfSpace { .. }));
        !self.edits && (!plane || a.spinning || b.spinning) && self.kernels.leave(shapes[0], shapes[1])
    }

    /// Brings one pair up to date; tells whether its shapes were collided.
    fn visit(&self, pair: &mut Pair, status: &mut Status, record: &mut Record, manifold: &mut Manifold) -> bool {
        if pair.a == crate::bodies::NONE || !status.is_simple() {
            return false;
        }
        let at = self.bodies_of(pair);
        let odometers = self.odometers(at);
        let active = status.has(Status::ACTIVE);
        if active {
            let carried = status.has(Status::CARRIED);
            status.set(Status::CARRIED, false);
            if carried && odometers <= pair.valid_until {
                return false;
            }
            if odometers <= record.valid_until {
                let [a, b] = at.map(|slot| &self.stances[slot]);
                self.follow([a, b], odometers, pair, status, record, manifold);
                return false;
            }
        } else if odometers + f64::from(self.bodies.reach[at[0]] + self.bodies.reach[at[1]]) <= pair.valid_until {
            return false;
        }
        let stand = self.stand(pair, at, *status, record.ccd);
        let Stand { a, b, reach, .. } = stand;
        if !active && !status.has(Status::TOUCHING) {
            let gap = (b.center - a.center).length() - a.radius - b.radius;
            let credit = gap - self.margin;
            if gap > reach && credit > stand.travel {
                pair.valid_until = odometers + f64::from(credit);
                return false;
            }
        }
        if status.has(Status::ROUND)
            && let Some(radii) = self.balls(pair)
        {
            let gap = collide_balls(&stand, radii, record, manifold);
            self.settle(gap, &stand, pair, status, record, manifold);
            return true;
        }
        let relative = a.pose().inv_mul(&b.pose());
        if let Some(credit) = self.credit_left(pair, *status, record, &stand, &relative) {
            record.valid_until = odometers + f64::from(credit);
            if active {
                self.follow([a, b], odometers, pair, status, record, manifold);
            } else {
                pair.valid_until = record.valid_until;
            }
            return false;
        }
        let gap = self.collide_pair(pair, status, &stand, &relative, record, manifold);
        record.relative = relative;
        self.settle(gap, &stand, pair, status, record, manifold);
        true
    }

    /// Takes down what colliding a pair came to: its least separation `gap` (m) and its new manifold.
    fn settle(
        &self,
        gap: Real,
        stand: &Stand,
        pair: &mut Pair,
        status: &mut Status,
        record: &mut Record,
        manifold: &Manifold,
    ) {
        let near = manifold.count > 0;
        record.gap = gap;
        status.set(Status::TOUCHING, near && self.touches(manifold));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        record.valid_until = stand.odometers + f64::from(self.validity(*status, gap));
        pair.valid_until = self.look_again(*status, stand.odometers, record.valid_until);
    }

    /// Collides the shapes of a pair and makes its manifold anew; returns the least separation, or how far apart they are at
    /// least (m).
    fn collide_pair(
        &self,
        pair: &Pair,
        status: &mut Status,
        stand: &Stand,
        relative: &Pose,
        record: &mut Record,
        manifold: &mut Manifold,
    ) -> Real {
        let asked = stand.reach + NEAR_SLACK * self.unit;
        record.revision = record.revision.wrapping_add(1).max(1);
        ROOM.with_borrow_mut(|room| {
            // A pair with a kernel of the game's own is a composite one.
            let known = self.collide(pair, relative, asked, &mut record.cache, room);
            status.set(Status::NOT_COLLIDED, !known);
            let Some(local) = room.as_slice().first().filter(|_| known) else {
                manifold.count = 0;
                return if known { room.clearance() } else { asked };
            };
            let gap = local.deepest();
            if gap > stand.limit {
                manifold.count = 0;
                return gap;
            }
            let [a, b] = [pair.a, pair.b].map(|collider| self.mount(collider));
            let (orientation, tolerance) = (stand.a.orientation, INHERIT_DISTANCE * self.unit);
            record.local_normal = manifold::renew(manifold, local, [&a, &b], orientation, stand.reach, tolerance);
            gap
        })
    }

    /// Asks the kernels for two colliders on bodies that stand `relative` to each other; tells whether one knows them.
    fn collide(
        &self,
        pair: &Pair,
        relative: &Pose,
        prediction: Real,
        cache: &mut PairCache,
        room: &mut Manifolds,
    ) -> bool {
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let [plain_a, plain_b] = [pair.a, pair.b].map(|c| self.is_own(c));
        let [local_a, local_b] = [pair.a, pair.b].map(|c| &self.colliders.local[c as usize]);
        let b_in_a = if plain_a && plain_b { *relative } else { local_a.inv_mul(&(*relative * *local_b)) };
        collide_with(self.kernels, shape_a, shape_b, &b_in_a, prediction, cache, room).is_ok()
    }

    fn geometry(&self, collider: u32) -> &Geometry {
        self.colliders.geometry[collider as usize].as_ref().expect("a live collider has a shape")
    }

    fn mount(&self, collider: u32) -> Mount {
        let body = self.colliders.body[collider as usize] as usize;
        Mount {
            pose: self.colliders.local[collider as usize],
            center: self.bodies.local_center[body],
            plain: self.is_own(collider),
        }
    }

    /// Whether a collider is its body's own: then its pose is the body's.
    #[inline]
    fn is_own(&self, collider: u32) -> bool {
        self.colliders.body[collider as usize] == collider
    }

    /// The radii (m) of two balls about their bodies' origins.
    #[inline]
    fn balls(&self, pair: &Pair) -> Option<[Real; 2]> {
        match [pair.a, pair.b].map(|c| (self.geometry(c), self.is_own(c))) {
            [(Geometry::Ball { radius: a }, true), (Geometry::Ball { radius: b }, true)] => Some([*a, *b]),
            _ => None,
        }
    }

    /// How far the two bodies may move before the answer just found is doubted (m).
    fn validity(&self, status: Status, gap: Real) -> Real {
        if !status.has(Status::ACTIVE) {
            // What lies inside a sensor stays there until it has moved by its depth.
            return if status.has(Status::SENSOR) { gap.abs() } else { gap - self.margin };
        }
        match (self.exact, status.has(Status::ROUND)) {
            (true, _) => 0.0,
            (false, true) => RECYCLE_PATH_ROUND * self.unit,
            (false, false) => RECYCLE_PATH * self.unit,
        }
    }

    /// How far the two bodies may still move if the last answer holds (m): they hardly moved against each other.
    fn credit_left(
        &self,
        pair: &Pair,
        status: Status,
        record: &Record,
        stand: &Stand,
        relative: &Pose,
    ) -> Option<Real> {
        if pair.valid_until == f64::NEG_INFINITY {
            return None;
        }
        let credit = self.validity(status, record.gap) - stand.b.moved(&record.relative, relative);
        let needed = if status.has(Status::ACTIVE) { 0.0 } else { stand.travel };
        (credit > needed).then_some(credit)
    }

    fn touches(&self, manifold: &Manifold) -> bool {
        manifold.points().iter().any(|p| p.separation <= TOUCH * self.unit)
    }

    /// Until when, by the odometers, nothing need be asked of a pair whose answer holds until `valid_until`.
    fn look_again(&self, status: Status, odometers: f64, valid_until: f64) -> f64 {
        let follow = odometers + f64::from(FOLLOW_PATH * self.unit);
        if status.has(Status::ACTIVE) { valid_until.min(follow) } else { valid_until }
    }

    /// Lets the separations of a kept manifold follow its bodies.
    fn follow(
        &self,
        [a, b]: [&Stance; 2],
        odometers: f64,
        pair: &mut Pair,
        status: &mut Status,
        record: &Record,
        manifold: &mut Manifold,
    ) {
        manifold::follow(a, b, record.local_normal, manifold);
        status.set(Status::TOUCHING, self.touches(manifold));
        pair.valid_until = self.look_again(*status, odometers, record.valid_until);
    }
}

/// Makes the manifold of two balls about their bodies' origins anew; returns their separation (m). No pose but the centres
/// counts, so nothing is kept from step to step.
fn collide_balls(stand: &Stand, radii: [Real; 2], record: &mut Record, manifold: &mut Manifold) -> Real {
    let Stand { a, b, limit, .. } = *stand;
    record.revision = record.revision.wrapping_add(1).max(1);
    let between = b.position - a.position;
    let local = ball_ball(radii[0], radii[1], &Pose::from_translation(between), limit);
    if local.count > 0 {
        record.local_normal = manifold::renew_balls(manifold, &local, a, b);
        return local.points[0].separation;
    }
    manifold.count = 0;
    between.length() - radii[0] - radii[1]
}

const _: () = assert!(size_of::<Pair>() == 16);
