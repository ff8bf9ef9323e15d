//! Velocities of the two bodies of a joint, in lanes.

use super::batch::{BodyLanes, JointLanes, RowLanes};
use super::jacobians::times_inverse_mass;
use super::row::Coordinate;
use crate::solver::simd::{Simd, Vector};

/// The two bodies of a joint with their velocities loaded.
pub(super) struct BodyPair<L> {
    bodies: [u32; 2],
    v: [Vector<L>; 2],
    w: [Vector<L>; 2],
}

impl<L: Simd> BodyPair<L> {
    /// The bodies at other velocities: `[linear, angular]` of each.
    #[inline(always)]
    pub fn of(bodies: [u32; 2], [[va, wa], [vb, wb]]: [[Vector<L>; 2]; 2]) -> Self {
        Self { bodies, v: [va, vb], w: [wa, wb] }
    }

    #[inline(always)]
    pub fn load(bodies: &[BodyLanes], indices: [u32; 2], o: usize) -> Self {
        let (a, b) = (&bodies[indices[0] as usize].velocity, &bodies[indices[1] as usize].velocity);
        Self {
            bodies: indices,
            v: [Vector::load(&a[0], o), Vector::load(&b[0], o)],
            w: [Vector::load(&a[1], o), Vector::load(&b[1], o)],
        }
    }

    /// The velocity changes since the last linearisation.
    #[inline(always)]
    pub fn since_linearisation(&self, bodies: &[BodyLanes], o: usize) -> Self {
        let [a, b] = self.bodies.map(|body| &bodies[body as usize].linearised_velocity);
        Self {
            bodies: self.bodies,
            v: [self.v[0] - Vector::load(&a[0], o), self.v[1] - Vector::load(&b[0], o)],
            w: [self.w[0] - Vector::load(&a[1], o), self.w[1] - Vector::load(&b[1], o)],
        }
    }

    #[inline(always)]
    pub fn store(self, bodies: &mut [BodyLanes], o: usize) {
        for side in 0..2 {
            let velocity = &mut bodies[self.bodies[side] as usize].velocity;
            self.v[side].store(&mut velocity[0], o);
            self.w[side].store(&mut velocity[1], o);
        }
    }

    /// Relative velocity of the anchors of a point constraint.
    #[inline(always)]
    pub fn relative_velocity(&self, joint: &JointLanes, o: usize) -> Vector<L> {
        let of_a = self.w[0].cross(Vector::load(&joint.arms[0], o));
        let of_b = self.w[1].cross(Vector::load(&joint.arms[1], o));
        (self.v[1] - self.v[0]) + (of_b - of_a)
    }

    /// Applies an impulse of a point constraint to both bodies.
    #[inline(always)]
    pub fn apply_point_impulse(&mut self, bodies: &[BodyLanes], joint: &JointLanes, impulse: Vector<L>, o: usize) {
        let none = L::splat(0.0);
        for side in 0..2 {
            let impulse = if side == 0 { Vector::new(none, none, none) - impulse } else { impulse };
            self.v[side] = self.v[side] + times_inverse_mass(impulse, &bodies[self.bodies[side] as usize].mass, o);
            let [x, y, z] = &joint.angular_response[side];
            let angular = Vector::load(x, o).scale(impulse.x)
                + Vector::load(y, o).scale(impulse.y)
                + Vector::load(z, o).scale(impulse.z);
            self.w[side] = self.w[side] + angular;
        }
    }

    /// Rate of a row's coordinate.
    #[inline(always)]
    pub fn rate(&self, coordinate: Coordinate, row: &RowLanes, o: usize) -> L {
        let of_a = Vector::<L>::load(&row.angular[0], o).dot(self.w[0]);
        let of_b = Vector::<L>::load(&row.angular[1], o).dot(self.w[1]);
        let axis = Vector::<L>::load(&row.linear[1], o);
        if coordinate == Coordinate::Pulley {
            let of_first = Vector::load(&row.linear[0], o).dot(self.v[0]) + of_a;
            (axis.dot(self.v[1]) + of_b) - of_first
        } else if coordinate.is_linear() {
            axis.dot(self.v[1] - self.v[0]) + (of_b - of_a)
        } else {
            of_b - of_a
        }
    }

    /// Applies an impulse of a row to both bodies.
    #[inline(always)]
    pub fn apply_impulse(
        &mut self,
        bodies: &[BodyLanes],
        coordinate: Coordinate,
        row: &RowLanes,
        impulse: L,
        o: usize,
    ) {
        for side in 0..2 {
            let impulse = if side == 0 { L::splat(0.0) - impulse } else { impulse };
            if coordinate.is_linear() {
                let mass = &bodies[self.bodies[side] as usize].mass;
                self.v[side] =
                    self.v[side] + times_inverse_mass(Vector::load(&row.linear[side], o), mass, o).scale(impulse);
            }
            self.w[side] = self.w[side] + Vector::load(&row.angular_response[side], o).scale(impulse);
        }
    }
}
