//! Snapshots of particles; those of bodies are in [`snapshot`](crate::snapshot).

use super::Particles;
use super::contact_cache::{ContactCache, Other};
use crate::components::{LinearVelocity, Particle, Position};
use crate::math::{Real, Vec3};
use hecs::{Entity, World};
use rustc_hash::FxHashMap;

/// Positions, velocities and contact impulses of all particles. Together with a
/// [`Snapshot`](crate::Snapshot) of the bodies, it is sufficient to continue with the same bits.
/// The game itself despawns and spawns the entities that were added or removed since.
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
    /// Its position after the last step (m).
    last_position: Option<Vec3>,
    /// Number of its contacts in the list.
    contacts: u32,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Contact {
    other: Partner,
    normal_impulse: Real,
    friction_impulse: Vec3,
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
            Grain { entity, position, velocity, last_position: self.cache.last_position(entity.id()), contacts: 0 }
        }));
        let entities: FxHashMap<u32, Entity> = snapshot.grains.iter().map(|g| (g.entity.id(), g.entity)).collect();
        for grain in &mut snapshot.grains {
            for (other, normal_impulse, friction_impulse) in self.cache.contacts(grain.entity.id()) {
                let other = match other {
                    Other::Wall(slot) => Partner::Wall(slot),
                    Other::Particle(id) => match entities.get(&id) {
                        Some(&entity) => Partner::Grain(entity),
                        None => continue,
                    },
                };
                snapshot.contacts.push(Contact { other, normal_impulse, friction_impulse });
                grain.contacts += 1;
            }
        }
        snapshot
    }

    /// Restores a snapshot, after that of the bodies; returns the particles that are not in the
    /// world.
    pub fn restore(&mut self, world: &mut World, snapshot: &ParticleSnapshot) -> Vec<Entity> {
        self.restore_with(world, snapshot, Some)
    }

    /// Restores a snapshot in a world with different entities: `find` maps an entity of the
    /// snapshot to one of the world, or to `None`.
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
            let (Some(&id), Some(last_position)) = (now.get(&grain.entity), grain.last_position) else { continue };
            let entries = own.iter().filter_map(|contact| {
                let other = match contact.other {
                    Partner::Wall(slot) => Other::Wall(slot),
                    Partner::Grain(entity) => Other::Particle(*now.get(&entity)?),
                };
                Some((other, contact.normal_impulse, contact.friction_impulse))
            });
            known.push((id, last_position, entries.collect()));
        }
        self.cache = ContactCache::of(known);
        missing
    }
}
