//! Constraint values and Jacobians of joints at predicted poses, in lanes.

use super::batch::{BatchView, BodyLanes, JointLanes, RowLanes};
use super::row::{Coordinate, RowKind};
use crate::math::{Real, consts::TAU};
use crate::solver::simd::rotation::{self, nearest_whole};
use crate::solver::simd::{Simd, Vector, Wide};

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
    bodies: [&'a BodyLanes; 2],
    turned: [BodyRotation<L>; 2],
    arms: [Vector<L>; 2],
    /// Vector from the first anchor to the second, and its change since the start of the step.
    pub gap: Vector<L>,
    gap_change: Vector<L>,
    rotation: Vector<L>,
}

impl<'a, L: Simd> JointPose<'a, L> {
    #[inline(always)]
    pub fn new(lanes: &'a JointLanes, bodies: [&'a BodyLanes; 2], o: usize) -> Self {
        let turned = [BodyRotation::of(bodies[0], o), BodyRotation::of(bodies[1], o)];
        let rest = [Vector::<L>::load(&lanes.start_arms[0], o), Vector::<L>::load(&lanes.start_arms[1], o)];
        let change = [turned[0].change(rest[0]), turned[1].change(rest[1])];
        let moved = Vector::<L>::load(&bodies[1].predicted[0], o) - Vector::load(&bodies[0].predicted[0], o);
        let gap_change = moved + (change[1] - change[0]);
        let gap = Vector::load(&lanes.gap, o) + gap_change;
        let arms = [rest[0] + change[0], rest[1] + change[1]];
        Self { lanes, bodies, turned, arms, gap, gap_change, rotation: turned[1].vector - turned[0].vector }
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

/// Teeth that push, or a rope that pulls, along a direction at a point, seen from the first anchor.
#[derive(Clone, Copy)]
struct Tooth<L> {
    direction: Vector<L>,
    pitch_point: Vector<L>,
}

impl<L: Simd> Tooth<L> {
    /// Two gears at an offset, the first with this axis and pitch radius.
    #[inline(always)]
    fn of_gears(gap: Vector<L>, axis: Vector<L>, radius: L) -> Self {
        let (along, _) = direction(gap);
        Self { direction: direction(axis.cross(along)).0, pitch_point: along.scale(radius) }
    }

    /// A pinion with this axis and pitch radius, and a rack along a line.
    #[inline(always)]
    fn of_rack(axis: Vector<L>, along: Vector<L>, radius: L) -> Self {
        Self { direction: along, pitch_point: direction(along.cross(axis)).0.scale(radius) }
    }
}

/// Cones and teeth: the scalar forms are in `joint`.
impl<L: Simd> JointPose<'_, L> {
    /// The joint frames' x axes at the start of the step.
    #[inline(always)]
    fn start_axis(&self, side: usize, o: usize) -> Vector<L> {
        Vector::load(&self.lanes.frames[side][0], o)
    }

    /// Value of a cone's coordinate and its gradient, world axes.
    #[inline(always)]
    fn cone(&self, row: &RowLanes, o: usize) -> (L, Vector<L>) {
        let (zero, two, least) = (L::splat(0.0), L::splat(2.0), L::splat(Real::MIN_POSITIVE));
        let (x, y, z) = (self.axis(0, 0, o), self.axis(0, 1, o), self.axis(0, 2, o));
        let swung = self.axis(1, 0, o);
        let scale = Vector::<L>::load(&row.gradient, o);
        // At half a turn the sum is rounding, and the swing has no direction.
        let w = (two + two * swung.dot(x)).max(L::splat(Real::EPSILON)).sqrt();
        let by = [scale.y.div(w), scale.z.div(w)];
        let scaled = [by[0] * swung.dot(y), by[1] * swung.dot(z)];
        let square = scaled[0] * scaled[0] + scaled[1] * scaled[1];
        let swings = square.gt(least);
        let value = L::select(swings, square, zero).sqrt();
        let inverse = L::select(swings, L::splat(1.0).div(L::select(swings, value, two)), zero);
        let across = y.scale(by[0] * scaled[0] * inverse) + z.scale(by[1] * scaled[1] * inverse);
        (value, swung.cross(across - x.scale(value.div(w * w))))
    }

    /// The teeth of a gear or rack at the start of the step and at the predicted poses.
    #[inline(always)]
    fn teeth(&self, coordinate: Coordinate, row: &RowLanes, o: usize) -> [Tooth<L>; 2] {
        let radius = L::load(&row.gradient[0], o);
        let start_gap = Vector::load(&self.lanes.gap, o);
        let axes = [[self.start_axis(0, o), self.axis(0, 0, o)], [self.start_axis(1, o), self.axis(1, 0, o)]];
        if coordinate == Coordinate::Gear {
            [Tooth::of_gears(start_gap, axes[0][0], radius), Tooth::of_gears(self.gap, axes[0][1], radius)]
        } else {
            [Tooth::of_rack(axes[0][0], axes[1][0], radius), Tooth::of_rack(axes[0][1], axes[1][1], radius)]
        }
    }

    /// Slip of teeth since the start of the step: the displacement of the second member at the pitch
    /// point against that of the first, along the mean of the tooth's directions.
    #[inline(always)]
    fn slip(&self, coordinate: Coordinate, row: &RowLanes, o: usize) -> L {
        let [start, now] = self.teeth(coordinate, row, o);
        let start_gap = Vector::load(&self.lanes.gap, o);
        let half = L::splat(0.5);
        let tooth = (start.direction + now.direction).scale(half);
        let directions = [start.direction, now.direction];
        let arms = [
            mean_moment([start.pitch_point, now.pitch_point], directions),
            mean_moment([start.pitch_point - start_gap, now.pitch_point - self.gap], directions),
        ];
        let (one, cosine_squared) = (L::splat(1.0), tooth.dot(tooth));
        // A turn by d of tooth and offset has the chord sin d.
        let arc = one + L::splat(2.0 / 3.0) * (one - cosine_squared);
        let [first, second] = [arms[0].dot(self.turned[0].vector), arms[1].dot(self.turned[1].vector)];
        let slip = arc * tooth.dot(self.gap_change) + (second - first);
        // With the cosine of d as its weight the slip fades where the tooth, or the axis of a member,
        // turns by much of a radian in a step: its mean says little there.
        let mut weight = cosine_squared;
        for k in 0..2 {
            let axis = (self.start_axis(k, o) + self.axis(k, 0, o)).scale(half);
            weight = weight.min(axis.dot(axis));
        }
        let weight = (weight + weight - one).max(L::splat(0.0));
        let slip = without_whole_turns(slip, arms[0], self.turned[0].vector);
        // A rack has no turns of its own.
        weight
            * if coordinate == Coordinate::Gear {
                without_whole_turns(slip, arms[1], self.turned[1].vector)
            } else {
                slip
            }
    }
}

/// Mean of the moments of two directions at their points.
#[inline(always)]
fn mean_moment<L: Simd>(points: [Vector<L>; 2], directions: [Vector<L>; 2]) -> Vector<L> {
    (points[0].cross(directions[0]) + points[1].cross(directions[1])).scale(L::splat(0.5))
}

/// Slip of a tooth without the whole turns of a member with this arm and rotation vector. A rotation
/// vector is one of many, whole turns apart. Which one it is shows where the member turns about its own
/// axis.
#[inline(always)]
fn without_whole_turns<L: Simd>(slip: L, arm: Vector<L>, turned: Vector<L>) -> L {
    let own = arm.dot(direction(turned).0);
    let known = (own * own).gt(L::splat(0.25) * arm.dot(arm));
    let turn = L::splat(TAU) * L::select(known, own, L::splat(1.0));
    L::select(known, slip - turn * nearest_whole(slip.div(turn)), slip)
}

/// A rope from a drum: its unit vector, its part across the drum's axis, its tangent point from the
/// drum's centre, and its length and the part of it across the axis.
struct RopeLanes<L> {
    along: Vector<L>,
    across: Vector<L>,
    tangent_point: Vector<L>,
    lengths: [L; 2],
}

impl<L: Simd> RopeLanes<L> {
    #[inline(always)]
    fn new(gap: Vector<L>, axis: Vector<L>, radius: L) -> Self {
        let shift = axis.dot(gap);
        let flat = gap - axis.scale(shift);
        let length = (flat.dot(flat) - radius * radius).max(L::splat(0.0)).sqrt();
        let (across, _) = direction(flat.scale(length) - axis.cross(flat).scale(radius));
        let (along, whole) = direction(across.scale(length) + axis.scale(shift));
        Self { along, across, tangent_point: axis.cross(across).scale(radius), lengths: [whole, length] }
    }
}

impl<L: Simd> JointPose<'_, L> {
    /// The rope of a winch, at its tangent point.
    #[inline(always)]
    fn rope_pull(&self, row: &RowLanes, o: usize) -> Tooth<L> {
        let rope = RopeLanes::new(self.gap, self.axis(0, 0, o), L::load(&row.gradient[0], o));
        Tooth { direction: rope.along, pitch_point: rope.tangent_point }
    }

    /// Rope unwound or drawn out since the start of the step.
    #[inline(always)]
    fn rope_unwound(&self, row: &RowLanes, o: usize) -> L {
        let radius = L::load(&row.gradient[0], o);
        let axes = [self.start_axis(0, o), self.axis(0, 0, o)];
        let before = RopeLanes::new(Vector::load(&self.lanes.gap, o), axes[0], radius);
        let now = RopeLanes::new(self.gap, axes[1], radius);
        let of_drum = self.turned[0].vector.dot(axes[0]);
        let of_rope = small_angle(axes[1].dot(before.across.cross(now.across)));
        let [whole, across] = now.lengths;
        let least = L::splat(Real::MIN_POSITIVE);
        let part = L::select(whole.gt(least), across.div(whole.max(least)), L::splat(1.0));
        whole - before.lengths[0] + radius * part * (of_drum - of_rope)
    }
}

/// An angle from its sine, to the third order.
#[inline(always)]
fn small_angle<L: Simd>(sine: L) -> L {
    sine + sine * sine * sine * L::splat(1.0 / 6.0)
}

impl<L: Simd> JointPose<'_, L> {
    /// Part of a pulley's rope on a side, from its fixed point to the anchor.
    #[inline(always)]
    fn part(&self, side: usize, o: usize) -> Vector<L> {
        let change = self.turned[side].change(Vector::load(&self.lanes.start_arms[side], o));
        let moved = Vector::load(&self.bodies[side].predicted[0], o);
        Vector::load(&self.lanes.frames[side][0], o) + (moved + change)
    }

    /// Length that a pulley bounds.
    #[inline(always)]
    fn pulley_length(&self, row: &RowLanes, o: usize) -> L {
        direction(self.part(0, o)).1 + L::load(&row.gradient[0], o) * direction(self.part(1, o)).1
    }

    /// Forces of a pulley, that on the first body negated.
    #[inline(always)]
    fn pulley_forces(&self, row: &RowLanes, o: usize) -> [Vector<L>; 2] {
        let [first, second] = [pull_along(self.part(0, o)), pull_along(self.part(1, o))];
        [first.scale(L::splat(-1.0)), second.scale(L::load(&row.gradient[0], o))]
    }

    /// Square of the larger angular rate of the parts of a pulley's rope (rad²/s²).
    #[inline(always)]
    pub fn parts_rate_squared(&self, bodies: [&BodyLanes; 2], o: usize) -> L {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let mut fastest = zero;
        for (side, body) in bodies.into_iter().enumerate() {
            let part = self.part(side, o);
            let speed = Vector::load(&body.velocity[0], o) + Vector::load(&body.velocity[1], o).cross(self.arms[side]);
            let (turning, square) = (part.cross(speed), part.dot(part));
            let nonzero = square.gt(L::splat(Real::MIN_POSITIVE));
            let inverse = one.div(L::select(nonzero, square, one));
            let rate_squared = turning.dot(turning) * inverse * inverse;
            fastest = L::select(nonzero, rate_squared, zero).max(fastest);
        }
        fastest
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

/// Direction of a part of a pulley's rope; one without length pulls nowhere.
#[inline(always)]
fn pull_along<L: Simd>(part: Vector<L>) -> Vector<L> {
    let zero = L::splat(0.0);
    let nonzero = part.dot(part).gt(L::splat(Real::MIN_POSITIVE));
    Vector::select(nonzero, direction(part).0, Vector::new(zero, zero, zero))
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
        Coordinate::Cone => joint.cone(row, o).0,
        Coordinate::Gear | Coordinate::Rack => joint.slip(coordinate, row, o),
        Coordinate::Winch => L::load(&row.start, o) + joint.rope_unwound(row, o),
        Coordinate::Pulley => joint.pulley_length(row, o),
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
    let all = L::splat(1.0).gt(L::splat(0.0));
    update_rows::<L, true>(view, o, h, all);
}

/// Updates the Jacobians alone at the predicted poses, in some lanes.
#[inline(always)]
pub(super) fn relinearise_jacobians<L: Simd>(view: &mut BatchView, o: usize, here: L::Mask) {
    update_rows::<L, false>(view, o, 0.0, here);
}

/// Updates everything in all lanes, or Jacobians alone in some.
#[inline(always)]
fn update_rows<L: Simd, const WHOLE: bool>(view: &mut BatchView, o: usize, h: Real, here: L::Mask) {
    L::splat(0.0).store(view.factored_lanes, o);
    for ((kind, block), lanes) in view.factor.joints.iter().zip(&view.factor.blocks).zip(view.joints.iter_mut()) {
        let [a, b] = kind.bodies.map(|body| &view.bodies[body as usize]);
        let joint = JointPose::<L>::new(lanes, [a, b], o);
        let list = view.rows[block.scalar_rows()].iter_mut().zip(&kind.rows[block.point_rows()..]);
        for (row, &(coordinate, row_kind)) in list {
            update_jacobian::<L, WHOLE>(row, coordinate, &joint, [a, b], here, o);
            if WHOLE {
                value(coordinate, &joint, row, o).store(&mut row.value, o);
            }
            if WHOLE && row_kind.is_spring() {
                update_spring(row, (coordinate, row_kind), &joint, [a, b], block.has_point, h, o);
            }
        }
        if block.has_point {
            let (gap, arms) = (joint.gap, joint.point_arms());
            if WHOLE {
                gap.store(&mut lanes.point_error, o);
            }
            for (side, body) in [a, b].into_iter().enumerate() {
                put::<L, WHOLE>(arms[side], &mut lanes.arms[side], here, o);
                for (turned, into) in
                    angular_responses(arms[side], &body.inertia, o).into_iter().zip(&mut lanes.angular_response[side])
                {
                    put::<L, WHOLE>(turned, into, here, o);
                }
            }
        }
    }
}

/// Writes a vector in all lanes, or in some.
#[inline(always)]
fn put<L: Simd, const WHOLE: bool>(new: Vector<L>, into: &mut [Wide; 3], here: L::Mask, o: usize) {
    if WHOLE { new } else { Vector::select(here, new, Vector::load(into, o)) }.store(into, o);
}

/// A symmetric tensor times the torques of unit forces along the world axes at the end of an arm.
#[inline(always)]
fn angular_responses<L: Simd>(arm: Vector<L>, m: &[Wide; 6], o: usize) -> [Vector<L>; 3] {
    let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    let (xy, xz, yz) = (L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o));
    let (x, y, z) = (Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz));
    [y.scale(arm.z) - z.scale(arm.y), z.scale(arm.x) - x.scale(arm.z), x.scale(arm.y) - y.scale(arm.x)]
}

/// Updates the Jacobian of a scalar row.
#[inline(always)]
fn update_jacobian<L: Simd, const WHOLE: bool>(
    row: &mut RowLanes,
    coordinate: Coordinate,
    joint: &JointPose<L>,
    bodies: [&BodyLanes; 2],
    here: L::Mask,
    o: usize,
) {
    let none = [Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0)); 2];
    let (axes, arms) = match coordinate {
        Coordinate::Point(_) | Coordinate::Along(_) | Coordinate::Distance => {
            let axis = match coordinate {
                Coordinate::Along(k) => joint.axis(0, k as usize, o),
                _ => direction(joint.gap).0,
            };
            // The axis rotates with the first body and acts at the second anchor.
            ([axis; 2], [(joint.arms[0] + joint.gap).cross(axis), joint.arms[1].cross(axis)])
        }
        Coordinate::Gear | Coordinate::Rack | Coordinate::Winch => {
            let Tooth { direction, pitch_point } = match coordinate {
                Coordinate::Winch => joint.rope_pull(row, o),
                _ => joint.teeth(coordinate, row, o)[1],
            };
            let arms = [joint.arms[0] + pitch_point, joint.arms[1] + (pitch_point - joint.gap)];
            ([direction; 2], [arms[0].cross(direction), arms[1].cross(direction)])
        }
        Coordinate::Pulley => {
            let forces = joint.pulley_forces(row, o);
            (forces, [joint.arms[0].cross(forces[0]), joint.arms[1].cross(forces[1])])
        }
        Coordinate::Cone => (none, [joint.cone(row, o).1; 2]),
        Coordinate::Weld(k) => (none, [world_axis(k as usize); 2]),
        Coordinate::Align { k, .. } => (none, [joint.axis(0, k as usize, o); 2]),
        Coordinate::Turn(_) => (none, [joint.turned[0].apply(Vector::load(&row.gradient, o)); 2]),
        Coordinate::Cardan(k) => {
            let [i, j] = [(k as usize + 1) % 3, (k as usize + 2) % 3];
            (none, [joint.axis(0, i, o).cross(joint.axis(1, j, o)); 2])
        }
    };
    for (side, body) in bodies.into_iter().enumerate() {
        put::<L, WHOLE>(axes[side], &mut row.linear[side], here, o);
        put::<L, WHOLE>(arms[side], &mut row.angular[side], here, o);
        let response = arms[side].transformed_by(&body.inertia, o);
        put::<L, WHOLE>(response, &mut row.angular_response[side], here, o);
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
    let mut response = L::splat(0.0);
    for (side, body) in bodies.into_iter().enumerate() {
        let axis = Vector::<L>::load(&row.linear[side], o);
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
