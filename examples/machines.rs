//! Gears, a rack, a winch, an arm and a pulley: a motor drives a hoist through a gear and a rack with its
//! pinion, an arm stops at its cone, and a weight of 10 kg holds up most of 21 kg by a block and tackle.

use dolmen::prelude::*;
use hecs::{Entity, World};

/// A wheel of 5 kg that turns about z on the world, and its hinge.
fn wheel(world: &mut World, radius: Real, at: Vec3) -> Result<(Entity, Entity), dolmen::StepError> {
    let inertia = Inertia { principal: Vec3::splat(2.5 * radius * radius), frame: Quat::IDENTITY };
    let wheel = world.spawn(Body::free(5.0, inertia).position(at));
    let hinge = Joint::revolute(None, wheel).placed(world, at, Vec3::Z)?;
    Ok((wheel, world.spawn((hinge, JointState::default()))))
}

fn main() -> Result<(), dolmen::StepError> {
    let mut world = World::new();
    let mut physics = Physics::new(Settings::default());

    // A motor turns a gear of 0.1 m, which turns one of 0.4 m with a drum of 0.2 m on its shaft.
    let (small, motor) = wheel(&mut world, 0.1, Vec3::new(-0.5, 5.0, 0.0))?;
    let (large, shaft) = wheel(&mut world, 0.4, Vec3::new(0.0, 5.0, 0.0))?;
    world.get::<&mut Joint>(motor).expect("a joint").axis_mut(3).expect("a hinge").motor =
        Some(Motor::velocity(-8.0, 100.0));
    world.spawn((Joint::gear(small, large, 4.0).axes(Vec3::Z, Vec3::Z), JointState::default()));
    let load = world.spawn(Body::dynamic(Collider::ball(0.2)).at(0.2, 1.0, 0.0).mass(100.0));
    let rope = world.spawn((Joint::winch(large, load, 0.2, 4.0).axes(Vec3::Z, Vec3::X), JointState::default()));

    // The motor's gear is the pinion of a rack, too.
    let rack = world.spawn(Body::dynamic(Collider::cuboid(1.0, 0.05, 0.05)).at(-0.5, 5.15, 0.0).mass(10.0));
    world.spawn((
        Joint::prismatic(None, rack).placed(&world, Vec3::new(-0.5, 5.1, 0.0), Vec3::X)?,
        JointState::default(),
    ));
    let teeth = Joint::rack_and_pinion(small, rack, -0.1).anchors(Vec3::ZERO, Vec3::NEG_Y * 0.05);
    world.spawn((teeth.axes(Vec3::Z, Vec3::X), JointState::default()));

    // An arm falls to the rim of its cone: 40 degrees down, 80 sideways.
    let arm = world.spawn(
        Body::dynamic(Collider::capsule(0.3, 0.08))
            .at(3.4, 2.0, 0.0)
            .orientation(Quat::from_rotation_arc(Vec3::Y, Vec3::X))
            .damping(0.5, 0.5),
    );
    let cone = SwingTwist::new([80.0, 40.0].map(Real::to_radians), [-0.5, 0.5]);
    let shoulder = Joint::swing_twist(None, arm, cone).placed(&world, Vec3::new(3.0, 2.0, 0.0), Vec3::X)?;
    let shoulder = world.spawn((shoulder, JointState::default()));

    // The heavier weight falls by g (21 - 2 x 10) / (21 + 4 x 10) and lifts the lighter one twice as fast.
    let mut weight =
        |mass: Real, x: Real, y: Real| world.spawn(Body::dynamic(Collider::ball(0.2)).at(x, y, 0.0).mass(mass));
    let (light, heavy) = (weight(10.0, 6.0, 0.0), weight(21.0, 7.0, 6.0));
    let points = [Vec3::new(6.0, 8.0, 0.0), Vec3::new(7.0, 8.0, 0.0)];
    let tackle = world.spawn((Joint::pulley(light, heavy, points, 2.0, 12.0), JointState::default()));

    println!("   s   motor (rad)   shaft (rad)   load (m)   rope (N)   rack (m)   teeth apart (um)   arm (degrees)");
    for second in 1..=6 {
        for _ in 0..60 {
            physics.step(&mut world, 1.0 / 60.0)?;
        }
        let state = |joint| *world.get::<&JointState>(joint).expect("a joint");
        let at = |body| world.get::<&Position>(body).expect("a body").0;
        println!(
            "{second:>4} {:>13.3} {:>13.3} {:>10.3} {:>10.1} {:>10.3} {:>8.2} {:>8.2} {:>15.1}",
            state(motor).angle.x,
            state(shaft).angle.x,
            at(load).y,
            state(rope).force.length(),
            at(rack).x,
            (0.1 * state(motor).angle.x + 0.4 * state(shaft).angle.x) * 1e6,
            (at(rack).x + 0.5 + 0.1 * state(motor).angle.x) * 1e6,
            state(shoulder).angle.z.to_degrees(),
        );
    }
    let fall = 6.0 - world.get::<&Position>(heavy).expect("a body").0.y;
    let lift = world.get::<&Position>(light).expect("a body").0.y;
    let rope = world.get::<&JointState>(tackle).expect("a joint").position.x;
    let expected = 0.5 * 9.81 / 61.0 * 36.0;
    println!(
        "the pulley's weights fell {fall:.3} m and rose {lift:.3} m, by the closed form {expected:.3} and {:.3};",
        2.0 * expected
    );
    println!("its rope of 12 m is {rope:.4} m long");
    Ok(())
}
