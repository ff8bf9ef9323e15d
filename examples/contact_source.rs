//! Ground without a collider: endless hills from a formula. Balls and boxes roll, slide and come to
//! rest on hills that are never stored.

use dolmen::contact::{SourceContact, SourceContacts, SourcePoint};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::process::ExitCode;

/// Hills of a height (m) and a length (m) along x and z.
#[derive(Clone, Copy, Debug)]
pub struct Hills {
    /// Amplitude (m).
    pub height: Real,
    /// Wave number (rad/m).
    pub wave: Real,
}

impl Hills {
    /// Height of the ground (m).
    pub fn at(&self, x: Real, z: Real) -> Real {
        self.height * (self.wave * x).sin() * (self.wave * z).cos()
    }

    /// Unit normal of the ground.
    pub fn normal(&self, x: Real, z: Real) -> Vec3 {
        let (sx, cx, sz, cz) =
            ((self.wave * x).sin(), (self.wave * x).cos(), (self.wave * z).sin(), (self.wave * z).cos());
        let slope = self.height * self.wave;
        Vec3::new(-slope * cx * cz, 1.0, slope * sx * sz).normalize()
    }

    /// Contact point of a body's surface at `point`: its height above the ground along the normal
    /// below it.
    fn touch(&self, point: Vec3, feature: u32) -> (Vec3, SourcePoint) {
        let normal = self.normal(point.x, point.z);
        let separation = (point.y - self.at(point.x, point.z)) * normal.y;
        (normal, SourcePoint::new(point, normal, separation, feature))
    }

    /// Emits the contacts of every ball and box, found through the game's own components.
    pub fn emit(&self, world: &World, out: &mut SourceContacts) {
        for (body, place, turn, collider) in world.query::<(Entity, &Position, &Orientation, &Collider)>().iter() {
            if let Some(ball) = collider.0.as_ball() {
                // The lowest point over the slope: two iterations suffice on hills much larger than
                // the ball.
                let mut bottom = place.0 - Vec3::Y * ball.radius;
                for _ in 0..2 {
                    bottom = place.0 - self.normal(bottom.x, bottom.z) * ball.radius;
                }
                let (normal, point) = self.touch(bottom, 0);
                out.push(&SourceContact::with_world(body, 0, normal, &[point]));
            } else if let Some(cuboid) = collider.0.as_cuboid() {
                // Each corner has a normal of its own: eight contacts with one point.
                for k in 0..8 {
                    let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                    let corner = cuboid.half_extents * Vec3::new(sign(1), sign(2), sign(4));
                    let (normal, point) = self.touch(place.0 + turn.0 * corner, k);
                    out.push(&SourceContact::with_world(body, k, normal, &[point]));
                }
            }
        }
    }
}

/// Result of the example: the greatest depth of a body under the ground (m), and the number of
/// bodies at rest in the end.
pub fn run(hills: Hills, bodies: usize, seconds: usize) -> (Real, usize) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.sources.add("hills", move |world: &World, out| hills.emit(world, out));
    let all: Vec<(Entity, Real)> = (0..bodies)
        .map(|i| {
            let (x, z) = (300.0 + (i % 8) as Real * 1.7, -200.0 + (i / 8) as Real * 1.7);
            let (collider, low) = match i % 2 {
                0 => (Collider::ball(0.4), 0.4),
                _ => (Collider::cuboid(0.4, 0.3, 0.5), 0.3),
            };
            let at = Vec3::new(x, hills.at(x, z) + 1.0, z);
            let friction = Material { rolling_friction: 0.1, ..Material::new(0.8, 0.2) };
            (world.spawn(Body::dynamic(collider).position(at).material(friction).damping(0.0, 2.0)), low)
        })
        .collect();
    let mut deepest: Real = 0.0;
    for _ in 0..60 * seconds {
        physics.step(&mut world, 1.0 / 60.0).expect("the world is sound");
        for &(body, low) in &all {
            let at = world.get::<&Position>(body).expect("it is there").0;
            let over = (at.y - hills.at(at.x, at.z)) * hills.normal(at.x, at.z).y;
            deepest = deepest.max(low - over);
        }
    }
    let asleep = physics.step(&mut world, 1.0 / 60.0).expect("the world is sound").counts.asleep;
    (deepest, asleep)
}

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let bodies = 64;
    let (deepest, asleep) = run(Hills { height: 1.0, wave: 0.3 }, bodies, 40);
    let fine = deepest < 0.05 && asleep == bodies;
    println!(
        "{}: {asleep} of {bodies} bodies sleep on the hills; the greatest penetration was {:.1} mm",
        if fine { "ok" } else { "WRONG" },
        deepest * 1e3
    );
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
