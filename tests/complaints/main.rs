//! What users of other engines complain of (stacks that lean, ghost bumps, snapshots that diverge, leaks, sleepers that nothing
//! wakes), each as a test that fails where the complaint would be justified.

#[path = "../support/allocations.rs"]
mod allocations;
mod bumps;
mod churn;
#[path = "../support/game.rs"]
mod game;
mod others;
#[path = "../../examples/rollback.rs"]
mod rollback;
mod snapshots;

use dolmen::prelude::*;
use game::{DT, position, run, velocity};

/// A plugin that works on the calling thread alone.
fn alone() -> Physics {
    Physics::new(Settings { threads: Some(1), ..Settings::default() })
}
