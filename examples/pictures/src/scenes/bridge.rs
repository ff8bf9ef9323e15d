//! A bridge under a truck: the forces in its hinges as arrows.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, PALETTE, STONE, dynamic};
use crate::overlay::Overlay;
use crate::support_bridge::spawn;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Planks, and their pitch (m).
const PLANKS: usize = 40;
const PITCH: Real = 0.5;
/// Length of the arrow of a force (m/N).
const SCALE: Real = 2.2e-5;
const FORCE: [f32; 4] = [0.80, 0.05, 0.25, 1.0];
/// Height of the bridge's ends (m).
const HEIGHT: Real = 6.0;

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let truck = spawn(&mut world, PLANKS);
    for _ in 0..900 / detail.bodies {
        physics.step(&mut world, 1.0 / 60.0)?;
    }
    let all: Vec<Entity> = world.query::<(Entity, &RigidBody)>().iter().map(|(entity, _)| entity).collect();
    let bodies = dynamic(&world, &all);
    let lift = Vec3::Y * HEIGHT;
    let mut model = Model::on_ground();
    let planks: Vec<Entity> = bodies.into_iter().filter(|&body| body != truck).collect();
    let wood = |k: usize| if k.is_multiple_of(2) { PALETTE[5] } else { PALETTE[1] };
    model.bodies(&world, &planks, lift, wood);
    model.bodies(&world, &[truck], lift, |_| PALETTE[3]);
    let position = |body: Entity| world.get::<&Position>(body).map_or(Vec3::ZERO, |at| at.0);
    let end = position(planks[planks.len() - 1]).x + 0.5 * PITCH;
    for (from, to) in [(-3.0, -0.02), (end + 0.02, end + 3.0)] {
        model.block(Vec3::new(from, 0.0, -1.6), Vec3::new(to, HEIGHT, 1.6), STONE);
    }
    let focus = Vec3::new(0.5 * end, 0.62 * HEIGHT, 0.0);
    let shot = shot(detail, [760, 400], focus, 15.5, [0.30, -0.22]);
    let mut image = cast(&model, &shot)?;
    let mut over = Overlay::new(&mut image, shot.camera, 1.3);
    for (joint, state) in world.query::<(&Joint, &JointState)>().iter() {
        let Some(second) = joint.bodies[1].or(joint.bodies[0]) else { continue };
        let turn = world.get::<&Orientation>(second).map_or(Quat::IDENTITY, |turn| turn.0);
        let frame = if joint.bodies[1].is_some() { &joint.frames[1] } else { &joint.frames[0] };
        let at = position(second) + turn * frame.anchor + lift + Vec3::Z * 1.5;
        // The pull on what lies to the left.
        let pull = -state.force * SCALE;
        over.arrow(at, at + pull, FORCE);
    }
    Ok(Work::Still(image))
}
