//! Poses of other engines, from files that `dolmen-peers` wrote.

use crate::Fault;
use dolmen::prelude::*;
use serde::Deserialize;

/// Poses of a scene in some engines (see `benches/peers/src/poses.rs`).
#[derive(Deserialize)]
pub struct Poses {
    /// Steps from one set of poses to the next.
    pub every: u64,
    pub engines: Vec<Frames>,
}

/// The poses of one engine.
#[derive(Deserialize)]
pub struct Frames {
    pub engine: String,
    frames: Vec<Vec<i32>>,
}

impl Poses {
    pub fn read(text: &str) -> Result<Self, Fault> {
        Ok(serde_json::from_str(text)?)
    }
}

impl Frames {
    /// Number of sets of poses.
    pub fn count(&self) -> usize {
        self.frames.len()
    }

    /// Position and orientation of a body in a set of poses.
    pub fn pose(&self, frame: usize, body: usize) -> (Vec3, Quat) {
        let numbers: [Real; 6] = std::array::from_fn(|k| self.frames[frame][6 * body + k] as Real * 1e-3);
        let [x, y, z, i, j, k] = numbers;
        let w = (1.0 - i * i - j * j - k * k).max(0.0).sqrt();
        (Vec3::new(x, y, z), Quat::from_xyzw(i, j, k, w).normalize())
    }
}

/// The name of an engine as it writes itself.
pub fn title(engine: &str) -> &str {
    match engine {
        "rapier" => "Rapier",
        "box3d" => "Box3D",
        other => other,
    }
}
