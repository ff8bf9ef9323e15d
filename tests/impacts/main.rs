//! Impacts: the laws of impact against published numbers, closed forms and invariants; dissipation;
//! and fast bodies that must not pass through thin ones.

// With the feature `f64`, conversions to `f64` have no effect.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

#[path = "../support/game.rs"]
mod game;
#[path = "../support/gas.rs"]
mod gas;
#[path = "../support/impacts.rs"]
mod impacts;
#[path = "../support/vectors.rs"]
mod vectors;

mod bullets;
mod catalogue;
mod dissipation;
mod engine;
mod fuzz;
mod invariants;
mod published;
mod rods;
mod several;
