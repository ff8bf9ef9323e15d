//! Ragdolls with cones at their shoulders and hips fall onto a pile: the joint error while they fall
//! and at rest. Then one is dragged off by its head, as by a mouse pointer, with 500 N at most along each
//! axis: less than it weighs.

#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let mut head = None;
    for k in 0..8 {
        let at = Vec3::new(0.3 * (k % 2) as Real, 1.0 + 2.0 * k as Real, 0.2 * (k % 3) as Real);
        head = ragdoll::spawn(&mut world, at).get(2).copied();
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
    let head = head.expect("the last ragdoll");
    let (from, most) = (world.get::<&Position>(head).expect("a head").0, 500.0);
    let spring = JointSpring::Tuned { frequency: 3.0, damping_ratio: 1.0 };
    let drag = world.spawn((Joint::drag(None, head, spring, most).anchors(from, Vec3::ZERO), JointState::default()));
    println!("   s   pointer (m)   head behind it (m)   largest force along an axis (N)   joints apart (mm)");
    for second in 1..=4 {
        let (mut force, mut worst): (Real, f64) = (0.0, 0.0);
        for k in 0..60 {
            let pointer = from + Vec3::new(1.5, 0.5, 0.0) * ((60 * second + k - 60) as Real / 60.0).min(3.0);
            world.get::<&mut Joint>(drag).expect("the drag").frames[0].anchor = pointer;
            physics.step(&mut world, 1.0 / 60.0)?;
            force = force.max(world.get::<&JointState>(drag).expect("the drag").force.abs().max_element());
            worst = ragdoll::apart(&world).max(worst);
        }
        let pointer = world.get::<&Joint>(drag).expect("the drag").frames[0].anchor;
        let behind = (pointer - world.get::<&Position>(head).expect("a head").0).length();
        println!("{second:>4} {:>13.2} {behind:>20.3} {force:>33.1} {:>19.3}", (pointer - from).length(), worst * 1e3);
    }
    Ok(())
}
