//! A hanging bridge of a hundred planks. A truck, much heavier than a plank, drops onto it.

#[path = "../tests/support/bridge.rs"]
mod bridge;
#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    let truck = bridge::spawn(&mut world, 100);
    println!("   s   joint error (mm)    truck at (m)   substeps");
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
