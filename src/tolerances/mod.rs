//! All tolerances of the engine, with units and the consequences of other values.

mod collision;
mod control;
mod impact;
mod joints;
mod motion;
mod particles;
mod queries;
mod resting;
mod scene;
mod solver;
mod step;

pub use collision::*;
pub use control::*;
pub use impact::*;
pub use joints::*;
pub use motion::*;
pub use particles::*;
pub use queries::*;
pub use resting::*;
pub use scene::*;
pub use solver::*;
pub use step::*;
