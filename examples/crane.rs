//! A crane: a ball of 1000 kg on a chain of twenty links of 1 kg, on a jib turned by a motor. A winch on
//! the jib hoists a bale of 300 kg.

#[path = "../tests/support/ragdoll.rs"]
mod ragdoll;

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    let solid = |mass: Real, radius: Real| {
        let inertia = Inertia { principal: Vec3::splat(0.4 * mass * radius * radius), frame: Quat::IDENTITY };
        Body::free(mass, inertia)
    };
    let jib = world.spawn(solid(5000.0, 3.0).at(4.0, 12.0, 0.0));
    let mast = Joint::revolute(None, jib).anchors(Vec3::Y * 12.0, Vec3::X * -4.0).axes(Vec3::Y, Vec3::Y);
    world.spawn((mast.motor(Motor::velocity(0.3, 2e5)), JointState::default()));
    let (mut last, mut hold) = (jib, Vec3::X * 4.0);
    for k in 0..20 {
        let link = world.spawn(solid(1.0, 0.1).at(8.0, 11.8 - 0.4 * k as Real, 0.0));
        world.spawn((Joint::spherical(last, link).anchors(hold, Vec3::Y * 0.2), JointState::default()));
        (last, hold) = (link, Vec3::Y * -0.2);
    }
    let ball = world.spawn(solid(1000.0, 0.5).at(8.0, 3.5, 0.0));
    let hook = world.spawn((Joint::spherical(last, ball).anchors(hold, Vec3::Y * 0.5), JointState::default()));
    let drum = world.spawn(solid(50.0, 0.2).at(2.0, 12.0, 0.0));
    let shaft = Joint::revolute(jib, drum).anchors(Vec3::X * -2.0, Vec3::ZERO).axes(Vec3::Z, Vec3::Z);
    world.spawn((shaft.motor(Motor::velocity(1.0, 2e3)), JointState::default()));
    let bale = world.spawn(solid(300.0, 0.5).at(2.2, 4.0, 0.0));
    world.spawn((Joint::winch(drum, bale, 0.2, 8.0).axes(Vec3::Z, Vec3::X), JointState::default()));
    println!("   s   joint error (mm)   hook force (kN)   ball swings out to (m)   bale at (m)");
    for second in 1..=15 {
        let mut worst: f64 = 0.0;
        for _ in 0..60 {
            physics.step(&mut world, 1.0 / 60.0)?;
            worst = ragdoll::apart(&world).max(worst);
        }
        let load = world.get::<&JointState>(hook).expect("the hook is there").force.length() * 1e-3;
        let p = world.get::<&Position>(ball).expect("the ball is there").0;
        let height = world.get::<&Position>(bale).expect("the bale is there").0.y;
        println!("{second:>4} {:>19.3} {load:>17.2} {:>24.3} {height:>14.3}", worst * 1e3, p.x.hypot(p.z));
    }
    Ok(())
}
