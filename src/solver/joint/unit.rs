//! Eight trees of joints side by side.

use super::program::Program;
use super::row::{JointLoad, JointOutcome, JointRow, Law, SolverJoint};
use super::taut::Held;
use super::thrift::Thrift;
use crate::math::{Mat3, Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::lanes::{Row, WIDTH};
use std::ops::Range;

/// A body in every lane. Between passes its motion lies in the lines; here it is while a pass works.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct BodyLanes {
    pub line: [u32; WIDTH],
    /// Lanes in which impulses move it, one bit a lane.
    pub write: u32,
    /// Inverse mass along the world's axes; inverse inertia, world axes.
    pub mass: [Row; 3],
    pub inertia: [Row; 6],
    /// 1 where the inertia turns with the body within the step, else 0: see [`Tumble`](super::tumble::Tumble).
    pub tumbles: Row,
    /// Half a substep's acceleration (m/s, rad/s), for what leaps: see [`passes`](super::passes).
    pub kick: [[Row; 3]; 2],
    /// Velocities; what the line holds beside them.
    pub velocity: [[Row; 3]; 2],
    pub spare: [Row; 2],
    /// What joints of this unit changed the velocities by in this substep; within a pass, less the velocities it began with.
    pub pushed: [[Row; 3]; 2],
    /// Displacement and rotation in this step; as they are looked at, with the coefficients of the rotation.
    pub moved: [[Row; 3]; 2],
    pub look: [[Row; 3]; 2],
    pub turning: [Row; 2],
    /// What joints changed its spin by in the substep before, in a heap: see [`foresight`](super::foresight).
    pub foretold: [Row; 3],
    /// The velocities at which it was looked at last.
    pub seen: [[Row; 3]; 2],
}

impl BodyLanes {
    /// Lets the spin of a lane's body take its kicks whole, as what contacts touch: they have the last word about how it turns.
    pub fn clear_spin_kick(&mut self, lane: usize) {
        put(&mut self.kick[1], lane, Vec3::ZERO);
    }
}

/// A joint in every lane, as it was at the start of the step, where it is, and what it has done since.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct JointLanes {
    pub levers: [[Row; 3]; 2],
    pub gap: [Row; 3],
    /// Axes of the two frames.
    pub frames: [[[Row; 3]; 3]; 2],
    /// Of a pin: the arms of its point, from both centres of mass; for each axis of the world the inverse inertia times the
    /// torque of a force of one along it; and the gap, when they were made. Its impulse in this substep.
    pub arms: [[Row; 3]; 2],
    pub turns: [[[Row; 3]; 3]; 2],
    pub parted: [Row; 3],
    pub impulse: [Row; 3],
    /// Sum of the impulses on the second body, of the torques about its anchor.
    pub force: [Row; 3],
    pub torque: [Row; 3],
    /// Sum of the lengths of the impulses, and the greatest.
    pub load: Row,
    pub peak: Row,
}

/// A row in every lane that is not of a pin.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RowLanes {
    /// Derivative of the coordinate: by the bodies' velocities along `axis`, by their angular velocities along `arms`; the
    /// first body counts negatively. Then the arms times the inverse inertias.
    pub axis: [Row; 3],
    pub arms: [[Row; 3]; 2],
    pub turns: [[Row; 3]; 2],
    /// The coordinate when the row was made.
    pub value: Row,
    pub start: Row,
    /// Of an angle, its gradient at the start of the step, world axes.
    pub about: [Row; 3],
    pub target: Row,
    pub target_high: Row,
    pub stiffness: Row,
    pub damping: Row,
    /// Least and greatest impulse of a substep.
    pub low: Row,
    pub high: Row,
    /// Impulse of this substep, and of the one before.
    pub impulse: Row,
    pub before: Row,
    /// Sum over the step.
    pub sum: Row,
    /// Added to the diagonal; the impulse of a spring that nothing resists, and how far a substep resolves it (0 to 1). Of a limit,
    /// what is added for a spring that has its row of the matrix.
    pub softness: Row,
    pub pull: Row,
    pub resolved: Row,
    /// 1 where the row takes part in the solve, else 0; and where its row of the matrix does, which it may share.
    pub active: Row,
    pub takes_part: Row,
}

/// Eight trees with the same program. A lane that holds none is all zeros.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub program: u32,
    /// Whether its trees are single joints of what has too many loops.
    pub swept: bool,
    /// Whether its joints give way by as little as they may, however short the substep: in `Exact`.
    pub stiff: bool,
    /// The tree of each lane, or `NONE`.
    pub trees: [u32; WIDTH],
    pub bodies: Range<usize>,
    pub joints: Range<usize>,
    /// Rows; those of them that are not of a pin.
    pub rows: Range<usize>,
    pub singles: Range<usize>,
    pub matrix: Range<usize>,
}

/// The parts of a unit while somebody works on it.
pub(crate) struct Parts<'a> {
    pub program: &'a Program,
    /// See [`Unit::swept`] and [`Unit::stiff`].
    pub swept: bool,
    pub stiff: bool,
    pub bodies: &'a mut [BodyLanes],
    pub joints: &'a mut [JointLanes],
    pub rows: &'a mut [RowLanes],
    pub matrix: &'a mut [Row],
    /// By row: its miss; then what is added to its impulse.
    pub changes: &'a mut [Row],
    /// By body where it is stiff and not swept, else empty: see [`taut`](super::taut).
    pub held: &'a mut [Held],
    /// 1 for lanes that leap, else 0: see [`passes`](super::passes).
    pub leap: &'a mut Row,
    /// 1 for lanes whose spins leap, else 0.
    pub spins: &'a mut Row,
    /// 1 for lanes in which what joints last did foretold what they do, else 0: see [`foresight`](super::foresight).
    pub foretells: &'a mut Row,
    /// 0 for lanes whose rows are left as they are, else 1.
    pub stands: &'a mut Row,
    /// The part of what joints are apart by that a substep mends.
    pub mends: &'a mut Row,
    pub thrift: &'a mut Thrift,
}

/// Puts a vector into a lane.
pub(super) fn put(rows: &mut [Row; 3], lane: usize, v: Vec3) {
    for (row, x) in rows.iter_mut().zip(v.to_array()) {
        row.0[lane] = x;
    }
}

/// The vector of a lane.
pub(super) fn take(rows: &[Row; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0].0[lane], rows[1].0[lane], rows[2].0[lane])
}

impl Parts<'_> {
    /// Empties what the step sums up, and everything that a lane without a tree would read if there is one.
    pub fn clear(&mut self, full: bool) {
        for body in self.bodies.iter_mut() {
            if full {
                (body.write, body.kick, body.pushed, body.tumbles) = Default::default();
            } else {
                *body = BodyLanes::default();
            }
        }
        for joint in self.joints.iter_mut() {
            if full {
                (joint.force, joint.torque, joint.load, joint.peak) = Default::default();
            } else {
                *joint = JointLanes::default();
            }
        }
        for row in self.rows.iter_mut() {
            if full {
                (row.sum, row.softness, row.pull, row.resolved) = Default::default();
            } else {
                *row = RowLanes::default();
            }
        }
    }

    /// Puts a body into a lane; `h` is the substep (s).
    pub fn fill_body(&mut self, lane: usize, place: usize, line: u32, body: &SolverBody, h: Real) {
        let lanes = &mut self.bodies[place];
        lanes.line[lane] = line;
        lanes.write |= u32::from(body.movable()) << lane;
        put(&mut lanes.mass, lane, body.free() * body.inverse_mass);
        for (row, x) in lanes.inertia.iter_mut().zip(body.inverse_inertia) {
            row.0[lane] = x;
        }
        if body.movable() {
            put(&mut lanes.kick[0], lane, body.linear_acceleration * (0.5 * h));
            put(&mut lanes.kick[1], lane, body.angular_acceleration * (0.5 * h));
        }
    }

    /// Puts a joint and its rows into a lane; `h` is the substep (s).
    pub fn fill_joint(&mut self, lane: usize, place: usize, joint: &SolverJoint, rows: &[JointRow], h: Real) {
        let lanes = &mut self.joints[place];
        let place = &self.program.places[place];
        put(&mut lanes.gap, lane, joint.gap);
        let axes = |m: &Mat3| [m.x_axis, m.y_axis, m.z_axis];
        for side in 0..2 {
            put(&mut lanes.levers[side], lane, joint.levers[side]);
            // A pin asks nothing of the frames.
            if place.single_count > 0 {
                for (rows, axis) in lanes.frames[side].iter_mut().zip(axes(&joint.frames[side])) {
                    put(rows, lane, axis);
                }
            }
        }
        // A blow in the last step says nothing about this one.
        let leaps = self.stiff && self.leap.0[lane] > 0.0;
        let lasts = if self.swept || leaps { 1.0 } else { joint.load.lasting_part() };
        for (lanes, row) in lanes.impulse.iter_mut().zip(&rows[..place.pin()]) {
            lanes.0[lane] = row.last * (lasts * h);
        }
        let sources = &self.program.sources[place.singles()];
        for (lanes, row) in self.rows[place.singles()].iter_mut().zip(sources.iter().map(|&k| &rows[k as usize])) {
            lanes.start.0[lane] = row.start;
            put(&mut lanes.about, lane, joint.frames[0] * row.about);
            lanes.target.0[lane] = row.target;
            lanes.target_high.0[lane] = row.target_high;
            lanes.stiffness.0[lane] = row.stiffness;
            lanes.damping.0[lane] = row.damping;
            lanes.low.0[lane] = -row.force * h;
            lanes.high.0[lane] = row.force * h;
            let lasts = if matches!(row.law, Law::Lock | Law::Range) { lasts } else { 1.0 };
            lanes.impulse.0[lane] = row.last * (lasts * h);
            lanes.before.0[lane] = lanes.impulse.0[lane];
        }
    }

    /// The force that a joint of a lane bore over `time` (s) in substeps of `h`, and `before` that.
    pub fn load(&self, lane: usize, place: usize, before: JointLoad, time: Real, h: Real) -> JointLoad {
        let joint = &self.joints[place];
        JointLoad::after(before, joint.load.0[lane] / time, joint.peak.0[lane] / h)
    }

    /// What a joint of a lane did over `time` (s) in substeps of `h`: the forces of its rows, and all of them together.
    /// `before` is what it bore in the last step.
    pub fn store_joint(
        &self,
        lane: usize,
        place: usize,
        rows: &mut [JointRow],
        before: JointLoad,
        (time, h): (Real, Real),
    ) -> JointOutcome {
        let lanes = &self.joints[place];
        let force = take(&lanes.force, lane) / time;
        let at = &self.program.places[place];
        // Nothing but its pin pulls at a pinned joint.
        // What is swept goes on with the last substep, as nets do.
        let last = if self.swept { take(&lanes.impulse, lane) / h } else { force };
        for (row, force) in rows[..at.pin()].iter_mut().zip(last.to_array()) {
            row.last = force;
        }
        for (lanes, &source) in self.rows[at.singles()].iter().zip(&self.program.sources[at.singles()]) {
            rows[source as usize].last = if self.swept { lanes.impulse.0[lane] / h } else { lanes.sum.0[lane] / time };
        }
        JointOutcome { force, torque: take(&lanes.torque, lane) / time, load: self.load(lane, place, before, time, h) }
    }
}
