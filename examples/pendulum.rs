//! A rod pendulum released at several angles: its period compared with the elliptic integral.

use dolmen::prelude::*;

/// Periods of a rod of 1 m at g = 9.81 m/s² (s).
const ANSWERS: [(Real, f64); 4] =
    [(5.0, 1.638726531011004), (30.0, 1.6664612665004273), (90.0, 1.9333348543732454), (150.0, 2.8863955824243197)];

fn main() -> Result<(), dolmen::StepError> {
    let dt = 1.0 / 60.0;
    println!("degrees   period (s)   answer (s)   error");
    for (degrees, answer) in ANSWERS {
        let mut world = hecs::World::new();
        let mut physics = Physics::new(Settings { sleep: false, ..Settings::default() });
        let turned = Quat::from_rotation_z(degrees.to_radians());
        let inertia = Inertia { principal: Vec3::new(1.0 / 12.0, 1e-3, 1.0 / 12.0), frame: Quat::IDENTITY };
        let rod = Body::free(1.0, inertia).position(turned * Vec3::Y * -0.5).orientation(turned);
        let rod = world.spawn(rod);
        let hinge = Joint::revolute(None, rod).anchors(Vec3::ZERO, Vec3::Y * 0.5).axes(Vec3::Z, Vec3::Z);
        world.spawn((hinge, JointState::default()));
        let (mut crossings, mut before, mut time) = (Vec::new(), f64::from(degrees), 0.0);
        while crossings.len() < 11 {
            physics.step(&mut world, dt)?;
            let p = world.get::<&Position>(rod).expect("the rod is there").0;
            let now = f64::from(p.x.atan2(-p.y));
            if before > 0.0 && now <= 0.0 {
                crossings.push(time + f64::from(dt) * before / (before - now));
            }
            (before, time) = (now, time + f64::from(dt));
        }
        let period = (crossings[10] - crossings[0]) / 10.0;
        println!("{degrees:>7} {period:>12.6} {answer:>12.6} {:>8.0e}", period / answer - 1.0);
    }
    Ok(())
}
