//! Simultaneous impact of several contacts without friction: one block of contacts whose impulses
//! act at the same instant.
//!
//! A [`Block`] is small and dense: `v = u + A j`, with the approach velocities `u`, the impulses
//! `j` along the normals and the response matrix `A`. Three laws:
//!
//! * [`newton`]: the simultaneous law of Baber 2006, end of section 3.4: `v_i >= -e_i u_i`, `j_i >=
//!   0`, and no impulse where a contact separates faster than that.
//! * [`plastic`]: the same with `e = 0`.
//! * [`poisson`]: the plastic impulse, multiplied by `1 + e`. It has a solution where Newton's law
//!   has none, and keeps symmetric impacts symmetric.
//!
//! The first two are linear complementarity problems, solved directly (see `complementarity`), up
//! to [`MAX_CONTACTS`]. None of them adds energy: the change by `j` is `j.(u + v)/2`, negative or
//! zero term by term for each law; [`energy_preserving_scale`] guards against rounding and early
//! termination.

mod complementarity;
mod friction;

use crate::tolerances::{BLOCK_RESIDUAL, ROUNDING};
use complementarity::solve;
pub(crate) use friction::FrictionalBlock;
use std::fmt;

/// Cap on the rounds of the simultaneous law, which repeat if a separating contact comes to
/// approach. The round after it is plastic, which ends the loop and loses energy.
const MAX_ROUNDS: u32 = 16;

/// Maximum number of contacts of a block: a dense matrix. Larger groups are left to the contact
/// solver.
pub const MAX_CONTACTS: usize = 256;

/// Contacts that collide at the same instant.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// `A`, row by row, in 1/kg: the normal velocity at contact `i` per normal impulse at contact
    /// `j`, which is `n_i . K_ij n_j` with the responses of
    /// [`super::collision_matrix::BodyAtContact::response_to`] of the bodies they share. Symmetric
    /// and positive semidefinite.
    pub matrix: &'a [f64],
    /// The normal velocities before, in m/s; negative approaches.
    pub velocity: &'a [f64],
    /// The coefficients of restitution, from 0 to 1.
    pub restitution: &'a [f64],
}

/// The reason why a block is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidBlock {
    /// The lengths of matrix, velocities and restitutions do not match.
    LengthsDiffer,
    /// More than [`MAX_CONTACTS`] contacts.
    TooLarge,
    /// A number is NaN or infinite, a restitution outside `0..=1`, or a diagonal element not
    /// positive.
    BadNumber,
}

impl fmt::Display for InvalidBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LengthsDiffer => "matrix, velocities and restitutions differ in length",
            Self::TooLarge => "too many contacts for a dense block",
            Self::BadNumber => "a number is not finite, a restitution not in 0..=1, or a contact without response",
        })
    }
}

impl std::error::Error for InvalidBlock {}

/// The result of a block of contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockOutcome {
    /// The impulses along the normals, in N s, none negative.
    pub impulses: Vec<f64>,
    /// The normal velocities after, in m/s. None approaches, but after [`poisson`], which may drive
    /// contacts together that separated before.
    pub velocities: Vec<f64>,
    /// Number of times the law was applied: again if a separating contact comes to approach.
    pub rounds: u32,
    /// True if every round found a solution. If not, Poisson's law replaced Newton's, or a wedge
    /// between contacts was too narrow for `f64`: the impulses are non-negative and lose energy,
    /// but contacts may still approach.
    pub solved: bool,
}

impl Block<'_> {
    fn check(&self) -> Result<usize, InvalidBlock> {
        let n = self.velocity.len();
        if self.matrix.len() != n * n || self.restitution.len() != n {
            return Err(InvalidBlock::LengthsDiffer);
        }
        if n > MAX_CONTACTS {
            return Err(InvalidBlock::TooLarge);
        }
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        let sound = finite(self.matrix)
            && finite(self.velocity)
            && self.restitution.iter().all(|e| (0.0..=1.0).contains(e))
            && (0..n).all(|i| self.matrix[i * n + i] > 0.0);
        if sound { Ok(n) } else { Err(InvalidBlock::BadNumber) }
    }

    /// `v + A j`.
    fn after(&self, velocities: &[f64], impulses: &[f64]) -> Vec<f64> {
        let n = velocities.len();
        (0..n)
            .map(|i| {
                let row = &self.matrix[i * n..(i + 1) * n];
                velocities[i] + row.iter().zip(impulses).map(|(a, j)| a * j).sum::<f64>()
            })
            .collect()
    }
}

impl Block<'_> {
    /// Bound on the rounding error of `j.A j`, for impulses of one sign.
    fn response_rounding(&self, impulses: &[f64]) -> f64 {
        let n = impulses.len();
        let row =
            |i: usize| self.matrix[i * n..(i + 1) * n].iter().zip(impulses).map(|(a, j)| a.abs() * j).sum::<f64>();
        let magnitude: f64 = impulses.iter().enumerate().map(|(i, j)| j * row(i)).sum();
        n as f64 * f64::EPSILON * magnitude
    }
}

/// The sum of products.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The simultaneous law with Newton's restitution (Baber 2006, end of section 3.4).
///
/// Separating contacts are left out at first; while one of them comes to approach, the law is
/// applied again to the current velocities. A round without a solution (a body between two
/// immovable ones) uses [`poisson`]'s law, and after `MAX_ROUNDS` the last one is
/// plastic, so the loop ends.
///
/// # Errors
/// [`InvalidBlock`] if the input is no block.
///
/// ```
/// use dolmen::impact::simultaneous::{Block, newton};
/// // Three balls of 1 kg in a row touch; the first comes in at 1 m/s and all is elastic.
/// let block = Block { matrix: &[2.0, -1.0, -1.0, 2.0], velocity: &[-1.0, 0.0], restitution: &[1.0, 1.0] };
/// let after = newton(&block)?;
/// let balls = [1.0 - after.impulses[0], after.impulses[0] - after.impulses[1], after.impulses[1]];
/// for (ball, expected) in balls.iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
///     assert!((ball - expected).abs() < 1e-15);
/// }
/// # Ok::<(), dolmen::impact::simultaneous::InvalidBlock>(())
/// ```
pub fn newton(block: &Block) -> Result<BlockOutcome, InvalidBlock> {
    let n = block.check()?;
    let fastest = fastest_approach(block);
    let rest = ROUNDING.relative * fastest;
    let mut velocities = block.velocity.to_vec();
    let mut impulses = vec![0.0; n];
    let (mut rounds, mut solved) = (0, true);
    while velocities.iter().any(|&u| u < -rest) {
        rounds += 1;
        let last = rounds > MAX_ROUNDS;
        let closed: Vec<usize> = (0..n).filter(|&i| last || velocities[i] <= rest).collect();
        let target =
            |i: usize| if last || velocities[i] >= -rest { 0.0 } else { -block.restitution[i] * velocities[i] };
        let (mut push, found) = round(block, &velocities, &closed, target);
        if !found && !last {
            push = restored(block, &velocities, plastic_round(block, &velocities, &closed));
        }
        solved &= found || last;
        for (sum, j) in impulses.iter_mut().zip(&push) {
            *sum += j;
        }
        velocities = block.after(&velocities, &push);
        if last {
            break;
        }
    }
    solved &= has_separated(&velocities, fastest);
    Ok(BlockOutcome { impulses, velocities, rounds, solved })
}

/// True if no contact still approaches at a significant speed.
fn has_separated(velocities: &[f64], fastest: f64) -> bool {
    velocities.iter().all(|&v| v >= -BLOCK_RESIDUAL * fastest)
}

/// The fastest approach.
fn fastest_approach(block: &Block) -> f64 {
    block.velocity.iter().fold(0.0, |fastest: f64, u| fastest.max(-u))
}

/// The plastic law: no contact approaches afterwards, and separating contacts have no impulse.
///
/// It always has a solution: the least energy that impulses along the normals can reach.
///
/// # Errors
/// [`InvalidBlock`] if the input is no block.
pub fn plastic(block: &Block) -> Result<BlockOutcome, InvalidBlock> {
    let n = block.check()?;
    let all: Vec<usize> = (0..n).collect();
    let impulses = plastic_round(block, block.velocity, &all);
    let velocities = block.after(block.velocity, &impulses);
    let solved = has_separated(&velocities, fastest_approach(block));
    Ok(BlockOutcome { impulses, velocities, rounds: 1, solved })
}

/// Poisson's law in one block: the plastic impulses, each multiplied by one plus its restitution.
///
/// With one restitution for all and an exact plastic part, the energy changes by `-(1 - e^2)` of
/// the plastic impulse's loss; for any restitutions, [`energy_preserving_scale`] keeps the change
/// at or below zero.
///
/// # Errors
/// [`InvalidBlock`] if the input is no block.
pub fn poisson(block: &Block) -> Result<BlockOutcome, InvalidBlock> {
    let n = block.check()?;
    let all: Vec<usize> = (0..n).collect();
    let plastic = plastic_round(block, block.velocity, &all);
    let solved = has_separated(&block.after(block.velocity, &plastic), fastest_approach(block));
    let impulses = restored(block, block.velocity, plastic);
    let velocities = block.after(block.velocity, &impulses);
    Ok(BlockOutcome { impulses, velocities, rounds: 1, solved })
}

/// The largest factor, at most one, for which an impulse adds no energy, given `p.u_0` and `p.K p`:
/// the change by `a p` is `a p.u_0 + a^2 p.K p / 2`. Zero if every part of the impulse adds energy.
///
/// Needed for impulses that are not the result of energy-losing steps from zero: warm starts,
/// restitution in a block. Friction cones contain the scaled impulse.
pub fn energy_preserving_scale(along: f64, response: f64) -> f64 {
    if along >= 0.0 {
        0.0
    } else if along + 0.5 * response <= 0.0 {
        1.0
    } else {
        -2.0 * along / response
    }
}

/// The plastic impulses with restitution, scaled by the energy guard.
fn restored(block: &Block, velocities: &[f64], mut plastic: Vec<f64>) -> Vec<f64> {
    for (j, e) in plastic.iter_mut().zip(block.restitution) {
        *j *= 1.0 + e;
    }
    let along = dot(&plastic, velocities);
    let response = dot(&plastic, &block.after(&vec![0.0; velocities.len()], &plastic));
    let factor = energy_preserving_scale(along, response);
    plastic.iter_mut().for_each(|j| *j *= factor);
    plastic
}

/// The impulses of one round, and whether they solve the complementarity problem of the closed
/// contacts.
fn round(block: &Block, velocities: &[f64], closed: &[usize], target: impl Fn(usize) -> f64) -> (Vec<f64>, bool) {
    let n = velocities.len();
    let mut matrix = Vec::with_capacity(closed.len() * closed.len());
    for &i in closed {
        matrix.extend(closed.iter().map(|&j| 0.5 * (block.matrix[i * n + j] + block.matrix[j * n + i])));
    }
    let gap: Vec<f64> = closed.iter().map(|&i| velocities[i] - target(i)).collect();
    let (found, complete) = solve(&matrix, &gap);
    let mut impulses = vec![0.0; n];
    for (&i, j) in closed.iter().zip(found) {
        impulses[i] = j;
    }
    // The law loses energy term by term; the guard is for rounding in badly conditioned blocks.
    let along = dot(&impulses, velocities);
    if block.response_rounding(&impulses) > -along {
        // Impulses that all but cancel: what they leave of the velocities is rounding.
        return (vec![0.0; n], false);
    }
    let response = dot(&impulses, &block.after(&vec![0.0; n], &impulses));
    let factor = energy_preserving_scale(along, response);
    impulses.iter_mut().for_each(|j| *j *= factor);
    (impulses, complete)
}

/// The plastic impulses of the closed contacts.
fn plastic_round(block: &Block, velocities: &[f64], closed: &[usize]) -> Vec<f64> {
    round(block, velocities, closed, |_| 0.0).0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of random contacts between points of random masses, some of them redundant.
    fn block_of(seeds: &[(usize, usize, f64)], masses: &[f64]) -> (Vec<f64>, usize) {
        let row = |&(a, b, tilt): &(usize, usize, f64)| {
            let mut row = vec![0.0; 2 * masses.len()];
            let (a, b) = (a % masses.len(), b % masses.len());
            // Points in the plane; b == a is a contact with the ground.
            let normal = [tilt.cos(), tilt.sin()];
            for axis in 0..2 {
                row[2 * a + axis] += normal[axis];
                if b != a {
                    row[2 * b + axis] -= normal[axis];
                }
            }
            row
        };
        let rows: Vec<Vec<f64>> = seeds.iter().map(row).collect();
        let n = rows.len();
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] = (0..rows[i].len()).map(|x| rows[i][x] * rows[j][x] / masses[x / 2]).sum();
            }
        }
        (matrix, n)
    }

    fn energy_change(block: &Block, after: &BlockOutcome) -> f64 {
        after.impulses.iter().enumerate().map(|(i, j)| 0.5 * j * (block.velocity[i] + after.velocities[i])).sum()
    }

    #[test]
    fn four_corners_of_a_box_share_the_impulse_of_its_fall() {
        // A slab of 1 kg and unit half width falls flat: the corners' velocities depend on each
        // other.
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let matrix: Vec<f64> =
            corners.iter().flat_map(|a| corners.iter().map(move |b| 1.0 + 3.0 * (a.0 * b.0 + a.1 * b.1))).collect();
        let block = Block { matrix: &matrix, velocity: &[-1.0; 4], restitution: &[0.5; 4] };
        for after in [newton(&block).unwrap(), poisson(&block).unwrap()] {
            assert!(after.solved && after.velocities.iter().all(|v| (v - 0.5).abs() < 1e-14), "{after:?}");
            assert!((after.impulses.iter().sum::<f64>() - 1.5).abs() < 1e-14);
        }
    }

    #[test]
    fn a_ball_between_immovable_walls_comes_to_rest() {
        // It touches both walls; Newton's law alone would reflect it forever.
        let block = Block { matrix: &[1.0, -1.0, -1.0, 1.0], velocity: &[-1.0, 1.0], restitution: &[1.0, 1.0] };
        let after = newton(&block).unwrap();
        assert!(after.velocities.iter().all(|v| v.abs() < 1e-12), "{after:?}");
        assert_eq!(after.rounds, MAX_ROUNDS + 1);
    }

    #[test]
    fn what_is_no_block_is_an_error() {
        let of = |matrix, velocity, restitution| newton(&Block { matrix, velocity, restitution }).unwrap_err();
        assert_eq!(of(&[1.0, 0.0], &[-1.0], &[0.5]), InvalidBlock::LengthsDiffer);
        assert_eq!(of(&[f64::NAN], &[-1.0], &[0.5]), InvalidBlock::BadNumber);
        assert_eq!(of(&[1.0], &[-1.0], &[1.5]), InvalidBlock::BadNumber);
        assert_eq!(of(&[0.0], &[-1.0], &[0.5]), InvalidBlock::BadNumber);
        let n = MAX_CONTACTS + 1;
        assert_eq!(of(&vec![1.0; n * n], &vec![-1.0; n], &vec![0.0; n]), InvalidBlock::TooLarge);
        assert!(newton(&Block { matrix: &[], velocity: &[], restitution: &[] }).unwrap().impulses.is_empty());
    }

    #[test]
    fn every_law_pushes_and_loses_energy_and_leaves_nothing_approaching() {
        // A linear congruential generator (Knuth's MMIX).
        let mut state = 1u64;
        let mut draw = |low: f64, high: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            low + (high - low) * (state >> 11) as f64 / (1u64 << 53) as f64
        };
        const BLOCKS: usize = 20_000;
        let (mut unsolved, mut unsolved_plastic) = (0, 0);
        for _ in 0..BLOCKS {
            let masses: Vec<f64> = (0..6).map(|_| 10f64.powf(draw(-2.0, 2.0))).collect();
            let speeds: Vec<f64> = (0..12).map(|_| draw(-1.0, 1.0)).collect();
            let seeds: Vec<(usize, usize, f64)> = (0..draw(1.0, 12.0) as usize)
                .map(|_| (draw(0.0, 6.0) as usize, draw(0.0, 6.0) as usize, draw(0.0, std::f64::consts::TAU)))
                .collect();
            let (matrix, n) = block_of(&seeds, &masses);
            let restitution: Vec<f64> = (0..n).map(|_| draw(0.0, 1.0)).collect();
            // Velocities that point masses can have, so that redundant contacts agree.
            let of = |i: usize, t: f64| t.cos() * speeds[2 * i] + t.sin() * speeds[2 * i + 1];
            let velocity: Vec<f64> =
                seeds.iter().map(|&(a, b, t)| of(a, t) - if a == b { 0.0 } else { of(b, t) }).collect();
            let block = Block { matrix: &matrix, velocity: &velocity, restitution: &restitution };
            let fastest = fastest_approach(&block);
            let [plastic, newton, poisson] = [plastic(&block), newton(&block), poisson(&block)].map(Result::unwrap);
            for after in [&plastic, &newton, &poisson] {
                // Rounding of sums of this size.
                let size: f64 = after
                    .impulses
                    .iter()
                    .enumerate()
                    .map(|(i, j)| {
                        j * (fastest + (0..n).map(|k| (matrix[i * n + k] * after.impulses[k]).abs()).sum::<f64>())
                    })
                    .sum();
                assert!(after.impulses.iter().all(|j| *j >= 0.0));
                assert!(energy_change(&block, after) <= 1e-14 * size, "{block:?} {after:?}");
            }
            for after in [&plastic, &newton] {
                assert!(!after.solved || after.velocities.iter().all(|v| *v >= -1e-6 * fastest), "{after:?}");
            }
            for (j, v) in plastic.impulses.iter().zip(&plastic.velocities) {
                assert!(!plastic.solved || *j == 0.0 || v.abs() <= 1e-5 * fastest, "{plastic:?}");
            }
            unsolved += usize::from(!newton.solved);
            unsolved_plastic += usize::from(!plastic.solved);
        }
        assert!(unsolved_plastic <= BLOCKS / 1000, "{unsolved_plastic}");
        assert!(unsolved <= BLOCKS / 1000, "{unsolved}");
    }
}
