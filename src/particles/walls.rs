//! What particles meet besides each other: the colliders of the rigid bodies.

use super::carried::Carried;
use super::memory::Memory;
use super::swarm::Swarm;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::Geometry;
use crate::impact::particle::{Meeting, Surfaces, rebound};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{Pose, Real, Vec3};
use crate::query::{self, Filter, Nearest, Queries};
use crate::tolerances::PARTICLE_TOUCH;
use hecs::Entity;

/// Everything that the particles of one step can meet.
pub(super) struct Walls<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub query: Queries<'a>,
    pub filter: Filter<'a>,
    /// The half-spaces, in the order of slots.
    pub planes: Vec<Plane>,
    pub plane_entities: Vec<Entity>,
    pub gravity: Vec3,
    pub dt: Real,
    /// Impacts slower than this rest (m/s).
    pub rest: Real,
}

/// The surface of a half-space: one-sided, so that whatever is behind it is in contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    slot: usize,
    point: Vec3,
    pub normal: Vec3,
}

/// A particle that touches a collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub particle: u32,
    /// The slot of the collider.
    pub slot: u32,
    /// The slot of the body.
    pub body: u32,
    /// Unit normal, out of the collider.
    pub normal: Vec3,
    /// The point of the surface (m, world).
    pub point: Vec3,
    /// From the body's centre of mass to the point (m).
    pub arm: Vec3,
    /// The surface's velocity there (m/s); that of a dynamic body changes as particles hit it.
    pub velocity: Vec3,
    /// Speed away from the surface after the first impact (m/s).
    pub rebound: Real,
    pub surfaces: Surfaces,
    pub carried: Carried,
}

/// The touches of a slab, in the order of colliders and particles.
#[derive(Default)]
pub(super) struct Touches {
    /// On bodies that do not give way.
    pub fixed: Vec<Touch>,
    /// On dynamic bodies.
    pub dynamic: Vec<Touch>,
}

impl Plane {
    /// The slot of the collider.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// How far a point is over the plane (m).
    #[inline]
    pub fn height(&self, point: Vec3) -> Real {
        self.normal.dot(point - self.point)
    }

    /// Whether nothing in a box comes within `reach` of the plane.
    pub fn is_beyond(&self, around: &Aabb, reach: Real) -> bool {
        self.height(around.center()) - around.half_extents().dot(self.normal.abs()) > reach
    }
}

/// The half-spaces that a filter lets through.
pub(super) fn planes(bodies: &Bodies, colliders: &Colliders, query: &Queries, filter: &Filter) -> Vec<Plane> {
    let mut planes = Vec::new();
    for (slot, geometry) in colliders.geometry.iter().enumerate() {
        if let Some(Geometry::HalfSpace { normal }) = geometry
            && query.passes(slot, filter)
        {
            let pose = query::pose(bodies, colliders, slot);
            planes.push(Plane { slot, point: pose.translation, normal: pose.rotation * *normal });
        }
    }
    planes
}

/// The box of a run of particles' centres, and their largest radius.
pub(super) fn bounds(places: &[super::swarm::Place]) -> (Aabb, Real) {
    let far = Vec3::splat(Real::MAX);
    let start = (Aabb::new(far, -far), 0.0);
    places.iter().fold(start, |(aabb, radius): (Aabb, Real), place| {
        let (mins, maxs) = (aabb.mins.min(place.position), aabb.maxs.max(place.position));
        (Aabb::new(mins, maxs), radius.max(place.radius))
    })
}

impl Walls<'_> {
    /// Finds what the particles of a slab touch; `particles` are theirs.
    pub fn find(&self, swarm: &Swarm, memory: &Memory, particles: std::ops::Range<usize>, out: &mut Touches) {
        out.fixed.clear();
        out.dynamic.clear();
        let (around, radius) = bounds(&swarm.places[particles.clone()]);
        let reach = radius * (1.0 + PARTICLE_TOUCH);
        for plane in self.planes.iter().filter(|plane| !plane.is_beyond(&around, reach)) {
            for particle in particles.clone() {
                let place = swarm.places[particle];
                let height = plane.height(place.position);
                if height < place.radius * (1.0 + PARTICLE_TOUCH) {
                    let point = place.position - plane.normal * height;
                    out.fixed.push(self.touch(swarm, particle, plane.slot, point, plane.normal, height));
                }
            }
        }
        let near = around.loosened(reach);
        let not_planes = |_, collider: Entity| !self.plane_entities.contains(&collider);
        for slot in self.query.near(&near, &self.filter.predicate(&not_planes)) {
            self.find_on(slot, swarm, particles.clone(), reach, out);
        }
        for touch in &mut out.fixed {
            let motion = &swarm.motions[touch.particle as usize];
            let approach = touch.normal.dot(touch.velocity - motion.velocity);
            // On a wall that does not give way the whole of gravity comes on top.
            let slow = self.rest > 0.0 && touch.rebound == 0.0 && approach <= 2.0 * self.rest;
            let new = if slow { Carried::RESTS } else { Carried::default() };
            touch.carried = memory.wall(swarm.labels[touch.particle as usize].before, touch.slot).unwrap_or(new);
        }
    }

    fn find_on(&self, slot: usize, swarm: &Swarm, particles: std::ops::Range<usize>, reach: Real, out: &mut Touches) {
        let (bodies, colliders) = (self.bodies, self.colliders);
        let around = query::tight(bodies, colliders, slot).loosened(reach);
        let pose: Pose = query::pose(bodies, colliders, slot);
        let geometry = colliders.geometry[slot].as_ref().expect("a live collider has a shape");
        let dynamic = bodies.kind[colliders.body[slot] as usize] == Kind::Dynamic;
        for particle in particles {
            let place = swarm.places[particle];
            let within = place.position.cmpge(around.mins).all() && place.position.cmple(around.maxs).all();
            if !within {
                continue;
            }
            let local = pose.inverse_transform_point(place.position);
            let touching = place.radius * (1.0 + PARTICLE_TOUCH);
            if let Some(Nearest { point, normal, distance, .. }) = query::nearest(geometry, local, touching) {
                let touch = self.touch(swarm, particle, slot, pose * point, pose.rotation * normal, distance);
                if dynamic { out.dynamic.push(touch) } else { out.fixed.push(touch) }
            }
        }
    }

    /// A touch where the particle's centre is `height` over the surface (m).
    fn touch(&self, swarm: &Swarm, particle: usize, slot: usize, point: Vec3, normal: Vec3, height: Real) -> Touch {
        let (bodies, colliders) = (self.bodies, self.colliders);
        let body = colliders.body[slot];
        let arm = point - bodies.center[body as usize];
        let velocity = bodies.velocity_at(body as usize, arm);
        let surfaces = swarm.surfaces_with(particle, &colliders.material[slot]);
        let approach = normal.dot(velocity - swarm.motions[particle].velocity);
        // Where the particle would be had nothing held it up on its way.
        let depth = swarm.places[particle].radius - height - normal.dot(swarm.lost[particle]);
        let meeting = Meeting { approach, depth, pull: -normal.dot(self.gravity), dt: self.dt };
        let rebound = if approach > 0.0 { rebound(meeting, surfaces.restitution) } else { 0.0 };
        let carried = Carried::default();
        let slot = slot as u32;
        Touch { particle: particle as u32, slot, body, normal, point, arm, velocity, rebound, surfaces, carried }
    }
}
