//! The linear complementarity problem of a small block, by an active-set method.
//!
//! Find `j >= 0` with `w = A j + q >= 0` and `j.w = 0`, for a symmetric positive semidefinite `A`:
//! the minimum of `j.A j / 2 + q.j` over `j >= 0`. Contacts join the active set one by one, the
//! most violated first. The impulse of the joining contact grows, and the active ones follow such
//! that their `w` stays zero; a contact whose impulse reaches zero leaves. The objective falls with
//! every move, so no set occurs twice except for ties, which the bound on moves ends.

use super::dot;
use crate::tolerances::ROUNDING;

/// The impulses, and whether they are the solution. Without a solution, or if rounding hides it,
/// the impulses still lower the objective, and only contacts that no impulse can satisfy still
/// approach.
///
/// The matrix is scaled to a unit diagonal, so masses may differ.
pub(super) fn solve(a: &[f64], q: &[f64]) -> (Vec<f64>, bool) {
    let n = q.len();
    let unit: Vec<f64> = (0..n).map(|i| 1.0 / a[i * n + i].sqrt()).collect();
    let scaled: Vec<f64> = (0..n * n).map(|at| unit[at / n] * a[at] * unit[at % n]).collect();
    let gap: Vec<f64> = q.iter().zip(&unit).map(|(q, u)| q * u).collect();
    let mut state = State::new(&scaled, &gap);
    let mut complete = true;
    // Each contact joins once or twice in practice.
    for _ in 0..20 * n {
        let Some(joining) = state.most_violated() else { break };
        if state.grow(joining).is_none() {
            state.given_up[joining] = true;
            complete = false;
        }
    }
    complete &= state.most_violated().is_none();
    (state.impulses.iter().zip(&unit).map(|(j, u)| j * u).collect(), complete)
}

struct State<'a> {
    a: &'a [f64],
    q: &'a [f64],
    impulses: Vec<f64>,
    /// `w = A j + q`.
    velocities: Vec<f64>,
    /// Rounding error bound of each velocity.
    noise: Vec<f64>,
    active: Vec<usize>,
    /// Contacts that no impulse can satisfy.
    given_up: Vec<bool>,
    factor: Factor,
}

impl<'a> State<'a> {
    fn new(a: &'a [f64], q: &'a [f64]) -> Self {
        let n = q.len();
        let mut state = Self {
            a,
            q,
            impulses: vec![0.0; n],
            velocities: vec![0.0; n],
            noise: vec![0.0; n],
            active: Vec::with_capacity(n),
            given_up: vec![false; n],
            factor: Factor::new(n),
        };
        state.update();
        state
    }

    /// Velocities and their noise from the impulses.
    fn update(&mut self) {
        let n = self.q.len();
        let fastest = self.q.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        self.velocities.copy_from_slice(self.q);
        self.noise.fill(fastest);
        for (i, &impulse) in self.impulses.iter().enumerate().filter(|(_, impulse)| **impulse > 0.0) {
            let row = &self.a[i * n..(i + 1) * n];
            for ((velocity, noise), a) in self.velocities.iter_mut().zip(&mut self.noise).zip(row) {
                *velocity += a * impulse;
                *noise += (a * impulse).abs();
            }
        }
        self.noise.iter_mut().for_each(|noise| *noise *= ROUNDING.relative);
    }

    fn is_satisfied(&self, i: usize) -> bool {
        self.velocities[i] >= -self.noise[i]
    }

    /// The contact outside the active set that approaches fastest.
    fn most_violated(&self) -> Option<usize> {
        (0..self.q.len())
            .filter(|&i| !self.is_satisfied(i) && !self.given_up[i] && !self.active.contains(&i))
            .min_by(|&i, &k| self.velocities[i].total_cmp(&self.velocities[k]))
    }

    /// Increases the impulse of one contact until it no longer approaches; every active contact
    /// follows.
    fn grow(&mut self, joining: usize) -> Option<()> {
        let n = self.q.len();
        // At most every active contact leaves before the joining one is satisfied.
        for _ in 0..=n {
            self.factor.complete(self.a, &self.active)?;
            // The changes of the active impulses per unit of the joining one, and its remaining
            // response.
            let column: Vec<f64> = self.active.iter().map(|&i| -self.a[i * n + joining]).collect();
            let follow = self.factor.solve(column);
            let own = self.a[joining * n + joining];
            let coupled: f64 = self.active.iter().zip(&follow).map(|(&i, f)| self.a[joining * n + i] * f).sum();
            let response = own + coupled;
            let enough =
                if response > ROUNDING.solution * own { -self.velocities[joining] / response } else { f64::INFINITY };
            let leaving = self
                .active
                .iter()
                .zip(&follow)
                .enumerate()
                .filter(|(_, (_, f))| **f < 0.0)
                .map(|(at, (&i, f))| (at, self.impulses[i] / -f))
                .min_by(|x, y| x.1.total_cmp(&y.1));
            let (step, leaves) = match leaving {
                Some((at, way)) if way < enough => (way, Some(at)),
                _ if enough.is_finite() => (enough, None),
                // Neither a response nor a leaving contact: no impulse satisfies it.
                _ => return None,
            };
            self.impulses[joining] += step;
            for (&i, f) in self.active.iter().zip(&follow) {
                self.impulses[i] = (self.impulses[i] + step * f).max(0.0);
            }
            match leaves {
                Some(at) => {
                    self.impulses[self.active.remove(at)] = 0.0;
                    self.factor.keep(at);
                }
                None => self.active.push(joining),
            }
            self.update();
            if leaves.is_none() {
                return Some(());
            }
            if self.is_satisfied(joining) {
                // Satisfied at the moment when another contact left.
                if self.impulses[joining] > 0.0 {
                    self.active.push(joining);
                }
                return Some(());
            }
        }
        None
    }
}

/// A Cholesky factor of the active part of the matrix, row by row: a row depends on those above it
/// alone, so what joins the end of the active set costs one row.
struct Factor {
    /// Contacts of the whole block: the length of a row.
    stride: usize,
    /// Number of valid rows.
    size: usize,
    lower: Vec<f64>,
}

impl Factor {
    fn new(stride: usize) -> Self {
        Self { stride, size: 0, lower: vec![0.0; stride * stride] }
    }

    /// Keeps the first rows alone.
    fn keep(&mut self, rows: usize) {
        self.size = self.size.min(rows);
    }

    /// Factors the rows of the active contacts that have none yet; `None` if they are dependent.
    fn complete(&mut self, a: &[f64], active: &[usize]) -> Option<()> {
        let n = self.stride;
        for r in self.size..active.len() {
            let (above, row) = self.lower.split_at_mut(r * n);
            for c in 0..r {
                let of_column = &above[c * n..=c * n + c];
                let left = a[active[r] * n + active[c]] - dot(&row[..c], &of_column[..c]);
                row[c] = left / of_column[c];
            }
            let left = a[active[r] * n + active[r]] - dot(&row[..r], &row[..r]);
            if left <= 0.0 {
                return None;
            }
            row[r] = left.sqrt();
            self.size = r + 1;
        }
        Some(())
    }

    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let (m, n) = (self.size, self.stride);
        for r in 0..m {
            let row = &self.lower[r * n..=r * n + r];
            b[r] = (b[r] - dot(&row[..r], &b[..r])) / row[r];
        }
        for r in (0..m).rev() {
            let known: f64 = (r + 1..m).map(|x| self.lower[x * n + r] * b[x]).sum();
            b[r] = (b[r] - known) / self.lower[r * n + r];
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_leaves_when_another_makes_its_push_needless() {
        // The first contact is the most violated; once the second has an impulse, the first needs
        // none.
        let (j, complete) = solve(&[4.0, 1.9, 1.9, 1.0], &[-1.0, -0.9]);
        assert!(complete);
        assert!(j[0] == 0.0 && (j[1] - 0.9).abs() < 1e-15, "{j:?}");
    }

    #[test]
    fn two_contacts_that_oppose_each_other_have_no_solution_where_both_must_separate() {
        assert!(!solve(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0]).1);
    }

    #[test]
    fn a_contact_doubled_is_satisfied_with_the_first() {
        let (j, complete) = solve(&[2.0, 2.0, 2.0, 2.0], &[-1.0, -1.0]);
        assert!(complete);
        assert!((j[0] - 0.5).abs() < 1e-15 && j[1] == 0.0, "{j:?}");
    }
}
