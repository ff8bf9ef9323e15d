//! Motion without contacts: mass properties, free flight and rotation.

mod free_flight;
mod mass;
