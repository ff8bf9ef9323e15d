//! Contacts of particles with the colliders of rigid bodies.

use super::contact_cache::ContactCache;
use super::contact_impulse::ContactImpulse;
use super::particle_set::ParticleSet;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::Geometry;
use crate::impact::particle::{SurfaceHit, Surfaces, rebound};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{Pose, Real, Vec3};
use crate::query::{self, Filter, Queries, SurfacePoint};
use crate::tolerances::PARTICLES;
use hecs::Entity;

/// All colliders, and the settings of one step.
pub(super) struct Walls<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub query: Queries<'a>,
    pub filter: Filter<'a>,
    /// The half-spaces, ordered by slot.
    pub planes: Vec<Plane>,
    pub plane_entities: Vec<Entity>,
    pub gravity: Vec3,
    pub dt: Real,
    /// Slower approaches are resting contacts (m/s).
    pub rest_speed: Real,
}

/// The surface of a half-space. It is one-sided: every particle behind it is in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    slot: usize,
    point: Vec3,
    pub normal: Vec3,
}

/// A contact of a particle with a collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallContact {
    pub particle: u32,
    /// The slot of the collider.
    pub slot: u32,
    /// The slot of the body.
    pub body: u32,
    /// Unit normal, out of the collider.
    pub normal: Vec3,
    /// The contact point on the surface (m, world).
    pub point: Vec3,
    /// Lever arm from the body's centre of mass to the contact point (m).
    pub arm: Vec3,
    /// Velocity of the surface at the contact point (m/s) at the start of the step.
    pub velocity: Vec3,
    /// Separating speed after the first impact (m/s).
    pub rebound: Real,
    pub surfaces: Surfaces,
    pub impulse: ContactImpulse,
}

/// The wall contacts of a slab, ordered by collider and particle.
#[derive(Default)]
pub(super) struct WallContacts {
    /// On static and kinematic bodies.
    pub fixed: Vec<WallContact>,
    /// On dynamic bodies.
    pub dynamic: Vec<WallContact>,
}

impl Plane {
    /// The slot of the collider.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Height of a point above the plane (m).
    #[inline]
    pub fn height(&self, point: Vec3) -> Real {
        self.normal.dot(point - self.point)
    }

    /// True if every point of a box is farther than `reach` (m) above the plane.
    pub fn is_beyond(&self, around: &Aabb, reach: Real) -> bool {
        self.height(around.center()) - around.half_extents().dot(self.normal.abs()) > reach
    }
}

/// The half-spaces that pass a filter.
pub(super) fn planes(bodies: &Bodies, colliders: &Colliders, query: &Queries, filter: &Filter) -> Vec<Plane> {
    let mut planes = Vec::new();
    for (slot, geometry) in colliders.geometry.iter().enumerate() {
        if let Some(Geometry::HalfSpace { normal }) = geometry
            && query.passes(slot, filter)
        {
            let pose = query::collider_pose(bodies, colliders, slot);
            planes.push(Plane { slot, point: pose.translation, normal: pose.rotation * *normal });
        }
    }
    planes
}

/// The bounding box of the particles' centres, and the largest radius.
pub(super) fn bounds(places: &[super::particle_set::Place]) -> (Aabb, Real) {
    let far = Vec3::splat(Real::MAX);
    let start = (Aabb::new(far, -far), 0.0);
    places.iter().fold(start, |(aabb, radius): (Aabb, Real), place| {
        let (mins, maxs) = (aabb.mins.min(place.position), aabb.maxs.max(place.position));
        (Aabb::new(mins, maxs), radius.max(place.radius))
    })
}

impl Walls<'_> {
    /// Finds the wall contacts of a slab with these particles.
    pub fn find(
        &self,
        particle_set: &ParticleSet,
        cache: &ContactCache,
        particles: std::ops::Range<usize>,
        out: &mut WallContacts,
    ) {
        out.fixed.clear();
        out.dynamic.clear();
        let (around, radius) = bounds(&particle_set.places[particles.clone()]);
        let reach = radius * (1.0 + PARTICLES.touch);
        for plane in self.planes.iter().filter(|plane| !plane.is_beyond(&around, reach)) {
            for particle in particles.clone() {
                let place = particle_set.places[particle];
                let height = plane.height(place.position);
                if height < place.radius * (1.0 + PARTICLES.touch) {
                    let point = place.position - plane.normal * height;
                    out.fixed.push(self.touch(particle_set, particle, plane.slot, point, plane.normal, height));
                }
            }
        }
        let near = around.loosened(reach);
        let not_planes = |_, collider: Entity| !self.plane_entities.contains(&collider);
        for slot in self.query.near(&near, &self.filter.predicate(&not_planes)) {
            self.find_on(slot, particle_set, particles.clone(), reach, out);
        }
        for touch in &mut out.fixed {
            let motion = &particle_set.motions[touch.particle as usize];
            let approach = touch.normal.dot(touch.velocity - motion.velocity);
            // A fixed wall takes the whole effect of gravity, between particles each takes half.
            let slow = self.rest_speed > 0.0 && touch.rebound == 0.0 && approach <= 2.0 * self.rest_speed;
            let new = if slow { ContactImpulse::RESTS } else { ContactImpulse::default() };
            touch.impulse = cache.wall(particle_set.labels[touch.particle as usize].before, touch.slot).unwrap_or(new);
        }
    }

    fn find_on(
        &self,
        slot: usize,
        particle_set: &ParticleSet,
        particles: std::ops::Range<usize>,
        reach: Real,
        out: &mut WallContacts,
    ) {
        let (bodies, colliders) = (self.bodies, self.colliders);
        let around = query::tight_aabb(bodies, colliders, slot).loosened(reach);
        let pose: Pose = query::collider_pose(bodies, colliders, slot);
        let geometry = colliders.geometry[slot].as_ref().expect("a live collider has a shape");
        let dynamic = bodies.kind[colliders.body[slot] as usize] == Kind::Dynamic;
        for particle in particles {
            let place = particle_set.places[particle];
            let within = place.position.cmpge(around.mins).all() && place.position.cmple(around.maxs).all();
            if !within {
                continue;
            }
            let local = pose.inverse_transform_point(place.position);
            let touching = place.radius * (1.0 + PARTICLES.touch);
            if let Some(SurfacePoint { point, normal, distance, .. }) =
                query::nearest_surface_point(geometry, local, touching)
            {
                let touch = self.touch(particle_set, particle, slot, pose * point, pose.rotation * normal, distance);
                if dynamic { out.dynamic.push(touch) } else { out.fixed.push(touch) }
            }
        }
    }

    /// The contact of a particle whose centre is at a `height` (m) above the surface.
    fn touch(
        &self,
        particle_set: &ParticleSet,
        particle: usize,
        slot: usize,
        point: Vec3,
        normal: Vec3,
        height: Real,
    ) -> WallContact {
        let (bodies, colliders) = (self.bodies, self.colliders);
        let body = colliders.body[slot];
        let arm = point - bodies.center[body as usize];
        let velocity = bodies.velocity_at(body as usize, arm);
        let surfaces = particle_set.surfaces_with(particle, &colliders.material[slot]);
        let approach = normal.dot(velocity - particle_set.motions[particle].velocity);
        // The depth without the displacement that the wall blocked.
        let depth = particle_set.places[particle].radius - height - normal.dot(particle_set.blocked[particle]);
        let meeting = SurfaceHit { approach, depth, pull: -normal.dot(self.gravity), dt: self.dt };
        let rebound = if approach > 0.0 { rebound(meeting, surfaces.restitution) } else { 0.0 };
        let impulse = ContactImpulse::default();
        let slot = slot as u32;
        WallContact { particle: particle as u32, slot, body, normal, point, arm, velocity, rebound, surfaces, impulse }
    }
}
