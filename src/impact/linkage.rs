//! Bodies that joints hold together, as an impact feels them: an impulse on one of them moves all.
//!
//! Joints are equality constraints `J v = 0` of the same instant as the impact (Bender and Schmitt 2006, section 4: joints and contacts in
//! one loop). An impulse that alone would change the velocities by `k` makes the joints answer with impulses `l` along their rows,
//! `A l = -J k` with `A = J M^-1 J^T`, and all velocities change by `k + M^-1 J^T l`. What joints let go on is what it was: an impact changes
//! nothing along a row, whatever it finds there.
//!
//! `A` is factored once, `L D L^T` within its envelope: rows of joints that lie near each other have columns near each other. A row that
//! follows from those before it (a door on two hinges) carries nothing.

use crate::index::NONE;
use crate::math::DVec3;
use crate::tolerances::LINKAGE_REDUNDANT;

/// A change of velocity and angular velocity (m/s, rad/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Of the velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Of the angular velocity (rad/s).
    pub spin: DVec3,
}

impl Change {
    fn add(&mut self, other: Self, times: f64) {
        self.velocity += other.velocity * times;
        self.spin += other.spin * times;
    }
}

/// One side of a row.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// The place of the body in the linkage.
    pub place: u32,
    /// What the row's rate counts of the body's velocities (no unit, and m or no unit): the impulse and angular impulse on it for one along
    /// the row.
    pub counts: Change,
    /// How such an impulse changes the body's velocities (those of the row's unit, over N s or N m s).
    pub moves: Change,
}

impl Side {
    /// The rate along the row (m/s, rad/s) of a change of the body's velocities.
    fn rate(&self, change: &Change) -> f64 {
        self.counts.velocity.dot(change.velocity) + self.counts.spin.dot(change.spin)
    }
}

/// Bodies, the rows of the joints between them, and the factors of their matrix.
#[derive(Clone, Debug, Default)]
pub struct Linkage {
    /// The bodies, by what their owner calls them.
    bodies: Vec<u32>,
    /// All of them together (kg).
    mass: f64,
    /// Up to two for each row; a side that nothing moves is missing.
    sides: Vec<[Option<Side>; 2]>,
    /// By row: the rate of what is not in the linkage (m/s, rad/s).
    drifts: Vec<f64>,
    /// By row: its first column, and where it begins among the factors.
    rows: Vec<(u32, u32)>,
    /// `L` below the diagonal, row by row, each up to its diagonal.
    factors: Vec<f64>,
    /// One over `D`; 0 for what is redundant.
    inverse: Vec<f64>,
    /// The least row of each body.
    first: Vec<u32>,
    /// Whether its bodies have velocities that the rows allow.
    settled: bool,
    /// The impulses of the rows so far (N s, N m s).
    borne: Vec<f64>,
    /// The changes of all bodies under the impulse that is being asked about, and what the rows answer.
    changes: Vec<Change>,
    answer: Vec<f64>,
}

impl Linkage {
    /// Empties it.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.mass = 0.0;
        self.sides.clear();
        self.drifts.clear();
        self.settled = false;
    }

    /// Adds a body of a mass (kg); returns its place.
    pub fn add_body(&mut self, body: u32, mass: f64) -> u32 {
        self.bodies.push(body);
        self.mass += mass;
        self.bodies.len() as u32 - 1
    }

    /// The bodies, by their places.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }

    /// The mass of all bodies together (kg).
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Adds a row; sides that no impulse moves are left out. They move at a rate `drift` along it (m/s, rad/s).
    pub fn add_row(&mut self, sides: [Option<Side>; 2], drift: f64) {
        self.drifts.push(drift);
        self.sides.push(sides);
    }

    /// Factors the matrix of the rows, after the last of them.
    pub fn close(&mut self) {
        let Self { bodies, sides, rows, factors, inverse, first, borne, changes, answer, .. } = self;
        first.clear();
        first.resize(bodies.len(), NONE);
        rows.clear();
        factors.clear();
        inverse.clear();
        for (i, row) in sides.iter().enumerate() {
            let mut least = i as u32;
            for side in row.iter().flatten() {
                let known = &mut first[side.place as usize];
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
                // With the diagonal still in it.
                let mut entry = coupling(row, &sides[j]);
                for k in from..j {
                    entry -= factors[begin + k - least as usize] * factors[begin_of_j + k - first_of_j];
                }
                factors.push(entry);
            }
            for j in least as usize..i {
                let entry = &mut factors[begin + j - least as usize];
                let with_diagonal = *entry;
                *entry *= inverse[j];
                own -= with_diagonal * *entry;
            }
            inverse.push(if own > LINKAGE_REDUNDANT * whole { 1.0 / own } else { 0.0 });
        }
        borne.clear();
        borne.resize(sides.len(), 0.0);
        answer.resize(sides.len(), 0.0);
        changes.resize(bodies.len(), Change::default());
    }

    /// Begins to ask about an impulse.
    pub fn begin(&mut self) {
        self.changes.fill(Change::default());
    }

    /// Adds what the impulse alone changes of the body in a place.
    pub fn kick(&mut self, place: u32, change: Change) {
        self.changes[place as usize].add(change, 1.0);
    }

    /// Lets the joints answer to what was kicked, so that along no row anything changes.
    pub fn answer(&mut self) {
        self.solve(|_| 0.0);
    }

    /// Whether its bodies have had [`Self::answer_with_drift`].
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// The same where velocities were kicked, not changes of them: what is outside goes on at its rate.
    pub fn answer_with_drift(&mut self) {
        self.settled = true;
        let drifts = std::mem::take(&mut self.drifts);
        self.solve(|row| drifts[row]);
        self.drifts = drifts;
    }

    /// Lets the joints answer, where the rows have these rates besides (m/s, rad/s).
    fn solve(&mut self, besides: impl Fn(usize) -> f64) {
        let Self { sides, rows, factors, inverse, changes, answer, .. } = self;
        for (i, row) in sides.iter().enumerate() {
            let rate: f64 = row.iter().flatten().map(|side| side.rate(&changes[side.place as usize])).sum();
            let (first, begin) = (rows[i].0 as usize, rows[i].1 as usize);
            let before: f64 = (first..i).map(|j| factors[begin + j - first] * answer[j]).sum();
            answer[i] = -(rate + besides(i)) - before;
        }
        for (answer, inverse) in answer.iter_mut().zip(inverse.iter()) {
            *answer *= inverse;
        }
        for i in (0..sides.len()).rev() {
            let (first, begin) = (rows[i].0 as usize, rows[i].1 as usize);
            let here = answer[i];
            for j in first..i {
                answer[j] -= factors[begin + j - first] * here;
            }
        }
        for (row, &answer) in sides.iter().zip(answer.iter()) {
            for side in row.iter().flatten() {
                changes[side.place as usize].add(side.moves, answer);
            }
        }
    }

    /// The changes of all bodies by their places.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Takes the last answer for what happened.
    pub fn bear(&mut self) {
        for (borne, answer) in self.borne.iter_mut().zip(&self.answer) {
            *borne += answer;
        }
    }

    /// The impulses of the rows, in their order (N s, N m s).
    pub fn borne(&self) -> &[f64] {
        &self.borne
    }
}

/// The rate along one row for an impulse of one along another.
fn coupling(at: &[Option<Side>; 2], by: &[Option<Side>; 2]) -> f64 {
    let of =
        |at: &Side| by.iter().flatten().filter(|by| by.place == at.place).map(|by| at.rate(&by.moves)).sum::<f64>();
    at.iter().flatten().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A body of this mass and this moment about every axis, pulled at an arm along an axis.
    fn pull(place: u32, (mass, moment): (f64, f64), force: DVec3, arm: DVec3) -> Option<Side> {
        let counts = Change { velocity: force, spin: arm.cross(force) };
        let moves = Change { velocity: counts.velocity / mass, spin: counts.spin / moment };
        Some(Side { place, counts, moves })
    }

    /// Pins two bodies together at these arms.
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
        // Two balls a metre apart: a pin at either one's centre and one in the middle hold all six axes, three of the nine rows twice.
        let of = |_: u32| (2.0, 0.3);
        let mut linkage = Linkage::default();
        assert_eq!([0, 1].map(|body| linkage.add_body(body, 2.0)), [0, 1]);
        for middle in [DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.5, 0.4, 0.0)] {
            pin(&mut linkage, [0, 1], of, [middle, middle - DVec3::X]);
        }
        linkage.close();
        linkage.begin();
        let (impulse, arm) = (DVec3::new(0.5, 3.0, -1.0), DVec3::new(0.1, 0.0, 0.2));
        linkage.kick(0, Change { velocity: impulse / 2.0, spin: arm.cross(impulse) / 0.3 });
        linkage.answer();
        let got = linkage.changes();
        let inertia = DVec3::new(0.6, 0.6 + 1.0, 0.6 + 1.0);
        let spin = (arm - DVec3::X * 0.5).cross(impulse) / inertia;
        for (change, x) in got.iter().zip([-0.5, 0.5]) {
            let velocity = impulse / 4.0 + spin.cross(DVec3::X * x);
            assert!((change.velocity - velocity).length() < 1e-12, "{change:?}, {velocity}");
            assert!((change.spin - spin).length() < 1e-12, "{change:?}, {spin}");
        }
    }

    #[test]
    fn what_hangs_on_something_that_moves_goes_along() {
        let mut linkage = Linkage::default();
        linkage.add_body(0, 2.0);
        for axis in DVec3::AXES {
            linkage.add_row([None, pull(0, (2.0, 0.3), axis, DVec3::ZERO)], -axis.y * 3.0);
        }
        linkage.close();
        linkage.begin();
        linkage.kick(0, Change { velocity: DVec3::new(1.0, 0.5, -2.0), spin: DVec3::Z });
        linkage.answer_with_drift();
        assert!((linkage.changes()[0].velocity - DVec3::Y * 3.0).length() < 1e-14);
        assert_eq!(linkage.changes()[0].spin, DVec3::Z);
    }

    proptest! {
        /// Along no row anything changes; and momentum is that of the impulse, where the world holds nothing.
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
            linkage.close();
            linkage.begin();
            let place = struck % count;
            let [force, arm] = vectors(impulse);
            let (mass, moment) = of(place);
            linkage.kick(place, Change { velocity: force / mass, spin: arm.cross(force) / moment });
            linkage.answer();
            let changes = linkage.changes().to_vec();
            for row in &linkage.sides {
                let rate: f64 = row.iter().flatten().map(|side| side.rate(&changes[side.place as usize])).sum();
                prop_assert!(rate.abs() < 1e-8, "{}", rate);
            }
            if loose {
                let momentum: DVec3 = (0..count).map(|k| changes[k as usize].velocity * of(k).0).sum();
                prop_assert!((momentum - force).length() < 1e-8, "{} {}", momentum, force);
            }
        }
    }
}
