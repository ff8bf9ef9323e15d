//! Where two shapes differ, for shapes that are edited in part.

use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::shape::{HeightField, SharedShape, TypedShape};
use crate::math::{Pose, Quat, Real};
use std::cmp::Ordering;

/// The box outside of which two compounds, or two height fields of one grid, are the same (m, in
/// their axes): inverted where they are the same everywhere. `None` for all other shapes.
pub(crate) fn difference(old: &SharedShape, new: &SharedShape) -> Option<Aabb> {
    match (old.as_typed_shape(), new.as_typed_shape()) {
        (TypedShape::HeightField(old), TypedShape::HeightField(new)) => of_fields(old, new),
        (TypedShape::Compound(old), TypedShape::Compound(new)) => Some(of_parts(old.shapes(), new.shapes())),
        _ => None,
    }
}

fn of_fields(old: &HeightField, new: &HeightField) -> Option<Aabb> {
    let [grid, other] = [old, new].map(|field| (field.nrows(), field.ncols(), field.scale()));
    if grid != other {
        return None;
    }
    let corners = |field: &HeightField, i: usize, j: usize| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(di, dj)| field.heights()[(i + di, j + dj)])
    };
    let mut changed = Aabb::new_invalid();
    for (i, j) in (0..grid.0).flat_map(|i| (0..grid.1).map(move |j| (i, j))) {
        if corners(old, i, j) == corners(new, i, j) && old.cell_status(i, j) == new.cell_status(i, j) {
            continue;
        }
        for field in [old, new] {
            let (first, second) = field.triangles_at(i, j);
            first.iter().chain(&second).for_each(|triangle| changed.merge(&triangle.local_aabb()));
        }
    }
    Some(changed)
}

/// A part by its value: a box by its sizes, another shape by its identity; and its pose.
#[derive(Clone, Copy, PartialEq)]
struct PartKey {
    numbers: [Real; 10],
    identity: usize,
}

impl PartKey {
    fn of((pose, shape): &(Pose, SharedShape)) -> Self {
        let (t, q) = (pose.translation, pose.rotation);
        let (size, identity) = match shape.as_cuboid() {
            Some(cuboid) => (cuboid.half_extents.to_array(), 0),
            None => ([0.0; 3], std::sync::Arc::as_ptr(&shape.0).cast::<()>() as usize),
        };
        let [a, b, c] = size;
        Self { numbers: [t.x, t.y, t.z, q.x, q.y, q.z, q.w, a, b, c], identity }
    }

    fn order(&self, other: &Self) -> Ordering {
        let by_numbers = self.numbers.iter().zip(&other.numbers).map(|(a, b)| a.total_cmp(b));
        by_numbers.fold(Ordering::Equal, Ordering::then).then(self.identity.cmp(&other.identity))
    }
}

/// The box around all that only one of two compounds fills. What boxes along the axes fill counts,
/// not how they are cut.
fn of_parts(old: &[(Pose, SharedShape)], new: &[(Pose, SharedShape)]) -> Aabb {
    let (mut changed, mut boxes) = (Aabb::new_invalid(), [Vec::new(), Vec::new()]);
    for (side, pose, shape) in unpaired(old, new) {
        let bounds = shape.compute_aabb(pose);
        if shape.as_cuboid().is_some() && pose.rotation == Quat::IDENTITY {
            boxes[side].push(bounds);
        } else {
            changed.merge(&bounds);
        }
    }
    let farthest = boxes.iter().flatten().map(|b| b.mins.abs().max(b.maxs.abs()).max_element()).fold(0.0, Real::max);
    for side in [0, 1] {
        for piece in boxes[side].iter().flat_map(|whole| remainder(*whole, &boxes[1 - side], farthest)) {
            changed.merge(&piece);
        }
    }
    changed
}

/// The parts that only one of two compounds has, each with the side that has it.
fn unpaired<'a>(
    old: &'a [(Pose, SharedShape)],
    new: &'a [(Pose, SharedShape)],
) -> Vec<(usize, &'a Pose, &'a SharedShape)> {
    let lists = [old, new].map(|parts| {
        let mut keys: Vec<_> = parts.iter().map(|part| (PartKey::of(part), part)).collect();
        keys.sort_by(|(a, _), (b, _)| a.order(b));
        keys
    });
    let (mut at, mut alone) = ([0; 2], Vec::new());
    loop {
        let parts = [0, 1].map(|side| lists[side].get(at[side]));
        let side = match parts {
            [Some((a, _)), Some((b, _))] => match a.order(b) {
                Ordering::Equal => {
                    at = at.map(|at| at + 1);
                    continue;
                }
                Ordering::Less => 0,
                Ordering::Greater => 1,
            },
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [None, None] => return alone,
        };
        alone.extend(parts[side].map(|(_, (pose, shape))| (side, pose, shape)));
        at[side] += 1;
    }
}

/// What is left of a box without others, in pieces. A piece as thin as the rounding of the `farthest`
/// coordinate (m) is none.
fn remainder(whole: Aabb, others: &[Aabb], farthest: Real) -> Vec<Aabb> {
    let rounding = 8.0 * Real::EPSILON * farthest;
    let mut pieces = vec![whole];
    for other in others {
        let mut left = Vec::new();
        for mut piece in pieces {
            if !piece.intersects(other) {
                left.push(piece);
                continue;
            }
            for axis in 0..3 {
                if other.mins[axis] - piece.mins[axis] > rounding {
                    let mut below = piece;
                    below.maxs[axis] = other.mins[axis];
                    left.push(below);
                    piece.mins[axis] = other.mins[axis];
                }
                if piece.maxs[axis] - other.maxs[axis] > rounding {
                    let mut above = piece;
                    above.mins[axis] = other.maxs[axis];
                    left.push(above);
                    piece.maxs[axis] = other.maxs[axis];
                }
            }
        }
        pieces = left;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::math::parry::utils::Array2;

    fn compound(parts: &[(Real, &SharedShape)]) -> SharedShape {
        SharedShape::compound(
            parts.iter().map(|(x, part)| (Pose::translation(*x, 0.0, 0.0), (*part).clone())).collect(),
        )
    }

    #[test]
    fn a_part_that_is_gone_or_added_is_the_difference() {
        let (brick, ball) = (SharedShape::cuboid(0.5, 0.5, 0.5), SharedShape::ball(0.25));
        let all = [(0.0, &brick), (3.0, &ball), (9.0, &brick)];
        let old = compound(&all);
        // Another box of the same sizes is the same part.
        let copy = SharedShape::cuboid(0.5, 0.5, 0.5);
        let same = compound(&[(9.0, &copy), all[0], all[1]]);
        assert!(difference(&old, &same).unwrap().mins.x > 1e9);
        let broken = compound(&[all[0], all[2]]);
        for pair in [[&old, &broken], [&broken, &old]] {
            let region = difference(pair[0], pair[1]).unwrap();
            assert_eq!((region.mins.x, region.maxs.x, region.maxs.y), (2.75, 3.25, 0.25));
        }
        assert!(difference(&old, &brick).is_none());
    }

    #[test]
    fn boxes_that_are_cut_otherwise_fill_the_same() {
        let shape = |boxes: &[[Real; 2]]| {
            let part = |[from, to]: &[Real; 2]| {
                let half = 0.5 * (to - from);
                (Pose::translation(0.5 * (from + to), 0.0, 0.0), SharedShape::cuboid(half, 0.1, 0.3))
            };
            SharedShape::compound(boxes.iter().map(part).collect())
        };
        let whole = shape(&[[0.1, 900.7]]);
        let cut = shape(&[[333.3, 900.7], [0.1, 7.77], [7.77, 333.3]]);
        assert!(difference(&whole, &cut).unwrap().mins.x > 1e9);
        let dug = shape(&[[0.1, 300.0], [301.0, 900.7]]);
        for pair in [[&whole, &dug], [&dug, &cut]] {
            let region = difference(pair[0], pair[1]).unwrap();
            assert!((region.mins.x - 300.0).abs() < 1e-3 && (region.maxs.x - 301.0).abs() < 1e-3, "{region:?}");
            assert_eq!(region.maxs.z, 0.3);
        }
    }

    #[test]
    fn a_crater_is_the_difference_of_two_fields() {
        let field = |dug: Real, columns: usize| {
            let mut heights = Array2::zeros(5, columns);
            // Row 1 along z, column 3 along x: the place (2, -2).
            heights[(1, 3)] = dug;
            SharedShape::new(HeightField::new(heights, Vec3::new(8.0, 1.0, 8.0)))
        };
        let region = difference(&field(0.0, 5), &field(-1.5, 5)).unwrap();
        assert_eq!((region.mins, region.maxs), (Vec3::new(0.0, -1.5, -4.0), Vec3::new(4.0, 0.0, 0.0)));
        assert!(difference(&field(0.0, 5), &field(0.0, 5)).unwrap().mins.x > 1e9);
        assert!(difference(&field(0.0, 5), &field(0.0, 6)).is_none());
    }
}
