//! Sleep and statics: structures that stand or fall, bodies that fall asleep, and their waking.

#[path = "../support/game.rs"]
mod game;
#[path = "../support/islands.rs"]
mod islands;
#[path = "../support/structures.rs"]
mod structures;

mod activity;
mod control;
mod island_statics;
mod mending;
mod sleeping;
mod standing;
