//! Brings levels from glTF 2 files and robots from URDF files into a hecs world, as bodies, further
//! colliders and joints of dolmen. See the README for the rules.

mod error;
pub mod gltf;
pub mod urdf;

pub use error::ImportError;

use dolmen::prelude::*;
use hecs::World;

/// The name of a node, link or joint in its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub String);

/// What an import spawned, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Bodies, each with a [`Name`].
    pub bodies: Vec<Entity>,
    /// Further colliders of these bodies.
    pub colliders: Vec<Entity>,
    /// Joints between them.
    pub joints: Vec<Entity>,
}

impl Imported {
    /// The entity of a name, among bodies, colliders and joints.
    pub fn find(&self, world: &World, name: &str) -> Option<Entity> {
        let all = self.bodies.iter().chain(&self.colliders).chain(&self.joints).copied();
        all.into_iter().find(|&entity| world.get::<&Name>(entity).is_ok_and(|own| own.0 == name))
    }
}
