//! The whole step: the accuracy scoreboard, conservation, equal bits on any number of threads,
//! kinematic bodies, locked axes, particles, and scales from millimetres to kilometres.

#[path = "../support/accuracy/mod.rs"]
mod accuracy;
#[path = "../support/bridge.rs"]
mod bridge;
#[path = "../support/drum.rs"]
mod drum;
#[path = "../support/game.rs"]
mod game;
#[path = "../support/ragdoll.rs"]
mod ragdoll;
#[path = "../support/state_hash.rs"]
mod state_hash;

mod determinism;
mod energy;
mod hashes;
mod kinematic;
mod locked_axes;
mod particles;
mod scales;
mod scoreboard;
mod whole_step;
