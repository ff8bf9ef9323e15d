//! The components: plain data, one concept per file.
//!
//! An entity with [`RigidBody`] is a body. All other components have defaults. The step adds those
//! that it writes: [`Position`], [`Orientation`], [`LinearVelocity`], [`AngularVelocity`] for
//! bodies that can move, and [`BodySlot`]. Adding them moves the entity to another archetype once;
//! [`Body`] spawns with all of them.
//!
//! | component | default | unit |
//! |---|---|---|
//! | [`RigidBody`] | - (makes the entity a body) | |
//! | [`Position`], [`Orientation`] | origin, identity | m |
//! | [`LinearVelocity`], [`AngularVelocity`] | 0 | m/s, rad/s |
//! | [`Collider`] | none: no collisions | m |
//! | [`ColliderOf`] | none | m |
//! | [`Material`] | friction 0.5, restitution 0 | |
//! | [`Density`] | 1000 | kg/m³ |
//! | [`Mass`], [`Inertia`], [`CenterOfMass`] | from colliders and density | kg, kg m², m |
//! | [`ExternalForce`], [`ExternalTorque`], [`ExternalImpulse`] | none | N, N m, N s |
//! | [`GravityScale`] | 1 | |
//! | [`Damping`] | none | 1/s |
//! | [`LockedAxes`] | none | |
//! | [`VelocityLimit`] | none | m/s, rad/s |
//! | [`KinematicTarget`] | none: moves by its velocities | m |
//! | [`CollisionLayers`] | layer 0, collides with all | |
//! | [`SolverLayers`] | layer 0, forces with all | |
//! | [`IgnoreContactsWith`] | none | |
//! | [`Sensor`], [`Ccd`], [`Disabled`] | absent | |
//! | [`SleepControl`] | automatic | |
//! | [`SurfaceVelocity`] | 0 | m/s |
//! | [`ContactForceThreshold`] | none | N |
//! | [`Particle`] | - (makes the entity a particle, not a body) | m, kg |
//!
//! A [`Joint`] is an entity of its own, with a [`JointState`] that the step writes.

mod body;
mod collider;
mod collider_kinds;
mod custom_shape;
mod forces;
mod ignore_contacts;
mod joint;
mod joint_axis;
mod joint_state;
mod kinematic_target;
mod layers;
mod locked_axes;
mod markers;
mod mass;
mod material;
mod particle;
mod pose;
mod rigid_body;
mod sleep_control;
mod slot;
mod surface;
mod swing_twist;
mod velocity;
mod velocity_limit;
mod with;

pub use crate::shapes::Decomposition;
pub use body::Body;
pub use collider::{Collider, ColliderOf};
pub(crate) use custom_shape::as_custom;
pub use custom_shape::{Custom, CustomShape};
pub use forces::{Damping, ExternalForce, ExternalImpulse, ExternalTorque, GravityScale};
pub use ignore_contacts::IgnoreContactsWith;
pub use joint::{Joint, JointFrame, JointKind};
pub use joint_axis::{JointAxis, JointFreedom, JointSpring, Motor, MotorTarget};
pub use joint_state::JointState;
pub use kinematic_target::KinematicTarget;
pub use layers::{CollisionLayers, SolverLayers};
pub use locked_axes::LockedAxes;
pub use markers::{Ccd, Disabled, Sensor};
pub use mass::{CenterOfMass, Density, Inertia, Mass};
pub use material::{CombineRule, CombineRules, ImpactLaw, Material};
pub use particle::Particle;
pub use pose::{Orientation, Position};
pub use rigid_body::RigidBody;
pub use sleep_control::SleepControl;
pub use slot::BodySlot;
pub use surface::{ContactForceThreshold, SurfaceVelocity};
pub use swing_twist::SwingTwist;
pub use velocity::{AngularVelocity, LinearVelocity};
pub use velocity_limit::VelocityLimit;
pub use with::With;
