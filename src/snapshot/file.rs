//! Snapshots as files.
//!
//! A file begins with a mark, a version, the engine's scalar and a checksum; the state follows, in
//! [postcard](https://docs.rs/postcard)'s encoding. Shapes are the game's: the file holds a digest of each, and the bodies of the world
//! that is restored must have the same ones.

use super::{Snapshot, sound};
use crate::components::{Collider, JointState};
use crate::kept::stamp;
use crate::math::Real;
use crate::math::parry::shape::{ShapeType, SharedShape};
use crate::systems::gather::pending::Pending;
use crate::systems::state::State;
use hecs::Entity;
use rustc_hash::FxHashMap;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What a file of a snapshot begins with.
const MARK: [u8; 8] = *b"DOLMENSN";
/// Grows whenever what follows means something else.
const VERSION: u32 = 8;
/// Mark, version, bytes of a scalar, checksum.
const HEAD: usize = MARK.len() + 4 + 4 + 8;

/// Why a file is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is something else.
    Foreign,
    /// It was written by a version whose files this one does not read.
    Version {
        /// Of the file.
        found: u32,
    },
    /// It was written with another scalar.
    Scalar {
        /// Bytes of the file's scalar.
        found: u32,
    },
    /// It is not whole, or not as it was written.
    Damaged {
        /// What is wrong.
        problem: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => write!(f, "this is no snapshot"),
            Self::Version { found } => write!(f, "the snapshot is of version {found}, and this is {VERSION}"),
            Self::Scalar { found } => {
                write!(f, "the snapshot has scalars of {found} bytes, and this build has {}", size_of::<Real>())
            }
            Self::Damaged { problem } => write!(f, "the snapshot is damaged: {problem}"),
        }
    }
}

impl std::error::Error for SnapshotError {}

fn damaged(problem: impl ToString) -> SnapshotError {
    SnapshotError::Damaged { problem: problem.to_string() }
}

/// What is written.
#[derive(Serialize)]
struct Written<'a> {
    state: &'a State,
    pending: &'a [Pending],
    joints: &'a [(Entity, JointState)],
    shapes: Vec<u64>,
}

/// What is read.
#[derive(Deserialize)]
struct Read {
    state: State,
    pending: Vec<Pending>,
    joints: Vec<(Entity, JointState)>,
    shapes: Vec<u64>,
}

impl Snapshot {
    /// The snapshot as the bytes of a file.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// use dolmen::snapshot::SnapshotError;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// world.spawn(Body::dynamic(Collider::ball(0.5)));
    /// physics.step(&mut world, 1.0 / 60.0).unwrap();
    /// let mut file = physics.save(&world).to_bytes();
    /// physics.restore(&mut world, &dolmen::Snapshot::from_bytes(&file)?);
    /// *file.last_mut().unwrap() ^= 1;
    /// assert!(matches!(dolmen::Snapshot::from_bytes(&file), Err(SnapshotError::Damaged { .. })));
    /// # Ok::<(), SnapshotError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let shapes = match &self.shapes {
            Some(shapes) => shapes.clone(),
            None => digests(self.state.bodies.inputs.iter().map(|inputs| inputs.collider.as_ref())),
        };
        let written = Written { state: &self.state, pending: &self.pending, joints: &self.joints, shapes };
        let content = postcard::to_allocvec(&written).expect("a state can be written to memory");
        let mut bytes = Vec::with_capacity(HEAD + content.len());
        bytes.extend(MARK);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((size_of::<Real>() as u32).to_le_bytes());
        bytes.extend(checksum(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    /// The snapshot in a file.
    ///
    /// # Errors
    /// [`SnapshotError`] for a file that is none, of another version or scalar, or not as it was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let (head, content) = bytes.split_at_checked(HEAD).ok_or(SnapshotError::Foreign)?;
        let (mark, head) = head.split_at(MARK.len());
        let [version, scalar] = [&head[..4], &head[4..8]].map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
        if mark != MARK {
            return Err(SnapshotError::Foreign);
        }
        if version != VERSION {
            return Err(SnapshotError::Version { found: version });
        }
        if scalar != size_of::<Real>() as u32 {
            return Err(SnapshotError::Scalar { found: scalar });
        }
        if checksum(content).to_le_bytes() != head[8..] {
            return Err(damaged("its checksum is another"));
        }
        let Read { mut state, pending, joints, shapes } = postcard::from_bytes(content).map_err(damaged)?;
        let shaped: Vec<bool> = shapes.iter().map(|&shape| shape != 0).collect();
        sound::check(&mut state, &shaped).map_err(damaged)?;
        state.bodies.admit();
        state.colliders.boxed = vec![stamp(); state.bodies.slots()];
        state.contacts.begin(stamp());
        state.contacts.note_all();
        state.colliders.geometry.resize_with(state.bodies.slots(), || None);
        Ok(Self { state, pending, joints, shapes: Some(shapes), ..Self::default() })
    }
}

impl Serialize for Snapshot {
    /// As the bytes of a file, whatever the format around it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Bytes, in formats that know them and in those that write them as a list of numbers.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Snapshot;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the bytes of a snapshot")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Snapshot, E> {
        Snapshot::from_bytes(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Snapshot, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

/// FNV-1a, eight bytes at a time.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 32;
    }
    hash
}

/// The digests of shapes, 0 where there is none. The same shape is looked at once.
fn digests<'a>(shapes: impl Iterator<Item = Option<&'a Collider>>) -> Vec<u64> {
    let mut known = FxHashMap::default();
    shapes
        .map(|shape| {
            shape.map_or(0, |shape| *known.entry(crate::bodies::address(shape)).or_insert_with(|| digest(&shape.0)))
        })
        .collect()
}

/// A number, never 0, that two shapes share if they are the same: of one that parry cannot write, its kind and box.
fn digest(shape: &SharedShape) -> u64 {
    let custom = shape.shape_type() == ShapeType::Custom;
    let written = if custom { None } else { postcard::to_allocvec(shape).ok() };
    let bytes = written.unwrap_or_else(|| {
        let aabb = shape.compute_local_aabb();
        let corners = aabb.mins.to_array().into_iter().chain(aabb.maxs.to_array());
        corners.flat_map(|x| f64::from(x).to_bits().to_le_bytes()).chain([shape.shape_type() as u8]).collect()
    });
    checksum(&bytes).max(1)
}

/// Lets the bodies of a state that came from a file take their shapes from the world, where they are the same.
pub(super) fn take_shapes(state: &mut State, world: &hecs::World, shapes: &[u64]) {
    let mut known = FxHashMap::default();
    for (slot, &shape) in shapes.iter().enumerate().filter(|(_, shape)| **shape != 0) {
        let Ok(collider) = world.get::<&Collider>(state.bodies.entity[slot]) else { continue };
        let own = *known.entry(crate::bodies::address(&collider)).or_insert_with(|| digest(&collider.0));
        if own == shape {
            state.take_shape(slot, &collider);
        }
    }
    state.bodies.restamp_all();
}
