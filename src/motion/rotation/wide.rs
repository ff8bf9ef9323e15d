//! The splitting over many bodies at once.
//!
//! A block holds a few bodies with every scalar in a row of its own, so that the compiler turns the loop over them
//! into vector instructions: those that every processor of the target has, or AVX2 or AVX-512 where this one has
//! them. All do the same additions and multiplications in the same order, so the bits are those of
//! [`strang`](super::strang()) for each body.

use super::{
    PrincipalInertia, Spin,
    rows::{LANES, Row, put3, put4, unit, vector},
    spin::{Moments, PlainSpin},
    strang::Start,
    unit::Unit,
};
use crate::{
    math::{Real, Vec3},
    motion::elementary::SMALL,
};

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
    /// One over each.
    pub inverse: [Row; 3],
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
            inverse: [one; 3],
            frame: [zero, zero, zero, one],
            torque: [zero; 3],
        }
    }
}

impl SpinBlock {
    /// Puts a body into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, spin: &Spin, inertia: &PrincipalInertia, torque: Vec3) {
        put4(&mut self.orientation, lane, Unit::from_quat(spin.orientation));
        put3(&mut self.velocity, lane, spin.velocity);
        put3(&mut self.residual, lane, spin.residual);
        put3(&mut self.principal, lane, inertia.principal());
        put3(&mut self.inverse, lane, inertia.inverse());
        put4(&mut self.frame, lane, Unit::from_quat(inertia.frame()));
        put3(&mut self.torque, lane, torque);
    }

    /// The state of the body in a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Spin {
        self.spin(lane).to_spin()
    }

    #[inline(always)]
    fn spin(&self, lane: usize) -> PlainSpin {
        PlainSpin {
            orientation: unit(&self.orientation, lane),
            velocity: vector(&self.velocity, lane),
            residual: vector(&self.residual, lane),
        }
    }

    #[inline(always)]
    fn moments(&self, lane: usize) -> Moments {
        Moments { principal: vector(&self.principal, lane), inverse: vector(&self.inverse, lane) }
    }

    /// Whether any body's frame is anything but the identity.
    #[inline(always)]
    pub(in crate::motion) fn is_framed(&self) -> bool {
        let mut framed = false;
        for lane in 0..LANES {
            let frame = unit(&self.frame, lane);
            framed |= (frame.v.x != 0.0) | (frame.v.y != 0.0) | (frame.v.z != 0.0) | (frame.w != 1.0);
        }
        framed
    }
}

/// [`strang`](super::strang()) for every lane of a block.
#[inline]
pub fn strang_block(block: &mut SpinBlock, h: Real) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F, asked for just above.
            return unsafe { strang_lanes_avx512(block, h) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, asked for just above.
            return unsafe { strang_lanes_avx2(block, h) };
        }
    }
    strang_lanes(block, h);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn strang_lanes_avx512(block: &mut SpinBlock, h: Real) {
    strang_lanes(block, h);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn strang_lanes_avx2(block: &mut SpinBlock, h: Real) {
    strang_lanes(block, h);
}

/// Picks the shortest code that does for the whole block. The bits do not depend on it, so neither on a body's
/// neighbours.
#[inline(always)]
pub(in crate::motion) fn strang_lanes(block: &mut SpinBlock, h: Real) {
    if block.is_framed() { framed_lanes::<true>(block, h) } else { framed_lanes::<false>(block, h) }
}

#[inline(always)]
fn framed_lanes<const FRAMED: bool>(block: &mut SpinBlock, h: Real) {
    let mut starts = Starts { principal: [[0.0; LANES]; 4], world: [[0.0; LANES]; 3], body: [[0.0; LANES]; 3] };
    let mut turns = [0.0; LANES];
    for (lane, turn) in turns.iter_mut().enumerate() {
        let (moments, frame) = (block.moments(lane), unit(&block.frame, lane));
        let kick = vector(&block.torque, lane) * (0.5 * h);
        let start = Start::new::<FRAMED>(block.spin(lane), moments, frame, kick);
        *turn = start.turn(moments, h);
        put4(&mut starts.principal, lane, start.principal);
        put3(&mut starts.world, lane, start.world);
        put3(&mut starts.body, lane, start.body);
    }
    if turns.iter().fold(true, |small, &turn| small & (turn <= SMALL)) {
        end_lanes::<FRAMED, true>(block, &starts, h);
    } else {
        end_lanes::<FRAMED, false>(block, &starts, h);
    }
}

/// [`Start`] of each body of a block.
struct Starts {
    principal: [Row; 4],
    world: [Row; 3],
    body: [Row; 3],
}

#[inline(always)]
fn end_lanes<const FRAMED: bool, const SMALL: bool>(block: &mut SpinBlock, starts: &Starts, h: Real) {
    let mut new = ([[0.0; LANES]; 4], [[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    for lane in 0..LANES {
        let start = Start {
            principal: unit(&starts.principal, lane),
            world: vector(&starts.world, lane),
            body: vector(&starts.body, lane),
        };
        let kick = vector(&block.torque, lane) * (0.5 * h);
        let end = start.end::<FRAMED, SMALL>(block.moments(lane), unit(&block.frame, lane), kick, h);
        put4(&mut new.0, lane, end.orientation);
        put3(&mut new.1, lane, end.velocity);
        put3(&mut new.2, lane, end.residual);
    }
    (block.orientation, block.velocity, block.residual) = new;
}

/// [`strang`](super::strang()) for every body of some columns, in blocks.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    /// Bodies with and without frames, slow and fast, with zeros of either sign.
    fn block(framed: bool, speed: Real) -> SpinBlock {
        let mut block = SpinBlock::default();
        for lane in 0..LANES {
            let x = lane as Real;
            let frame = if framed && lane % 3 == 0 { Quat::from_rotation_x(0.1 * x) } else { Quat::IDENTITY };
            let inertia = PrincipalInertia::new(Vec3::new(1.0 + 0.1 * x, 1.5, 2.4 - 0.1 * x), frame);
            let velocity = Vec3::new(x - 7.0, if lane % 4 == 0 { -0.0 } else { 0.3 }, 0.0) * speed;
            let spin = Spin::new(Quat::from_rotation_x(x - 3.0), velocity);
            block.set(lane, &spin, &inertia, Vec3::new(0.0, 0.0, x - 2.0));
        }
        block
    }

    fn bits(block: &SpinBlock) -> Vec<u64> {
        let rows = block.orientation.iter().chain(&block.velocity).chain(&block.residual);
        rows.flatten().map(|&x| f64::from(x).to_bits()).collect()
    }

    #[test]
    fn every_instruction_set_and_every_shortcut_gives_the_same_bits() {
        for (framed, speed) in [(false, 1.0), (true, 1.0), (false, 300.0), (true, 300.0)] {
            let start = block(framed, speed);
            let (mut wide, mut plain) = (start.clone(), start.clone());
            let mut one: Vec<Spin> = (0..LANES).map(|lane| start.get(lane)).collect();
            for _ in 0..4 {
                strang_block(&mut wide, 0.01);
                strang_lanes(&mut plain, 0.01);
                for (lane, spin) in one.iter_mut().enumerate() {
                    let frame = unit(&start.frame, lane).to_quat();
                    let inertia = PrincipalInertia::new(vector(&start.principal, lane), frame);
                    *spin = crate::motion::rotation::strang(*spin, &inertia, vector(&start.torque, lane), 0.01);
                }
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                let mut avx2 = start.clone();
                for _ in 0..4 {
                    // SAFETY: the processor has AVX2, asked for just above.
                    unsafe { strang_lanes_avx2(&mut avx2, 0.01) };
                }
                assert_eq!(bits(&avx2), bits(&plain));
            }
            let mut alone = start.clone();
            for (lane, spin) in one.iter().enumerate() {
                put4(&mut alone.orientation, lane, Unit::from_quat(spin.orientation));
                put3(&mut alone.velocity, lane, spin.velocity);
                put3(&mut alone.residual, lane, spin.residual);
            }
            assert_eq!(bits(&wide), bits(&plain));
            assert_eq!(bits(&wide), bits(&alone));
        }
    }
}
