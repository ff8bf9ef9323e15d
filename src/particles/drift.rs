//! The half steps of the leapfrog: particles move straight on and stop at walls.

use super::particle_set::{Motion, ParticleSet, Place};
use super::walls::{Plane, Walls, bounds};
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::query::Ray;
use crate::tolerances::PARTICLES;
use hecs::Entity;

/// Particles per task.
const PIECE: usize = 1024;

struct Piece<'a> {
    places: &'a mut [Place],
    motions: &'a mut [Motion],
    blocked: &'a mut [Vec3],
}

fn pieces(particle_set: &mut ParticleSet) -> Vec<Piece<'_>> {
    let ParticleSet { places, motions, blocked, .. } = particle_set;
    let both = places.chunks_mut(PIECE).zip(motions.chunks_mut(PIECE)).zip(blocked.chunks_mut(PIECE));
    both.map(|((places, motions), blocked)| Piece { places, motions, blocked }).collect()
}

/// The first half step: moves every particle by `time` (s), then adds the velocity change of the
/// whole step, `kick` (m/s).
pub(super) fn first_half(particle_set: &mut ParticleSet, walls: &Walls, time: Real, kick: Vec3, threads: usize) {
    parallel::for_each(&mut pieces(particle_set), threads, |piece| {
        for (place, (motion, blocked)) in piece.places.iter_mut().zip(piece.motions.iter_mut().zip(&mut *piece.blocked))
        {
            *blocked = advance(place, motion.velocity, walls, time);
            motion.velocity += kick;
        }
    });
}

/// The second half step: moves every particle by `time` (s), and moves particles behind a
/// half-space to its surface.
pub(super) fn second_half(particle_set: &mut ParticleSet, walls: &Walls, time: Real, threads: usize) {
    parallel::for_each(&mut pieces(particle_set), threads, |piece| {
        for (place, motion) in piece.places.iter_mut().zip(piece.motions.iter_mut()) {
            let blocked = advance(place, motion.velocity, walls, time);
            if blocked != Vec3::ZERO {
                remove_potential_gain(motion, -blocked, walls.gravity);
            }
        }
        let (around, radius) = bounds(piece.places);
        for plane in walls.planes.iter().filter(|plane| !plane.is_beyond(&around, radius)) {
            for (place, motion) in piece.places.iter_mut().zip(piece.motions.iter_mut()) {
                confine(place, motion, plane, walls.gravity);
            }
        }
    });
}

fn confine(place: &mut Place, motion: &mut Motion, plane: &Plane, gravity: Vec3) {
    let depth = place.radius - plane.height(place.position);
    if depth > 0.0 {
        place.position += plane.normal * depth;
        remove_potential_gain(motion, plane.normal * depth, gravity);
    }
}

/// Removes from the kinetic energy the potential energy gained by a displacement, as far as
/// possible.
fn remove_potential_gain(motion: &mut Motion, by: Vec3, gravity: Vec3) {
    let (squared, gained) = (motion.velocity.length_squared(), -2.0 * gravity.dot(by));
    if gained > 0.0 && squared > 0.0 {
        motion.velocity *= ((squared - gained).max(0.0) / squared).sqrt();
    }
}

/// Moves a particle straight on; returns the part of the displacement that a collider blocked (m).
/// Slow particles are not swept: they overlap a collider before they can pass through it.
fn advance(place: &mut Place, velocity: Vec3, walls: &Walls, time: Real) -> Vec3 {
    let displacement = velocity * time;
    let slow = displacement.length_squared() <= (PARTICLES.sweep * place.radius) * (PARTICLES.sweep * place.radius);
    let free_part = if slow { None } else { free_part(place, displacement, walls) };
    let part = free_part.unwrap_or(1.0);
    place.position += displacement * part;
    if part < 1.0 { displacement * (1.0 - part) } else { Vec3::ZERO }
}

/// The free part of a particle's displacement up to the first collider, if there is one.
/// Half-spaces are one-sided and need no sweep.
fn free_part(place: &Place, displacement: Vec3, walls: &Walls) -> Option<Real> {
    let length = displacement.length();
    let ray = Ray::new(place.position, displacement, length + place.radius).ok()?;
    let not_planes = |_, collider: Entity| !walls.plane_entities.contains(&collider);
    let hit = walls.query.ray(&ray, &walls.filter.predicate(&not_planes))?;
    if hit.distance == 0.0 {
        // The particle starts inside: the contact pushes it out.
        return None;
    }
    // The centre stops slightly beyond touching, so that the contact is found.
    let facing = -hit.normal.dot(displacement) / length;
    let stand_off = place.radius * (1.0 + 0.5 * PARTICLES.touch) / facing.max(PARTICLES.touch);
    let free = (hit.distance - stand_off).max(0.0) / length;
    (free < 1.0).then_some(free)
}
