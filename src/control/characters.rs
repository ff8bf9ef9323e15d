//! The system that moves characters.

use super::character::{Character, CharacterState, Ground};
use super::ground::{Ride, next_pose};
use super::load::{self, Laid, Source};
use super::meets::{Acquaintance, Known, Meets};
use super::mover::{Mover, probe_of};
use super::planes::{self, Plane};
use super::walk::{along_ground, flight, level, push, steer_in_air};
use super::{check_time, slot_of, steered};
use crate::bodies::{Bodies, Kind};
use crate::components::{Collider, CollisionLayers, ExternalForce, KinematicTarget, Orientation, Position};
use crate::error::StepError;
use crate::math::{Quat, Real, Vec3};
use crate::physics::Physics;
use crate::query::Hit;
use crate::tolerances::CHARACTER_APPROACH;
use hecs::{Entity, World};

/// Moves all characters by `dt` (s): call it before [`Physics::step`], with the same `dt`. Those that no step has seen yet wait.
///
/// # Errors
/// [`StepError`] for an impossible time step, and for a [`Character`] that is impossible, or is not on a kinematic body with a
/// bounded collider. It names the entity; characters of lesser slots have moved then.
pub fn step_characters(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time(dt)?;
    let mut loads = Vec::new();
    let approach = approach(world, &physics.state().bodies, dt);
    for (slot, entity) in steered::<Character>(world, physics) {
        let bad = |problem| StepError::Component { entity, component: "Character", problem };
        if physics.state().bodies.kind[slot] != Kind::Kinematic {
            return Err(bad("the body must be kinematic".into()));
        }
        let outcome = Walker::read(world, entity)
            .and_then(|walker| walker.step(world, physics, slot, approach, dt))
            .map_err(bad)?;
        loads.extend_from_slice(&outcome.loads);
        outcome.write(world, entity);
    }
    load::lay(world, Source::Characters, &loads);
    Ok(())
}

/// How far the fastest kinematic body comes in a step of `dt` (m): what is farther off pushes nobody. Other characters keep
/// their distance by themselves.
fn approach(world: &World, bodies: &Bodies, dt: Real) -> Real {
    let moves =
        |&slot: &usize| bodies.kind[slot] == Kind::Kinematic && !world.satisfies::<&Character>(bodies.entity[slot]);
    let way = |slot: usize| {
        let (from, to) = (bodies.center[slot], next_pose(world, bodies, slot, dt) * bodies.local_center[slot]);
        let turn = bodies.angular_velocity[slot].length() * dt;
        from.distance(to) + if turn > 0.0 { turn * bodies.radius[slot] } else { 0.0 }
    };
    (0..bodies.slots()).filter(moves).fold(0.0, |most, slot| most.max(way(slot)))
}

/// A character before it moves.
struct Walker {
    entity: Entity,
    character: Character,
    state: CharacterState,
    collider: Collider,
    at: Vec3,
    orientation: Quat,
    layers: CollisionLayers,
}

/// What came of a move.
struct Outcome {
    target: KinematicTarget,
    state: CharacterState,
    /// Forces on other bodies.
    loads: Vec<Laid>,
    /// What contact editors remember, if that changed.
    known: Option<Acquaintance>,
}

impl Outcome {
    fn write(self, world: &mut World, entity: Entity) {
        if let Ok(mut character) = world.get::<&mut Character>(entity) {
            character.jump = 0.0;
        }
        if let Some(known) = self.known {
            world.insert_one(entity, known).expect("the entity was there a moment ago");
        }
        let known = world.query_one_mut::<(&mut KinematicTarget, &mut CharacterState)>(entity);
        if let Ok((target, state)) = known {
            (*target, *state) = (self.target, self.state);
        } else {
            world.insert(entity, (self.target, self.state)).expect("the entity was there a moment ago");
        }
    }
}

impl Walker {
    fn read(world: &World, entity: Entity) -> Result<Self, String> {
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

    fn step(&self, world: &World, physics: &Physics, slot: usize, approach: Real, dt: Real) -> Result<Outcome, String> {
        let (character, up) = (&self.character, self.character.up);
        let (bodies, gravity) = (&physics.state().bodies, physics.settings.gravity);
        let probe = probe_of(&self.collider, self.at, self.orientation)?;
        let known = Known::of(world, self.entity);
        let own = (self.entity, slot);
        let meets = Meets { world, physics, own, layers: self.layers, without: None, known: &known };
        let mover = Mover { meets, probe: &probe, character, foot: Mover::foot_of(&probe, up) };

        // The ground may have gone, or have been taken away.
        let ground = self.state.ground.and_then(|_| mover.ground(self.at, character.snap.max(character.skin)));
        let jumps = ground.is_some() && character.jump > 0.0;
        let ride = match &ground {
            Some((_, hit, _)) => {
                let ride = Ride::on(world, bodies, hit.entity, hit.point, up, dt);
                Ride { way: ride.way + meets.surface_velocity(hit) * dt, ..ride }
            }
            None => Ride::NONE,
        };
        let walks = ground.as_ref().filter(|_| !jumps);
        let (way, mut velocity) = match walks {
            Some((.., normal)) => {
                let velocity = along_ground(character.walk, *normal, up);
                (velocity * dt, velocity)
            }
            None => {
                let start = match &ground {
                    Some(_) => level(character.walk, up) + ride.way / dt + up * character.jump,
                    None => steer_in_air(self.state.velocity, character.walk, up, character.air_acceleration, dt),
                };
                flight(start, gravity, dt)
            }
        };

        let ground_entity = ground.as_ref().map(|(_, hit, _)| hit.entity);
        let holding = self.holding(&mover, bodies, world, ground_entity, approach, dt);
        let end = mover.slide(self.at, way, holding, walks.is_some());
        let mut at = end.at;
        let mut loads = self.pushes(world, bodies, &mover, &end.met, dt);

        // A flight goes on until it meets ground; a walk follows it down.
        let rises = velocity.dot(up) > 0.0 && walks.is_none();
        let reach = if walks.is_some() { character.snap.max(character.skin) } else { character.skin };
        let found = if rises { None } else { mover.ground(at, reach) };
        let stands = found.map(|(down, hit, normal)| {
            at -= up * down;
            Ground { entity: hit.entity, point: hit.point, normal }
        });
        if walks.is_none() {
            velocity =
                planes::project(velocity, &end.planes.iter().map(|p| Plane::touched(p.normal)).collect::<Vec<_>>());
        }
        if let Some(ground) = &stands {
            let weight = gravity * character.mass;
            loads.extend(force_on(world, bodies, ground.entity, ground.point, weight));
        }
        if walks.is_some() {
            at = self.carried(&mover, at, ride, ground_entity);
            velocity = if stands.is_some() { (at - self.at) / dt } else { velocity + ride.way / dt };
        } else if stands.is_some() {
            velocity = level(velocity, up);
        }
        let turn = if walks.is_some() { ride.turn } else { Quat::IDENTITY };
        let orientation = (turn * self.orientation).normalize();
        let blocked = end.met.iter().any(|hit| mover.is_wall(hit));
        let state = CharacterState { velocity, ground: stands, blocked };
        Ok(Outcome { target: KinematicTarget { position: at, orientation }, state, loads, known: known.into_changes() })
    }

    /// What touches the character, and what comes towards it, as planes that it keeps its distance from.
    fn holding(
        &self,
        mover: &Mover,
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
                    Ride::on(world, bodies, hit.entity, hit.point, self.character.up, dt).way.dot(hit.normal)
                })
            };
            // Within the skin rounding is let be; what is deeper than half of it is mended.
            let mends = if missing > 0.5 * skin { missing } else { missing.min(0.0) };
            let least = mends + comes.max(0.0);
            if least > 0.0 {
                planes::add(&mut planes, Plane { normal: hit.normal, least });
            }
        }
        planes
    }

    /// The end of the way that the ground takes the character, among everything but the ground.
    fn carried(&self, mover: &Mover, at: Vec3, ride: Ride, ground: Option<Entity>) -> Vec3 {
        let length = ride.way.length();
        let (Some(ground), true) = (ground, length > 0.0) else { return at };
        let among = Mover { meets: Meets { without: Some(ground), ..mover.meets }, ..*mover };
        let (room, _) = among.cast(at, ride.way);
        at + ride.way * (room / length)
    }

    /// The forces on the dynamic bodies that are walked into, each once.
    fn pushes(&self, world: &World, bodies: &Bodies, mover: &Mover, met: &[Hit], dt: Real) -> Vec<Laid> {
        let mut loads: Vec<Laid> = Vec::new();
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

/// A force (N) at a point (m) of a dynamic body.
fn force_on(world: &World, bodies: &Bodies, entity: Entity, point: Vec3, force: Vec3) -> Option<Laid> {
    let slot = slot_of(world, bodies, entity).filter(|&slot| bodies.kind[slot] == Kind::Dynamic)?;
    let (force, torque) = ExternalForce::at_point(force, point, bodies.center[slot]);
    (force.0 != Vec3::ZERO).then_some((entity, [force.0, torque.0]))
}
