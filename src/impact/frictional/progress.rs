//! The state of an impact along its trajectory, and its straight pieces.

use super::observer::Observer;
use super::problem::Scaled;
use super::types::{Ending, Guard, Outcome, Phase};
use crate::math::DVec3;
use crate::tolerances::IMPACT;

/// Current velocity, impulse and work, in scaled units.
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    pub velocity: DVec3,
    pub impulse: DVec3,
    pub compression_work: f64,
    pub restitution_work: f64,
    pub phases: u32,
    pub compressing: bool,
}

/// A straight piece of a trajectory: everything changes in proportion to the normal impulse (Baber
/// 2011, section 3.9).
pub(crate) struct Line {
    /// `d(u_x, u_y)/dp_z`.
    pub velocity: [f64; 2],
    /// `d(p_x, p_y)/dp_z`.
    pub friction: [f64; 2],
    /// `du_z/dp_z`.
    pub slope: f64,
}

impl Progress {
    #[inline]
    pub fn new(velocity: DVec3) -> Self {
        Self {
            velocity,
            impulse: DVec3::ZERO,
            compression_work: 0.0,
            restitution_work: 0.0,
            phases: 1,
            compressing: true,
        }
    }

    /// `|(u_x, u_y)|`.
    #[inline]
    pub fn sliding_speed(&self) -> f64 {
        self.velocity.truncate().length()
    }

    pub fn phase(&self) -> Phase {
        if self.compressing { Phase::Compression } else { Phase::Restitution }
    }

    /// The remaining work of restitution: `-e^2 W_c - W_d`.
    #[inline]
    pub fn work_due(&self, problem: &Scaled) -> f64 {
        (-problem.restitution_squared * self.compression_work - self.restitution_work).max(0.0)
    }

    /// Follows a line for a normal impulse of `length`, or until the impact ends. Returns whether
    /// it ended.
    ///
    /// On a line `u_z` is linear and the work quadratic in `p_z`, so every event has a closed form.
    /// A line has at most three phases: compression, restitution, and compression again if `u_z`
    /// falls.
    #[inline]
    pub fn follow<O: Observer>(&mut self, problem: &Scaled, line: &Line, length: f64, observer: &mut O) -> bool {
        // Theory says that u_z grows on every endless line (Baber 2011, sections 3.6 and 3.9);
        // rounding may not.
        let slope = if length.is_finite() { line.slope } else { line.slope.max(IMPACT.rounding * problem.kz) };
        let before = *self;
        let mut left = length;
        let mut used = 0.0;
        let mut ended = false;
        let mut uz = self.velocity.z;
        loop {
            if self.compressing {
                let to_turn = if slope > 0.0 { -uz / slope } else { f64::INFINITY };
                if to_turn > left {
                    self.compression_work += left * (uz + 0.5 * slope * left);
                    uz += slope * left;
                    used += left;
                    break;
                }
                self.compression_work -= uz * uz / (2.0 * slope);
                uz = 0.0;
                used += to_turn;
                left -= to_turn;
                self.compressing = false;
            } else {
                let due = self.work_due(problem);
                let square = uz * uz + 2.0 * slope * due;
                let to_end = if due <= 0.0 { 0.0 } else { 2.0 * due / (uz + square.max(0.0).sqrt()) };
                let to_turn = if slope < 0.0 { -uz / slope } else { f64::INFINITY };
                if square >= 0.0 && to_end <= left {
                    self.restitution_work += due;
                    uz = if due <= 0.0 { uz } else { square.sqrt() };
                    used += to_end;
                    ended = true;
                    break;
                }
                if to_turn > left {
                    self.restitution_work += left * (uz + 0.5 * slope * left);
                    uz += slope * left;
                    used += left;
                    break;
                }
                self.restitution_work -= uz * uz / (2.0 * slope);
                uz = 0.0;
                used += to_turn;
                left -= to_turn;
                self.phases += 1;
                self.compressing = true;
            }
        }
        self.velocity.x += line.velocity[0] * used;
        self.velocity.y += line.velocity[1] * used;
        self.velocity.z = uz;
        self.impulse += DVec3::new(line.friction[0], line.friction[1], 1.0) * used;
        observer.piece(|fraction| {
            let along = fraction * used;
            (
                before.velocity + DVec3::new(line.velocity[0], line.velocity[1], slope) * along,
                before.impulse + DVec3::new(line.friction[0], line.friction[1], 1.0) * along,
            )
        });
        ended
    }

    /// The outcome if the impact ends here, without the energy guard.
    pub fn outcome(&self, ended_by: Ending, stick_phase: Option<Phase>, steps: u32) -> Outcome {
        Outcome {
            velocity: self.velocity,
            impulse: self.impulse,
            compression_work: self.compression_work,
            restitution_work: self.restitution_work,
            energy_change: 0.0,
            phases: self.phases,
            ended_by,
            stick_phase,
            steps,
            guard: Guard::Kept,
        }
    }
}
