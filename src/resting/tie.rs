//! Ties: what joints ask of the bodies of a contact problem, as rows beside the contacts.
//!
//! Up to three rows of one joint that neither side can leave make a contact whose cone is all of space; what can only be pulled or
//! only be pushed (a taut rope, a limit) makes one without friction. Rows of torques are measured by a length, so that they weigh
//! as much as forces.

use super::block::dot;
use super::bond::{Bond, Pull};
use super::cone::ALL_OF_SPACE;
use super::input::{Body, Contact, Level, ProblemError};
use super::problem::{Cold, Problem};
use super::row::Row;
use crate::math::{DMat3, DVec3};

/// A row of a joint that holds: nothing moves along it, or, where its range ends at zero, nothing moves against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Along what, between which bodies. Its range is all of the real numbers, or one half of them.
    pub bond: Bond,
    /// Speed added to that of its bodies along it (m/s, or rad/s of a torque): that of a kinematic body, or what it has to make up
    /// for.
    pub bias: f64,
    /// Its strength in the last step as an impulse (N s, or N m s): where the search starts.
    pub last: f64,
}

/// What a tie can do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grip {
    /// Pull and push.
    Both,
    /// Only strengths of this sign.
    One(f64),
}

impl Tie {
    /// None if its strength is bounded.
    fn grip(&self) -> Option<Grip> {
        match self.bond.range {
            [f64::NEG_INFINITY, f64::INFINITY] => Some(Grip::Both),
            [0.0, f64::INFINITY] => Some(Grip::One(1.0)),
            [f64::NEG_INFINITY, 0.0] => Some(Grip::One(-1.0)),
            _ => None,
        }
    }

    /// Whether it is the same kind of tie between the same bodies.
    fn goes_with(&self, other: &Self) -> bool {
        let is_force = |tie: &Self| tie.bond.force != DVec3::ZERO;
        self.bond.bodies == other.bond.bodies && self.grip() == other.grip() && is_force(self) == is_force(other)
    }
}

/// Where a tie is among the rows of a problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct TiePlace {
    row: u32,
    axis: u32,
    /// What the row's unknown is multiplied by to be the tie's strength: 1 or -1, for torques times a length (m).
    unit: f64,
}

impl TiePlace {
    /// The strength of the tie (N s, N m s) in these impulses.
    pub fn strength(&self, impulses: &[DVec3]) -> f64 {
        impulses[self.row as usize][self.axis as usize] * self.unit
    }

    /// Puts a strength into impulses.
    pub fn put(&self, strength: f64, impulses: &mut [DVec3]) {
        impulses[self.row as usize][self.axis as usize] = strength / self.unit;
    }
}

impl Problem {
    /// As [`Problem::build`], with ties. They are only posed at the level of velocities.
    ///
    /// # Errors
    /// Names the first body, contact or tie that is not possible. The problem is then empty.
    ///
    /// ```
    /// use dolmen::math::DVec3;
    /// use dolmen::resting::{Body, Bond, Law, Level, Problem, Tie, WORLD, Workspace, solve};
    ///
    /// // A ball of 2 kg on a vertical rod.
    /// let ball = Body::at_rest(DVec3::ZERO, 2.0, DVec3::splat(0.8), DVec3::new(0.0, 0.0, -9.81));
    /// let range = [f64::NEG_INFINITY, f64::INFINITY];
    /// let bond = Bond { bodies: [WORLD, 0], force: DVec3::Z, torques: [DVec3::ZERO; 2], range };
    /// let mut problem = Problem::new();
    /// problem.build_tied(Level::Velocity { step: 0.01 }, 9.81, &[ball], &[], &[Tie { bond, bias: 0.0, last: 0.0 }])?;
    /// let mut work = Workspace::new();
    /// let solution = solve(&mut work, &problem, Law::Auto, 1e-10);
    /// assert!((solution.ties[0] - 2.0 * 9.81 * 0.01).abs() < 1e-9);
    /// # Ok::<(), dolmen::resting::ProblemError>(())
    /// ```
    pub fn build_tied(
        &mut self,
        level: Level,
        gravity: f64,
        bodies: &[Body],
        contacts: &[Contact],
        ties: &[Tie],
    ) -> Result<(), ProblemError> {
        self.build(level, gravity, bodies, contacts)?;
        let result = if ties.is_empty() || matches!(level, Level::Velocity { .. }) {
            self.add_ties(ties)
        } else {
            Err(ProblemError::Tie(0))
        };
        if result.is_err() {
            self.clear();
        }
        result
    }

    /// Whether it has any ties.
    pub fn is_tied(&self) -> bool {
        !self.ties.is_empty()
    }

    fn add_ties(&mut self, ties: &[Tie]) -> Result<(), ProblemError> {
        let mut at = 0;
        while at < ties.len() {
            let first = &ties[at];
            let most = if first.grip() == Some(Grip::Both) { 3 } else { 1 };
            let count = ties[at..].iter().take(most).take_while(|tie| tie.goes_with(first)).count();
            self.add_group(at, &ties[at..at + count])?;
            at += count;
        }
        Ok(())
    }

    /// Adds ties of one kind between the same bodies as one row. `number` is that of the first.
    fn add_group(&mut self, number: usize, group: &[Tie]) -> Result<(), ProblemError> {
        let world = self.bodies.len() as u32;
        let [first, second] = group[0].bond.bodies.map(|body| body.min(world));
        let mut row = Row { first, second, on_first: [[0.0; 6]; 3], on_second: [[0.0; 6]; 3] };
        let (mut offset, mut bias, mut last) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let length = if group[0].bond.force == DVec3::ZERO { self.gyration(group[0].bond.bodies) } else { 1.0 };
        for (axis, tie) in group.iter().enumerate() {
            let possible = tie.bond.is_possible(self) && tie.bias.is_finite() && tie.last.is_finite();
            let Some(grip) = tie.grip().filter(|_| possible && first != second) else {
                return Err(ProblemError::Tie(number + axis));
            };
            let unit = if let Grip::One(sign) = grip { sign * length } else { length };
            for pull in tie.bond.pulls().map(|pull| pull.times(unit)) {
                let side = if pull.body == first { &mut row.on_first } else { &mut row.on_second };
                side[axis] = pull.scaled(self);
                offset[axis] += self.speed_along(&pull);
            }
            bias[axis] = tie.bias * unit;
            last[axis] = tie.last / unit;
            self.ties.push(TiePlace { row: self.rows.len() as u32, axis: axis as u32, unit });
        }
        let friction = if group[0].grip() == Some(Grip::Both) { ALL_OF_SPACE } else { 0.0 };
        self.add_tie_row(row, [offset, bias, last], friction);
        Ok(())
    }

    fn add_tie_row(&mut self, row: Row, [mut offset, mut bias, last]: [DVec3; 3], friction: f64) {
        let product =
            |r: usize, c: usize| dot(&row.on_first[r], &row.on_first[c]) + dot(&row.on_second[r], &row.on_second[c]);
        let mut gram = DMat3::from_cols_array_2d(&[0, 1, 2].map(|c| [0, 1, 2].map(|r| product(r, c))));
        let (mut trace, mut count) = (0.0, 0.0_f64);
        for axis in 0..3 {
            if product(axis, axis) > 0.0 {
                (trace, count) = (trace + product(axis, axis), count + 1.0);
            } else {
                // Nothing gives way along it: whatever it asks, it carries nothing.
                gram.col_mut(axis)[axis] = 1.0;
                (offset[axis], bias[axis]) = (0.0, 0.0);
            }
        }
        let compliance = if count > 0.0 { trace / count } else { 1.0 };
        offset += bias;
        self.frictionless = false;
        self.speed = self.speed.max(offset.length());
        self.largest_compliance = self.largest_compliance.max(compliance);
        self.rows.push(row);
        self.grams.push(gram);
        self.compliance.push(compliance);
        self.offsets.push(offset);
        self.cold.push(Cold {
            axes: DMat3::IDENTITY,
            bias,
            push_out: 0.0,
            static_friction: friction,
            dynamic_friction: friction,
            sticking: false,
            last,
        });
    }

    /// How fast a body moves along what pulls at it, at the end of the step if nothing else did.
    fn speed_along(&self, pull: &Pull) -> f64 {
        let (velocity, spin) = self.free_motion(&self.bodies[pull.body as usize]);
        pull.force.dot(velocity) + pull.torque.dot(spin)
    }

    /// The radius of gyration of what two bodies are against each other (m); 1 where it does not turn.
    fn gyration(&self, bodies: [u32; 2]) -> f64 {
        let [mut mass, mut inertia] = [0.0; 2];
        for body in bodies.into_iter().filter_map(|body| self.bodies.get(body as usize)) {
            mass += body.inverse_mass.max_element();
            inertia += body.inverse_inertia.max_element();
        }
        if mass > 0.0 && inertia > 0.0 { (mass / inertia).sqrt() } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resting::{Law, WORLD, Workspace, equilibrium_with_ties, solve};

    const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
    const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
    const STEP: Level = Level::Velocity { step: 0.01 };

    /// Ties of the anchors of two bodies.
    fn ball_joint(bodies: [u32; 2], levers: [DVec3; 2]) -> Vec<Tie> {
        let bond =
            |axis: DVec3| Bond { bodies, force: axis, torques: levers.map(|lever| lever.cross(axis)), range: FREE };
        DVec3::AXES.map(|axis| Tie { bond: bond(axis), bias: 0.0, last: 0.0 }).to_vec()
    }

    #[test]
    fn a_long_chain_with_a_heavy_ball_has_its_weight_at_every_link() {
        let (links, heavy) = (60, 1000.0);
        let mass = |k: usize| if k + 1 == links { heavy } else { 1.0 };
        let body = |k: usize| Body::at_rest(-DVec3::Z * k as f64, mass(k), DVec3::splat(0.1 * mass(k)), GRAVITY);
        let bodies: Vec<Body> = (0..links).map(body).collect();
        let half = DVec3::Z * 0.5;
        let above = |k: usize| if k == 0 { WORLD } else { k as u32 - 1 };
        let ties: Vec<Tie> = (0..links).flat_map(|k| ball_joint([above(k), k as u32], [-half, half])).collect();
        let mut problem = Problem::new();
        problem.build_tied(STEP, 9.81, &bodies, &[], &ties).unwrap();
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, Law::Newton, 1e-10);
        assert!(solution.report.converged && solution.report.equilibrium.holds(1e-8), "{:?}", solution.report);
        for k in 0..links {
            let below: f64 = (k..links).map(mass).sum();
            let pull = DVec3::from_slice(&solution.ties[3 * k..3 * k + 3]);
            assert!((pull - DVec3::Z * (below * 9.81 * 0.01)).length() < 1e-7 * below, "{k}: {pull}");
        }
    }

    #[test]
    fn a_rod_that_leans_on_a_wall_presses_by_its_weight_over_twice_its_slope() {
        // A rod on a hinge at the floor leans at 60 degrees against a smooth wall: N = m g cot(60°) / 2.
        let (sin, cos) = (60.0_f64.to_radians().sin(), 60.0_f64.to_radians().cos());
        let axis = DVec3::new(cos, 0.0, sin);
        let body = Body::at_rest(axis, 3.0, DVec3::splat(1.0), GRAVITY);
        let mut ties = ball_joint([WORLD, 0], [DVec3::ZERO, -axis]);
        let turn = |axis| Bond { bodies: [WORLD, 0], force: DVec3::ZERO, torques: [axis; 2], range: FREE };
        ties.extend([DVec3::X, DVec3::Z].map(|axis| Tie { bond: turn(axis), bias: 0.0, last: 0.0 }));
        let wall = Contact::new(WORLD, 0, 2.0 * axis, -DVec3::X, 0.0);
        let mut problem = Problem::new();
        problem.build_tied(STEP, 9.81, &[body], &[wall], &ties).unwrap();
        for law in [Law::Auto, Law::Newton, Law::Iterative] {
            let mut work = Workspace::new();
            let solution = solve(&mut work, &problem, law, 1e-10);
            let press = -solution.impulses[0].x / 0.01;
            assert!((press - 3.0 * 9.81 * cos / (2.0 * sin)).abs() < 1e-6, "{law:?}: {press} {:?}", solution.report);
            let forces = (solution.impulses, solution.ties);
            assert!(equilibrium_with_ties(&problem, forces.0, forces.1).holds(1e-7));
        }
    }

    #[test]
    fn a_rope_pulls_and_does_not_push() {
        for (gravity, pull) in [(-1.0, 0.02), (1.0, 0.0)] {
            let body = Body::at_rest(DVec3::ZERO, 2.0, DVec3::ONE, DVec3::Z * gravity);
            for (sign, range) in [(1.0, [0.0, f64::INFINITY]), (-1.0, [f64::NEG_INFINITY, 0.0])] {
                let bond = Bond { bodies: [WORLD, 0], force: DVec3::Z * sign, torques: [DVec3::ZERO; 2], range };
                let mut problem = Problem::new();
                let tie = Tie { bond, bias: 0.0, last: 0.0 };
                problem.build_tied(STEP, 1.0, &[body], &[], &[tie]).unwrap();
                let mut work = Workspace::new();
                let strength = solve(&mut work, &problem, Law::Auto, 1e-10).ties[0];
                assert!((strength * sign - pull).abs() < 1e-9, "{strength}");
            }
        }
    }

    #[test]
    fn what_is_no_tie_is_named() {
        let body = Body::at_rest(DVec3::ZERO, 1.0, DVec3::ONE, GRAVITY);
        let good = ball_joint([WORLD, 0], [DVec3::ZERO; 2]);
        let mut problem = Problem::new();
        let mut bad = good.clone();
        bad[2].bond.range = [-1.0, 1.0];
        for (level, ties, wrong) in [(STEP, &bad, 2), (Level::Acceleration, &good, 0)] {
            assert_eq!(problem.build_tied(level, 9.81, &[body], &[], ties), Err(ProblemError::Tie(wrong)));
            assert!(!problem.is_tied() && problem.body_count() == 0);
        }
    }
}
