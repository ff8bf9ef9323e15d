//! A column of a hundred cubes after half a minute, beside the same in other engines.

use super::peers::{Poses, title};
use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::letters;
use crate::model::{Model, PALETTE, dynamic};
use crate::overlay::Overlay;
use dolmen::prelude::*;
use dolmen::scene::{Simulation, generators};

/// Cubes of the column.
const CUBES: usize = 100;
/// From one column to the next (m).
const APART: Real = 17.0;

/// Colours of cubes by turns of ten, so that heights can be compared.
fn colour(k: usize) -> [f32; 3] {
    if (k / 10).is_multiple_of(2) { PALETTE[0] } else { PALETTE[3] }
}

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let poses = Poses::read(include_str!("../../../../benches/peers/data/column.json"))?;
    let scene = generators::make("tower", Some(CUBES)).ok_or("no towers")?.scene;
    let last = poses.engines.iter().map(|of| of.count() - 1).min().ok_or("no engines")?;
    let mut simulation = Simulation::new(&scene)?;
    for _ in 0..poses.every * last as u64 / detail.bodies as u64 {
        simulation.step()?;
    }
    let entities = simulation.entities().to_vec();
    let mut model = Model::on_ground();
    let cubes = dynamic(simulation.world(), &entities);
    let x = |place: usize| Vec3::X * APART * (place as Real - 0.5 * poses.engines.len() as Real);
    model.bodies(simulation.world(), &cubes, x(0), colour);
    for (place, of) in poses.engines.iter().enumerate() {
        for k in 0..CUBES {
            let (position, orientation) = of.pose(last, k + 1);
            model.add(Collider::cuboid(0.5, 0.5, 0.5), position + x(place + 1), orientation, colour(k));
        }
    }
    let focus = Vec3::Y * 49.0;
    let mut shot = shot(detail, [520, 760], focus, 113.0, [0.0, -0.05]);
    (shot.tile, shot.shade) = (5.0, 4.0);
    let mut image = cast(&model, &shot)?;
    if detail.pixels == 1 {
        let names = std::iter::once("dolmen").chain(poses.engines.iter().map(|of| title(&of.engine)));
        for (place, name) in names.enumerate() {
            let foot = Overlay::new(&mut image, shot.camera, 1.0).place(x(place));
            let [left, top] = foot.ok_or("a column behind the eye")?;
            letters::write_bold(&mut image, name, [left, top + 28.0]);
        }
    }
    Ok(Work::Still(image))
}
