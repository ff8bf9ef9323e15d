//! Lines in the axes of a body, in one colour.

use super::renderer::{Colour, Renderer};
use super::style::Style;
use crate::math::{Pose, Quat, Real, Vec3, consts::TAU, orthonormal_basis, real};
use std::fmt;

/// Part of an arrow that is its tip, and the tip's half width over its length.
const TIP: (Real, Real) = (0.2, 0.3);

/// A renderer with a colour, and with the axes in which points are given.
pub(super) struct Pen<'a> {
    to: &'a mut dyn Renderer,
    pub style: &'a Style,
    colour: Colour,
    pose: Pose,
}

impl<'a> Pen<'a> {
    /// A pen in the axes of the world.
    pub fn new(to: &'a mut dyn Renderer, style: &'a Style) -> Self {
        Self { to, style, colour: style.dynamic, pose: Pose::IDENTITY }
    }

    pub fn set_colour(&mut self, colour: Colour) {
        self.colour = colour;
    }

    /// The same pen in other axes, which are at a pose in its own.
    pub fn at(&mut self, pose: Pose) -> Pen<'_> {
        Pen { to: &mut *self.to, style: self.style, colour: self.colour, pose: self.pose * pose }
    }

    pub fn line(&mut self, a: Vec3, b: Vec3) {
        self.to.line(self.pose * a, self.pose * b, self.colour);
    }

    pub fn triangle(&mut self, corners: [Vec3; 3]) {
        self.to.triangle(corners.map(|corner| self.pose * corner), self.colour);
    }

    pub fn point(&mut self, at: Vec3) {
        self.to.point(self.pose * at, self.style.point, self.colour);
    }

    pub fn text(&mut self, at: Vec3, text: fmt::Arguments<'_>) {
        self.to.text(self.pose * at, text, self.colour);
    }

    /// A line from a point along a vector, with a tip.
    pub fn arrow(&mut self, from: Vec3, along: Vec3) {
        let Some(direction) = along.try_normalize() else { return };
        let (end, back) = (from + along, along * TIP.0);
        self.line(from, end);
        let width = back.length() * TIP.1;
        for side in <[Vec3; 2]>::from(orthonormal_basis(direction)) {
            self.triangle([end, end - back + side * width, end - back - side * width]);
        }
    }

    /// The axes of an orientation at a point.
    pub fn axes(&mut self, at: Vec3, orientation: Quat) {
        let own = self.colour;
        for (axis, colour) in Vec3::AXES.into_iter().zip(self.style.axes) {
            self.colour = colour;
            self.line(at, at + orientation * axis * self.style.frame);
        }
        self.colour = own;
    }

    /// An arc about a centre between the ends of two vectors of one length, less than half a turn
    /// apart.
    pub fn arc(&mut self, centre: Vec3, from: Vec3, to: Vec3) {
        let angle = real::atan2(from.cross(to).length(), from.dot(to));
        let pieces = self.pieces(angle);
        let mut last = from;
        for k in 1..pieces {
            let part = k as Real / pieces as Real;
            let next = from * real::sin((1.0 - part) * angle) + to * real::sin(part * angle);
            let next = next / real::sin(angle);
            self.line(centre + last, centre + next);
            last = next;
        }
        self.line(centre + last, centre + to);
    }

    /// The ellipse of points `centre + x cos t + y sin t`, from one `t` to another (rad).
    pub fn sweep(&mut self, centre: Vec3, [x, y]: [Vec3; 2], [from, to]: [Real; 2]) {
        let pieces = self.pieces(to - from);
        let at = |k: u32| {
            let angle = from + (to - from) * (k as Real / pieces as Real);
            centre + x * real::cos(angle) + y * real::sin(angle)
        };
        for k in 0..pieces {
            self.line(at(k), at(k + 1));
        }
    }

    pub fn circle(&mut self, centre: Vec3, axes: [Vec3; 2]) {
        self.sweep(centre, axes, [0.0, TAU]);
    }

    /// The number of lines of an arc (rad).
    fn pieces(&self, angle: Real) -> u32 {
        let full = self.style.segments.max(3) as Real;
        ((angle.abs() / TAU * full).ceil() as u32).max(1)
    }
}
