//! Cache of the pairs of parts of a composite pair.

use super::cache::PairCache;
use crate::math::Real;

/// Number of entries searched for a pair of parts. Parts come in the same order from call to call,
/// and few come or go between two calls; an entry further away is lost.
const WINDOW: usize = 16;

/// Entry of one pair of parts.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct PartEntry {
    /// Numbers of both parts.
    parts: [u32; 2],
    /// Lower bound of the distance at the last call that met them (m).
    gap: Real,
    cache: PairCache,
}

/// Entries of the pairs of parts near each other in the last call, in the order of that call. Plain
/// persistent data.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PartCache(Vec<PartEntry>);

impl PartCache {
    /// Clears the cache: the shapes may have changed.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Copies another cache without an allocation, if there is room.
    pub fn copy(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}

/// Buffer for the old entries while new ones are stored.
#[derive(Debug, Default)]
pub(crate) struct PartCacheBuffer {
    before: Vec<PartEntry>,
    at: usize,
    moved: Real,
}

/// Access to the cache of a pair during a call.
pub(crate) struct PartCacheAccess<'s> {
    cache: &'s mut PartCache,
    buffer: &'s mut PartCacheBuffer,
}

impl<'s> PartCacheAccess<'s> {
    /// Begins a call. `moved` bounds the relative displacement of any point of the shapes since the
    /// last one (m).
    pub fn begin(cache: &'s mut PartCache, moved: Real, buffer: &'s mut PartCacheBuffer) -> Self {
        buffer.before.clear();
        buffer.before.append(&mut cache.0);
        (buffer.at, buffer.moved) = (0, moved);
        Self { cache, buffer }
    }

    /// Cached lower bound of the distance of two parts (m), and the cache of their kernel.
    pub fn lookup(&mut self, parts: [u32; 2]) -> (Real, PairCache) {
        let PartCacheBuffer { before, at, moved } = &mut *self.buffer;
        let ahead = before[*at..].iter().take(WINDOW).position(|known| known.parts == parts);
        let Some(ahead) = ahead else { return (0.0, PairCache::default()) };
        let PartEntry { gap, cache, .. } = before[*at + ahead];
        *at += ahead + 1;
        (gap - *moved, cache)
    }

    /// Stores an entry for the next call.
    pub fn store(&mut self, parts: [u32; 2], gap: Real, cache: PairCache) {
        self.cache.0.push(PartEntry { parts, gap, cache });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::kernels::{Geometry, Manifolds, PairKernels, collide_cached};
    use crate::math::parry::shape::{SharedShape, TriMeshFlags};
    use crate::math::{Pose, Quat, Vec3, angle_between};

    /// Makes a call with some parts in order and returns the gaps found. The gap of a new part is
    /// its number.
    fn call(part_cache: &mut PartCache, moved: Real, parts: impl IntoIterator<Item = u32>) -> Vec<Real> {
        let mut buffer = PartCacheBuffer::default();
        let mut access = PartCacheAccess::begin(part_cache, moved, &mut buffer);
        let mut one = |part: u32| {
            let (gap, cache) = access.lookup([part, 7]);
            access.store([part, 7], if gap > 0.0 { gap } else { part as Real }, cache);
            gap
        };
        parts.into_iter().map(&mut one).collect()
    }

    #[test]
    fn a_gap_shrinks_by_the_way_and_parts_that_come_and_go_do_no_harm() {
        let mut parts = PartCache::default();
        assert_eq!(call(&mut parts, 0.0, [1, 2, 3, 5, 8]), [0.0; 5]);
        assert_eq!(call(&mut parts, 0.25, [2, 4, 5, 9, 8]), [1.75, 0.0, 4.75, 0.0, 7.75]);
        assert_eq!(call(&mut parts, 0.25, [2, 9]), [1.5, 8.75]);
    }

    #[test]
    fn parts_that_a_call_does_not_meet_are_dropped() {
        let mut parts = PartCache::default();
        for numbers in [vec![1, 2], vec![], vec![1]] {
            assert!(call(&mut parts, 0.0, numbers).iter().all(|&gap| gap == 0.0));
        }
    }

    #[test]
    fn a_copy_holds_the_same() {
        let (mut parts, mut copy) = (PartCache::default(), PartCache::default());
        call(&mut parts, 0.0, 1..40);
        call(&mut copy, 0.0, [3]);
        copy.copy(&parts);
        assert_eq!(call(&mut parts, 0.5, 1..40), call(&mut copy, 0.5, 1..40));
    }

    fn jack() -> Geometry {
        let bar = |x, y, z| (Pose::IDENTITY, SharedShape::cuboid(x, y, z));
        let rod = (Pose::from_translation(Vec3::Z * 0.6), SharedShape::cylinder(0.3, 0.12));
        Geometry::from(&SharedShape::compound(vec![bar(0.5, 0.1, 0.1), bar(0.1, 0.5, 0.1), bar(0.1, 0.1, 0.5), rod]))
    }

    fn hills() -> Geometry {
        let height = |x: u32, z: u32| 0.2 * ((x * 5 + z * 3) % 4) as Real;
        let vertices = (0..49).map(|k| Vec3::new((k % 7) as Real - 3.0, height(k % 7, k / 7), (k / 7) as Real - 3.0));
        let corners = (0..36).map(|k| k / 6 * 7 + k % 6);
        let triangles = corners.flat_map(|k| [[k, k + 7, k + 1], [k + 1, k + 7, k + 8]]).collect();
        let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
        Geometry::from(&SharedShape::trimesh_with_flags(vertices.collect(), triangles, flags).expect("a mesh"))
    }

    /// Contacts and depths agree with and without a cache, along a path of the shapes past each
    /// other. What has come from the front of a mesh is known by the cache alone, and may be deeper.
    #[test]
    fn the_cache_hides_no_contact() {
        for (ground, height, has_front) in [(jack(), 0.0, false), (hills(), 0.6, true)] {
            let jack = jack();
            let (mut parts, mut found, mut fresh) = (PartCache::default(), Manifolds::default(), Manifolds::default());
            let mut before: Option<Pose> = None;
            let mut met = 0;
            for step in 0..1500 {
                let t = 0.004 * step as Real;
                let turn = Quat::from_rotation_z(1.1 * t) * Quat::from_rotation_x(0.7 * t);
                let at = Vec3::new(0.5 * (2.3 * t).sin(), height + 0.4 * (3.1 * t).cos(), 0.6 * (1.3 * t).sin());
                let pose = Pose::from_parts(at, turn);
                let moved = before.map_or(0.0, |before| {
                    (before.translation - at).length() + 1.0 * angle_between(before.rotation, turn)
                });
                before = Some(pose);
                let none = &PairKernels::NONE;
                let parts = Some((&mut parts, moved));
                let cache = &mut PairCache::default();
                collide_cached(none, &ground, &jack, &pose, 0.02, (cache, parts), None, &mut found).expect("known");
                collide_cached(none, &ground, &jack, &pose, 0.02, (cache, None), None, &mut fresh).expect("known");
                let deepest = |m: &Manifolds| m.as_slice().iter().fold(0.02, |d: Real, m| d.min(m.deepest()));
                let (one, other) = (deepest(&found), deepest(&fresh));
                // Ties between directions of overlap are a thousandth of a part's size, and the
                // chosen directions may differ for deep parts.
                let tie = 5e-4 + 0.1 * one.min(other).min(0.0).abs();
                assert!(one - other <= tie, "step {step}: {one} with a cache, {other} without");
                assert!(has_front || other - one <= tie, "step {step}: {one} with a cache, {other} without");
                let [found, fresh] = [&found, &fresh].map(|manifolds| manifolds.as_slice().is_empty());
                assert!(found == fresh || has_front && fresh, "step {step}");
                met += usize::from(one < 0.0);
            }
            assert!((100..1400).contains(&met), "{met} of 1500 overlap");
        }
    }
}
