//! The two bodies that a joint is between, while its rows are gone over.

use super::geometry::massed;
use super::row::Coordinate;
use super::unit::{BodyLanes, RowLanes};
use crate::solver::lanes::{Lane, Vector};

/// The two bodies of a joint with their velocities at hand.
pub(super) struct Pair<L> {
    places: [u32; 2],
    v: [Vector<L>; 2],
    w: [Vector<L>; 2],
}

impl<L: Lane> Pair<L> {
    #[inline(always)]
    pub fn load(bodies: &[BodyLanes], places: [u32; 2], o: usize) -> Self {
        let (a, b) = (&bodies[places[0] as usize].velocity, &bodies[places[1] as usize].velocity);
        Self {
            places,
            v: [Vector::load(&a[0], o), Vector::load(&b[0], o)],
            w: [Vector::load(&a[1], o), Vector::load(&b[1], o)],
        }
    }

    #[inline(always)]
    pub fn store(self, bodies: &mut [BodyLanes], o: usize) {
        for side in 0..2 {
            let velocity = &mut bodies[self.places[side] as usize].velocity;
            self.v[side].store(&mut velocity[0], o);
            self.w[side].store(&mut velocity[1], o);
        }
    }

    /// The rate at which a row's coordinate changes.
    #[inline(always)]
    pub fn rate(&self, coordinate: Coordinate, row: &RowLanes, o: usize) -> L {
        let of_a = Vector::<L>::load(&row.arms[0], o).dot(self.w[0]);
        let of_b = Vector::<L>::load(&row.arms[1], o).dot(self.w[1]);
        let v = self.v[1] - self.v[0];
        let along = match coordinate {
            Coordinate::Point(0) => v.x,
            Coordinate::Point(1) => v.y,
            Coordinate::Point(_) => v.z,
            _ => Vector::load(&row.axis, o).dot(v),
        };
        along + (of_b - of_a)
    }

    /// Applies an impulse of a row to both bodies.
    #[inline(always)]
    pub fn push(&mut self, bodies: &[BodyLanes], coordinate: Coordinate, row: &RowLanes, impulse: L, o: usize) {
        for side in 0..2 {
            let impulse = if side == 0 { L::splat(0.0) - impulse } else { impulse };
            let mass = &bodies[self.places[side] as usize].mass;
            let v = &mut self.v[side];
            match coordinate {
                Coordinate::Point(0) => v.x = v.x + L::load(&mass[0], o) * impulse,
                Coordinate::Point(1) => v.y = v.y + L::load(&mass[1], o) * impulse,
                Coordinate::Point(_) => v.z = v.z + L::load(&mass[2], o) * impulse,
                _ => *v = *v + massed(Vector::load(&row.axis, o), mass, o).scale(impulse),
            }
            self.w[side] = self.w[side] + Vector::load(&row.turns[side], o).scale(impulse);
        }
    }
}
