//! Identifiers of the vertices, edges and faces that meet in a contact point.
//!
//! A feature of one shape takes sixteen bits: a pair fits the `u32` of a contact point, and
//! exchanging its halves mirrors it.

const INDEX: u32 = 0x3fff;
const EDGE: u32 = 0x4000;
const FACE: u32 = 0x8000;

/// Identifier of the vertex `index`.
#[inline]
pub(crate) fn vertex(index: u32) -> u16 {
    (index & INDEX) as u16
}

/// Identifier of the edge between the vertices `a` and `b`, in any order.
#[inline]
pub(crate) fn edge(a: u32, b: u32) -> u16 {
    let (low, high) = (a.min(b), a.max(b));
    (EDGE | (low.wrapping_mul(128).wrapping_add(high) & INDEX)) as u16
}

/// Identifier of the face `index`.
#[inline]
pub(crate) fn face(index: u32) -> u16 {
    (FACE | (index & INDEX)) as u16
}

/// Pair of a feature of the first shape and one of the second.
#[inline]
pub(crate) fn pack(of_a: u16, of_b: u16) -> u32 {
    (u32::from(of_a) << 16) | u32::from(of_b)
}

/// The same pair with the shapes exchanged.
#[inline]
pub(crate) fn mirrored(pair: u32) -> u32 {
    pair.rotate_left(16)
}

/// The same pair, distinct from its like on other parts of a composite.
#[inline]
pub(crate) fn on_parts(pair: u32, part_a: u32, part_b: u32) -> u32 {
    // An odd multiplier permutes the sixteen bits: parts with distinct numbers below 65,536 stay
    // distinct.
    let mix = |part: u32| part.wrapping_mul(0x9e3b) & 0xffff;
    pair ^ (mix(part_a) << 16) ^ mix(part_b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirroring_twice_gives_the_pair_back_and_once_exchanges_it() {
        let pair = pack(vertex(3), edge(7, 2));
        assert_eq!(mirrored(pair), pack(edge(2, 7), vertex(3)));
        assert_eq!(mirrored(mirrored(pair)), pair);
    }

    #[test]
    fn features_of_a_cuboid_have_names_of_their_own() {
        let mut names = Vec::new();
        for v in 0..8 {
            names.push(vertex(v));
            names.extend([1, 2, 4].into_iter().filter(|bit| v & bit == 0).map(|bit| edge(v, v | bit)));
        }
        names.extend((0..6).map(face));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((count, names.len()), (26, 26));
    }

    #[test]
    fn mirroring_exchanges_the_parts_too() {
        let pair = pack(vertex(1), face(2));
        assert_eq!(mirrored(on_parts(pair, 5, 0)), on_parts(mirrored(pair), 0, 5));
        assert_ne!(on_parts(pair, 5, 0), on_parts(pair, 6, 0));
    }
}
