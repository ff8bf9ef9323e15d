//! One sweep of Gauss-Seidel over the contacts of a run of blocks: the solve and the relaxation of a substep.

use super::finish::{inverse, turning};
use super::{Frame, Side, apply, freed, moved};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Lane, Vector, WIDTH};
use crate::solver::soft::Soft;
use crate::tolerances::{FACE_POINTS, SINGULAR, TURNED_ARM};

/// Sweeps the blocks in order and returns the greatest correction of a manifold's normal velocity (m/s).
///
/// `RELAX` false: soft normal impulses, no friction. `RELAX` true: friction, twist and rolling, then rigid normal
/// impulses that leave no push-out velocity; friction lives here alone, where no push-out disturbs it. `inner` is how
/// often the points of a manifold are gone over in one visit.
///
/// # Safety
/// The blocks' lines must exist at `lines`, those they move belong to the caller alone and occur once a block, and
/// nobody may be writing the others.
#[inline(always)]
pub(crate) unsafe fn pass<L: Lane, const RELAX: bool>(
    blocks: &mut [Block],
    lines: *mut Real,
    soft: &Soft,
    inner: u32,
) -> Real {
    let mut worst = L::splat(0.0);
    for block in blocks {
        let mut sliding = 0;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller.
            worst = unsafe { part::<L, RELAX>(block, lines, soft, inner, o, worst, &mut sliding) };
            o += L::N;
        }
        if RELAX {
            block.sliding = sliding;
        }
    }
    worst.greatest(0.0)
}

/// Lanes `o .. o + N` of one block.
#[inline(always)]
unsafe fn part<L: Lane, const RELAX: bool>(
    block: &mut Block,
    lines: *mut Real,
    soft: &Soft,
    inner: u32,
    o: usize,
    worst: L,
    sliding: &mut u32,
) -> L {
    let zero = L::splat(0.0);
    let one = L::splat(1.0);
    let frame = Frame::<L>::load(block, o);
    // SAFETY: passed on to the caller.
    let (mut a, mut b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
    let count = block.count as usize;

    let still = Vector::new(zero, zero, zero);
    let ((pa, ta), (pb, tb)) = if RELAX {
        // SAFETY: passed on to the caller.
        unsafe { (moved::<L>(lines, &block.a, o), moved::<L>(lines, &block.b, o)) }
    } else {
        // Nothing has moved since the relaxation.
        ((still, still), (still, still))
    };
    let mut swing = zero;
    if RELAX {
        let arms = arms(block, o, &frame, [(&a, ta), (&b, tb)], soft.h, &mut swing);
        rub(block, o, &frame, arms, [&mut a, &mut b], soft.h, sliding);
    }

    // The arms of the normal, and velocity and displacement in reduced space.
    let (qa, qb) = (frame.ra.cross(frame.n), frame.rb.cross(frame.n));
    let spin = b.w - a.w;
    let (y0, y1, y2) = (frame.n.dot(b.v - a.v) + (qb.dot(b.w) - qa.dot(a.w)), frame.t1.dot(spin), frame.t2.dot(spin));
    let [d0, d1, d2] = if RELAX {
        let turn = tb - ta;
        [frame.n.dot(pb - pa) + (qb.dot(tb) - qa.dot(ta)), frame.t1.dot(turn), frame.t2.dot(turn)]
    } else {
        [zero; 3]
    };
    let k = &block.coupling;
    let (k00, k11, k22) = (L::load(&k[0], o), L::load(&k[1], o), L::load(&k[2], o));
    let (k01, k02, k12) = (L::load(&k[3], o), L::load(&k[4], o), L::load(&k[5], o));

    let inverse_h = L::splat(soft.inverse_h);
    let max_push = L::splat(-soft.max_push);
    let (rate, scale) = (L::load(&block.rate, o), L::load(&block.mass_scale, o));
    let impulse_scale = L::load(&block.impulse_scale, o);

    let (mut z0, mut z1, mut z2) = (y0, y1, y2);
    let (mut total, mut moment_u, mut moment_v) = (zero, zero, zero);
    for _ in 0..inner {
        for k in 0..count {
            let rows = &mut block.points[if RELAX { count - 1 - k } else { k }];
            let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
            let (mass, old) = (L::load(&rows.mass, o), L::load(&rows.impulse, o));
            let s = if RELAX { L::load(&rows.separation, o) + (d0 + v * d1 - u * d2) } else { L::load(&rows.gap, o) };
            let velocity = z0 + v * z1 - u * z2;
            let new = if RELAX {
                // A gap that is still open may close within the substep and no faster, unless nothing has met yet: to brake an
                // approach here would take its speed before the impact, which is another stage's.
                let gap = s.max(zero) * inverse_h;
                let came = zero - (y0 + v * y1 - u * y2);
                let unmet = L::select(s.gt(zero), gap.max(gap + came), gap);
                let bias = L::select(old.gt(zero), gap, unmet);
                s.store(&mut rows.gap, o);
                old - mass * (velocity + bias)
            } else {
                let open = s.gt(zero);
                let bias = L::select(open, s * inverse_h, (s * rate).max(max_push));
                let keep = L::select(open, zero, impulse_scale);
                let scale = L::select(open, one, scale);
                old - mass * scale * (velocity + bias) - keep * old
            };
            let new = new.max(zero);
            let change = new - old;
            new.store(&mut rows.impulse, o);
            let (cu, cv) = (change * u, change * v);
            z0 = z0 + (change * k00 + cv * k01 - cu * k02);
            z1 = z1 + (change * k01 + cv * k11 - cu * k12);
            z2 = z2 + (change * k02 + cv * k12 - cu * k22);
            total = total + change;
            moment_u = moment_u + cu;
            moment_v = moment_v + cv;
        }
    }

    let arm = L::load(&block.arm, o);
    let correction = (z0 - y0).abs() + arm * ((z1 - y1).abs() + (z2 - y2).abs());
    let angular = frame.t1.scale(moment_v) - frame.t2.scale(moment_u);
    // The arms are at hand, so this is `apply` with the cross products already taken.
    a.v = a.v - freed(frame.n.scale(total * a.m), block.locked != 0, &block.free_a, o);
    a.w = a.w - (qa.scale(total) + angular).transformed(&block.inertia_a, o);
    b.v = b.v + freed(frame.n.scale(total * b.m), block.locked != 0, &block.free_b, o);
    b.w = b.w + (qb.scale(total) + angular).transformed(&block.inertia_b, o);
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(lines, &block.a, block.write_a, o);
        b.scatter(lines, &block.b, block.write_b, o);
    }
    correction.max(swing).max(worst)
}

/// The arms to a patch by which its slip is told. In a face that turns with its bodies they turn too: what lies on a turntable
/// goes along an arc, and would leave it along the tangent of each step's start.
///
/// They are taken half a substep back. The next substep repeats the change of this one, and so it moves by the velocities of its
/// own middle. `swing` becomes the speed at which an immovable body carries the patch round (m/s): its direction changes for as
/// long as the body turns, and no substep is its last.
#[inline(always)]
fn arms<L: Lane>(
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
fn rub<L: Lane>(
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
