//! The working set: all particles in dense arrays, in grid order.

use crate::components::Material;
use crate::ids::NONE;
use crate::impact::particle::Surfaces;
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::solver::simd::{WIDTH, Wide};
use std::cmp::Ordering;

/// Position and radius: four scalars, as the SIMD kernels gather them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Place {
    /// Position of the centre (m, world).
    pub position: Vec3,
    /// Radius (m).
    pub radius: Real,
}

/// Velocity and inverse mass: four scalars, as the SIMD kernels gather them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Motion {
    /// Velocity (m/s, world).
    pub velocity: Vec3,
    /// Inverse mass (1/kg).
    pub inverse_mass: Real,
}

/// Identity of a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Index of its material in [`ParticleSet::materials`].
    pub surface: u32,
    /// Its hecs row, counted through all archetypes.
    pub row: u32,
    /// Its hecs id: for the contact cache only, never compared.
    pub id: u32,
    /// Its number in the last leapfrog step, or [`NONE`].
    pub before: u32,
}

impl Default for Label {
    fn default() -> Self {
        Self { surface: 0, row: 0, id: 0, before: NONE }
    }
}

/// Positions and radii of eight consecutive particles, as structure of arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PositionBlock {
    pub x: Wide,
    pub y: Wide,
    pub z: Wide,
    pub radius: Wide,
}

/// All particles, as structure of arrays.
#[derive(Default)]
pub(crate) struct ParticleSet {
    pub places: Vec<Place>,
    pub motions: Vec<Motion>,
    pub labels: Vec<Label>,
    /// The displacement of each that a wall blocked in the first half step (m).
    pub blocked: Vec<Vec3>,
    pub materials: Vec<Material>,
    /// The places at the time of the last [`permute`](Self::permute).
    pub position_blocks: Vec<PositionBlock>,
    old: Columns,
}

/// Second buffers for permuting the arrays.
#[derive(Default)]
struct Columns {
    places: Vec<Place>,
    motions: Vec<Motion>,
    labels: Vec<Label>,
    blocked: Vec<Vec3>,
}

/// Particles per task of permuting: a multiple of [`WIDTH`].
const PIECE: usize = 4096;

/// A range of the arrays in their new order.
struct Piece<'a> {
    order: &'a [(u64, u32)],
    places: &'a mut [Place],
    motions: &'a mut [Motion],
    labels: &'a mut [Label],
    blocked: &'a mut [Vec3],
    position_blocks: &'a mut [PositionBlock],
}

impl Piece<'_> {
    fn fill(&mut self, old: &Columns) {
        fn take<T: Copy>(into: &mut [T], from: &[T], order: &[(u64, u32)]) {
            for (into, &(_, i)) in into.iter_mut().zip(order) {
                *into = from[i as usize];
            }
        }
        take(self.places, &old.places, self.order);
        take(self.motions, &old.motions, self.order);
        take(self.labels, &old.labels, self.order);
        take(self.blocked, &old.blocked, self.order);
        for (block, places) in self.position_blocks.iter_mut().zip(self.places.chunks(WIDTH)) {
            for (lane, place) in places.iter().enumerate() {
                block.x.0[lane] = place.position.x;
                block.y.0[lane] = place.position.y;
                block.z.0[lane] = place.position.z;
                block.radius.0[lane] = place.radius;
            }
        }
    }
}

impl ParticleSet {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.motions.clear();
        self.labels.clear();
        self.blocked.clear();
        self.materials.clear();
    }

    /// Adds a particle and sets its row.
    pub(crate) fn push(&mut self, place: Place, motion: Motion, label: Label) {
        self.labels.push(Label { row: self.places.len() as u32, ..label });
        self.places.push(place);
        self.motions.push(motion);
        self.blocked.push(Vec3::ZERO);
    }

    /// Reorders the particles.
    pub(crate) fn permute(&mut self, order: &[(u64, u32)], threads: usize) {
        let Self { places, motions, labels, blocked, position_blocks, old, .. } = self;
        std::mem::swap(places, &mut old.places);
        std::mem::swap(motions, &mut old.motions);
        std::mem::swap(labels, &mut old.labels);
        std::mem::swap(blocked, &mut old.blocked);
        places.resize(order.len(), Place::default());
        motions.resize(order.len(), Motion::default());
        labels.resize(order.len(), Label::default());
        blocked.resize(order.len(), Vec3::ZERO);
        position_blocks.resize(order.len().div_ceil(WIDTH), PositionBlock::default());
        let columns = places.chunks_mut(PIECE).zip(motions.chunks_mut(PIECE)).zip(labels.chunks_mut(PIECE));
        let columns = columns.zip(blocked.chunks_mut(PIECE)).zip(position_blocks.chunks_mut(PIECE / WIDTH));
        let mut pieces: Vec<Piece> = columns
            .zip(order.chunks(PIECE))
            .map(|(((((places, motions), labels), blocked), position_blocks), order)| Piece {
                order,
                places,
                motions,
                labels,
                blocked,
                position_blocks,
            })
            .collect();
        parallel::for_each(&mut pieces, threads, |piece| piece.fill(old));
    }

    /// Stores the current numbers of the particles as `before`.
    pub(crate) fn number(&mut self) {
        for (number, label) in self.labels.iter_mut().enumerate() {
            label.before = number as u32;
        }
    }

    /// Order by the particles' data, so that results depend on neither rows nor entities. Particles
    /// with equal data are interchangeable.
    pub(crate) fn compare(&self, a: u32, b: u32) -> Ordering {
        let key = |i: u32| {
            let i = i as usize;
            let (place, motion, material) = (self.places[i], self.motions[i], self.material(i));
            let (x, v) = (place.position, motion.velocity);
            let surface = [material.dynamic_friction, material.restitution];
            [x.x, x.y, x.z, v.x, v.y, v.z, place.radius, motion.inverse_mass, surface[0], surface[1]]
        };
        let (a, b) = (key(a), key(b));
        a.iter().zip(&b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn material(&self, particle: usize) -> &Material {
        &self.materials[self.labels[particle].surface as usize]
    }

    /// The combined surfaces of two particles.
    #[inline]
    pub(crate) fn surfaces(&self, a: usize, b: usize) -> Surfaces {
        of(&self.material(a).with(self.material(b)))
    }

    /// [`surfaces`](Self::surfaces) of all pairs, if all particles share one material.
    pub(crate) fn one_surface(&self) -> Option<Surfaces> {
        let [only] = self.materials.as_slice() else { return None };
        Some(of(&only.with(only)))
    }

    /// The combined surfaces of a particle and a collider.
    pub(crate) fn surfaces_with(&self, particle: usize, other: &Material) -> Surfaces {
        of(&self.material(particle).with(other))
    }
}

fn of(material: &Material) -> Surfaces {
    Surfaces { friction: material.dynamic_friction, restitution: material.restitution }
}
