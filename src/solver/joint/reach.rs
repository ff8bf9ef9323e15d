//! Whether limits stop joints in what is left of a step.

use super::pair::Pair;
use super::passes::load;
use super::row::Law;
use super::unit::Parts;
use crate::math::Real;
use crate::solver::lanes::{Kernel, Lane, Path, WIDTH};

/// Whether a joint of a unit would pass a limit if all bodies went on at their velocities for a `time` (s), by more than a change of
/// velocity of `stop` (m/s, rad/s) would take it.
///
/// # Safety
/// As for [`open`](super::passes::open).
pub(crate) unsafe fn is_near(path: Path, parts: &mut Parts, lines: *mut Real, time: Real, stop: Real) -> bool {
    path.run(Reach { parts, lines, time, stop })
}

struct Reach<'a, 'b> {
    parts: &'a mut Parts<'b>,
    lines: *mut Real,
    time: Real,
    stop: Real,
}

impl Kernel for Reach<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lane>(self) -> bool {
        let Self { parts, lines, time, stop } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `is_near`.
            unsafe { load::<L>(parts, lines, o) };
            if L::bits(furthest::<L>(parts, o, time).gt(L::splat(stop * time))) != 0 {
                return true;
            }
            o += L::N;
        }
        false
    }
}

/// How far any limit would be passed.
#[inline(always)]
fn furthest<L: Lane>(parts: &Parts, o: usize, time: Real) -> L {
    let mut furthest = L::splat(0.0);
    for (kind, place) in parts.program.joints.iter().zip(&parts.program.places) {
        let pair = Pair::<L>::load(parts.bodies, kind.bodies, o);
        for (row, &(coordinate, law)) in parts.rows[place.singles()].iter().zip(&kind.rows[place.pin()..]) {
            if law == Law::Range {
                let value = L::load(&row.value, o);
                let by = pair.rate(coordinate, row, o) * L::splat(time);
                let (least, most) = (L::load(&row.target, o), L::load(&row.target_high, o));
                // What is beyond already is brought back by the passes.
                let over = value.min(most) + by - most;
                let under = least - (value.max(least) + by);
                furthest = over.max(under).max(furthest);
            }
        }
    }
    furthest
}
