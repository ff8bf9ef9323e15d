//! A picture of lines, without a graphics processor.

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
    width: usize,
    height: usize,
    pixels: Vec<[f32; 3]>,
    /// To the right and up, over the size of a pixel (1/m).
    axes: [Vec3; 2],
    /// The point at the middle.
    centre: Vec3,
}

impl Canvas {
    /// A picture of `width` by `height` pixels of the space `span` metres wide about `centre`,
    /// looked at along `look`.
    pub fn new([width, height]: [usize; 2], centre: Vec3, span: Real, look: Vec3) -> Self {
        let right = look.cross(Vec3::Y).normalize();
        let scale = width as Real / span;
        let axes = [right * scale, right.cross(look.normalize()) * scale];
        Self { width, height, pixels: vec![[1.0; 3]; width * height], axes, centre }
    }

    fn place(&self, point: Vec3) -> [f32; 2] {
        let [x, y] = self.axes.map(|axis| f64::from((point - self.centre).dot(axis)) as f32);
        [0.5 * self.width as f32 + x, 0.5 * self.height as f32 - y]
    }

    /// The share of pixels that are not white.
    pub fn inked(&self) -> f32 {
        self.pixels.iter().filter(|pixel| **pixel != [1.0; 3]).count() as f32 / self.pixels.len() as f32
    }

    /// Writes the picture as a PNG file.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let mut encoder =
            png::Encoder::new(io::BufWriter::new(std::fs::File::create(file)?), self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(png::Compression::Best);
        let level = |x: f32| ((x * LEVELS).round() * (255.0 / LEVELS)) as u8;
        let bytes: Vec<u8> = self.pixels.iter().flatten().map(|&x| level(x)).collect();
        encoder.write_header()?.write_image_data(&bytes)?;
        Ok(())
    }
}

impl Renderer for Canvas {
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour) {
        let ([ax, ay], [bx, by]) = (self.place(a), self.place(b));
        let (dx, dy) = (bx - ax, by - ay);
        let length = (dx * dx + dy * dy).max(1e-12);
        let range = |from: f32, to: f32, most: usize| {
            let low = (from.min(to) - 2.0).clamp(0.0, most as f32) as usize;
            low..(from.max(to) + 3.0).clamp(0.0, most as f32) as usize
        };
        for y in range(ay, by, self.height) {
            for x in range(ax, bx, self.width) {
                let (px, py) = (x as f32 + 0.5 - ax, y as f32 + 0.5 - ay);
                let along = ((px * dx + py * dy) / length).clamp(0.0, 1.0);
                let off = (px - along * dx).hypot(py - along * dy);
                let cover = (HALF + 0.5 - off).clamp(0.0, 1.0) * colour[3];
                let pixel = &mut self.pixels[y * self.width + x];
                for (channel, own) in pixel.iter_mut().zip(colour) {
                    *channel += (own - *channel) * cover;
                }
            }
        }
    }
}
