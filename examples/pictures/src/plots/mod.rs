//! The plots, by `plotters`.

pub mod axis;
pub mod chart;
pub mod energy;
pub mod fan;
pub mod overlap;
mod peers;
pub mod phases;
pub mod pile;
pub mod time_step;
