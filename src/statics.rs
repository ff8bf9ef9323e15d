//! Statics of a world: can what is built there stand, with which forces, and what load brings it down?
//!
//! [`Physics::statics`](crate::Physics::statics) reads a structure from the world as it is, and changes nothing. The answers
//! are those of [`resting::statics`](crate::resting::statics), with entities in them.

use crate::error::StepError;
use crate::math::{DVec3, Vec3, from_f64, to_f64};
use crate::resting::statics::Bond;
use crate::resting::{Problem, statics as law};
use crate::tolerances::STATICS_CONTACTS;
use hecs::Entity;
use std::fmt;
use std::ops::Range;

/// Bodies that hang together by contacts and joints, as they stand: what can be asked of them. Motion plays no part, nor do the
/// velocities of platforms and belts; external forces do.
///
/// It is read once, by [`Physics::statics`](crate::Physics::statics), and does not follow the world.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(crate) bodies: Vec<Entity>,
    /// The contacts' colliders, points and normals, in the order of the problem's.
    pub(crate) touches: Vec<ContactForce>,
    pub(crate) problem: Problem,
    /// The rows of its joints, and whose they are.
    pub(crate) bonds: Vec<Bond>,
    pub(crate) tied: Vec<Tied>,
    /// How far from equilibrium a body that stands may be (in g).
    pub(crate) tolerance: f64,
    /// Who was asked about.
    pub(crate) asked: Entity,
}

/// A joint of a structure, and its rows among all.
#[derive(Clone, Debug)]
pub(crate) struct Tied {
    pub joint: Entity,
    pub rows: Range<usize>,
}

/// What a joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointForce {
    /// The joint.
    pub joint: Entity,
    /// Force on its second body (N, world); the opposite one acts on the first.
    pub force: Vec3,
    /// Torque on its second body beside that of the force at its anchor (N m, world).
    pub torque: Vec3,
}

/// What a contact carries.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactForce {
    /// The entities of the two colliders.
    pub entities: [Entity; 2],
    /// Where (m, world).
    pub point: Vec3,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// Force on the second, friction included (N, world).
    pub force: Vec3,
}

/// Whether a structure can stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Whether forces inside the friction cones can hold every body.
    pub stands: bool,
    /// The acceleration that is left to the worst body under the best forces found (in g).
    pub acceleration: f64,
    /// Forces that hold it or come as near to it as any. Where supports share a load in more than one way, one of the ways.
    pub forces: Vec<ContactForce>,
    /// What its joints carry then.
    pub joints: Vec<JointForce>,
}

/// The load that brings a structure down.
#[derive(Clone, Debug, PartialEq)]
pub struct Collapse {
    /// By which number to multiply the loads given. Infinite if no multiple (up to 10⁴ times the weight of the structure)
    /// brings it down.
    pub factor: f64,
    /// The forces of the contacts under that load.
    pub forces: Vec<ContactForce>,
    /// What its joints carry then.
    pub joints: Vec<JointForce>,
}

/// An extra force on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The body: one of [`Structure::bodies`].
    pub entity: Entity,
    /// Where it acts (m, world), or `None` for the centre of mass.
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

/// Why a question of statics has no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StaticsError {
    /// The world would be refused by a step too.
    World(StepError),
    /// The entity asked about, or that of a load, is not a dynamic body.
    NotDynamic {
        /// The entity.
        entity: Entity,
    },
    /// A body of the structure hangs on a joint whose spring is tuned to what it moves: how strongly it pulls is known in motion
    /// only.
    Tuned {
        /// The body.
        entity: Entity,
        /// The joint.
        joint: Entity,
    },
    /// More contact points and rows of joints than linear programs are good for.
    TooLarge {
        /// The body asked about.
        entity: Entity,
        /// The contact points of its structure, and the coordinates that its joints hold.
        contacts: usize,
    },
    /// A load is not finite, or its body is not of the structure.
    Load {
        /// The body of the load.
        entity: Entity,
        /// What is wrong with which value.
        problem: String,
    },
    /// The structure does not stand even without the load.
    DoesNotStand {
        /// The body asked about.
        entity: Entity,
    },
    /// No solver answered, or not rightly.
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
                "entity {entity:?} hangs on joint {joint:?}, whose spring is tuned to what it moves and has no strength at rest"
            ),
            Self::TooLarge { entity, contacts } => write!(
                f,
                "the structure of entity {entity:?} has {contacts} contact points and rows of joints, more than {STATICS_CONTACTS}"
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
    /// The dynamic bodies that hang together, the one asked about among them.
    pub fn bodies(&self) -> &[Entity] {
        &self.bodies
    }

    /// Whether the structure can stand. A yes says that forces can hold it, not that it finds them: a ball pressed into a gap
    /// between two walls could be held by any squeeze.
    ///
    /// # Errors
    /// [`StaticsError::NoAnswer`].
    pub fn stand(&self) -> Result<Standing, StaticsError> {
        let answer = law::stand_bonded(&self.problem, &self.bonds, self.tolerance);
        let law::Stand { stands, acceleration, forces, bonds } = answer.map_err(|error| self.name(error, &[]))?;
        Ok(Standing { stands, acceleration, forces: self.forces(&forces), joints: self.joints(&bonds) })
    }

    /// By which number these loads, all together, must be multiplied to bring the structure down: limit analysis (Livesley
    /// 1978). One load of 1 N gives the force in newtons that it bears in that direction.
    ///
    /// # Errors
    /// [`StaticsError::Load`], [`StaticsError::DoesNotStand`] or [`StaticsError::NoAnswer`].
    pub fn breaking_load(&self, loads: &[Load]) -> Result<Collapse, StaticsError> {
        let mut posed = Vec::with_capacity(loads.len());
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
            posed.push(law::Load { body: body as u32, point, force: to_f64(load.force) });
        }
        let answer = law::breaking_load_bonded(&self.problem, &self.bonds, &posed, self.tolerance)
            .map_err(|error| self.name(error, loads))?;
        let law::BreakingLoad { factor, forces, bonds, .. } = answer;
        Ok(Collapse { factor, forces: self.forces(&forces), joints: self.joints(&bonds) })
    }

    fn forces(&self, forces: &[DVec3]) -> Vec<ContactForce> {
        self.touches.iter().zip(forces).map(|(touch, &f)| ContactForce { force: from_f64(f), ..*touch }).collect()
    }

    fn joints(&self, strengths: &[f64]) -> Vec<JointForce> {
        let of = |tied: &Tied| {
            let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
            for (bond, &strength) in self.bonds[tied.rows.clone()].iter().zip(&strengths[tied.rows.clone()]) {
                force += bond.force * strength;
                if bond.force == DVec3::ZERO {
                    torque += bond.torques[1] * strength;
                }
            }
            JointForce { joint: tied.joint, force: from_f64(force), torque: from_f64(torque) }
        };
        self.tied.iter().map(of).collect()
    }

    fn name(&self, error: law::StaticsError, loads: &[Load]) -> StaticsError {
        let entity = self.asked;
        match error {
            law::StaticsError::TooLarge => {
                StaticsError::TooLarge { entity, contacts: self.touches.len() + self.bonds.len() }
            }
            // Bonds are made here, of joints that gather has found sound.
            law::StaticsError::NoAnswer | law::StaticsError::Bond(_) => StaticsError::NoAnswer { entity },
            law::StaticsError::DoesNotStand => StaticsError::DoesNotStand { entity },
            law::StaticsError::Load(i) => {
                StaticsError::Load { entity: loads[i].entity, problem: format!("{} N is not possible", loads[i].force) }
            }
        }
    }
}
