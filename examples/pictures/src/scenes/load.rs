//! Ten cubes under a block of a thousand times their mass, beside the same in other engines, moving.

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

/// Light cubes.
const CUBES: usize = 10;
/// From one tower to the next (m).
const APART: Real = 7.0;
/// The heavy cube.
const HEAVY: [f32; 3] = [0.30, 0.33, 0.38];

fn colour(k: usize) -> [f32; 3] {
    if k == CUBES {
        HEAVY
    } else if k.is_multiple_of(2) {
        PALETTE[0]
    } else {
        PALETTE[1]
    }
}

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let poses = Poses::read(include_str!("../../../../benches/peers/data/load.json"))?;
    let scene = generators::make("mass_ratio", Some(CUBES)).ok_or("no such scene")?.scene;
    let count = poses.engines.iter().map(|of| of.count()).min().ok_or("no engines")?;
    let mut simulation = Simulation::new(&scene)?;
    let entities = simulation.entities().to_vec();
    let cubes = dynamic(simulation.world(), &entities);
    let x = |place: usize| Vec3::X * APART * (place as Real - 0.5 * poses.engines.len() as Real);
    let mut shot = shot(detail, [720, 420], Vec3::Y * 5.0, 14.2, [0.22, -0.16]);
    (shot.shade, shot.tile) = (0.0, 1.0);
    let mut frames = Vec::new();
    for frame in (0..count).step_by(if detail.bodies > 1 { count - 1 } else { 1 }) {
        let mut model = Model::on_ground();
        model.bodies(simulation.world(), &cubes, x(0), colour);
        for (place, of) in poses.engines.iter().enumerate() {
            for k in 0..=CUBES {
                let (position, orientation) = of.pose(frame, k + 1);
                model.add(Collider::cuboid(0.5, 0.5, 0.5), position + x(place + 1), orientation, colour(k));
            }
        }
        let mut image = cast(&model, &shot)?;
        if detail.pixels == 1 {
            let names = std::iter::once("dolmen").chain(poses.engines.iter().map(|of| title(&of.engine)));
            for (place, name) in names.enumerate() {
                let foot = Overlay::new(&mut image, shot.camera, 1.0).place(x(place) + Vec3::new(0.0, -0.1, 0.6));
                let [left, top] = foot.ok_or("a tower behind the eye")?;
                letters::write_bold(&mut image, name, [left, top + 20.0]);
            }
        }
        frames.push(image);
        for _ in 0..poses.every {
            simulation.step()?;
        }
    }
    Ok(Work::Moving(frames))
}
