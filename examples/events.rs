//! What a game hears of: a ball falls through a ring of light, hits a plate that breaks under too much force, and is taken away
//! while it lies on the rest. Every event is printed as it comes.

use dolmen::prelude::*;
use hecs::{Entity, World};
use std::process::ExitCode;

/// The names of the events of some seconds, and the forces that were told of (N).
pub fn run(print: bool) -> (Vec<&'static str>, Vec<Real>) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let floor = world.spawn(Body::fixed(Collider::cuboid(5.0, 0.5, 5.0)).at(0.0, -0.5, 0.0));
    let gate = world.spawn(Body::fixed(Collider::cuboid(1.0, 0.1, 1.0)).at(0.0, 3.0, 0.0).sensor());
    let plate = world.spawn(Body::fixed(Collider::cuboid(1.0, 0.05, 1.0)).at(0.0, 1.0, 0.0).force_threshold(50.0));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.25)).at(0.0, 4.0, 0.0).mass(2.0));
    let name = move |e: Entity| match e {
        _ if e == floor => "floor",
        _ if e == gate => "gate",
        _ if e == plate => "plate",
        _ => "ball",
    };
    let (mut heard, mut forces) = (Vec::new(), Vec::new());
    for step in 0..300 {
        if step == 240 {
            world.despawn(ball).expect("it was there");
        }
        physics.step(&mut world, 1.0 / 60.0).expect("the world is sound");
        for event in physics.events() {
            let (what, who) = match *event {
                Event::ContactBegan { entities } => ("began", entities.to_vec()),
                Event::ContactEnded { entities } => ("ended", entities.to_vec()),
                Event::SensorEntered { entities } => ("entered", entities.to_vec()),
                Event::SensorLeft { entities } => ("left", entities.to_vec()),
                Event::Impact { entities, .. } => ("impact", entities.to_vec()),
                Event::ContactForce { entities, force, .. } => {
                    forces.push(force.length());
                    ("force", entities.to_vec())
                }
                Event::Parked { entity } => ("parked", vec![entity]),
                Event::Woken { entity } => ("woken", vec![entity]),
                _ => continue,
            };
            if print {
                println!(
                    "{:5.2} s  {what:<8} {}",
                    step as f64 / 60.0,
                    who.into_iter().map(name).collect::<Vec<_>>().join(", ")
                );
            }
            heard.push(what);
        }
        // A plate that was told to bear too much is gone.
        let broken = physics.events().iter().any(|e| matches!(e, Event::ContactForce { .. }));
        if broken && world.contains(plate) {
            world.despawn(plate).expect("it was there");
        }
    }
    // A body that stops may strike more than once before it lies.
    heard.dedup();
    (heard, forces)
}

/// What must be heard, in this order.
pub const EXPECTED: [&str; 8] = ["entered", "left", "impact", "force", "impact", "began", "parked", "ended"];

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let (heard, _) = run(true);
    let fine = heard == EXPECTED;
    println!("{}: {} events, none lost", if fine { "ok" } else { "WRONG" }, heard.len());
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
