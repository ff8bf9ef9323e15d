//! The normal impulse of one point.

use super::Frame;
use crate::math::Real;
use crate::solver::block::{ContactBlock, PointLanes};
use crate::solver::simd::{Simd, Vector};
use crate::solver::soft::SoftContact;

/// Separation that no body crosses in a substep (m).
const OPEN: Real = 1e6;

/// Contact springs of lanes `o ..` of a block in a substep.
pub(super) struct NormalSprings<L> {
    /// 1/s.
    inverse_h: L,
    /// Least bias velocity (m/s): overlaps are separated no faster.
    max_push: L,
    rate: L,
    mass_scale: L,
    impulse_scale: L,
}

impl<L: Simd> NormalSprings<L> {
    #[inline(always)]
    pub fn load(block: &ContactBlock, o: usize, soft: &SoftContact) -> Self {
        Self {
            inverse_h: L::splat(soft.inverse_h),
            max_push: L::splat(-soft.max_push),
            rate: L::load(&block.rate, o),
            mass_scale: L::load(&block.mass_scale, o),
            impulse_scale: L::load(&block.impulse_scale, o),
        }
    }

    /// Solves the normal impulse of a point with separation `s` (m) and normal velocity `velocity`
    /// (m/s), which was `initial` before this sweep reached the manifold; returns the change of the
    /// impulse (N s).
    #[inline(always)]
    pub fn solve_normal<const RELAX: bool>(&self, rows: &mut PointLanes, o: usize, s: L, velocity: L, initial: L) -> L {
        let zero = L::splat(0.0);
        let (mass, old) = (L::load(&rows.mass, o), L::load(&rows.impulse, o));
        let new = if RELAX {
            // An open gap may close within the substep and no faster. If the contact has no impulse
            // yet, its approach is not braked: that would take its speed before the impact, which
            // another stage solves.
            let gap = s.max(zero) * self.inverse_h;
            let free_approach = L::select(s.gt(zero), gap.max(gap - initial), gap);
            let bias = L::select(old.gt(zero), gap, free_approach);
            s.store(&mut rows.gap, o);
            old - mass * (velocity + bias)
        } else {
            let open = s.gt(zero);
            let bias = L::select(open, s * self.inverse_h, (s * self.rate).max(self.max_push));
            let keep = L::select(open, zero, self.impulse_scale);
            let scale = L::select(open, L::splat(1.0), self.mass_scale);
            old - mass * scale * (velocity + bias) - keep * old
        };
        let new = new.max(zero);
        new.store(&mut rows.impulse, o);
        new - old
    }
}

/// Added separation (m) of the contacts of bodies by their rotation since the start of the step: far
/// more than a body moves where an arm has changed too much, else zero.
///
/// Turning about the arm, as a top does, changes nothing; nor does turning about the part of the arm
/// across the normal: the surface may be round there, as that of a rolling wheel.
#[inline(always)]
pub(super) fn turned_away<L: Simd>(frame: &Frame<L>, [ta, tb]: [Vector<L>; 2], soft: &SoftContact) -> L {
    let zero = L::splat(0.0);
    let Some(most) = soft.max_arm_change else { return zero };
    let beyond = arm_change_beyond(frame.n, ta, frame.ra, most).max(arm_change_beyond(frame.n, tb, frame.rb, most));
    L::select(beyond.gt(zero), L::splat(OPEN), zero)
}

/// Square of the change of an arm by a turn, beyond the fraction `most` of its length (m²).
#[inline(always)]
fn arm_change_beyond<L: Simd>(normal: Vector<L>, turn: Vector<L>, arm: Vector<L>, most: Real) -> L {
    let across = arm - normal.scale(normal.dot(arm));
    let (whole, part) = (turn.cross(arm), turn.cross(across));
    whole.dot(whole).min(part.dot(part)) - L::splat(most * most) * arm.dot(arm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::solver::Parameters;
    use crate::solver::simd::Portable;

    fn lanes(v: Vec3) -> Vector<Portable> {
        Vector::new(Portable::splat(v.x), Portable::splat(v.y), Portable::splat(v.z))
    }

    /// True if a contact on the ground ends when its body, with this arm, turns so.
    fn ends(arm: Vec3, turn: Vec3, soft: &SoftContact) -> bool {
        let frame =
            Frame { n: lanes(Vec3::Y), t1: lanes(Vec3::Z), t2: lanes(Vec3::X), ra: lanes(Vec3::ZERO), rb: lanes(arm) };
        let open = turned_away(&frame, [lanes(Vec3::ZERO), lanes(turn)], soft);
        Portable::bits(open.gt(Portable::splat(0.5 * OPEN))) != 0
    }

    #[test]
    fn contacts_of_jointed_bodies_end_where_the_arm_has_turned_away() {
        let free = SoftContact::new(1.0 / 480.0, Parameters::PUSH_OUT_SPEED);
        let jointed = free.following_joints();
        let bar = Vec3::new(0.5, -0.05, 0.0);
        assert!(ends(bar, Vec3::Z * 0.3, &jointed) && ends(bar, Vec3::Y * 2.0, &jointed), "a bar that tumbles");
        assert!(!ends(bar, Vec3::Z * 0.2, &jointed) && !ends(bar, Vec3::Z * 3.0, &free));
        let ball = Vec3::Y * -0.3;
        assert!(!ends(ball, Vec3::Z * 3.0, &jointed), "a ball that rolls");
        let wheel = Vec3::new(0.1, -0.3, 0.0);
        assert!(!ends(wheel, Vec3::X * 3.0, &jointed), "a wheel that rolls on one side of its tread");
        let top = Vec3::new(0.2, -0.5, 0.1);
        assert!(!ends(top, top * 20.0, &jointed), "a top that leans");
    }
}
