//! Grains in a drum that turns, coloured by where they lay.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, PALETTE, STONE};
use crate::support_drum::Drum;
use dolmen::prelude::*;
use hecs::Entity;

const GRAINS: usize = 16_000;
/// Radius of a grain (m).
const GRAIN: Real = 0.025;
const SECONDS: Real = 5.0;

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let mut drum = Drum::new(GRAINS / detail.bodies, GRAIN, 0.8);
    let dt = 1.0 / 60.0;
    // At rest first, then by turns of colour in slices across the drum.
    for _ in 0..30 {
        drum.step(dt);
    }
    let grains: Vec<(Entity, Vec3)> =
        drum.world.query::<(Entity, &Position, &Particle)>().iter().map(|(grain, at, _)| (grain, at.0)).collect();
    let slice = |at: Vec3| ((at.x / drum.radius + 1.0) * 2.5) as usize % 5;
    let colours: Vec<[f32; 3]> = grains.iter().map(|(_, at)| PALETTE[[0, 3, 1, 2, 4][slice(*at)]]).collect();
    for _ in 0..(SECONDS / dt) as usize / detail.bodies {
        drum.step(dt);
    }
    let lift = Vec3::Y * 1.15 * drum.radius;
    let mut model = Model::on_ground();
    for ((grain, _), colour) in grains.iter().zip(colours) {
        let at = drum.world.get::<&Position>(*grain)?.0;
        model.add(Collider::ball(GRAIN), at + lift, Quat::IDENTITY, colour);
    }
    // The staves, without the end towards the eye.
    let turn = drum
        .world
        .query::<(&RigidBody, &Orientation)>()
        .iter()
        .find(|(kind, _)| **kind == RigidBody::Kinematic)
        .map(|(_, turn)| turn.0);
    let turn = turn.ok_or("no drum")?;
    let (staves, thick) = (12, 0.06 * drum.radius);
    for k in 0..staves {
        let angle = dolmen::math::consts::TAU * k as Real / staves as Real;
        let orientation = turn * Quat::from_rotation_z(angle);
        let out = drum.radius + 0.5 * thick;
        let wide = (drum.radius + thick) * (dolmen::math::consts::PI / staves as Real).tan();
        let stave = Collider::cuboid(0.5 * thick, wide, drum.half);
        model.add(stave, orientation * (Vec3::X * out) + lift, orientation, STONE);
    }
    let back = Collider(dolmen::parry::shape::SharedShape::cylinder(0.02 * drum.half, 1.08 * drum.radius));
    let upright = Quat::from_rotation_x(dolmen::math::consts::FRAC_PI_2);
    model.add(back, lift - Vec3::Z * 1.02 * drum.half, upright, STONE);
    let mut shot = shot(detail, [600, 520], lift, 3.2 * drum.radius, [0.22, -0.12]);
    (shot.tile, shot.light) = (0.25, Vec3::new(-0.25, 0.8, 1.0));
    shot.shade = 0.5 * drum.radius;
    Ok(Work::Still(cast(&model, &shot)?))
}
