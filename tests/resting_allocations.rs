//! A warm workspace allocates nothing while the contact graph stays the same.

#[path = "support/islands.rs"]
mod islands;

use dolmen::resting::{Law, Level, Problem, Workspace, solve};
use islands::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator unchanged; counting touches no memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_workspace_allocates_nothing_while_the_graph_stays() {
    for (name, law, island) in [
        ("tower", Law::Newton, tower(10, 1.0, 0.5)),
        ("arch", Law::Auto, arch(21, 0.2, 0.8)),
        ("pile", Law::Auto, pile(60, 0.5, 1)),
        ("frictionless pile", Law::Auto, pile(60, 0.0, 1)),
        ("sweeps", Law::Iterative, pile(60, 0.5, 1)),
    ] {
        let mut work = Workspace::new();
        let mut problem = Problem::new();
        let mut counts = Vec::new();
        let moved: Vec<Island> = (0..4).map(|seed| island.clone().jitter(seed, 1e-3)).collect();
        // The first round meets every size of every buffer; the same islands then find them ready.
        for _ in 0..2 {
            for island in &moved {
                let before = COUNT.get();
                problem.build(Level::Velocity { step: 1.0 / 60.0 }, G, &island.bodies, &island.contacts).unwrap();
                solve(&mut work, &problem, law, 1e-8);
                counts.push(COUNT.get() - before);
            }
        }
        println!("{name}: allocations {counts:?}");
        assert!(counts[0] > 0, "{name}: the first step does allocate, so the count works");
        assert!(counts[4..].iter().all(|&c| c == 0), "{name}: {counts:?}");
    }
}
