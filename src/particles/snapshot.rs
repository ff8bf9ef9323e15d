//! Snapshots of the particles, beside those of the bodies.

use super::Particles;
use super::memory::{Memory, Other};
use crate::components::{LinearVelocity, Particle, Position};
use crate::math::{Real, Vec3};
use hecs::{Entity, World};
use rustc_hash::FxHashMap;

/// Where the particles are, how they move and what their contacts carry: with a [`Snapshot`](crate::Snapshot) of the bodies all
/// that is needed to go on with the same bits. Entities that came or went since are for the game to despawn and to spawn.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ParticleSnapshot {
    grains: Vec<Grain>,
    contacts: Vec<Contact>,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Grain {
    entity: Entity,
    position: Vec3,
    velocity: Vec3,
    /// Where the last step left it.
    left: Option<Vec3>,
    /// How many of the contacts are its.
    contacts: u32,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Contact {
    other: Partner,
    push: Real,
    hold: Vec3,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
enum Partner {
    Grain(Entity),
    /// The slot of a collider.
    Wall(u32),
}

impl Particles {
    /// A snapshot of all particles between two steps.
    pub fn save(&self, world: &World) -> ParticleSnapshot {
        let mut query = world.query::<(Entity, &Position, &LinearVelocity)>().with::<&Particle>();
        let mut snapshot = ParticleSnapshot::default();
        snapshot.grains.extend(query.iter().map(|(entity, position, velocity)| {
            let (position, velocity) = (position.0, velocity.0);
            Grain { entity, position, velocity, left: self.memory.left(entity.id()), contacts: 0 }
        }));
        let entities: FxHashMap<u32, Entity> = snapshot.grains.iter().map(|g| (g.entity.id(), g.entity)).collect();
        for grain in &mut snapshot.grains {
            for (other, push, hold) in self.memory.contacts(grain.entity.id()) {
                let other = match other {
                    Other::Wall(slot) => Partner::Wall(slot),
                    Other::Particle(id) => match entities.get(&id) {
                        Some(&entity) => Partner::Grain(entity),
                        None => continue,
                    },
                };
                snapshot.contacts.push(Contact { other, push, hold });
                grain.contacts += 1;
            }
        }
        snapshot
    }

    /// Goes back to a snapshot, once the bodies are back at theirs; returns the particles that are not in the world.
    pub fn restore(&mut self, world: &mut World, snapshot: &ParticleSnapshot) -> Vec<Entity> {
        self.restore_with(world, snapshot, Some)
    }

    /// Goes back to a snapshot in a world where the same things may be other entities: `find` says which, or that it is gone.
    pub fn restore_with(
        &mut self,
        world: &mut World,
        snapshot: &ParticleSnapshot,
        mut find: impl FnMut(Entity) -> Option<Entity>,
    ) -> Vec<Entity> {
        let mut missing = Vec::new();
        let mut now = FxHashMap::default();
        for grain in &snapshot.grains {
            let entity = find(grain.entity).filter(|&entity| world.satisfies::<&Particle>(entity));
            match entity {
                Some(entity) => {
                    now.insert(grain.entity, entity.id());
                    let columns = (Position(grain.position), LinearVelocity(grain.velocity));
                    world.insert(entity, columns).expect("it is there");
                }
                None => missing.push(grain.entity),
            }
        }
        let mut rest = snapshot.contacts.as_slice();
        let mut known = Vec::new();
        for grain in &snapshot.grains {
            let (own, behind) = rest.split_at((grain.contacts as usize).min(rest.len()));
            rest = behind;
            let (Some(&id), Some(left)) = (now.get(&grain.entity), grain.left) else { continue };
            let entries = own.iter().filter_map(|contact| {
                let other = match contact.other {
                    Partner::Wall(slot) => Other::Wall(slot),
                    Partner::Grain(entity) => Other::Particle(*now.get(&entity)?),
                };
                Some((other, contact.push, contact.hold))
            });
            known.push((id, left, entries.collect()));
        }
        self.memory = Memory::of(known);
        missing
    }
}
