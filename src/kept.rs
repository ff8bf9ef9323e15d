//! Copying what outlives a step, into buffers that are there already.

use std::sync::atomic::{AtomicU64, Ordering};

/// Copies these fields of one structure into another; the buffers of the second are used again.
macro_rules! copy_fields {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {{
        let (into, from) = (&mut *$into, $from);
        $(into.$field.clone_from(&from.$field);)+
    }};
}
pub(crate) use copy_fields;

/// A number that no other call ever returns, in any world: columns that carry the same one hold the same values. It tells what
/// need not be copied, and never shows in a result.
pub(crate) fn stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Gives a list the length of another and makes each of its elements like the other's.
pub(crate) fn copy_each<T: Default>(into: &mut Vec<T>, from: &[T], mut copy: impl FnMut(&mut T, &T)) {
    into.resize_with(from.len(), T::default);
    into.iter_mut().zip(from).for_each(|(into, from)| copy(into, from));
}
