//! The two bodies that a joint is between, while its rows are gone over.

use super::geometry::massed;
use super::row::Coordinate;
use super::unit::{BodyLanes, JointLanes, RowLanes};
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

    /// The same with what was added to the velocities since the bodies were looked at.
    #[inline(always)]
    pub fn since(&self, bodies: &[BodyLanes], o: usize) -> Self {
        let [a, b] = self.places.map(|place| &bodies[place as usize].seen);
        Self {
            places: self.places,
            v: [self.v[0] - Vector::load(&a[0], o), self.v[1] - Vector::load(&b[0], o)],
            w: [self.w[0] - Vector::load(&a[1], o), self.w[1] - Vector::load(&b[1], o)],
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

    /// How fast the anchors of a pin part.
    #[inline(always)]
    pub fn parting(&self, joint: &JointLanes, o: usize) -> Vector<L> {
        let of_a = self.w[0].cross(Vector::load(&joint.arms[0], o));
        let of_b = self.w[1].cross(Vector::load(&joint.arms[1], o));
        (self.v[1] - self.v[0]) + (of_b - of_a)
    }

    /// Applies an impulse of a pin to both bodies.
    #[inline(always)]
    pub fn pin(&mut self, bodies: &[BodyLanes], joint: &JointLanes, impulse: Vector<L>, o: usize) {
        let none = L::splat(0.0);
        for side in 0..2 {
            let impulse = if side == 0 { Vector::new(none, none, none) - impulse } else { impulse };
            self.v[side] = self.v[side] + massed(impulse, &bodies[self.places[side] as usize].mass, o);
            let [x, y, z] = &joint.turns[side];
            let turned = Vector::load(x, o).scale(impulse.x)
                + Vector::load(y, o).scale(impulse.y)
                + Vector::load(z, o).scale(impulse.z);
            self.w[side] = self.w[side] + turned;
        }
    }

    /// The rate at which a row's coordinate changes.
    #[inline(always)]
    pub fn rate(&self, coordinate: Coordinate, row: &RowLanes, o: usize) -> L {
        let of_a = Vector::<L>::load(&row.arms[0], o).dot(self.w[0]);
        let of_b = Vector::<L>::load(&row.arms[1], o).dot(self.w[1]);
        if coordinate.is_linear() {
            Vector::load(&row.axis, o).dot(self.v[1] - self.v[0]) + (of_b - of_a)
        } else {
            of_b - of_a
        }
    }

    /// Applies an impulse of a row to both bodies.
    #[inline(always)]
    pub fn push(&mut self, bodies: &[BodyLanes], coordinate: Coordinate, row: &RowLanes, impulse: L, o: usize) {
        for side in 0..2 {
            let impulse = if side == 0 { L::splat(0.0) - impulse } else { impulse };
            if coordinate.is_linear() {
                let mass = &bodies[self.places[side] as usize].mass;
                self.v[side] = self.v[side] + massed(Vector::load(&row.axis, o), mass, o).scale(impulse);
            }
            self.w[side] = self.w[side] + Vector::load(&row.turns[side], o).scale(impulse);
        }
    }
}
