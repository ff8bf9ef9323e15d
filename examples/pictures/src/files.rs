//! PNG files with a palette, still and moving.

use crate::Fault;
use crate::drawing::image::Image;
use color_quant::NeuQuant;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Colours of a picture.
const COLOURS: usize = 128;
/// Frames a second of a moving picture.
pub const RATE: u16 = 15;
/// How long the last frame stays (frames).
const STAY: u16 = 30;

/// A palette, and indices of it for pixels.
struct Palette(NeuQuant);

impl Palette {
    /// The palette of some images together.
    fn of(images: &[&Image]) -> Self {
        let pixels: Vec<u8> = images.iter().flat_map(|image| image.pixels.iter().flat_map(bytes)).collect();
        Self(NeuQuant::new(1, COLOURS, &pixels))
    }

    fn indices(&self, image: &Image) -> Vec<u8> {
        image.pixels.iter().map(|pixel| self.0.index_of(&bytes(pixel)) as u8).collect()
    }
}

fn bytes(pixel: &[f32; 3]) -> [u8; 4] {
    let [r, g, b] = pixel.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
    [r, g, b, 255]
}

fn encoder(file: &Path, image: &Image, palette: Vec<u8>) -> Result<png::Encoder<'static, BufWriter<File>>, Fault> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Best);
    encoder.set_filter(png::FilterType::NoFilter);
    Ok(encoder)
}

/// Writes an image.
pub fn write_still(file: &Path, image: &Image) -> Result<(), Fault> {
    let palette = Palette::of(&[image]);
    let mut writer = encoder(file, image, palette.0.color_map_rgb())?.write_header()?;
    writer.write_image_data(&palette.indices(image))?;
    Ok(writer.finish()?)
}

/// Writes images of one size as a moving picture that begins anew at its end. A frame holds what
/// changed: the rest of its rectangle is transparent.
pub fn write_moving(file: &Path, frames: &[Image]) -> Result<(), Fault> {
    let first = frames.first().ok_or("no frames")?;
    // The last frames have the colours of all.
    let palette = Palette::of(&[first, &frames[frames.len() / 2], &frames[frames.len() - 1]]);
    let mut colours = palette.0.color_map_rgb();
    let clear = (colours.len() / 3) as u8;
    colours.extend([0; 3]);
    let mut encoder = encoder(file, first, colours)?;
    let mut opacity = vec![255; usize::from(clear)];
    opacity.push(0);
    encoder.set_trns(opacity);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(1, RATE)?;
    let mut writer = encoder.write_header()?;
    let mut shown = palette.indices(first);
    writer.write_image_data(&shown)?;
    for (k, frame) in frames.iter().enumerate().skip(1) {
        let next = palette.indices(frame);
        let [left, top, width, height] = changed(&shown, &next, first.width);
        writer.reset_frame_position()?;
        writer.set_frame_dimension(width as u32, height as u32)?;
        writer.set_frame_position(left as u32, top as u32)?;
        writer.set_blend_op(png::BlendOp::Over)?;
        writer.set_frame_delay(if k + 1 == frames.len() { STAY } else { 1 }, RATE)?;
        let pixels = (top..top + height).flat_map(|y| (left..left + width).map(move |x| y * first.width + x));
        let data: Vec<u8> = pixels.map(|at| if shown[at] == next[at] { clear } else { next[at] }).collect();
        writer.write_image_data(&data)?;
        shown = next;
    }
    Ok(writer.finish()?)
}

/// The rectangle of pixels that differ: left, top, width, height, at least one pixel.
fn changed(a: &[u8], b: &[u8], width: usize) -> [usize; 4] {
    let differ = || (0..a.len()).filter(|&at| a[at] != b[at]).map(|at| (at % width, at / width));
    let (left, right) = differ().fold((width, 0), |(low, high), (x, _)| (low.min(x), high.max(x)));
    let (top, bottom) = differ().fold((usize::MAX, 0), |(low, high), (_, y)| (low.min(y), high.max(y)));
    if left > right { [0, 0, 1, 1] } else { [left, top, right + 1 - left, bottom + 1 - top] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_of_a_change_holds_it_and_no_more() {
        let (a, mut b) = (vec![0; 20], vec![0; 20]);
        assert_eq!(changed(&a, &b, 5), [0, 0, 1, 1]);
        (b[6], b[13]) = (1, 2);
        assert_eq!(changed(&a, &b, 5), [1, 1, 3, 2]);
    }

    #[test]
    fn a_moving_picture_is_read_back_with_all_its_frames() {
        let frame = |k: usize| {
            let mut image = Image::new([8, 6], [1.0; 3]);
            image.pixels[9 * k] = [1.0, 0.0, 0.0];
            image
        };
        let file = std::env::temp_dir().join(format!("dolmen-pictures-{}.png", std::process::id()));
        write_moving(&file, &[frame(1), frame(2), frame(3)]).expect("it is written");
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&file).expect("it is there")));
        let mut reader = decoder.read_info().expect("a png");
        assert_eq!(reader.info().animation_control.map(|control| control.num_frames), Some(3));
        let mut data = vec![0; reader.output_buffer_size()];
        for _ in 0..3 {
            reader.next_frame(&mut data).expect("a frame");
        }
        std::fs::remove_file(&file).expect("it is ours");
    }
}
