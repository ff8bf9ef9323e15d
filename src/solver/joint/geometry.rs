//! Where joints are and how their coordinates change, eight at a time.

use super::row::{Coordinate, Law};
use super::unit::{BodyLanes, JointLanes, Parts, RowLanes};
use crate::math::Real;
use crate::solver::lanes::{Lane, Row, Vector, rotation};
use crate::tolerances::JOINT_GIVE;

/// A rotation that is looked at.
#[derive(Clone, Copy)]
struct Turned<L> {
    vector: Vector<L>,
    s: L,
    c: L,
}

impl<L: Lane> Turned<L> {
    #[inline(always)]
    fn of(body: &BodyLanes, o: usize) -> Self {
        let [s, c] = &body.turning;
        Self { vector: Vector::load(&body.look[1], o), s: L::load(s, o), c: L::load(c, o) }
    }

    /// What the rotation adds to a vector.
    #[inline(always)]
    fn change(&self, v: Vector<L>) -> Vector<L> {
        rotation::change(self.vector, (self.s, self.c), v)
    }

    #[inline(always)]
    fn apply(&self, v: Vector<L>) -> Vector<L> {
        v + self.change(v)
    }

    /// The mean of a vector while the rotation takes place.
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

/// Looks at all bodies where they will be after `ahead` (s) at their velocities.
#[inline(always)]
pub(super) fn look<L: Lane>(parts: &mut Parts, o: usize, ahead: Real) {
    for body in parts.bodies.iter_mut() {
        let [at, turn] = after::<L>(body, o, ahead);
        at.store(&mut body.look[0], o);
        look_round(body, turn, o);
        for (seen, velocity) in body.seen.iter_mut().zip(&body.velocity) {
            Vector::<L>::load(velocity, o).store(seen, o);
        }
    }
}

/// The same in some lanes.
#[inline(always)]
pub(super) fn look_again<L: Lane>(parts: &mut Parts, o: usize, ahead: Real, here: L::Mask) {
    for body in parts.bodies.iter_mut() {
        let [at, turn] = after::<L>(body, o, ahead);
        Vector::select(here, at, Vector::load(&body.look[0], o)).store(&mut body.look[0], o);
        look_round(body, Vector::select(here, turn, Vector::load(&body.look[1], o)), o);
        for (seen, velocity) in body.seen.iter_mut().zip(&body.velocity) {
            Vector::select(here, Vector::<L>::load(velocity, o), Vector::load(seen, o)).store(seen, o);
        }
    }
}

/// Looks at all bodies where they are.
#[inline(always)]
pub(super) fn stand<L: Lane>(parts: &mut Parts, o: usize) {
    for body in parts.bodies.iter_mut() {
        Vector::<L>::load(&body.moved[0], o).store(&mut body.look[0], o);
        look_round(body, Vector::<L>::load(&body.moved[1], o), o);
    }
}

/// Moves all bodies on by `time` (s) at their velocities.
#[inline(always)]
pub(super) fn drift<L: Lane>(parts: &mut Parts, o: usize, time: Real) {
    for body in parts.bodies.iter_mut() {
        let [at, turn] = after::<L>(body, o, time);
        at.store(&mut body.moved[0], o);
        turn.store(&mut body.moved[1], o);
    }
}

/// Displacement and rotation of a body after `time` (s) at its velocity.
#[inline(always)]
fn after<L: Lane>(body: &BodyLanes, o: usize, time: Real) -> [Vector<L>; 2] {
    let time = L::splat(time);
    let [by, turn_by] =
        [Vector::<L>::load(&body.velocity[0], o).scale(time), Vector::<L>::load(&body.velocity[1], o).scale(time)];
    [Vector::load(&body.moved[0], o) + by, rotation::followed(Vector::load(&body.moved[1], o), turn_by)]
}

/// Looks at a body that has turned like this.
#[inline(always)]
fn look_round<L: Lane>(body: &mut BodyLanes, turn: Vector<L>, o: usize) {
    turn.store(&mut body.look[1], o);
    let (s, c) = rotation::coefficients(turn.dot(turn));
    s.store(&mut body.turning[0], o);
    c.store(&mut body.turning[1], o);
}

/// A joint where its bodies are looked at.
pub(super) struct Placed<'a, L> {
    lanes: &'a JointLanes,
    turned: [Turned<L>; 2],
    levers: [Vector<L>; 2],
    /// From the first anchor to the second.
    pub gap: Vector<L>,
    rotation: Vector<L>,
}

impl<'a, L: Lane> Placed<'a, L> {
    #[inline(always)]
    pub fn new(lanes: &'a JointLanes, bodies: [&BodyLanes; 2], o: usize) -> Self {
        let turned = [Turned::of(bodies[0], o), Turned::of(bodies[1], o)];
        let rest = [Vector::<L>::load(&lanes.levers[0], o), Vector::<L>::load(&lanes.levers[1], o)];
        let change = [turned[0].change(rest[0]), turned[1].change(rest[1])];
        let moved = Vector::<L>::load(&bodies[1].look[0], o) - Vector::load(&bodies[0].look[0], o);
        let gap = Vector::load(&lanes.gap, o) + (moved + (change[1] - change[0]));
        let levers = [rest[0] + change[0], rest[1] + change[1]];
        Self { lanes, turned, levers, gap, rotation: turned[1].vector - turned[0].vector }
    }

    /// The arms of a pin: from both centres of mass to the second one's anchor.
    #[inline(always)]
    pub fn arms(&self) -> [Vector<L>; 2] {
        [self.levers[0] + self.gap, self.levers[1]]
    }

    /// The square of how fast the line between the anchors of a rod turns (rad²/s²).
    #[inline(always)]
    pub fn turning(&self, [a, b]: [&BodyLanes; 2], o: usize) -> L {
        let of_a = Vector::load(&a.velocity[0], o) + Vector::load(&a.velocity[1], o).cross(self.levers[0]);
        let of_b = Vector::load(&b.velocity[0], o) + Vector::load(&b.velocity[1], o).cross(self.levers[1]);
        let (by, square) = (of_b - of_a, self.gap.dot(self.gap));
        let there = square.gt(L::splat(Real::MIN_POSITIVE));
        L::select(there, by.dot(by).div(L::select(there, square, L::splat(1.0))), L::splat(0.0))
    }

    /// Axis k of a body's joint frame.
    #[inline(always)]
    fn axis(&self, side: usize, k: usize, o: usize) -> Vector<L> {
        self.turned[side].apply(Vector::load(&self.lanes.frames[side][k], o))
    }

    /// Half the sum of the vector products of the axes: the rotation between the frames, where it is small.
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
fn unit<L: Lane>(k: usize) -> Vector<L> {
    let one: [Real; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][k];
    Vector::new(L::splat(one[0]), L::splat(one[1]), L::splat(one[2]))
}

#[inline(always)]
fn component<L: Lane>(v: Vector<L>, k: usize) -> L {
    [v.x, v.y, v.z][k]
}

/// The direction of a gap; where it vanishes, along x.
#[inline(always)]
pub(super) fn direction<L: Lane>(gap: Vector<L>) -> (Vector<L>, L) {
    let square = gap.dot(gap);
    let there = square.gt(L::splat(Real::MIN_POSITIVE));
    let length = square.sqrt();
    let inverse = L::splat(1.0).div(L::select(there, length, L::splat(1.0)));
    (Vector::select(there, gap.scale(inverse), unit(0)), length)
}

/// The value of a coordinate that is not of a pin.
#[inline(always)]
pub(super) fn value<L: Lane>(coordinate: Coordinate, joint: &Placed<L>, row: &RowLanes, o: usize) -> L {
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
            // The rate of a rotation vector along the mean of an axis is the rate about the axis as it is.
            let mean = joint.turned[0].mean(Vector::load(&row.about, o));
            L::load(&row.start, o) + mean.dot(joint.rotation)
        }
    }
}

/// Makes the rows where the bodies are looked at: values and derivatives, and what springs of a substep of `h` (s) ask.
#[inline(always)]
pub(super) fn refresh<L: Lane>(parts: &mut Parts, o: usize, h: Real) {
    for ((kind, place), lanes) in parts.program.joints.iter().zip(&parts.program.places).zip(parts.joints.iter_mut()) {
        let [a, b] = kind.bodies.map(|body| &parts.bodies[body as usize]);
        let joint = Placed::<L>::new(lanes, [a, b], o);
        let list = parts.rows[place.singles()].iter_mut().zip(&kind.rows[place.pin()..]);
        for (row, &(coordinate, law)) in list {
            make_row(row, coordinate, &joint, [a, b], o);
            if matches!(law, Law::Spring | Law::Tuned) {
                pull(row, (coordinate, law), &joint, [a, b], place.pinned, h, o);
            }
        }
        if place.pinned {
            let (gap, arms) = (joint.gap, joint.arms());
            gap.store(&mut lanes.parted, o);
            for (side, body) in [a, b].into_iter().enumerate() {
                arms[side].store(&mut lanes.arms[side], o);
                for (turned, into) in twisted(arms[side], &body.inertia, o).into_iter().zip(&mut lanes.turns[side]) {
                    turned.store(into, o);
                }
            }
        }
    }
}

/// A symmetric tensor times the torques of forces of one along the axes of the world at the end of an arm.
#[inline(always)]
fn twisted<L: Lane>(arm: Vector<L>, m: &[Row; 6], o: usize) -> [Vector<L>; 3] {
    let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    let (xy, xz, yz) = (L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o));
    let (x, y, z) = (Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz));
    [y.scale(arm.z) - z.scale(arm.y), z.scale(arm.x) - x.scale(arm.z), x.scale(arm.y) - y.scale(arm.x)]
}

/// Makes a row that is not of a pin.
#[inline(always)]
fn make_row<L: Lane>(row: &mut RowLanes, coordinate: Coordinate, joint: &Placed<L>, bodies: [&BodyLanes; 2], o: usize) {
    value(coordinate, joint, row, o).store(&mut row.value, o);
    let zero = Vector::new(L::splat(0.0), L::splat(0.0), L::splat(0.0));
    let (axis, arms) = match coordinate {
        Coordinate::Point(_) | Coordinate::Along(_) | Coordinate::Distance => {
            let axis = match coordinate {
                Coordinate::Along(k) => joint.axis(0, k as usize, o),
                _ => direction(joint.gap).0,
            };
            // The axis turns with the first body, at the second one's anchor.
            (axis, [(joint.levers[0] + joint.gap).cross(axis), joint.levers[1].cross(axis)])
        }
        Coordinate::Weld(k) => (zero, [unit(k as usize); 2]),
        Coordinate::Align { k, .. } => (zero, [joint.axis(0, k as usize, o); 2]),
        Coordinate::Turn(_) => (zero, [joint.turned[0].apply(Vector::load(&row.about, o)); 2]),
        Coordinate::Cardan(k) => {
            let [i, j] = [(k as usize + 1) % 3, (k as usize + 2) % 3];
            (zero, [joint.axis(0, i, o).cross(joint.axis(1, j, o)); 2])
        }
    };
    axis.store(&mut row.axis, o);
    for (side, body) in bodies.into_iter().enumerate() {
        arms[side].store(&mut row.arms[side], o);
        arms[side].transformed(&body.inertia, o).store(&mut row.turns[side], o);
    }
}

/// What the spring of a row that was made asks in a substep of `h` (s). Anchors that stay together (`pinned`) make the bodies turn
/// about them.
#[inline(always)]
fn pull<L: Lane>(
    row: &mut RowLanes,
    (coordinate, law): (Coordinate, Law),
    joint: &Placed<L>,
    bodies: [&BodyLanes; 2],
    pinned: bool,
    h: Real,
    o: usize,
) {
    let axis = Vector::<L>::load(&row.axis, o);
    let mut response = L::splat(0.0);
    for (side, body) in bodies.into_iter().enumerate() {
        let arm = Vector::<L>::load(&row.arms[side], o);
        let mut angular = arm.dot(Vector::load(&row.turns[side], o));
        if matches!(coordinate, Coordinate::Turn(_)) && pinned {
            angular = about(angular, arm.cross(joint.levers[side]), &body.mass, o);
        }
        response = response + axis.dot(massed(axis, &body.mass, o)) + angular;
    }
    let (stiffness, damping) = (L::load(&row.stiffness, o), L::load(&row.damping, o));
    let stretch = L::load(&row.value, o) - L::load(&row.target, o);
    let [softness, pull, resolved] = spring(response, stiffness, damping, stretch, law == Law::Tuned, h);
    softness.store(&mut row.softness, o);
    pull.store(&mut row.pull, o);
    resolved.store(&mut row.resolved, o);
}

/// A vector times an inverse mass that may differ from axis to axis.
#[inline(always)]
pub(super) fn massed<L: Lane>(v: Vector<L>, mass: &[Row; 3], o: usize) -> Vector<L> {
    v.each(Vector::load(mass, o))
}

/// The inverse inertia about an axis through an anchor, from that through the centre of mass and the arm of the anchor.
#[inline(always)]
fn about<L: Lane>(inverse: L, arm: Vector<L>, mass: &[Row; 3], o: usize) -> L {
    let one = L::splat(1.0);
    let square = arm.dot(arm);
    // The inverse mass along the arm, times the square of its length.
    let moved = arm.dot(massed(arm, mass, o));
    let turns = moved.gt(L::splat(Real::MIN_POSITIVE));
    inverse.div(one + L::select(turns, inverse * square * square.div(L::select(turns, moved, one)), L::splat(0.0)))
}

/// What a spring adds to the diagonal, its impulse at the start of the substep, and how far that resolves it: 1 - theta.
///
/// With stiffness k, damping c and stretch x the impulse is `-h (k (x + theta h v') + c v')`, where v' is the velocity after
/// it. A spring that the substep resolves has theta = 0: symplectic, so that it swings on without loss. As it gets
/// stiffer, theta goes to 1, and it creeps to its rest instead of exploding.
#[inline(always)]
fn spring<L: Lane>(response: L, stiffness: L, damping: L, stretch: L, tuned: bool, h: Real) -> [L; 3] {
    let (zero, one, h) = (L::splat(0.0), L::splat(1.0), L::splat(h));
    let there = response.gt(zero);
    let inertia = one.div(L::select(there, response, one));
    let (k, c) = if tuned { (stiffness * inertia, damping * inertia) } else { (stiffness, damping) };
    let stiff = h * h * k * L::select(there, response, zero);
    let resolved = one.div(stiff.max(one));
    let theta = one - resolved;
    let give = (h * (c + theta * h * k)).max(L::splat(JOINT_GIVE) * inertia);
    [one.div(give), h * k * stretch, resolved]
}
