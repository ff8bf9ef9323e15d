//! Grouping of the points of composites: points with one normal become one manifold.

use super::internal_edges::InternalEdges;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::reduce::select;
use crate::math::Vec3;
use crate::tolerances::GEOMETRY;

/// Buffers for one pair at a time, reused so that no pair allocates.
#[derive(Default)]
pub(crate) struct CompositeScratch {
    /// Normals found so far, in the first shape's axes.
    normals: Vec<Vec3>,
    /// Points, each with the index of its normal.
    pub(super) points: Vec<(u32, LocalPoint)>,
    /// The points of one normal.
    one: Vec<LocalPoint>,
    pub(super) internal_edges: InternalEdges,
}

impl CompositeScratch {
    /// Appends to `out` one manifold for each normal of `points`.
    pub fn collect(&mut self, points: &[(Vec3, LocalPoint)], out: &mut Vec<LocalManifold>) {
        self.clear();
        for (normal, point) in points {
            let group = self.group(*normal);
            self.points.push((group, *point));
        }
        self.finish(out);
    }

    /// Index of a normal, in the order in which they were found.
    pub(super) fn group(&mut self, normal: Vec3) -> u32 {
        let same = |n: &Vec3| n.distance_squared(normal) <= GEOMETRY.same_normal * GEOMETRY.same_normal;
        let index = self.normals.iter().position(same).unwrap_or_else(|| {
            self.normals.push(normal);
            self.normals.len() - 1
        });
        index as u32
    }

    pub(super) fn clear(&mut self) {
        self.normals.clear();
        self.points.clear();
        self.internal_edges.clear();
    }

    /// Appends one manifold for each normal, reduced to the points that carry it.
    pub(super) fn finish(&mut self, out: &mut Vec<LocalManifold>) {
        let covered = self.internal_edges.covered();
        for (group, &normal) in self.normals.iter().enumerate() {
            self.one.clear();
            for (index, (_, point)) in self.points.iter().enumerate().filter(|(_, (g, _))| *g as usize == group) {
                if covered.contains(&index) {
                    continue;
                }
                // Neighbours report shared corners twice: the deeper report stays.
                let near = |q: &&mut LocalPoint| {
                    q.point_a.distance_squared(point.point_a) <= GEOMETRY.same_point * GEOMETRY.same_point
                        && q.point_b.distance_squared(point.point_b) <= GEOMETRY.same_point * GEOMETRY.same_point
                };
                match self.one.iter_mut().find(near) {
                    Some(q) if point.separation < q.separation => *q = *point,
                    Some(_) => {}
                    None => self.one.push(*point),
                }
            }
            if !self.one.is_empty() {
                let mut manifold = LocalManifold::with_normal(normal);
                select(&self.one, &mut manifold);
                out.push(manifold);
            }
        }
    }
}
