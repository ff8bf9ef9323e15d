//! Recording files: a header with a checksum, then the recording in postcard encoding.

use super::{RecordedStep, Recording, Start};
use crate::file_form::{self, FormError};
use crate::math::Real;
use crate::recording::shapes::StoredShape;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Magic bytes at the start of a recording file.
const MAGIC: [u8; 8] = *b"DOLMENRC";
/// Version of the format, incremented with every change of the layout.
const VERSION: u32 = 1;

/// Why a file could not be read as a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file is not a recording.
    NotARecording,
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

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecording => write!(f, "not a recording"),
            Self::Version { found } => write!(f, "the recording is of version {found}, and this is {VERSION}"),
            Self::Scalar { found } => {
                write!(f, "the recording has scalars of {found} bytes, and this build has {}", size_of::<Real>())
            }
            Self::Damaged { problem } => write!(f, "the recording is damaged: {problem}"),
        }
    }
}

impl std::error::Error for RecordingError {}

/// The content of a file, for writing.
#[derive(Serialize)]
struct ContentRef<'a>(&'a Start, &'a [StoredShape], &'a [RecordedStep]);

/// The content of a file, for reading.
#[derive(Deserialize)]
struct Content(Start, Vec<StoredShape>, Vec<RecordedStep>);

impl Recording {
    /// The recording as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = ContentRef(&self.start, &self.shapes, &self.steps);
        let content = postcard::to_allocvec(&content).expect("a recording can be written to memory");
        file_form::write(MAGIC, VERSION, &content)
    }

    /// Reads a recording from the bytes of a file.
    ///
    /// # Errors
    /// [`RecordingError`] for a file that is not a recording, has another version or scalar, or is
    /// damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let content = file_form::read(MAGIC, VERSION, bytes).map_err(|error| match error {
            FormError::Magic => RecordingError::NotARecording,
            FormError::Version(found) => RecordingError::Version { found },
            FormError::Scalar(found) => RecordingError::Scalar { found },
            FormError::Checksum => RecordingError::Damaged { problem: "the checksum does not match".into() },
        })?;
        let Content(start, shapes, steps) =
            postcard::from_bytes(content).map_err(|error| RecordingError::Damaged { problem: error.to_string() })?;
        Ok(Self { start, shapes, steps })
    }
}
