//! Numbers that name things: slots, islands, contacts, places in lists.

/// What names nothing: no slot, no island, no place.
pub const NONE: u32 = u32::MAX;
