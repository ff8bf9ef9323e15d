//! Scene files: reading, refusals, generators, and runs with their printed results.

mod files;
mod joints;
mod runs;
