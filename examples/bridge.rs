//! A hanging bridge of a hundred planks, and a truck of many times a plank's weight that drops on it.

#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

const PLANKS: usize = 100;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    let plank = Collider::cuboid(0.24, 0.05, 1.5);
    let half = Vec3::X * 0.25;
    let mut last = None;
    for k in 0..PLANKS {
        let x = 0.5 * k as Real + 0.25;
        let body = world.spawn(Body::dynamic(plank.clone()).at(x, 0.0, 0.0).damping(0.0, 0.2));
        let from = if last.is_some() { half } else { Vec3::ZERO };
        let hinge = Joint::revolute(last, body).anchors(from, -half).axes(Vec3::Z, Vec3::Z);
        world.spawn((hinge, JointState::default()));
        last = Some(body);
    }
    let far = Joint::revolute(last, None).anchors(half, Vec3::X * (0.5 * PLANKS as Real)).axes(Vec3::Z, Vec3::Z);
    world.spawn((far, JointState::default()));
    let truck = Body::dynamic(Collider::cuboid(2.0, 0.8, 1.0)).density(600.0).at(25.0, 2.0, 0.0);
    let truck = world.spawn(truck);
    println!("   s   joints apart (mm)   truck at (m)   substeps");
    for second in 1..=10 {
        let (mut worst, mut counts) = (0.0, Default::default());
        for _ in 0..60 {
            counts = physics.step(&mut world, 1.0 / 60.0)?.counts;
            worst = ragdoll::apart(&world).max(worst);
        }
        let height = world.get::<&Position>(truck).expect("the truck is there").0.y;
        println!("{second:>4} {:>19.3} {height:>14.3} {:>10}", worst * 1e3, counts.substeps);
    }
    Ok(())
}
