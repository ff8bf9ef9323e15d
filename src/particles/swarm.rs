//! The working set: all particles in dense arrays, in the order of the grid.

use crate::components::Material;
use crate::impact::particle::Surfaces;
use crate::math::{Real, Vec3};
use std::cmp::Ordering;

/// Where a particle is and how large.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Metres, world.
    pub position: Vec3,
    /// Metres.
    pub radius: Real,
}

/// How a particle moves and how lightly.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    /// Metres a second, world.
    pub velocity: Vec3,
    /// 1/kg.
    pub inverse_mass: Real,
}

/// Struct-of-arrays of all particles.
#[derive(Default)]
pub(crate) struct Swarm {
    pub places: Vec<Place>,
    pub motions: Vec<Motion>,
    /// Where in [`materials`](Self::materials) each one's surface is.
    pub surface: Vec<u32>,
    /// The hecs row each one came from, counted through all archetypes.
    pub row: Vec<u32>,
    /// The hecs id of each one: to look up what its contacts carried, and never to compare.
    pub id: Vec<u32>,
    /// What a wall kept each one from in the first half of the step (m).
    pub lost: Vec<Vec3>,
    pub materials: Vec<Material>,
    old: Columns,
}

/// Room for the arrays to be put in another order.
#[derive(Default)]
struct Columns {
    places: Vec<Place>,
    motions: Vec<Motion>,
    surface: Vec<u32>,
    row: Vec<u32>,
    id: Vec<u32>,
    lost: Vec<Vec3>,
}

impl Swarm {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.motions.clear();
        self.surface.clear();
        self.row.clear();
        self.id.clear();
        self.lost.clear();
        self.materials.clear();
    }

    pub(crate) fn push(&mut self, place: Place, motion: Motion, surface: u32, id: u32) {
        self.id.push(id);
        self.row.push(self.places.len() as u32);
        self.places.push(place);
        self.motions.push(motion);
        self.surface.push(surface);
        self.lost.push(Vec3::ZERO);
    }

    /// Puts the particles in another order.
    pub(crate) fn permute(&mut self, order: &[(u64, u32)]) {
        fn take<T: Copy>(from: &mut Vec<T>, old: &mut Vec<T>, order: &[(u64, u32)]) {
            std::mem::swap(from, old);
            from.clear();
            from.extend(order.iter().map(|&(_, i)| old[i as usize]));
        }
        take(&mut self.places, &mut self.old.places, order);
        take(&mut self.motions, &mut self.old.motions, order);
        take(&mut self.surface, &mut self.old.surface, order);
        take(&mut self.row, &mut self.old.row, order);
        take(&mut self.id, &mut self.old.id, order);
        take(&mut self.lost, &mut self.old.lost, order);
    }

    /// An order made from what particles are, so that neither rows nor entities show in any result. Two particles that agree
    /// in everything are alike to physics.
    pub(crate) fn compare(&self, a: u32, b: u32) -> Ordering {
        let key = |i: u32| {
            let i = i as usize;
            let (place, motion, material) = (self.places[i], self.motions[i], self.materials[self.surface[i] as usize]);
            let (x, v) = (place.position, motion.velocity);
            let surface = [material.dynamic_friction, material.restitution];
            [x.x, x.y, x.z, v.x, v.y, v.z, place.radius, motion.inverse_mass, surface[0], surface[1]]
        };
        let (a, b) = (key(a), key(b));
        a.iter().zip(&b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// What an impact of two particles leaves of their surfaces.
    #[inline]
    pub(crate) fn surfaces(&self, a: usize, b: usize) -> Surfaces {
        let [p, q] = [self.surface[a], self.surface[b]].map(|i| &self.materials[i as usize]);
        // Nearly all particles share one surface.
        if self.surface[a] == self.surface[b] { of(&p.with(p)) } else { of(&p.with(q)) }
    }

    /// What an impact of a particle on a collider leaves of their surfaces.
    pub(crate) fn surfaces_with(&self, particle: usize, other: &Material) -> Surfaces {
        of(&self.materials[self.surface[particle] as usize].with(other))
    }
}

fn of(material: &Material) -> Surfaces {
    Surfaces { friction: material.dynamic_friction, restitution: material.restitution }
}
