//! The buffers of a file: the blob of a `.glb`, data within the file, or files beside it.

use crate::ImportError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gltf::Document;
use gltf::buffer::Source;
use std::path::{Component, Path};

/// All buffers, each at least as long as it says.
pub(super) fn read(
    document: &Document,
    mut blob: Option<Vec<u8>>,
    folder: Option<&Path>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let index = buffer.index();
        let refused = |problem: String| ImportError::Buffer { buffer: index, problem };
        let bytes = match buffer.source() {
            Source::Bin => blob.take().ok_or_else(|| refused("the file has no binary part".into()))?,
            Source::Uri(uri) => match uri.split_once(";base64,") {
                Some((kind, data)) if kind.starts_with("data:") => {
                    BASE64_STANDARD.decode(data).map_err(|error| refused(error.to_string()))?
                }
                _ => beside(uri, folder).map_err(refused)?,
            },
        };
        if bytes.len() < buffer.length() {
            return Err(refused(format!("has {} bytes and needs {}", bytes.len(), buffer.length())));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// A file in the folder or below it.
fn beside(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    let folder = folder.ok_or_else(|| format!("`{uri}` lies in a folder that is not known"))?;
    let path = Path::new(uri);
    if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("`{uri}` is not in the folder of the file"));
    }
    std::fs::read(folder.join(path)).map_err(|error| format!("`{uri}`: {error}"))
}
