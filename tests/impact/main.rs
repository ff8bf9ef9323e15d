//! The laws of impact against published numbers, closed forms and invariants.

// `Real` is `f64` with the feature `f64`; then what crosses over to `f64` crosses over to itself.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

#[path = "../support/impacts.rs"]
mod impacts;
#[path = "../support/vectors.rs"]
mod vectors;

mod catalogue;
mod engine;
mod fuzz;
mod invariants;
mod published;
mod rods;
mod several;
