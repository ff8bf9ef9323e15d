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
        let columns = self.eliminate();
        self.lay_out(&columns);
        self.place_contacts();
        true
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.bodies
    }

    /// Minimum-degree elimination, ties by index. Returns each column's neighbours, as bodies.
    fn eliminate(&mut self) -> Vec<Vec<u32>> {
        let n = self.bodies;
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); n];
        for &(a, b) in &self.edges {
            if (a as usize) < n && (b as usize) < n {
                near[a as usize].push(b);
                near[b as usize].push(a);
            }
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let mut queue: BinaryHeap<Reverse<(usize, u32)>> =
            near.iter().enumerate().map(|(i, list)| Reverse((list.len(), i as u32))).collect();
        self.order.clear();
        self.position.clear();
        self.position.resize(n, NO_BLOCK);
        let mut columns = Vec::with_capacity(n);
        let mut merged = Vec::new();
        while let Some(Reverse((degree, body))) = queue.pop() {
            // Entries of an older degree are left in the queue and skipped here.
            if self.position[body as usize] != NO_BLOCK || near[body as usize].len() != degree {
                continue;
            }
            self.position[body as usize] = self.order.len() as u32;
            self.order.push(body);
            let neighbours = std::mem::take(&mut near[body as usize]);
            for &other in &neighbours {
                merge_without(&near[other as usize], &neighbours, [body, other], &mut merged);
                std::mem::swap(&mut near[other as usize], &mut merged);
                queue.push(Reverse((near[other as usize].len(), other)));
            }
            columns.push(neighbours);
        }
        columns
    }

    fn lay_out(&mut self, columns: &[Vec<u32>]) {
        self.starts.clear();
        self.targets.clear();
        self.starts.push(0);
        for column in columns {
            let start = self.targets.len();
            self.targets.extend(column.iter().map(|&body| self.position[body as usize]));
            self.targets[start..].sort_unstable();
            self.starts.push(self.targets.len() as u32);
        }
        self.updates.clear();
        for k in 0..columns.len() {
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
        let n = self.bodies as u32;
        let at = |body: u32| if body < n { self.position[body as usize] } else { NO_BLOCK };
        let places = self
            .edges
            .iter()
            .map(|&(a, b)| {
                let (first, second) = (at(a), at(b));
                let between = if first == NO_BLOCK || second == NO_BLOCK {
                    NO_BLOCK
                } else {
                    self.find(first.min(second), first.max(second)).expect("an edge has a block")
                };
                ContactBlocks { first, second, between }
            })
            .collect();
        self.contact_blocks = places;
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
