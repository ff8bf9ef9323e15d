//! A car on four wheel joints drives over a hanging bridge.

#[path = "../tests/support/bridge.rs"]
mod bridge;

use dolmen::math::consts::FRAC_PI_2;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Radius of a wheel (m), and the speed to hold (m/s).
const RADIUS: Real = 0.35;
const SPEED: Real = 4.0;

/// Spawns a car of 900 kg that stands at a place and looks along x: the chassis and the four joints
/// of its wheels, those in front first.
fn spawn(world: &mut World, at: Vec3) -> Result<(Entity, [Entity; 4]), dolmen::StepError> {
    let grip = Material::new(1.0, 0.0);
    let chassis = Body::dynamic(Collider::cuboid(1.6, 0.25, 0.6)).mass(900.0).position(at + Vec3::Y * 0.8);
    let chassis = world.spawn(chassis);
    // x is the suspension and the steering, y the axle.
    let spring = JointSpring::Si { stiffness: 4e4, damping: 3e3 };
    let suspension = JointAxis {
        limits: Some([-0.2, 0.2]),
        motor: Some(Motor::position(0.0, spring, Real::INFINITY)),
        ..JointAxis::default()
    };
    let straight = Motor::position(0.0, JointSpring::Tuned { frequency: 8.0, damping_ratio: 1.0 }, Real::INFINITY);
    let steering = JointAxis { limits: Some([-0.6, 0.6]), motor: Some(straight), ..JointAxis::default() };
    // A wheel rolls along x about -z.
    let drive = JointAxis { motor: Some(Motor::velocity(-SPEED / RADIUS, 400.0)), ..JointAxis::default() };
    let mut joints = Vec::new();
    for (x, z) in [(1.2, 0.8), (1.2, -0.8), (-1.2, 0.8), (-1.2, -0.8)] {
        let hub = at + Vec3::new(x, RADIUS, z);
        let wheel = Body::dynamic(Collider::cylinder(0.12, RADIUS)).mass(25.0).material(grip);
        let wheel = world.spawn(wheel.position(hub).orientation(Quat::from_rotation_x(FRAC_PI_2)));
        let joint = Joint::wheel(chassis, wheel, suspension, (x > 0.0).then_some(steering), drive);
        let joint = joint.placed_in(world, hub, Vec3::Y, Vec3::Z)?;
        joints.push(world.spawn((joint, JointState::default())));
    }
    Ok((chassis, joints.try_into().expect("a car has four wheels")))
}

fn main() -> Result<(), dolmen::StepError> {
    let mut world = World::new();
    let mut physics = Physics::new(Settings::default());
    let (_, end) = bridge::spawn_planks(&mut world, 40);
    for x in [-10.0, end.x + 10.0] {
        world.spawn(Body::fixed(Collider::cuboid(10.0, 1.0, 3.0)).at(x, -0.95, 0.0));
    }
    let (car, wheels) = spawn(&mut world, Vec3::new(-6.0, 0.05, 0.0))?;
    println!("the bridge is {:.1} m long", end.x);
    println!("   s   car at (m)   height (m)   speed (m/s)   front springs (mm)");
    for second in 1..=9 {
        for _ in 0..60 {
            physics.step(&mut world, 1.0 / 60.0)?;
            // The driver holds the middle of the road.
            let (place, turn) =
                (world.get::<&Position>(car).expect("a body").0, world.get::<&Orientation>(car).expect("a body").0);
            let angle = (0.1 * place.z + (turn * Vec3::X).z).clamp(-0.5, 0.5);
            for joint in &wheels[..2] {
                let mut joint = world.get::<&mut Joint>(*joint).expect("a joint");
                let Some(motor) = joint.axis_mut(3).and_then(|axis| axis.motor.as_mut()) else { continue };
                if let MotorTarget::Position { target, .. } = &mut motor.target {
                    *target = angle;
                }
            }
        }
        let place = world.get::<&Position>(car).expect("a body").0;
        let speed = world.get::<&LinearVelocity>(car).expect("a body").0.length();
        let spring = [0, 1].map(|k| world.get::<&JointState>(wheels[k]).expect("a joint").position.x * 1e3);
        println!(
            "{second:>4} {:>12.2} {:>12.3} {speed:>13.2} {:>12.0} {:>6.0}",
            place.x, place.y, spring[0], spring[1]
        );
    }
    Ok(())
}
