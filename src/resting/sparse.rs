//! Sparsity pattern of a matrix of body blocks: order of elimination, fill, and the target block of
//! each product. Found once for a contact graph, and kept while the graph is the same.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The blocks of a contact's three products.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactBlocks {
    /// Position of the first body in the order of elimination, or [`NO_BLOCK`].
    pub first: u32,
    /// Position of the second body, or [`NO_BLOCK`].
    pub second: u32,
    /// The off-diagonal block of both, or [`NO_BLOCK`].
    pub between: u32,
}

/// No such body or block.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// The pattern of the factor of a symmetric matrix of body blocks.
///
/// Column `k` of the factor is the diagonal block of the `k`-th body to be eliminated, and below it
/// the blocks `starts[k]..starts[k + 1]`, whose rows are `targets`, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    /// The graph of this pattern.
    edges: Vec<(u32, u32)>,
    bodies: usize,
    /// Body at each position.
    pub order: Vec<u32>,
    /// Position of each body.
    position: Vec<u32>,
    pub starts: Vec<u32>,
    pub targets: Vec<u32>,
    /// For each column, for each pair of its blocks `p >= q`, in order: the off-diagonal block at
    /// (row of p, row of q), or the position of the diagonal block where p is q.
    pub updates: Vec<u32>,
    /// For each contact, the blocks of its products.
    pub contact_blocks: Vec<ContactBlocks>,
    /// Buffers of the elimination: neighbours of each body when it is eliminated, one such list,
    /// and degrees.
    near: Vec<Vec<u32>>,
    merged: Vec<u32>,
    queue: BinaryHeap<Reverse<(usize, u32)>>,
}

impl Pattern {
    /// Makes this the pattern of the graph with an edge per contact between `bodies` bodies;
    /// `bodies` itself stands for the world. True if the graph has changed.
    pub fn update(&mut self, bodies: usize, edges: impl ExactSizeIterator<Item = (u32, u32)> + Clone) -> bool {
        let same = self.bodies == bodies
            && self.edges.len() == edges.len()
            && self.edges.iter().copied().zip(edges.clone()).all(|(old, new)| old == new);
        if same {
            return false;
        }
        self.bodies = bodies;
        self.edges.clear();
        self.edges.extend(edges);
        self.eliminate();
        self.lay_out();
        self.place_contacts();
        true
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.bodies
    }

    /// Minimum-degree elimination, ties by index. Leaves each column's neighbours, as bodies, in
    /// [`Self::near`].
    fn eliminate(&mut self) {
        let Self { edges, bodies, order, position, near, merged, queue, .. } = self;
        let n = *bodies;
        if near.len() < n {
            near.resize_with(n, Vec::new);
        }
        near[..n].iter_mut().for_each(Vec::clear);
        for &(a, b) in &*edges {
            if (a as usize) < n && (b as usize) < n {
                near[a as usize].push(b);
                near[b as usize].push(a);
            }
        }
        queue.clear();
        for (i, list) in near[..n].iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            queue.push(Reverse((list.len(), i as u32)));
        }
        order.clear();
        position.clear();
        position.resize(n, NO_BLOCK);
        while let Some(Reverse((degree, body))) = queue.pop() {
            // Entries of an older degree are left in the queue and skipped here.
            if position[body as usize] != NO_BLOCK || near[body as usize].len() != degree {
                continue;
            }
            position[body as usize] = order.len() as u32;
            order.push(body);
            let neighbours = std::mem::take(&mut near[body as usize]);
            for &other in &neighbours {
                merge_without(&near[other as usize], &neighbours, [body, other], merged);
                std::mem::swap(&mut near[other as usize], merged);
                queue.push(Reverse((near[other as usize].len(), other)));
            }
            near[body as usize] = neighbours;
        }
    }

    fn lay_out(&mut self) {
        let Self { order, position, starts, targets, near, .. } = self;
        starts.clear();
        targets.clear();
        starts.push(0);
        for &body in &*order {
            let start = targets.len();
            targets.extend(near[body as usize].iter().map(|&other| position[other as usize]));
            targets[start..].sort_unstable();
            starts.push(targets.len() as u32);
        }
        self.updates.clear();
        for k in 0..self.bodies {
            let column = self.starts[k] as usize..self.starts[k + 1] as usize;
            for p in column.clone() {
                for q in column.start..=p {
                    let target = if p == q {
                        self.targets[p]
                    } else {
                        self.find(self.targets[q], self.targets[p]).expect("elimination joins all neighbours")
                    };
                    self.updates.push(target);
                }
            }
        }
    }

    fn place_contacts(&mut self) {
        self.contact_blocks.clear();
        for i in 0..self.edges.len() {
            let [first, second] = <[u32; 2]>::from(self.edges[i])
                .map(|body| self.position.get(body as usize).copied().unwrap_or(NO_BLOCK));
            let between = if first == NO_BLOCK || second == NO_BLOCK {
                NO_BLOCK
            } else {
                self.find(first.min(second), first.max(second)).expect("an edge has a block")
            };
            self.contact_blocks.push(ContactBlocks { first, second, between });
        }
    }

    /// The off-diagonal block in this column and row.
    fn find(&self, column: u32, row: u32) -> Option<u32> {
        let (start, end) = (self.starts[column as usize] as usize, self.starts[column as usize + 1] as usize);
        self.targets[start..end].binary_search(&row).ok().map(|at| (start + at) as u32)
    }
}

/// The union of two sorted lists without two of their members, into `out`.
fn merge_without(a: &[u32], b: &[u32], drop: [u32; 2], out: &mut Vec<u32>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) => x,
            (None, Some(&y)) => y,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if !drop.contains(&next) {
            out.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_no_fill_and_a_star_is_eliminated_from_its_points() {
        let mut pattern = Pattern::default();
        let chain: Vec<(u32, u32)> = (0..9).map(|i| (i, i + 1)).collect();
        assert!(pattern.update(10, chain.iter().copied()));
        assert_eq!(pattern.targets.len(), 9);
        assert!(!pattern.update(10, chain.iter().copied()));
        let star: Vec<(u32, u32)> = (1..10).map(|i| (0, i)).collect();
        assert!(pattern.update(10, star.iter().copied()));
        assert_eq!(pattern.targets.len(), 9);
        assert!(pattern.position[0] >= 8);
    }

    #[test]
    fn the_world_takes_no_block() {
        let mut pattern = Pattern::default();
        pattern.update(2, [(2, 0), (0, 1), (0, 1)].into_iter());
        assert_eq!(pattern.targets.len(), 1);
        assert_eq!(pattern.contact_blocks[0].first, NO_BLOCK);
        assert_eq!(pattern.contact_blocks[1].between, pattern.contact_blocks[2].between);
    }
}
