//! Passes over the lines of bodies.

use crate::math::Real;
use crate::solver::body::{LINE, Line, START, Start};
use crate::solver::lanes::{Kernel, Lane, Path, Row, Vector, WIDTH, rotation};
use crate::tolerances::{FLUTTER_FALL, FLUTTER_SPEED, FLUTTER_SPIN};

/// Begins a substep after the first: `v <- v + (v - start)`, `start <- v`.
///
/// The change over the last substep was its acceleration and its contact impulses; repeating it is acceleration and
/// warm start of this one, exactly, because rows do not change within a step. A slow body whose velocity turned
/// round flutters between two states that balance on average: it goes on from their mean; unless it only turns round as what
/// is thrown up does, by the acceleration of its fall. `JOINTED` bodies swing to and fro for other reasons too: only those
/// that touched something at the step's start are asked.
///
/// Returns the greatest change of a component of velocity over the last substep (m/s; rad/s counts alike).
pub(crate) fn begin_substep<const JOINTED: bool>(path: Path, lines: &mut [Line], starts: &mut [Start]) -> Real {
    assert_eq!(lines.len(), starts.len());
    path.run(Begin::<JOINTED> { lines, starts })
}

struct Begin<'a, const JOINTED: bool> {
    lines: &'a mut [Line],
    starts: &'a mut [Start],
}

impl<const JOINTED: bool> Kernel for Begin<'_, JOINTED> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let Self { lines, starts } = self;
        let count = lines.len();
        let (lines, starts) = (lines.as_mut_ptr().cast::<Real>(), starts.as_mut_ptr().cast::<Real>());
        let mut worst = L::splat(0.0);
        let mut first = 0;
        while first < count {
            let (ids, write) = group(first, count);
            let mut o = 0;
            // What lies behind the last line would read it again, and find another change to the last bit: how much changed must not depend
            // on how many lanes a register has.
            while o < count.min(first + WIDTH) - first {
                // No closures here: they would not be compiled for the instructions of the lanes.
                // SAFETY: the ids stay below `count`, and both slices are ours.
                let olds = unsafe { [L::gather::<START>(starts, &ids, o, 0), L::gather::<START>(starts, &ids, o, 1)] };
                // SAFETY: as above.
                let news = unsafe { [L::gather::<LINE>(lines, &ids, o, 0), L::gather::<LINE>(lines, &ids, o, 1)] };
                let touches = news[1][3].gt(L::splat(0.0));
                for (quad, slow, fall) in [(0, FLUTTER_SPEED, olds[1][3]), (1, FLUTTER_SPIN, L::splat(0.0))] {
                    let (new, old) = (news[quad], olds[quad]);
                    let (v, v0) = (Vector::from_quad(new), Vector::from_quad(old));
                    let change = v - v0;
                    worst = change.max_abs().max(worst);
                    let turned = L::splat(0.0).gt(v.dot(v0));
                    let pushed = (change.dot(change) - fall).abs().gt(fall * L::splat(FLUTTER_FALL));
                    let slow = L::splat(slow * slow).gt(v.dot(v));
                    let flutters = L::and(turned, L::and(pushed, slow));
                    let flutters = if JOINTED { L::and(touches, flutters) } else { flutters };
                    let start = Vector::select(flutters, (v + v0).scale(L::splat(0.5)), v);
                    // SAFETY: as above; each body is written by one lane, since `write` masks the repeats.
                    unsafe {
                        L::scatter::<LINE>(lines, &ids, write, o, quad, (start + change).quad(new[3]));
                        L::scatter::<START>(starts, &ids, write, o, quad, start.quad(old[3]));
                    }
                }
                o += L::N;
            }
            first += WIDTH;
        }
        worst.greatest(0.0)
    }
}

/// [`begin_substep`] where nothing touches anything, so that nothing flutters: the same bits, line by line.
pub(crate) fn begin_free_substep(path: Path, lines: &mut [Line], starts: &mut [Start]) -> Real {
    path.run(BeginFree { lines, starts })
}

struct BeginFree<'a> {
    lines: &'a mut [Line],
    starts: &'a mut [Start],
}

impl Kernel for BeginFree<'_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let Self { lines, starts } = self;
        // What is beside the velocities stays as it is.
        let velocities = Row([1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        let mut worst: Real = 0.0;
        let mut o = 0;
        while o < WIDTH {
            let zero = L::splat(0.0);
            let mine = L::load(&velocities, o).gt(zero);
            let mut most = zero;
            for (line, start) in lines.iter_mut().zip(starts.iter_mut()) {
                let (v, v0) = (L::load(&line.velocity, o), L::load(&start.0, o));
                let change = v - v0;
                most = L::select(mine, change.abs().max(most), zero);
                L::select(mine, v + change, v).store(&mut line.velocity, o);
                L::select(mine, v, v0).store(&mut start.0, o);
            }
            worst = most.greatest(worst);
            o += L::N;
        }
        worst
    }
}

/// Moves the bodies of these lines on by `time` (s) at their velocities.
pub(crate) fn drift(path: Path, lines: &mut [Line], time: Real) {
    path.run(Drift { lines, time });
}

struct Drift<'a> {
    lines: &'a mut [Line],
    time: Real,
}

impl Kernel for Drift<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { lines, time } = self;
        // The inverse mass in the velocity's quad must not leak into the displacement's.
        let time = Row([time, time, time, 0.0, time, time, time, 0.0]);
        for line in lines {
            let mut o = 0;
            while o < WIDTH {
                let moved = L::load(&line.moved, o) + L::load(&line.velocity, o) * L::load(&time, o);
                moved.store(&mut line.moved, o);
                o += L::N;
            }
        }
    }
}

/// The same where joints let bodies turn far: rotations about axes that change follow each other, they do not add up.
pub(crate) fn drift_turning(path: Path, lines: &mut [Line], time: Real) {
    path.run(DriftTurning { lines, time });
}

struct DriftTurning<'a> {
    lines: &'a mut [Line],
    time: Real,
}

impl Kernel for DriftTurning<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { lines, time } = self;
        let count = lines.len();
        let lines = lines.as_mut_ptr().cast::<Real>();
        let time = L::splat(time);
        for first in (0..count).step_by(WIDTH) {
            let (ids, write) = group(first, count);
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the ids stay below `count`, the lines are ours, and the four quads lie inside a line.
                let [v, w] = unsafe { [L::gather::<LINE>(lines, &ids, o, 0), L::gather::<LINE>(lines, &ids, o, 1)] };
                // SAFETY: as above.
                let [x, turn] = unsafe { [L::gather::<LINE>(lines, &ids, o, 2), L::gather::<LINE>(lines, &ids, o, 3)] };
                let moved = Vector::from_quad(x) + Vector::from_quad(v).scale(time);
                let turned = rotation::followed(Vector::from_quad(turn), Vector::from_quad(w).scale(time));
                // SAFETY: as above; each body is written by one lane, since `write` masks the repeats.
                unsafe {
                    L::scatter::<LINE>(lines, &ids, write, o, 2, moved.quad(x[3]));
                    L::scatter::<LINE>(lines, &ids, write, o, 3, turned.quad(turn[3]));
                }
                o += L::N;
            }
        }
    }
}

/// Up to eight lines from the `first` of `count` on, and which lanes write. Lanes past the end read the last one again.
#[inline(always)]
fn group(first: usize, count: usize) -> ([u32; WIDTH], u32) {
    let here = (count - first).min(WIDTH);
    let mut ids = [0; WIDTH];
    for (k, id) in ids.iter_mut().enumerate() {
        *id = (first + k.min(here - 1)) as u32;
    }
    (ids, (1 << here) - 1)
}
