//! Poses of engines during a run, as a JSON file that pictures are drawn from.

use dolmen::components::{Orientation, Position};
use hecs::{Entity, World};
use serde::Serialize;

/// Poses of a scene in several engines.
#[derive(Serialize)]
pub struct Poses {
    /// The command that wrote the file.
    pub command: String,
    /// Steps from one set of poses to the next.
    pub every: u64,
    pub engines: Vec<Frames>,
}

/// The poses of one engine: x, y, z in mm and the vector part of the quaternion, with a scalar part
/// that is not negative, in thousandths, one after the other for each body, in the scene's order.
/// The first set is that of the start.
#[derive(Serialize)]
pub struct Frames {
    pub engine: String,
    pub frames: Vec<Vec<i32>>,
}

/// The poses of bodies of a world.
pub fn poses(world: &World, entities: &[Entity]) -> Vec<i32> {
    let pose = |&entity: &Entity| {
        let position = world.get::<&Position>(entity).map_or_else(|_| Default::default(), |position| *position);
        let turn = world.get::<&Orientation>(entity).map_or_else(|_| Default::default(), |turn| *turn).0;
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let [x, y, z] = position.0.to_array();
        [x, y, z, turn.x, turn.y, turn.z].map(|value| (value * 1e3).round() as i32)
    };
    entities.iter().flat_map(pose).collect()
}
