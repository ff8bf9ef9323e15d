//! A steady step of the contact solver allocates nothing.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::scenes;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator; counting touches no memory that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_steady_step_allocates_nothing() {
    for mut world in [scenes::pyramid(40), scenes::city()] {
        world.parameters.threads = 1;
        world.run(3);
        world.collide();
        world.fill();
        let before = ALLOCATIONS.get();
        world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        assert_eq!(ALLOCATIONS.get() - before, 0);
        // Nor does laying out anew, once buffers have grown.
        for _ in 0..2 {
            world.solver.forget();
            world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        }
        world.solver.forget();
        let before = ALLOCATIONS.get();
        world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
        assert_eq!(ALLOCATIONS.get() - before, 0);
    }
}
