//! A thousand cubes on their way through a funnel.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, dynamic, in_turn};
use dolmen::prelude::*;
use dolmen::scene::{Simulation, generators};

/// Steps of a thousandth of a second.
const STEPS: usize = 3200;
const SLAB: [f32; 3] = [0.74, 0.77, 0.80];

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let scene = generators::make("funnel", Some(1000 / detail.bodies)).ok_or("no funnels")?.scene;
    let mut simulation = Simulation::new(&scene)?;
    for _ in 0..STEPS {
        simulation.step()?;
    }
    let entities = simulation.entities().to_vec();
    let bodies = dynamic(simulation.world(), &entities);
    let mut model = Model::on_ground();
    model.bodies(simulation.world(), &bodies, Vec3::ZERO, in_turn);
    // Without the slab towards the eye; the first body is the floor.
    let slabs: Vec<_> = entities[1..].iter().copied().filter(|entity| !bodies.contains(entity)).collect();
    let behind: Vec<_> = slabs
        .into_iter()
        .filter(|&slab| simulation.world().get::<&Position>(slab).is_ok_and(|at| at.0.z < 3.0 && at.0.x < 3.0))
        .collect();
    model.bodies(simulation.world(), &behind, Vec3::ZERO, |_| SLAB);
    let mut shot = shot(detail, [560, 600], Vec3::Y * 9.5, 31.0, [0.70, -0.26]);
    (shot.tile, shot.light) = (2.0, Vec3::new(0.55, 1.0, 0.35));
    Ok(Work::Still(cast(&model, &shot)?))
}
