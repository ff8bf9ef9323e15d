//! Snapshot files.
//!
//! A file starts with magic bytes, a version, the size of the engine's scalar and a checksum,
//! followed by the state in [postcard](https://docs.rs/postcard) encoding. Shapes are not stored:
//! the file contains a digest of each, and the bodies of the world that is restored must have the
//! same shapes.

use super::shapes::digests;
use super::{Snapshot, validate};
use crate::components::JointState;
use crate::file_form::{self, FormError};
use crate::math::Real;
use crate::persist::next_version;
use crate::pipeline::Pipeline;
use crate::state::State;
use crate::systems::gather::pending::Pending;
use hecs::Entity;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Magic bytes at the start of a snapshot file.
const MAGIC: [u8; 8] = *b"DOLMENSN";
/// Version of the format, incremented with every change of the layout.
const VERSION: u32 = 12;

/// Why a file could not be read as a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file is not a snapshot.
    NotASnapshot,
    /// The file has an unsupported version.
    Version {
        /// Version of the file.
        found: u32,
    },
    /// The file was written with a different scalar.
    Scalar {
        /// Size of the file's scalar (bytes).
        found: u32,
    },
    /// The file is incomplete or corrupt.
    Damaged {
        /// Description of the problem.
        problem: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => write!(f, "not a snapshot"),
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

/// The content of a file, for writing.
#[derive(Serialize)]
struct FileContentRef<'a> {
    state: &'a State,
    pipeline: &'a Pipeline,
    pending: &'a [Pending],
    joints: &'a [(Entity, JointState)],
    shapes: Vec<u64>,
}

/// The content of a file, for reading.
#[derive(Deserialize)]
struct FileContent {
    state: State,
    pipeline: Pipeline,
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
        let written = FileContentRef {
            state: &self.state,
            pipeline: &self.pipeline,
            pending: &self.pending,
            joints: &self.joints,
            shapes,
        };
        let content = postcard::to_allocvec(&written).expect("a state can be written to memory");
        file_form::write(MAGIC, VERSION, &content)
    }

    /// Reads a snapshot from the bytes of a file.
    ///
    /// # Errors
    /// [`SnapshotError`] for a file that is not a snapshot, has another version or scalar, or is
    /// corrupt.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let content = file_form::read(MAGIC, VERSION, bytes).map_err(|error| match error {
            FormError::Magic => SnapshotError::NotASnapshot,
            FormError::Version(found) => SnapshotError::Version { found },
            FormError::Scalar(found) => SnapshotError::Scalar { found },
            FormError::Checksum => damaged("the checksum does not match"),
        })?;
        let FileContent { mut state, mut pipeline, pending, joints, shapes } =
            postcard::from_bytes(content).map_err(damaged)?;
        let shaped: Vec<bool> = shapes.iter().map(|&shape| shape != 0).collect();
        validate::check(&state, &mut pipeline, &shaped).map_err(damaged)?;
        state.bodies.rebuild_caches();
        state.colliders.box_versions = vec![next_version(); state.bodies.slots()];
        state.contacts.begin_step(next_version());
        state.contacts.mark_all();
        state.colliders.geometry.resize_with(state.bodies.slots(), || None);
        Ok(Self { state, pipeline, pending, joints, shapes: Some(shapes), ..Self::default() })
    }
}

impl Serialize for Snapshot {
    /// Serialises the bytes of a file, in any format.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.to_bytes())
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Bytes)
    }
}

/// Visitor for bytes, or for a list of numbers in formats without bytes.
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
