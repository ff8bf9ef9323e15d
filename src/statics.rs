//! Statics of a world: whether a structure can stand, with which forces, and which load brings it
//! down.
//!
//! [`Physics::statics`](crate::Physics::statics) reads a structure from the world and changes
//! nothing. The answers are those of [`resting::statics`](crate::resting::statics), with entities
//! in them.

use crate::error::StepError;
use crate::math::{DVec3, Vec3, from_f64, to_f64};
use crate::resting::statics::ForceRow;
use crate::resting::{Problem, statics as solver};
use crate::tolerances::GAME;
use hecs::Entity;
use std::fmt;
use std::ops::Range;

/// Bodies connected by contacts and joints at their present poses, as a problem of statics.
/// Velocities play no part, nor do those of platforms and belts; external forces do.
///
/// It is read once, by [`Physics::statics`](crate::Physics::statics), and does not follow the
/// world.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(crate) bodies: Vec<Entity>,
    /// Colliders, points and normals of the contacts, in the order of the problem's.
    pub(crate) contacts: Vec<ContactForce>,
    pub(crate) problem: Problem,
    /// The rows of its joints, and the range of each joint.
    pub(crate) joint_rows: Vec<ForceRow>,
    pub(crate) joints: Vec<JointRows>,
    /// Greatest acceleration of a body that counts as standing (in g).
    pub(crate) tolerance: f64,
    /// The body asked about.
    pub(crate) entity: Entity,
}

/// A joint of a structure, and the range of its rows.
#[derive(Clone, Debug)]
pub(crate) struct JointRows {
    pub joint: Entity,
    pub rows: Range<usize>,
}

/// The force and torque of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointForce {
    /// The joint.
    pub joint: Entity,
    /// Force on its second body (N, world); the opposite one acts on the first.
    pub force: Vec3,
    /// Torque on its second body beyond that of the force at its anchor (N m, world).
    pub torque: Vec3,
}

/// The force of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactForce {
    /// The entities of the two colliders.
    pub entities: [Entity; 2],
    /// The contact point (m, world).
    pub point: Vec3,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// Force on the second, friction included (N, world).
    pub force: Vec3,
}

/// Stability of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// True if forces inside the friction cones can hold every body.
    pub stands: bool,
    /// The greatest acceleration of a body under the best forces found (in g).
    pub acceleration: f64,
    /// Forces that hold the structure, or come as near to that as any. Where supports share a load
    /// in more than one way, one of the ways.
    pub forces: Vec<ContactForce>,
    /// The forces of its joints then.
    pub joints: Vec<JointForce>,
}

/// The load that brings a structure down.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakingLoad {
    /// The factor by which the given loads must be multiplied. Infinite if no multiple (up to 10⁴
    /// times the weight of the structure) brings it down.
    pub factor: f64,
    /// The forces of the contacts under that load.
    pub forces: Vec<ContactForce>,
    /// The forces of its joints then.
    pub joints: Vec<JointForce>,
}

/// An extra force on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body: one of [`Structure::bodies`].
    pub entity: Entity,
    /// The point where it acts (m, world), or `None` for the centre of mass.
    pub point: Option<Vec3>,
    /// The force (N, world).
    pub force: Vec3,
}

impl Load {
    /// A force on the centre of mass of a body.
    pub fn new(entity: Entity, force: Vec3) -> Self {
        Self { entity, point: None, force }
    }

    /// The same force at a point (m, world).
    pub fn at(self, point: Vec3) -> Self {
        Self { point: Some(point), ..self }
    }
}

/// The reason why a question of statics has no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StaticsError {
    /// A step would refuse the world too.
    World(StepError),
    /// The entity asked about, or that of a load, is not a dynamic body.
    NotDynamic {
        /// The entity.
        entity: Entity,
    },
    /// A joint of the structure has a spring that is tuned to the effective mass: its force is
    /// known in motion only.
    Tuned {
        /// The body.
        entity: Entity,
        /// The joint.
        joint: Entity,
    },
    /// More contact points and rows of joints than the linear programs can take.
    TooLarge {
        /// The body asked about.
        entity: Entity,
        /// The contact points of its structure, and the rows of its joints.
        contacts: usize,
    },
    /// A load is not finite, or its body is not of the structure.
    Load {
        /// The body of the load.
        entity: Entity,
        /// The problem, with the value.
        problem: String,
    },
    /// The structure does not stand even without the load.
    DoesNotStand {
        /// The body asked about.
        entity: Entity,
    },
    /// No solver found an answer that passes the check.
    NoAnswer {
        /// The body asked about.
        entity: Entity,
    },
}

impl fmt::Display for StaticsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(error) => error.fmt(f),
            Self::NotDynamic { entity } => write!(f, "entity {entity:?} is not a dynamic body"),
            Self::Tuned { entity, joint } => write!(
                f,
                "entity {entity:?} hangs on joint {joint:?}, whose spring is tuned to the effective mass and has no known force at rest"
            ),
            Self::TooLarge { entity, contacts } => write!(
                f,
                "the structure of entity {entity:?} has {contacts} contact points and rows of joints, more than {}",
                GAME.max_points
            ),
            Self::Load { entity, problem } => write!(f, "load on entity {entity:?}: {problem}"),
            Self::DoesNotStand { entity } => {
                write!(f, "the structure of entity {entity:?} does not stand without the load")
            }
            Self::NoAnswer { entity } => {
                write!(f, "the linear program found no answer for the structure of entity {entity:?}")
            }
        }
    }
}

impl std::error::Error for StaticsError {}

impl From<StepError> for StaticsError {
    fn from(error: StepError) -> Self {
        Self::World(error)
    }
}

impl Structure {
    /// The dynamic bodies of the structure, the one asked about among them.
    pub fn bodies(&self) -> &[Entity] {
        &self.bodies
    }

    /// Decides if the structure can stand. It can if some forces inside the friction cones hold it;
    /// nature need not choose them: a ball pressed into a gap between two walls could be held by
    /// any squeeze.
    ///
    /// # Errors
    /// [`StaticsError::NoAnswer`].
    pub fn stability(&self) -> Result<Stability, StaticsError> {
        let answer = solver::stability_with_joints(&self.problem, &self.joint_rows, self.tolerance);
        let solver::Stability { stands, acceleration, forces, joint_forces } =
            answer.map_err(|error| self.to_error(error, &[]))?;
        Ok(Stability { stands, acceleration, forces: self.forces(&forces), joints: self.joints(&joint_forces) })
    }

    /// The factor by which these loads, all together, must be multiplied to bring the structure
    /// down: limit analysis (Livesley 1978). One load of 1 N gives the force in newtons that the
    /// structure bears in that direction.
    ///
    /// # Errors
    /// [`StaticsError::Load`], [`StaticsError::DoesNotStand`] or [`StaticsError::NoAnswer`].
    pub fn breaking_load(&self, loads: &[Load]) -> Result<BreakingLoad, StaticsError> {
        let mut solver_loads = Vec::with_capacity(loads.len());
        for load in loads {
            let wrong = |problem: String| StaticsError::Load { entity: load.entity, problem };
            let Some(body) = self.bodies.iter().position(|&body| body == load.entity) else {
                return Err(wrong("it is not a body of the structure".to_owned()));
            };
            if !load.force.is_finite() || load.force == Vec3::ZERO {
                return Err(wrong(format!("the force must be finite and not zero, got {}", load.force)));
            }
            if let Some(point) = load.point.filter(|point| !point.is_finite()) {
                return Err(wrong(format!("the point must be finite, got {point}")));
            }
            let point = load.point.map_or(self.problem.body(body).position, to_f64);
            solver_loads.push(solver::Load { body: body as u32, point, force: to_f64(load.force) });
        }
        let answer = solver::breaking_load_with_joints(&self.problem, &self.joint_rows, &solver_loads, self.tolerance)
            .map_err(|error| self.to_error(error, loads))?;
        let solver::BreakingLoad { factor, forces, joint_forces, .. } = answer;
        Ok(BreakingLoad { factor, forces: self.forces(&forces), joints: self.joints(&joint_forces) })
    }

    fn forces(&self, forces: &[DVec3]) -> Vec<ContactForce> {
        self.contacts.iter().zip(forces).map(|(contact, &f)| ContactForce { force: from_f64(f), ..*contact }).collect()
    }

    fn joints(&self, strengths: &[f64]) -> Vec<JointForce> {
        let of = |joint: &JointRows| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for (row, &strength) in self.joint_rows[joint.rows.clone()].iter().zip(&strengths[joint.rows.clone()]) {
                force += row.forces[1] * strength;
                if row.forces[1] == DVec3::ZERO {
                    torque += row.torques[1] * strength;
                }
            }
            JointForce { joint: joint.joint, force: from_f64(force), torque: from_f64(torque) }
        };
        self.joints.iter().map(of).collect()
    }

    fn to_error(&self, error: solver::StaticsError, loads: &[Load]) -> StaticsError {
        let entity = self.entity;
        match error {
            solver::StaticsError::TooLarge => {
                StaticsError::TooLarge { entity, contacts: self.contacts.len() + self.joint_rows.len() }
            }
            // The rows come from joints that gather has validated.
            solver::StaticsError::NoAnswer | solver::StaticsError::ForceRow(_) => StaticsError::NoAnswer { entity },
            solver::StaticsError::DoesNotStand => StaticsError::DoesNotStand { entity },
            solver::StaticsError::Load(i) => {
                StaticsError::Load { entity: loads[i].entity, problem: format!("{} N is not possible", loads[i].force) }
            }
        }
    }
}
