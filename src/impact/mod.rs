//! Laws of impact: pure functions from the state before a collision to the state after it.
