//! A warm workspace allocates nothing while the contact graph stays the same.

use crate::allocations;
use crate::islands::*;
use dolmen::resting::{FormulationLevel, Problem, RestingMethod, Workspace, solve};

#[test]
fn a_warm_workspace_allocates_nothing_while_the_graph_stays() {
    for (name, law, island) in [
        ("tower", RestingMethod::Newton, tower(10, 1.0, 0.5)),
        ("arch", RestingMethod::Auto, arch(21, 0.2, 0.8)),
        ("pile", RestingMethod::Auto, pile(60, 0.5, 1)),
        ("frictionless pile", RestingMethod::Auto, pile(60, 0.0, 1)),
        ("sweeps", RestingMethod::Iterative, pile(60, 0.5, 1)),
    ] {
        let mut work = Workspace::new();
        let mut problem = Problem::new();
        let mut counts = Vec::new();
        let moved: Vec<Island> = (0..4).map(|seed| island.clone().jitter(seed, 1e-3)).collect();
        // The first round meets every size of every buffer; the same islands then find them ready.
        for _ in 0..2 {
            for island in &moved {
                let before = allocations::asked();
                problem
                    .build(FormulationLevel::Velocity { step: 1.0 / 60.0 }, G, &island.bodies, &island.contacts)
                    .unwrap();
                solve(&mut work, &problem, law, 1e-8);
                counts.push(allocations::asked() - before);
            }
        }
        println!("{name}: allocations {counts:?}");
        assert!(counts[0] > 0, "{name}: the first step does allocate, so the count works");
        assert!(counts[4..].iter().all(|&c| c == 0), "{name}: {counts:?}");
    }
}
