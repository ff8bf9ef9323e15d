//! All pictures and plots, with the functions that make them.

use crate::drawing::{Canvas, drawing, image::Image};
use crate::{Fault, plots, scenes};

/// How large a picture is made, and of how much.
#[derive(Clone, Copy)]
pub struct Detail {
    /// The part of the pixels across and down that is made: one of so many.
    pub pixels: usize,
    /// The part of the bodies that is made: one of so many.
    pub bodies: usize,
}

/// As it is published.
pub const FULL: Detail = Detail { pixels: 1, bodies: 1 };

/// What is made.
pub enum Work {
    Still(Image),
    Moving(Vec<Image>),
    Lines(Canvas),
    /// SVG.
    Plot(String),
}

/// A picture or a plot.
pub struct Entry {
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    pub make: fn(Detail) -> Result<Work, Fault>,
    ending: &'static str,
}

impl Entry {
    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}.{}", self.name, self.ending)
    }
}

const fn picture(name: &'static str, about: &'static str, make: fn(Detail) -> Result<Work, Fault>) -> Entry {
    Entry { name, about, make, ending: "png" }
}

const fn plot(name: &'static str, about: &'static str, make: fn(Detail) -> Result<Work, Fault>) -> Entry {
    Entry { name, about, make, ending: "svg" }
}

/// All of them.
pub const CATALOGUE: &[Entry] = &[
    picture(
        "load",
        "a block of a thousand times their mass on ten cubes, in three engines (moving)",
        scenes::load::make,
    ),
    picture("column", "a column of a hundred cubes after 30 s, in three engines", scenes::column::make),
    picture("diamonds", "diamonds of bricks without friction: which stand, and which cannot", scenes::diamonds::make),
    picture("arch", "an arch, and the line along which its stones press", scenes::arch::make),
    picture("pile", "cubes, balls, capsules and hulls in a pit", scenes::pile::make),
    picture("funnel", "a thousand cubes through a funnel", scenes::funnel::make),
    picture("cradle", "Newton's cradle: two balls go in, two come out", scenes::cradle::make),
    picture("bridge", "a bridge under a truck, and the forces in its hinges", scenes::bridge::make),
    picture("drum", "particles in a drum that turns", scenes::drum::make),
    picture("cards", "a house of cards just below and just above its limit load", scenes::cards::make),
    picture("debug-drawing", "shapes, joints, contacts and forces as lines", |_| Ok(Work::Lines(drawing()?))),
    plot("pile-time", "ms a step against bodies, in three engines", |_| plots::pile::make().map(Work::Plot)),
    plot("overlap", "time against overlap, in three engines", |_| plots::overlap::make().map(Work::Plot)),
    plot("energy", "energy of a closed scene over time", |detail| plots::energy::make(detail).map(Work::Plot)),
    plot("time-step", "error against time step", |_| plots::time_step::make().map(Work::Plot)),
    plot("impact-fan", "sliding velocities during impacts (Baber 2011, figure 4)", |_| {
        plots::fan::make().map(Work::Plot)
    }),
    plot("impact-phases", "normal velocity during an impact (Baber 2011, figure 2)", |_| {
        plots::phases::make().map(Work::Plot)
    }),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Small pictures of small scenes.
    const SMALL: Detail = Detail { pixels: 8, bodies: 10 };
    /// Largest file of a picture (bytes).
    const LARGEST: u64 = 300_000;

    fn shows_something(name: &str, image: &Image) {
        let colours: BTreeSet<[u8; 3]> = image.pixels.iter().map(|p| p.map(|x| (x * 255.0) as u8)).collect();
        assert!(colours.len() > 20, "{name}: {} colours", colours.len());
        let mut counts = std::collections::BTreeMap::new();
        image.pixels.iter().for_each(|p| *counts.entry(p.map(f32::to_bits)).or_insert(0) += 1);
        let most = counts.values().copied().max().unwrap_or(0);
        assert!(most * 10 < image.pixels.len() * 9, "{name}: nine tenths are of one colour");
    }

    #[test]
    fn every_picture_shows_something() {
        for entry in CATALOGUE {
            match (entry.make)(SMALL).unwrap_or_else(|problem| panic!("{}: {problem}", entry.name)) {
                Work::Still(image) => shows_something(entry.name, &image),
                Work::Moving(frames) => {
                    frames.iter().for_each(|frame| shows_something(entry.name, frame));
                    let last = &frames[frames.len() - 1];
                    assert!(frames[0].pixels != last.pixels, "{}: nothing moves", entry.name);
                }
                Work::Lines(canvas) => assert!(canvas.inked() > 0.05, "{}", entry.name),
                Work::Plot(svg) => {
                    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", entry.name);
                    assert!(svg.matches("<polyline").count() + svg.matches("<circle").count() > 2, "{}", entry.name);
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", entry.name);
                }
            }
        }
    }

    #[test]
    fn every_file_is_small_and_listed_with_its_command_and_no_other_is_there() {
        let folder = crate::folder();
        let page = std::fs::read_to_string(folder.join("README.md")).expect("the page of pictures");
        let mut known = BTreeSet::new();
        for entry in CATALOGUE {
            let file = entry.file();
            let bytes = std::fs::metadata(folder.join(&file)).unwrap_or_else(|e| panic!("{file}: {e}")).len();
            assert!((1..LARGEST).contains(&bytes), "{file}: {bytes} bytes");
            assert!(page.contains(&format!("({file})")), "{file} is not on the page");
            let command = format!("`cargo run --release -p dolmen-pictures -- {}`", entry.name);
            assert!(page.contains(&command), "{command} is not on the page");
            known.insert(file);
        }
        for found in std::fs::read_dir(&folder).expect("the folder") {
            let name = found.expect("a file").file_name().into_string().expect("a plain name");
            let drawn = name.ends_with(".png") || name.ends_with(".svg");
            assert!(!drawn || known.contains(&name), "{name} is made by nothing");
        }
    }
}
