//! Words in a picture.

use crate::drawing::image::Image;
use embedded_graphics::mono_font::iso_8859_1::{FONT_9X18_BOLD, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::BinaryColor;
use embedded_graphics::prelude::*;
use embedded_graphics::text::{Alignment, Text};
use std::convert::Infallible;

/// The colour of letters.
const INK: [f32; 3] = [0.16, 0.19, 0.23];

/// Letters with their middle at a place (pixels).
pub fn write(image: &mut Image, text: &str, at: [f32; 2]) {
    letters(image, text, at, &FONT_10X20);
}

/// The same in bold.
pub fn write_bold(image: &mut Image, text: &str, at: [f32; 2]) {
    letters(image, text, at, &FONT_9X18_BOLD);
}

fn letters(image: &mut Image, text: &str, at: [f32; 2], font: &MonoFont) {
    let style = MonoTextStyle::new(font, BinaryColor::On);
    let at = Point::new(at[0] as i32, at[1] as i32);
    // Drawing into memory cannot fail.
    let Ok(_) = Text::with_alignment(text, at, style, Alignment::Center).draw(&mut Page(image));
}

struct Page<'a>(&'a mut Image);

impl OriginDimensions for Page<'_> {
    fn size(&self) -> Size {
        Size::new(self.0.width as u32, self.0.height as u32)
    }
}

impl DrawTarget for Page<'_> {
    type Color = BinaryColor;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<BinaryColor>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, colour) in pixels {
            let inside = (0..self.0.width as i32).contains(&x) && (0..self.0.height as i32).contains(&y);
            if inside && colour.is_on() {
                self.0.pixels[y as usize * self.0.width + x as usize] = INK;
            }
        }
        Ok(())
    }
}
