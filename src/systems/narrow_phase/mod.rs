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

use crate::ahead;
use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::kernels::{
    Geometry, Manifolds, PairCache, PairKernels, PartsMemory, ball_ball, collide_remembering,
};
use crate::contact::{ContactGraph, ContactHooks, Look, Manifold, Pair, Record, Status};
use crate::index::NONE;
use crate::math::{Pose, Real, Vec3};
use crate::parallel::{Apart, LOOKED_AT};
use crate::settings::Accuracy;
use crate::systems::state::State;
use crate::tolerances::{
    FOLLOW_PATH, INHERIT_DISTANCE, NEAR_SLACK, RECYCLE_GAP_ROUND, RECYCLE_PATH, RECYCLE_PATH_ROUND, ROWS_TRAVEL,
    SPECULATIVE_MARGIN, TOUCH,
};
use manifold::Mount;
pub(crate) use manifold::{inherit, world_point};
use stance::Stance;
use std::cell::RefCell;

thread_local! {
    /// Room to work in. What is in it never shows in a result.
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Room for one pair at a time.
#[derive(Default)]
struct Room {
    found: Manifolds,
    /// The manifolds of a composite pair in the step before, while the new ones take up their impulses.
    before: Vec<Manifold>,
}

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct NarrowPhase {
    stances: Vec<Stance>,
    /// The turn of the awake bodies that the stances of the others are good for.
    turn: u64,
    paths: Vec<Path>,
    books: Vec<Book>,
}

/// What the sieve of pairs asks of a collider: how far its body has moved in all, and how far it will have moved, at most, at the
/// step's end (m).
#[derive(Clone, Copy, Default)]
struct Path {
    so_far: f64,
    with_step: f64,
}

/// What visits to neighbouring pairs came to, until it is written into the contact graph in the order of pairs.
#[derive(Default)]
struct Book {
    /// Pairs whose shapes were collided.
    collided: usize,
    /// Pairs that touch now or may within the step, and did not before.
    found: Vec<Found>,
    /// Pairs that own a manifold and need none any more.
    lost: Vec<u32>,
}

struct Found {
    pair: u32,
    manifold: Manifold,
    record: Record,
}

/// The manifolds and records of all pairs, for several threads.
struct Owned<'a> {
    places: &'a [u32],
    manifolds: Apart<'a, Manifold>,
    records: Apart<'a, Record>,
}

impl<'a> Owned<'a> {
    /// Calls for what a pair owns.
    #[inline]
    fn call(&self, pair: u32) {
        let place = self.places[pair as usize];
        if place != NONE {
            self.manifolds.call(place);
            self.records.call(place);
        }
    }

    /// What a pair owns.
    ///
    /// # Safety
    /// While the references live, nobody may ask for what the same pair owns.
    #[inline]
    unsafe fn of(&self, pair: u32) -> Option<(&'a mut Manifold, &'a mut Record)> {
        let place = self.places[pair as usize];
        // SAFETY: no two pairs own the same place, and the caller is alone at this one.
        unsafe { Some((self.manifolds.get(place)?, self.records.get(place)?)) }
    }
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
    paths: &'a [Path],
    /// Distance within which contacts are looked for in any case (m).
    margin: Real,
    unit: Real,
    exact: bool,
}

/// Fewer pairs than this are not worth handing to another thread: most of them are only looked at.
const LEAST_PIECE: usize = 1024;

/// Runs the stage.
pub fn run(state: &mut State, kernels: &PairKernels, hooks: &ContactHooks) {
    let State { bodies, colliders, contacts, settings, dt, counts, helpers, awake, narrow_phase, impacts, .. } = state;
    awake.update(bodies, &colliders.body, contacts);
    let NarrowPhase { stances, turn, paths, books } = narrow_phase;
    let (slots, all) = (bodies.slots(), *turn != awake.turn || stances.len() != bodies.slots());
    *turn = awake.turn;
    stances.resize(slots, Stance::default());
    paths.resize(slots, Path::default());
    let columns = (Apart::new(stances), Apart::new(paths));
    helpers.shares(slots, LOOKED_AT, &|share| {
        // SAFETY: shares are apart.
        let (stances, paths) = unsafe { (columns.0.range(share.clone()), columns.1.range(share.clone())) };
        for (slot, (stance, path)) in share.zip(stances.iter_mut().zip(paths)) {
            if all || bodies.is_moving(slot) || bodies.edited[slot] {
                *stance = Stance::of(bodies, slot, *dt);
            }
            // A slot without a collider is in no pair.
            let body = colliders.body.get(slot).map_or(usize::MAX, |&body| body as usize);
            let so_far = bodies.odometer.get(body).copied().unwrap_or(0.0);
            let reach = bodies.reach.get(body).copied().unwrap_or(0.0);
            *path = Path { so_far, with_step: so_far + f64::from(reach) };
        }
    });
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
        paths,
        margin: SPECULATIVE_MARGIN * unit,
        unit,
        exact: settings.accuracy == Accuracy::Exact,
    };
    contacts.drop_parts();
    let ContactGraph { pairs, status, looks, places, manifolds, records, .. } = contacts;
    let owned = Owned { places, manifolds: Apart::new(manifolds), records: Apart::new(records) };
    let used = helpers.over_listed(
        &awake.pairs,
        (pairs, status, looks),
        books,
        LEAST_PIECE,
        &|number, pair, status, look| {
            let asks = pair.a != NONE && status.is_simple() && context.is_in_doubt(pair, status);
            if asks {
                owned.call(number);
                ahead::call_at(look);
                // A body's own collider has its slot.
                for collider in [pair.a, pair.b] {
                    ahead::call(context.stances, collider as usize);
                }
            }
            asks
        },
        &|number, pair, status, look, book: &mut Book| {
            // SAFETY: each number is visited once, and only what belongs to it is asked for.
            let own = unsafe { owned.of(number) };
            context.visit(number, pair, status, look, own, book);
        },
    );
    counts.collided = 0;
    for book in &mut books[..used] {
        counts.collided += std::mem::take(&mut book.collided);
        for pair in book.lost.drain(..) {
            contacts.disown(pair as usize);
        }
    }
    for book in &mut books[..used] {
        if book.found.is_empty() {
            // What a landing pile filled need not be kept when it lies.
            book.found = Vec::new();
        }
        for found in book.found.drain(..) {
            contacts.own(found.pair as usize, &found.manifold, found.record);
        }
    }
    counts.collided += composite::run(&context, contacts, helpers);
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

impl Stand<'_> {
    /// How far any point of either body has moved against the other, at most, since they stood `before` to each other and not `now`
    /// (m): it is the same way whichever of them is thought to stand still, and known better where the one that moves is small.
    fn moved(&self, before: &Pose, now: &Pose) -> Real {
        if self.b.radius <= self.a.radius {
            self.b.moved_about_center(before, now)
        } else {
            self.a.moved_about_center(&before.inverse(), &now.inverse())
        }
    }
}

impl<'a> Context<'a> {
    fn bodies_of(&self, pair: &Pair) -> [usize; 2] {
        [pair.a, pair.b].map(|collider| self.colliders.body[collider as usize] as usize)
    }

    fn odometers(&self, [a, b]: [usize; 2]) -> f64 {
        self.bodies.odometer[a] + self.bodies.odometer[b]
    }

    fn stand(&self, pair: &Pair, [a, b]: [usize; 2], status: Status) -> Stand<'a> {
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

    /// Whether the bodies have moved far enough, by their odometers, for anything to be asked of a pair. What the solver carried
    /// on is not so any more.
    #[inline]
    fn is_in_doubt(&self, pair: &Pair, status: &mut Status) -> bool {
        let (a, b) = (&self.paths[pair.a as usize], &self.paths[pair.b as usize]);
        if status.has(Status::ACTIVE) {
            let carried = status.has(Status::CARRIED);
            status.set(Status::CARRIED, false);
            return !carried || a.so_far + b.so_far > pair.valid_until;
        }
        a.with_step + b.with_step > pair.valid_until
    }

    /// Brings one pair that is in doubt up to date, and what it owns.
    #[inline]
    fn visit(
        &self,
        number: u32,
        pair: &mut Pair,
        status: &mut Status,
        look: &mut Look,
        own: Option<(&mut Manifold, &mut Record)>,
        book: &mut Book,
    ) {
        let at = self.bodies_of(pair);
        let odometers = self.odometers(at);
        let active = status.has(Status::ACTIVE);
        let (mut manifold, mut record) = own.unzip();
        if active
            && let (Some(manifold), Some(record)) = (&mut manifold, &record)
            && odometers <= record.valid_until
        {
            let [a, b] = at.map(|slot| &self.stances[slot]);
            self.follow([a, b], odometers, pair, status, record, manifold);
            return;
        }
        let stand = self.stand(pair, at, *status);
        let Stand { a, b, .. } = stand;
        if !active
            && !status.has(Status::TOUCHING)
            && let Some(credit) = self.spheres_apart(&stand)
        {
            pair.valid_until = odometers + f64::from(credit);
            return;
        }
        let round = if status.has(Status::ROUND) { self.balls(pair) } else { None };
        let relative = if round.is_some() { Pose::IDENTITY } else { a.pose().inv_mul(&b.pose()) };
        if round.is_none()
            && let Some(credit) = self.credit_left(pair, *status, look, &stand, &relative)
        {
            let valid_until = odometers + f64::from(credit);
            match (&mut manifold, &mut record) {
                (Some(manifold), Some(record)) if active => {
                    record.valid_until = valid_until;
                    self.follow([a, b], odometers, pair, status, record, manifold);
                }
                _ => pair.valid_until = valid_until,
            }
            return;
        }
        book.collided += 1;
        let mut fresh = None;
        let into = match &mut manifold {
            Some(manifold) => &mut **manifold,
            None => fresh.insert(Manifold::default()),
        };
        // What is round is collided again and again as it rolls, by far less than the solver's rows bear.
        let before = status.has(Status::ROUND).then_some(*into);
        let (gap, local_normal) = match round {
            Some(radii) => collide_balls(&stand, radii, into),
            None => {
                let answer = self.collide_pair(pair, status, &stand, &relative, &mut look.cache, into);
                look.relative = relative;
                answer
            }
        };
        look.gap = gap;
        let goes_on = before.is_some_and(|before| manifold::goes_on(&before, into, ROWS_TRAVEL * self.unit));
        let near = into.count > 0;
        status.set(Status::TOUCHING, near && self.touches(into));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        let valid_until = odometers + f64::from(self.validity(*status, gap));
        pair.valid_until = self.look_again(*status, odometers, valid_until);
        if let Some(record) = &mut record {
            if !goes_on {
                record.renew();
            }
            record.valid_until = valid_until;
            record.local_normal = local_normal.unwrap_or(record.local_normal);
        }
        match (status.has(Status::ACTIVE), fresh) {
            (true, Some(manifold)) => {
                let [p, q] = [pair.a, pair.b].map(|collider| &self.colliders.material[collider as usize]);
                let local_normal = local_normal.unwrap_or(Vec3::Y);
                let record = Record { local_normal, valid_until, ..Record::new(p.with(q)) };
                book.found.push(Found { pair: number, manifold, record });
            }
            (false, None) => book.lost.push(number),
            _ => {}
        }
    }

    /// Collides the shapes of a pair and makes its manifold anew; returns the least separation, or how far apart they are at
    /// least (m), and the normal in the first body's axes if there are points.
    fn collide_pair(
        &self,
        pair: &Pair,
        status: &mut Status,
        stand: &Stand,
        relative: &Pose,
        cache: &mut PairCache,
        manifold: &mut Manifold,
    ) -> (Real, Option<Vec3>) {
        let asked = stand.reach + NEAR_SLACK * self.unit;
        ROOM.with_borrow_mut(|Room { found: room, .. }| {
            // A pair with a kernel of the game's own is a composite one.
            let known = self.collide(pair, relative, asked, (cache, None), room);
            status.set(Status::NOT_COLLIDED, !known);
            let Some(local) = room.as_slice().first().filter(|_| known) else {
                manifold.count = 0;
                return (if known { room.clearance() } else { asked }, None);
            };
            let gap = local.deepest();
            if gap > stand.limit {
                manifold.count = 0;
                return (gap, None);
            }
            let [a, b] = [pair.a, pair.b].map(|collider| self.mount(collider));
            let (orientation, tolerance) = (stand.a.orientation, INHERIT_DISTANCE * self.unit);
            (gap, Some(manifold::renew(manifold, local, [&a, &b], orientation, stand.reach, tolerance)))
        })
    }

    /// Asks the kernels for two colliders on bodies that stand `relative` to each other; tells whether one knows them.
    fn collide(
        &self,
        pair: &Pair,
        relative: &Pose,
        prediction: Real,
        remembered: (&mut PairCache, Option<(&mut PartsMemory, Real)>),
        room: &mut Manifolds,
    ) -> bool {
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let [plain_a, plain_b] = [pair.a, pair.b].map(|c| self.is_own(c));
        let [local_a, local_b] = [pair.a, pair.b].map(|c| &self.colliders.local[c as usize]);
        let b_in_a = if plain_a && plain_b { *relative } else { local_a.inv_mul(&(*relative * *local_b)) };
        collide_remembering(self.kernels, shape_a, shape_b, &b_in_a, prediction, remembered, room).is_ok()
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
            (false, true) => (RECYCLE_PATH_ROUND * self.unit).max(RECYCLE_GAP_ROUND * gap),
            (false, false) => RECYCLE_PATH * self.unit,
        }
    }

    /// How far two bodies may move (m), if the spheres around them are too far apart to meet within the step.
    #[inline]
    fn spheres_apart(&self, stand: &Stand) -> Option<Real> {
        let Stand { a, b, .. } = stand;
        let gap = (b.center - a.center).length() - a.radius - b.radius;
        let credit = gap - self.margin;
        (gap > stand.reach && credit > stand.travel).then_some(credit)
    }

    /// How far the two bodies may still move if the last answer holds (m): they hardly moved against each other.
    fn credit_left(&self, pair: &Pair, status: Status, look: &Look, stand: &Stand, relative: &Pose) -> Option<Real> {
        if pair.valid_until == f64::NEG_INFINITY {
            return None;
        }
        let validity = self.validity(status, look.gap);
        let needed = if status.has(Status::ACTIVE) { 0.0 } else { stand.travel };
        if validity <= needed {
            // However little they moved.
            return None;
        }
        let credit = validity - stand.b.moved(&look.relative, relative);
        (credit > needed).then_some(credit)
    }

    fn touches(&self, manifold: &Manifold) -> bool {
        manifold.points().iter().any(|p| p.separation <= TOUCH * self.unit)
    }

    /// Until when, by the odometers, nothing need be asked of a pair whose answer holds until `valid_until`; if it is active, and
    /// the solver carries its separations on. Of round surfaces the solver keeps rows that are older than the answer, so it gains
    /// nothing by a new one.
    fn look_again(&self, status: Status, odometers: f64, valid_until: f64) -> f64 {
        let follow = odometers + f64::from(FOLLOW_PATH * self.unit);
        match (status.has(Status::ACTIVE), status.has(Status::ROUND) && !self.exact) {
            (false, _) => valid_until,
            (true, false) => valid_until.min(follow),
            (true, true) => follow,
        }
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

/// Makes the manifold of two balls about their bodies' origins anew; returns their separation (m), and the normal in the first
/// body's axes if there is a point. No pose but the centres counts, so nothing is kept from step to step.
fn collide_balls(stand: &Stand, radii: [Real; 2], manifold: &mut Manifold) -> (Real, Option<Vec3>) {
    let Stand { a, b, limit, .. } = *stand;
    let between = b.position - a.position;
    let local = ball_ball(radii[0], radii[1], &Pose::from_translation(between), limit);
    if local.count > 0 {
        return (local.points[0].separation, Some(manifold::renew_balls(manifold, &local, a, b)));
    }
    manifold.count = 0;
    (between.length() - radii[0] - radii[1], None)
}

const _: () = assert!(size_of::<Pair>() == 16);
