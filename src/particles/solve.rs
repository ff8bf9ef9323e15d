//! Contact solver: projected Gauss-Seidel passes over all contacts of a step.
//!
//! No impulse adds energy, and so neither does a sequence of them. Resting contacts are
//! warm-started and their impulses accumulate over the passes, so that a few passes support a deep
//! pile. Slabs of one colour share no particle and run in parallel. Within a slab, pairs are solved
//! in blocks of eight, and every second pass reverses their order.

use super::block::{Block, assign_lanes};
use super::contact_cache::ContactCache;
use super::contact_impulse::ContactImpulse;
use super::grid::{Grid, Slab};
use super::kernels::{PrepareContacts, ProjectOverlaps, SolveImpacts, WarmStart};
use super::pairs::{Pair, PairSearch};
use super::particle_set::{Motion, ParticleSet, Place};
use super::walls::{WallContact, WallContacts};
use crate::impact::particle::{Surfaces, friction};
use crate::math::{Real, Vec3};
use crate::solver::SimdLevel;
use crate::solver::simd::WIDTH;
use std::ops::Range;

/// The contacts of a slab.
#[derive(Default)]
pub(super) struct SlabWork {
    pub pairs: Vec<Pair>,
    /// The lane slot of each pair in the blocks.
    pub lane_slots: Vec<u32>,
    pub blocks: Vec<Block>,
    /// Number of particles that the blocks refer to, from the first one of the slab.
    span: usize,
    /// For each of them, a bit mask of the colours of its pairs.
    colours_used: Vec<u64>,
    pub wall_contacts: WallContacts,
    /// The deepest overlap of a pair, as a part of the sum of the radii.
    pub deepest: Real,
}

impl SlabWork {
    /// Finds the pairs of a slab and their warm-start impulses. Pairs that are in the cache, or
    /// approach no faster than `rest_speed` (m/s), are resting contacts.
    pub fn find(
        &mut self,
        grid: &Grid,
        slab: &Slab,
        particle_set: &ParticleSet,
        cache: &ContactCache,
        rest_speed: Real,
        simd_level: SimdLevel,
    ) {
        simd_level.run(PairSearch { grid, slab, blocks: &particle_set.position_blocks, out: &mut self.pairs });
        let first = slab.particles.start;
        let Self { pairs, lane_slots, blocks, colours_used, .. } = self;
        self.span = assign_lanes(pairs, first as u32, colours_used, lane_slots, blocks);
        for (&[a, b], &lane_slot) in pairs.iter().zip(&*lane_slots) {
            let [was_a, was_b] = [a, b].map(|particle| particle_set.labels[particle as usize].before);
            let known = cache.pair(was_a, was_b);
            let ContactImpulse { normal_impulse, friction_impulse, .. } = known.unwrap_or_default();
            Block::set_impulse(blocks, lane_slot, normal_impulse, friction_impulse);
            blocks[lane_slot as usize / WIDTH].bounces |= u32::from(known.is_none()) << (lane_slot as usize % WIDTH);
        }
        self.surfaces(particle_set);
        let (places, motions) = (&particle_set.places[first..], &particle_set.motions[first..]);
        self.deepest =
            simd_level.run(PrepareContacts { blocks: &mut self.blocks, places, motions, span: self.span, rest_speed });
    }

    fn surfaces(&mut self, particle_set: &ParticleSet) {
        if let Some(Surfaces { friction, restitution }) = particle_set.one_surface() {
            for block in &mut self.blocks {
                (block.friction.0, block.restitution.0) = ([friction; WIDTH], [restitution; WIDTH]);
            }
            return;
        }
        for (&[a, b], &lane_slot) in self.pairs.iter().zip(&self.lane_slots) {
            let (block, lane) = (&mut self.blocks[lane_slot as usize / WIDTH], lane_slot as usize % WIDTH);
            let Surfaces { friction, restitution } = particle_set.surfaces(a as usize, b as usize);
            (block.friction.0[lane], block.restitution.0[lane]) = (friction, restitution);
        }
    }
}

/// A slab with the data of its particles and those of the next slab.
pub(super) struct SlabTask<'a, T> {
    pub data: &'a mut [T],
    /// The number of the first particle.
    pub offset: usize,
    pub work: &'a mut SlabWork,
}

/// The slabs of one colour (0 or 1), each with its range of the particles' data.
pub(super) fn tasks<'a, T>(
    mut data: &'a mut [T],
    slabs: &[Range<usize>],
    work: &'a mut [SlabWork],
    colour: usize,
) -> Vec<SlabTask<'a, T>> {
    let mut tasks = Vec::with_capacity(slabs.len() / 2 + 1);
    let mut offset = 0;
    for (k, work) in work.iter_mut().enumerate().skip(colour).step_by(2) {
        let end = slabs[(k + 1).min(slabs.len() - 1)].end;
        let (_, rest) = data.split_at_mut(slabs[k].start - offset);
        let (piece, behind) = rest.split_at_mut(end - slabs[k].start);
        tasks.push(SlabTask { data: piece, offset: slabs[k].start, work });
        (data, offset) = (behind, end);
    }
    tasks
}

/// The surfaces of an impact; below the speed `rest_speed` (m/s), without restitution.
#[inline]
fn surfaces_at_approach(surfaces: Surfaces, approach: Real, rest_speed: Real) -> Surfaces {
    if approach > rest_speed { surfaces } else { Surfaces { restitution: 0.0, ..surfaces } }
}

/// Applies the warm-start impulses of a slab's resting contacts.
pub(super) fn warm_start(task: &mut SlabTask<Motion>, simd_level: SimdLevel) {
    let SlabTask { data, offset, work } = task;
    simd_level.run(WarmStart { blocks: &mut work.blocks, motions: data, span: work.span });
    for touch in work.wall_contacts.fixed.iter_mut().filter(|touch| touch.impulse.normal_impulse > 0.0) {
        let motion = &mut data[touch.particle as usize - *offset];
        motion.velocity += touch.impulse.warm_start_impulse(touch.normal) * motion.inverse_mass;
    }
}

impl ContactImpulse {
    /// The warm-start impulse, with friction projected onto the tangent plane of the current
    /// normal.
    fn warm_start_impulse(&mut self, normal: Vec3) -> Vec3 {
        self.friction_impulse -= normal * normal.dot(self.friction_impulse);
        normal * self.normal_impulse + self.friction_impulse
    }

    /// The change of the accumulated impulse that stops the relative motion of a resting contact,
    /// clamped to be repulsive and inside the friction cone.
    fn resolve(&mut self, normal: Vec3, relative: Vec3, inverse_mass: Real, friction: Real) -> Vec3 {
        let before = *self;
        let speed = normal.dot(relative);
        self.normal_impulse = (before.normal_impulse - speed / inverse_mass).max(0.0);
        let sliding = relative - normal * speed;
        self.friction_impulse =
            (before.friction_impulse - sliding / inverse_mass).clamp_length_max(friction * self.normal_impulse);
        normal * (self.normal_impulse - before.normal_impulse) + (self.friction_impulse - before.friction_impulse)
    }
}

/// One pass over the contacts of a slab; `pass` is its index.
pub(super) fn impacts(task: &mut SlabTask<Motion>, pass: u32, rest_speed: Real, simd_level: SimdLevel) {
    let SlabTask { data, offset, work } = task;
    let backwards = !pass.is_multiple_of(2);
    simd_level.run(SolveImpacts { blocks: &mut work.blocks, motions: data, span: work.span, backwards, rest_speed });
    for touch in &mut work.wall_contacts.fixed {
        let motion = &mut data[touch.particle as usize - *offset];
        let relative = motion.velocity - touch.velocity;
        let impulse = if touch.impulse.resting {
            touch.impulse.resolve(touch.normal, relative, motion.inverse_mass, touch.surfaces.friction)
        } else {
            let normal_impulse = wall_normal_impulse(touch, relative, motion.inverse_mass, pass, rest_speed);
            touch.normal * normal_impulse
                + friction(touch.normal, relative, motion.inverse_mass, touch.surfaces.friction * normal_impulse)
        };
        motion.velocity += impulse * motion.inverse_mass;
    }
}

/// The normal impulse of an impact on a wall (N s): with the precomputed rebound in the first pass,
/// later as between particles.
pub(super) fn wall_normal_impulse(
    touch: &WallContact,
    relative: Vec3,
    response: Real,
    pass: u32,
    rest_speed: Real,
) -> Real {
    let approach = -touch.normal.dot(relative);
    if approach <= 0.0 {
        return 0.0;
    }
    let away = if pass == 0 {
        touch.rebound
    } else {
        surfaces_at_approach(touch.surfaces, approach, rest_speed).restitution * approach
    };
    (approach + away) / response
}

/// Corrects the overlaps of a slab: those of pairs in part, those with walls completely.
pub(super) fn projections(
    task: &mut SlabTask<Place>,
    pass: u32,
    motions: &[Motion],
    factor: Real,
    simd_level: SimdLevel,
) {
    let SlabTask { data, offset, work } = task;
    let (motions, backwards) = (&motions[*offset..], !pass.is_multiple_of(2));
    simd_level.run(ProjectOverlaps { blocks: &work.blocks, places: data, motions, span: work.span, backwards, factor });
    for touch in work.wall_contacts.fixed.iter().chain(&work.wall_contacts.dynamic) {
        let place = &mut data[touch.particle as usize - *offset];
        let overlap = place.radius - touch.normal.dot(place.position - touch.point);
        place.position += touch.normal * overlap.max(0.0);
    }
}
