//! The leapfrog's half steps: particles fly straight on, and stop at walls.

use super::swarm::{Motion, Place, Swarm};
use super::walls::{Plane, Walls, bounds};
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::query::Ray;
use crate::tolerances::{PARTICLE_SWEEP, PARTICLE_TOUCH};
use hecs::Entity;

/// Particles that one thread takes at a time.
const PIECE: usize = 1024;

struct Piece<'a> {
    places: &'a mut [Place],
    motions: &'a mut [Motion],
    lost: &'a mut [Vec3],
}

fn pieces(swarm: &mut Swarm) -> Vec<Piece<'_>> {
    let Swarm { places, motions, lost, .. } = swarm;
    let both = places.chunks_mut(PIECE).zip(motions.chunks_mut(PIECE)).zip(lost.chunks_mut(PIECE));
    both.map(|((places, motions), lost)| Piece { places, motions, lost }).collect()
}

/// The first half: moves every particle on by `time` (s), then gives it the velocity of the whole step (m/s).
pub(super) fn first(swarm: &mut Swarm, walls: &Walls, time: Real, kick: Vec3, threads: usize) {
    parallel::for_each(&mut pieces(swarm), threads, |piece| {
        for (place, (motion, lost)) in piece.places.iter_mut().zip(piece.motions.iter_mut().zip(&mut *piece.lost)) {
            *lost = advance(place, motion.velocity, walls, time);
            motion.velocity += kick;
        }
    });
}

/// The second half: moves every particle on by `time` (s), and puts what is behind a half-space onto it.
pub(super) fn second(swarm: &mut Swarm, walls: &Walls, time: Real, threads: usize) {
    parallel::for_each(&mut pieces(swarm), threads, |piece| {
        for (place, motion) in piece.places.iter_mut().zip(piece.motions.iter_mut()) {
            let lost = advance(place, motion.velocity, walls, time);
            if lost != Vec3::ZERO {
                lift(motion, -lost, walls.gravity);
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
        lift(motion, plane.normal * depth, gravity);
    }
}

/// Takes from a particle the energy that being put elsewhere has given it, as far as it has any.
fn lift(motion: &mut Motion, by: Vec3, gravity: Vec3) {
    let (squared, gained) = (motion.velocity.length_squared(), -2.0 * gravity.dot(by));
    if gained > 0.0 && squared > 0.0 {
        motion.velocity *= ((squared - gained).max(0.0) / squared).sqrt();
    }
}

/// Moves a particle straight on; returns what a collider kept it from (m). Slow ones are not swept: they cannot pass through
/// anything that they would not overlap.
fn advance(place: &mut Place, velocity: Vec3, walls: &Walls, time: Real) -> Vec3 {
    let way = velocity * time;
    let slow = way.length_squared() <= (PARTICLE_SWEEP * place.radius) * (PARTICLE_SWEEP * place.radius);
    let allowed = if slow { None } else { allowed(place, way, walls) };
    let part = allowed.unwrap_or(1.0);
    place.position += way * part;
    if part < 1.0 { way * (1.0 - part) } else { Vec3::ZERO }
}

/// The part of a particle's way up to the first collider, if there is one. Half-spaces are one-sided and need no sweep.
fn allowed(place: &Place, way: Vec3, walls: &Walls) -> Option<Real> {
    let length = way.length();
    let ray = Ray::new(place.position, way, length + place.radius).ok()?;
    let not_planes = |_, collider: Entity| !walls.plane_entities.contains(&collider);
    let hit = walls.query.ray(&ray, &walls.filter.predicate(&not_planes))?;
    if hit.distance == 0.0 {
        // Inside already: the contact pushes it out.
        return None;
    }
    // The centre stops where the ball touches the plane of the surface, a hair closer, so that the contact is found.
    let facing = -hit.normal.dot(way) / length;
    let stand_off = place.radius * (1.0 + 0.5 * PARTICLE_TOUCH) / facing.max(PARTICLE_TOUCH);
    let free = (hit.distance - stand_off).max(0.0) / length;
    (free < 1.0).then_some(free)
}
