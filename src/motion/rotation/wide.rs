//! The splitting over many bodies at once.
//!
//! A block holds a few bodies with every scalar in a row of its own, so that the compiler turns the loop over them into vector
//! instructions: those that every processor of the target has, or AVX2 where this one has it. Both do the same additions and
//! multiplications in the same order, so the bits are those of [`strang`](super::strang) for each body.

use super::{PrincipalInertia, Spin, strang::strang_step, unit::Unit};
use crate::math::{Quat, Real, Vec3};

/// Bodies in a block.
pub const LANES: usize = 16;

/// One scalar of each body of a block.
pub type Row = [Real; LANES];

/// The rotation of [`LANES`] bodies, scalar by scalar: see [`Spin`] and [`PrincipalInertia`] for the meaning of each.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct SpinBlock {
    /// Orientations: x, y, z, w.
    pub orientation: [Row; 4],
    /// Angular velocities (rad/s, world axes).
    pub velocity: [Row; 3],
    /// Residuals of the angular momentum (kg m²/s, world axes).
    pub residual: [Row; 3],
    /// Principal moments of inertia (kg m²).
    pub principal: [Row; 3],
    /// Principal frames: x, y, z, w.
    pub frame: [Row; 4],
    /// Torques (N m, world axes).
    pub torque: [Row; 3],
}

impl Default for SpinBlock {
    /// Bodies at rest with unit inertia: what the lanes hold that no body uses.
    fn default() -> Self {
        let (zero, one) = ([0.0; LANES], [1.0; LANES]);
        Self {
            orientation: [zero, zero, zero, one],
            velocity: [zero; 3],
            residual: [zero; 3],
            principal: [one; 3],
            frame: [zero, zero, zero, one],
            torque: [zero; 3],
        }
    }
}

impl SpinBlock {
    /// Puts a body into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, spin: &Spin, inertia: &PrincipalInertia, torque: Vec3) {
        put4(&mut self.orientation, lane, spin.orientation);
        put3(&mut self.velocity, lane, spin.velocity);
        put3(&mut self.residual, lane, spin.residual);
        put3(&mut self.principal, lane, inertia.principal);
        put4(&mut self.frame, lane, inertia.frame);
        put3(&mut self.torque, lane, torque);
    }

    /// The state of the body in a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Spin {
        Spin {
            orientation: unit(&self.orientation, lane).to_quat(),
            velocity: vector(&self.velocity, lane),
            residual: vector(&self.residual, lane),
        }
    }
}

#[inline(always)]
fn put3(rows: &mut [Row; 3], lane: usize, v: Vec3) {
    (rows[0][lane], rows[1][lane], rows[2][lane]) = (v.x, v.y, v.z);
}

#[inline(always)]
fn put4(rows: &mut [Row; 4], lane: usize, q: Quat) {
    (rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]) = (q.x, q.y, q.z, q.w);
}

#[inline(always)]
fn vector(rows: &[Row; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

#[inline(always)]
fn unit(rows: &[Row; 4], lane: usize) -> Unit {
    Unit { v: Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]), w: rows[3][lane] }
}

/// [`strang`](super::strang) for every lane of a block.
#[inline]
pub fn strang_block(block: &mut SpinBlock, h: Real) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, asked for just above.
        return unsafe { strang_lanes_avx2(block, h) };
    }
    strang_lanes(block, h);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn strang_lanes_avx2(block: &mut SpinBlock, h: Real) {
    strang_lanes(block, h);
}

#[inline(always)]
fn strang_lanes(block: &mut SpinBlock, h: Real) {
    let old = &*block;
    let mut orientation = [[0.0; LANES]; 4];
    let mut velocity = [[0.0; LANES]; 3];
    let mut residual = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        let (q, w, r) = strang_step(
            unit(&old.orientation, lane),
            vector(&old.velocity, lane),
            vector(&old.residual, lane),
            vector(&old.principal, lane),
            unit(&old.frame, lane),
            vector(&old.torque, lane),
            h,
        );
        put3(&mut velocity, lane, w);
        put3(&mut residual, lane, r);
        (orientation[0][lane], orientation[1][lane], orientation[2][lane], orientation[3][lane]) =
            (q.v.x, q.v.y, q.v.z, q.w);
    }
    (block.orientation, block.velocity, block.residual) = (orientation, velocity, residual);
}

/// [`strang`](super::strang) for every body of some columns, in blocks.
///
/// # Panics
/// If the columns are not equally long.
pub fn strang_many(spins: &mut [Spin], inertias: &[PrincipalInertia], torques: &[Vec3], h: Real) {
    assert!(spins.len() == inertias.len() && spins.len() == torques.len(), "columns of unequal length");
    let mut block = SpinBlock::default();
    let columns = spins.chunks_mut(LANES).zip(inertias.chunks(LANES)).zip(torques.chunks(LANES));
    for ((spins, inertias), torques) in columns {
        for lane in 0..spins.len() {
            block.set(lane, &spins[lane], &inertias[lane], torques[lane]);
        }
        strang_block(&mut block, h);
        for (lane, spin) in spins.iter_mut().enumerate() {
            *spin = block.get(lane);
        }
    }
}
