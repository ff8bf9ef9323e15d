//! Joints: every kind, against closed forms and invariants.

// With `f64` conversions between the engine's scalar and that of the references are identities.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

mod arms;
#[path = "../support/bridge.rs"]
mod bridge;
mod chains;
mod edits;
mod exact;
mod impacts;
mod iterative;
mod kinds;
mod limits;
mod loads;
mod mechanisms;
mod passivity;
mod pendulums;
mod pulleys;
#[path = "../support/ragdoll.rs"]
mod ragdoll;
mod ragdolls;
mod shoulders;
mod sleep;
mod soft;
mod stage;
mod teeth;
mod wheels;
mod whips;
