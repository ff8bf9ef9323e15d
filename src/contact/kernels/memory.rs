//! What a pair of shapes with parts remembers of its pairs of parts.

use super::cache::PairCache;
use crate::math::Real;

/// How many places further on a pair of parts is looked for. Parts come in the same order from call to call, and few
/// come in or drop out between two calls; one that is farther off has lost its memory.
const WINDOW: usize = 16;

/// One pair of parts.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Known {
    /// The numbers of both parts.
    parts: [u32; 2],
    /// The least distance that they can have had when they were last met (m), or less.
    gap: Real,
    cache: PairCache,
}

/// What the pairs of parts that were near in the last call left, in the order in which they were met. Plain data, which outlives
/// the step.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PartsMemory(Vec<Known>);

impl PartsMemory {
    /// Forgets all: the shapes may be others now.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Becomes a copy without an allocation, if there is room.
    pub fn copy(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}

/// Room for what was remembered, while what is found takes its place.
#[derive(Debug, Default)]
pub(crate) struct Recollection {
    before: Vec<Known>,
    at: usize,
    moved: Real,
}

/// The memory of the pair at hand in the midst of a call.
pub(crate) struct Remembered<'s> {
    memory: &'s mut PartsMemory,
    room: &'s mut Recollection,
}

impl<'s> Remembered<'s> {
    /// Begins a call. No point of either shape has moved against the other by more than `moved` (m) since the last one.
    pub fn begin(memory: &'s mut PartsMemory, moved: Real, room: &'s mut Recollection) -> Self {
        room.before.clear();
        room.before.append(&mut memory.0);
        (room.at, room.moved) = (0, moved);
        Self { memory, room }
    }

    /// How far apart two parts are at least (m), as far as is known, and what their kernel left.
    pub fn recall(&mut self, parts: [u32; 2]) -> (Real, PairCache) {
        let Recollection { before, at, moved } = &mut *self.room;
        let ahead = before[*at..].iter().take(WINDOW).position(|known| known.parts == parts);
        let Some(ahead) = ahead else { return (0.0, PairCache::default()) };
        let Known { gap, cache, .. } = before[*at + ahead];
        *at += ahead + 1;
        (gap - *moved, cache)
    }

    /// Notes what is to be recalled in the next call.
    pub fn note(&mut self, parts: [u32; 2], gap: Real, cache: PairCache) {
        self.memory.0.push(Known { parts, gap, cache });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::kernels::{Geometry, Manifolds, PairKernels, collide_remembering};
    use crate::math::parry::shape::{SharedShape, TriMeshFlags};
    use crate::math::{Pose, Quat, Vec3, turn_between};

    /// Calls with each of some parts in turn; gives the gaps recalled. A new part is as far off as its number says.
    fn call(memory: &mut PartsMemory, moved: Real, parts: impl IntoIterator<Item = u32>) -> Vec<Real> {
        let mut room = Recollection::default();
        let mut memory = Remembered::begin(memory, moved, &mut room);
        let mut one = |part: u32| {
            let (gap, cache) = memory.recall([part, 7]);
            memory.note([part, 7], if gap > 0.0 { gap } else { part as Real }, cache);
            gap
        };
        parts.into_iter().map(&mut one).collect()
    }

    #[test]
    fn a_gap_shrinks_by_the_way_and_parts_that_come_and_go_do_no_harm() {
        let mut memory = PartsMemory::default();
        assert_eq!(call(&mut memory, 0.0, [1, 2, 3, 5, 8]), [0.0; 5]);
        assert_eq!(call(&mut memory, 0.25, [2, 4, 5, 9, 8]), [1.75, 0.0, 4.75, 0.0, 7.75]);
        assert_eq!(call(&mut memory, 0.25, [2, 9]), [1.5, 8.75]);
    }

    #[test]
    fn what_is_not_met_in_a_call_is_forgotten() {
        let mut memory = PartsMemory::default();
        for parts in [vec![1, 2], vec![], vec![1]] {
            assert!(call(&mut memory, 0.0, parts).iter().all(|&gap| gap == 0.0));
        }
    }

    #[test]
    fn a_copy_recalls_the_same() {
        let (mut memory, mut copy) = (PartsMemory::default(), PartsMemory::default());
        call(&mut memory, 0.0, 1..40);
        call(&mut copy, 0.0, [3]);
        copy.copy(&memory);
        assert_eq!(call(&mut memory, 0.5, 1..40), call(&mut copy, 0.5, 1..40));
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

    /// What meets and how deep is the same with a memory and without, all along a way past each other.
    #[test]
    fn what_is_remembered_hides_no_contact() {
        for (ground, height) in [(jack(), 0.0), (hills(), 0.6)] {
            let jack = jack();
            let (mut memory, mut found, mut fresh) =
                (PartsMemory::default(), Manifolds::default(), Manifolds::default());
            let mut before: Option<Pose> = None;
            let mut met = 0;
            for step in 0..1500 {
                let t = 0.004 * step as Real;
                let turn = Quat::from_rotation_z(1.1 * t) * Quat::from_rotation_x(0.7 * t);
                let at = Vec3::new(0.5 * (2.3 * t).sin(), height + 0.4 * (3.1 * t).cos(), 0.6 * (1.3 * t).sin());
                let pose = Pose::from_parts(at, turn);
                let moved = before.map_or(0.0, |before| {
                    (before.translation - at).length() + 1.0 * turn_between(before.rotation, turn)
                });
                before = Some(pose);
                let none = &PairKernels::NONE;
                let memory = Some((&mut memory, moved));
                let cache = &mut PairCache::default();
                collide_remembering(none, &ground, &jack, &pose, 0.02, (cache, memory), None, &mut found)
                    .expect("known");
                collide_remembering(none, &ground, &jack, &pose, 0.02, (cache, None), None, &mut fresh).expect("known");
                let deepest = |m: &Manifolds| m.as_slice().iter().fold(0.02, |d: Real, m| d.min(m.deepest()));
                let (one, other) = (deepest(&found), deepest(&fresh));
                // Ties between ways out are a thousandth of a part's size, and part's ways may differ where it lies deep.
                let tie = 5e-4 + 0.1 * one.min(other).min(0.0).abs();
                assert!((one - other).abs() <= tie, "step {step}: {one} with a memory, {other} without");
                assert_eq!(found.as_slice().is_empty(), fresh.as_slice().is_empty(), "step {step}");
                met += usize::from(one < 0.0);
            }
            assert!((100..1400).contains(&met), "{met} of 1500 overlap");
        }
    }
}
