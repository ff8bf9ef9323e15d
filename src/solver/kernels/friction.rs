//! Friction of a block: tangential at the centre of each manifold, torsional about its normal, and
//! rolling.

use super::prepare::{inverse, inverse_inertia_trace};
use super::{BodyVelocities, Frame, apply};
use crate::contact::FACE_POINTS;
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::simd::{Simd, Vector};
use crate::tolerances::{CONTACT, EFFECTIVE_MASS};

/// Lever arms to the manifold centres that define their slip. Arms of a face rotate with its
/// bodies: with the arms of the start of the step, bodies on a turntable would leave it along the
/// tangent.
///
/// The arms are those half a substep back: the next substep repeats the change of this one, so it
/// moves by the velocities of its own midpoint. `carrying` receives the speed at which an immovable
/// body carries the contact round (m/s): its direction changes while the body rotates, so the
/// island must not stop its substeps early.
#[inline(always)]
pub(super) fn patch_arms<L: Simd>(
    block: &ContactBlock,
    o: usize,
    frame: &Frame<L>,
    bodies: [(&BodyVelocities<L>, Vector<L>); 2],
    h: Real,
    carrying: &mut L,
) -> [Vector<L>; 2] {
    let arms = [frame.ra, frame.rb];
    if (block.count as usize) < FACE_POINTS {
        return arms;
    }
    let zero = L::splat(0.0);
    let half_step = L::splat(0.5 * h);
    let [(a, ta), (b, tb)] = bodies;
    let (ta, tb) = (ta - a.w.scale(half_step), tb - b.w.scale(half_step));
    let is_face = L::load(&block.points[FACE_POINTS - 1].mass, o).gt(zero);
    let rotates = ta.dot(ta).max(tb.dot(tb)).gt(L::splat(CONTACT.arm_rotation * CONTACT.arm_rotation));
    let rotates = L::and(is_face, rotates);
    if L::bits(rotates) == 0 {
        return arms;
    }
    let (ra, rb) = (rotated_arm(frame.ra, ta), rotated_arm(frame.rb, tb));
    *carrying = L::select(rotates, carrying_speed(a, ra).max(carrying_speed(b, rb)), zero);
    [Vector::select(rotates, ra, frame.ra), Vector::select(rotates, rb, frame.rb)]
}

/// Lever arm after a rotation, to second order.
#[inline(always)]
fn rotated_arm<L: Simd>(arm: Vector<L>, by: Vector<L>) -> Vector<L> {
    let along = by.cross(arm);
    arm + along + by.cross(along).scale(L::splat(0.5))
}

/// Speed (m/s) at a lever arm by the rotation of a body, if impulses do not move the body; else 0.
#[inline(always)]
fn carrying_speed<L: Simd>(body: &BodyVelocities<L>, arm: Vector<L>) -> L {
    let moves = body.w.cross(arm);
    L::select(body.m.gt(L::splat(0.0)), L::splat(0.0), moves.dot(moves).sqrt())
}

/// Solves friction at the centre, twist about the normal, and rolling where a surface has it.
///
/// A trial impulse stops the slip. Inside the cone it is taken. Outside, the surfaces slide, and
/// the impulse must oppose the slip velocity itself: the product of the 2 x 2 mass and the slip
/// would bend the trajectory of a long body. So a sliding lane takes a step of the least effective
/// mass along the slip and is clamped to the cone; it converges only where impulse and slip are
/// opposed.
#[inline(always)]
pub(super) fn solve_friction<L: Simd>(
    block: &mut ContactBlock,
    o: usize,
    frame: &Frame<L>,
    [ra, rb]: [Vector<L>; 2],
    [a, b]: [&mut BodyVelocities<L>; 2],
    h: Real,
    sliding: &mut u32,
) {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let mut load = zero;
    for rows in &block.points[..block.count as usize] {
        load = load + L::load(&rows.impulse, o);
    }
    if block.rolling != 0 {
        solve_rolling(block, o, frame, a, b, load);
    }

    let limit = L::load(&block.friction, o) * load;
    let slip = (b.v + b.w.cross(rb)) - (a.v + a.w.cross(ra));
    let (mut s1, mut s2) = (frame.t1.dot(slip), frame.t2.dot(slip));
    if block.moving_surface != 0 {
        s1 = s1 + L::load(&block.surface_velocity[0], o);
        s2 = s2 + L::load(&block.surface_velocity[1], o);
    }
    let m = &block.friction_mass;
    let (m11, m22, m12) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    let (f1, f2) = (L::load(&block.tangent_impulse[0], o), L::load(&block.tangent_impulse[1], o));

    let (trial1, trial2) = (f1 - (m11 * s1 + m12 * s2), f2 - (m12 * s1 + m22 * s2));
    let outside = (trial1 * trial1 + trial2 * trial2).gt(limit * limit);
    let (mut g1, mut g2) = (trial1, trial2);
    if L::bits(outside) != 0 {
        let spread = m11 - m22;
        let least = L::splat(0.5) * ((m11 + m22) - (spread * spread + L::splat(4.0) * m12 * m12).sqrt());
        let (slide1, slide2) = (f1 - least * s1, f2 - least * s2);
        let length = (slide1 * slide1 + slide2 * slide2).sqrt();
        let over = length.gt(limit);
        let cut = L::select(over, limit.div(length), one);
        g1 = L::select(outside, slide1 * cut, trial1);
        g2 = L::select(outside, slide2 * cut, trial2);
        *sliding |= L::bits(L::and(outside, over)) << o;
    }
    g1.store(&mut block.tangent_impulse[0], o);
    g2.store(&mut block.tangent_impulse[1], o);

    let rate = frame.n.dot(b.w - a.w);
    let most = limit * L::load(&block.twist_arm, o);
    let twist = L::load(&block.twist_impulse, o);
    // Impulse of an implicit damper with time constant `twist_stop_time`; a manifold of several
    // points has time constant 0.
    let h = L::splat(h);
    let share = h.div(h + L::load(&block.twist_stop_time, o));
    let new = ((twist - L::load(&block.twist_mass, o) * rate) * share).min(most).max(zero - most);
    new.store(&mut block.twist_impulse, o);

    let impulse = frame.t1.scale(g1 - f1) + frame.t2.scale(g2 - f2);
    apply(a, b, block, o, frame, impulse, frame.n.scale(new - twist));
}

/// Rolling friction: torque about the tangents, within a circle of radius `rolling_friction *
/// load`.
#[inline(always)]
fn solve_rolling<L: Simd>(
    block: &mut ContactBlock,
    o: usize,
    frame: &Frame<L>,
    a: &mut BodyVelocities<L>,
    b: &mut BodyVelocities<L>,
    load: L,
) {
    let zero = L::splat(0.0);
    let k = &block.normal_matrix;
    let (k11, k22, k12) = (L::load(&k[1], o), L::load(&k[2], o), L::load(&k[5], o));
    let [m11, m22, m12] = inverse(k11, k22, k12, L::splat(EFFECTIVE_MASS.singular) * inverse_inertia_trace(block, o));
    let spin = b.w - a.w;
    let (w1, w2) = (frame.t1.dot(spin), frame.t2.dot(spin));
    let (r1, r2) = (L::load(&block.rolling_impulse[0], o), L::load(&block.rolling_impulse[1], o));
    let (g1, g2) = (r1 - (m11 * w1 + m12 * w2), r2 - (m12 * w1 + m22 * w2));
    let limit = L::load(&block.rolling_friction, o) * load;
    let length = (g1 * g1 + g2 * g2).sqrt();
    let cut = L::select(length.gt(limit), limit.div(length), L::splat(1.0));
    let (g1, g2) = (g1 * cut, g2 * cut);
    g1.store(&mut block.rolling_impulse[0], o);
    g2.store(&mut block.rolling_impulse[1], o);
    let none = Vector::new(zero, zero, zero);
    apply(a, b, block, o, frame, none, frame.t1.scale(g1 - r1) + frame.t2.scale(g2 - r2));
}
