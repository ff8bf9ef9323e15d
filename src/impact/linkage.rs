//! Impulse response of jointed bodies: an impulse on one body moves all.
//!
//! Joints are equality constraints `J v = 0` at the instant of the impact (Bender and Schmitt 2006,
//! section 4). An impulse that would change the velocities by `k` without joints causes reactions
//! `l` along the rows, `A l = -J k` with `A = J M^-1 J^T`, and all velocities change by `k + M^-1
//! J^T l`. An impact does not change the velocity along a row, whatever it was before.
//!
//! `A` is factored once, `L D L^T` within its envelope: rows of neighbouring joints have
//! neighbouring columns. A row that depends on the rows before it (the second hinge of a door)
//! carries no impulse.

use crate::ids::NONE;
use crate::math::DVec3;
use crate::tolerances::ROUNDING;

/// A change of linear and angular velocity (m/s, rad/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VelocityChange {
    /// Of the velocity of the centre of mass (m/s).
    pub linear: DVec3,
    /// Of the angular velocity (rad/s).
    pub angular: DVec3,
}

impl VelocityChange {
    fn add(&mut self, other: Self, times: f64) {
        self.linear += other.linear * times;
        self.angular += other.angular * times;
    }
}

/// One side of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowSide {
    /// Index of the body in the linkage.
    pub index: u32,
    /// The row's Jacobian for the body's velocities (no unit, and m or no unit): also the impulse
    /// and angular impulse on the body for a unit impulse along the row.
    pub jacobian: VelocityChange,
    /// Velocity change of the body by a unit impulse along the row (the row's unit over N s or N m
    /// s).
    pub response: VelocityChange,
}

impl RowSide {
    /// The rate along the row (m/s, rad/s) by a change of the body's velocities.
    fn rate(&self, change: &VelocityChange) -> f64 {
        self.jacobian.linear.dot(change.linear) + self.jacobian.angular.dot(change.angular)
    }
}

/// Bodies, the rows of the joints between them, and the factors of their matrix.
#[derive(Clone, Debug, Default)]
pub struct Linkage {
    /// The bodies, by the owner's indices.
    bodies: Vec<u32>,
    /// Total mass (kg).
    mass: f64,
    /// Up to two for each row; an immovable side is missing.
    sides: Vec<[Option<RowSide>; 2]>,
    /// By row: the prescribed rate of bodies outside the linkage (m/s, rad/s).
    external_rates: Vec<f64>,
    /// By row: its first column, and its start in `factors`.
    rows: Vec<(u32, u32)>,
    /// `L` below the diagonal, row by row, each from its first column to the diagonal.
    factors: Vec<f64>,
    /// One over `D`; 0 for redundant rows.
    inverse_diagonal: Vec<f64>,
    /// The first row of each body.
    first_row: Vec<u32>,
    /// True if its velocities satisfy the rows.
    projected: bool,
    /// Accumulated impulses of the rows (N s, N m s).
    impulses: Vec<f64>,
    /// The changes of all bodies by the impulse under evaluation, and the reactions of the rows.
    changes: Vec<VelocityChange>,
    reactions: Vec<f64>,
}

impl Linkage {
    /// Removes all bodies and rows.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.mass = 0.0;
        self.sides.clear();
        self.external_rates.clear();
        self.projected = false;
    }

    /// Adds a body of a mass (kg). Returns its index in the linkage.
    pub fn add_body(&mut self, body: u32, mass: f64) -> u32 {
        self.bodies.push(body);
        self.mass += mass;
        self.bodies.len() as u32 - 1
    }

    /// The bodies in the order of their indices.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// Total mass of the bodies (kg).
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Adds a row; immovable sides are `None`, and `external_rate` is their rate along the row
    /// (m/s, rad/s).
    pub fn add_row(&mut self, sides: [Option<RowSide>; 2], external_rate: f64) {
        self.external_rates.push(external_rate);
        self.sides.push(sides);
    }

    /// Factors the matrix of the rows; call it after the last row is added.
    pub fn factorize(&mut self) {
        let Self { bodies, sides, rows, factors, inverse_diagonal, first_row, impulses, changes, reactions, .. } = self;
        first_row.clear();
        first_row.resize(bodies.len(), NONE);
        rows.clear();
        factors.clear();
        inverse_diagonal.clear();
        for (i, row) in sides.iter().enumerate() {
            let mut least = i as u32;
            for side in row.iter().flatten() {
                let known = &mut first_row[side.index as usize];
                *known = (*known).min(i as u32);
                least = least.min(*known);
            }
            let begin = factors.len();
            rows.push((least, begin as u32));
            let mut own = coupling(row, row);
            let whole = own;
            for j in least as usize..i {
                let (first_of_j, begin_of_j) = (rows[j].0 as usize, rows[j].1 as usize);
                let from = first_of_j.max(least as usize);
                // Still multiplied by the diagonal.
                let mut entry = coupling(row, &sides[j]);
                for k in from..j {
                    entry -= factors[begin + k - least as usize] * factors[begin_of_j + k - first_of_j];
                }
                factors.push(entry);
            }
            for j in least as usize..i {
                let entry = &mut factors[begin + j - least as usize];
                let with_diagonal = *entry;
                *entry *= inverse_diagonal[j];
                own -= with_diagonal * *entry;
            }
            inverse_diagonal.push(if own > ROUNDING.solution * whole { 1.0 / own } else { 0.0 });
        }
        impulses.clear();
        impulses.resize(sides.len(), 0.0);
        reactions.resize(sides.len(), 0.0);
        changes.resize(bodies.len(), VelocityChange::default());
    }

    /// Starts the evaluation of an impulse.
    pub fn clear_changes(&mut self) {
        self.changes.fill(VelocityChange::default());
    }

    /// Adds the change of a body by the impulse without joints.
    pub fn add_change(&mut self, index: u32, change: VelocityChange) {
        self.changes[index as usize].add(change, 1.0);
    }

    /// Adds the joints' reactions, such that no rate along a row changes.
    pub fn solve_reactions(&mut self) {
        self.solve(|_| 0.0);
    }

    /// True if [`Self::project_velocities`] has been called.
    pub fn is_projected(&self) -> bool {
        self.projected
    }

    /// Projects velocities (added as changes) onto the constraints, with the rates of bodies
    /// outside the linkage.
    pub fn project_velocities(&mut self) {
        self.projected = true;
        let external_rates = std::mem::take(&mut self.external_rates);
        self.solve(|row| external_rates[row]);
        self.external_rates = external_rates;
    }

    /// Adds the joints' reactions, with additional rates of the rows (m/s, rad/s).
    fn solve(&mut self, besides: impl Fn(usize) -> f64) {
        let Self { sides, rows, factors, inverse_diagonal, changes, reactions, .. } = self;
        for (i, row) in sides.iter().enumerate() {
            let rate: f64 = row.iter().flatten().map(|side| side.rate(&changes[side.index as usize])).sum();
            let (first, begin) = (rows[i].0 as usize, rows[i].1 as usize);
            let before: f64 = (first..i).map(|j| factors[begin + j - first] * reactions[j]).sum();
            reactions[i] = -(rate + besides(i)) - before;
        }
        for (reaction, inverse_diagonal) in reactions.iter_mut().zip(inverse_diagonal.iter()) {
            *reaction *= inverse_diagonal;
        }
        for i in (0..sides.len()).rev() {
            let (first, begin) = (rows[i].0 as usize, rows[i].1 as usize);
            let here = reactions[i];
            for j in first..i {
                reactions[j] -= factors[begin + j - first] * here;
            }
        }
        for (row, &reaction) in sides.iter().zip(reactions.iter()) {
            for side in row.iter().flatten() {
                changes[side.index as usize].add(side.response, reaction);
            }
        }
    }

    /// The changes of all bodies in the order of their indices.
    pub fn changes(&self) -> &[VelocityChange] {
        &self.changes
    }

    /// Adds the last reactions to the accumulated impulses.
    pub fn accumulate_impulses(&mut self) {
        for (impulse, reaction) in self.impulses.iter_mut().zip(&self.reactions) {
            *impulse += reaction;
        }
    }

    /// Accumulated impulses of the rows, in their order (N s, N m s).
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }
}

/// The rate along one row per unit impulse along another.
fn coupling(at: &[Option<RowSide>; 2], by: &[Option<RowSide>; 2]) -> f64 {
    let of = |at: &RowSide| {
        by.iter().flatten().filter(|by| by.index == at.index).map(|by| at.rate(&by.response)).sum::<f64>()
    };
    at.iter().flatten().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A side for a body with this mass and isotropic moment of inertia, along a force at an arm.
    fn pull(place: u32, (mass, moment): (f64, f64), force: DVec3, arm: DVec3) -> Option<RowSide> {
        let jacobian = VelocityChange { linear: force, angular: arm.cross(force) };
        let response = VelocityChange { linear: jacobian.linear / mass, angular: jacobian.angular / moment };
        Some(RowSide { index: place, jacobian, response })
    }

    /// Adds a ball joint between two bodies at these arms.
    fn pin(linkage: &mut Linkage, places: [u32; 2], of: impl Fn(u32) -> (f64, f64), arms: [DVec3; 2]) {
        for axis in DVec3::AXES {
            linkage.add_row(
                [pull(places[0], of(places[0]), -axis, arms[0]), pull(places[1], of(places[1]), axis, arms[1])],
                0.0,
            );
        }
    }

    #[test]
    fn what_is_welded_moves_as_one_body() {
        // Two balls a metre apart: three ball joints lock all six axes, with three redundant rows.
        let of = |_: u32| (2.0, 0.3);
        let mut linkage = Linkage::default();
        assert_eq!([0, 1].map(|body| linkage.add_body(body, 2.0)), [0, 1]);
        for middle in [DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.5, 0.4, 0.0)] {
            pin(&mut linkage, [0, 1], of, [middle, middle - DVec3::X]);
        }
        linkage.factorize();
        linkage.clear_changes();
        let (impulse, arm) = (DVec3::new(0.5, 3.0, -1.0), DVec3::new(0.1, 0.0, 0.2));
        linkage.add_change(0, VelocityChange { linear: impulse / 2.0, angular: arm.cross(impulse) / 0.3 });
        linkage.solve_reactions();
        let got = linkage.changes();
        let inertia = DVec3::new(0.6, 0.6 + 1.0, 0.6 + 1.0);
        let spin = (arm - DVec3::X * 0.5).cross(impulse) / inertia;
        for (change, x) in got.iter().zip([-0.5, 0.5]) {
            let velocity = impulse / 4.0 + spin.cross(DVec3::X * x);
            assert!((change.linear - velocity).length() < 1e-12, "{change:?}, {velocity}");
            assert!((change.angular - spin).length() < 1e-12, "{change:?}, {spin}");
        }
    }

    #[test]
    fn what_hangs_on_something_that_moves_goes_along() {
        let mut linkage = Linkage::default();
        linkage.add_body(0, 2.0);
        for axis in DVec3::AXES {
            linkage.add_row([None, pull(0, (2.0, 0.3), axis, DVec3::ZERO)], -axis.y * 3.0);
        }
        linkage.factorize();
        linkage.clear_changes();
        linkage.add_change(0, VelocityChange { linear: DVec3::new(1.0, 0.5, -2.0), angular: DVec3::Z });
        linkage.project_velocities();
        assert!((linkage.changes()[0].linear - DVec3::Y * 3.0).length() < 1e-14);
        assert_eq!(linkage.changes()[0].angular, DVec3::Z);
    }

    proptest! {
        /// No rate along a row changes, and without a fixed joint the momentum is that of the
        /// impulse.
        #[test]
        fn joints_answer_so_that_no_row_feels_the_impulse(
            parents in prop::collection::vec(0..100u32, 1..12),
            masses in prop::collection::vec((0.1..10.0f64, 0.01..1.0f64), 12),
            arms in prop::collection::vec(prop::array::uniform6(-1.0..1.0f64), 12),
            struck in 0..100u32, impulse in prop::array::uniform6(-1.0..1.0f64), loose in any::<bool>(),
        ) {
            let mut linkage = Linkage::default();
            let count = parents.len() as u32 + 1;
            for body in 0..count {
                linkage.add_body(body, 1.0);
            }
            let of = |place: u32| masses[place as usize % 12];
            let vectors = |six: [f64; 6]| [DVec3::new(six[0], six[1], six[2]), DVec3::new(six[3], six[4], six[5])];
            for (i, parent) in parents.iter().enumerate() {
                let child = i as u32 + 1;
                pin(&mut linkage, [parent % child, child], of, vectors(arms[i]));
            }
            if !loose {
                linkage.add_row([None, pull(0, of(0), DVec3::Y, DVec3::X)], 0.0);
            }
            linkage.factorize();
            linkage.clear_changes();
            let place = struck % count;
            let [force, arm] = vectors(impulse);
            let (mass, moment) = of(place);
            linkage.add_change(place, VelocityChange { linear: force / mass, angular: arm.cross(force) / moment });
            linkage.solve_reactions();
            let changes = linkage.changes().to_vec();
            for row in &linkage.sides {
                let rate: f64 = row.iter().flatten().map(|side| side.rate(&changes[side.index as usize])).sum();
                prop_assert!(rate.abs() < 1e-8, "{}", rate);
            }
            if loose {
                let momentum: DVec3 = (0..count).map(|k| changes[k as usize].linear * of(k).0).sum();
                prop_assert!((momentum - force).length() < 1e-8, "{} {}", momentum, force);
            }
        }
    }
}
