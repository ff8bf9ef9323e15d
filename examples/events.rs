//! Events: a ball falls through a sensor, hits a plate that breaks under too much force, comes to
//! rest on the floor and is despawned. Every event is printed.

use dolmen::prelude::*;
use hecs::{Entity, World};
use std::process::ExitCode;

/// The names of all events, and the reported contact forces (N).
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
                Event::FellAsleep { entity } => ("asleep", vec![entity]),
                Event::WokeUp { entity } => ("awake", vec![entity]),
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
        // The plate breaks at its force threshold.
        let broken = physics.events().iter().any(|e| matches!(e, Event::ContactForce { .. }));
        if broken && world.contains(plate) {
            world.despawn(plate).expect("it was there");
        }
    }
    // A body that comes to rest may have several impacts.
    heard.dedup();
    (heard, forces)
}

/// The expected events, in order.
pub const EXPECTED: [&str; 8] = ["entered", "left", "impact", "force", "impact", "began", "asleep", "ended"];

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let (heard, _) = run(true);
    let fine = heard == EXPECTED;
    println!("{}: {} events, none lost", if fine { "ok" } else { "WRONG" }, heard.len());
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
