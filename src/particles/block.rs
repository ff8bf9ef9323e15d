//! Blocks of eight particle contacts without a common particle, for the SIMD kernels.

use super::pairs::Pair;
use crate::math::{Real, Vec3};
use crate::solver::simd::{WIDTH, Wide};

/// Eight contacts of two particles each. No particle is in two of them, so that they are solved
/// simultaneously.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// The particles, numbered from the first particle of the slab.
    pub a: [u32; WIDTH],
    pub b: [u32; WIDTH],
    /// Unit normals from `b` to `a`.
    pub normal: [Wide; 3],
    pub friction: Wide,
    pub restitution: Wide,
    /// Normal impulses, at least 0 (N s).
    pub normal_impulse: Wide,
    /// Friction impulses on `a` (N s).
    pub friction_impulse: [Wide; 3],
    /// Bit mask of the lanes in use: the first ones.
    pub used: u32,
    /// Bit mask of the lanes with an impact rather than a resting contact.
    pub bounces: u32,
}

impl Block {
    /// Normal and friction impulse of the contact in a lane slot (N s).
    #[inline]
    pub fn impulse(blocks: &[Self], lane_slot: u32) -> (Real, Vec3) {
        let (block, lane) = (&blocks[lane_slot as usize / WIDTH], lane_slot as usize % WIDTH);
        let [x, y, z] = &block.friction_impulse;
        (block.normal_impulse.0[lane], Vec3::new(x.0[lane], y.0[lane], z.0[lane]))
    }

    /// Sets the impulses of the contact in a lane slot (N s).
    #[inline]
    pub fn set_impulse(blocks: &mut [Self], lane_slot: u32, normal_impulse: Real, friction_impulse: Vec3) {
        let (block, lane) = (&mut blocks[lane_slot as usize / WIDTH], lane_slot as usize % WIDTH);
        block.normal_impulse.0[lane] = normal_impulse;
        for (row, x) in block.friction_impulse.iter_mut().zip(friction_impulse.to_array()) {
            row.0[lane] = x;
        }
    }
}

/// Greatest number of colours. Equal balls have at most twelve neighbours and need at most 23
/// colours.
const COLOURS: usize = u64::BITS as usize;

/// Assigns each pair of a slab a lane slot (eight times the block's index, plus the lane) such that
/// no block contains a particle twice; returns the number of particles that the blocks refer to.
///
/// Greedy colouring: a pair gets the least colour that neither particle has yet. Each block has one
/// colour, and blocks of one colour are adjacent: consecutive blocks seldom share a particle, which
/// would make one wait for the stores of the other.
pub(super) fn assign_lanes(
    pairs: &[Pair],
    first: u32,
    colours_used: &mut Vec<u64>,
    lane_slots: &mut Vec<u32>,
    blocks: &mut Vec<Block>,
) -> usize {
    let span = pairs.iter().fold(0, |most, pair| most.max(pair[1] + 1 - first)) as usize;
    colours_used.clear();
    colours_used.resize(span, 0);
    lane_slots.clear();
    let mut counts = [0_u32; COLOURS];
    // A pair without a free colour has a block of its own.
    let mut alone = 0;
    for pair in pairs {
        let [a, b] = pair.map(|particle| (particle - first) as usize);
        let colour = (colours_used[a] | colours_used[b]).trailing_ones();
        if colour as usize == COLOURS {
            alone += 1;
        } else {
            colours_used[a] |= 1 << colour;
            colours_used[b] |= 1 << colour;
            counts[colour as usize] += 1;
        }
        lane_slots.push(colour);
    }
    let (mut next, mut block) = ([0_u32; COLOURS + 1], 0);
    for (next, count) in next.iter_mut().zip(counts) {
        *next = block * WIDTH as u32;
        block += count.div_ceil(WIDTH as u32);
    }
    next[COLOURS] = block * WIDTH as u32;
    blocks.resize((block + alone) as usize, Block::default());
    for block in &mut *blocks {
        (block.a, block.b) = ([0; WIDTH], [0; WIDTH]);
        (block.used, block.bounces) = (0, 0);
    }
    for (lane_slot, pair) in lane_slots.iter_mut().zip(pairs) {
        let colour = *lane_slot as usize;
        *lane_slot = next[colour];
        next[colour] += if colour == COLOURS { WIDTH as u32 } else { 1 };
        let (block, lane) = (&mut blocks[*lane_slot as usize / WIDTH], *lane_slot as usize % WIDTH);
        (block.a[lane], block.b[lane]) = (pair[0] - first, pair[1] - first);
        block.used |= 1 << lane;
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_pair_has_a_lane_slot_of_its_own_and_no_block_holds_a_particle_twice(
            links in prop::collection::vec((0_u32..90, 1_u32..90), 0..900),
        ) {
            let mut pairs: Vec<Pair> = links.iter().map(|(a, by)| [100 + a, 100 + a + by]).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let (mut lane_slots, mut blocks) = (Vec::new(), Vec::new());
            let span = assign_lanes(&pairs, 100, &mut Vec::new(), &mut lane_slots, &mut blocks);
            prop_assert_eq!(blocks.iter().map(|block| block.used.count_ones() as usize).sum::<usize>(), pairs.len());
            for (pair, &lane_slot) in pairs.iter().zip(&lane_slots) {
                let (block, lane) = (&blocks[lane_slot as usize / WIDTH], lane_slot as usize % WIDTH);
                prop_assert_eq!([block.a[lane] + 100, block.b[lane] + 100], *pair);
            }
            for block in &blocks {
                let lanes = (0..WIDTH).filter(|lane| block.used >> lane & 1 == 1);
                let mut held: Vec<u32> = lanes.flat_map(|lane| [block.a[lane], block.b[lane]]).collect();
                prop_assert!(held.iter().all(|&particle| (particle as usize) < span));
                let all = held.len();
                held.sort_unstable();
                held.dedup();
                prop_assert_eq!(held.len(), all);
            }
        }
    }
}
