//! Joints: frames, axes, limits and loads.

use super::pen::Pen;
use super::show::Show;
use crate::components::{Joint, JointAxis, JointFreedom, JointKind, SwingTwist};
use crate::ids::NONE;
use crate::joint::{JointCoordinates, Rope, universal_axis};
use crate::math::{Pose, Quat, Real, Vec3, consts::TAU, from_f64, orthonormal_basis, real, to_f64};
use crate::state::State;

/// Turns of a spring, and its radius over the length of axes.
const COIL: (u32, Real) = (8, 0.25);
/// Half the length of a crossbar over that of axes.
const BAR: Real = 0.25;
/// Edges of a cone's rim.
const RIM: u32 = 32;

/// Draws all joints, in the order of slots.
pub(super) fn draw(pen: &mut Pen, state: &State, show: Show) {
    if !(show.joints || show.limits || show.loads) {
        return;
    }
    for (slot, joint) in state.joints.specs.iter().enumerate() {
        let Some(joint) = joint else { continue };
        let view = View::new(state, slot, joint);
        if show.joints {
            view.links(pen, state, slot);
            view.freedoms(pen, joint);
        }
        if view.holds && show.limits {
            pen.set_colour(pen.style.limit);
            view.limits(pen, joint);
        }
        if view.holds && show.loads {
            view.load(pen, state, slot);
        }
    }
}

/// A joint in the world.
struct View {
    anchors: [Vec3; 2],
    frames: [Quat; 2],
    now: JointCoordinates,
    holds: bool,
}

impl View {
    fn new(state: &State, slot: usize, joint: &Joint) -> Self {
        let pose = |body: u32| if body == NONE { Pose::IDENTITY } else { state.bodies.pose(body as usize) };
        let poses = state.joints.bodies[slot].map(pose);
        let anchors = [0, 1].map(|k| poses[k] * joint.frames[k].anchor);
        let frames = [0, 1].map(|k| poses[k].rotation * state.joints.frames[slot][k]);
        let now = JointCoordinates::new(&joint.kind, anchors[1] - anchors[0], frames, state.joints.angle[slot]);
        Self { anchors, frames, now, holds: state.joints.holds(slot) }
    }

    /// Lines from the centres of mass to the anchors, and the frames there.
    fn links(&self, pen: &mut Pen, state: &State, slot: usize) {
        pen.set_colour(if self.holds { pen.style.joint } else { pen.style.broken });
        for (k, &body) in state.joints.bodies[slot].iter().enumerate() {
            if body != NONE {
                pen.line(state.bodies.center[body as usize], self.anchors[k]);
            }
            pen.axes(self.anchors[k], self.frames[k]);
        }
    }

    /// What the joint moves along or about.
    fn freedoms(&self, pen: &mut Pen, joint: &Joint) {
        match &joint.kind {
            JointKind::Fixed | JointKind::Spherical { .. } | JointKind::SwingTwist(_) => {}
            JointKind::Gear { .. } => {
                for (anchor, frame) in self.anchors.into_iter().zip(self.frames) {
                    self.axis(pen, anchor, frame * Vec3::X);
                }
                pen.line(self.anchors[0], self.anchors[1]);
            }
            JointKind::RackAndPinion { radius } => {
                self.axis(pen, self.anchors[0], self.frames[0] * Vec3::X);
                let along = self.frames[1] * Vec3::X;
                let foot = along.cross(self.frames[0] * Vec3::X) * *radius;
                pen.line(self.anchors[0], self.anchors[0] + foot);
                self.axis(pen, self.anchors[1], along);
            }
            JointKind::Winch { radius, .. } => {
                let axis = self.frames[0] * Vec3::X;
                self.axis(pen, self.anchors[0], axis);
                let gap = to_f64(self.anchors[1] - self.anchors[0]);
                let rope = Rope::new(gap, to_f64(axis).normalize(), f64::from(*radius));
                let tangent_point = self.anchors[0] + from_f64(rope.tangent_point);
                pen.line(self.anchors[0], tangent_point);
                pen.line(tangent_point, self.anchors[1]);
            }
            JointKind::Pulley { points, .. } => {
                pen.line(self.anchors[0], points[0]);
                pen.line(points[0], points[1]);
                pen.line(points[1], self.anchors[1]);
            }
            JointKind::Revolute(_) => self.axis(pen, self.anchors[0], self.frames[0] * Vec3::X),
            JointKind::Prismatic(_) => self.axis(pen, self.anchors[1], self.frames[0] * Vec3::X),
            JointKind::Distance { .. } => pen.line(self.anchors[0], self.anchors[1]),
            JointKind::Spring { .. } => self.coil(pen),
            JointKind::Generic(axes) => {
                for k in (0..6).filter(|&k| axes[k] != JointFreedom::Locked) {
                    let at = self.anchors[usize::from(k < 3)];
                    self.axis(pen, at, self.base(joint, k) * Vec3::AXES[k % 3]);
                }
            }
        }
    }

    /// A line through a point in both directions.
    fn axis(&self, pen: &mut Pen, at: Vec3, along: Vec3) {
        let arm = along * pen.style.frame;
        pen.line(at - arm, at + arm);
    }

    /// A zigzag between the anchors.
    fn coil(&self, pen: &mut Pen) {
        let gap = self.anchors[1] - self.anchors[0];
        let side = orthonormal_basis(self.along()).0 * (pen.style.frame * COIL.1);
        let mut last = self.anchors[0];
        for k in 0..COIL.0 {
            let turn = if k % 2 == 0 { side } else { -side };
            let next = self.anchors[0] + gap * ((k as Real + 0.5) / COIL.0 as Real) + turn;
            pen.line(last, next);
            last = next;
        }
        pen.line(last, self.anchors[1]);
    }

    fn limits(&self, pen: &mut Pen, joint: &Joint) {
        match &joint.kind {
            JointKind::Fixed
            | JointKind::Spherical { .. }
            | JointKind::Gear { .. }
            | JointKind::RackAndPinion { .. }
            | JointKind::Winch { .. }
            | JointKind::Pulley { .. } => {}
            JointKind::SwingTwist(swing) => {
                self.cone(pen, swing);
                self.dial(pen, joint, 0, &swing.twist);
            }
            JointKind::Revolute(axis) => self.dial(pen, joint, 0, axis),
            JointKind::Prismatic(axis) => self.rail(pen, 0, axis),
            JointKind::Distance { least, greatest } => {
                for length in [*least, *greatest] {
                    self.bar(pen, self.anchors[0], self.along(), length);
                }
            }
            JointKind::Spring { length, .. } => self.bar(pen, self.anchors[0], self.along(), *length),
            JointKind::Generic(axes) => {
                for (k, freedom) in axes.iter().enumerate() {
                    match freedom {
                        JointFreedom::Free(axis) if k < 3 => self.rail(pen, k, axis),
                        JointFreedom::Free(axis) => self.dial(pen, joint, k - 3, axis),
                        JointFreedom::Locked => {}
                    }
                }
            }
        }
    }

    /// An arc from the least angle to the greatest with stops at both, and a needle at the present
    /// one. It shows at most a full turn.
    fn dial(&self, pen: &mut Pen, joint: &Joint, k: usize, axis: &JointAxis) {
        let Some(limits) = axis.limits else { return };
        let (base, radius) = (self.base(joint, 3 + k), pen.style.frame);
        let arms = [1, 2].map(|n| base * Vec3::AXES[(k + n) % 3] * radius);
        let toward = |angle: Real| Quat::from_axis_angle(base * Vec3::AXES[k], angle) * arms[0];
        let at = self.anchors[0];
        for angle in limits.into_iter().filter(|angle| angle.is_finite()) {
            pen.line(at, at + toward(angle));
        }
        pen.line(at, at + toward(self.now.angle[k]));
        let [least, greatest] = limits;
        if least.is_finite() && greatest.is_finite() {
            pen.sweep(at, arms, [least, greatest.min(least + TAU)]);
        }
    }

    /// The rim of an elliptic cone with four of its rulings, and the present x axis.
    fn cone(&self, pen: &mut Pen, swing: &SwingTwist) {
        let (at, radius) = (self.anchors[0], pen.style.frame);
        pen.line(at, at + self.frames[1] * Vec3::X * radius);
        if !swing.bounds_swing() {
            return;
        }
        // The sines of half the swings about y and z.
        let sines = swing.cone.map(|half| real::sin(0.5 * half));
        let rim = |k: u32| {
            let angle = TAU * k as Real / RIM as Real;
            let half = Vec3::new(0.0, sines[0] * real::cos(angle), sines[1] * real::sin(angle));
            let turn = Quat::from_xyzw(0.0, half.y, half.z, (1.0 - half.length_squared()).max(0.0).sqrt());
            at + self.frames[0] * (turn * Vec3::X) * radius
        };
        for k in 0..RIM {
            pen.line(rim(k), rim(k + 1));
            if k % (RIM / 4) == 0 {
                pen.line(at, rim(k));
            }
        }
    }

    /// A line from the least position to the greatest with stops at both.
    fn rail(&self, pen: &mut Pen, k: usize, axis: &JointAxis) {
        let Some(limits) = axis.limits else { return };
        let along = self.frames[0] * Vec3::AXES[k];
        let zero = self.anchors[1] - along * self.now.position[k];
        for position in limits {
            self.bar(pen, zero, along, position);
        }
        if limits.iter().all(|position| position.is_finite()) {
            pen.line(zero + along * limits[0], zero + along * limits[1]);
        }
    }

    /// A crossbar at a distance along a line.
    fn bar(&self, pen: &mut Pen, from: Vec3, along: Vec3, distance: Real) {
        if distance.is_finite() {
            let (at, arm) = (from + along * distance, orthonormal_basis(along).0 * (pen.style.frame * BAR));
            pen.line(at - arm, at + arm);
        }
    }

    /// Force and torque on the second body, with impacts.
    fn load(&self, pen: &mut Pen, state: &State, slot: usize) {
        let [force, torque] = state.joints.load(slot, &state.joints.outcome[slot]);
        let at = self.anchors[1];
        if force != Vec3::ZERO {
            pen.set_colour(pen.style.force);
            pen.arrow(at, force * pen.style.force_scale);
            pen.text(at + force * pen.style.force_scale, format_args!("{:.1} N", force.length()));
        }
        if torque != Vec3::ZERO {
            pen.set_colour(pen.style.torque);
            pen.arrow(at, torque * pen.style.torque_scale);
            pen.text(at + torque * pen.style.torque_scale, format_args!("{:.1} N m", torque.length()));
        }
    }

    /// From the first anchor to the second.
    fn along(&self) -> Vec3 {
        (self.anchors[1] - self.anchors[0]).try_normalize().unwrap_or(self.frames[0] * Vec3::X)
    }

    /// The axes in which axis `k` of a generic joint lies: of a universal joint the second one turns
    /// with the first.
    fn base(&self, joint: &Joint, k: usize) -> Quat {
        match universal_axis(&joint.kind) {
            Some(locked) if k == 3 + (locked + 2) % 3 => {
                let first = (locked + 1) % 3;
                self.frames[0] * Quat::from_axis_angle(Vec3::AXES[first], self.now.angle[first])
            }
            _ => self.frames[0],
        }
    }
}
