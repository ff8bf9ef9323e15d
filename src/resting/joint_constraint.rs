//! Joint constraints: rows of joints beside the contacts of a problem.
//!
//! Up to three bilateral rows of one joint form a block whose cone is the whole space. A unilateral
//! row (a taut rope, a limit) forms a block without friction. Rows of torques are scaled by a
//! length, so that they weigh as much as forces.

use super::block::dot;
use super::cone::BILATERAL;
use super::force_row::{BodyWrench, ForceRow};
use super::input::{Body, Contact, FormulationLevel, ProblemError};
use super::jacobian::{ConstraintSlot, Jacobian};
use super::problem::{Problem, RowData};
use crate::math::{DMat3, DVec3};

/// A joint row: bilateral, or unilateral if its range ends at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointConstraint {
    /// Direction and bodies. Its range is all of the real numbers, or one half of them.
    pub row: ForceRow,
    /// Speed added to the relative speed of its bodies along it (m/s, or rad/s for a torque):
    /// motion of a kinematic body, or a correction.
    pub bias: f64,
    /// Its impulse in the last step (N s, or N m s): the start of the search.
    pub last: f64,
}

/// Sidedness of a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sidedness {
    /// Any strength.
    Bilateral,
    /// Strengths of this sign only.
    Unilateral(f64),
}

impl JointConstraint {
    /// `None` if its strength is bounded.
    fn sidedness(&self) -> Option<Sidedness> {
        match self.row.range {
            [f64::NEG_INFINITY, f64::INFINITY] => Some(Sidedness::Bilateral),
            [0.0, f64::INFINITY] => Some(Sidedness::Unilateral(1.0)),
            [f64::NEG_INFINITY, 0.0] => Some(Sidedness::Unilateral(-1.0)),
            _ => None,
        }
    }

    /// True for constraints of the same kind between the same bodies, which share a block of rows.
    fn shares_jacobian(&self, other: &Self) -> bool {
        let is_force = |constraint: &Self| constraint.row.forces != [DVec3::ZERO; 2];
        self.row.bodies == other.row.bodies
            && self.sidedness() == other.sidedness()
            && is_force(self) == is_force(other)
    }
}

impl Problem {
    /// As [`Problem::build`], with joint constraints. These need the velocity level.
    ///
    /// # Errors
    /// Names the first body, contact or constraint that is not possible. The problem is then empty.
    ///
    /// ```
    /// use dolmen::math::DVec3;
    /// use dolmen::resting::{
    ///     Body, ForceRow, FormulationLevel, JointConstraint, Problem, RestingMethod, WORLD, Workspace,
    ///     solve,
    /// };
    ///
    /// // A ball of 2 kg on a vertical rod.
    /// let ball = Body::at_rest(DVec3::ZERO, 2.0, DVec3::splat(0.8), DVec3::new(0.0, 0.0, -9.81));
    /// let range = [f64::NEG_INFINITY, f64::INFINITY];
    /// let (forces, torques) = ([DVec3::Z; 2], [DVec3::ZERO; 2]);
    /// let row = ForceRow { bodies: [WORLD, 0], forces, torques, range };
    /// let rod = JointConstraint { row, bias: 0.0, last: 0.0 };
    /// let mut problem = Problem::new();
    /// let level = FormulationLevel::Velocity { step: 0.01 };
    /// problem.build_with_joints(level, 9.81, &[ball], &[], &[rod])?;
    /// let mut work = Workspace::new();
    /// let solution = solve(&mut work, &problem, RestingMethod::Auto, 1e-10);
    /// assert!((solution.joint_impulses[0] - 2.0 * 9.81 * 0.01).abs() < 1e-9);
    /// # Ok::<(), dolmen::resting::ProblemError>(())
    /// ```
    pub fn build_with_joints(
        &mut self,
        level: FormulationLevel,
        gravity: f64,
        bodies: &[Body],
        contacts: &[Contact],
        constraints: &[JointConstraint],
    ) -> Result<(), ProblemError> {
        self.build(level, gravity, bodies, contacts)?;
        let result = if constraints.is_empty() || matches!(level, FormulationLevel::Velocity { .. }) {
            self.add_constraints(constraints)
        } else {
            Err(ProblemError::JointConstraint(0))
        };
        if result.is_err() {
            self.clear();
        }
        result
    }

    /// True if it has joint constraints.
    pub fn has_joints(&self) -> bool {
        !self.constraints.is_empty()
    }

    fn add_constraints(&mut self, constraints: &[JointConstraint]) -> Result<(), ProblemError> {
        let mut at = 0;
        while at < constraints.len() {
            let first = &constraints[at];
            let most = if first.sidedness() == Some(Sidedness::Bilateral) { 3 } else { 1 };
            let count =
                constraints[at..].iter().take(most).take_while(|constraint| constraint.shares_jacobian(first)).count();
            self.add_group(at, &constraints[at..at + count])?;
            at += count;
        }
        Ok(())
    }

    /// Adds constraints of one kind between the same bodies as one block. `number` is that of the
    /// first.
    fn add_group(&mut self, number: usize, group: &[JointConstraint]) -> Result<(), ProblemError> {
        let world = self.bodies.len() as u32;
        let [first, second] = group[0].row.bodies.map(|body| body.min(world));
        let mut row = Jacobian { first, second, on_first: [[0.0; 6]; 3], on_second: [[0.0; 6]; 3] };
        let (mut offset, mut bias, mut last) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let length =
            if group[0].row.forces == [DVec3::ZERO; 2] { self.radius_of_gyration(group[0].row.bodies) } else { 1.0 };
        for (axis, constraint) in group.iter().enumerate() {
            let possible = constraint.row.is_valid(self.body_count())
                && constraint.bias.is_finite()
                && constraint.last.is_finite();
            let Some(sidedness) = constraint.sidedness().filter(|_| possible && first != second) else {
                return Err(ProblemError::JointConstraint(number + axis));
            };
            let unit = if let Sidedness::Unilateral(sign) = sidedness { sign * length } else { length };
            for wrench in constraint.row.wrenches().map(|wrench| wrench.times(unit)) {
                let side = if wrench.body == first { &mut row.on_first } else { &mut row.on_second };
                side[axis] = wrench.scaled(&self.bodies, &self.scales);
                offset[axis] += self.speed_along(&wrench);
            }
            bias[axis] = constraint.bias * unit;
            last[axis] = constraint.last / unit;
            self.constraints.push(ConstraintSlot { row: self.jacobians.len() as u32, axis: axis as u32, unit });
        }
        let friction = if group[0].sidedness() == Some(Sidedness::Bilateral) { BILATERAL } else { 0.0 };
        self.add_constraint_row(row, [offset, bias, last], friction);
        Ok(())
    }

    fn add_constraint_row(&mut self, row: Jacobian, [mut offset, mut bias, last]: [DVec3; 3], friction: f64) {
        let product =
            |r: usize, c: usize| dot(&row.on_first[r], &row.on_first[c]) + dot(&row.on_second[r], &row.on_second[c]);
        let mut gram = DMat3::from_cols_array_2d(&[0, 1, 2].map(|c| [0, 1, 2].map(|r| product(r, c))));
        let (mut trace, mut count) = (0.0, 0.0_f64);
        for axis in 0..3 {
            if product(axis, axis) > 0.0 {
                (trace, count) = (trace + product(axis, axis), count + 1.0);
            } else {
                // Neither body can move along it: it carries nothing, whatever its bias.
                gram.col_mut(axis)[axis] = 1.0;
                (offset[axis], bias[axis]) = (0.0, 0.0);
            }
        }
        let compliance = if count > 0.0 { trace / count } else { 1.0 };
        offset += bias;
        self.frictionless = false;
        self.speed = self.speed.max(offset.length());
        self.largest_compliance = self.largest_compliance.max(compliance);
        self.jacobians.push(row);
        self.grams.push(gram);
        self.compliance.push(compliance);
        self.offsets.push(offset);
        self.row_data.push(RowData {
            axes: DMat3::IDENTITY,
            bias,
            push_out: 0.0,
            static_friction: friction,
            dynamic_friction: friction,
            sticking: false,
            last,
        });
    }

    /// The speed of a body along a wrench at the end of the step, without contacts and constraints.
    fn speed_along(&self, wrench: &BodyWrench) -> f64 {
        let (velocity, spin) = self.free_motion(&self.bodies[wrench.body as usize]);
        wrench.force.dot(velocity) + wrench.torque.dot(spin)
    }

    /// The radius of gyration of two bodies against each other (m); 1 if they cannot turn.
    fn radius_of_gyration(&self, bodies: [u32; 2]) -> f64 {
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
    use crate::resting::{RestingMethod, WORLD, Workspace, equilibrium_with_joints, solve};

    const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
    const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);
    const STEP: FormulationLevel = FormulationLevel::Velocity { step: 0.01 };

    /// A ball joint at an anchor of two bodies.
    fn ball_joint(bodies: [u32; 2], levers: [DVec3; 2]) -> Vec<JointConstraint> {
        let row = |axis: DVec3| ForceRow {
            bodies,
            forces: [axis; 2],
            torques: levers.map(|lever| lever.cross(axis)),
            range: FREE,
        };
        DVec3::AXES.map(|axis| JointConstraint { row: row(axis), bias: 0.0, last: 0.0 }).to_vec()
    }

    #[test]
    fn a_long_chain_with_a_heavy_ball_has_its_weight_at_every_link() {
        let (links, heavy) = (60, 1000.0);
        let mass = |k: usize| if k + 1 == links { heavy } else { 1.0 };
        let body = |k: usize| Body::at_rest(-DVec3::Z * k as f64, mass(k), DVec3::splat(0.1 * mass(k)), GRAVITY);
        let bodies: Vec<Body> = (0..links).map(body).collect();
        let half = DVec3::Z * 0.5;
        let above = |k: usize| if k == 0 { WORLD } else { k as u32 - 1 };
        let constraints: Vec<JointConstraint> =
            (0..links).flat_map(|k| ball_joint([above(k), k as u32], [-half, half])).collect();
        let mut problem = Problem::new();
        problem.build_with_joints(STEP, 9.81, &bodies, &[], &constraints).unwrap();
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, RestingMethod::Newton, 1e-10);
        assert!(solution.report.converged && solution.report.equilibrium.holds(1e-8), "{:?}", solution.report);
        for k in 0..links {
            let below: f64 = (k..links).map(mass).sum();
            let pull = DVec3::from_slice(&solution.joint_impulses[3 * k..3 * k + 3]);
            assert!((pull - DVec3::Z * (below * 9.81 * 0.01)).length() < 1e-7 * below, "{k}: {pull}");
        }
    }

    #[test]
    fn a_rod_that_leans_on_a_wall_presses_by_its_weight_over_twice_its_slope() {
        // A rod hinged to the floor leans at 60 degrees against a smooth wall: N = m g cot(60°) /
        // 2.
        let (sin, cos) = (60.0_f64.to_radians().sin(), 60.0_f64.to_radians().cos());
        let axis = DVec3::new(cos, 0.0, sin);
        let body = Body::at_rest(axis, 3.0, DVec3::splat(1.0), GRAVITY);
        let mut constraints = ball_joint([WORLD, 0], [DVec3::ZERO, -axis]);
        let turn = |axis| ForceRow { bodies: [WORLD, 0], forces: [DVec3::ZERO; 2], torques: [axis; 2], range: FREE };
        constraints.extend([DVec3::X, DVec3::Z].map(|axis| JointConstraint { row: turn(axis), bias: 0.0, last: 0.0 }));
        let wall = Contact::new(WORLD, 0, 2.0 * axis, -DVec3::X, 0.0);
        let mut problem = Problem::new();
        problem.build_with_joints(STEP, 9.81, &[body], &[wall], &constraints).unwrap();
        for method in [RestingMethod::Auto, RestingMethod::Newton, RestingMethod::Iterative] {
            let mut work = Workspace::new();
            let solution = solve(&mut work, &problem, method, 1e-10);
            let press = -solution.impulses[0].x / 0.01;
            assert!((press - 3.0 * 9.81 * cos / (2.0 * sin)).abs() < 1e-6, "{method:?}: {press} {:?}", solution.report);
            let forces = (solution.impulses, solution.joint_impulses);
            assert!(equilibrium_with_joints(&problem, forces.0, forces.1).holds(1e-7));
        }
    }

    #[test]
    fn a_rope_pulls_and_does_not_push() {
        for (gravity, pull) in [(-1.0, 0.02), (1.0, 0.0)] {
            let body = Body::at_rest(DVec3::ZERO, 2.0, DVec3::ONE, DVec3::Z * gravity);
            for (sign, range) in [(1.0, [0.0, f64::INFINITY]), (-1.0, [f64::NEG_INFINITY, 0.0])] {
                let row =
                    ForceRow { bodies: [WORLD, 0], forces: [DVec3::Z * sign; 2], torques: [DVec3::ZERO; 2], range };
                let mut problem = Problem::new();
                let constraint = JointConstraint { row, bias: 0.0, last: 0.0 };
                problem.build_with_joints(STEP, 1.0, &[body], &[], &[constraint]).unwrap();
                let mut work = Workspace::new();
                let strength = solve(&mut work, &problem, RestingMethod::Auto, 1e-10).joint_impulses[0];
                assert!((strength * sign - pull).abs() < 1e-9, "{strength}");
            }
        }
    }

    #[test]
    fn an_impossible_joint_constraint_is_named() {
        let body = Body::at_rest(DVec3::ZERO, 1.0, DVec3::ONE, GRAVITY);
        let good = ball_joint([WORLD, 0], [DVec3::ZERO; 2]);
        let mut problem = Problem::new();
        let mut bad = good.clone();
        bad[2].row.range = [-1.0, 1.0];
        for (level, constraints, wrong) in [(STEP, &bad, 2), (FormulationLevel::Acceleration, &good, 0)] {
            assert_eq!(
                problem.build_with_joints(level, 9.81, &[body], &[], constraints),
                Err(ProblemError::JointConstraint(wrong))
            );
            assert!(!problem.has_joints() && problem.body_count() == 0);
        }
    }
}
