//! A warm workspace allocates nothing while the contact graph stays the same.

#[path = "support/allocations.rs"]
mod allocations;
#[path = "support/islands.rs"]
mod islands;

use dolmen::resting::{Law, Level, Problem, Workspace, solve};
use islands::*;

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
                let before = allocations::asked();
                problem.build(Level::Velocity { step: 1.0 / 60.0 }, G, &island.bodies, &island.contacts).unwrap();
                solve(&mut work, &problem, law, 1e-8);
                counts.push(allocations::asked() - before);
            }
        }
        println!("{name}: allocations {counts:?}");
        assert!(counts[0] > 0, "{name}: the first step does allocate, so the count works");
        assert!(counts[4..].iter().all(|&c| c == 0), "{name}: {counts:?}");
    }
}
