//! The splitting for many bodies at once.
//!
//! A block holds a few bodies with every scalar in a row of its own, so that the compiler
//! vectorises the loop over them: for the target's baseline, or for AVX2 or AVX-512 if the
//! processor has them. All do the same operations in the same order, so the bits are those of
//! [`strang`](super::strang()) for each body.

use super::{
    PrincipalInertia, RotationState,
    lane_rows::{LANES, LaneRow, put3, put4, unit, vector},
    state::{Moments, PlainRotation},
    strang::StrangStart,
    unit_quat::UnitQuat,
};
use crate::{
    math::{Real, Vec3},
    motion::trig::SMALL,
};

/// The rotation of [`LANES`] bodies, scalar by scalar: see [`RotationState`] and
/// [`PrincipalInertia`] for the meaning of each.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct RotationBlock {
    /// Orientations: x, y, z, w.
    pub orientation: [LaneRow; 4],
    /// Angular velocities (rad/s, world axes).
    pub velocity: [LaneRow; 3],
    /// Residuals of the angular momentum (kg m²/s, world axes).
    pub residual: [LaneRow; 3],
    /// Principal moments of inertia (kg m²).
    pub principal: [LaneRow; 3],
    /// Their inverses.
    pub inverse: [LaneRow; 3],
    /// Principal frames: x, y, z, w.
    pub frame: [LaneRow; 4],
    /// Torques (N m, world axes).
    pub torque: [LaneRow; 3],
}

impl Default for RotationBlock {
    /// Bodies at rest with unit inertia, for unused lanes.
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

impl RotationBlock {
    /// Sets the body of a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, spin: &RotationState, inertia: &PrincipalInertia, torque: Vec3) {
        put4(&mut self.orientation, lane, UnitQuat::from_quat(spin.orientation));
        put3(&mut self.velocity, lane, spin.velocity);
        put3(&mut self.residual, lane, spin.residual);
        put3(&mut self.principal, lane, inertia.principal());
        put3(&mut self.inverse, lane, inertia.inverse());
        put4(&mut self.frame, lane, UnitQuat::from_quat(inertia.frame()));
        put3(&mut self.torque, lane, torque);
    }

    /// The state of the body in a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> RotationState {
        self.spin(lane).to_state()
    }

    #[inline(always)]
    fn spin(&self, lane: usize) -> PlainRotation {
        PlainRotation {
            orientation: unit(&self.orientation, lane),
            velocity: vector(&self.velocity, lane),
            residual: vector(&self.residual, lane),
        }
    }

    #[inline(always)]
    fn moments(&self, lane: usize) -> Moments {
        Moments { principal: vector(&self.principal, lane), inverse: vector(&self.inverse, lane) }
    }

    /// True if any principal frame differs from the identity.
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
pub fn strang_block(block: &mut RotationBlock, h: Real) {
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
fn strang_lanes_avx512(block: &mut RotationBlock, h: Real) {
    strang_lanes(block, h);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn strang_lanes_avx2(block: &mut RotationBlock, h: Real) {
    strang_lanes(block, h);
}

/// Selects the shortest code that is valid for the whole block. The bits do not depend on the
/// choice, and so not on other bodies.
#[inline(always)]
pub(in crate::motion) fn strang_lanes(block: &mut RotationBlock, h: Real) {
    if block.is_framed() { framed_lanes::<true>(block, h) } else { framed_lanes::<false>(block, h) }
}

#[inline(always)]
fn framed_lanes<const FRAMED: bool>(block: &mut RotationBlock, h: Real) {
    let mut starts = StrangStarts { principal: [[0.0; LANES]; 4], world: [[0.0; LANES]; 3], body: [[0.0; LANES]; 3] };
    let mut turns = [0.0; LANES];
    for (lane, turn) in turns.iter_mut().enumerate() {
        let (moments, frame) = (block.moments(lane), unit(&block.frame, lane));
        let kick = vector(&block.torque, lane) * (0.5 * h);
        let start = StrangStart::new::<FRAMED>(block.spin(lane), moments, frame, kick);
        *turn = start.turn_bound(moments, h);
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

/// [`StrangStart`] of each body of a block.
struct StrangStarts {
    principal: [LaneRow; 4],
    world: [LaneRow; 3],
    body: [LaneRow; 3],
}

#[inline(always)]
fn end_lanes<const FRAMED: bool, const SMALL: bool>(block: &mut RotationBlock, starts: &StrangStarts, h: Real) {
    let mut new = ([[0.0; LANES]; 4], [[0.0; LANES]; 3], [[0.0; LANES]; 3]);
    for lane in 0..LANES {
        let start = StrangStart {
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
pub fn strang_many(spins: &mut [RotationState], inertias: &[PrincipalInertia], torques: &[Vec3], h: Real) {
    assert!(spins.len() == inertias.len() && spins.len() == torques.len(), "columns of unequal length");
    let mut block = RotationBlock::default();
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
    fn block(framed: bool, speed: Real) -> RotationBlock {
        let mut block = RotationBlock::default();
        for lane in 0..LANES {
            let x = lane as Real;
            let frame = if framed && lane % 3 == 0 { Quat::from_rotation_x(0.1 * x) } else { Quat::IDENTITY };
            let inertia = PrincipalInertia::new(Vec3::new(1.0 + 0.1 * x, 1.5, 2.4 - 0.1 * x), frame);
            let velocity = Vec3::new(x - 7.0, if lane % 4 == 0 { -0.0 } else { 0.3 }, 0.0) * speed;
            let spin = RotationState::new(Quat::from_rotation_x(x - 3.0), velocity);
            block.set(lane, &spin, &inertia, Vec3::new(0.0, 0.0, x - 2.0));
        }
        block
    }

    fn bits(block: &RotationBlock) -> Vec<u64> {
        let rows = block.orientation.iter().chain(&block.velocity).chain(&block.residual);
        rows.flatten().map(|&x| f64::from(x).to_bits()).collect()
    }

    #[test]
    fn every_instruction_set_and_every_shortcut_gives_the_same_bits() {
        for (framed, speed) in [(false, 1.0), (true, 1.0), (false, 300.0), (true, 300.0)] {
            let start = block(framed, speed);
            let (mut wide, mut plain) = (start.clone(), start.clone());
            let mut one: Vec<RotationState> = (0..LANES).map(|lane| start.get(lane)).collect();
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
                put4(&mut alone.orientation, lane, UnitQuat::from_quat(spin.orientation));
                put3(&mut alone.velocity, lane, spin.velocity);
                put3(&mut alone.residual, lane, spin.residual);
            }
            assert_eq!(bits(&wide), bits(&plain));
            assert_eq!(bits(&wide), bits(&alone));
        }
    }
}
