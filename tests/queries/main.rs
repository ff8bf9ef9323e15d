//! Queries of the world against brute force, the characters and vehicles that move by them, and the
//! drawing of what is there.

#[path = "../../examples/custom_shape.rs"]
mod custom_shape;
#[path = "../../examples/debug_drawing/gallery.rs"]
mod gallery;
#[path = "../../examples/game.rs"]
mod game;

mod control;
mod debug_drawing;
mod fields;
mod floating_characters;
mod ladders;
mod pose_controllers;
mod vehicles;
mod world_queries;
