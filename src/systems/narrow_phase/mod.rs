//! Stage 4, **narrow phase**: contact manifolds of the pairs.
//!
//! Each pair with a moving body passes four tests, cheap ones first. Have the bodies moved far
//! enough, by their odometers, to invalidate the last result? Do their bounding spheres approach
//! each other? Have they moved relative to each other? Only then are the shapes collided. The
//! separations of a kept manifold follow the bodies along its fixed normal, less often where the
//! solver advances them itself. Pairs are independent and run in parallel.

mod body_view;
mod composite;
mod context;
mod manifold;
mod pair_update;

use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks, ContactRecord, Manifold, Status};
use crate::ids::NONE;
use crate::parallel::{DisjointSlice, MIN_CHUNK_LIGHT};
use crate::prefetch;
use crate::settings::Accuracy;
use crate::state::State;
use body_view::BodyView;
use context::{PairContext, PathBound};
pub(crate) use manifold::{inherit_impulses, world_point};
use pair_update::PairChanges;

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct NarrowPhase {
    views: Vec<BodyView>,
    path_bounds: Vec<PathBound>,
    /// Version of the active set for which the views and bounds of the others are valid.
    of_active_set: u64,
    changes: Vec<PairChanges>,
}

/// Manifolds and records of all pairs, shared between threads.
struct ManifoldPool<'a> {
    manifold_index: &'a [u32],
    manifolds: DisjointSlice<'a, Manifold>,
    records: DisjointSlice<'a, ContactRecord>,
}

impl<'a> ManifoldPool<'a> {
    /// Prefetches the manifold and the record of a pair.
    #[inline]
    fn call(&self, pair: u32) {
        let index = self.manifold_index[pair as usize];
        if index != NONE {
            self.manifolds.prefetch(index);
            self.records.prefetch(index);
        }
    }

    /// The manifold and the record of a pair.
    ///
    /// # Safety
    /// While the references live, the same pair must not be accessed again.
    #[inline]
    unsafe fn of(&self, pair: u32) -> Option<(&'a mut Manifold, &'a mut ContactRecord)> {
        let index = self.manifold_index[pair as usize];
        // SAFETY: no two pairs own the same entry, and the caller does not access this one twice.
        unsafe { Some((self.manifolds.get(index)?, self.records.get(index)?)) }
    }
}

/// Least number of pairs for another thread; most fail the first test.
const MIN_CHUNK: usize = 1024;

/// Runs the stage; `written` are the pairs whose separation the impacts stage wrote in the last
/// step.
pub(crate) fn run(
    state: &mut State,
    narrow_phase: &mut NarrowPhase,
    written: &[u32],
    kernels: &PairKernels,
    hooks: &ContactHooks,
) {
    state.update_active_set();
    let State { bodies, colliders, contacts, settings, dt, counts, helpers, active_set, .. } = state;
    let NarrowPhase { views, path_bounds, of_active_set, changes } = narrow_phase;
    let slots = bodies.slots();
    views.resize(slots, BodyView::default());
    path_bounds.resize(slots, PathBound::default());
    let [active_bodies, active_colliders] = active_set.since(of_active_set, slots);
    helpers.for_each_row_of(active_bodies, views.as_mut_slice(), MIN_CHUNK_LIGHT, &|slot, view| {
        *view = BodyView::of(bodies, slot, *dt);
    });
    helpers.for_each_row_of(active_colliders, path_bounds.as_mut_slice(), MIN_CHUNK_LIGHT, &|slot, path| {
        // A slot without a collider has no pair.
        let body = colliders.body.get(slot).map_or(usize::MAX, |&body| body as usize);
        let so_far = bodies.odometer.get(body).copied().unwrap_or(0.0);
        let reach = bodies.reach.get(body).copied().unwrap_or(0.0);
        *path = PathBound { so_far, with_step: so_far + f64::from(reach) };
    });
    for &pair in written {
        if let Some(status) = contacts.status.get_mut(pair as usize) {
            status.set(Status::ADVANCED, false);
        }
    }
    let unit = settings.length_unit;
    let context = PairContext {
        bodies,
        colliders,
        kernels,
        edits: hooks.has_editors(),
        views,
        path_bounds,
        unit,
        exact: settings.accuracy == Accuracy::Exact,
        dt: *dt,
    };
    contacts.truncate_composite_manifolds();
    let ContactGraph { pairs, status, caches, manifold_index, manifolds, records, .. } = contacts;
    let pool =
        ManifoldPool { manifold_index, manifolds: DisjointSlice::new(manifolds), records: DisjointSlice::new(records) };
    let used = helpers.for_each_listed(
        &active_set.pairs,
        (pairs, status, caches),
        changes,
        MIN_CHUNK,
        &|number, pair, status, cached| {
            let may_be_invalid = pair.a != NONE && status.is_simple() && context.may_be_invalid(pair, status);
            if may_be_invalid {
                pool.call(number);
                prefetch::prefetch_at(cached);
                // A body's own collider has its slot.
                for collider in [pair.a, pair.b] {
                    prefetch::prefetch(context.views, collider as usize);
                }
            }
            may_be_invalid
        },
        &|number, pair, status, cached, changes: &mut PairChanges| {
            // SAFETY: each pair is visited once and accesses only its own entry.
            let own = unsafe { pool.of(number) };
            context.update_pair(number, pair, status, cached, own, changes);
        },
    );
    counts.collided = 0;
    for changes in &mut changes[..used] {
        counts.collided += std::mem::take(&mut changes.collided);
        for pair in changes.lost.drain(..) {
            contacts.release_manifold(pair as usize);
        }
    }
    for changes in &mut changes[..used] {
        if changes.found.is_empty() {
            // Release the memory that a landing pile needed.
            changes.found = Vec::new();
        }
        for found in changes.found.drain(..) {
            contacts.allocate_manifold(found.pair as usize, &found.manifold, found.record);
        }
    }
    counts.collided += composite::run(&context, contacts, helpers);
}
