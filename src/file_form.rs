//! The form of files: magic bytes, a version, the size of the engine's scalar and a checksum, then
//! the content.

use crate::math::Real;

/// Length of the header: magic bytes, version, size of a scalar, checksum.
const HEADER_LENGTH: usize = 8 + 4 + 4 + 8;

/// What is wrong with the header of a file, or with its checksum.
pub(crate) enum FormError {
    /// Other magic bytes, or too few.
    Magic,
    Version(u32),
    Scalar(u32),
    Checksum,
}

/// FNV-1a, eight bytes at a time.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 32;
    }
    hash
}

/// The bytes of a file with this content.
pub(crate) fn write(magic: [u8; 8], version: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_LENGTH + content.len());
    bytes.extend(magic);
    bytes.extend(version.to_le_bytes());
    bytes.extend((size_of::<Real>() as u32).to_le_bytes());
    bytes.extend(checksum(content).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// The content of a file.
///
/// # Errors
/// [`FormError`] for a file of another kind, version or scalar, and for a damaged one.
pub(crate) fn read(magic: [u8; 8], version: u32, bytes: &[u8]) -> Result<&[u8], FormError> {
    let (head, content) = bytes.split_at_checked(HEADER_LENGTH).ok_or(FormError::Magic)?;
    let (mark, head) = head.split_at(magic.len());
    let [found, scalar] = [&head[..4], &head[4..8]].map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    if mark != magic {
        return Err(FormError::Magic);
    }
    if found != version {
        return Err(FormError::Version(found));
    }
    if scalar != size_of::<Real>() as u32 {
        return Err(FormError::Scalar(scalar));
    }
    if checksum(content).to_le_bytes() != head[8..] {
        return Err(FormError::Checksum);
    }
    Ok(content)
}
