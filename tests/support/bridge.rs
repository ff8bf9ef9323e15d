//! A hanging bridge with something heavy on it. Its sines are those of `libm`: processors compare
//! the bits of its scene.

#![allow(dead_code)] // tests and examples each use their own part

use dolmen::prelude::*;
use hecs::{Entity, World};

/// Half a plank (m).
const HALF: Vec3 = Vec3::new(0.24, 0.05, 1.5);
/// From hinge to hinge (m).
const PITCH: Real = 0.5;
/// Half the angle of the arc in which it starts to hang (rad): it is four hundredths longer than
/// its span.
const BEND: Real = 0.5;

/// Spawns a bridge and a truck that drops on its middle from half a metre. Returns the truck.
pub fn spawn(world: &mut World, planks: usize) -> Entity {
    let (middle, _) = spawn_planks(world, planks);
    let long = (0.03 * PITCH * planks as Real).min(2.0);
    let size = Vec3::new(long, 0.4 * long, 1.0);
    let middle = middle + Vec3::Y * (HALF.y + size.y + 0.5);
    world.spawn(Body::dynamic(Collider::cuboid(size.x, size.y, size.z)).density(600.0).position(middle))
}

/// Spawns a bridge of planks that hangs between two hinges at the height of the origin, from x = 0
/// on. Returns the place of its middle plank and of its other end.
pub fn spawn_planks(world: &mut World, planks: usize) -> (Vec3, Vec3) {
    let plank = Collider::cuboid(HALF.x, HALF.y, HALF.z);
    let end = Vec3::X * (0.5 * PITCH);
    let sin = |angle: Real| libm::sin(f64::from(angle)) as Real;
    let cos = |angle: Real| libm::cos(f64::from(angle)) as Real;
    let radius = 0.5 * PITCH / sin(BEND / planks as Real);
    let at = |k: usize| {
        let angle = BEND * (2.0 * k as Real / planks as Real - 1.0);
        radius * Vec3::new(sin(BEND) + sin(angle), cos(BEND) - cos(angle), 0.0)
    };
    let mut last = None;
    let hinge = |a: Option<Entity>, b: Option<Entity>, from: Vec3, to: Vec3| {
        (Joint::revolute(a, b).anchors(from, to).axes(Vec3::Z, Vec3::Z), JointState::default())
    };
    for k in 0..planks {
        let (from, to) = (at(k), at(k + 1));
        let turned = Quat::from_rotation_arc(Vec3::X, (to - from).normalize());
        let body = Body::dynamic(plank.clone()).position(0.5 * (from + to)).orientation(turned).damping(0.0, 0.5);
        let body = world.spawn(body);
        world.spawn(hinge(last, Some(body), if last.is_some() { end } else { at(0) }, -end));
        last = Some(body);
    }
    world.spawn(hinge(last, None, end, at(planks)));
    (0.5 * (at(planks / 2) + at(planks.div_ceil(2))), at(planks))
}
