//! Contacts: the narrow phase, the substepping solver of contacts, and the direct solver of resting
//! contacts, against closed forms, published numbers and invariants.

#[path = "../support/game.rs"]
mod game;
#[path = "../support/islands.rs"]
mod islands;
#[path = "../support/laws.rs"]
mod laws;
#[path = "../support/rival.rs"]
mod rival;
#[path = "../support/mod.rs"]
mod support;

mod composite_worlds;
mod composites;
mod direct_motion;
mod direct_random;
mod direct_solver;
mod kernels;
mod substepping;
mod substepping_contract;
