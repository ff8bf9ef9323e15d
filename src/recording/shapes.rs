//! Shapes of a recording, each stored once.

use super::recorder::RecordError;
use crate::bodies::shape_address;
use crate::components::Collider;
use crate::math::parry::shape::SharedShape;
use hecs::Entity;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A shape in postcard encoding, and the number by which changes refer to it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredShape {
    number: u64,
    bytes: Vec<u8>,
}

/// A shape in use, which is kept alive, so that no other can have its address.
struct Known {
    _collider: Collider,
    stored: StoredShape,
    /// The last part of the recording that refers to it.
    part: u64,
}

/// The shapes that a recorder has met.
#[derive(Default)]
pub(super) struct Shapes {
    known: FxHashMap<usize, Known>,
    next: u64,
    /// The part of the recording that is written now.
    pub part: u64,
}

impl Shapes {
    /// The number of a shape; a new one is stored.
    ///
    /// # Errors
    /// [`RecordError::Shape`] for a shape that cannot be read again as it is.
    pub fn number(&mut self, entity: Entity, collider: &Collider) -> Result<u64, RecordError> {
        let address = shape_address(collider);
        if let Some(known) = self.known.get_mut(&address) {
            known.part = self.part;
            return Ok(known.stored.number);
        }
        let bytes = encode(collider).ok_or(RecordError::Shape { entity })?;
        let stored = StoredShape { number: self.next, bytes };
        self.next += 1;
        let number = stored.number;
        self.known.insert(address, Known { _collider: collider.clone(), stored, part: self.part });
        Ok(number)
    }

    /// Forgets the shapes that no part from this one on refers to.
    pub fn forget_before(&mut self, part: u64) {
        self.known.retain(|_, known| known.part >= part);
    }

    /// All shapes, by number.
    pub fn stored(&self) -> Vec<StoredShape> {
        let mut list: Vec<StoredShape> = self.known.values().map(|known| known.stored.clone()).collect();
        list.sort_unstable_by_key(|stored| stored.number);
        list
    }
}

/// A shape as bytes from which the same shape can be read.
fn encode(collider: &Collider) -> Option<Vec<u8>> {
    let bytes = postcard::to_allocvec(&collider.0).ok()?;
    let again: SharedShape = postcard::from_bytes(&bytes).ok()?;
    let rewritten = postcard::to_allocvec(&again).ok()?;
    (rewritten == bytes).then_some(bytes)
}

/// The shapes of a recording that is replayed.
pub(super) struct LoadedShapes(FxHashMap<u64, Collider>);

impl LoadedShapes {
    /// Reads the shapes; `None` if one is no shape.
    pub fn new(stored: &[StoredShape]) -> Option<Self> {
        let read = |shape: &StoredShape| Some((shape.number, Collider(postcard::from_bytes(&shape.bytes).ok()?)));
        stored.iter().map(read).collect::<Option<_>>().map(Self)
    }

    pub fn get(&self, number: u64) -> Option<Collider> {
        self.0.get(&number).cloned()
    }
}
