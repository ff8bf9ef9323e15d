//! Eight joint groups of equal topology in SIMD lanes.

use super::row::{Coordinate, JointLoad, JointOutcome, JointRow, RowKind, SolverJoint};
use super::symbolic::SymbolicFactor;
use crate::math::{Mat3, Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::simd::{WIDTH, Wide};
use std::ops::Range;

/// One body per lane. Between passes the motion is in the body states; a pass works on this copy.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct BodyLanes {
    pub state: [u32; WIDTH],
    /// Lanes in which impulses change the body's velocity, one bit per lane.
    pub write: u32,
    /// Inverse mass along the world axes; inverse inertia, world axes.
    pub mass: [Wide; 3],
    pub inertia: [Wide; 6],
    /// 1 where the inertia rotates with the body within the step, else 0: see
    /// [`GyroscopicBody`](super::gyroscopic::GyroscopicBody).
    pub gyroscopic: Wide,
    /// Velocity change of half a substep's acceleration (m/s, rad/s), for leapfrog groups: see
    /// [`substep_passes`](super::substep_passes).
    pub half_kick: [[Wide; 3]; 2],
    /// Linear and angular velocity; the values stored beside them in the body state.
    pub velocity: [[Wide; 3]; 2],
    pub spare: [Wide; 2],
    /// Velocity changes by the joints of this batch in this substep. Within a pass the velocities
    /// at its beginning are subtracted.
    pub velocity_change: [[Wide; 3]; 2],
    /// Displacement and rotation vector in this step; the same at the predicted poses, with the
    /// rotation coefficients.
    pub moved: [[Wide; 3]; 2],
    pub predicted: [[Wide; 3]; 2],
    pub rotation_coefficients: [Wide; 2],
    /// Change of the angular velocity by the joints in the last substep, in piles: see
    /// [`impulse_prediction`](super::impulse_prediction).
    pub predicted_spin_change: [Wide; 3],
    /// Velocities at the last linearisation.
    pub linearised_velocity: [[Wide; 3]; 2],
}

impl BodyLanes {
    /// Disables leapfrog for a lane's angular velocity. Used for bodies in contact, whose contact
    /// constraints are solved last.
    pub fn clear_angular_half_kick(&mut self, lane: usize) {
        put(&mut self.half_kick[1], lane, Vec3::ZERO);
    }
}

/// One joint per lane: its data at the start of the step, its Jacobian, and sums over the step.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct JointLanes {
    pub start_arms: [[Wide; 3]; 2],
    pub gap: [Wide; 3],
    /// Axes of the two joint frames.
    pub frames: [[[Wide; 3]; 3]; 2],
    /// Point constraint: arms from both centres of mass to the second anchor; for each world axis
    /// the inverse inertia times the torque of a unit force along it; the anchor offset at the
    /// linearisation; impulse in this substep.
    pub arms: [[Wide; 3]; 2],
    pub angular_response: [[[Wide; 3]; 3]; 2],
    pub point_error: [Wide; 3],
    pub impulse: [Wide; 3],
    /// Sums of the impulses on the second body and of the angular impulses about its anchor.
    pub force: [Wide; 3],
    pub torque: [Wide; 3],
    /// Sum and maximum of the impulse magnitudes.
    pub load: Wide,
    pub peak: Wide,
}

/// One scalar row per lane: any row outside a point constraint.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RowLanes {
    /// Jacobian: `linear` for the velocities, the same for both bodies but in a
    /// [`Coordinate::Pulley`], `angular` for the angular velocities; the first body counts
    /// negatively. Then the inverse inertias times `angular`.
    pub linear: [[Wide; 3]; 2],
    pub angular: [[Wide; 3]; 2],
    pub angular_response: [[Wide; 3]; 2],
    /// Value of the coordinate at the linearisation.
    pub value: Wide,
    pub start: Wide,
    /// Gradient of an angle at the start of the step, world axes; sizes of other coordinates.
    pub gradient: [Wide; 3],
    pub target: Wide,
    pub target_high: Wide,
    pub stiffness: Wide,
    pub damping: Wide,
    /// Minimum and maximum impulse per substep.
    pub low: Wide,
    pub high: Wide,
    /// Impulse in this substep and in the one before.
    pub impulse: Wide,
    pub previous_impulse: Wide,
    /// Sum of the impulses over the step.
    pub impulse_sum: Wide,
    /// Compliance added to the diagonal; impulse of the spring against no resistance; explicit
    /// fraction of the spring, 1 - theta (0 to 1). Of a limit: the compliance of a spring that
    /// shares its matrix row.
    pub softness: Wide,
    pub spring_impulse: Wide,
    pub resolved: Wide,
    /// 1 where the row is active, else 0; 1 where its matrix row, which may be shared, is active,
    /// else 0.
    pub active: Wide,
    pub in_matrix: Wide,
    /// Activity in the factored matrix: see [`assembly`](super::assembly).
    pub factored: Wide,
}

/// Saved inverse inertia of a body while a raised inertia replaces it, and the inertia that was
/// added (kg m²): xx, yy, zz, xy, xz, yz; and the angular velocity of its last implicit solution
/// (rad/s).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct RaisedInertia {
    pub inertia: [Wide; 6],
    pub added: [Wide; 6],
    pub last_spin: [Wide; 3],
}

/// Parameters of the energy guard: see [`energy_guard`](super::energy_guard).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct EnergyGuard {
    /// 1 for lanes that may be guarded, else 0; fraction of the kinetic energy that a substep may
    /// gain, without bound the largest number; 1 for lanes that the current substep solved
    /// implicitly, else 0.
    pub on: Wide,
    pub allowed_gain: Wide,
    pub implicit: Wide,
    /// One in lanes where an implicit solution of this step did not end.
    pub goes_round: Wide,
    /// 1 for lanes with a group attached to an immovable body, else 0; velocity of that body (m/s).
    pub anchored: Wide,
    pub frame_velocity: [Wide; 3],
}

/// Eight groups with the same symbolic factor. An empty lane is all zeros.
#[derive(Clone, Debug)]
pub(crate) struct JointBatch {
    pub factor: u32,
    /// True if its groups are single joints of a component with too much fill.
    pub iterative: bool,
    /// True if the CFM is minimal at any substep length: with `Accuracy::Exact`.
    pub rigid: bool,
    /// True if anchored groups keep raised inertias against oscillations that no substep resolves:
    /// see [`geometric_stiffness`](super::geometric_stiffness).
    pub stabilized: bool,
    /// Group of each lane, or `NONE`.
    pub groups: [u32; WIDTH],
    pub bodies: Range<usize>,
    pub joints: Range<usize>,
    /// Matrix rows; scalar rows.
    pub rows: Range<usize>,
    pub scalar_rows: Range<usize>,
    pub matrix: Range<usize>,
}

/// Mutable view of a batch's storage.
pub(crate) struct BatchView<'a> {
    pub factor: &'a SymbolicFactor,
    /// See [`JointBatch::iterative`] and [`JointBatch::rigid`].
    pub iterative: bool,
    pub rigid: bool,
    pub bodies: &'a mut [BodyLanes],
    pub joints: &'a mut [JointLanes],
    pub rows: &'a mut [RowLanes],
    pub matrix: &'a mut [Wide],
    /// By row: the residual, then the change of the impulse.
    pub changes: &'a mut [Wide],
    /// See [`JointBatch::stabilized`].
    pub stabilized: bool,
    /// By body if the batch is not iterative, else empty: see
    /// [`geometric_stiffness`](super::geometric_stiffness).
    pub raised: &'a mut [RaisedInertia],
    /// 1 for leapfrog lanes, else 0: see [`substep_passes`](super::substep_passes).
    pub leapfrog: &'a mut Wide,
    /// 1 for lanes with leapfrog for angular velocities, else 0.
    pub leapfrog_angular: &'a mut Wide,
    /// 1 for lanes where the last prediction by impulses was good, else 0: see
    /// [`impulse_prediction`](super::impulse_prediction).
    pub prediction_valid: &'a mut Wide,
    /// 1 for lanes that the current solve changes, else 0.
    pub active_lanes: &'a mut Wide,
    /// The factored matrix by lane: 0 none since the joints were linearised, 1 without springs, 2 with
    /// them.
    pub factored_lanes: &'a mut Wide,
    /// Fraction of the position error that a substep corrects (ERP).
    pub erp: &'a mut Wide,
    pub energy_guard: &'a mut EnergyGuard,
}

/// Writes a vector to a lane.
pub(super) fn put(rows: &mut [Wide; 3], lane: usize, v: Vec3) {
    for (row, x) in rows.iter_mut().zip(v.to_array()) {
        row.0[lane] = x;
    }
}

/// Reads the vector of a lane.
pub(super) fn take(rows: &[Wide; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0].0[lane], rows[1].0[lane], rows[2].0[lane])
}

impl BatchView<'_> {
    /// Resets the sums of the step; unless all lanes are `full`, also everything that an empty lane
    /// would read.
    pub fn clear(&mut self, full: bool) {
        for body in self.bodies.iter_mut() {
            if full {
                (body.write, body.half_kick, body.velocity_change, body.gyroscopic) = Default::default();
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
                (row.impulse_sum, row.softness, row.spring_impulse, row.resolved) = Default::default();
            } else {
                *row = RowLanes::default();
            }
        }
    }

    /// Writes a body to a lane; `h` is the substep (s).
    pub fn fill_body(&mut self, lane: usize, index: usize, state: u32, body: &SolverBody, h: Real) {
        let lanes = &mut self.bodies[index];
        lanes.state[lane] = state;
        lanes.write |= u32::from(body.movable()) << lane;
        put(&mut lanes.mass, lane, body.free_axes() * body.inverse_mass);
        for (row, x) in lanes.inertia.iter_mut().zip(body.inverse_inertia) {
            row.0[lane] = x;
        }
        if body.movable() {
            put(&mut lanes.half_kick[0], lane, body.linear_acceleration * (0.5 * h));
            put(&mut lanes.half_kick[1], lane, body.angular_acceleration * (0.5 * h));
        }
    }

    /// Writes a joint and its rows to a lane; `h` is the substep (s).
    pub fn fill_joint(&mut self, lane: usize, index: usize, joint: &SolverJoint, rows: &[JointRow], h: Real) {
        let lanes = &mut self.joints[index];
        let block = &self.factor.blocks[index];
        put(&mut lanes.gap, lane, joint.gap);
        let axes = |m: &Mat3| [m.x_axis, m.y_axis, m.z_axis];
        for side in 0..2 {
            put(&mut lanes.start_arms[side], lane, joint.arms[side]);
            // Point constraints do not read the frames.
            if block.scalar_count > 0 {
                for (rows, axis) in lanes.frames[side].iter_mut().zip(axes(&joint.frames[side])) {
                    put(rows, lane, axis);
                }
            }
        }
        // The impact part of the last load is no prediction for this step.
        let contact_free = self.rigid && self.leapfrog.0[lane] > 0.0;
        let fraction = if self.iterative || contact_free { 1.0 } else { joint.load.sustained_fraction() };
        for (lanes, row) in lanes.impulse.iter_mut().zip(&rows[..block.point_rows()]) {
            lanes.0[lane] = row.last * (fraction * h);
        }
        let sources = &self.factor.sources[block.scalar_rows()];
        for (lanes, row) in self.rows[block.scalar_rows()].iter_mut().zip(sources.iter().map(|&k| &rows[k as usize])) {
            lanes.start.0[lane] = row.start;
            let is_angle = matches!(row.coordinate, Coordinate::Turn(_));
            let gradient = if is_angle { joint.frames[0] * row.gradient } else { row.gradient };
            put(&mut lanes.gradient, lane, gradient);
            lanes.target.0[lane] = row.target;
            lanes.target_high.0[lane] = row.target_high;
            lanes.stiffness.0[lane] = row.stiffness;
            lanes.damping.0[lane] = row.damping;
            lanes.low.0[lane] = -row.force * h;
            lanes.high.0[lane] = row.force * h;
            let fraction = if matches!(row.kind, RowKind::Equality | RowKind::Limit) { fraction } else { 1.0 };
            lanes.impulse.0[lane] = row.last * (fraction * h);
            lanes.previous_impulse.0[lane] = lanes.impulse.0[lane];
        }
    }

    /// Load of a lane's joint after `time` (s) in substeps of `h`, from the load `last`.
    pub fn load(&self, lane: usize, index: usize, last: JointLoad, time: Real, h: Real) -> JointLoad {
        let joint = &self.joints[index];
        JointLoad::after(last, joint.load.0[lane] / time, joint.peak.0[lane] / h)
    }

    /// Writes the row forces of a lane's joint over `time` (s) in substeps of `h`; returns its
    /// outcome. `last_load` is its load in the last step.
    pub fn store_joint(
        &self,
        lane: usize,
        index: usize,
        rows: &mut [JointRow],
        last_load: JointLoad,
        (time, h): (Real, Real),
    ) -> JointOutcome {
        let lanes = &self.joints[index];
        let force = take(&lanes.force, lane) / time;
        let block = &self.factor.blocks[index];
        // Iterative joints continue with the impulse of the last substep, others with the mean.
        let last = if self.iterative { take(&lanes.impulse, lane) / h } else { force };
        for (row, force) in rows[..block.point_rows()].iter_mut().zip(last.to_array()) {
            row.last = force;
        }
        for (lanes, &source) in self.rows[block.scalar_rows()].iter().zip(&self.factor.sources[block.scalar_rows()]) {
            rows[source as usize].last =
                if self.iterative { lanes.impulse.0[lane] / h } else { lanes.impulse_sum.0[lane] / time };
        }
        JointOutcome {
            force,
            torque: take(&lanes.torque, lane) / time,
            load: self.load(lane, index, last_load, time, h),
        }
    }
}
