//! Particles.
