//! The lines of debug drawing over the picture.

use crate::camera::Camera;
use crate::layout::Layout;
use dolmen::debug::{self, Colour, Renderer, Show, Style};
use dolmen::glam::{Mat4, Vec3, Vec4};
use dolmen::prelude::*;
use std::fmt;

/// Where a line may begin before the eye, in the depths of the projection.
const NEAR: f32 = 1e-3;

/// Length of the greatest force, in distances of the camera.
const LONGEST: f32 = 0.12;

/// Draws what is shown of a world, by functions for lines and texts on the screen in pixels.
pub fn draw(
    physics: &Physics,
    show: Show,
    (camera, layout): (&Camera, &Layout),
    line: impl FnMut([[f32; 2]; 2], Colour),
    text: impl FnMut([f32; 2], &str, Colour),
) {
    let view = camera.matrix(layout.width / layout.height);
    let style = Style { force_scale: force_scale(physics, camera.distance), ..Style::default() };
    debug::draw(physics, &mut Screen { view, layout, line, text }, show, &style);
}

/// Length of a newton (m): the greatest force between two bodies is as long as a part of the view.
fn force_scale(physics: &Physics, distance: Real) -> Real {
    let greatest = physics.contacts().fold(0.0, |most: Real, contact| most.max(contact.force.length()));
    if greatest > 0.0 { LONGEST * distance / greatest } else { Style::default().force_scale }
}

struct Screen<'a, L, T> {
    view: Mat4,
    layout: &'a Layout,
    line: L,
    text: T,
}

impl<L, T> Screen<'_, L, T> {
    fn pixels(&self, place: Vec4) -> [f32; 2] {
        self.layout.on_screen([place.x / place.w, place.y / place.w])
    }
}

impl<L: FnMut([[f32; 2]; 2], Colour), T: FnMut([f32; 2], &str, Colour)> Renderer for Screen<'_, L, T> {
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour) {
        let Some(ends) = before_eye([a, b].map(|point| self.view * point.extend(1.0))) else { return };
        let ends = ends.map(|end| self.pixels(end));
        (self.line)(ends, colour);
    }

    fn text(&mut self, at: Vec3, text: fmt::Arguments<'_>, colour: Colour) {
        let place = self.view * at.extend(1.0);
        if place.w > NEAR {
            let place = self.pixels(place);
            (self.text)(place, &text.to_string(), colour);
        }
    }
}

/// The part of a line that is before the eye.
fn before_eye([a, b]: [Vec4; 2]) -> Option<[Vec4; 2]> {
    let cut = |from: Vec4, to: Vec4| from.lerp(to, (from.w - NEAR) / (from.w - to.w));
    match [a.w > NEAR, b.w > NEAR] {
        [true, true] => Some([a, b]),
        [true, false] => Some([a, cut(a, b)]),
        [false, true] => Some([cut(a, b), b]),
        [false, false] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_at_the_eye() {
        let [near, far, behind] = [1.0, 5.0, -3.0].map(|w| Vec4::new(w, 0.0, 0.0, w));
        assert_eq!(before_eye([near, far]), Some([near, far]));
        assert_eq!(before_eye([behind, behind]), None);
        for (line, kept) in [([far, behind], 0), ([behind, far], 1)] {
            let ends = before_eye(line).expect("a part of it is seen");
            assert!(ends[kept] == far && (ends[1 - kept].w - NEAR).abs() < 1e-5, "{ends:?}");
        }
    }
}
