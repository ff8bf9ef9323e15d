//! Queries of the world against brute force, and the characters and vehicles that move by them.

#[path = "../../examples/game.rs"]
mod game;

mod control;
mod world_queries;
