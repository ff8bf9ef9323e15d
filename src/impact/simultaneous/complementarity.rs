//! The linear complementarity problem of a small block, by active sets.
//!
//! Find `j >= 0` with `w = A j + q >= 0` and `j.w = 0`, for a symmetric positive semidefinite `A`: the least value of
//! `j.A j / 2 + q.j` over `j >= 0`. Contacts join the active set one by one, the most violated first; joining, the
//! contact's impulse grows and the active ones follow so that their `w` stays zero; one that reaches zero on the way
//! leaves. The objective falls with every move, so no set comes back, but for ties, which the bound on moves ends.

use crate::tolerances::{SIMULTANEOUS_REDUNDANT, SIMULTANEOUS_REST};

/// The solution; none if there is none or rounding hides it.
pub(super) fn solve(a: &[f64], q: &[f64]) -> Option<Vec<f64>> {
    let n = q.len();
    let rest = SIMULTANEOUS_REST * q.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let mut impulses = vec![0.0; n];
    let mut velocities = q.to_vec();
    let mut active: Vec<usize> = Vec::with_capacity(n);
    let mut factor = Factor::default();
    // Each contact joins once or twice in practice.
    for _ in 0..20 * n {
        let most = (0..n).filter(|i| !active.contains(i)).min_by(|&i, &k| velocities[i].total_cmp(&velocities[k]));
        let Some(joining) = most.filter(|&i| velocities[i] < -rest) else {
            return Some(impulses);
        };
        grow(a, q, &mut impulses, &mut velocities, &mut active, &mut factor, joining, rest)?;
    }
    None
}

/// Lets one contact push until it no longer approaches, and every active one follow.
#[expect(clippy::too_many_arguments, reason = "the state of one loop, split so that each half can be read")]
fn grow(
    a: &[f64],
    q: &[f64],
    impulses: &mut [f64],
    velocities: &mut [f64],
    active: &mut Vec<usize>,
    factor: &mut Factor,
    joining: usize,
    rest: f64,
) -> Option<()> {
    let n = q.len();
    // At most every active contact leaves before the joining one is satisfied.
    for _ in 0..=n {
        factor.of(a, n, active)?;
        // How the active impulses follow a unit of the joining one, and what it then still responds.
        let column: Vec<f64> = active.iter().map(|&i| -a[i * n + joining]).collect();
        let follow = factor.solve(column);
        let own = a[joining * n + joining];
        let response = own + active.iter().zip(&follow).map(|(&i, f)| a[joining * n + i] * f).sum::<f64>();
        let enough =
            if response > SIMULTANEOUS_REDUNDANT * own { -velocities[joining] / response } else { f64::INFINITY };
        let leaving = active
            .iter()
            .zip(&follow)
            .enumerate()
            .filter(|(_, (_, f))| **f < 0.0)
            .map(|(at, (&i, f))| (at, impulses[i] / -f))
            .min_by(|x, y| x.1.total_cmp(&y.1));
        let (step, leaves) = match leaving {
            Some((at, way)) if way < enough => (way, Some(at)),
            _ if enough.is_finite() => (enough, None),
            // It answers to nothing, and nothing yields: no impulse satisfies it.
            _ => return None,
        };
        impulses[joining] += step;
        for (&i, f) in active.iter().zip(&follow) {
            impulses[i] = (impulses[i] + step * f).max(0.0);
        }
        match leaves {
            Some(at) => impulses[active.remove(at)] = 0.0,
            None => active.push(joining),
        }
        for (i, v) in velocities.iter_mut().enumerate() {
            *v = q[i] + a[i * n..(i + 1) * n].iter().zip(&*impulses).map(|(a, j)| a * j).sum::<f64>();
        }
        if leaves.is_none() {
            return Some(());
        }
        if velocities[joining] >= -rest {
            // Satisfied just as another left.
            if impulses[joining] > 0.0 {
                active.push(joining);
            }
            return Some(());
        }
    }
    None
}

/// A Cholesky factor of the active part of the matrix.
#[derive(Default)]
struct Factor {
    size: usize,
    lower: Vec<f64>,
}

impl Factor {
    /// Factorises the rows and columns of the active contacts; none if they are dependent.
    fn of(&mut self, a: &[f64], n: usize, active: &[usize]) -> Option<()> {
        let m = active.len();
        self.size = m;
        self.lower.clear();
        self.lower.resize(m * m, 0.0);
        for r in 0..m {
            for c in 0..=r {
                let known: f64 = (0..c).map(|x| self.lower[r * m + x] * self.lower[c * m + x]).sum();
                let left = a[active[r] * n + active[c]] - known;
                if r == c {
                    if left <= 0.0 {
                        return None;
                    }
                    self.lower[r * m + r] = left.sqrt();
                } else {
                    self.lower[r * m + c] = left / self.lower[c * m + c];
                }
            }
        }
        Some(())
    }

    fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let m = self.size;
        for r in 0..m {
            let known: f64 = (0..r).map(|x| self.lower[r * m + x] * b[x]).sum();
            b[r] = (b[r] - known) / self.lower[r * m + r];
        }
        for r in (0..m).rev() {
            let known: f64 = (r + 1..m).map(|x| self.lower[x * m + r] * b[x]).sum();
            b[r] = (b[r] - known) / self.lower[r * m + r];
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_leaves_when_another_makes_its_push_needless() {
        // The first is the most violated and pushes; the second, once it pushes too, leaves it nothing to do.
        let j = solve(&[4.0, 1.9, 1.9, 1.0], &[-1.0, -0.9]).unwrap();
        assert!(j[0] == 0.0 && (j[1] - 0.9).abs() < 1e-15, "{j:?}");
    }

    #[test]
    fn two_contacts_that_oppose_each_other_have_no_solution_where_both_must_separate() {
        assert_eq!(solve(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0]), None);
    }

    #[test]
    fn a_contact_doubled_is_satisfied_with_the_first() {
        let j = solve(&[2.0, 2.0, 2.0, 2.0], &[-1.0, -1.0]).unwrap();
        assert_eq!(j, [0.5, 0.0]);
    }
}
