//! Copying of persistent state, into existing buffers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Copies these fields of one structure into another, whose buffers are reused.
macro_rules! copy_fields {
    ($into:expr, $from:expr; $($field:ident),+ $(,)?) => {{
        let (into, from) = (&mut *$into, $from);
        $(into.$field.clone_from(&from.$field);)+
    }};
}
pub(crate) use copy_fields;

/// A version number that no other call ever returns, in any world: columns with equal versions hold
/// equal values. It avoids copies and never affects a result.
pub(crate) fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Lists the indices at which two columns of [versions](next_version) differ. Returns false if
/// there are too many to copy one by one: whole columns are faster then.
pub(crate) fn differing_indices(into: &[u64], from: &[u64], indices: &mut Vec<u32>) -> bool {
    indices.clear();
    if into.len() != from.len() {
        return false;
    }
    // Most sleeping bodies are equal in long runs.
    const RUN: usize = 16;
    for (run, (a, b)) in into.chunks(RUN).zip(from.chunks(RUN)).enumerate() {
        if a != b {
            let changed = (0..a.len()).filter(|&k| a[k] != b[k]);
            indices.extend(changed.map(|k| (RUN * run + k) as u32));
            if indices.len() * WHOLE_COPY_RATIO >= from.len() {
                return false;
            }
        }
    }
    true
}

/// If one index of this many differs, or more, whole columns are copied: see [`differing_indices`].
pub(crate) const WHOLE_COPY_RATIO: usize = 3;

/// Copies some elements of columns, or all for `None`.
macro_rules! copy_columns {
    ($into:expr, $from:expr, $indices:expr; $($field:ident),+ $(,)?) => {{
        let (into, from) = (&mut *$into, $from);
        match $indices {
            Some(indices) => {
                $(for &place in indices {
                    into.$field[place as usize].clone_from(&from.$field[place as usize]);
                })+
            }
            None => { $(into.$field.clone_from(&from.$field);)+ }
        }
    }};
}
pub(crate) use copy_columns;

/// Gives a list the length of another and copies each element.
pub(crate) fn copy_each<T: Default>(into: &mut Vec<T>, from: &[T], mut copy: impl FnMut(&mut T, &T)) {
    into.resize_with(from.len(), T::default);
    into.iter_mut().zip(from).for_each(|(into, from)| copy(into, from));
}
