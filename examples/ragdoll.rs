//! Ragdolls with cones at their shoulders and hips fall onto a pile: the joint error while they fall
//! and at rest.

#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for k in 0..8 {
        let at = Vec3::new(0.3 * (k % 2) as Real, 1.0 + 2.0 * k as Real, 0.2 * (k % 3) as Real);
        ragdoll::spawn(&mut world, at);
    }
    ragdoll::limit_by_cones(&mut world);
    println!("   s   joints apart (mm)   asleep   substeps");
    for second in 1..=12 {
        let (mut worst, mut counts) = (0.0, Default::default());
        for _ in 0..60 {
            counts = physics.step(&mut world, 1.0 / 60.0)?.counts;
            worst = ragdoll::apart(&world).max(worst);
        }
        println!("{second:>4} {:>19.3} {:>8} {:>10}", worst * 1e3, counts.asleep, counts.substeps);
    }
    Ok(())
}
