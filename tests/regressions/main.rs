//! Known faults of physics engines (leaning stacks, ghost bumps, diverging snapshots, leaks, bodies
//! that do not wake), each as a test that fails if the fault appears.

#[path = "../support/allocations.rs"]
mod allocations;
mod bumps;
#[path = "../support/campaign/mod.rs"]
#[allow(unused_imports, reason = "the campaign names more than the tests")]
mod campaign;
mod churn;
mod extremes;
mod fuzz;
#[path = "../support/game.rs"]
mod game;
mod height_fields;
mod large_radii;
mod others;
#[path = "../../examples/rollback.rs"]
mod rollback;
mod seams;
mod sinking;
mod snapshots;
mod spinning;
mod squeezed;

use dolmen::prelude::*;
use game::{DT, position, run, velocity};

/// A physics on the calling thread only.
fn alone() -> Physics {
    Physics::new(Settings { threads: Some(1), ..Settings::default() })
}
