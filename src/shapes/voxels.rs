//! Boxes that fill the same space as cubes of a grid.

use std::collections::BTreeSet;

/// A block of cells: its least cell and its number of cells along each axis.
pub(crate) type Block = ([i32; 3], [i64; 3]);

/// Merges cells into blocks: along x as far as they go, equal runs along y, and equal layers along z.
/// The order of the cells does not matter, nor do repetitions.
pub(crate) fn merge_cells(cells: &[[i32; 3]]) -> Vec<Block> {
    // Sorted by (z, y, x), so that runs along x are neighbours.
    let set: BTreeSet<[i32; 3]> = cells.iter().map(|&[x, y, z]| [z, y, x]).collect();
    let units: Vec<Block> = set.iter().map(|&[z, y, x]| ([x, y, z], [1; 3])).collect();
    (0..3).fold(units, merge_along)
}

/// Merges blocks that continue each other along an axis and are equal across it.
fn merge_along(mut blocks: Vec<Block>, axis: usize) -> Vec<Block> {
    let across = |(at, size): &Block| {
        let others = [0, 1, 2].into_iter().rev().filter(|&k| k != axis);
        let mut key = [0; 4];
        others.zip(key.chunks_exact_mut(2)).for_each(|(k, key)| {
            key.copy_from_slice(&[i64::from(at[k]), size[k]]);
        });
        key
    };
    blocks.sort_unstable_by_key(|block| (across(block), block.0[axis]));
    let mut merged: Vec<Block> = Vec::new();
    for block in blocks {
        match merged.last_mut() {
            Some(last)
                if across(last) == across(&block)
                    && i64::from(last.0[axis]) + last.1[axis] == i64::from(block.0[axis]) =>
            {
                last.1[axis] += block.1[axis];
            }
            _ => merged.push(block),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells_of(blocks: &[Block]) -> Vec<[i32; 3]> {
        let mut cells = Vec::new();
        for (at, size) in blocks {
            for x in 0..size[0] as i32 {
                for y in 0..size[1] as i32 {
                    (0..size[2] as i32).for_each(|z| cells.push([at[0] + x, at[1] + y, at[2] + z]));
                }
            }
        }
        cells.sort_unstable();
        cells
    }

    #[test]
    fn a_floor_is_one_block_and_a_hole_makes_four() {
        let mut floor: Vec<[i32; 3]> = (0..100).map(|k| [k % 10, 0, k / 10]).collect();
        assert_eq!(merge_cells(&floor), [([0, 0, 0], [10, 1, 10])]);
        floor.retain(|cell| *cell != [4, 0, 4]);
        assert_eq!(merge_cells(&floor).len(), 4);
    }

    #[test]
    fn random_cells_are_filled_once_each() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let mut cell = || std::array::from_fn(|_| random.i32(-3..4));
            let mut cells: Vec<[i32; 3]> = (0..120).map(|_| cell()).collect();
            let blocks = merge_cells(&cells);
            random.shuffle(&mut cells);
            assert_eq!(merge_cells(&cells), blocks);
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells_of(&blocks), cells);
        }
    }

    #[test]
    fn cells_at_the_ends_of_the_range_do_not_overflow() {
        let ends = [[i32::MAX, 0, 0], [i32::MIN, 0, 0], [i32::MAX - 1, 0, 0]];
        assert_eq!(merge_cells(&ends), [([i32::MIN, 0, 0], [1; 3]), ([i32::MAX - 1, 0, 0], [2, 1, 1])]);
        assert!(merge_cells(&[]).is_empty());
    }
}
