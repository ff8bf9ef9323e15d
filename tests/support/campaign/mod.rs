//! The fuzz campaign: random worlds from a seed, edits between their steps, and what must hold after
//! each step whatever a game does.
//!
//! | file | what |
//! |---|---|
//! | `modes` | the ranges of each mode |
//! | `dice` | random numbers |
//! | `plan`, `shape`, `part`, `edit` | a world as plain data |
//! | `make/` | random plans |
//! | `live`, `hostile` | a plan in a hecs world |
//! | `run`, `checks`, `energy`, `floor`, `tally` | steps, invariants, counts |

#![allow(dead_code, reason = "the tests and the campaign use their own parts")]

pub mod checks;
mod dice;
pub mod edit;
pub mod energy;
pub mod floor;
mod hostile;
pub mod live;
mod make;
mod modes;
pub mod part;
pub mod plan;
pub mod run;
mod shape;
mod tally;

pub use dice::Dice;
pub use make::plan;
pub use modes::Mode;
pub use plan::{BodyPlan, Plan};
pub use run::{Clock, note_panics, panic_place, run};
pub use shape::Shape;
pub use tally::{Fault, FaultKind, Tally};
