//! What the examples that run scenes have in common.

mod arguments;
mod numbers;
mod progress;

pub use arguments::Arguments;
pub use progress::Progress;
