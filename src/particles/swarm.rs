//! The working set: all particles in dense arrays, in the order of the grid.

use crate::components::Material;
use crate::impact::particle::Surfaces;
use crate::index::NONE;
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::solver::lanes::{Row, WIDTH};
use std::cmp::Ordering;

/// Where a particle is and how large: four scalars, as the lanes gather them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Place {
    /// Metres, world.
    pub position: Vec3,
    /// Metres.
    pub radius: Real,
}

/// How a particle moves and how lightly: four scalars, as the lanes gather them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Motion {
    /// Metres a second, world.
    pub velocity: Vec3,
    /// 1/kg.
    pub inverse_mass: Real,
}

/// Which particle it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Where in [`Swarm::materials`] its surface is.
    pub surface: u32,
    /// The hecs row that it came from, counted through all archetypes.
    pub row: u32,
    /// Its hecs id: to look up what its contacts carried, and never to compare.
    pub id: u32,
    /// Its number in the last leapfrog step, or [`NONE`].
    pub before: u32,
}

impl Default for Label {
    fn default() -> Self {
        Self { surface: 0, row: 0, id: 0, before: NONE }
    }
}

/// The places of eight particles that follow each other, column by column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Eight {
    pub x: Row,
    pub y: Row,
    pub z: Row,
    pub radius: Row,
}

/// Struct-of-arrays of all particles.
#[derive(Default)]
pub(crate) struct Swarm {
    pub places: Vec<Place>,
    pub motions: Vec<Motion>,
    pub labels: Vec<Label>,
    /// What a wall kept each one from in the first half of the step (m).
    pub lost: Vec<Vec3>,
    pub materials: Vec<Material>,
    /// The places as they were when the order was made.
    pub eights: Vec<Eight>,
    old: Columns,
}

/// Room for the arrays to be put in another order.
#[derive(Default)]
struct Columns {
    places: Vec<Place>,
    motions: Vec<Motion>,
    labels: Vec<Label>,
    lost: Vec<Vec3>,
}

/// Particles that one thread puts in order at a time: a multiple of [`WIDTH`].
const PIECE: usize = 4096;

/// A piece of the arrays in their new order.
struct Piece<'a> {
    order: &'a [(u64, u32)],
    places: &'a mut [Place],
    motions: &'a mut [Motion],
    labels: &'a mut [Label],
    lost: &'a mut [Vec3],
    eights: &'a mut [Eight],
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
        take(self.lost, &old.lost, self.order);
        for (eight, places) in self.eights.iter_mut().zip(self.places.chunks(WIDTH)) {
            for (lane, place) in places.iter().enumerate() {
                eight.x.0[lane] = place.position.x;
                eight.y.0[lane] = place.position.y;
                eight.z.0[lane] = place.position.z;
                eight.radius.0[lane] = place.radius;
            }
        }
    }
}

impl Swarm {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.motions.clear();
        self.labels.clear();
        self.lost.clear();
        self.materials.clear();
    }

    /// Adds a particle; its row is given.
    pub(crate) fn push(&mut self, place: Place, motion: Motion, label: Label) {
        self.labels.push(Label { row: self.places.len() as u32, ..label });
        self.places.push(place);
        self.motions.push(motion);
        self.lost.push(Vec3::ZERO);
    }

    /// Puts the particles in another order.
    pub(crate) fn permute(&mut self, order: &[(u64, u32)], threads: usize) {
        let Self { places, motions, labels, lost, eights, old, .. } = self;
        std::mem::swap(places, &mut old.places);
        std::mem::swap(motions, &mut old.motions);
        std::mem::swap(labels, &mut old.labels);
        std::mem::swap(lost, &mut old.lost);
        places.resize(order.len(), Place::default());
        motions.resize(order.len(), Motion::default());
        labels.resize(order.len(), Label::default());
        lost.resize(order.len(), Vec3::ZERO);
        eights.resize(order.len().div_ceil(WIDTH), Eight::default());
        let columns = places.chunks_mut(PIECE).zip(motions.chunks_mut(PIECE)).zip(labels.chunks_mut(PIECE));
        let columns = columns.zip(lost.chunks_mut(PIECE)).zip(eights.chunks_mut(PIECE / WIDTH));
        let mut pieces: Vec<Piece> = columns
            .zip(order.chunks(PIECE))
            .map(|(((((places, motions), labels), lost), eights), order)| Piece {
                order,
                places,
                motions,
                labels,
                lost,
                eights,
            })
            .collect();
        parallel::for_each(&mut pieces, threads, |piece| piece.fill(old));
    }

    /// Notes that the next order is made from this one.
    pub(crate) fn number(&mut self) {
        for (number, label) in self.labels.iter_mut().enumerate() {
            label.before = number as u32;
        }
    }

    /// An order made from what particles are, so that neither rows nor entities show in any result. Two particles that agree
    /// in everything are alike to physics.
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

    /// What an impact of two particles leaves of their surfaces.
    #[inline]
    pub(crate) fn surfaces(&self, a: usize, b: usize) -> Surfaces {
        of(&self.material(a).with(self.material(b)))
    }

    /// [`surfaces`](Self::surfaces) of all pairs, where all particles share one material.
    pub(crate) fn one_surface(&self) -> Option<Surfaces> {
        let [only] = self.materials.as_slice() else { return None };
        Some(of(&only.with(only)))
    }

    /// What an impact of a particle on a collider leaves of their surfaces.
    pub(crate) fn surfaces_with(&self, particle: usize, other: &Material) -> Surfaces {
        of(&self.material(particle).with(other))
    }
}

fn of(material: &Material) -> Surfaces {
    Surfaces { friction: material.dynamic_friction, restitution: material.restitution }
}
