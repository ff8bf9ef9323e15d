//! Drawing a world allocates nothing, from the first frame on.

use crate::{allocations, gallery};
use dolmen::debug::{self, Colour, Renderer, Show, Style};
use dolmen::prelude::*;
use hecs::World;

/// Counts lines.
#[derive(Default)]
struct Count(usize);

impl Renderer for Count {
    fn line(&mut self, _a: Vec3, _b: Vec3, _colour: Colour) {
        self.0 += 1;
    }
}

#[test]
fn drawing_all_of_a_world_allocates_nothing() {
    let (mut world, mut physics) = (World::new(), gallery::physics());
    for (k, (_, collider)) in gallery::shapes().into_iter().enumerate() {
        world.spawn(Body::fixed(collider).at(3.0 * k as Real, 20.0, 0.0));
    }
    for (k, (_, kind, second)) in gallery::joints().into_iter().enumerate() {
        let at = Vec3::new(3.0 * k as Real, 40.0, 0.0);
        let body = Body::dynamic(Collider::cuboid(0.3, 0.2, 0.1)).position(at + second.translation);
        let body = world.spawn(body.orientation(second.rotation));
        world.spawn((Joint::new(None, body, kind).anchors(at, Vec3::ZERO), JointState::default()));
    }
    world.spawn(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, -200.0));
    for y in [0.5, 1.5, 2.5] {
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, -200.0));
    }
    for _ in 0..3 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    let (mut count, style) = (Count::default(), Style::default());
    let before = allocations::asked();
    debug::draw(&physics, &mut count, Show::ALL, &style);
    assert_eq!(allocations::asked() - before, 0);
    assert!(count.0 > 2000, "{} lines", count.0);
}
