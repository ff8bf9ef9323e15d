//! Lines of `dolmen::debug` over a picture.

use crate::camera::Camera;
use crate::cast::NARROW;
use crate::drawing::image::Image;
use dolmen::debug::{Colour, Renderer};
use dolmen::prelude::*;

/// Lines in the world, seen through solids.
pub struct Overlay<'a> {
    image: &'a mut Image,
    camera: Camera,
    /// Half the width of a line (pixels).
    half: f32,
}

impl<'a> Overlay<'a> {
    pub fn new(image: &'a mut Image, camera: Camera, half: f32) -> Self {
        Self { image, camera, half }
    }

    /// The place of a point in the image (pixels).
    pub fn place(&self, point: Vec3) -> Option<[f32; 2]> {
        let (width, height) = (self.image.width as f32, self.image.height as f32);
        let [x, y] = self.camera.place(point, width / height)?.map(|place| place / NARROW);
        Some([0.5 * width * (1.0 + x), 0.5 * height * (1.0 - y)])
    }

    /// An arrow, its tip a triangle that faces the eye.
    pub fn arrow(&mut self, from: Vec3, to: Vec3, colour: Colour) {
        let (Some(a), Some(b)) = (self.place(from), self.place(to)) else { return };
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = dx.hypot(dy);
        if length < 1.0 {
            return;
        }
        let (dx, dy) = (dx / length, dy / length);
        let tip = (6.0 * self.half).min(0.6 * length);
        let neck = [b[0] - dx * tip, b[1] - dy * tip];
        self.image.line(a, neck, self.half, colour);
        // Strokes side by side fill the tip.
        let steps = (4.0 * tip).ceil() as usize;
        for k in 0..=steps {
            let part = k as f32 / steps as f32;
            let (wide, at) = (0.45 * tip * part, [b[0] - dx * tip * part, b[1] - dy * tip * part]);
            let [left, right] = [wide, -wide].map(|off| [at[0] - dy * off, at[1] + dx * off]);
            self.image.line(left, right, 0.3, colour);
        }
    }
}

impl Renderer for Overlay<'_> {
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour) {
        if let (Some(a), Some(b)) = (self.place(a), self.place(b)) {
            self.image.line(a, b, self.half, colour);
        }
    }
}
