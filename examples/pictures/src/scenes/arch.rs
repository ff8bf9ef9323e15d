//! An arch, and the line along which its stones press on each other.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, PALETTE};
use crate::overlay::Overlay;
use crate::support_structures::arch;
use dolmen::prelude::*;

/// Red, for the line and the forces of the feet.
const FORCE: [f32; 4] = [0.80, 0.05, 0.20, 1.0];
/// Length of the arrow of a force (m/N).
const SCALE: Real = 3.0e-5;

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let mut built = arch().awake();
    built.run(10.0 / detail.bodies as f64);
    let mut model = Model::on_ground();
    let colour = |k: usize| if k.is_multiple_of(2) { PALETTE[5] } else { PALETTE[1].map(|x| 0.92 * x) };
    model.bodies(&built.world, &built.bodies, Vec3::ZERO, colour);
    let mut shot = shot(detail, [720, 420], Vec3::Y * 4.6, 14.6, [0.34, -0.18]);
    shot.light = Vec3::new(-0.5, 0.9, 0.9);
    let mut image = cast(&model, &shot)?;
    let mut over = Overlay::new(&mut image, shot.camera, 1.6);
    // The centre of pressure of each joint, from one foot to the other; drawn on the face of the arch.
    let floor = |entity: hecs::Entity| !built.bodies.contains(&entity);
    let mut forces: Vec<_> = built.physics.pair_forces().collect();
    forces.sort_by(|a, b| a.point.y.atan2(a.point.x).total_cmp(&b.point.y.atan2(b.point.x)));
    let front = Vec3::Z * 1.0;
    let points: Vec<Vec3> = forces.iter().map(|force| Vec3::new(force.point.x, force.point.y, 0.0) + front).collect();
    for pair in points.windows(2) {
        dolmen::debug::Renderer::line(&mut over, pair[0], pair[1], FORCE);
    }
    for (force, point) in forces.iter().zip(&points) {
        let [a, b] = force.entities;
        if floor(a) || floor(b) {
            let push = if floor(b) { -force.force } else { force.force };
            over.arrow(*point - push * SCALE, *point, FORCE);
        }
    }
    Ok(Work::Still(image))
}
