//! Random numbers that are equal on all machines.

use crate::math::{DQuat, DVec3};
use std::f64::consts::PI;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in [-1, 1), a multiple of 2^-23: equal in `f32` and `f64`.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 40) as f64 / f64::from(1 << 23) - 1.0
    }

    /// A point in the cube from -1 to 1.
    pub(super) fn in_cube(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    /// A uniform point on the unit sphere, by rejection from the cube.
    pub(super) fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.in_cube();
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// A rotation with a random axis and an angle of up to half a turn.
    pub(super) fn rotation(&mut self) -> DQuat {
        let axis = self.direction();
        DQuat::from_axis_angle(axis, self.unit() * PI)
    }
}
