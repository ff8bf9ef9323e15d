//! All tolerances of the engine, with units and the consequences of other values.

mod collision;
mod control;
mod impact;
mod joints;
mod motion;
mod particles;
mod profile;
mod queries;
mod resting;
mod solver;
mod step;

pub(crate) use collision::*;
pub(crate) use control::*;
pub(crate) use impact::*;
pub(crate) use joints::*;
pub(crate) use motion::*;
pub(crate) use particles::*;
pub(crate) use profile::*;
pub(crate) use queries::*;
pub(crate) use resting::*;
pub(crate) use solver::*;
pub(crate) use step::*;
