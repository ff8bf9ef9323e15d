//! Identifiers: slots, islands, contacts, indices of lists.

/// The identifier of nothing: no slot, no island, no index.
pub const NONE: u32 = u32::MAX;
