//! Impacts of a step: one after the other, several times over.
//!
//! Each impact by itself adds no energy, and neither do they one after the other. Contacts that last start from what they carried
//! in the last step, and their impulses add up over the passes: only so do a few passes carry a deep heap. Slabs of one colour share no particle with
//! each other and run in parallel; within a slab pairs go in blocks of eight, and every second pass turns their order round.

use super::block::{Block, seat};
use super::carried::Carried;
use super::grid::{Grid, Slab};
use super::kernels::{Hit, Meet, Part, Resume};
use super::memory::Memory;
use super::pairs::{Pair, Search};
use super::swarm::{Motion, Place, Swarm};
use super::walls::{Touch, Touches};
use crate::impact::particle::{Surfaces, friction};
use crate::math::{Real, Vec3};
use crate::solver::Path;
use crate::solver::lanes::WIDTH;
use std::ops::Range;

/// What a slab has to do.
#[derive(Default)]
pub(super) struct Work {
    pub pairs: Vec<Pair>,
    /// The seat of each pair in the blocks.
    pub seats: Vec<u32>,
    pub blocks: Vec<Block>,
    /// How many particles the blocks are about, from the first one of the slab on.
    span: usize,
    /// The colours that each of these has pairs of.
    taken: Vec<u64>,
    pub touches: Touches,
    /// The deepest overlap of a pair, as a part of the sum of the radii.
    pub deepest: Real,
}

impl Work {
    /// Finds the pairs of a slab, and what they start from. Pairs that are remembered, or approach no faster than `rest` (m/s),
    /// rest.
    pub fn find(&mut self, grid: &Grid, slab: &Slab, swarm: &Swarm, memory: &Memory, rest: Real, path: Path) {
        path.run(Search { grid, slab, eights: &swarm.eights, out: &mut self.pairs });
        let first = slab.particles.start;
        let Self { pairs, seats, blocks, taken, .. } = self;
        self.span = seat(pairs, first as u32, taken, seats, blocks);
        for (&[a, b], &seat) in pairs.iter().zip(&*seats) {
            let [was_a, was_b] = [a, b].map(|particle| swarm.labels[particle as usize].before);
            let known = memory.pair(was_a, was_b);
            let Carried { push, hold, .. } = known.unwrap_or_default();
            Block::carry(blocks, seat, push, hold);
            blocks[seat as usize / WIDTH].bounces |= u32::from(known.is_none()) << (seat as usize % WIDTH);
        }
        self.surfaces(swarm);
        let (places, motions) = (&swarm.places[first..], &swarm.motions[first..]);
        self.deepest = path.run(Meet { blocks: &mut self.blocks, places, motions, span: self.span, rest });
    }

    fn surfaces(&mut self, swarm: &Swarm) {
        if let Some(Surfaces { friction, restitution }) = swarm.one_surface() {
            for block in &mut self.blocks {
                (block.friction.0, block.restitution.0) = ([friction; WIDTH], [restitution; WIDTH]);
            }
            return;
        }
        for (&[a, b], &seat) in self.pairs.iter().zip(&self.seats) {
            let (block, lane) = (&mut self.blocks[seat as usize / WIDTH], seat as usize % WIDTH);
            let Surfaces { friction, restitution } = swarm.surfaces(a as usize, b as usize);
            (block.friction.0[lane], block.restitution.0[lane]) = (friction, restitution);
        }
    }
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

/// Impacts slower than `rest` (m/s) do not bounce.
#[inline]
fn settled(surfaces: Surfaces, approach: Real, rest: Real) -> Surfaces {
    if approach > rest { surfaces } else { Surfaces { restitution: 0.0, ..surfaces } }
}

/// Lets resting contacts start from what they carried.
pub(super) fn resume(task: &mut Task<Motion>, path: Path) {
    let Task { data, offset, work } = task;
    path.run(Resume { blocks: &mut work.blocks, motions: data, span: work.span });
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
pub(super) fn impacts(task: &mut Task<Motion>, pass: u32, rest: Real, path: Path) {
    let Task { data, offset, work } = task;
    let backwards = !pass.is_multiple_of(2);
    path.run(Hit { blocks: &mut work.blocks, motions: data, span: work.span, backwards, rest });
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
pub(super) fn projections(task: &mut Task<Place>, pass: u32, motions: &[Motion], factor: Real, path: Path) {
    let Task { data, offset, work } = task;
    let (motions, backwards) = (&motions[*offset..], !pass.is_multiple_of(2));
    path.run(Part { blocks: &work.blocks, places: data, motions, span: work.span, backwards, factor });
    for touch in work.touches.fixed.iter().chain(&work.touches.dynamic) {
        let place = &mut data[touch.particle as usize - *offset];
        let overlap = place.radius - touch.normal.dot(place.position - touch.point);
        place.position += touch.normal * overlap.max(0.0);
    }
}
