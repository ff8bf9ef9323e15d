//! Six-by-six blocks of the scaled body space. Column-major, so that every kernel runs down columns
//! of six and any vector width gives the same order of sums.

/// One body's part of a vector: three translations, three rotations.
pub(super) type Vec6 = [f64; 6];

/// A 6x6 matrix, column after column.
pub(super) type Block = [f64; 36];

/// The zero block.
pub(super) const ZERO: Block = [0.0; 36];

/// Three rows of six: a contact's normal and two tangents for one body.
pub(super) type JacobianBlock = [[f64; 6]; 3];

/// `a . b`, in two interleaved sums.
#[inline(always)]
pub(super) fn dot(a: &Vec6, b: &Vec6) -> f64 {
    let even = a[0] * b[0] + a[2] * b[2] + a[4] * b[4];
    let odd = a[1] * b[1] + a[3] * b[3] + a[5] * b[5];
    even + odd
}

/// `target += scale * v`.
#[inline(always)]
pub(super) fn add_scaled(target: &mut Vec6, scale: f64, v: &Vec6) {
    for k in 0..6 {
        target[k] += scale * v[k];
    }
}

/// `target += left^T right`.
#[inline(always)]
pub(super) fn add_outer(target: &mut Block, left: &JacobianBlock, right: &JacobianBlock) {
    for c in 0..6 {
        let (x, y, z) = (right[0][c], right[1][c], right[2][c]);
        let column = &mut target[6 * c..6 * c + 6];
        for r in 0..6 {
            column[r] += left[0][r] * x + left[1][r] * y + left[2][r] * z;
        }
    }
}

/// `target += weight left right^T` of two vectors.
#[inline(always)]
pub(super) fn add_dyad(target: &mut Block, left: &Vec6, right: &Vec6, weight: f64) {
    for c in 0..6 {
        let factor = weight * right[c];
        for r in 0..6 {
            target[6 * c + r] += left[r] * factor;
        }
    }
}

/// `target -= left right^T`.
#[inline(always)]
pub(super) fn subtract_product_transposed(target: &mut Block, left: &Block, right: &Block) {
    for c in 0..6 {
        let mut sum = [0.0; 6];
        for k in 0..6 {
            let factor = right[6 * k + c];
            for r in 0..6 {
                sum[r] += left[6 * k + r] * factor;
            }
        }
        for r in 0..6 {
            target[6 * c + r] -= sum[r];
        }
    }
}

/// `target -= left right`.
#[inline(always)]
pub(super) fn subtract_product(target: &mut Block, left: &Block, right: &Block) {
    for c in 0..6 {
        let mut sum = [0.0; 6];
        for k in 0..6 {
            let factor = right[6 * c + k];
            for r in 0..6 {
                sum[r] += left[6 * k + r] * factor;
            }
        }
        for r in 0..6 {
            target[6 * c + r] -= sum[r];
        }
    }
}

/// `target -= a v`.
#[inline(always)]
pub(super) fn subtract_apply(target: &mut Vec6, a: &Block, v: &Vec6) {
    let mut sum = [0.0; 6];
    for k in 0..6 {
        for r in 0..6 {
            sum[r] += a[6 * k + r] * v[k];
        }
    }
    for r in 0..6 {
        target[r] -= sum[r];
    }
}

/// `target -= a^T v`.
#[inline(always)]
pub(super) fn subtract_apply_transposed(target: &mut Vec6, a: &Block, v: &Vec6) {
    for c in 0..6 {
        let column: &Vec6 = a[6 * c..6 * c + 6].try_into().expect("a column has six entries");
        target[c] -= dot(column, v);
    }
}

/// Replaces a symmetric positive definite block by its Cholesky factor, lower triangle, with the
/// *reciprocals* of the pivots on the diagonal. False if a pivot is not positive.
#[inline(always)]
pub(super) fn cholesky(a: &mut Block) -> bool {
    for c in 0..6 {
        let mut column = [0.0; 6];
        column[c..].copy_from_slice(&a[7 * c..6 * c + 6]);
        for k in 0..c {
            let factor = a[6 * k + c];
            for r in c..6 {
                column[r] -= a[6 * k + r] * factor;
            }
        }
        let pivot = column[c];
        // Written so that NaN fails as well.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let inverse = 1.0 / pivot.sqrt();
        a[7 * c] = inverse;
        for r in c + 1..6 {
            a[6 * c + r] = column[r] * inverse;
        }
    }
    true
}

/// Replaces `a` by `a l^-T`, with `l` from [`cholesky`].
#[inline(always)]
pub(super) fn divide_by_factor_transposed(a: &mut Block, l: &Block) {
    for c in 0..6 {
        let mut column: Vec6 = a[6 * c..6 * c + 6].try_into().expect("a column has six entries");
        for k in 0..c {
            let factor = l[6 * k + c];
            for r in 0..6 {
                column[r] -= a[6 * k + r] * factor;
            }
        }
        for r in 0..6 {
            a[6 * c + r] = column[r] * l[7 * c];
        }
    }
}

/// Replaces `v` by `l^-1 v`, with `l` from [`cholesky`].
#[inline(always)]
pub(super) fn solve_lower(l: &Block, v: &mut Vec6) {
    for c in 0..6 {
        v[c] *= l[7 * c];
        let x = v[c];
        for r in c + 1..6 {
            v[r] -= l[6 * c + r] * x;
        }
    }
}

/// Replaces `v` by `l^-T v`, with `l` from [`cholesky`].
#[inline(always)]
pub(super) fn solve_lower_transposed(l: &Block, v: &mut Vec6) {
    for c in (0..6).rev() {
        let mut x = v[c];
        for r in c + 1..6 {
            x -= l[6 * c + r] * v[r];
        }
        v[c] = x * l[7 * c];
    }
}

/// The inverse of a block by Gauss-Jordan elimination with partial pivoting; `None` where a pivot
/// vanishes.
pub(super) fn inverse(a: &Block) -> Option<Block> {
    let mut m = *a;
    let mut inv = ZERO;
    for d in 0..6 {
        inv[7 * d] = 1.0;
    }
    for c in 0..6 {
        let mut best = c;
        for r in c + 1..6 {
            if m[6 * c + r].abs() > m[6 * c + best].abs() {
                best = r;
            }
        }
        let pivot = m[6 * c + best];
        if !(pivot.abs() > 0.0 && pivot.is_finite()) {
            return None;
        }
        let reciprocal = 1.0 / pivot;
        for k in 0..6 {
            m.swap(6 * k + c, 6 * k + best);
            inv.swap(6 * k + c, 6 * k + best);
            m[6 * k + c] *= reciprocal;
            inv[6 * k + c] *= reciprocal;
        }
        let factors: Vec6 = m[6 * c..6 * c + 6].try_into().expect("a column has six entries");
        for k in 0..6 {
            let (top_m, top_inv) = (m[6 * k + c], inv[6 * k + c]);
            for r in 0..6 {
                if r != c {
                    m[6 * k + r] -= factors[r] * top_m;
                    inv[6 * k + r] -= factors[r] * top_inv;
                }
            }
        }
    }
    Some(inv)
}

/// `a v`.
#[inline(always)]
pub(super) fn apply(a: &Block, v: &Vec6) -> Vec6 {
    let mut sum = [0.0; 6];
    for k in 0..6 {
        for r in 0..6 {
            sum[r] += a[6 * k + r] * v[k];
        }
    }
    sum
}

/// `a b`.
#[inline(always)]
pub(super) fn product(a: &Block, b: &Block) -> Block {
    let mut out = ZERO;
    for c in 0..6 {
        for k in 0..6 {
            let factor = b[6 * c + k];
            for r in 0..6 {
                out[6 * c + r] += a[6 * k + r] * factor;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seed: u64) -> Block {
        let mut state = seed;
        std::array::from_fn(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
    }

    fn spd(seed: u64) -> Block {
        let b = sample(seed);
        let mut a = ZERO;
        for c in 0..6 {
            for r in 0..6 {
                a[6 * c + r] =
                    (0..6).map(|k| b[6 * k + r] * b[6 * k + c]).sum::<f64>() + if r == c { 0.1 } else { 0.0 };
            }
        }
        a
    }

    #[test]
    fn a_factor_solves_what_it_factored() {
        for seed in 1..20 {
            let a = spd(seed);
            let mut l = a;
            assert!(cholesky(&mut l));
            let v: Vec6 = std::array::from_fn(|k| k as f64 - 2.5);
            let mut x = v;
            solve_lower(&l, &mut x);
            solve_lower_transposed(&l, &mut x);
            let back = apply(&a, &x);
            assert!((0..6).all(|k| (back[k] - v[k]).abs() < 1e-10));
        }
    }

    #[test]
    fn an_inverse_undoes_a_block_whose_first_pivot_is_zero() {
        let mut a = sample(7);
        a[0] = 0.0;
        let identity = product(&a, &inverse(&a).unwrap());
        for c in 0..6 {
            for r in 0..6 {
                assert!((identity[6 * c + r] - f64::from(u8::from(r == c))).abs() < 1e-9);
            }
        }
        assert!(inverse(&ZERO).is_none());
    }

    #[test]
    fn an_indefinite_block_is_refused() {
        let mut a = spd(3);
        a[14] = -1.0;
        assert!(!cholesky(&mut a));
    }
}
