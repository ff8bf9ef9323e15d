//! A pit full of cubes, balls, capsules and hulls.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, STONE, dynamic, in_turn};
use dolmen::prelude::*;
use dolmen::scene::{Simulation, generators};

/// Bodies of the pile.
const BODIES: usize = 1200;

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let pit = generators::make("mixed", Some(BODIES / detail.bodies)).ok_or("no piles")?;
    let mut simulation = Simulation::new(&pit.scene)?;
    for _ in 0..600 {
        simulation.step()?;
    }
    let entities = simulation.entities().to_vec();
    let bodies = dynamic(simulation.world(), &entities);
    let mut model = Model::on_ground();
    model.bodies(simulation.world(), &bodies, Vec3::ZERO, in_turn);
    // The two walls at the back, as high as the pile.
    let half = pit.bound.ok_or("a pile without a pit")? as Real;
    let top = model.solids.iter().map(|solid| solid.position.y).fold(1.0, Real::max) + 0.2;
    model.block(Vec3::new(-half - 0.5, 0.0, -half - 0.5), Vec3::new(half, top, -half), STONE);
    model.block(Vec3::new(-half - 0.5, 0.0, -half), Vec3::new(-half, top, half), STONE);
    let mut shot = shot(detail, [720, 470], Vec3::Y * 0.40 * top, 2.9 * half, [0.72, -0.48]);
    shot.light = Vec3::new(0.35, 1.0, 0.65);
    Ok(Work::Still(cast(&model, &shot)?))
}
