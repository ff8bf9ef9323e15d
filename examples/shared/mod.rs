//! Common parts of the examples that run scenes.

mod arguments;
mod numbers;
mod progress;

pub use arguments::Arguments;
pub use progress::Progress;
