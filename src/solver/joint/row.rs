//! Input and output of the joint solver: joints, their rows, their loads.

use crate::math::{Mat3, Real, Vec3};
use crate::tolerances::JOINTS;

/// Scalar constraint coordinate of a joint. `k` is an axis, 0 to 2, of the first body's joint frame
/// unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coordinate {
    /// Offset of the second anchor from the first along world axis k (m).
    Point(u8),
    /// Offset of the second anchor from the first along axis k (m).
    Along(u8),
    /// Distance of the anchors (m).
    Distance,
    /// Relative rotation of the frames about world axis k, for small angles (rad): half the sum of
    /// the cross products of equal axes.
    Weld(u8),
    /// Tilt of axis `free` of the two frames against each other about axis k, for small angles
    /// (rad).
    Align {
        /// Axis of both frames that shall coincide.
        free: u8,
        /// Axis of the tilt.
        k: u8,
    },
    /// Deviation from a right angle between axis k+1 of the first and k+2 of the second frame, for
    /// small angles (rad): a universal joint.
    Cardan(u8),
    /// Swing of the second x axis in an elliptic cone about the first, scaled by the row's
    /// `gradient`: for a circular cone twice the sine of half the angle between them (rad).
    Cone,
    /// Slip of the teeth of two gears about the frames' x axes (m), with the first one's pitch radius
    /// as the x component of the row's `gradient`; measured from the start of the step.
    Gear,
    /// Slip of the teeth of a rack along the second x axis, on a pinion about the first (m); as
    /// [`Coordinate::Gear`].
    Rack,
    /// Rope between a drum about the first x axis and the second anchor: what is free and what is
    /// wound up (m), measured from the row's value at the start of the step; the drum's radius is
    /// kept as that of [`Coordinate::Gear`].
    Winch,
    /// Length of the first part of a rope over two fixed points, and with the ratio as its weight, the x
    /// component of the row's `gradient`, that of the second (m). The only row of its joint.
    Pulley,
    /// Free angle k (rad), measured from the row's value at the start of the step. It changes with
    /// rotation about the row's axis.
    Turn(u8),
}

impl Coordinate {
    /// True for the length of a line between the anchors: a rod, a rope.
    pub(super) fn is_line(self) -> bool {
        matches!(self, Self::Distance | Self::Winch)
    }

    /// True if the coordinate is a length; otherwise it is an angle.
    pub fn is_linear(self) -> bool {
        !matches!(self, Self::Weld(_) | Self::Align { .. } | Self::Cardan(_) | Self::Cone | Self::Turn(_))
    }
}

/// Constraint type of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// The coordinate equals `target`.
    Equality,
    /// The coordinate lies between `target` and `target_high`.
    Limit,
    /// The coordinate changes at the rate `target` (m/s or rad/s), within the limit `force`.
    Motor,
    /// Spring of `stiffness` and `damping` in SI units towards `target`, within the limit `force`.
    Spring,
    /// As `Spring`, with both coefficients per unit of effective mass: `stiffness` is the square of
    /// the angular frequency (1/s²), `damping` is twice the damping ratio times the angular
    /// frequency (1/s).
    AccelerationSpring,
}

impl RowKind {
    /// True if the row may do work.
    pub(in crate::solver) fn is_drive(self) -> bool {
        self == Self::Motor || self.is_spring()
    }

    /// True if the row is a spring.
    pub(super) fn is_spring(self) -> bool {
        matches!(self, Self::Spring | Self::AccelerationSpring)
    }
}

/// One row of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRow {
    /// Constrained coordinate.
    pub coordinate: Coordinate,
    /// Constraint type.
    pub kind: RowKind,
    /// Value of a [`Coordinate::Turn`] (rad) or a [`Coordinate::Winch`] (m) at the start of the step.
    pub start: Real,
    /// Gradient of the angle at the start of the step, in the axes of the first body's joint frame:
    /// the rate of the angle is its product with the relative angular velocity. For an angle about
    /// a frame axis it is that axis. [`Coordinate::Cone`], [`Coordinate::Gear`],
    /// [`Coordinate::Rack`], [`Coordinate::Winch`] and [`Coordinate::Pulley`] keep their sizes here.
    pub gradient: Vec3,
    /// Target value or rate; lower end of a limit.
    pub target: Real,
    /// Upper end of a [`RowKind::Limit`].
    pub target_high: Real,
    /// Maximum force or torque (N, N m) of a motor or spring; may be infinite.
    pub force: Real,
    /// See [`RowKind::Spring`].
    pub stiffness: Real,
    /// See [`RowKind::Spring`].
    pub damping: Real,
    /// Force or torque of the last step (N, N m): read as the initial guess of bounded rows, and
    /// written.
    pub last: Real,
}

impl JointRow {
    /// Equality row.
    pub fn lock(coordinate: Coordinate, target: Real) -> Self {
        Self {
            coordinate,
            kind: RowKind::Equality,
            start: 0.0,
            gradient: if let Coordinate::Turn(k) = coordinate { Vec3::AXES[k as usize] } else { Vec3::ZERO },
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
    /// First body. An immovable body may be shared by any number of joints.
    pub a: u32,
    /// Second body.
    pub b: u32,
    /// Island of its movable bodies.
    pub island: u32,
    /// Range of its rows among those of the step.
    pub rows: [u32; 2],
    /// Arms from the centres of mass to the anchors, world axes (m).
    pub arms: [Vec3; 2],
    /// Vector from the first anchor to the second (m).
    pub gap: Vec3,
    /// Length of a rod or rope, 0 for joints with coincident anchors (m): see
    /// [`SolverJoint::span_of`].
    pub span: Real,
    /// Joint frames of both bodies in world axes, one axis per column. Not read if all rows are
    /// [`Coordinate::Point`]s. Of a [`Coordinate::Pulley`] the x axes are the parts of its rope, each from
    /// its fixed point to the anchor (m).
    pub frames: [Mat3; 2],
    /// Load of the last step: a taut joint needs short substeps.
    pub load: JointLoad,
}

impl SolverJoint {
    /// Span of a joint with these rows, this anchor offset, and these parts of a pulley's rope.
    pub fn span_of(rows: &[JointRow], gap: Vec3, parts: [Vec3; 2]) -> Real {
        match rows {
            // The load is that of the second part, and the first bears its ratio's share.
            [JointRow { coordinate: Coordinate::Pulley, gradient, .. }] => {
                (parts[0].length() * gradient.x).min(parts[1].length())
            }
            _ if rows.iter().any(|row| row.coordinate.is_line()) => gap.length(),
            _ => 0.0,
        }
    }

    /// Range of its rows.
    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.rows[0] as usize..self.rows[1] as usize
    }
}

/// Force magnitude of a joint over the substeps of a step (N).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointLoad {
    /// Mean over the step. An impact of one substep hardly changes it.
    pub mean: Real,
    /// Sustained load: follows the mean downwards at once, upwards by the fraction
    /// `JOINTS.sustained_load_filter` per step.
    pub sustained: Real,
    /// Maximum over the substeps.
    pub peak: Real,
}

impl JointLoad {
    /// Load after a step, from the load `before`.
    pub fn after(before: Self, mean: Real, peak: Real) -> Self {
        let sustained = mean.min(before.sustained + (mean - before.sustained) * JOINTS.sustained_load_filter);
        Self { mean, sustained, peak }
    }

    /// Sustained fraction of the mean load (0 to 1).
    pub(super) fn sustained_fraction(&self) -> Real {
        if self.mean > self.sustained { self.sustained / self.mean } else { Real::from(u8::from(self.mean > 0.0)) }
    }
}

/// Result of a step for one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointOutcome {
    /// Mean force on the second body at its anchor, world axes (N).
    pub force: Vec3,
    /// Mean torque on the second body in addition, world axes (N m).
    pub torque: Vec3,
    /// Force magnitude, independent of its direction.
    pub load: JointLoad,
}
