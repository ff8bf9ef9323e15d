//! Imports a level or a robot, steps it, and prints its bodies.

use clap::Parser;
use dolmen::prelude::*;
use dolmen_import::{Imported, Name, gltf, urdf};
use std::path::PathBuf;

/// Imports a level (`.gltf`, `.glb`) or a robot (`.urdf`), steps it, and prints its bodies.
#[derive(Parser)]
struct Options {
    /// The file.
    file: PathBuf,

    /// Steps of a sixtieth of a second.
    #[arg(long, default_value_t = 300)]
    steps: u32,

    /// The root link of a robot is free.
    #[arg(long)]
    free: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    let is_robot = options.file.extension().is_some_and(|kind| kind == "urdf");
    let Imported { bodies, colliders, joints } = if is_robot {
        urdf::load(&mut world, &options.file, &urdf::Stand { fixed: !options.free, ..Default::default() })?
    } else {
        gltf::load(&mut world, &options.file)?
    };
    println!("{} bodies, {} further colliders, {} joints", bodies.len(), colliders.len(), joints.len());
    let mut asleep = 0;
    for _ in 0..options.steps {
        asleep = physics.step(&mut world, 1.0 / 60.0)?.counts.asleep;
    }
    println!("after {} steps, {asleep} asleep:", options.steps);
    for body in bodies {
        let row = world.entity(body)?;
        let name = row.get::<&Name>().map_or_else(String::new, |name| name.0.clone());
        let kind = row.get::<&RigidBody>().map_or(RigidBody::Static, |kind| *kind);
        let p = row.get::<&Position>().map_or(Vec3::ZERO, |p| p.0);
        println!("{name:24} {:9} {:9.3} {:9.3} {:9.3}", format!("{kind:?}"), p.x, p.y, p.z);
    }
    Ok(())
}
