//! A character that is a dynamic body, held above the ground by a spring.

use super::applied_load::{self, BodyLoad, LoadSource};
use super::character::Ground;
use super::collision_filter::{CollisionFilter, EditorMemory};
use super::pose_controller::gains;
use super::walk::{along_ground, is_walkable, level};
use super::{BodyMotion, first_negative, slot_of, steered};
use crate::bodies::{Bodies, Kind};
use crate::components::{Collider, CollisionLayers, ExternalForce};
use crate::error::{StepError, check_time_step};
use crate::math::{Pose, Quat, Real, Vec3, consts::FRAC_PI_4};
use crate::physics::Physics;
use crate::query::{Hit, Probe, ShapeCast};
use hecs::{Entity, World};

/// A character on a dynamic body that floats over the ground on a spring ("floating capsule"): steps
/// and rough ground pass below its collider, and it is pushed, thrown and blown like any body.
///
/// The game sets `walk` and `jump`, and locks the rotation of the body
/// ([`LockedAxes`](crate::LockedAxes)) or turns it by a [`PoseController`](super::PoseController).
/// All forces have their reaction on the body below.
///
/// ```
/// use dolmen::control::FloatingCharacter;
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// let hero = Body::dynamic(Collider::capsule(0.4, 0.3)).mass(80.0).locked(LockedAxes::ROTATION).at(0.0, 1.5, 0.0);
/// let hero = world.spawn(hero.with(FloatingCharacter { walk: Vec3::X * 3.0, ..FloatingCharacter::default() }));
/// for _ in 0..60 {
///     physics.advance(&mut world, 1.0 / 60.0)?;
/// }
/// let at = world.get::<&Position>(hero).unwrap().0;
/// assert!((at.y - 1.0).abs() < 1e-2 && at.x > 2.0, "{at}");
/// assert!(world.get::<&FloatingCharacter>(hero).unwrap().ground.is_some());
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct FloatingCharacter {
    /// Wanted velocity relative to the ground (m/s); only its horizontal part counts.
    pub walk: Vec3,
    /// Jump speed (m/s): used by the next step if it begins on the ground, and set to zero by it in
    /// any case.
    pub jump: Real,
    /// Upward unit vector. Default y.
    pub up: Vec3,
    /// Height of the body's origin above the ground (m). Default 1.
    pub height: Real,
    /// Distance (m) below that height in which there still is ground: the spring is slack there, and
    /// walking and jumping work. Default 0.15.
    pub reach: Real,
    /// Radius of the ball that is cast for the ground (m). Default 0.15.
    pub foot: Real,
    /// Natural frequency of the spring (Hz). Default 5.
    pub frequency: Real,
    /// Damping ratio of the spring. Default 1: no overshoot.
    pub damping_ratio: Real,
    /// Steepest ground that carries (rad). Default 45 degrees.
    pub max_slope: Real,
    /// Greatest horizontal acceleration on the ground (m/s²). Default 50.
    pub acceleration: Real,
    /// Greatest horizontal acceleration in the air (m/s²). Default 10.
    pub air_acceleration: Real,
    /// The ground under the character, written by the system.
    pub ground: Option<Ground>,
}

impl Default for FloatingCharacter {
    fn default() -> Self {
        Self {
            walk: Vec3::ZERO,
            jump: 0.0,
            up: Vec3::Y,
            height: 1.0,
            reach: 0.15,
            foot: 0.15,
            frequency: 5.0,
            damping_ratio: 1.0,
            max_slope: FRAC_PI_4,
            acceleration: 50.0,
            air_acceleration: 10.0,
            ground: None,
        }
    }
}

/// The motion of a body relative to the ground, and what acts on it besides the spring.
struct Relative {
    /// Velocity relative to the ground's point (m/s).
    velocity: Vec3,
    /// Acceleration without the spring (m/s²).
    acceleration: Vec3,
}

impl FloatingCharacter {
    /// Describes the first invalid field, if any.
    fn problem(&self) -> Option<String> {
        if !self.walk.is_finite() {
            return Some(format!("walk must be finite, got {}", self.walk));
        }
        if !self.up.is_normalized() {
            return Some(format!("up must be a unit vector, got {}", self.up));
        }
        let positive = [("height", self.height), ("foot", self.foot)];
        if let Some((name, value)) = positive.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            return Some(format!("{name} must be positive and finite, got {value}"));
        }
        if self.foot >= self.height {
            return Some(format!("foot must be less than height, got {} and {}", self.foot, self.height));
        }
        first_negative(&[
            ("jump", self.jump),
            ("reach", self.reach),
            ("frequency", self.frequency),
            ("damping_ratio", self.damping_ratio),
            ("max_slope", self.max_slope),
            ("acceleration", self.acceleration),
            ("air_acceleration", self.air_acceleration),
        ])
    }

    /// The acceleration (m/s²) that a step of `dt` (s) needs on ground at a distance (m) below the
    /// origin, with its unit normal.
    fn on_ground(&self, distance: Real, normal: Vec3, relative: &Relative, dt: Real) -> Vec3 {
        let Self { up, jump, height, .. } = *self;
        let rising = relative.velocity.dot(up);
        let gravity = -relative.acceleration.dot(up);
        let lift = if jump > 0.0 {
            (jump - rising) / dt
        } else {
            let [stiffness, damping] = gains([self.frequency, self.damping_ratio], dt);
            let spring = stiffness * (height - distance) - damping * rising;
            spring.min((fastest_rise(height - distance, rising, gravity.max(0.0), dt) - rising) / dt)
        };
        // A foot pushes and never pulls.
        let lift = (lift + gravity).max(0.0);
        let wanted = along_ground(self.walk, normal, up) - relative.velocity;
        up * lift + self.towards(wanted, relative, self.acceleration, dt)
    }

    /// The horizontal acceleration (m/s²), at most `most` (m/s²), that changes the velocity by `wanted`
    /// (m/s) within a step of `dt` (s).
    fn towards(&self, wanted: Vec3, relative: &Relative, most: Real, dt: Real) -> Vec3 {
        level(wanted / dt - relative.acceleration, self.up).clamp_length_max(most)
    }
}

/// The greatest speed (m/s) after a step of `dt` (s) from which `gravity` (m/s²) brakes a rise of
/// `room` (m) at its end, for a speed `rising` (m/s) before: `v² = 2 g (room - dt (rising + v) / 2)`.
fn fastest_rise(room: Real, rising: Real, gravity: Real, dt: Real) -> Real {
    let half = 0.5 * gravity * dt;
    let square = half * half + 2.0 * gravity * room - gravity * dt * rising;
    (square.max(0.0).sqrt() - half).max(0.0)
}

/// Applies the springs and the steering of all [`FloatingCharacter`]s for the coming step of `dt` (s):
/// call it before [`Physics::step`], with the same `dt`, after the systems of other forces. Bodies
/// that no step has seen yet are not held.
///
/// # Errors
/// [`StepError`] for an invalid time step, and for a character that is invalid or not on a dynamic
/// body. It names the entity; then nothing was applied.
pub fn step_floating_characters(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time_step(dt)?;
    let bodies = &physics.state().bodies;
    let mut loads: Vec<BodyLoad> = Vec::new();
    let mut steered_ones = Vec::new();
    for (slot, entity) in steered::<FloatingCharacter>(world, physics) {
        let bad = |problem: String| StepError::Component { entity, component: "FloatingCharacter", problem };
        let mut character = *world.get::<&FloatingCharacter>(entity).expect("the component was just found");
        if bodies.kind[slot] != Kind::Dynamic {
            return Err(bad("the body must be dynamic".into()));
        }
        if let Some(problem) = character.problem() {
            return Err(bad(problem));
        }
        let editor_memory = EditorMemory::of(world, entity);
        steer(&mut character, world, physics, (slot, entity), dt, &editor_memory, &mut loads);
        steered_ones.push((entity, character, editor_memory.into_changes()));
    }
    for (entity, character, memory) in steered_ones {
        if let Ok(mut place) = world.get::<&mut FloatingCharacter>(entity) {
            *place = character;
        }
        if let Some(memory) = memory {
            world.insert_one(entity, memory).expect("the entity was there a moment ago");
        }
    }
    applied_load::replace_loads(world, LoadSource::Floating, &loads);
    Ok(())
}

/// Steers one character, and adds the forces on it and on the ground to `loads`.
fn steer(
    character: &mut FloatingCharacter,
    world: &World,
    physics: &Physics,
    (slot, entity): (usize, Entity),
    dt: Real,
    editor_memory: &EditorMemory,
    loads: &mut Vec<BodyLoad>,
) {
    let bodies = &physics.state().bodies;
    let row = world.entity(entity).expect("the entity was just found");
    let BodyMotion { pose, velocity, .. } = BodyMotion::of(row, bodies, slot);
    let mass = bodies.mass[slot];
    let other_forces = applied_load::force_besides(world, entity, LoadSource::Floating);
    let acceleration = bodies.inputs[slot].gravity(physics.settings.gravity) + other_forces / mass;
    let layers = world.get::<&CollisionLayers>(entity).map_or(CollisionLayers::default(), |layers| *layers);
    let filter = CollisionFilter { world, physics, own: (entity, slot), layers, ignored: None, editor_memory };
    let ground = cast(character, &pose, &filter);
    let (up, jump) = (character.up, std::mem::take(&mut character.jump));
    character.ground =
        ground.as_ref().map(|(_, hit)| Ground { entity: hit.entity, point: hit.point, normal: hit.normal });
    let Some((distance, hit)) = ground else {
        let relative = Relative { velocity, acceleration: Vec3::ZERO };
        let force = character.towards(level(character.walk - velocity, up), &relative, character.air_acceleration, dt);
        loads.push((entity, [force * mass, Vec3::ZERO]));
        return;
    };
    let below = slot_of(world, bodies, hit.entity);
    let carried = below.map_or(Vec3::ZERO, |below| bodies.velocity_at(below, hit.point - bodies.center[below]));
    let relative = Relative { velocity: velocity - carried - filter.edited_surface_velocity(&hit), acceleration };
    let jumping = FloatingCharacter { jump, ..*character };
    let force = jumping.on_ground(distance, hit.normal, &relative, dt) * mass;
    loads.push((entity, [force, Vec3::ZERO]));
    loads.extend(reaction(bodies, below, &hit, -force));
}

/// The load of a force (N) at a hit on the dynamic body below.
fn reaction(bodies: &Bodies, below: Option<usize>, hit: &Hit, force: Vec3) -> Option<BodyLoad> {
    let below = below.filter(|&below| bodies.kind[below] == Kind::Dynamic)?;
    let (force, torque) = ExternalForce::at_point(force, hit.point, bodies.center[below]);
    Some((hit.entity, [force.0, torque.0]))
}

/// The distance (m) of the ground below the origin and its hit, within reach and not too steep.
fn cast(character: &FloatingCharacter, pose: &Pose, filter: &CollisionFilter) -> Option<(Real, Hit)> {
    let FloatingCharacter { up, height, reach, foot, max_slope, .. } = *character;
    let probe = Probe::new(&Collider::ball(foot), pose.translation, Quat::IDENTITY).ok()?;
    let cast = ShapeCast::new(probe, -up, height + reach - foot).ok()?;
    let hit = filter.shape_cast(&cast)?;
    is_walkable(hit.normal, up, max_slope).then_some((hit.distance + foot, hit))
}
