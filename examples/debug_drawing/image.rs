//! An image in memory, and lines on it.

use dolmen::debug::Colour;

/// Pixels row by row from the top: red, green and blue from 0 to 1.
pub struct Image {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<[f32; 3]>,
}

impl Image {
    /// An image of one colour.
    pub fn new([width, height]: [usize; 2], colour: [f32; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// Draws a line between two places (pixels from the upper left corner), `half` a width wide to
    /// each side.
    pub fn line(&mut self, [ax, ay]: [f32; 2], [bx, by]: [f32; 2], half: f32, colour: Colour) {
        let (dx, dy) = (bx - ax, by - ay);
        let length = (dx * dx + dy * dy).max(1e-12);
        let reach = half.ceil() + 1.0;
        let range = |from: f32, to: f32, most: usize| {
            let low = (from.min(to) - reach).clamp(0.0, most as f32) as usize;
            low..(from.max(to) + reach + 1.0).clamp(0.0, most as f32) as usize
        };
        for y in range(ay, by, self.height) {
            for x in range(ax, bx, self.width) {
                let (px, py) = (x as f32 + 0.5 - ax, y as f32 + 0.5 - ay);
                let along = ((px * dx + py * dy) / length).clamp(0.0, 1.0);
                let off = (px - along * dx).hypot(py - along * dy);
                let cover = (half + 0.5 - off).clamp(0.0, 1.0) * colour[3];
                let pixel = &mut self.pixels[y * self.width + x];
                for (channel, own) in pixel.iter_mut().zip(colour) {
                    *channel += (own - *channel) * cover;
                }
            }
        }
    }
}
