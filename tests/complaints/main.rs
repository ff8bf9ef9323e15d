//! What users of other engines complain of (stacks that lean, ghost bumps, snapshots that diverge, leaks, sleepers that nothing
//! wakes), each as a test that fails where the complaint would be justified.

mod bumps;
mod churn;
mod others;
#[path = "../../examples/rollback.rs"]
mod rollback;
mod snapshots;

use dolmen::prelude::*;
use hecs::{Entity, World};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

const DT: Real = 1.0 / 60.0;

/// Counts what this thread has in use.
struct Counting;

thread_local! {
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.set(BYTES.get().wrapping_add(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get().wrapping_sub(layout.size()));
        // SAFETY: `place` came from `alloc` above, that is from the system.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A plugin that works on the calling thread alone.
fn alone() -> Physics {
    Physics::new(Settings { threads: Some(1), ..Settings::default() })
}

fn position(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn velocity(world: &World, entity: Entity) -> Vec3 {
    world.get::<&LinearVelocity>(entity).unwrap().0
}

fn steps(physics: &mut Physics, world: &mut World, count: usize) {
    for _ in 0..count {
        physics.step(world, DT).unwrap();
    }
}
