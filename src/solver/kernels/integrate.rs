//! Integration of body states.

use crate::math::Real;
use crate::solver::body::{BODY_STATE_LEN, BodyState, SUBSTEP_START_LEN, SubstepStart};
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH, Wide, rotation};
use crate::tolerances::SUBSTEPPING;

/// Begins a substep after the first: `v <- v + (v - start)`, `start <- v`.
///
/// The change over the last substep was its acceleration and its contact impulses; repeating it is
/// acceleration and warm start of this substep, exactly, because rows do not change within a step.
/// A slow body whose velocity reverses flutters between two states that balance on average: it
/// continues from their mean, unless the reversal is its free fall at the top of a throw. Jointed
/// bodies also oscillate for other reasons: with `JOINTED`, only bodies that touched something at
/// the start of the step are tested.
///
/// Returns the largest change of a velocity component over the last substep (m/s; rad/s counts
/// alike).
pub(crate) fn begin_substep<const JOINTED: bool>(
    simd: SimdLevel,
    states: &mut [BodyState],
    starts: &mut [SubstepStart],
) -> Real {
    assert_eq!(states.len(), starts.len());
    simd.run(Begin::<JOINTED> { states, starts })
}

struct Begin<'a, const JOINTED: bool> {
    states: &'a mut [BodyState],
    starts: &'a mut [SubstepStart],
}

impl<const JOINTED: bool> SimdKernel for Begin<'_, JOINTED> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let Self { states, starts } = self;
        let count = states.len();
        let (states, starts) = (states.as_mut_ptr().cast::<Real>(), starts.as_mut_ptr().cast::<Real>());
        let mut worst = L::splat(0.0);
        let mut first = 0;
        while first < count {
            let (ids, write) = group(first, count);
            let mut o = 0;
            // Lanes behind the last body would read it again and could differ in the last bit: the
            // returned change must not depend on the register width.
            while o < count.min(first + WIDTH) - first {
                // No closures here: they would not be compiled for the instructions of the
                // register.
                // SAFETY: the ids stay below `count`, and both slices are borrowed mutably.
                let olds = unsafe {
                    [
                        L::gather::<SUBSTEP_START_LEN>(starts, &ids, o, 0),
                        L::gather::<SUBSTEP_START_LEN>(starts, &ids, o, 1),
                    ]
                };
                // SAFETY: as above.
                let news = unsafe {
                    [L::gather::<BODY_STATE_LEN>(states, &ids, o, 0), L::gather::<BODY_STATE_LEN>(states, &ids, o, 1)]
                };
                let touches = news[1][3].gt(L::splat(0.0));
                for (quad, slow, fall) in
                    [(0, SUBSTEPPING.flutter_speed, olds[1][3]), (1, SUBSTEPPING.flutter_speed, L::splat(0.0))]
                {
                    let (new, old) = (news[quad], olds[quad]);
                    let (v, v0) = (Vector::from_quad(new), Vector::from_quad(old));
                    let change = v - v0;
                    worst = change.max_abs().max(worst);
                    let reverses = L::splat(0.0).gt(v.dot(v0));
                    let pushed = (change.dot(change) - fall).abs().gt(fall * L::splat(SUBSTEPPING.free_fall_change));
                    let slow = L::splat(slow * slow).gt(v.dot(v));
                    let flutters = L::and(reverses, L::and(pushed, slow));
                    let flutters = if JOINTED { L::and(touches, flutters) } else { flutters };
                    let start = Vector::select(flutters, (v + v0).scale(L::splat(0.5)), v);
                    // SAFETY: as above; each body is written by one lane: `write` masks repeats.
                    unsafe {
                        L::scatter::<BODY_STATE_LEN>(states, &ids, write, o, quad, (start + change).quad(new[3]));
                        L::scatter::<SUBSTEP_START_LEN>(starts, &ids, write, o, quad, start.quad(old[3]));
                    }
                }
                o += L::N;
            }
            first += WIDTH;
        }
        worst.max_lane(0.0)
    }
}

/// [`begin_substep`] where no body touches anything, so that none flutters: the same bits for each
/// body.
pub(crate) fn begin_free_substep(simd: SimdLevel, states: &mut [BodyState], starts: &mut [SubstepStart]) -> Real {
    simd.run(BeginFree { states, starts })
}

struct BeginFree<'a> {
    states: &'a mut [BodyState],
    starts: &'a mut [SubstepStart],
}

impl SimdKernel for BeginFree<'_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let Self { states, starts } = self;
        // The scalars beside the velocities stay as they are.
        let velocities = Wide([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        let mut worst: Real = 0.0;
        let mut o = 0;
        while o < WIDTH {
            let zero = L::splat(0.0);
            let mine = L::load(&velocities, o).gt(zero);
            let mut most = zero;
            for (state, start) in states.iter_mut().zip(starts.iter_mut()) {
                let (v, v0) = (L::load(&state.velocity, o), L::load(&start.0, o));
                let change = v - v0;
                most = L::select(mine, change.abs().max(most), zero);
                L::select(mine, v + change, v).store(&mut state.velocity, o);
                L::select(mine, v, v0).store(&mut start.0, o);
            }
            worst = most.max_lane(worst);
            o += L::N;
        }
        worst
    }
}

/// Advances the positions of these states by `time` (s) at their velocities.
pub(crate) fn drift(simd: SimdLevel, states: &mut [BodyState], time: Real) {
    simd.run(Drift { states, time });
}

struct Drift<'a> {
    states: &'a mut [BodyState],
    time: Real,
}

impl SimdKernel for Drift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { states, time } = self;
        // The inverse mass in the quad of the velocity must not leak into that of the displacement.
        let time = Wide([time, time, time, 0.0, time, time, time, 0.0]);
        for state in states {
            let mut o = 0;
            while o < WIDTH {
                let moved = L::load(&state.displacement, o) + L::load(&state.velocity, o) * L::load(&time, o);
                moved.store(&mut state.displacement, o);
                o += L::N;
            }
        }
    }
}

/// The same where joints let bodies rotate far: rotations about changing axes are composed, not
/// added.
pub(crate) fn drift_large_rotations(simd: SimdLevel, states: &mut [BodyState], time: Real) {
    simd.run(DriftLargeRotations { states, time });
}

struct DriftLargeRotations<'a> {
    states: &'a mut [BodyState],
    time: Real,
}

impl SimdKernel for DriftLargeRotations<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { states, time } = self;
        let count = states.len();
        let states = states.as_mut_ptr().cast::<Real>();
        let time = L::splat(time);
        for first in (0..count).step_by(WIDTH) {
            let (ids, write) = group(first, count);
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the ids stay below `count`, the states are ours, and the four quads lie
                // inside a state.
                let [v, w] = unsafe {
                    [L::gather::<BODY_STATE_LEN>(states, &ids, o, 0), L::gather::<BODY_STATE_LEN>(states, &ids, o, 1)]
                };
                // SAFETY: as above.
                let [x, turn] = unsafe {
                    [L::gather::<BODY_STATE_LEN>(states, &ids, o, 2), L::gather::<BODY_STATE_LEN>(states, &ids, o, 3)]
                };
                let moved = Vector::from_quad(x) + Vector::from_quad(v).scale(time);
                let composed = rotation::compose(Vector::from_quad(turn), Vector::from_quad(w).scale(time));
                // SAFETY: as above; each body is written by one lane: `write` masks repeats.
                unsafe {
                    L::scatter::<BODY_STATE_LEN>(states, &ids, write, o, 2, moved.quad(x[3]));
                    L::scatter::<BODY_STATE_LEN>(states, &ids, write, o, 3, composed.quad(turn[3]));
                }
                o += L::N;
            }
        }
    }
}

/// Up to eight states from the `first` of `count` on, and the lanes that write. Lanes past the end
/// read the last state again.
#[inline(always)]
fn group(first: usize, count: usize) -> ([u32; WIDTH], u32) {
    let here = (count - first).min(WIDTH);
    let mut ids = [0; WIDTH];
    for (k, id) in ids.iter_mut().enumerate() {
        *id = (first + k.min(here - 1)) as u32;
    }
    (ids, (1 << here) - 1)
}
