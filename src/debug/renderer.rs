//! What a game draws with.

use crate::math::{Real, Vec3};
use std::fmt;

/// Red, green, blue and opacity, each from 0 to 1.
pub type Colour = [f32; 4];

/// Draws lines into the game. All points are in the world (m).
pub trait Renderer {
    /// A line from `a` to `b`.
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour);

    /// A triangle of a mesh or a height field, or the tip of an arrow. The default draws its sides.
    fn triangle(&mut self, corners: [Vec3; 3], colour: Colour) {
        let [a, b, c] = corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            self.line(from, to, colour);
        }
    }

    /// A point with a size (m). The default draws a cross of three lines of this length.
    fn point(&mut self, at: Vec3, size: Real, colour: Colour) {
        for axis in Vec3::AXES {
            let arm = axis * (0.5 * size);
            self.line(at - arm, at + arm, colour);
        }
    }

    /// A short text at a point. The default draws nothing.
    fn text(&mut self, _at: Vec3, _text: fmt::Arguments<'_>, _colour: Colour) {}
}
