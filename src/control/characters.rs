//! The system that moves characters.

use super::applied_load::{self, BodyLoad, LoadSource};
use super::character::{Character, CharacterState, Ground};
use super::collide_and_slide::{CharacterMover, probe_of};
use super::collision_filter::{CollisionFilter, ContactEditorMemory, EditorMemory};
use super::ground_motion::{GroundMotion, next_pose};
use super::ladder;
use super::planes::{self, Plane};
use super::walk::{along_ground, flight, level, push, steer_in_air};
use super::{slot_of, steered};
use crate::bodies::{Bodies, Kind};
use crate::components::{Collider, CollisionLayers, ExternalForce, KinematicTarget, Orientation, Position};
use crate::error::{StepError, check_time_step};
use crate::math::{Quat, Real, Vec3};
use crate::physics::Physics;
use crate::query::Hit;
use hecs::{Entity, World};

/// Greatest distance of approaching surfaces that a character looks for, in skins. Smaller: fast
/// walls penetrate it for a step. Larger: cost.
const CHARACTER_APPROACH: Real = 100.0;

/// Moves all characters by `dt` (s): call it before [`Physics::step`], with the same `dt`.
/// Characters that no step has seen yet, and disabled ones, do not move: their targets are where
/// they are.
///
/// # Errors
/// [`StepError`] for an invalid time step, and for a [`Character`] that is invalid or not on a
/// kinematic body with a bounded collider. It names the entity; characters with smaller slots have
/// moved.
pub fn step_characters(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time_step(dt)?;
    let mut loads = Vec::new();
    let approach = approach(world, &physics.state().bodies, dt);
    let characters = steered::<Character>(world, physics);
    hold_others(world, &characters);
    for (slot, entity) in characters {
        let bad = |problem| StepError::Component { entity, component: "Character", problem };
        if physics.state().bodies.kind[slot] != Kind::Kinematic {
            return Err(bad("the body must be kinematic".into()));
        }
        let outcome = CharacterMove::read(world, entity)
            .and_then(|walker| walker.step(world, physics, slot, approach, dt))
            .map_err(bad)?;
        loads.extend_from_slice(&outcome.loads);
        outcome.write(world, entity);
    }
    applied_load::replace_loads(world, LoadSource::Characters, &loads);
    Ok(())
}

/// Aims all other characters at their own places: a target from before they were disabled or
/// teleported would drag them across the world.
fn hold_others(world: &World, steered: &[(usize, Entity)]) {
    type Held<'a> = (Entity, &'a mut KinematicTarget, Option<&'a Position>, Option<&'a Orientation>);
    let mut known: Vec<Entity> = steered.iter().map(|(_, entity)| *entity).collect();
    known.sort_unstable();
    for (entity, target, at, orientation) in world.query::<Held>().with::<&Character>().iter() {
        if known.binary_search(&entity).is_err() {
            let at = at.map_or(Vec3::ZERO, |at| at.0);
            *target = KinematicTarget::pose(at, orientation.map_or(Quat::IDENTITY, |turn| turn.0));
        }
    }
}

/// The greatest distance (m) that a point of a kinematic body moves in a step of `dt` (s): the
/// range for pushing surfaces. Other characters are left out: they keep their own distance.
fn approach(world: &World, bodies: &Bodies, dt: Real) -> Real {
    let moves =
        |&slot: &usize| bodies.kind[slot] == Kind::Kinematic && !world.satisfies::<&Character>(bodies.entity[slot]);
    let displacement = |slot: usize| {
        let (from, to) = (bodies.center[slot], next_pose(world, bodies, slot, dt) * bodies.local_center[slot]);
        let turn = bodies.angular_velocity[slot].length() * dt;
        from.distance(to) + if turn > 0.0 { turn * bodies.radius[slot] } else { 0.0 }
    };
    (0..bodies.slots()).filter(moves).fold(0.0, |most, slot| most.max(displacement(slot)))
}

/// The inputs of a character's move.
pub(super) struct CharacterMove {
    entity: Entity,
    pub character: Character,
    state: CharacterState,
    pub collider: Collider,
    pub at: Vec3,
    pub orientation: Quat,
    pub layers: CollisionLayers,
}

/// The result of a move.
struct MoveResult {
    target: KinematicTarget,
    state: CharacterState,
    /// Forces on other bodies.
    loads: Vec<BodyLoad>,
    /// The new user data of contact editors, if it changed.
    editor_memory: Option<ContactEditorMemory>,
}

impl MoveResult {
    fn write(self, world: &mut World, entity: Entity) {
        if let Ok(mut character) = world.get::<&mut Character>(entity) {
            character.jump = 0.0;
        }
        if let Some(editor_memory) = self.editor_memory {
            world.insert_one(entity, editor_memory).expect("the entity was there a moment ago");
        }
        let columns = world.query_one_mut::<(&mut KinematicTarget, &mut CharacterState)>(entity);
        if let Ok((target, state)) = columns {
            (*target, *state) = (self.target, self.state);
        } else {
            world.insert(entity, (self.target, self.state)).expect("the entity was there a moment ago");
        }
    }
}

impl CharacterMove {
    pub fn read(world: &World, entity: Entity) -> Result<Self, String> {
        let at = world.entity(entity).map_err(|problem| problem.to_string())?;
        let character = *at.get::<&Character>().ok_or("there is no Character")?;
        if let Some(problem) = character.problem() {
            return Err(problem);
        }
        let state = at.get::<&CharacterState>().map_or(CharacterState::default(), |state| *state);
        if !state.velocity.is_finite() {
            return Err(format!("the velocity of its CharacterState must be finite, got {}", state.velocity));
        }
        Ok(Self {
            entity,
            character,
            state,
            collider: (*at.get::<&Collider>().ok_or("the body needs a Collider")?).clone(),
            at: at.get::<&Position>().map_or(Vec3::ZERO, |position| position.0),
            orientation: at.get::<&Orientation>().map_or(Quat::IDENTITY, |q| q.0),
            layers: at.get::<&CollisionLayers>().map_or(CollisionLayers::default(), |layers| *layers),
        })
    }

    fn step(
        &self,
        world: &World,
        physics: &Physics,
        slot: usize,
        approach: Real,
        dt: Real,
    ) -> Result<MoveResult, String> {
        let (character, up) = (&self.character, self.character.up);
        let (bodies, gravity) = (&physics.state().bodies, physics.settings.gravity);
        let probe = probe_of(&self.collider, self.at, self.orientation)?;
        let editor_memory = EditorMemory::of(world, self.entity);
        let own = (self.entity, slot);
        let filter =
            CollisionFilter { world, physics, own, layers: self.layers, ignored: None, editor_memory: &editor_memory };
        let mover = CharacterMover { filter, probe: &probe, character, foot: CharacterMover::foot_of(&probe, up) };

        // The ground of the last step may no longer be there.
        let ground = self.state.ground.and_then(|_| mover.ground(self.at, character.snap.max(character.skin)));
        let held = self.state.ladder.is_some() && ground.is_none();
        let grasps = held || character.climb > 0.0 || (character.climb < 0.0 && ground.is_none());
        let ladder = if grasps { ladder::near(&mover, self.at) } else { None };
        let jumps = (ground.is_some() || (held && ladder.is_some())) && character.jump > 0.0;
        let support = ladder.as_ref().or(ground.as_ref().map(|(_, hit, _)| hit));
        let ground_motion = match support {
            Some(hit) => {
                let ground_motion = GroundMotion::on(world, bodies, hit.entity, hit.point, up, dt);
                GroundMotion {
                    displacement: ground_motion.displacement + filter.edited_surface_velocity(hit) * dt,
                    ..ground_motion
                }
            }
            None => GroundMotion::NONE,
        };
        let climbs = ladder.as_ref().filter(|_| !jumps);
        let walks = ground.as_ref().filter(|_| !jumps && climbs.is_none());
        let is_carried = climbs.is_some() || walks.is_some();
        let (displacement, mut velocity) = if climbs.is_some() {
            let velocity = level(character.walk, up) + up * character.climb;
            (velocity * dt, velocity)
        } else if let Some((.., normal)) = walks {
            let velocity = along_ground(character.walk, *normal, up);
            (velocity * dt, velocity)
        } else if jumps {
            flight(level(character.walk, up) + ground_motion.displacement / dt + up * character.jump, gravity, dt)
        } else {
            let start = steer_in_air(self.state.velocity, character.walk, up, character.air_acceleration, dt);
            flight(start, gravity, dt)
        };

        let ground_entity = support.map(|hit| hit.entity);
        let holding = self.constraint_planes(&mover, bodies, world, ground_entity, approach, dt);
        let end = mover.slide(self.at, displacement, holding, walks.is_some());
        let mut at = end.at;
        let mut loads = self.push_loads(world, bodies, &mover, &end.met, dt);

        // A flight ends where it meets ground; a walk follows the ground down.
        let rises = walks.is_none() && (velocity.dot(up) > 0.0 || climbs.is_some_and(|_| character.climb == 0.0));
        let reach = if walks.is_some() { character.snap.max(character.skin) } else { character.skin };
        let found = if rises { None } else { mover.ground(at, reach) };
        let stands = found.map(|(down, hit, normal)| {
            at -= up * down;
            Ground { entity: hit.entity, point: hit.point, normal }
        });
        if !is_carried {
            velocity =
                planes::project(velocity, &end.planes.iter().map(|p| Plane::touched(p.normal)).collect::<Vec<_>>());
        }
        let bears = stands.map(|ground| (ground.entity, ground.point)).or(climbs.map(|hit| (hit.entity, hit.point)));
        if let Some((entity, point)) = bears {
            loads.extend(force_on(world, bodies, entity, point, gravity * character.mass));
        }
        if is_carried {
            at = self.move_with_ground(&mover, at, ground_motion, ground_entity);
            let holds = stands.is_some() || climbs.is_some();
            velocity = if holds { (at - self.at) / dt } else { velocity + ground_motion.displacement / dt };
        } else if stands.is_some() {
            velocity = level(velocity, up);
        }
        let turn = if is_carried { ground_motion.rotation } else { Quat::IDENTITY };
        let orientation = (turn * self.orientation).normalize();
        let blocked = end.met.iter().any(|hit| mover.is_wall(hit));
        let ladder = climbs.filter(|_| stands.is_none()).map(|hit| hit.collider);
        let state = CharacterState { velocity, ground: stands, blocked, ladder };
        Ok(MoveResult {
            target: KinematicTarget::pose(at, orientation),
            state,
            loads,
            editor_memory: editor_memory.into_changes(),
        })
    }

    /// Planes of the surfaces that are too near, or approach, as constraints on the motion.
    fn constraint_planes(
        &self,
        mover: &CharacterMover,
        bodies: &Bodies,
        world: &World,
        ground: Option<Entity>,
        approach: Real,
        dt: Real,
    ) -> Vec<Plane> {
        let skin = self.character.skin;
        let mut planes = Vec::new();
        for hit in mover.near(self.at, approach.min(CHARACTER_APPROACH * skin)) {
            let missing = skin - hit.distance;
            let comes = if Some(hit.entity) == ground {
                0.0
            } else {
                let slot = slot_of(world, bodies, hit.entity).filter(|&slot| bodies.kind[slot] == Kind::Kinematic);
                slot.map_or(0.0, |_| {
                    GroundMotion::on(world, bodies, hit.entity, hit.point, self.character.up, dt)
                        .displacement
                        .dot(hit.normal)
                })
            };
            // Penetration of less than half the skin is not corrected.
            let correction = if missing > 0.5 * skin { missing } else { missing.min(0.0) };
            let least = correction + comes.max(0.0);
            if least > 0.0 {
                planes::add(&mut planes, Plane { normal: hit.normal, least });
            }
        }
        planes
    }

    /// The position after the motion of the ground, which only other colliders than the ground
    /// block.
    fn move_with_ground(
        &self,
        mover: &CharacterMover,
        at: Vec3,
        ground_motion: GroundMotion,
        ground: Option<Entity>,
    ) -> Vec3 {
        let length = ground_motion.displacement.length();
        let (Some(ground), true) = (ground, length > 0.0) else { return at };
        let among = CharacterMover { filter: CollisionFilter { ignored: Some(ground), ..mover.filter }, ..*mover };
        let (room, _) = among.cast(at, ground_motion.displacement);
        at + ground_motion.displacement * (room / length)
    }

    /// The forces on the dynamic bodies that the character walks into, one for each.
    fn push_loads(
        &self,
        world: &World,
        bodies: &Bodies,
        mover: &CharacterMover,
        met: &[Hit],
        dt: Real,
    ) -> Vec<BodyLoad> {
        let mut loads: Vec<BodyLoad> = Vec::new();
        for hit in met.iter().filter(|hit| mover.is_wall(hit)) {
            let Some(slot) = slot_of(world, bodies, hit.entity) else { continue };
            if bodies.kind[slot] != Kind::Dynamic || loads.iter().any(|(entity, _)| *entity == hit.entity) {
                continue;
            }
            let along = -hit.normal;
            let arm = hit.point - bodies.center[slot];
            let inverse_mass = along.dot(bodies.response_at(slot, arm, along));
            let closing = (self.character.walk - bodies.velocity_at(slot, arm)).dot(along);
            let force = along * push(closing, inverse_mass, self.character.push, dt);
            loads.extend(force_on(world, bodies, hit.entity, hit.point, force));
        }
        loads
    }
}

/// The load of a force (N) at a point (m) of a dynamic body.
fn force_on(world: &World, bodies: &Bodies, entity: Entity, point: Vec3, force: Vec3) -> Option<BodyLoad> {
    let slot = slot_of(world, bodies, entity).filter(|&slot| bodies.kind[slot] == Kind::Dynamic)?;
    let (force, torque) = ExternalForce::at_point(force, point, bodies.center[slot]);
    (force.0 != Vec3::ZERO).then_some((entity, [force.0, torque.0]))
}
