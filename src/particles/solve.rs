//! Impacts of a step: one after the other, several times over.
//!
//! Each impact by itself adds no energy, and neither do they one after the other. Contacts that last start from what they carried
//! in the last step, and their impulses add up over the passes: only so do a few passes carry a deep heap. Slabs of one colour share no particle with
//! each other and run in parallel; within a slab the order is that of the grid, turned round in every second pass.

use super::memory::Carried;
use super::pairs::Pair;
use super::swarm::{Motion, Place};
use super::walls::{Touch, Touches};
use crate::impact::particle::{Surfaces, friction, impulse, projection};
use crate::math::{Real, Vec3};
use std::ops::Range;

/// What a slab has to do.
#[derive(Default)]
pub(super) struct Work {
    pub pairs: Vec<Pair>,
    /// Room for them to be put in another order.
    pub room: Vec<Pair>,
    pub touches: Touches,
    /// The deepest overlap of a pair, as a part of the sum of the radii.
    pub deepest: Real,
}

/// A slab with the particles that its contacts may touch: its own and those of the next slab.
pub(super) struct Task<'a, T> {
    pub data: &'a mut [T],
    /// The number of the first particle.
    pub offset: usize,
    pub work: &'a mut Work,
}

/// The slabs of one colour (0 or 1), each with its piece of the particles' data.
pub(super) fn tasks<'a, T>(
    mut data: &'a mut [T],
    slabs: &[Range<usize>],
    work: &'a mut [Work],
    colour: usize,
) -> Vec<Task<'a, T>> {
    let mut tasks = Vec::with_capacity(slabs.len() / 2 + 1);
    let mut offset = 0;
    for (k, work) in work.iter_mut().enumerate().skip(colour).step_by(2) {
        let end = slabs[(k + 1).min(slabs.len() - 1)].end;
        let (_, rest) = data.split_at_mut(slabs[k].start - offset);
        let (piece, behind) = rest.split_at_mut(end - slabs[k].start);
        tasks.push(Task { data: piece, offset: slabs[k].start, work });
        (data, offset) = (behind, end);
    }
    tasks
}

/// Two particles of a piece.
#[inline]
fn two<T>(data: &mut [T], a: usize, b: usize) -> (&mut T, &mut T) {
    debug_assert!(a < b);
    let (head, tail) = data.split_at_mut(b);
    (&mut head[a], &mut tail[0])
}

/// Impacts slower than `rest` (m/s) do not bounce.
#[inline]
fn settled(surfaces: Surfaces, approach: Real, rest: Real) -> Surfaces {
    if approach > rest { surfaces } else { Surfaces { restitution: 0.0, ..surfaces } }
}

/// Lets resting contacts start from what they carried.
pub(super) fn resume(task: &mut Task<Motion>) {
    let Task { data, offset, work } = task;
    for pair in work.pairs.iter_mut().filter(|pair| pair.carried.push > 0.0) {
        let (a, b) = two(data, pair.a as usize - *offset, pair.b as usize - *offset);
        let push = pair.carried.resume(pair.normal);
        a.velocity += push * a.inverse_mass;
        b.velocity -= push * b.inverse_mass;
    }
    for touch in work.touches.fixed.iter_mut().filter(|touch| touch.carried.push > 0.0) {
        let motion = &mut data[touch.particle as usize - *offset];
        motion.velocity += touch.carried.resume(touch.normal) * motion.inverse_mass;
    }
}

impl Carried {
    /// What a contact carried, as it acts with the normal of today.
    fn resume(&mut self, normal: Vec3) -> Vec3 {
        self.hold -= normal * normal.dot(self.hold);
        normal * self.push + self.hold
    }

    /// The impulse that makes a resting contact keep still, as far as it only pushes and friction holds; it adds to what
    /// earlier passes gave, and may take that back.
    fn settle(&mut self, normal: Vec3, relative: Vec3, inverse_mass: Real, friction: Real) -> Vec3 {
        let before = *self;
        let speed = normal.dot(relative);
        self.push = (before.push - speed / inverse_mass).max(0.0);
        let sliding = relative - normal * speed;
        self.hold = (before.hold - sliding / inverse_mass).clamp_length_max(friction * self.push);
        normal * (self.push - before.push) + (self.hold - before.hold)
    }
}

/// One pass over the impacts of a slab; `pass` counts them.
pub(super) fn impacts(task: &mut Task<Motion>, pass: u32, rest: Real) {
    let Task { data, offset, work } = task;
    let mut hit = |pair: &mut Pair| {
        let (a, b) = two(data, pair.a as usize - *offset, pair.b as usize - *offset);
        let (relative, both) = (a.velocity - b.velocity, a.inverse_mass + b.inverse_mass);
        let push = if pair.carried.rests {
            pair.carried.settle(pair.normal, relative, both, pair.surfaces.friction)
        } else {
            let approach = -pair.normal.dot(relative);
            impulse(pair.normal, relative, both, settled(pair.surfaces, approach, rest))
        };
        a.velocity += push * a.inverse_mass;
        b.velocity -= push * b.inverse_mass;
    };
    if pass.is_multiple_of(2) {
        work.pairs.iter_mut().for_each(&mut hit);
    } else {
        work.pairs.iter_mut().rev().for_each(&mut hit);
    }
    for touch in &mut work.touches.fixed {
        let motion = &mut data[touch.particle as usize - *offset];
        let relative = motion.velocity - touch.velocity;
        let push = if touch.carried.rests {
            touch.carried.settle(touch.normal, relative, motion.inverse_mass, touch.surfaces.friction)
        } else {
            let push = normal_push(touch, relative, motion.inverse_mass, pass, rest);
            touch.normal * push + friction(touch.normal, relative, motion.inverse_mass, touch.surfaces.friction * push)
        };
        motion.velocity += push * motion.inverse_mass;
    }
}

/// The normal impulse at a surface (N s): in the first pass the rebound that was found before any impact, later as between
/// particles.
pub(super) fn normal_push(touch: &Touch, relative: Vec3, response: Real, pass: u32, rest: Real) -> Real {
    let approach = -touch.normal.dot(relative);
    if approach <= 0.0 {
        return 0.0;
    }
    let away = if pass == 0 { touch.rebound } else { settled(touch.surfaces, approach, rest).restitution * approach };
    (approach + away) / response
}

/// Puts apart what overlaps in a slab: pairs by a part of the overlap, particles at walls onto the surface.
pub(super) fn projections(task: &mut Task<Place>, pass: u32, motions: &[Motion], factor: Real) {
    let Task { data, offset, work } = task;
    let mut part = |pair: &Pair| {
        let (a, b) = two(data, pair.a as usize - *offset, pair.b as usize - *offset);
        let overlap = a.radius + b.radius - pair.normal.dot(a.position - b.position);
        if overlap <= 0.0 {
            return;
        }
        let weights = [pair.a, pair.b].map(|i| motions[i as usize].inverse_mass);
        let both = weights[0] + weights[1];
        a.position += pair.normal * projection(overlap, factor, weights[0], both);
        b.position -= pair.normal * projection(overlap, factor, weights[1], both);
    };
    if pass.is_multiple_of(2) {
        work.pairs.iter().for_each(&mut part);
    } else {
        work.pairs.iter().rev().for_each(&mut part);
    }
    for touch in work.touches.fixed.iter().chain(&work.touches.dynamic) {
        let place = &mut data[touch.particle as usize - *offset];
        let overlap = place.radius - touch.normal.dot(place.position - touch.point);
        place.position += touch.normal * overlap.max(0.0);
    }
}
