//! Reads the hecs columns into the working set, and writes them back.

use super::contact_cache::ContactCache;
use super::particle_set::{Label, Motion, ParticleSet, Place};
use crate::components::{LinearVelocity, Material, Particle, Position};
use crate::error::StepError;
use crate::math::Vec3;
use crate::rows::entity_of;
use crate::systems::gather;
use hecs::{Archetype, Entity, World};

/// Number of stored materials that a new one is compared with. Beyond it, equal materials may be
/// stored several times.
const COMPARED: usize = 32;

fn archetypes(world: &World) -> impl Iterator<Item = &Archetype> {
    world.archetypes().filter(|a| !a.is_empty() && a.has::<Particle>())
}

/// Adds the components that the step writes, where they are missing.
pub(super) fn complete(world: &mut World) {
    let lacking = |a: &Archetype| !a.has::<Position>() || !a.has::<LinearVelocity>();
    let incomplete = |e: &hecs::EntityRef| e.has::<Particle>() && !(e.has::<Position>() && e.has::<LinearVelocity>());
    if !archetypes(world).any(lacking) {
        return;
    }
    let entities: Vec<Entity> = world.iter().filter(incomplete).map(|e| e.entity()).collect();
    for entity in entities {
        let position = world.get::<&Position>(entity).map_or(Position::default(), |p| *p);
        let velocity = world.get::<&LinearVelocity>(entity).map_or(LinearVelocity::default(), |v| *v);
        world.insert(entity, (position, velocity)).expect("the entity was just seen");
    }
}

/// Reads all particles, in row order.
///
/// # Errors
/// [`StepError::Component`] for the first invalid component.
pub(super) fn read(world: &World, cache: &ContactCache, particle_set: &mut ParticleSet) -> Result<(), StepError> {
    particle_set.clear();
    for archetype in archetypes(world) {
        let particles = archetype.get::<&Particle>().expect("chosen by it");
        let (Some(positions), Some(velocities)) = (archetype.get::<&Position>(), archetype.get::<&LinearVelocity>())
        else {
            continue;
        };
        let materials = archetype.get::<&Material>();
        let (mut last, mut surface) = (None, 0);
        for (row, ((particle, position), velocity)) in
            particles.iter().zip(positions.iter()).zip(velocities.iter()).enumerate()
        {
            let material = materials.as_ref().map_or(Material::default(), |column| column[row]);
            let known = last == Some(material);
            if let Err((component, problem)) = check(particle, position.0, velocity.0, (!known).then_some(&material)) {
                let entity = entity_of(world, archetype, row);
                return Err(StepError::Component { entity, component, problem });
            }
            if !known {
                surface = surface_of(&mut particle_set.materials, material);
                last = Some(material);
            }
            let id = archetype.ids()[row];
            particle_set.push(
                Place { position: position.0, radius: particle.radius },
                Motion { velocity: velocity.0, inverse_mass: 1.0 / particle.mass },
                Label { surface, id, before: cache.number(id, position.0), row: 0 },
            );
        }
    }
    Ok(())
}

fn surface_of(materials: &mut Vec<Material>, material: Material) -> u32 {
    let known = materials.iter().take(COMPARED).position(|m| *m == material);
    known.unwrap_or_else(|| {
        materials.push(material);
        materials.len() - 1
    }) as u32
}

fn check(particle: &Particle, position: Vec3, velocity: Vec3, material: Option<&Material>) -> gather::Checked {
    for (name, value) in [("radius", particle.radius), ("mass", particle.mass)] {
        if !(value > 0.0 && value.is_finite() && (1.0 / value).is_finite()) {
            return Err(("Particle", format!("{name} must be positive and finite, got {value}")));
        }
    }
    for (name, value) in [("Position", position), ("LinearVelocity", velocity)] {
        if !value.is_finite() {
            return Err((name, format!("must be finite, got {value}")));
        }
    }
    material.map_or(Ok(()), gather::material)
}

/// Writes positions and velocities back, and records each particle's position in the contact cache.
pub(super) fn write(world: &World, particle_set: &ParticleSet, cache: &mut ContactCache) {
    let mut to = vec![0_u32; particle_set.len()];
    for (number, label) in particle_set.labels.iter().enumerate() {
        to[label.row as usize] = number as u32;
    }
    let mut rest = to.as_slice();
    for archetype in archetypes(world) {
        let (Some(mut positions), Some(mut velocities)) =
            (archetype.get::<&mut Position>(), archetype.get::<&mut LinearVelocity>())
        else {
            continue;
        };
        let (here, behind) = rest.split_at(archetype.len() as usize);
        rest = behind;
        let rows = archetype.ids().iter().zip(here);
        for ((&id, &number), (position, velocity)) in rows.zip(positions.iter_mut().zip(velocities.iter_mut())) {
            position.0 = particle_set.places[number as usize].position;
            velocity.0 = particle_set.motions[number as usize].velocity;
            cache.record_position(id, number, position.0);
        }
    }
}
