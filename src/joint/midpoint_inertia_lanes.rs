//! [`MidpointInertia`](super::MidpointInertia) of eight bodies at a time.

use crate::math::{Quat, Real, Vec3};
use crate::solver::simd::{Simd, SimdKernel, Vector, WIDTH, Wide};
use crate::tolerances::SUBSTEP_PHASE;

/// True if the midpoint rule suffices for the gyroscopic term of a body with this angular velocity
/// (rad/s) in a step of `h` (s).
pub(crate) fn midpoint_rule_suffices(velocity: Vec3, h: Real) -> bool {
    velocity.length() * h <= SUBSTEP_PHASE.resolved
}

/// Inputs of [`MidpointInertia::new`](super::MidpointInertia::new) for one body in each lane, and
/// the results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MidpointInertiaLanes {
    orientation: [Wide; 4],
    frame: [Wide; 4],
    principal: [Wide; 3],
    velocity: [Wide; 3],
    torque: [Wide; 3],
    joints: [Wide; 3],
    inverse: [Wide; 6],
    acceleration: [Wide; 3],
}

impl Default for MidpointInertiaLanes {
    /// Bodies at rest with unit inertia, for unused lanes.
    fn default() -> Self {
        let (zero, one) = (Wide::default(), Wide([1.0; WIDTH]));
        Self {
            orientation: [zero, zero, zero, one],
            frame: [zero, zero, zero, one],
            principal: [one; 3],
            velocity: [zero; 3],
            torque: [zero; 3],
            joints: [zero; 3],
            inverse: [zero; 6],
            acceleration: [zero; 3],
        }
    }
}

impl MidpointInertiaLanes {
    /// Sets the body of a lane: its orientation and the rotation from principal to body axes; its
    /// principal moments (kg m²), angular velocity (rad/s), applied torque and expected joint
    /// torque (N m).
    pub fn set(&mut self, lane: usize, turns: [Quat; 2], principal: Vec3, velocity: Vec3, torque: Vec3, joints: Vec3) {
        put(&mut self.orientation, lane, turns[0].to_array());
        put(&mut self.frame, lane, turns[1].to_array());
        put(&mut self.principal, lane, principal.to_array());
        put(&mut self.velocity, lane, velocity.to_array());
        put(&mut self.torque, lane, torque.to_array());
        put(&mut self.joints, lane, joints.to_array());
    }

    /// The inverse inertia of a lane's body (1/(kg m²): xx, yy, zz, xy, xz, yz) and its angular
    /// acceleration (rad/s²), in world axes.
    pub fn get(&self, lane: usize) -> ([Real; 6], Vec3) {
        (self.inverse.map(|row| row.0[lane]), Vec3::from(self.acceleration.map(|row| row.0[lane])))
    }
}

fn put<const N: usize>(rows: &mut [Wide; N], lane: usize, v: [Real; N]) {
    for (row, x) in rows.iter_mut().zip(v) {
        row.0[lane] = x;
    }
}

/// Computes the results of [`MidpointInertiaLanes`] for a step of `h` (s).
pub(crate) struct MidpointInertiaKernel<'a> {
    pub lanes: &'a mut MidpointInertiaLanes,
    pub h: Real,
}

impl SimdKernel for MidpointInertiaKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let mut o = 0;
        while o < WIDTH {
            compute::<L>(self.lanes, o, self.h);
            o += L::N;
        }
    }
}

/// The lanes from `o` on.
#[inline(always)]
fn compute<L: Simd>(spins: &mut MidpointInertiaLanes, o: usize, h: Real) {
    let (zero, one, h) = (L::splat(0.0), L::splat(1.0), L::splat(h));
    let half_h = L::splat(0.5) * h;
    let p = Vector::<L>::load(&spins.principal, o);
    let over = Vector::new(one.div(p.x), one.div(p.y), one.div(p.z));
    let velocity = Vector::<L>::load(&spins.velocity, o);
    let (own, joints) = (Vector::<L>::load(&spins.torque, o), Vector::<L>::load(&spins.joints, o));
    let axes = quat_product(turn(&spins.orientation, o), turn(&spins.frame, o));
    let frame = columns(axes);

    // Limited, for an impact load of the last step predicts nothing.
    let most = L::splat(SUBSTEP_PHASE.resolved) * velocity.dot(velocity).sqrt();
    let twist = mul_components(to_body(&frame, joints), over);
    let twist = twist.dot(twist).sqrt() * h;
    let too_much = twist.gt(most);
    let share = L::select(too_much, most.div(L::select(too_much, twist, one)), one);
    let torque = own + joints.scale(share);
    let pull = mul_components(to_body(&frame, torque), over);
    let change = gyroscopic_term(to_body(&frame, velocity), p, over) + pull;
    let middle = velocity + to_world(&frame, change).scale(half_h);
    let half = (velocity + middle).scale(L::splat(0.125) * h);
    let turned = quat_product((half, zero), axes);
    let (v, w) = (axes.0 + turned.0, axes.1 + turned.1);
    let over_length = one.div((v.dot(v) + w * w).sqrt());
    let frame = columns((v.scale(over_length), w * over_length));

    // With three equal moments there is no gyroscopic term, and rounding must make none.
    let uneven = p.x.max(p.y).max(p.z).gt(p.x.min(p.y).min(p.z));
    let gyroscopic = to_world(&frame, gyroscopic_term(to_body(&frame, middle), p, over));
    let gyroscopic = Vector::select(uneven, gyroscopic, Vector::new(zero, zero, zero));
    let [x, y, z] = [
        Vector::new(frame[0].x, frame[1].x, frame[2].x),
        Vector::new(frame[0].y, frame[1].y, frame[2].y),
        Vector::new(frame[0].z, frame[1].z, frame[2].z),
    ];
    let [ix, iy, iz] = [mul_components(x, over), mul_components(y, over), mul_components(z, over)];
    let inverse = [ix.dot(x), iy.dot(y), iz.dot(z), ix.dot(y), ix.dot(z), iy.dot(z)];
    for (row, entry) in spins.inverse.iter_mut().zip(inverse) {
        entry.store(row, o);
    }
    (own.transformed_by(&spins.inverse, o) + gyroscopic).store(&mut spins.acceleration, o);
}

/// Gyroscopic angular acceleration in principal axes: `I^-1 (I w x w)`.
#[inline(always)]
fn gyroscopic_term<L: Simd>(w: Vector<L>, principal: Vector<L>, over: Vector<L>) -> Vector<L> {
    mul_components(mul_components(principal, w).cross(w), over)
}

/// The product of two vectors, component by component.
#[inline(always)]
fn mul_components<L: Simd>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    Vector::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// Loads quaternions: vector and scalar parts.
#[inline(always)]
fn turn<L: Simd>([x, y, z, w]: &[Wide; 4], o: usize) -> (Vector<L>, L) {
    (Vector::new(L::load(x, o), L::load(y, o), L::load(z, o)), L::load(w, o))
}

/// The product of two quaternions.
#[inline(always)]
fn quat_product<L: Simd>((a, a_w): (Vector<L>, L), (b, b_w): (Vector<L>, L)) -> (Vector<L>, L) {
    (b.scale(a_w) + a.scale(b_w) + a.cross(b), a_w * b_w - a.dot(b))
}

/// The rotation matrix of a unit quaternion, by columns.
#[inline(always)]
fn columns<L: Simd>((q, w): (Vector<L>, L)) -> [Vector<L>; 3] {
    let (one, two) = (L::splat(1.0), q + q);
    let (xx, yy, zz) = (q.x * two.x, q.y * two.y, q.z * two.z);
    let (xy, xz, yz) = (q.x * two.y, q.x * two.z, q.y * two.z);
    let (wx, wy, wz) = (w * two.x, w * two.y, w * two.z);
    [
        Vector::new(one - (yy + zz), xy + wz, xz - wy),
        Vector::new(xy - wz, one - (xx + zz), yz + wx),
        Vector::new(xz + wy, yz - wx, one - (xx + yy)),
    ]
}

/// A vector from the axes of a frame to world axes.
#[inline(always)]
fn to_world<L: Simd>([x, y, z]: &[Vector<L>; 3], v: Vector<L>) -> Vector<L> {
    x.scale(v.x) + y.scale(v.y) + z.scale(v.z)
}

/// A vector from world axes to the axes of a frame.
#[inline(always)]
fn to_body<L: Simd>([x, y, z]: &[Vector<L>; 3], v: Vector<L>) -> Vector<L> {
    Vector::new(x.dot(v), y.dot(v), z.dot(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::MidpointInertia;
    use crate::solver::SimdLevel;

    #[test]
    fn eight_bodies_spin_as_each_by_itself_and_with_the_same_bits_in_any_lanes() {
        let h = 1.0 / 60.0;
        let mut spins = MidpointInertiaLanes::default();
        let mut want = Vec::new();
        for lane in 0..WIDTH {
            let k = lane as Real;
            let turns = [
                Quat::from_xyzw(0.1 * k, -0.4, 0.3, 0.8 - 0.2 * k).normalize(),
                Quat::from_xyzw(0.3, 0.1 * k, -0.2, 0.7).normalize(),
            ];
            let round = lane == 3;
            let principal = if round { Vec3::splat(0.7) } else { Vec3::new(0.5, 1.0 + 0.1 * k, 1.2) };
            let velocity = Vec3::new(2.0 * k, 1.0 - k, 3.0);
            let torque = Vec3::new(-1.0, 0.5 * k, 4.0);
            // In some lanes above the limit.
            let joints = Vec3::new(30.0, -5.0 * k, 2.0) * k;
            assert!(midpoint_rule_suffices(velocity, h));
            spins.set(lane, turns, principal, velocity, torque, joints);
            let midway = MidpointInertia::new(turns[0] * turns[1], principal, velocity, torque, joints, h);
            let inverse = midway.inverse_inertia(principal);
            want.push((inverse, inverse * torque + midway.gyroscopic));
        }
        let mut first: Option<MidpointInertiaLanes> = None;
        for path in SimdLevel::available() {
            let mut spins = spins;
            path.run(MidpointInertiaKernel { lanes: &mut spins, h });
            for (lane, (inverse, acceleration)) in want.iter().enumerate() {
                let ([xx, yy, zz, xy, xz, yz], got) = spins.get(lane);
                let bar = 64.0 * Real::EPSILON;
                let of = |i: usize, k: usize| inverse.col(i)[k];
                for (got, want) in
                    [(xx, of(0, 0)), (yy, of(1, 1)), (zz, of(2, 2)), (xy, of(0, 1)), (xz, of(0, 2)), (yz, of(1, 2))]
                {
                    assert!((got - want).abs() < 4.0 * bar, "{lane}: {got} for {want}");
                }
                assert!(
                    (got - *acceleration).length() < bar * (1.0 + acceleration.length()),
                    "{lane}: {got} for {acceleration}"
                );
            }
            let known = first.get_or_insert(spins);
            let bits = |spins: &MidpointInertiaLanes| (0..WIDTH).map(|lane| spins.get(lane)).collect::<Vec<_>>();
            assert_eq!(bits(&spins), bits(known), "{}", path.name());
        }
    }
}
