//! Constraint values and Jacobians of joints at predicted poses, in lanes.

use super::batch::{BatchView, BodyLanes, JointLanes, RowLanes};
use super::row::{Coordinate, RowKind};
use crate::math::Real;
use crate::solver::simd::{Simd, Vector, Wide, rotation};

/// Minimum compliance of a spring per substep, relative to its inverse effective mass. Larger:
/// damps springs; smaller: divides by zero without damping.
const MIN_SPRING_COMPLIANCE: Real = 1e-12;

/// Rotation of a body at its predicted pose.
#[derive(Clone, Copy)]
struct BodyRotation<L> {
    vector: Vector<L>,
    s: L,
    c: L,
}

impl<L: Simd> BodyRotation<L> {
    #[inline(always)]
    fn of(body: &BodyLanes, o: usize) -> Self {
        let [s, c] = &body.rotation_coefficients;
        Self { vector: Vector::load(&body.predicted[1], o), s: L::load(s, o), c: L::load(c, o) }
    }

    /// The change of a vector by the rotation.
    #[inline(always)]
    fn change(&self, v: Vector<L>) -> Vector<L> {
        rotation::rotation_change(self.vector, (self.s, self.c), v)
    }

    #[inline(always)]
    fn apply(&self, v: Vector<L>) -> Vector<L> {
        v + self.change(v)
    }

    /// Mean of a vector over the course of the rotation.
    #[inline(always)]
    fn mean(&self, v: Vector<L>) -> Vector<L> {
        let square = self.vector.dot(self.vector);
        let turns = square.gt(L::splat(0.0));
        let one = L::splat(1.0);
        let twice = L::select(turns, (one - self.s).div(L::select(turns, square, one)), L::splat(0.0));
        let once = self.vector.cross(v);
        v + once.scale(self.c) + self.vector.cross(once).scale(twice)
    }
}

/// Sets the predicted poses to those after `time` (s) at the current velocities.
#[inline(always)]
pub(super) fn predict_poses<L: Simd>(view: &mut BatchView, o: usize, time: Real) {
    for body in view.bodies.iter_mut() {
        let [at, turn] = advanced::<L>(body, o, time);
        at.store(&mut body.predicted[0], o);
        set_rotation(body, turn, o);
        for (linearised_velocity, velocity) in body.linearised_velocity.iter_mut().zip(&body.velocity) {
            Vector::<L>::load(velocity, o).store(linearised_velocity, o);
        }
    }
}

/// As [`predict_poses`], in some lanes.
#[inline(always)]
pub(super) fn predict_poses_masked<L: Simd>(view: &mut BatchView, o: usize, time: Real, here: L::Mask) {
    for body in view.bodies.iter_mut() {
        let [at, turn] = advanced::<L>(body, o, time);
        Vector::select(here, at, Vector::load(&body.predicted[0], o)).store(&mut body.predicted[0], o);
        set_rotation(body, Vector::select(here, turn, Vector::load(&body.predicted[1], o)), o);
        for (linearised_velocity, velocity) in body.linearised_velocity.iter_mut().zip(&body.velocity) {
            Vector::select(here, Vector::<L>::load(velocity, o), Vector::load(linearised_velocity, o))
                .store(linearised_velocity, o);
        }
    }
}

/// Sets the predicted poses to the current ones.
#[inline(always)]
pub(super) fn use_current_poses<L: Simd>(view: &mut BatchView, o: usize) {
    for body in view.bodies.iter_mut() {
        Vector::<L>::load(&body.moved[0], o).store(&mut body.predicted[0], o);
        set_rotation(body, Vector::<L>::load(&body.moved[1], o), o);
    }
}

/// Moves all bodies by `time` (s) at their velocities.
#[inline(always)]
pub(super) fn drift<L: Simd>(view: &mut BatchView, o: usize, time: Real) {
    for body in view.bodies.iter_mut() {
        let [at, turn] = advanced::<L>(body, o, time);
        at.store(&mut body.moved[0], o);
        turn.store(&mut body.moved[1], o);
    }
}

/// Displacement and rotation vector of a body after `time` (s) at its velocity.
#[inline(always)]
fn advanced<L: Simd>(body: &BodyLanes, o: usize, time: Real) -> [Vector<L>; 2] {
    let time = L::splat(time);
    let [by, turn_by] =
        [Vector::<L>::load(&body.velocity[0], o).scale(time), Vector::<L>::load(&body.velocity[1], o).scale(time)];
    [Vector::load(&body.moved[0], o) + by, rotation::compose(Vector::load(&body.moved[1], o), turn_by)]
}

/// Sets the predicted rotation of a body.
#[inline(always)]
fn set_rotation<L: Simd>(body: &mut BodyLanes, turn: Vector<L>, o: usize) {
    turn.store(&mut body.predicted[1], o);
    let (s, c) = rotation::rotation_coefficients(turn.dot(turn));
    s.store(&mut body.rotation_coefficients[0], o);
    c.store(&mut body.rotation_coefficients[1], o);
}

/// A joint at the predicted poses of its bodies.
pub(super) struct JointPose<'a, L> {
    lanes: &'a JointLanes,
    turned: [BodyRotation<L>; 2],
    arms: [Vector<L>; 2],
    /// Vector from the first anchor to the second.
    pub gap: Vector<L>,
    rotation: Vector<L>,
}

impl<'a, L: Simd> JointPose<'a, L> {
    #[inline(always)]
    pub fn new(lanes: &'a JointLanes, bodies: [&BodyLanes; 2], o: usize) -> Self {
        let turned = [BodyRotation::of(bodies[0], o), BodyRotation::of(bodies[1], o)];
        let rest = [Vector::<L>::load(&lanes.start_arms[0], o), Vector::<L>::load(&lanes.start_arms[1], o)];
        let change = [turned[0].change(rest[0]), turned[1].change(rest[1])];
        let moved = Vector::<L>::load(&bodies[1].predicted[0], o) - Vector::load(&bodies[0].predicted[0], o);
        let gap = Vector::load(&lanes.gap, o) + (moved + (change[1] - change[0]));
        let arms = [rest[0] + change[0], rest[1] + change[1]];
        Self { lanes, turned, arms, gap, rotation: turned[1].vector - turned[0].vector }
    }

    /// Arms of the point constraint: from both centres of mass to the second anchor.
    #[inline(always)]
    pub fn point_arms(&self) -> [Vector<L>; 2] {
        [self.arms[0] + self.gap, self.arms[1]]
    }

    /// Square of the angular rate of a rod (rad²/s²).
    #[inline(always)]
    pub fn rod_rate_squared(&self, [a, b]: [&BodyLanes; 2], o: usize) -> L {
        let of_a = Vector::load(&a.velocity[0], o) + Vector::load(&a.velocity[1], o).cross(self.arms[0]);
        let of_b = Vector::load(&b.velocity[0], o) + Vector::load(&b.velocity[1], o).cross(self.arms[1]);
        let (by, square) = (of_b - of_a, self.gap.dot(self.gap));
        let nonzero = square.gt(L::splat(Real::MIN_POSITIVE));
        L::select(nonzero, by.dot(by).div(L::select(nonzero, square, L::splat(1.0))), L::splat(0.0))
    }

    /// Axis k of a body's joint frame.
    #[inline(always)]
    fn axis(&self, side: usize, k: usize, o: usize) -> Vector<L> {
        self.turned[side].apply(Vector::load(&self.lanes.frames[side][k], o))
    }

    /// Relative rotation of the frames for small angles: half the sum of the cross products of
    /// equal axes.
    #[inline(always)]
    fn weld(&self, o: usize) -> Vector<L> {
        let mut sum = self.axis(0, 0, o).cross(self.axis(1, 0, o));
        for k in 1..3 {
            sum = sum + self.axis(0, k, o).cross(self.axis(1, k, o));
        }
        sum.scale(L::splat(0.5))
    }
}

#[inline(always)]
fn world_axis<L: Simd>(k: usize) -> Vector<L> {
    let one: [Real; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][k];
    Vector::new(L::splat(one[0]), L::splat(one[1]), L::splat(one[2]))
}

#[inline(always)]
fn component<L: Simd>(v: Vector<L>, k: usize) -> L {
    [v.x, v.y, v.z][k]
}

/// Direction and length of an anchor offset; the x axis where it vanishes.
#[inline(always)]
pub(super) fn direction<L: Simd>(gap: Vector<L>) -> (Vector<L>, L) {
    let square = gap.dot(gap);
    let nonzero = square.gt(L::splat(Real::MIN_POSITIVE));
    let length = square.sqrt();
    let inverse = L::splat(1.0).div(L::select(nonzero, length, L::splat(1.0)));
    (Vector::select(nonzero, gap.scale(inverse), world_axis(0)), length)
}

/// Value of a scalar coordinate.
#[inline(always)]
pub(super) fn value<L: Simd>(coordinate: Coordinate, joint: &JointPose<L>, row: &RowLanes, o: usize) -> L {
    match coordinate {
        Coordinate::Point(k) => component(joint.gap, k as usize),
        Coordinate::Along(k) => joint.gap.dot(joint.axis(0, k as usize, o)),
        Coordinate::Distance => direction(joint.gap).1,
        Coordinate::Weld(k) => component(joint.weld(o), k as usize),
        Coordinate::Align { free, k } => {
            let free = free as usize;
            joint.axis(0, free, o).cross(joint.axis(1, free, o)).dot(joint.axis(0, k as usize, o))
        }
        Coordinate::Cardan(k) => {
            let [i, j] = [(k as usize + 1) % 3, (k as usize + 2) % 3];
            L::splat(0.0) - joint.axis(0, i, o).dot(joint.axis(1, j, o))
        }
        Coordinate::Turn(_) => {
            // The rate of a rotation vector along the mean of an axis equals the rate about the
            // current axis.
            let mean = joint.turned[0].mean(Vector::load(&row.gradient, o));
            L::load(&row.start, o) + mean.dot(joint.rotation)
        }
    }
}

/// Updates the rows at the predicted poses: values, Jacobians, and springs for a substep of `h`
/// (s).
#[inline(always)]
pub(super) fn update_jacobians<L: Simd>(view: &mut BatchView, o: usize, h: Real) {
    for ((kind, block), lanes) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter_mut()) {
        let [a, b] = kind.bodies.map(|body| &view.bodies[body as usize]);
        let joint = JointPose::<L>::new(lanes, [a, b], o);
        let list = view.rows[block.scalar_rows()].iter_mut().zip(&kind.rows[block.point_rows()..]);
        for (row, &(coordinate, row_kind)) in list {
            update_row(row, coordinate, &joint, [a, b], o);
            if matches!(row_kind, RowKind::Spring | RowKind::AccelerationSpring) {
                update_spring(row, (coordinate, row_kind), &joint, [a, b], block.has_point, h, o);
            }
        }
        if block.has_point {
            let (gap, arms) = (joint.gap, joint.point_arms());
            gap.store(&mut lanes.point_error, o);
            for (side, body) in [a, b].into_iter().enumerate() {
                arms[side].store(&mut lanes.arms[side], o);
                for (turned, into) in
                    angular_responses(arms[side], &body.inertia, o).into_iter().zip(&mut lanes.angular_response[side])
                {
                    turned.store(into, o);
                }
            }
        }
    }
}

/// A symmetric tensor times the torques of unit forces along the world axes at the end of an arm.
#[inline(always)]
fn angular_responses<L: Simd>(arm: Vector<L>, m: &[Wide; 6], o: usize) -> [Vector<L>; 3] {
    let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    let (xy, xz, yz) = (L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o));
    let (x, y, z) = (Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz));
    [y.scale(arm.z) - z.scale(arm.y), z.scale(arm.x) - x.scale(arm.z), x.scale(arm.y) - y.scale(arm.x)]
}

/// Updates the value and Jacobian of a scalar row.
#[inline(always)]
fn update_row<L: Simd>(
    row: &mut RowLanes,
    coordinate: Coordinate,
    joint: &JointPose<L>,
    bodies: [&BodyLanes; 2],
    o: usize,
) {
    value(coordinate, joint, row, o).store(&mut row.value, o);
    let zero = Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0));
    let (axis, arms) = match coordinate {
        Coordinate::Point(_) | Coordinate::Along(_) | Coordinate::Distance => {
            let axis = match coordinate {
                Coordinate::Along(k) => joint.axis(0, k as usize, o),
                _ => direction(joint.gap).0,
            };
            // The axis rotates with the first body and acts at the second anchor.
            (axis, [(joint.arms[0] + joint.gap).cross(axis), joint.arms[1].cross(axis)])
        }
        Coordinate::Weld(k) => (zero, [world_axis(k as usize); 2]),
        Coordinate::Align { k, .. } => (zero, [joint.axis(0, k as usize, o); 2]),
        Coordinate::Turn(_) => (zero, [joint.turned[0].apply(Vector::load(&row.gradient, o)); 2]),
        Coordinate::Cardan(k) => {
            let [i, j] = [(k as usize + 1) % 3, (k as usize + 2) % 3];
            (zero, [joint.axis(0, i, o).cross(joint.axis(1, j, o)); 2])
        }
    };
    axis.store(&mut row.linear, o);
    for (side, body) in bodies.into_iter().enumerate() {
        arms[side].store(&mut row.angular[side], o);
        arms[side].transformed_by(&body.inertia, o).store(&mut row.angular_response[side], o);
    }
}

/// Updates the spring coefficients of a row for a substep of `h` (s). With a point constraint
/// (`has_point`) the bodies turn about its anchors.
#[inline(always)]
fn update_spring<L: Simd>(
    row: &mut RowLanes,
    (coordinate, row_kind): (Coordinate, RowKind),
    joint: &JointPose<L>,
    bodies: [&BodyLanes; 2],
    has_point: bool,
    h: Real,
    o: usize,
) {
    let axis = Vector::<L>::load(&row.linear, o);
    let mut response = L::splat(0.0);
    for (side, body) in bodies.into_iter().enumerate() {
        let arm = Vector::<L>::load(&row.angular[side], o);
        let mut angular = arm.dot(Vector::load(&row.angular_response[side], o));
        if matches!(coordinate, Coordinate::Turn(_)) && has_point {
            angular = inertia_about_anchor(angular, arm.cross(joint.arms[side]), &body.mass, o);
        }
        response = response + axis.dot(times_inverse_mass(axis, &body.mass, o)) + angular;
    }
    let (stiffness, damping) = (L::load(&row.stiffness, o), L::load(&row.damping, o));
    let stretch = L::load(&row.value, o) - L::load(&row.target, o);
    let [softness, spring_impulse, resolved] =
        spring(response, stiffness, damping, stretch, row_kind == RowKind::AccelerationSpring, h);
    softness.store(&mut row.softness, o);
    spring_impulse.store(&mut row.spring_impulse, o);
    resolved.store(&mut row.resolved, o);
}

/// A vector times an inverse mass that may differ by axis.
#[inline(always)]
pub(super) fn times_inverse_mass<L: Simd>(v: Vector<L>, mass: &[Wide; 3], o: usize) -> Vector<L> {
    v.mul_elementwise(Vector::load(mass, o))
}

/// Inverse inertia about an axis through an anchor, from the one through the centre of mass and the
/// arm of the anchor.
#[inline(always)]
fn inertia_about_anchor<L: Simd>(inverse: L, arm: Vector<L>, mass: &[Wide; 3], o: usize) -> L {
    let one = L::splat(1.0);
    let square = arm.dot(arm);
    // Inverse mass along the arm, times the square of its length.
    let moved = arm.dot(times_inverse_mass(arm, mass, o));
    let turns = moved.gt(L::splat(Real::MIN_POSITIVE));
    inverse.div(one + L::select(turns, inverse * square * square.div(L::select(turns, moved, one)), L::splat(0.0)))
}

/// Compliance that a spring adds to the diagonal, its impulse at the start of the substep, and its
/// explicit fraction 1 - theta.
///
/// With stiffness k, damping c and stretch x the impulse is `-h (k (x + theta h v') + c v')`, where
/// v' is the velocity after it. A spring that the substep resolves has theta = 0 (symplectic, no
/// loss). For stiffer springs theta goes to 1 (implicit Euler, no instability).
#[inline(always)]
fn spring<L: Simd>(response: L, stiffness: L, damping: L, stretch: L, tuned: bool, h: Real) -> [L; 3] {
    let (zero, one, h) = (L::splat(0.0), L::splat(1.0), L::splat(h));
    let nonzero = response.gt(zero);
    let inertia = one.div(L::select(nonzero, response, one));
    let (k, c) = if tuned { (stiffness * inertia, damping * inertia) } else { (stiffness, damping) };
    let stiff = h * h * k * L::select(nonzero, response, zero);
    let resolved = one.div(stiff.max(one));
    let theta = one - resolved;
    let give = (h * (c + theta * h * k)).max(L::splat(MIN_SPRING_COMPLIANCE) * inertia);
    [one.div(give), h * k * stretch, resolved]
}
