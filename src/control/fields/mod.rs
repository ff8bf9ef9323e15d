//! Fields: gravity by place, wind, water, and impulses from a point.
//!
//! A field is a component of an entity, at the pose of that entity ([`Position`],
//! [`Orientation`]; without them the origin). [`step_fields`] applies all of them
//! to the dynamic bodies before each step, as forces besides the game's own.
//!
//! | component | acts on |
//! |---|---|
//! | [`GravityField`] | bodies whose centre of mass is in its region |
//! | [`Wind`] | the same, if they have [`Drag`] |
//! | [`Water`] | bodies below its surface |
//!
//! [`radial_impulse`] acts at once.
//!
//! ```
//! use dolmen::control::fields::{Water, step_fields};
//! use dolmen::prelude::*;
//! let (mut world, mut physics) = (hecs::World::new(), Physics::default());
//! // A pond of 20 m by 20 m, 5 m deep, its surface at zero.
//! world.spawn((Position::new(0.0, 0.0, 0.0), Water::fresh(Vec3::new(10.0, 5.0, 10.0))));
//! let raft = world.spawn(Body::dynamic(Collider::cuboid(2.0, 0.25, 1.0)).at(0.0, 1.0, 0.0).density(600.0));
//! for _ in 0..900 {
//!     step_fields(&mut world, &physics, 1.0 / 60.0)?;
//!     physics.step(&mut world, 1.0 / 60.0)?;
//! }
//! // Six tenths of its height are below the surface.
//! let draught = 0.25 - world.get::<&Position>(raft).unwrap().0.y;
//! assert!((draught - 0.6 * 0.5).abs() < 1e-3, "{draught}");
//! # Ok::<(), dolmen::StepError>(())
//! ```
//!
//! The laws take the state after the last step, and the forces act over the whole step that follows.
//! Each is made so that a long step cannot turn it round: drag never reverses the motion that it
//! slows. A force that changes by less than a hundred-thousandth is left as it was, so that bodies at
//! rest in a field fall asleep. Results do not depend on rows, entity numbers or threads: fields of
//! one kind act in the order of their values.

mod gravity;
mod radial;
mod region;
pub mod submerged;
mod water;
mod wind;

pub use gravity::{GravityField, GravityLaw};
pub use radial::{Falloff, RadialImpulse, radial_impulse};
pub use region::Region;
pub use water::Water;
pub use wind::{Drag, Wind};

use super::BodyMotion;
use super::applied_load::{self, LoadSource};
use crate::bodies::Kind;
use crate::components::{Disabled, Orientation, Position};
use crate::error::{StepError, check_time_step};
use crate::ids::NONE;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::motion::center::pose_after;
use crate::physics::Physics;
use crate::state::State;
use crate::tolerances::FIELD_CHANGE;
use hecs::{Component, Entity, World};
use std::cmp::Ordering;

/// A component that is a field.
trait Field: Component + Copy {
    const NAME: &'static str;

    /// Describes the first invalid value.
    fn problem(&self) -> Option<String>;

    /// The numbers by which fields at one place are ordered: all on which their forces depend.
    fn key(self) -> impl Iterator<Item = Real>;
}

/// A field and the pose of its entity.
#[derive(Clone, Copy)]
struct Placed<F> {
    field: F,
    pose: Pose,
}

/// A body in the fields, at the start of a step.
struct Floating<'a> {
    slot: usize,
    physics: &'a Physics,
    pose: Pose,
    /// Centre of mass (m, world).
    center: Vec3,
    velocity: Vec3,
    spin: Vec3,
    mass: Real,
    dt: Real,
}

/// Applies all fields for the coming step of `dt` (s): call it before
/// [`Physics::step`], with the same `dt`. Bodies that no step has seen yet get no forces.
///
/// # Errors
/// [`StepError`] for an invalid time step, and for a field or [`Drag`] with an impossible value. It
/// names the entity; then nothing was changed.
pub fn step_fields(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time_step(dt)?;
    let gravity = placed::<GravityField>(world)?;
    let wind = placed::<Wind>(world)?;
    let water = placed::<Water>(world)?;
    wind::check_drag(world)?;
    let mut loads = Vec::new();
    if !(gravity.is_empty() && wind.is_empty() && water.is_empty()) {
        let State { bodies, colliders, .. } = physics.state();
        // Further colliders, by their bodies.
        let mut parts: Vec<(u32, u32)> = Vec::new();
        if !water.is_empty() {
            let further = (0..bodies.slots() as u32).map(|slot| (colliders.body[slot as usize], slot));
            parts.extend(further.filter(|&(body, slot)| body != NONE && body != slot));
            parts.sort_unstable();
        }
        for slot in (0..bodies.slots()).filter(|&slot| bodies.kind[slot] == Kind::Dynamic) {
            let entity = bodies.entity[slot];
            let Some(body) = Floating::of(world, physics, slot, dt) else { continue };
            let fall = gravity::acceleration(&gravity, &body);
            let drag = world.get::<&Drag>(entity).ok().map(|drag| *drag);
            let mut load = [body.gravity_force(fall), Vec3::ZERO];
            let forces = [
                drag.map_or([Vec3::ZERO; 2], |drag| wind::force(&wind, &drag, &body, fall)),
                water::force(&water, &body, fall, &parts),
            ];
            for [force, torque] in forces {
                load[0] += force;
                load[1] += torque;
            }
            if load != [Vec3::ZERO; 2] {
                loads.push((entity, steady(world, entity, load)));
            }
        }
    }
    applied_load::replace_loads(world, LoadSource::Fields, &loads);
    Ok(())
}

/// The load of the last step, where the new one hardly differs.
fn steady(world: &World, entity: Entity, load: [Vec3; 2]) -> [Vec3; 2] {
    let last = applied_load::part_of(world, entity, LoadSource::Fields);
    let keeps = |k: usize| (load[k] - last[k]).length() <= FIELD_CHANGE * load[k].length();
    if keeps(0) && keeps(1) { last } else { load }
}

/// All fields of a kind, in the order of their values.
fn placed<F: Field>(world: &World) -> Result<Vec<Placed<F>>, StepError> {
    let mut all = Vec::new();
    let mut query = world.query::<(Entity, &F, Option<&Position>, Option<&Orientation>)>().without::<&Disabled>();
    for (entity, field, position, orientation) in query.iter() {
        if let Some(problem) = field.problem() {
            return Err(StepError::Component { entity, component: F::NAME, problem });
        }
        let turn = orientation.map_or(Quat::IDENTITY, |q| q.0.normalize());
        all.push(Placed { field: *field, pose: Pose::from_parts(position.map_or(Vec3::ZERO, |p| p.0), turn) });
    }
    all.sort_by(|a, b| {
        let key = |placed: &Placed<F>| {
            let (p, q) = (placed.pose.translation, placed.pose.rotation);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w].into_iter().chain(placed.field.key())
        };
        key(a).zip(key(b)).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    });
    Ok(all)
}

impl<'a> Floating<'a> {
    fn of(world: &World, physics: &'a Physics, slot: usize, dt: Real) -> Option<Self> {
        let bodies = &physics.state().bodies;
        let row = world.entity(bodies.entity[slot]).ok()?;
        if row.has::<Disabled>() {
            return None;
        }
        let BodyMotion { pose, velocity, spin } = BodyMotion::of(row, bodies, slot);
        Some(Self {
            slot,
            physics,
            pose,
            center: pose * bodies.local_center[slot],
            velocity,
            spin,
            mass: bodies.mass[slot],
            dt,
        })
    }

    /// The world's gravity, with the body's factor (m/s²).
    fn world_gravity(&self) -> Vec3 {
        self.physics.state().bodies.inputs[self.slot].gravity(self.physics.settings.gravity)
    }

    /// The force that makes the body fall with an acceleration instead of the world's gravity (N).
    fn gravity_force(&self, fall: Vec3) -> Vec3 {
        let extra = fall - self.world_gravity();
        if extra == Vec3::ZERO { Vec3::ZERO } else { extra * self.mass }
    }

    /// The centre of mass in the middle of the step (m), without forces. A force that depends on the
    /// place is taken there: the step is then accurate to second order, and gives an oscillation
    /// neither energy nor loss.
    fn center_midway(&self) -> Vec3 {
        self.center + self.velocity * (0.5 * self.dt)
    }

    /// The pose in the middle of the step.
    fn pose_midway(&self) -> Pose {
        let local = self.physics.state().bodies.local_center[self.slot];
        pose_after(&self.pose, local, [self.velocity, self.spin], 0.5 * self.dt)
    }
}
