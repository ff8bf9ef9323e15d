//! Stage 4, **narrow phase**: which surfaces touch, and where.
//!
//! Four questions are asked of each pair with a body that moves, cheap ones first. Have the two bodies moved far enough, by
//! their odometers, for the last answer to be doubted? Are the spheres around them apart? Have they moved against each
//! other? Only then are the shapes collided. While a manifold is kept, its separations follow the bodies along the kept
//! normal; where the solver carries them on by itself, only now and then. Pairs are independent of each other and run in
//! parallel.

mod composite;
mod context;
mod manifold;
mod stance;
mod visit;

use crate::ahead;
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks, Manifold, Record, Status};
use crate::index::NONE;
use crate::parallel::{Apart, LOOKED_AT};
use crate::settings::Accuracy;
use crate::systems::state::State;
use context::{Context, Path};
pub(crate) use manifold::{inherit, world_point};
use stance::Stance;
use visit::Book;

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct NarrowPhase {
    stances: Vec<Stance>,
    /// The turn of the awake bodies that the stances of the others are good for.
    turn: u64,
    paths: Vec<Path>,
    books: Vec<Book>,
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
        unit,
        exact: settings.accuracy == Accuracy::Exact,
        dt: *dt,
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
