//! Atomics that the threads of a step share. `tools/loom` has the same names with a model's.

pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
