//! A picture of lines, without a graphics processor.

use super::image::Image;
use dolmen::debug::{Colour, Renderer};
use dolmen::prelude::*;
use std::io;
use std::path::Path;

/// Half the width of a line (pixels).
const HALF: f32 = 0.6;
/// Steps of brightness of a channel: fewer make smaller files.
const LEVELS: f32 = 15.0;

/// A white picture, seen from afar.
pub struct Canvas {
    image: Image,
    /// To the right and up, over the size of a pixel (1/m).
    axes: [Vec3; 2],
    /// The point at the middle.
    centre: Vec3,
}

impl Canvas {
    /// A picture of `width` by `height` pixels of the space `span` metres wide about `centre`,
    /// looked at along `look`.
    pub fn new(size: [usize; 2], centre: Vec3, span: Real, look: Vec3) -> Self {
        let right = look.cross(Vec3::Y).normalize();
        let scale = size[0] as Real / span;
        let axes = [right * scale, right.cross(look.normalize()) * scale];
        Self { image: Image::new(size, [1.0; 3]), axes, centre }
    }

    fn place(&self, point: Vec3) -> [f32; 2] {
        let [x, y] = self.axes.map(|axis| f64::from((point - self.centre).dot(axis)) as f32);
        [0.5 * self.image.width as f32 + x, 0.5 * self.image.height as f32 - y]
    }

    /// The share of pixels that are not white.
    #[allow(dead_code, reason = "a picture of the pages is looked at by a test")]
    pub fn inked(&self) -> f32 {
        let pixels = &self.image.pixels;
        pixels.iter().filter(|pixel| **pixel != [1.0; 3]).count() as f32 / pixels.len() as f32
    }

    /// Writes the picture as a PNG file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let Image { width, height, pixels } = &self.image;
        let file = io::BufWriter::new(std::fs::File::create(file)?);
        let mut encoder = png::Encoder::new(file, *width as u32, *height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Best);
        let level = |x: f32| ((x * LEVELS).round() * (255.0 / LEVELS)) as u8;
        let bytes: Vec<u8> = pixels.iter().flatten().map(|&x| level(x)).collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        Ok(())
    }
}

impl Renderer for Canvas {
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour) {
        let (a, b) = (self.place(a), self.place(b));
        self.image.line(a, b, HALF, colour);
    }
}
