//! The laws of impact against published numbers, closed forms and invariants.

#[path = "../support/impacts.rs"]
mod impacts;
#[path = "../support/vectors.rs"]
mod vectors;

mod catalogue;
mod fuzz;
mod invariants;
mod published;
mod several;
