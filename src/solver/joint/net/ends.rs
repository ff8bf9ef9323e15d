//! The two bodies of a joint of a net, eight joints side by side.

use crate::math::Real;
use crate::solver::body::{LINE, SolverBody};
use crate::solver::joint::SolverJoint;
use crate::solver::joint::geometry::massed;
use crate::solver::joint::unit::put;
use crate::solver::lanes::{Lane, Row, Vector, WIDTH, rotation};

/// What impulses do to the bodies. No two lanes move the same one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Ends {
    lines: [[u32; WIDTH]; 2],
    /// Lanes in which impulses move the body, one bit a lane.
    write: [u32; 2],
    /// Inverse mass along the world's axes; inverse inertia, world axes.
    pub mass: [[Row; 3]; 2],
    pub inertia: [[Row; 6]; 2],
}

impl Ends {
    /// Puts two bodies into a lane.
    pub fn fill(&mut self, lane: usize, lines: [u32; 2], bodies: [&SolverBody; 2]) {
        for (side, body) in bodies.into_iter().enumerate() {
            self.lines[side][lane] = lines[side];
            self.write[side] |= u32::from(body.movable()) << lane;
            put(&mut self.mass[side], lane, body.free() * body.inverse_mass);
            for (row, x) in self.inertia[side].iter_mut().zip(body.inverse_inertia) {
                row.0[lane] = x;
            }
        }
    }

    /// How the relative velocity at two arms answers to impulses of one along the axes of the world, and how the relative
    /// angular velocity does: by the axis.
    #[inline(always)]
    pub fn answers<L: Lane>(&self, arms: &[[Row; 3]; 2], o: usize) -> ([Vector<L>; 3], [Vector<L>; 3]) {
        let zero = L::splat(0.0);
        let none = Vector::new(zero, zero, zero);
        let (mut columns, mut turns) = ([none; 3], [none; 3]);
        for ((arm, mass), inertia) in arms.iter().zip(&self.mass).zip(&self.inertia) {
            let (arm, mass) = (Vector::<L>::load(arm, o), Vector::<L>::load(mass, o));
            let moments = [
                Vector::new(zero, arm.z, zero - arm.y),
                Vector::new(zero - arm.z, zero, arm.x),
                Vector::new(arm.y, zero - arm.x, zero),
            ];
            let straight =
                [Vector::new(mass.x, zero, zero), Vector::new(zero, mass.y, zero), Vector::new(zero, zero, mass.z)];
            for k in 0..3 {
                let turned = moments[k].transformed(inertia, o);
                columns[k] = columns[k] + (straight[k] + turned.cross(arm));
                turns[k] = turns[k] + turned;
            }
        }
        (columns, turns)
    }
}

/// Where two bodies are in a step.
pub(super) struct Placed<L> {
    moved: [Vector<L>; 2],
    turned: [Vector<L>; 2],
    coefficients: [(L, L); 2],
}

impl<L: Lane> Placed<L> {
    /// # Safety
    /// The lines that the ends name must exist at `lines`, and nobody may be writing them.
    #[inline(always)]
    pub unsafe fn gather(lines: *const Real, ends: &Ends, o: usize) -> Self {
        let [a, b] = &ends.lines;
        // SAFETY: passed on to the caller; quads 2 and 3 lie inside a line.
        let (ma, ta) = unsafe { (L::gather::<LINE>(lines, a, o, 2), L::gather::<LINE>(lines, a, o, 3)) };
        // SAFETY: as above.
        let (mb, tb) = unsafe { (L::gather::<LINE>(lines, b, o, 2), L::gather::<LINE>(lines, b, o, 3)) };
        let turned = [Vector::from_quad(ta), Vector::from_quad(tb)];
        Self {
            moved: [Vector::from_quad(ma), Vector::from_quad(mb)],
            turned,
            coefficients: [
                rotation::coefficients(turned[0].dot(turned[0])),
                rotation::coefficients(turned[1].dot(turned[1])),
            ],
        }
    }

    /// What its rotation adds to a vector of a body.
    #[inline(always)]
    fn change(&self, side: usize, v: Vector<L>) -> Vector<L> {
        rotation::change(self.turned[side], self.coefficients[side], v)
    }

    /// A vector of a body, turned with it.
    #[inline(always)]
    pub fn turn(&self, side: usize, v: &[Row; 3], o: usize) -> Vector<L> {
        let v = Vector::load(v, o);
        v + self.change(side, v)
    }

    /// The gap between the anchors, and the arms to them, from what they were at the start of the step.
    #[inline(always)]
    pub fn anchors(&self, before: &Anchors, o: usize) -> (Vector<L>, [Vector<L>; 2]) {
        let [a, b] = [Vector::load(&before.levers[0], o), Vector::load(&before.levers[1], o)];
        let change = [self.change(0, a), self.change(1, b)];
        let gap = Vector::load(&before.gap, o) - (self.moved[0] + change[0]) + (self.moved[1] + change[1]);
        (gap, [a + change[0], b + change[1]])
    }
}

/// Where the anchors of a joint are at the start of the step, world axes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Anchors {
    /// From the centres of mass to the anchors (m).
    levers: [[Row; 3]; 2],
    /// From the first anchor to the second (m).
    gap: [Row; 3],
}

impl Anchors {
    /// Puts a joint's into a lane.
    pub fn fill(&mut self, lane: usize, joint: &SolverJoint) {
        put(&mut self.gap, lane, joint.gap);
        for (rows, lever) in self.levers.iter_mut().zip(joint.levers) {
            put(rows, lane, lever);
        }
    }
}

/// The velocities of the two bodies.
pub(super) struct Pair<L> {
    pub v: [Vector<L>; 2],
    pub w: [Vector<L>; 2],
    /// What the lines hold beside them.
    spare: [[L; 2]; 2],
}

impl<L: Lane> Pair<L> {
    /// # Safety
    /// As for [`Placed::gather`].
    #[inline(always)]
    pub unsafe fn gather(lines: *const Real, ends: &Ends, o: usize) -> Self {
        let [a, b] = &ends.lines;
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
        let (va, wa) = unsafe { (L::gather::<LINE>(lines, a, o, 0), L::gather::<LINE>(lines, a, o, 1)) };
        // SAFETY: as above.
        let (vb, wb) = unsafe { (L::gather::<LINE>(lines, b, o, 0), L::gather::<LINE>(lines, b, o, 1)) };
        Self {
            v: [Vector::from_quad(va), Vector::from_quad(vb)],
            w: [Vector::from_quad(wa), Vector::from_quad(wb)],
            spare: [[va[3], wa[3]], [vb[3], wb[3]]],
        }
    }

    /// # Safety
    /// The lines that the ends name must exist at `lines`; those that they move belong to the caller alone.
    #[inline(always)]
    pub unsafe fn scatter(self, lines: *mut Real, ends: &Ends, o: usize) {
        for side in 0..2 {
            let (ids, write, [m, n]) = (&ends.lines[side], ends.write[side], self.spare[side]);
            // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
            unsafe {
                L::scatter::<LINE>(lines, ids, write, o, 0, self.v[side].quad(m));
                L::scatter::<LINE>(lines, ids, write, o, 1, self.w[side].quad(n));
            }
        }
    }

    /// How fast what is at the arms parts.
    #[inline(always)]
    pub fn parting(&self, arms: &[[Row; 3]; 2], o: usize) -> Vector<L> {
        let of_a = self.w[0].cross(Vector::load(&arms[0], o));
        let of_b = self.w[1].cross(Vector::load(&arms[1], o));
        (self.v[1] - self.v[0]) + (of_b - of_a)
    }

    /// Applies an impulse to the second body at its arm, and its opposite to the first.
    #[inline(always)]
    pub fn push(&mut self, ends: &Ends, arms: &[[Row; 3]; 2], impulse: Vector<L>, o: usize) {
        self.move_by(ends, impulse, o);
        self.turn_by(ends, [Vector::load(&arms[0], o).cross(impulse), Vector::load(&arms[1], o).cross(impulse)], o);
    }

    #[inline(always)]
    pub fn move_by(&mut self, ends: &Ends, impulse: Vector<L>, o: usize) {
        self.v[0] = self.v[0] - massed(impulse, &ends.mass[0], o);
        self.v[1] = self.v[1] + massed(impulse, &ends.mass[1], o);
    }

    /// Applies moments, that on the first body with its sign turned.
    #[inline(always)]
    pub fn turn_by(&mut self, ends: &Ends, [a, b]: [Vector<L>; 2], o: usize) {
        self.w[0] = self.w[0] - a.transformed(&ends.inertia[0], o);
        self.w[1] = self.w[1] + b.transformed(&ends.inertia[1], o);
    }
}

/// What the joints of a block bore in a step.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Borne {
    /// Sum of the impulses; of their lengths, and the greatest.
    pub force: [Row; 3],
    pub load: Row,
    pub peak: Row,
}

impl Borne {
    /// Adds the impulse of a substep.
    #[inline(always)]
    pub fn add<L: Lane>(&mut self, impulse: Vector<L>, o: usize) {
        (Vector::load(&self.force, o) + impulse).store(&mut self.force, o);
        let size = impulse.dot(impulse).sqrt();
        (L::load(&self.load, o) + size).store(&mut self.load, o);
        L::load(&self.peak, o).max(size).store(&mut self.peak, o);
    }
}
