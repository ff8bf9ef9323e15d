//! Newton's cradle: two balls are let go, and two swing out at the other end.

use super::shot;
use crate::Fault;
use crate::cast::cast;
use crate::catalogue::{Detail, Work};
use crate::model::{Model, STONE};
use dolmen::prelude::*;
use hecs::World;

/// Radius of a ball, and length of a rod (m).
const RADIUS: Real = 0.1;
const ROD: Real = 1.0;
/// Height of the pivots (m).
const TOP: Real = 1.32;
const STEEL: [f32; 3] = [0.62, 0.67, 0.74];
const MOVING: [f32; 3] = [0.91, 0.47, 0.26];
const WIRE: [f32; 3] = [0.35, 0.38, 0.42];

pub fn make(detail: Detail) -> Result<Work, Fault> {
    let (mut world, mut physics) = (World::new(), Physics::new(Settings { sleep: false, ..Settings::default() }));
    let pivot = |k: usize| Vec3::new(2.0 * RADIUS * (k as Real - 2.0), TOP, 0.0);
    let hang = |turn: Real| Quat::from_rotation_z(turn) * (Vec3::NEG_Y * ROD);
    let turn = |k: usize| if k < 2 { -0.75 } else { 0.0 };
    let balls: Vec<_> = (0..5)
        .map(|k| {
            let ball = Body::dynamic(Collider::ball(RADIUS)).mass(1.0).material(Material::new(0.0, 1.0));
            let ball = world.spawn(ball.position(pivot(k) + hang(turn(k))));
            let rod = Joint::distance(None, ball, ROD, ROD).anchors(pivot(k), Vec3::ZERO);
            world.spawn((rod, JointState::default()));
            ball
        })
        .collect();
    let mut model = Model::on_ground();
    // Where they came from, pale.
    for k in 0..2 {
        swing(&mut model, pivot(k), pivot(k) + hang(turn(k)), MOVING.map(|x| 0.45 * x + 0.53), 0.6);
    }
    // Until the balls that were hit are highest.
    let height = |world: &World| world.get::<&Position>(balls[4]).map_or(0.0, |at| at.0.y);
    let mut before = height(&world);
    let mut hit = false;
    for _ in 0..1200 {
        physics.step(&mut world, 1.0 / 240.0)?;
        let now = height(&world);
        hit |= now > before + 1e-3;
        if hit && now <= before {
            break;
        }
        before = now;
    }
    for (k, &ball) in balls.iter().enumerate() {
        let at = world.get::<&Position>(ball)?.0;
        swing(&mut model, pivot(k), at, if k > 2 { MOVING } else { STEEL }, 1.0);
    }
    frame(&mut model);
    let mut shot = shot(detail, [720, 420], Vec3::new(0.0, 0.78, 0.0), 2.05, [0.20, -0.14]);
    (shot.tile, shot.shade) = (0.25, 0.3);
    Ok(Work::Still(cast(&model, &shot)?))
}

/// A ball and the two wires that it hangs on.
fn swing(model: &mut Model, pivot: Vec3, at: Vec3, colour: [f32; 3], wire: Real) {
    model.add(Collider::ball(0.995 * RADIUS), at, Quat::IDENTITY, colour);
    for side in [-1.0, 1.0] {
        let end = pivot + Vec3::Z * 0.25 * side;
        model.rod(at + (end - at).normalize() * RADIUS, end, 0.005 * wire, WIRE);
    }
}

/// Two bars on four legs.
fn frame(model: &mut Model) {
    for z in [-0.25, 0.25] {
        let ends = [-1.2, 1.2].map(|x| Vec3::new(x, TOP, z));
        model.rod(ends[0], ends[1], 0.016, STONE);
        for end in ends {
            model.rod(end, Vec3::new(1.15 * end.x, 0.0, 1.3 * end.z), 0.016, STONE);
        }
    }
}
