//! The targets of `dolmen-fuzz` for cargo-fuzz, a program each.

#[path = "../../src/seeds.rs"]
#[allow(dead_code, reason = "the campaign mutates the valid inputs")]
mod seeds;
#[path = "../../src/targets.rs"]
mod targets;

/// Runs the target of a name.
pub fn run(name: &str, data: &[u8]) {
    targets::ALL.iter().filter(|target| target.name == name).for_each(|target| (target.run)(data));
}
