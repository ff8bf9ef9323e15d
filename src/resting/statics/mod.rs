//! Statics: can a structure stand, with which forces, and what load breaks it? Limit analysis by linear programming
//! (Livesley, "Limit analysis of structures formed from rigid blocks", 1978).
//!
//! These are questions about what forces *could* do. A yes means that some forces inside the cones hold every body; not
//! that the bodies will find them, for a program may invent any squeeze between two walls. The certificate of rest is
//! another question, asked of a solver's own impulses.
//!
//! Cones are stood in for by pyramids inside them: eight edges, one along the contact's last impulse, and in every
//! round two more beside each that carried force in the last, at half the distance. So a yes is always right and a load is never
//! too large, and each round takes three quarters of what is missing.

pub use crate::resting::bond::Bond;

use crate::math::DVec3;
use crate::resting::bond::Pull;
use crate::resting::certificate::equilibrium;
use crate::resting::lp::{DefaultSolver, LinearProgram, LpFailure, Relation, minimise_safely};
use crate::resting::problem::Problem;
use crate::tolerances::{
    STATICS_CARRIES, STATICS_CONTACTS, STATICS_EDGES, STATICS_FORCE_COST, STATICS_GAIN, STATICS_LOAD_MOST,
    STATICS_ROUNDS, STATICS_SLACK, STATICS_SLACK_COST,
};

/// Forces that stand, or come as near to it as any.
#[derive(Clone, Debug, PartialEq)]
pub struct Stand {
    /// Whether they hold every body within the tolerance asked for.
    pub stands: bool,
    /// The acceleration of the worst body under them (in g).
    pub acceleration: f64,
    /// The force of each contact on its second body, world axes (N).
    pub forces: Vec<DVec3>,
    /// The strength of each bond (N, N m).
    pub bonds: Vec<f64>,
}

/// The load that breaks a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakingLoad {
    /// By which number to multiply the loads given. Infinite if no multiple (up to 10⁴ times the weight) breaks it.
    pub factor: f64,
    /// The force of each contact on its second body under that load, world axes (N).
    pub forces: Vec<DVec3>,
    /// The strength of each bond under that load (N, N m).
    pub bonds: Vec<f64>,
    /// How far those forces are from equilibrium under that load: the worst body's missing acceleration (in g).
    pub acceleration: f64,
}

/// An extra force on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: u32,
    /// Where it pulls, world axes (m).
    pub point: DVec3,
    /// The force (N).
    pub force: DVec3,
}

/// Why a question of statics has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticsError {
    /// More contacts than linear programs are good for.
    TooLarge,
    /// No solver answered, or not rightly.
    NoAnswer,
    /// The structure does not stand even without the load.
    DoesNotStand,
    /// A load names a body that is not there, or is not finite.
    Load(usize),
    /// A bond names a body that is not there, or its numbers make no sense.
    Bond(usize),
}

impl std::fmt::Display for StaticsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge => write!(f, "the structure has more than {STATICS_CONTACTS} contacts and bonds"),
            Self::NoAnswer => write!(f, "the linear program found no answer"),
            Self::DoesNotStand => write!(f, "the structure does not stand without the load"),
            Self::Load(i) => write!(f, "load {i} is not possible"),
            Self::Bond(i) => write!(f, "bond {i} is not possible"),
        }
    }
}

impl std::error::Error for StaticsError {}

/// Whether the bodies of a problem posed at the level of velocities could stand still under their own forces, within `tolerance` (in
/// g; 1e-5 sees a ladder 0.003 % beyond its limit). Motion, biases and surface velocities play no part.
///
/// # Errors
/// If the structure is too large, or the linear program does not answer.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::{Body, Contact, Level, Problem, WORLD, statics};
///
/// let ball = Body::at_rest(DVec3::Z, 2.0, DVec3::splat(0.8), DVec3::new(0.0, 0.0, -9.81));
/// let mut problem = Problem::new();
/// let level = Level::Velocity { step: 0.01 };
/// problem.build(level, 9.81, &[ball], &[Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5)]).unwrap();
/// let answer = statics::stand(&problem, 1e-5).unwrap();
/// assert!(answer.stands && (answer.forces[0].z - 19.62).abs() < 1e-6);
/// ```
pub fn stand(problem: &Problem, tolerance: f64) -> Result<Stand, StaticsError> {
    stand_bonded(problem, &[], tolerance)
}

/// As [`stand`], with joints between the bodies.
///
/// # Errors
/// As there, and if a bond is not possible.
pub fn stand_bonded(problem: &Problem, bonds: &[Bond], tolerance: f64) -> Result<Stand, StaticsError> {
    let mut best: Option<Stand> = None;
    let mut cones = Cones::new(problem, bonds)?;
    for _ in 0..STATICS_ROUNDS {
        let program = cones.program(problem, None);
        let Some(values) = cones.minimise(&program) else { break };
        let Answer { forces, bonds, .. } = cones.read(problem, &values);
        let acceleration = missing(problem, &forces, cones.pulls(&bonds));
        cones.refine(&values);
        let before = best.as_ref().map_or(f64::INFINITY, |b| b.acceleration);
        if acceleration < before {
            best = Some(Stand { stands: acceleration <= tolerance, acceleration, forces, bonds });
        }
        if acceleration <= tolerance || acceleration > before * (1.0 - STATICS_GAIN) {
            break;
        }
    }
    best.ok_or(StaticsError::NoAnswer)
}

/// By which number the `loads` must be multiplied to break the structure. `tolerance` (in g) is that of [`stand`].
///
/// # Errors
/// If a load is not possible, the structure is too large or does not stand by itself, or the linear program does not answer.
pub fn breaking_load(problem: &Problem, loads: &[Load], tolerance: f64) -> Result<BreakingLoad, StaticsError> {
    breaking_load_bonded(problem, &[], loads, tolerance)
}

/// As [`breaking_load`], with joints between the bodies.
///
/// # Errors
/// As there, and if a bond is not possible.
pub fn breaking_load_bonded(
    problem: &Problem,
    bonds: &[Bond],
    loads: &[Load],
    tolerance: f64,
) -> Result<BreakingLoad, StaticsError> {
    for (i, load) in loads.iter().enumerate() {
        let known = (load.body as usize) < problem.body_count();
        if !known || !load.point.is_finite() || !load.force.is_finite() {
            return Err(StaticsError::Load(i));
        }
    }
    let unloaded = stand_bonded(problem, bonds, tolerance)?;
    if !unloaded.stands {
        return Err(StaticsError::DoesNotStand);
    }
    let mut cones = Cones::new(problem, bonds)?;
    let mut best: Option<BreakingLoad> = None;
    for _ in 0..STATICS_ROUNDS {
        let program = cones.program(problem, Some(loads));
        let Some(values) = cones.minimise(&program) else { break };
        let Answer { forces, bonds, load: scaled } = cones.read(problem, &values);
        let factor = scaled * cones.load_unit(problem, loads);
        let loaded = loads.iter().map(|load| load.pull(problem).times(factor));
        let acceleration = missing(problem, &forces, cones.pulls(&bonds).chain(loaded));
        cones.refine(&values);
        let before = best.as_ref().map_or(f64::NEG_INFINITY, |b| b.factor);
        if acceleration > tolerance || factor < before {
            break;
        }
        let unbreakable = scaled >= STATICS_LOAD_MOST * (1.0 - STATICS_GAIN);
        let factor_told = if unbreakable { f64::INFINITY } else { factor };
        best = Some(BreakingLoad { factor: factor_told, forces, bonds, acceleration });
        if unbreakable || factor < before * (1.0 + STATICS_GAIN) {
            break;
        }
    }
    best.ok_or(StaticsError::NoAnswer)
}

/// The acceleration (in g) of the worst body under contact forces and what else pulls.
fn missing(problem: &Problem, forces: &[DVec3], pulls: impl Iterator<Item = Pull>) -> f64 {
    let impulses: Vec<DVec3> = forces.iter().map(|f| *f * problem.step).collect();
    let mut pulled = problem.clone();
    for pull in pulls {
        let body = &mut pulled.bodies[pull.body as usize];
        body.acceleration += pull.force * body.inverse_mass;
        let torque = body.principal_axes.transpose() * pull.torque;
        body.angular_acceleration += body.principal_axes * (body.inverse_inertia * torque);
    }
    equilibrium(&pulled, &impulses).acceleration
}

impl Load {
    fn pull(&self, problem: &Problem) -> Pull {
        let arm = self.point - problem.bodies[self.body as usize].position;
        Pull { body: self.body, force: self.force, torque: arm.cross(self.force) }
    }
}

/// What the values of a program stand for.
struct Answer {
    /// Forces on the second bodies, world axes (N).
    forces: Vec<DVec3>,
    /// Strengths of the bonds (N, N m).
    bonds: Vec<f64>,
    /// The scaled load factor.
    load: f64,
}

/// The pyramids inside the cones.
struct Cones<'a> {
    bonds: &'a [Bond],
    /// For each contact, the angles of its edges about the normal; a single one without friction.
    angles: Vec<Vec<f64>>,
    friction: Vec<f64>,
    /// How far apart edges are where they are closest.
    spacing: f64,
    /// The mass (kg) whose weight is the unit of force.
    mass: f64,
    gravity: f64,
}

impl<'a> Cones<'a> {
    fn new(problem: &Problem, bonds: &'a [Bond]) -> Result<Self, StaticsError> {
        if problem.contact_count() + bonds.len() > STATICS_CONTACTS {
            return Err(StaticsError::TooLarge);
        }
        if let Some(wrong) = bonds.iter().position(|bond| !bond.is_possible(problem)) {
            return Err(StaticsError::Bond(wrong));
        }
        let friction: Vec<f64> = problem.cold.iter().map(|cold| cold.static_friction).collect();
        let spacing = std::f64::consts::TAU / STATICS_EDGES as f64;
        let angles = problem
            .cold
            .iter()
            .map(|cold| {
                if cold.static_friction > 0.0 {
                    let first = cold.last.z.atan2(cold.last.y);
                    (0..STATICS_EDGES).map(|k| first + spacing * k as f64).collect()
                } else {
                    vec![0.0]
                }
            })
            .collect();
        let masses = problem.bodies.iter().map(|body| body.inverse_mass.max_element()).filter(|&m| m > 0.0);
        let (count, total) = masses.fold((0.0, 0.0), |(count, total), m| (count + 1.0, total + 1.0 / m));
        let mass = if count > 0.0 { total / count } else { 1.0 };
        let gravity = if problem.gravity > 0.0 { problem.gravity } else { 1.0 };
        Ok(Self { bonds, angles, friction, spacing, mass, gravity })
    }

    /// The edges of contact `i`, in contact axes, with a normal part of one.
    fn edges(&self, i: usize) -> impl Iterator<Item = DVec3> + '_ {
        let mu = self.friction[i];
        self.angles[i].iter().map(move |angle| {
            let (s, c) = angle.sin_cos();
            DVec3::new(1.0, mu * c, mu * s)
        })
    }

    /// Adds an edge on either side of every one that carries force, at half the distance.
    fn refine(&mut self, values: &[f64]) {
        let mut at = 0;
        let half = 0.5 * self.spacing;
        for (angles, &mu) in self.angles.iter_mut().zip(&self.friction) {
            for k in 0..angles.len() {
                if mu > 0.0 && values[at] > STATICS_CARRIES {
                    for angle in [angles[k] - half, angles[k] + half] {
                        if angles.iter().all(|other| (other - angle).abs() > 0.1 * half) {
                            angles.push(angle);
                        }
                    }
                }
                at += 1;
            }
        }
        self.spacing = half;
    }

    /// What a scaled load factor of one stands for: the loads together as heavy as a body.
    fn load_unit(&self, problem: &Problem, loads: &[Load]) -> f64 {
        let weight = self.mass * self.gravity * problem.bodies.len() as f64;
        let total: f64 = loads.iter().map(|load| load.force.length()).sum();
        if total > 0.0 { weight / total } else { 1.0 }
    }

    /// The unknowns of a bond: the sign in which each adds to its base, and how much it may.
    fn ways(bond: &Bond) -> impl Iterator<Item = (f64, f64)> {
        let base = bond.base();
        [(1.0, bond.range[1] - base), (-1.0, base - bond.range[0])].into_iter().filter(|way| way.1 > 0.0)
    }

    /// What bonds of these strengths do to the bodies.
    fn pulls(&self, strengths: &[f64]) -> impl Iterator<Item = Pull> {
        let each = self.bonds.iter().zip(strengths);
        let pulls: Vec<Pull> =
            each.flat_map(|(bond, &strength)| bond.pulls().map(move |pull| pull.times(strength))).collect();
        pulls.into_iter()
    }

    /// Unknowns: each contact's edges, then the ways of each bond, then the load factor if there are loads, then slacks.
    fn program(&self, problem: &Problem, loads: Option<&[Load]>) -> LinearProgram {
        let mut program = LinearProgram::default();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); 6 * problem.body_count()];
        let unit = self.mass.sqrt();
        for (i, row) in problem.rows.iter().enumerate() {
            for edge in self.edges(i) {
                let unknown = program.add_unknown(STATICS_FORCE_COST);
                for (body, side) in [(row.first, &row.on_first), (row.second, &row.on_second)] {
                    if body as usize >= problem.body_count() {
                        continue;
                    }
                    for k in 0..6 {
                        let value = unit * (edge.x * side[0][k] + edge.y * side[1][k] + edge.z * side[2][k]);
                        if value.abs() > crate::tolerances::LP_DROP {
                            rows[6 * body as usize + k].push((unknown, value));
                        }
                    }
                }
            }
        }
        let force_unit = self.mass * self.gravity;
        let mut held = vec![[0.0; 6]; problem.body_count()];
        for bond in self.bonds {
            for (sign, most) in Self::ways(bond) {
                let unknown = program.add_unknown(STATICS_FORCE_COST);
                if most.is_finite() {
                    program.add_row(vec![(unknown, -1.0)], Relation::AtLeast, -most / force_unit);
                }
                for pull in bond.pulls() {
                    for (k, value) in pull.scaled(problem).into_iter().enumerate().filter(|(_, value)| *value != 0.0) {
                        rows[6 * pull.body as usize + k].push((unknown, sign * unit * value));
                    }
                }
            }
            for pull in bond.pulls() {
                let scaled = pull.times(bond.base()).scaled(problem);
                for (held, value) in held[pull.body as usize].iter_mut().zip(scaled) {
                    *held += value / (unit * self.gravity);
                }
            }
        }
        let slack = if loads.is_some() { STATICS_SLACK_COST } else { 1.0 };
        if let Some(loads) = loads {
            let factor = program.add_unknown(-1.0);
            program.add_row(vec![(factor, -1.0)], Relation::AtLeast, -STATICS_LOAD_MOST);
            let load_unit = self.load_unit(problem, loads) / (unit * self.gravity);
            for load in loads {
                let scaled = load.pull(problem).scaled(problem);
                for (k, value) in scaled.into_iter().enumerate().filter(|(_, value)| *value != 0.0) {
                    rows[6 * load.body as usize + k].push((factor, load_unit * value));
                }
            }
        }
        for (body, scales) in problem.scales.iter().enumerate() {
            let of = &problem.bodies[body];
            let turning = of.principal_axes.transpose() * of.angular_acceleration;
            let free = [of.acceleration.x, of.acceleration.y, of.acceleration.z, turning.x, turning.y, turning.z];
            for k in (0..6).filter(|&k| scales[k] > 0.0) {
                let (more, less) = (program.add_unknown(slack), program.add_unknown(slack));
                let mut entries = std::mem::take(&mut rows[6 * body + k]);
                merge(&mut entries);
                entries.extend([(more, 1.0), (less, -1.0)]);
                let right = -free[k] / (scales[k] * unit * self.gravity) - held[body][k];
                program.add_row(entries, Relation::Equal, right);
            }
        }
        program
    }

    /// Solves a program, and the same with its unknowns in another order if the solver stumbles over the first.
    fn minimise(&self, program: &LinearProgram) -> Option<Vec<f64>> {
        let right = |result: Result<Vec<f64>, LpFailure>| {
            result.ok().filter(|values| program.violation(values) <= STATICS_SLACK)
        };
        let solver = DefaultSolver::default();
        if let Some(values) = right(minimise_safely(&solver, program)) {
            return Some(values);
        }
        let last = program.costs.len() - 1;
        let mut turned = LinearProgram { costs: program.costs.iter().rev().copied().collect(), rows: Vec::new() };
        for row in program.rows.iter().rev() {
            let entries = row.entries.iter().rev().map(|&(i, a)| (last - i, a)).collect();
            turned.add_row(entries, row.relation, row.right);
        }
        right(minimise_safely(&solver, &turned).map(|mut values| {
            values.reverse();
            values
        }))
    }

    fn read(&self, problem: &Problem, values: &[f64]) -> Answer {
        let mut at = 0;
        let unit = self.mass * self.gravity;
        let mut forces = Vec::with_capacity(problem.cold.len());
        for (i, cold) in problem.cold.iter().enumerate() {
            let mut local = DVec3::ZERO;
            for edge in self.edges(i) {
                local += edge * values[at].max(0.0);
                at += 1;
            }
            forces.push(cold.axes * local * unit);
        }
        let mut bonds = Vec::with_capacity(self.bonds.len());
        for bond in self.bonds {
            let mut strength = bond.base();
            for (sign, _) in Self::ways(bond) {
                strength += sign * values[at].max(0.0) * unit;
                at += 1;
            }
            bonds.push(strength.clamp(bond.range[0], bond.range[1]));
        }
        Answer { forces, bonds, load: values.get(at).copied().unwrap_or(0.0) }
    }
}

/// Adds up entries of the same unknown: loads may pull on one body several times.
fn merge(entries: &mut Vec<(usize, f64)>) {
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}
