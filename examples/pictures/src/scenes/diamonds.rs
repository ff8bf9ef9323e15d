//! Diamonds of bricks without friction. Those of up to four bricks across stand; a larger one has no
//! forces that hold it (Paterson and Zwick 2009), and bursts.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::letters;
use crate::model::{Model, PALETTE};
use crate::overlay::Overlay;
use crate::support_structures::diamond;
use dolmen::prelude::*;

/// Bricks across each diamond where it is widest, and for how long it is left alone (s).
const DIAMONDS: [(usize, f64); 4] = [(2, 10.0), (3, 10.0), (4, 10.0), (5, 0.75)];
/// Between two diamonds (m).
const GAP: Real = 0.7;

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let mut model = Model::on_ground();
    let (mut left, mut words) = (0.0, Vec::new());
    for (k, (across, seconds)) in DIAMONDS.into_iter().enumerate() {
        let (mut built, places) = diamond(across);
        built.run(seconds);
        let offset = Vec3::X * (left + 0.5 * across as Real);
        left += across as Real + GAP;
        let shades = [PALETTE[1], PALETTE[2], PALETTE[3], PALETTE[0]];
        let colour = |brick: usize| {
            let light = if places[brick].0.is_multiple_of(2) { 1.0 } else { 0.82 };
            shades[k].map(|channel| channel * light)
        };
        model.bodies(&built.world, &built.bodies, offset, colour);
        words.push((offset, format!("{seconds} s")));
    }
    let focus = Vec3::new(0.5 * (left - GAP), 0.72, 0.0);
    let shot = shot(detail, [800, 300], focus, 7.6, [0.12, -0.16]);
    let mut image = cast(&model, &shot)?;
    if detail.pixels == 1 {
        for (offset, text) in words {
            let foot = Overlay::new(&mut image, shot.camera, 1.0).place(offset + Vec3::new(0.0, -0.35, 0.5));
            letters::write(&mut image, &text, foot.ok_or("a diamond behind the eye")?);
        }
    }
    Ok(Work::Still(image))
}
