//! Factors of `I + sum J_i^T (D_i / e_i) J_i`, a matrix of 6x6 body blocks: Cholesky if every `D_i`
//! is symmetric, LU if sliding contacts make some unsymmetric. Both follow the same [`Pattern`].

use super::block::{
    Block, JacobianBlock, Vec6, ZERO, add_dyad, add_outer, apply, cholesky, divide_by_factor_transposed, inverse,
    product, solve_lower, solve_lower_transposed, subtract_apply, subtract_apply_transposed, subtract_product,
    subtract_product_transposed,
};
use super::jacobian::Jacobian;
use super::sparse::{NO_BLOCK, Pattern};
use crate::math::DMat3;

/// Symmetry of the `D_i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Symmetry {
    #[default]
    Symmetric,
    General,
}

/// A factor and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    symmetry: Symmetry,
    diagonal: Vec<Block>,
    /// Blocks below the diagonal, by the pattern's index.
    lower: Vec<Block>,
    /// Blocks above the diagonal, under the index of their mirror block. Used by LU alone.
    upper: Vec<Block>,
    /// The right-hand side in the order of elimination.
    permuted: Vec<Vec6>,
}

/// `d rows`.
#[inline(always)]
fn weigh(d: &DMat3, rows: &JacobianBlock) -> JacobianBlock {
    let mut out = [[0.0; 6]; 3];
    for c in 0..6 {
        let (x, y, z) = (rows[0][c], rows[1][c], rows[2][c]);
        out[0][c] = d.x_axis.x * x + d.y_axis.x * y + d.z_axis.x * z;
        out[1][c] = d.x_axis.y * x + d.y_axis.y * y + d.z_axis.y * z;
        out[2][c] = d.x_axis.z * x + d.y_axis.z * y + d.z_axis.z * z;
    }
    out
}

impl Factor {
    /// Starts a new matrix: the identity.
    pub fn reset(&mut self, pattern: &Pattern, symmetry: Symmetry) {
        self.symmetry = symmetry;
        let mut identity = ZERO;
        for d in 0..6 {
            identity[7 * d] = 1.0;
        }
        self.diagonal.clear();
        self.diagonal.resize(pattern.len(), identity);
        self.lower.clear();
        self.lower.resize(pattern.targets.len(), ZERO);
        if symmetry == Symmetry::General {
            self.upper.clear();
            self.upper.resize(pattern.targets.len(), ZERO);
        }
    }

    /// The symmetry that the current matrix was started with.
    pub fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Adds contact `i`'s `J^T d J`.
    #[inline(always)]
    pub fn add(&mut self, pattern: &Pattern, i: usize, row: &Jacobian, d: &DMat3) {
        let place = pattern.contact_blocks[i];
        if place.first != NO_BLOCK {
            let weighted = weigh(d, &row.on_first);
            add_outer(&mut self.diagonal[place.first as usize], &row.on_first, &weighted);
            if place.between != NO_BLOCK {
                // The block's row is the body that is eliminated later.
                if place.second > place.first {
                    add_outer(&mut self.lower[place.between as usize], &row.on_second, &weighted);
                } else if self.symmetry == Symmetry::General {
                    add_outer(&mut self.upper[place.between as usize], &row.on_second, &weighted);
                }
            }
        }
        if place.second != NO_BLOCK {
            let weighted = weigh(d, &row.on_second);
            add_outer(&mut self.diagonal[place.second as usize], &row.on_second, &weighted);
            if place.between != NO_BLOCK {
                if place.first > place.second {
                    add_outer(&mut self.lower[place.between as usize], &row.on_first, &weighted);
                } else if self.symmetry == Symmetry::General {
                    add_outer(&mut self.upper[place.between as usize], &row.on_first, &weighted);
                }
            }
        }
    }

    /// Adds `weight J_n^T J_n` of contact `i`'s normal alone, to a symmetric matrix.
    #[inline(always)]
    pub fn add_normal(&mut self, pattern: &Pattern, i: usize, row: &Jacobian, weight: f64) {
        let place = pattern.contact_blocks[i];
        let (a, b) = (&row.on_first[0], &row.on_second[0]);
        if place.first != NO_BLOCK {
            add_dyad(&mut self.diagonal[place.first as usize], a, a, weight);
        }
        if place.second != NO_BLOCK {
            add_dyad(&mut self.diagonal[place.second as usize], b, b, weight);
        }
        if place.between != NO_BLOCK {
            let (row, column) = if place.first > place.second { (a, b) } else { (b, a) };
            add_dyad(&mut self.lower[place.between as usize], row, column, weight);
        }
    }

    /// Factors the matrix in place. False if a pivot fails.
    pub fn factor(&mut self, pattern: &Pattern) -> bool {
        match self.symmetry {
            Symmetry::Symmetric => self.factor_cholesky(pattern),
            Symmetry::General => self.factor_lu(pattern),
        }
    }

    fn factor_cholesky(&mut self, pattern: &Pattern) -> bool {
        let mut update = 0;
        for k in 0..pattern.len() {
            if !cholesky(&mut self.diagonal[k]) {
                return false;
            }
            let (start, end) = (pattern.starts[k] as usize, pattern.starts[k + 1] as usize);
            for p in start..end {
                divide_by_factor_transposed(&mut self.lower[p], &self.diagonal[k]);
                let left = self.lower[p];
                for q in start..p {
                    let right = self.lower[q];
                    let target = pattern.updates[update] as usize;
                    subtract_product_transposed(&mut self.lower[target], &left, &right);
                    update += 1;
                }
                let target = pattern.updates[update] as usize;
                subtract_product_transposed(&mut self.diagonal[target], &left, &left);
                update += 1;
            }
        }
        true
    }

    fn factor_lu(&mut self, pattern: &Pattern) -> bool {
        let mut update = 0;
        for k in 0..pattern.len() {
            let Some(inverted) = inverse(&self.diagonal[k]) else { return false };
            self.diagonal[k] = inverted;
            let (start, end) = (pattern.starts[k] as usize, pattern.starts[k + 1] as usize);
            for p in start..end {
                self.lower[p] = product(&self.lower[p], &inverted);
            }
            for p in start..end {
                let (left_p, up_p) = (self.lower[p], self.upper[p]);
                for q in start..p {
                    let (left_q, up_q) = (self.lower[q], self.upper[q]);
                    let target = pattern.updates[update] as usize;
                    subtract_product(&mut self.lower[target], &left_p, &up_q);
                    subtract_product(&mut self.upper[target], &left_q, &up_p);
                    update += 1;
                }
                let target = pattern.updates[update] as usize;
                subtract_product(&mut self.diagonal[target], &left_p, &up_p);
                update += 1;
            }
        }
        true
    }

    /// Solves for `right` into `out`, both in the bodies' own order. Entries past the bodies are
    /// left unchanged.
    pub fn solve(&mut self, pattern: &Pattern, right: &[Vec6], out: &mut [Vec6]) {
        let n = pattern.len();
        let v = &mut self.permuted;
        v.clear();
        v.extend(pattern.order.iter().map(|&body| right[body as usize]));
        match self.symmetry {
            Symmetry::Symmetric => {
                for k in 0..n {
                    solve_lower(&self.diagonal[k], &mut v[k]);
                    let x = v[k];
                    for p in pattern.starts[k] as usize..pattern.starts[k + 1] as usize {
                        subtract_apply(&mut v[pattern.targets[p] as usize], &self.lower[p], &x);
                    }
                }
                for k in (0..n).rev() {
                    let mut x = v[k];
                    for p in pattern.starts[k] as usize..pattern.starts[k + 1] as usize {
                        subtract_apply_transposed(&mut x, &self.lower[p], &v[pattern.targets[p] as usize]);
                    }
                    solve_lower_transposed(&self.diagonal[k], &mut x);
                    v[k] = x;
                }
            }
            Symmetry::General => {
                for k in 0..n {
                    let x = v[k];
                    for p in pattern.starts[k] as usize..pattern.starts[k + 1] as usize {
                        subtract_apply(&mut v[pattern.targets[p] as usize], &self.lower[p], &x);
                    }
                }
                for k in (0..n).rev() {
                    let mut x = v[k];
                    for p in pattern.starts[k] as usize..pattern.starts[k + 1] as usize {
                        subtract_apply(&mut x, &self.upper[p], &v[pattern.targets[p] as usize]);
                    }
                    v[k] = apply(&self.diagonal[k], &x);
                }
            }
        }
        for (k, &body) in pattern.order.iter().enumerate() {
            out[body as usize] = v[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;

    /// A ring of bodies with a few chords, some touching the world.
    fn scene(n: u32) -> Vec<Jacobian> {
        let mut state = 11_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut edges: Vec<(u32, u32)> = (0..n).map(|i| (i, (i + 1) % n)).collect();
        edges.extend([(0, 4), (7, 2), (n, 3), (5, n), (3, 8)]);
        let mut rows = |body: u32| -> JacobianBlock {
            std::array::from_fn(|_| std::array::from_fn(|_| if body < n { random() } else { 0.0 }))
        };
        edges.iter().map(|&(a, b)| Jacobian { first: a, second: b, on_first: rows(a), on_second: rows(b) }).collect()
    }

    fn multiply(rows: &[Jacobian], d: &DMat3, x: &[Vec6]) -> Vec<Vec6> {
        let mut out = x.to_vec();
        for row in rows {
            row.add_transposed(*d * row.apply(x), &mut out);
        }
        out
    }

    #[test]
    fn both_factors_solve_the_matrix_they_were_given() {
        let n = 10;
        let rows = scene(n);
        let symmetric =
            DMat3::from_cols(DVec3::new(30.0, 4.0, 1.0), DVec3::new(4.0, 20.0, -3.0), DVec3::new(1.0, -3.0, 10.0));
        let general = DMat3::from_cols(DVec3::new(30.0, 12.0, 9.0), DVec3::ZERO, DVec3::new(0.0, -3.0, 10.0));
        let mut pattern = Pattern::default();
        pattern.update(n as usize, rows.iter().map(|r| (r.first, r.second)));
        for (d, symmetry) in
            [(symmetric, Symmetry::Symmetric), (symmetric, Symmetry::General), (general, Symmetry::General)]
        {
            let mut factor = Factor::default();
            factor.reset(&pattern, symmetry);
            for (i, row) in rows.iter().enumerate() {
                factor.add(&pattern, i, row, &d);
            }
            assert!(factor.factor(&pattern));
            let mut x: Vec<Vec6> = (0..=n).map(|i| std::array::from_fn(|k| f64::from(i) - k as f64)).collect();
            x[n as usize] = [0.0; 6];
            let right = multiply(&rows, &d, &x);
            let mut found = vec![[0.0; 6]; n as usize + 1];
            factor.solve(&pattern, &right, &mut found);
            for (a, b) in found.iter().zip(&x) {
                assert!((0..6).all(|k| (a[k] - b[k]).abs() < 1e-9), "{symmetry:?} {a:?} {b:?}");
            }
        }
    }
}
