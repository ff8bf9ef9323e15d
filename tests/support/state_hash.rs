//! The hash of a world's state, to compare runs on different processors.

use dolmen::prelude::*;
use hecs::{Entity, World};

/// Fowler, Noll and Vo's hash (FNV-1a, 64 bits) of words.
struct Hash(u64);

impl Hash {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = Real>) {
        numbers.into_iter().for_each(|x| self.word(f64::from(x).to_bits()));
    }
}

/// The hash of the poses and velocities of bodies and of the states of joints, in the order of
/// their ids: worlds that spawn in the same order have the same.
pub fn hash(world: &World) -> String {
    let mut bodies: Vec<Entity> = world.query::<(Entity, &Position)>().iter().map(|(entity, _)| entity).collect();
    let mut joints: Vec<Entity> = world.query::<(Entity, &JointState)>().iter().map(|(entity, _)| entity).collect();
    bodies.sort_by_key(|entity| entity.id());
    joints.sort_by_key(|entity| entity.id());
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for entity in bodies {
        hash.numbers(world.get::<&Position>(entity).unwrap().0.to_array());
        if let Ok(orientation) = world.get::<&Orientation>(entity) {
            hash.numbers(orientation.0.to_array());
        }
        if let Ok(velocity) = world.get::<&LinearVelocity>(entity) {
            hash.numbers(velocity.0.to_array());
        }
        if let Ok(velocity) = world.get::<&AngularVelocity>(entity) {
            hash.numbers(velocity.0.to_array());
        }
    }
    for entity in joints {
        let state = *world.get::<&JointState>(entity).unwrap();
        hash.numbers([state.angle, state.force, state.torque].into_iter().flat_map(|v| v.to_array()));
    }
    format!("{:016x}", hash.0)
}
