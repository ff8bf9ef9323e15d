//! What the caller says about each joint of a step, and gets back.

use crate::math::{Mat3, Real, Vec3};
use crate::tolerances::JOINT_LASTING;

/// A number that says how far a joint is from where it should be. `k` is an axis, 0 to 2, of the first body's joint frame
/// unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coordinate {
    /// The gap between the anchors along axis k of the world (m).
    Point(u8),
    /// The gap along axis k (m).
    Along(u8),
    /// The distance of the anchors (m).
    Distance,
    /// The rotation of the frames against each other about axis k of the world, small (rad).
    Weld(u8),
    /// How far axis `free` of the two frames leans about axis k, small (rad).
    Align {
        /// The axis of the two frames that is to be the same.
        free: u8,
        /// The axis about which it leans.
        k: u8,
    },
    /// How far axis k+1 of the first and k+2 of the second frame are from a right angle, small (rad): a universal joint.
    Cardan(u8),
    /// Angle k of those that the joint leaves free (rad), from the value that the row gives for the start of the step; it changes with
    /// rotation about the axis that the row gives.
    Turn(u8),
}

impl Coordinate {
    /// Whether it is a length, else an angle.
    pub fn is_linear(self) -> bool {
        matches!(self, Self::Point(_) | Self::Along(_) | Self::Distance)
    }
}

/// What is asked of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// It equals `target`.
    Lock,
    /// It lies between `target` and `target_high`.
    Range,
    /// It changes at the rate `target` (m/s or rad/s), as far as `force` allows.
    Drive,
    /// A spring of `stiffness` and `damping` in SI units pulls it to `target`, with at most `force`.
    Spring,
    /// As `Spring`, with both for each unit of the mass that it moves: the square of the angular frequency (1/s²), and
    /// twice the damping ratio times the angular frequency (1/s).
    Tuned,
}

/// One row of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRow {
    /// What it is about.
    pub coordinate: Coordinate,
    /// What is asked.
    pub law: Law,
    /// The value of a [`Coordinate::Turn`] at the start of the step (rad).
    pub start: Real,
    /// Its gradient there, in the axes of the first body's joint frame: the angle changes by the product of this with the rotation of the
    /// second frame against the first. Where an angle is about an axis of that frame, this axis.
    pub about: Vec3,
    /// The value or rate to reach, or the least value.
    pub target: Real,
    /// The greatest value of a [`Law::Range`].
    pub target_high: Real,
    /// The most force or torque (N, N m) of a drive or spring; may be infinite.
    pub force: Real,
    /// See [`Law::Spring`].
    pub stiffness: Real,
    /// See [`Law::Spring`].
    pub damping: Real,
    /// The force or torque that it had last (N, N m): read where there are bounds, and written.
    pub last: Real,
}

impl JointRow {
    /// A coordinate that is kept at a value.
    pub fn lock(coordinate: Coordinate, target: Real) -> Self {
        Self {
            coordinate,
            law: Law::Lock,
            start: 0.0,
            about: if let Coordinate::Turn(k) = coordinate { Vec3::AXES[k as usize] } else { Vec3::ZERO },
            target,
            target_high: target,
            force: Real::INFINITY,
            stiffness: 0.0,
            damping: 0.0,
            last: 0.0,
        }
    }
}

/// One joint of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverJoint {
    /// The two bodies. What cannot be moved may be shared by any number of joints.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// The island that its movable bodies belong to.
    pub island: u32,
    /// Its rows: a range of the step's rows.
    pub rows: [u32; 2],
    /// From the centre of mass of each body to its anchor, world axes (m).
    pub levers: [Vec3; 2],
    /// From the first anchor to the second (m).
    pub gap: Vec3,
    /// How far apart a rod or rope holds the anchors, 0 where they are brought together (m): see [`SolverJoint::span_of`].
    pub span: Real,
    /// The joint frames of both bodies in world axes: columns are the axes. Where all rows are [`Coordinate::Point`]s nobody asks.
    pub frames: [Mat3; 2],
    /// The force that it last bore: a taut joint asks for short substeps.
    pub load: JointLoad,
}

impl SolverJoint {
    /// What the rows of a joint with this gap make of its span.
    pub fn span_of(rows: &[JointRow], gap: Vec3) -> Real {
        if rows.iter().any(|row| row.coordinate == Coordinate::Distance) { gap.length() } else { 0.0 }
    }

    /// The range of its rows.
    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// The magnitude of a joint's force over the substeps of a step (N).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointLoad {
    /// Its mean: what a blow that is over in a substep hardly changes.
    pub mean: Real,
    /// What it goes on to bear: follows the mean downwards at once, upwards by [`JOINT_LASTING`] of the way in each step.
    pub lasting: Real,
    /// The greatest.
    pub peak: Real,
}

impl JointLoad {
    /// What it bore in a step, after `before`.
    pub fn after(before: Self, mean: Real, peak: Real) -> Self {
        let lasting = mean.min(before.lasting + (mean - before.lasting) * JOINT_LASTING);
        Self { mean, lasting, peak }
    }

    /// The part of the mean that it goes on to bear (0 to 1).
    pub(super) fn lasting_part(&self) -> Real {
        if self.mean > self.lasting { self.lasting / self.mean } else { Real::from(u8::from(self.mean > 0.0)) }
    }
}

/// What a joint did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointOutcome {
    /// Mean force on the second body at its anchor, world axes (N).
    pub force: Vec3,
    /// Mean torque on the second body beside it, world axes (N m).
    pub torque: Vec3,
    /// The force that it bore, whichever way it pointed.
    pub load: JointLoad,
}
