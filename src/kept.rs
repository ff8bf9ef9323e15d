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

/// Lists the places at which two columns of [stamps](stamp) differ. False if they are too many to be copied one by one: then
/// whole columns are quicker.
pub(crate) fn differ(into: &[u64], from: &[u64], places: &mut Vec<u32>) -> bool {
    places.clear();
    if into.len() != from.len() {
        return false;
    }
    // Most of what rests is the same for long runs.
    const RUN: usize = 16;
    for (run, (a, b)) in into.chunks(RUN).zip(from.chunks(RUN)).enumerate() {
        if a != b {
            let others = (0..a.len()).filter(|&k| a[k] != b[k]);
            places.extend(others.map(|k| (RUN * run + k) as u32));
            if places.len() * MANY >= from.len() {
                return false;
            }
        }
    }
    true
}

/// Where one place in so many differs, or more, whole columns are copied: see [`differ`].
pub(crate) const MANY: usize = 3;

/// Copies some elements of columns, or, where that is `None`, all of them.
macro_rules! copy_columns {
    ($into:expr, $from:expr, $places:expr; $($field:ident),+ $(,)?) => {{
        let (into, from) = (&mut *$into, $from);
        match $places {
            Some(places) => {
                $(for &place in places {
                    into.$field[place as usize].clone_from(&from.$field[place as usize]);
                })+
            }
            None => { $(into.$field.clone_from(&from.$field);)+ }
        }
    }};
}
pub(crate) use copy_columns;

/// Gives a list the length of another and makes each of its elements like the other's.
pub(crate) fn copy_each<T: Default>(into: &mut Vec<T>, from: &[T], mut copy: impl FnMut(&mut T, &T)) {
    into.resize_with(from.len(), T::default);
    into.iter_mut().zip(from).for_each(|(into, from)| copy(into, from));
}
