//! A hanging bridge of a hundred planks. A truck, much heavier than a plank, drops onto it, with a load on
//! springs.

#[path = "../tests/support/bridge.rs"]
mod bridge;
#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    let truck = bridge::spawn(&mut world, 100);
    // A load of a tonne above the truck: 3 Hz upwards and sideways, 2 Hz when it rocks.
    let bed = world.get::<&Position>(truck).expect("the truck is there").0 + Vec3::Y * 1.5;
    let load = world.spawn(Body::dynamic(Collider::cuboid(1.0, 0.5, 0.8)).mass(1000.0).position(bed));
    let [linear, angular] = [3.0, 2.0].map(|frequency| JointSpring::Tuned { frequency, damping_ratio: 0.1 });
    let weld = Joint::soft_weld(truck, load, linear, angular).placed(&world, bed, Vec3::Y)?;
    let weld = world.spawn((weld, JointState::default()));
    println!("   s   joint error (mm)    truck at (m)   load sinks by (mm)   substeps");
    for second in 1..=10 {
        let (mut worst, mut sinks, mut counts) = (0.0, 0.0, Default::default());
        for _ in 0..60 {
            counts = physics.step(&mut world, 1.0 / 60.0)?.counts;
            worst = ragdoll::apart(&world).max(worst);
            sinks = (-world.get::<&JointState>(weld).expect("the weld is there").position.x).max(sinks);
        }
        let height = world.get::<&Position>(truck).expect("the truck is there").0.y;
        println!("{second:>4} {:>19.3} {height:>14.3} {:>20.1} {:>10}", worst * 1e3, sinks * 1e3, counts.substeps);
    }
    Ok(())
}
