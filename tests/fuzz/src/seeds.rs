//! Valid inputs, which are mutated.

use dolmen::math::Real;
use dolmen::prelude::*;
use hecs::World;
use std::path::Path;

/// Valid inputs of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let scenes: [&[u8]; 2] =
        [include_bytes!("../../data/scenes/every_joint.json"), include_bytes!("../../data/scenes/every_shape.json")];
    match target {
        "scene" => scenes.iter().map(|text| text.to_vec()).collect(),
        "snapshot" => {
            let (world, physics) = saved_world();
            vec![physics.save(&world).to_bytes()[HEADER..].to_vec()]
        }
        // Bytes that the targets make shapes of: any will do.
        _ => (0..4u8).map(|k| (0..512u32).map(|i| (i * 37 + u32::from(k) * 101) as u8).collect()).collect(),
    }
}

/// Writes the valid inputs of each target to a folder of its name.
pub fn write(folder: &Path) -> std::io::Result<()> {
    for target in crate::targets::ALL {
        let own = folder.join(target.name);
        std::fs::create_dir_all(&own)?;
        for (k, seed) in of(target.name).iter().enumerate() {
            std::fs::write(own.join(format!("seed-{k}")), seed)?;
        }
    }
    Ok(())
}

/// A small world after some steps: the same bits in each call.
pub fn saved_world() -> (World, Physics) {
    let (mut world, mut physics) = (World::new(), Physics::new(Settings { threads: Some(1), ..Settings::default() }));
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let boxes = [0.4, 1.4, 2.4].map(|y: Real| {
        let body = Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.1 * y, y, 0.0);
        world.spawn(body)
    });
    let hung = world.spawn(Body::dynamic(Collider::ball(0.3)).at(3.0, 2.0, 0.0));
    world.spawn((
        Joint::revolute(None, hung).placed(&world, Vec3::new(3.0, 3.0, 0.0), Vec3::Z).unwrap(),
        JointState::default(),
    ));
    world.spawn((Joint::distance(boxes[2], hung, 0.0, 5.0), JointState::default()));
    for _ in 0..20 {
        physics.step(&mut world, 1.0 / 60.0).expect("a valid world");
    }
    (world, physics)
}

/// Length of a snapshot's header: mark, version, size of the scalar, checksum.
const HEADER: usize = 24;

/// Content of a snapshot behind the header that belongs to it.
pub fn sealed(content: &[u8]) -> Vec<u8> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ content.len() as u64;
    for chunk in content.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 32;
    }
    let (world, physics) = (World::new(), Physics::default());
    let mut file = physics.save(&world).to_bytes();
    file.truncate(HEADER - 8);
    file.extend(hash.to_le_bytes());
    file.extend(content);
    file
}
