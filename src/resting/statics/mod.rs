//! Statics: stability of a structure, its forces, and its breaking load. Limit analysis by linear
//! programming (Livesley, "Limit analysis of structures formed from rigid blocks", 1978).
//!
//! These are questions about possible forces. A stable structure has some forces inside the cones
//! that hold every body; the bodies need not find them, as a program may invent a squeeze between
//! two walls. The equilibrium certificate is another question, about a solver's own impulses.
//!
//! Cones are approximated by pyramids inside them: eight edges, one along the contact's last
//! impulse, and in every round two more beside each edge that carried force, at half the distance.
//! So stability is never claimed wrongly, a load is never too large, and each round removes three
//! quarters of the error.

pub use crate::resting::force_row::ForceRow;

use crate::math::DVec3;
use crate::resting::certificate::equilibrium;
use crate::resting::force_row::BodyWrench;
use crate::resting::lp::{DefaultSolver, LinearProgram, LpFailure, Relation, minimise_safely};
use crate::resting::problem::Problem;
use crate::tolerances::{DIRECT, GAME, LINEAR_PROGRAMS, ROUNDING};

/// Most rounds of refinement. Each removes three quarters of the 8 % by which the first pyramids
/// fall short.
const MAX_ITERATIONS: usize = 10;

/// Edges of the first friction pyramids. Refinement makes the result independent of them.
const CONE_EDGES: usize = 8;

/// Forces in equilibrium, or as near to it as possible.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// True if they hold every body within the tolerance.
    pub stands: bool,
    /// The acceleration of the worst body under them (in g).
    pub acceleration: f64,
    /// The force of each contact on its second body, world axes (N).
    pub forces: Vec<DVec3>,
    /// The strength of each joint row (N, N m).
    pub joint_forces: Vec<f64>,
}

/// The load that breaks a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakingLoad {
    /// The factor of the given loads at failure. Infinite if no multiple (up to 10⁴ times the
    /// weight) breaks it.
    pub factor: f64,
    /// The force of each contact on its second body under that load, world axes (N).
    pub forces: Vec<DVec3>,
    /// The strength of each joint row under that load (N, N m).
    pub joint_forces: Vec<f64>,
    /// The residual of equilibrium under that load: the worst body's acceleration (in g).
    pub acceleration: f64,
}

/// An extra force on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body.
    pub body: u32,
    /// Point of application, world axes (m).
    pub point: DVec3,
    /// The force (N).
    pub force: DVec3,
}

/// Reasons for which a question of statics has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StaticsError {
    /// More contacts than linear programs can handle.
    TooLarge,
    /// No solver found a valid answer.
    NoAnswer,
    /// The structure is not stable even without the load.
    DoesNotStand,
    /// A load names an unknown body, or is not finite.
    Load(usize),
    /// A joint row names an unknown body, or its numbers are inconsistent.
    ForceRow(usize),
}

impl std::fmt::Display for StaticsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge => {
                write!(f, "the structure has more than {} contacts and joint rows", GAME.max_points)
            }
            Self::NoAnswer => write!(f, "the linear program found no answer"),
            Self::DoesNotStand => write!(f, "the structure does not stand without the load"),
            Self::Load(i) => write!(f, "load {i} is not possible"),
            Self::ForceRow(i) => write!(f, "joint row {i} is not possible"),
        }
    }
}

impl std::error::Error for StaticsError {}

/// Stability of the bodies of a problem at the velocity level, at rest under their own forces,
/// within `tolerance` (in g; 1e-5 detects a ladder 0.003 % beyond its limit). Motion, biases and
/// surface velocities play no part.
///
/// # Errors
/// If the structure is too large, or the linear program does not answer.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::{Body, Contact, FormulationLevel, Problem, WORLD, statics};
///
/// let ball = Body::at_rest(DVec3::Z, 2.0, DVec3::splat(0.8), DVec3::new(0.0, 0.0, -9.81));
/// let mut problem = Problem::new();
/// let level = FormulationLevel::Velocity { step: 0.01 };
/// let contact = Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5);
/// problem.build(level, 9.81, &[ball], &[contact]).unwrap();
/// let answer = statics::stability(&problem, 1e-5).unwrap();
/// assert!(answer.stands && (answer.forces[0].z - 19.62).abs() < 1e-6);
/// ```
pub fn stability(problem: &Problem, tolerance: f64) -> Result<Stability, StaticsError> {
    stability_with_joints(problem, &[], tolerance)
}

/// As [`stability`], with joints between the bodies.
///
/// # Errors
/// As there, and if a joint row is not possible.
pub fn stability_with_joints(problem: &Problem, rows: &[ForceRow], tolerance: f64) -> Result<Stability, StaticsError> {
    let mut best: Option<Stability> = None;
    let mut cones = ConePyramids::new(problem, rows)?;
    for _ in 0..MAX_ITERATIONS {
        let program = cones.program(problem, None);
        let Some(values) = cones.minimise(&program) else { break };
        let ProgramValues { forces, joint_forces, .. } = cones.read(problem, &values);
        let acceleration = missing_acceleration(problem, &forces, cones.wrenches(&joint_forces));
        cones.refine(&values);
        let before = best.as_ref().map_or(f64::INFINITY, |b| b.acceleration);
        if acceleration < before {
            best = Some(Stability { stands: acceleration <= tolerance, acceleration, forces, joint_forces });
        }
        if acceleration <= tolerance || acceleration > before * (1.0 - LINEAR_PROGRAMS.violation) {
            break;
        }
    }
    best.ok_or(StaticsError::NoAnswer)
}

/// The factor by which the `loads` must be multiplied to break the structure. `tolerance` (in g) is
/// that of [`stability`].
///
/// # Errors
/// If a load is not possible, the structure is too large or not stable by itself, or the linear
/// program does not answer.
pub fn breaking_load(problem: &Problem, loads: &[Load], tolerance: f64) -> Result<BreakingLoad, StaticsError> {
    breaking_load_with_joints(problem, &[], loads, tolerance)
}

/// As [`breaking_load`], with joints between the bodies.
///
/// # Errors
/// As there, and if a joint row is not possible.
pub fn breaking_load_with_joints(
    problem: &Problem,
    rows: &[ForceRow],
    loads: &[Load],
    tolerance: f64,
) -> Result<BreakingLoad, StaticsError> {
    for (i, load) in loads.iter().enumerate() {
        let known = (load.body as usize) < problem.body_count();
        if !known || !load.point.is_finite() || !load.force.is_finite() {
            return Err(StaticsError::Load(i));
        }
    }
    let unloaded = stability_with_joints(problem, rows, tolerance)?;
    if !unloaded.stands {
        return Err(StaticsError::DoesNotStand);
    }
    let mut cones = ConePyramids::new(problem, rows)?;
    let mut best: Option<BreakingLoad> = None;
    for _ in 0..MAX_ITERATIONS {
        let program = cones.program(problem, Some(loads));
        let Some(values) = cones.minimise(&program) else { break };
        let ProgramValues { forces, joint_forces, load: scaled } = cones.read(problem, &values);
        let factor = scaled * cones.load_unit(problem, loads);
        let loaded = loads.iter().map(|load| load.wrench(problem).times(factor));
        let acceleration = missing_acceleration(problem, &forces, cones.wrenches(&joint_forces).chain(loaded));
        cones.refine(&values);
        let before = best.as_ref().map_or(f64::NEG_INFINITY, |b| b.factor);
        if acceleration > tolerance || factor < before {
            break;
        }
        let unbreakable = scaled >= DIRECT.unbounded_ratio * (1.0 - LINEAR_PROGRAMS.violation);
        let reported = if unbreakable { f64::INFINITY } else { factor };
        best = Some(BreakingLoad { factor: reported, forces, joint_forces, acceleration });
        if unbreakable || factor < before * (1.0 + LINEAR_PROGRAMS.violation) {
            break;
        }
    }
    best.ok_or(StaticsError::NoAnswer)
}

/// The acceleration (in g) of the worst body under contact forces and other wrenches.
fn missing_acceleration(problem: &Problem, forces: &[DVec3], wrenches: impl Iterator<Item = BodyWrench>) -> f64 {
    let impulses: Vec<DVec3> = forces.iter().map(|f| *f * problem.step).collect();
    let mut pulled = problem.clone();
    for wrench in wrenches {
        let body = &mut pulled.bodies[wrench.body as usize];
        body.acceleration += wrench.force * body.inverse_mass;
        let torque = body.principal_axes.transpose() * wrench.torque;
        body.angular_acceleration += body.principal_axes * (body.inverse_inertia * torque);
    }
    equilibrium(&pulled, &impulses).acceleration
}

impl Load {
    fn wrench(&self, problem: &Problem) -> BodyWrench {
        let arm = self.point - problem.bodies[self.body as usize].position;
        BodyWrench { body: self.body, force: self.force, torque: arm.cross(self.force) }
    }
}

/// The decoded solution of a program.
struct ProgramValues {
    /// Forces on the second bodies, world axes (N).
    forces: Vec<DVec3>,
    /// Strengths of the joint rows (N, N m).
    joint_forces: Vec<f64>,
    /// The scaled load factor.
    load: f64,
}

/// The friction pyramids.
struct ConePyramids<'a> {
    rows: &'a [ForceRow],
    /// For each contact, the angles of its edges about the normal; a single edge without friction.
    angles: Vec<Vec<f64>>,
    friction: Vec<f64>,
    /// The smallest distance of edges (rad).
    spacing: f64,
    /// The mass (kg) whose weight is the unit of force.
    mass: f64,
    gravity: f64,
}

impl<'a> ConePyramids<'a> {
    fn new(problem: &Problem, rows: &'a [ForceRow]) -> Result<Self, StaticsError> {
        if problem.contact_count() + rows.len() > GAME.max_points {
            return Err(StaticsError::TooLarge);
        }
        if let Some(wrong) = rows.iter().position(|row| !row.is_valid(problem.body_count())) {
            return Err(StaticsError::ForceRow(wrong));
        }
        let friction: Vec<f64> = problem.row_data.iter().map(|data| data.static_friction).collect();
        let spacing = std::f64::consts::TAU / CONE_EDGES as f64;
        let angles = problem
            .row_data
            .iter()
            .map(|data| {
                if data.static_friction > 0.0 {
                    let first = libm::atan2(data.last.z, data.last.y);
                    (0..CONE_EDGES).map(|k| first + spacing * k as f64).collect()
                } else {
                    vec![0.0]
                }
            })
            .collect();
        let masses = problem.bodies.iter().map(|body| body.inverse_mass.max_element()).filter(|&m| m > 0.0);
        let (count, total) = masses.fold((0.0, 0.0), |(count, total), m| (count + 1.0, total + 1.0 / m));
        let mass = if count > 0.0 { total / count } else { 1.0 };
        let gravity = if problem.gravity > 0.0 { problem.gravity } else { 1.0 };
        Ok(Self { rows, angles, friction, spacing, mass, gravity })
    }

    /// The edges of contact `i`, in contact axes, with a normal part of one.
    fn edges(&self, i: usize) -> impl Iterator<Item = DVec3> + '_ {
        let mu = self.friction[i];
        self.angles[i].iter().map(move |angle| {
            let (s, c) = libm::sincos(*angle);
            DVec3::new(1.0, mu * c, mu * s)
        })
    }

    /// Adds an edge on either side of every one that carries force, at half the distance.
    fn refine(&mut self, values: &[f64]) {
        let mut at = 0;
        let half = 0.5 * self.spacing;
        for (angles, &mu) in self.angles.iter_mut().zip(&self.friction) {
            for k in 0..angles.len() {
                if mu > 0.0 && values[at] > ROUNDING.solution {
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

    /// The unit of the load factor: the loads together as heavy as a body.
    fn load_unit(&self, problem: &Problem, loads: &[Load]) -> f64 {
        let weight = self.mass * self.gravity * problem.bodies.len() as f64;
        let total: f64 = loads.iter().map(|load| load.force.length()).sum();
        if total > 0.0 { weight / total } else { 1.0 }
    }

    /// The unknowns of a row: the sign of each relative to the base, and its bound.
    fn signed_ranges(row: &ForceRow) -> impl Iterator<Item = (f64, f64)> {
        let base = row.nearest_to_zero();
        [(1.0, row.range[1] - base), (-1.0, base - row.range[0])].into_iter().filter(|way| way.1 > 0.0)
    }

    /// The wrenches of rows of these strengths.
    fn wrenches(&self, strengths: &[f64]) -> impl Iterator<Item = BodyWrench> {
        let each = self.rows.iter().zip(strengths);
        let wrenches: Vec<BodyWrench> =
            each.flat_map(|(row, &strength)| row.wrenches().map(move |wrench| wrench.times(strength))).collect();
        wrenches.into_iter()
    }

    /// Unknowns: each contact's edges, then the signed parts of each joint row, then the load
    /// factor if there are loads, then slacks.
    fn program(&self, problem: &Problem, loads: Option<&[Load]>) -> LinearProgram {
        let mut program = LinearProgram::default();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); 6 * problem.body_count()];
        let unit = self.mass.sqrt();
        for (i, row) in problem.jacobians.iter().enumerate() {
            for edge in self.edges(i) {
                let unknown = program.add_unknown(LINEAR_PROGRAMS.violation);
                for (body, side) in [(row.first, &row.on_first), (row.second, &row.on_second)] {
                    if body as usize >= problem.body_count() {
                        continue;
                    }
                    for k in 0..6 {
                        let value = unit * (edge.x * side[0][k] + edge.y * side[1][k] + edge.z * side[2][k]);
                        if value.abs() > crate::tolerances::ROUNDING.relative {
                            rows[6 * body as usize + k].push((unknown, value));
                        }
                    }
                }
            }
        }
        let force_unit = self.mass * self.gravity;
        let mut constant = vec![[0.0; 6]; problem.body_count()];
        for row in self.rows {
            for (sign, bound) in Self::signed_ranges(row) {
                let unknown = program.add_unknown(LINEAR_PROGRAMS.violation);
                if bound.is_finite() {
                    program.add_row(vec![(unknown, -1.0)], Relation::AtLeast, -bound / force_unit);
                }
                for wrench in row.wrenches() {
                    for (k, value) in wrench
                        .scaled(&problem.bodies, &problem.scales)
                        .into_iter()
                        .enumerate()
                        .filter(|(_, value)| *value != 0.0)
                    {
                        rows[6 * wrench.body as usize + k].push((unknown, sign * unit * value));
                    }
                }
            }
            for wrench in row.wrenches() {
                let scaled = wrench.times(row.nearest_to_zero()).scaled(&problem.bodies, &problem.scales);
                for (constant, value) in constant[wrench.body as usize].iter_mut().zip(scaled) {
                    *constant += value / (unit * self.gravity);
                }
            }
        }
        let slack = if loads.is_some() { DIRECT.unbounded_ratio } else { 1.0 };
        if let Some(loads) = loads {
            let factor = program.add_unknown(-1.0);
            program.add_row(vec![(factor, -1.0)], Relation::AtLeast, -DIRECT.unbounded_ratio);
            let load_unit = self.load_unit(problem, loads) / (unit * self.gravity);
            for load in loads {
                let scaled = load.wrench(problem).scaled(&problem.bodies, &problem.scales);
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
                let right = -free[k] / (scales[k] * unit * self.gravity) - constant[body][k];
                program.add_row(entries, Relation::Equal, right);
            }
        }
        program
    }

    /// Solves a program, and again with reversed unknowns if the solver fails.
    fn minimise(&self, program: &LinearProgram) -> Option<Vec<f64>> {
        let right = |result: Result<Vec<f64>, LpFailure>| {
            result.ok().filter(|values| program.violation(values) <= LINEAR_PROGRAMS.violation)
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

    fn read(&self, problem: &Problem, values: &[f64]) -> ProgramValues {
        let mut at = 0;
        let unit = self.mass * self.gravity;
        let mut forces = Vec::with_capacity(problem.row_data.len());
        for (i, data) in problem.row_data.iter().enumerate() {
            let mut local = DVec3::ZERO;
            for edge in self.edges(i) {
                local += edge * values[at].max(0.0);
                at += 1;
            }
            forces.push(data.axes * local * unit);
        }
        let mut joint_forces = Vec::with_capacity(self.rows.len());
        for row in self.rows {
            let mut strength = row.nearest_to_zero();
            for (sign, _) in Self::signed_ranges(row) {
                strength += sign * values[at].max(0.0) * unit;
                at += 1;
            }
            joint_forces.push(strength.clamp(row.range[0], row.range[1]));
        }
        ProgramValues { forces, joint_forces, load: values.get(at).copied().unwrap_or(0.0) }
    }
}

/// Adds up entries of the same unknown: several loads may act on one body.
fn merge(entries: &mut Vec<(usize, f64)>) {
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}
