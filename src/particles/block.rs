//! Contacts of particles in blocks of eight that share no particle, for the wide kernels.

use super::pairs::Pair;
use crate::math::{Real, Vec3};
use crate::solver::lanes::{Row, WIDTH};

/// Eight contacts of two particles each. No particle is in two of them, so that they can be worked on at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// The particles, counted from the first one of the slab.
    pub a: [u32; WIDTH],
    pub b: [u32; WIDTH],
    /// Unit normals from `b` to `a`.
    pub normal: [Row; 3],
    pub friction: Row,
    pub restitution: Row,
    /// What the contacts carry along the normal, at least 0 (N s).
    pub push: Row,
    /// Friction on `a` (N s).
    pub hold: [Row; 3],
    /// The lanes that hold a contact, as bits: the first ones.
    pub used: u32,
    /// The lanes whose contact does not rest.
    pub bounces: u32,
}

impl Block {
    /// What the contact of a seat carries along the normal and across it (N s).
    #[inline]
    pub fn carried(blocks: &[Self], seat: u32) -> (Real, Vec3) {
        let (block, lane) = (&blocks[seat as usize / WIDTH], seat as usize % WIDTH);
        let [x, y, z] = &block.hold;
        (block.push.0[lane], Vec3::new(x.0[lane], y.0[lane], z.0[lane]))
    }

    /// Lets the contact of a seat start from what it carried.
    #[inline]
    pub fn carry(blocks: &mut [Self], seat: u32, push: Real, hold: Vec3) {
        let (block, lane) = (&mut blocks[seat as usize / WIDTH], seat as usize % WIDTH);
        block.push.0[lane] = push;
        for (row, x) in block.hold.iter_mut().zip(hold.to_array()) {
            row.0[lane] = x;
        }
    }
}

/// Colours that are told apart. Equal balls have at most twelve neighbours, and need no more than 23.
const COLOURS: usize = u64::BITS as usize;

/// Gives each pair of a slab a seat in a block (eight times the block's number, and the lane) such that no block holds a particle
/// twice; returns how many particles the blocks are about.
///
/// Pairs get the least colour that neither particle has yet, and a block is of one colour. Blocks of one colour follow each other:
/// an impact has to wait for the one before if they share a particle, and so it seldom does.
pub(super) fn seat(
    pairs: &[Pair],
    first: u32,
    taken: &mut Vec<u64>,
    seats: &mut Vec<u32>,
    blocks: &mut Vec<Block>,
) -> usize {
    let span = pairs.iter().fold(0, |most, pair| most.max(pair[1] + 1 - first)) as usize;
    taken.clear();
    taken.resize(span, 0);
    seats.clear();
    let mut counts = [0_u32; COLOURS];
    // Who has more neighbours than there are colours is alone in a block.
    let mut alone = 0;
    for pair in pairs {
        let [a, b] = pair.map(|particle| (particle - first) as usize);
        let colour = (taken[a] | taken[b]).trailing_ones();
        if colour as usize == COLOURS {
            alone += 1;
        } else {
            taken[a] |= 1 << colour;
            taken[b] |= 1 << colour;
            counts[colour as usize] += 1;
        }
        seats.push(colour);
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
    for (seat, pair) in seats.iter_mut().zip(pairs) {
        let colour = *seat as usize;
        *seat = next[colour];
        next[colour] += if colour == COLOURS { WIDTH as u32 } else { 1 };
        let (block, lane) = (&mut blocks[*seat as usize / WIDTH], *seat as usize % WIDTH);
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
        fn every_pair_has_a_seat_of_its_own_and_no_block_holds_a_particle_twice(
            links in prop::collection::vec((0_u32..90, 1_u32..90), 0..900),
        ) {
            let mut pairs: Vec<Pair> = links.iter().map(|(a, by)| [100 + a, 100 + a + by]).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let (mut seats, mut blocks) = (Vec::new(), Vec::new());
            let span = seat(&pairs, 100, &mut Vec::new(), &mut seats, &mut blocks);
            prop_assert_eq!(blocks.iter().map(|block| block.used.count_ones() as usize).sum::<usize>(), pairs.len());
            for (pair, &seat) in pairs.iter().zip(&seats) {
                let (block, lane) = (&blocks[seat as usize / WIDTH], seat as usize % WIDTH);
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
