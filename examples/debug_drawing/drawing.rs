//! One of each kind of shape and joint, and a small scene, as lines.

mod canvas;
mod gallery;
pub mod image;

pub use canvas::Canvas;
use dolmen::debug::{self, Renderer, Show, Style};
use dolmen::math::Pose;
use dolmen::prelude::*;
use hecs::World;

/// Distance of the things in a row (m).
const APART: Real = 1.55;
/// The top of the floor of the scene (m).
const FLOOR: Real = -2.6;
/// Things in a row of shapes.
const ROW: usize = 11;

fn style() -> Style {
    Style { extent: 0.6, fixed: [0.10, 0.35, 0.65, 1.0], ..Style::default() }
}

/// The middle of a thing of a row at a height (m).
fn place(column: usize, of: usize, y: Real) -> Vec3 {
    Vec3::new((column as Real - 0.5 * (of - 1) as Real) * APART, y, 0.0)
}

/// All shapes, in two rows.
fn shapes(to: &mut dyn Renderer) -> Result<(), StepError> {
    let (mut world, mut physics) = (World::new(), gallery::physics());
    for (k, (_, collider)) in gallery::shapes().into_iter().enumerate() {
        world.spawn(Body::fixed(collider).position(place(k % ROW, ROW, 4.7 - 1.4 * (k / ROW) as Real)));
    }
    physics.step(&mut world, 1.0 / 60.0)?;
    debug::draw(&physics, to, Show { shapes: true, ..Show::NONE }, &style());
    Ok(())
}

/// All joints, each with a body on it, after a fall of a moment.
fn joints(to: &mut dyn Renderer) -> Result<(), StepError> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let kinds = gallery::joints();
    let of = kinds.len();
    for (k, (_, kind, second)) in kinds.into_iter().enumerate() {
        let first = Pose::from_translation(place(k, of, 1.9));
        let anchor = Vec3::new(0.0, 0.45, 0.0);
        let there = first * second;
        let bob = Body::dynamic(Collider::cuboid(0.2, 0.2, 0.1)).density(200.0);
        let bob = world.spawn(bob.position(there * -anchor).orientation(there.rotation));
        let frame = |anchor| JointFrame { anchor, orientation: Quat::IDENTITY };
        world.spawn((
            Joint::new(None, bob, kind).frames(frame(first.translation), frame(anchor)),
            JointState::default(),
        ));
    }
    for _ in 0..8 {
        physics.step(&mut world, 1.0 / 60.0)?;
    }
    let show = Show { islands: true, shapes: true, joints: true, limits: true, loads: true, ..Show::NONE };
    debug::draw(&physics, to, show, &Style { frame: 0.4, force_scale: 5e-3, torque_scale: 2e-2, ..style() });
    Ok(())
}

/// A stack under load, a pair at rest, a ball in flight, a sensor and a ray.
fn scene(to: &mut dyn Renderer) -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::cuboid(8.0, 0.1, 0.8)).at(0.0, FLOOR - 0.1, 0.0));
    for (x, boxes) in [(-5.0, 3), (-2.0, 2)] {
        for k in 0..boxes {
            let half = 0.4 - 0.08 * k as Real;
            let y = FLOOR + (0..k).map(|k| 0.8 - 0.16 * k as Real).sum::<Real>() + half;
            world.spawn(Body::dynamic(Collider::cuboid(0.5, half, 0.4)).at(x, y, 0.0).density(600.0));
        }
    }
    for _ in 0..120 {
        physics.step(&mut world, 1.0 / 60.0)?;
    }
    // The first stack wakes under a push.
    let mut found = world.query::<(hecs::Entity, &RigidBody, &Position)>();
    let pushed = found.iter().find(|(_, kind, at)| **kind == RigidBody::Dynamic && at.0.x < -4.0).map(|found| found.0);
    drop(found);
    if let Some(pushed) = pushed {
        world.insert_one(pushed, ExternalForce(Vec3::X * 300.0))?;
    }
    let ball = Body::dynamic(Collider::ball(0.35)).at(0.5, FLOOR + 1.4, 0.0);
    world.spawn(ball.linear_velocity(Vec3::new(6.0, 2.0, 0.0)).angular_velocity(Vec3::Z * -4.0));
    world.spawn(Body::fixed(Collider::cuboid(0.6, 0.5, 0.5)).at(4.0, FLOOR + 0.5, 0.0).sensor());
    physics.step(&mut world, 1.0 / 60.0)?;
    let show = Show { axes: false, boxes: false, joints: false, ..Show::ALL };
    let style = Style { fixed: Style::default().fixed, extent: 2.0, force_scale: 3e-4, ..style() };
    debug::draw(&physics, to, show, &style);
    for direction in [Vec3::new(-0.4, -1.0, 0.0), Vec3::new(0.2, -1.0, 0.0), Vec3::X] {
        let ray = Ray::new(Vec3::new(6.0, FLOOR + 1.7, 0.0), direction, 20.0)?;
        let hit = physics.query().ray(&ray, &Filter::default());
        debug::draw_ray(to, &ray, hit.as_ref(), &style);
    }
    Ok(())
}

/// The picture.
pub fn drawing() -> Result<Canvas, Box<dyn std::error::Error>> {
    let mut canvas = Canvas::new([1200, 640], Vec3::new(0.0, 1.2, 0.0), 17.6, Vec3::new(-0.15, -0.3, -1.0));
    shapes(&mut canvas)?;
    joints(&mut canvas)?;
    scene(&mut canvas)?;
    Ok(canvas)
}
