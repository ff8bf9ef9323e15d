//! The search for forces with vanishing contacts (Baber 2006, section 3.4).
//!
//! Guess that no contact vanishes; failing that, minimise the total force, take the contacts with
//! opening gaps as vanishing, and solve again without them. Every answer is checked before use: (a)
//! no gap closes, (b) no force pulls, and (c) no force acts at an opening gap, in one residual.

use super::{Form, LinearSolver, LpFailure, ScaledProblem, minimise_safely};
use crate::math::DVec3;
use crate::resting::block::Vec6;
use crate::resting::problem::Problem;
use crate::resting::residual::View;
use crate::tolerances::{GAME, GAUSS_SEIDEL, LINEAR_PROGRAMS};

/// Counts of the outcomes of the search for vanishing contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct LpCounts {
    /// Programs solved or tried.
    pub programs: u32,
    /// Searches that ended with every body held still.
    pub equilibrium: u32,
    /// Searches that ended with no contact vanishing.
    pub none_vanishing: u32,
    /// Searches in which the least total force was exact.
    pub minimum_force: u32,
    /// Searches that ended with the vanishing contacts of the least force.
    pub restricted: u32,
    /// Searches that ended with the vanishing contacts of some Gauss-Seidel sweeps.
    pub guessed_again: u32,
    /// Searches left to another method.
    pub unanswered: u32,
    /// Searches not begun for an island that is too large.
    pub too_large: u32,
    /// Programs that are infeasible according to the solver.
    pub infeasible: u32,
    /// Programs that are unbounded according to the solver.
    pub unbounded: u32,
    /// Programs abandoned by the solver.
    pub gave_up: u32,
    /// Programs on which the solver panicked.
    pub panicked: u32,
    /// Programs whose answer violated the program itself.
    pub wrong: u32,
    /// Right answers to a program that do not solve the contact problem.
    pub no_proof: u32,
}

impl LpCounts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        self.programs += other.programs;
        self.equilibrium += other.equilibrium;
        self.none_vanishing += other.none_vanishing;
        self.minimum_force += other.minimum_force;
        self.restricted += other.restricted;
        self.guessed_again += other.guessed_again;
        self.unanswered += other.unanswered;
        self.too_large += other.too_large;
        self.infeasible += other.infeasible;
        self.unbounded += other.unbounded;
        self.gave_up += other.gave_up;
        self.panicked += other.panicked;
        self.wrong += other.wrong;
        self.no_proof += other.no_proof;
    }
}

/// The search and its inputs.
pub(in crate::resting) struct Vanishing<'a> {
    pub problem: &'a Problem,
    pub view: View<'a>,
    pub solver: &'a dyn LinearSolver,
    pub counts: LpCounts,
    pub delta_v: &'a mut Vec<Vec6>,
}

impl Vanishing<'_> {
    /// The normal impulses of an island of at most `most` contacts, or `None` if no program proved
    /// any.
    pub fn search(&mut self, most: usize) -> Option<Vec<DVec3>> {
        let n = self.view.jacobians.len();
        if n > most {
            self.counts.too_large += 1;
            return None;
        }
        let offsets = self.view.offsets;
        let scaled = ScaledProblem::new(self.problem, |i| offsets[i].x);
        if let Some(found) = self.attempt(&scaled, Form::Equilibrium).and_then(|f| self.prove(&scaled, &f)) {
            self.counts.equilibrium += 1;
            return Some(found);
        }
        if let Some(found) = self.attempt(&scaled, Form::Elastic).and_then(|f| self.prove(&scaled, &f)) {
            self.counts.none_vanishing += 1;
            return Some(found);
        }
        if let Some(least) = self.attempt(&scaled, Form::MinimumForce) {
            if let Some(found) = self.prove(&scaled, &least) {
                self.counts.minimum_force += 1;
                return Some(found);
            }
            let vanishing: Vec<bool> = scaled.gaps(&least).iter().map(|&gap| gap > GAME.certificate).collect();
            let restricted = self.attempt(&scaled, Form::Restricted(&vanishing));
            if let Some(found) = restricted.and_then(|f| self.prove(&scaled, &f)) {
                self.counts.restricted += 1;
                return Some(found);
            }
        }
        let relaxed = scaled.relaxed(GAUSS_SEIDEL.sweeps);
        let vanishing: Vec<bool> = scaled.gaps(&relaxed).iter().zip(&relaxed).map(|(gap, f)| gap > f).collect();
        let restricted = self.attempt(&scaled, Form::Restricted(&vanishing));
        if let Some(found) = restricted.and_then(|f| self.prove(&scaled, &f)) {
            self.counts.guessed_again += 1;
            return Some(found);
        }
        self.counts.unanswered += 1;
        None
    }

    /// Solves one program, and returns its forces if they satisfy it.
    fn attempt(&mut self, scaled: &ScaledProblem, form: Form) -> Option<Vec<f64>> {
        let program = scaled.program(form);
        self.counts.programs += 1;
        let mut values = match minimise_safely(self.solver, &program) {
            Ok(values) => values,
            Err(failure) => {
                match failure {
                    LpFailure::Infeasible => self.counts.infeasible += 1,
                    LpFailure::Unbounded => self.counts.unbounded += 1,
                    LpFailure::Numerical => self.counts.gave_up += 1,
                    LpFailure::Panicked => self.counts.panicked += 1,
                }
                return None;
            }
        };
        if program.violation(&values) > LINEAR_PROGRAMS.violation {
            self.counts.wrong += 1;
            return None;
        }
        values.truncate(self.view.jacobians.len());
        if let Form::Restricted(vanishing) = form {
            for (value, &vanishes) in values.iter_mut().zip(vanishing) {
                if vanishes {
                    *value = 0.0;
                }
            }
        }
        Some(values)
    }

    /// The impulses, if they obey (a), (b) and (c).
    fn prove(&mut self, scaled: &ScaledProblem, forces: &[f64]) -> Option<Vec<DVec3>> {
        let impulses: Vec<DVec3> = scaled.unscale(forces).iter().map(|&f| DVec3::new(f.max(0.0), 0.0, 0.0)).collect();
        self.view.response(&impulses, self.delta_v);
        let good = self.view.residual(&impulses, self.delta_v) <= GAME.certificate;
        if !good {
            self.counts.no_proof += 1;
        }
        good.then_some(impulses)
    }
}
