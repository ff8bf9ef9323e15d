//! A step of a settled pile that is kept awake allocates nothing: its buffers have grown to what
//! they must hold. And they hold little.

use crate::allocations;
use dolmen::prelude::*;
use dolmen::scene::{build, generators};
use hecs::World;

/// Steps a world of a pile of boxes, balls and compounds on a ground until it has settled; the
/// allocations of ten more steps.
fn allocations_of_ten_steps(ground: Collider) -> usize {
    let mut world = World::new();
    world.spawn(Body::fixed(ground));
    let compound = Collider::compound(vec![
        (Vec3::X * 0.3, Quat::IDENTITY, Collider::cuboid(0.3, 0.3, 0.3)),
        (Vec3::X * -0.3, Quat::IDENTITY, Collider::cuboid(0.3, 0.3, 0.3)),
    ])
    .unwrap();
    let shapes =
        [Collider::cuboid(0.4, 0.4, 0.4), compound, Collider::cuboid(0.5, 0.3, 0.4), Collider::cylinder(0.4, 0.4)];
    for i in 0..64 {
        let at = Vec3::new((i % 4) as Real * 1.3 - 2.0, 0.7 + (i / 16) as Real, (i / 4 % 4) as Real * 1.3 - 2.0);
        world.spawn(Body::dynamic(shapes[i % 4].clone()).position(at));
    }
    let mut physics = Physics::new(Settings { sleep: false, threads: Some(1), ..Settings::default() });
    for _ in 0..600 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    let before = allocations::asked();
    for _ in 0..10 {
        let report = physics.step(&mut world, 1.0 / 60.0).unwrap();
        assert!(report.counts.points > 100, "{report:?}");
    }
    allocations::asked() - before
}

#[test]
fn a_settled_pile_allocates_nothing() {
    let before = allocations::asked();
    drop(vec![0_u8; 100]);
    assert!(allocations::asked() > before, "the count works");
    let slab = Collider::compound(vec![(-Vec3::Y, Quat::IDENTITY, Collider::cuboid(50.0, 1.0, 50.0))]).unwrap();
    let heights = Collider::heightfield(9, 9, &[0.0; 81], Vec3::new(40.0, 1.0, 40.0)).unwrap();
    for ground in [Collider::half_space(Vec3::Y), slab, heights] {
        let kind = format!("{ground:?}");
        assert_eq!(allocations_of_ten_steps(ground), 0, "{kind}");
    }
}

#[test]
fn a_settled_pile_takes_less_than_seven_kilobytes_a_body() {
    let scene = generators::make("pile", Some(1000)).expect("there is such a scene").scene;
    let before = allocations::bytes();
    let mut world = World::new();
    let built = build(&scene, &mut world).unwrap();
    let mut physics = Physics::new(Settings { sleep: false, threads: Some(1), ..built.settings });
    for _ in 0..400 {
        physics.step(&mut world, built.dt).unwrap();
    }
    let counts = physics.state().counts;
    let bytes = allocations::bytes().wrapping_sub(before) / counts.dynamic;
    println!("{bytes} bytes a body, {} pairs, {} manifolds", counts.pairs, counts.manifolds);
    // Twice as many in `f64`.
    let most = 7 * 1024 * size_of::<Real>() / 4;
    assert!(bytes <= most, "{bytes} bytes a body, {} pairs, {} manifolds", counts.pairs, counts.manifolds);
}
