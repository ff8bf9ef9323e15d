//! Friction of a block: at the centre of each patch, about its normal, and against rolling.

use super::finish::{inverse, turning};
use super::{Frame, Side, apply};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Lane, Vector};
use crate::tolerances::{FACE_POINTS, SINGULAR, TURNED_ARM};

/// The arms to a patch by which its slip is told. In a face that turns with its bodies they turn too: what lies on a turntable
/// goes along an arc, and would leave it along the tangent of each step's start.
///
/// They are taken half a substep back. The next substep repeats the change of this one, and so it moves by the velocities of its
/// own middle. `swing` becomes the speed at which an immovable body carries the patch round (m/s): its direction changes for as
/// long as the body turns, and no substep is its last.
#[inline(always)]
pub(super) fn arms<L: Lane>(
    block: &Block,
    o: usize,
    frame: &Frame<L>,
    bodies: [(&Side<L>, Vector<L>); 2],
    h: Real,
    swing: &mut L,
) -> [Vector<L>; 2] {
    let arms = [frame.ra, frame.rb];
    if (block.count as usize) < FACE_POINTS {
        return arms;
    }
    let zero = L::splat(0.0);
    let back = L::splat(0.5 * h);
    let [(a, ta), (b, tb)] = bodies;
    let (ta, tb) = (ta - a.w.scale(back), tb - b.w.scale(back));
    let is_face = L::load(&block.points[FACE_POINTS - 1].mass, o).gt(zero);
    let turns = ta.dot(ta).max(tb.dot(tb)).gt(L::splat(TURNED_ARM * TURNED_ARM));
    let turns = L::and(is_face, turns);
    if L::bits(turns) == 0 {
        return arms;
    }
    let (ra, rb) = (turned(frame.ra, ta), turned(frame.rb, tb));
    *swing = L::select(turns, carried(a, ra).max(carried(b, rb)), zero);
    [Vector::select(turns, ra, frame.ra), Vector::select(turns, rb, frame.rb)]
}

/// An arm after a rotation, to second order.
#[inline(always)]
fn turned<L: Lane>(arm: Vector<L>, by: Vector<L>) -> Vector<L> {
    let along = by.cross(arm);
    arm + along + by.cross(along).scale(L::splat(0.5))
}

/// How fast the turning of a body moves what is at an arm (m/s), if nothing moves the body.
#[inline(always)]
fn carried<L: Lane>(body: &Side<L>, arm: Vector<L>) -> L {
    let moves = body.w.cross(arm);
    L::select(body.m.gt(L::splat(0.0)), L::splat(0.0), moves.dot(moves).sqrt())
}

/// Friction at the centre, twist about the normal, and rolling where a surface has it.
///
/// A trial impulse stops the patch dead. Inside the cone it stands. Outside, the surfaces slide: then the impulse must
/// oppose the slip velocity itself, and not what the 2 x 2 mass makes of it, which would bend the path of a long body.
/// So a sliding lane takes a step of the least effective mass along the slip and is cut back to the cone: it comes to
/// rest only where impulse and slip are opposed.
#[inline(always)]
pub(super) fn rub<L: Lane>(
    block: &mut Block,
    o: usize,
    frame: &Frame<L>,
    [ra, rb]: [Vector<L>; 2],
    [a, b]: [&mut Side<L>; 2],
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
        roll(block, o, frame, a, b, load);
    }

    let limit = L::load(&block.friction, o) * load;
    let slip = (b.v + b.w.cross(rb)) - (a.v + a.w.cross(ra));
    let (mut s1, mut s2) = (frame.t1.dot(slip), frame.t2.dot(slip));
    if block.driven != 0 {
        s1 = s1 + L::load(&block.drive[0], o);
        s2 = s2 + L::load(&block.drive[1], o);
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

    let turning = frame.n.dot(b.w - a.w);
    let most = limit * L::load(&block.arm, o);
    let twist = L::load(&block.twist_impulse, o);
    // What a damper that stops a turn in `grip` gives, solved with the velocity after it; a patch takes no time at all.
    let h = L::splat(h);
    let share = h.div(h + L::load(&block.grip, o));
    let new = ((twist - L::load(&block.twist_mass, o) * turning) * share).min(most).max(zero - most);
    new.store(&mut block.twist_impulse, o);

    let impulse = frame.t1.scale(g1 - f1) + frame.t2.scale(g2 - f2);
    apply(a, b, block, o, frame, impulse, frame.n.scale(new - twist));
}

/// Rolling friction: a torque about the tangents, within a circle of radius `rolling_friction * load`.
#[inline(always)]
fn roll<L: Lane>(block: &mut Block, o: usize, frame: &Frame<L>, a: &mut Side<L>, b: &mut Side<L>, load: L) {
    let zero = L::splat(0.0);
    let k = &block.coupling;
    let (k11, k22, k12) = (L::load(&k[1], o), L::load(&k[2], o), L::load(&k[5], o));
    let [m11, m22, m12] = inverse(k11, k22, k12, L::splat(SINGULAR) * turning(block, o));
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
