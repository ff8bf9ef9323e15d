//! Joints: every kind, against closed forms and invariants.

// With `f64` what crosses over between the engine's scalar and the answers' crosses over to itself.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

mod arms;
#[path = "../support/bridge.rs"]
mod bridge;
mod chains;
mod edits;
mod exact;
mod impacts;
mod kinds;
mod limits;
mod loads;
mod mechanisms;
mod nets;
mod pendulums;
#[path = "../support/ragdoll.rs"]
mod ragdoll;
mod ragdolls;
mod rest;
mod stage;
mod wheels;
mod whips;
