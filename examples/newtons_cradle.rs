//! Newton's cradle with five balls: one to four are released, and as many move on the other side.

use dolmen::prelude::*;

fn main() -> Result<(), dolmen::StepError> {
    println!("let go   speeds at the far end of the swing to come (m/s)");
    for incoming in 1..=4 {
        let mut world = hecs::World::new();
        let mut physics = Physics::new(Settings { sleep: false, ..Settings::default() });
        let turned = Quat::from_rotation_z(-0.5);
        let balls: Vec<_> = (0..5)
            .map(|k| {
                let pivot = Vec3::new(0.2 * k as Real, 1.0, 0.0);
                let hang = if k < incoming { turned * Vec3::NEG_Y } else { Vec3::NEG_Y };
                let ball = Body::dynamic(Collider::ball(0.1)).mass(1.0).material(Material::new(0.0, 1.0));
                let ball = world.spawn(ball.position(pivot + hang));
                let rod = Joint::distance(None, ball, 1.0, 1.0).anchors(pivot, Vec3::ZERO);
                world.spawn((rod, JointState::default()));
                ball
            })
            .collect();
        for _ in 0..180 {
            physics.step(&mut world, 1.0 / 240.0)?;
        }
        let speed = |&ball: &hecs::Entity| world.get::<&LinearVelocity>(ball).map_or(0.0, |v| v.0.length());
        println!("{incoming:>6}   {:.4?}", balls.iter().map(speed).collect::<Vec<_>>());
    }
    Ok(())
}
