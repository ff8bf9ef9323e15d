use dolmen::ShapeError;

/// Why a file could not be imported. Nothing was spawned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file could not be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// The file is no glTF, or contradicts itself.
    #[error("the glTF file: {0}")]
    Gltf(#[from] gltf::Error),
    /// The file names what is not in it.
    #[error("the glTF file names what is not in it")]
    Contradiction,
    /// A buffer is missing, cut short, or not readable.
    #[error("buffer {buffer}: {problem}")]
    Buffer {
        /// Its index.
        buffer: usize,
        /// The problem.
        problem: String,
    },
    /// The file is no URDF.
    #[error("the URDF file: {0}")]
    Urdf(String),
    /// A node, link or joint is impossible.
    #[error("{kind} `{name}`: {problem}")]
    Item {
        /// `node`, `link` or `joint`.
        kind: &'static str,
        /// Its name.
        name: String,
        /// The problem, with the value.
        problem: String,
    },
    /// The shape of a node or link is impossible.
    #[error("{kind} `{name}`: {error}")]
    Shape {
        /// `node` or `link`.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: ShapeError,
    },
}
