//! Rays and points against a height field, in its own axes.
//!
//! Cells are found with a margin of the rounding of their numbers, and a ray that goes through the
//! common edge or corner of triangles meets at least one of them.

use super::ray_hit::RayHit;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::query::PointQuery;
use crate::math::parry::shape::{FeatureId, HeightField, HeightFieldCellStatus, Triangle};
use crate::math::{DVec3, Real, Vec3, from_f64, to_f64};
use std::ops::Range;

/// Calls `visit` with each triangle whose box touches `region`, and with its number.
pub(super) fn for_each_triangle(field: &HeightField, region: &Aabb, mut visit: impl FnMut(u32, &Triangle)) {
    // A box without width on a cell line, or one at the border, must not lie between the cells.
    let rounding = 8.0 * Real::EPSILON * field.root_aabb().half_extents().max_element();
    field.map_elements_in_local_aabb(&region.loosened(rounding), &mut |part, triangle| visit(part, triangle));
}

/// The point of the surface closest to `point` within `reach` (m), and the number of its triangle.
pub(super) fn nearest_point(field: &HeightField, point: Vec3, reach: Real) -> Option<(Vec3, u32)> {
    let bounds = field.root_aabb();
    let farthest = (point - bounds.center()).length() + bounds.half_extents().length();
    let reach = reach.min(farthest);
    let cell = field.cell_width().max(field.cell_height());
    let outside = point.distance(point.clamp(bounds.mins, bounds.maxs));
    // The search grows until what it found lies within it. The last one covers all cells.
    let mut within = (outside + cell).max(1e-4 * farthest).min(reach);
    loop {
        let mut best: Option<(Real, Vec3, u32)> = None;
        for_each_triangle(field, &Aabb::from_half_extents(point, Vec3::splat(within)), |part, triangle| {
            let on = triangle.project_local_point(point, false).point;
            let squared = on.distance_squared(point);
            if best.is_none_or(|(least, ..)| squared < least) {
                best = Some((squared, on, part));
            }
        });
        let found = best.filter(|(squared, ..)| *squared <= within * within);
        if within >= reach || found.is_some() {
            return best.map(|(_, on, part)| (on, part));
        }
        within = (4.0 * within).min(reach);
    }
}

/// The first hit of the ray from `origin` along the unit vector `direction` within `reach` (m).
pub(super) fn cast(field: &HeightField, origin: Vec3, direction: Vec3, reach: Real) -> Option<RayHit> {
    let ray = ShearedRay::new(origin, direction);
    let (span, size) = (to_f64(field.scale()), [field.ncols(), field.nrows()]);
    // Column and row of the ray at a distance, as real numbers.
    let place = |t: f64| {
        let p = (ray.origin + ray.direction * t) / span + DVec3::splat(0.5);
        [p.x * size[0] as f64, p.z * size[1] as f64]
    };
    // The ray passes the columns, or the rows, one by one: those of which it crosses more.
    let (start, end) = (place(0.0), place(f64::from(reach)));
    let crossed = [0, 1].map(|k| (end[k] - start[k]).abs());
    let major = usize::from(crossed[1] > crossed[0]);
    let rate = (end[major] - start[major]) / f64::from(reach);
    let slack = CELL_ROUNDING * [start, end].as_flattened().iter().fold(1.0, |most: f64, k| most.max(k.abs()));
    let lines = cells(start[major], end[major], slack, size[major]);
    let mut best: Option<RayHit> = None;
    for step in 0..lines.len() {
        let line = if rate < 0.0 { lines.end - 1 - step } else { lines.start + step };
        // Distances at which the ray enters and leaves the line.
        let (mut low, mut high) = (0.0, f64::from(reach));
        if rate != 0.0 {
            let at = |edge: f64| (edge - start[major]) / rate;
            let (p, q) = (at(line as f64 - slack), at((line + 1) as f64 + slack));
            (low, high) = (p.min(q).max(0.0), p.max(q).min(f64::from(reach)));
        }
        for other in cells(place(low)[1 - major], place(high)[1 - major], slack, size[1 - major]) {
            let (row, column) = if major == 0 { (other, line) } else { (line, other) };
            let first = column * size[1] + row;
            let numbers = [first, first + size[0] * size[1]];
            for (triangle, number) in triangles(field, row, column).into_iter().zip(numbers) {
                let Some(hit) = triangle.and_then(|corners| ray.triangle(corners, number as u32)) else { continue };
                if hit.distance <= reach && best.is_none_or(|best| hit.distance < best.distance) {
                    best = Some(hit);
                }
            }
        }
        if best.is_some() {
            break;
        }
    }
    best
}

/// Rounding of the place of a ray, as a share of the largest number of a cell on it. Larger: cells
/// are looked at in vain. Smaller: rays along a cell's border miss it.
const CELL_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Numbers of the cells between two places.
fn cells(from: f64, to: f64, slack: f64, count: usize) -> Range<usize> {
    let (low, high) = (from.min(to) - slack, from.max(to) + slack);
    if high < 0.0 || low > count as f64 {
        return 0..0;
    }
    (low.max(0.0) as usize).min(count - 1)..(high as usize).min(count - 1) + 1
}

/// The two triangles of a cell, where they are not removed. The corners are the same numbers for all
/// cells that share them, and the field ends at half its width.
fn triangles(field: &HeightField, row: usize, column: usize) -> [Option<[DVec3; 3]>; 2] {
    let (heights, scale) = (field.heights(), to_f64(field.scale()));
    let share = |k: usize, count: usize| k as f64 / count as f64 - 0.5;
    let corner = |i: usize, j: usize| {
        let (x, z) = (share(column + j, field.ncols()), share(row + i, field.nrows()));
        DVec3::new(x, f64::from(heights[(row + i, column + j)]), z) * scale
    };
    let [p00, p10, p01, p11] = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
    let status = field.cell_status(row, column);
    let [left, right] = if status.contains(HeightFieldCellStatus::ZIGZAG_SUBDIVISION) {
        [[p00, p10, p11], [p00, p11, p01]]
    } else {
        [[p00, p10, p01], [p10, p11, p01]]
    };
    let kept = |triangle, removed| (!status.contains(removed)).then_some(triangle);
    [
        kept(left, HeightFieldCellStatus::LEFT_TRIANGLE_REMOVED),
        kept(right, HeightFieldCellStatus::RIGHT_TRIANGLE_REMOVED),
    ]
}

/// Ray in axes of which the third goes along it. Triangles with a common edge compute its side of
/// the ray from the same numbers: no ray passes between them (Woop, Benthin and Wald, "Watertight
/// ray/triangle intersection", 2013).
struct ShearedRay {
    origin: DVec3,
    direction: DVec3,
    axes: [usize; 3],
}

impl ShearedRay {
    fn new(origin: Vec3, direction: Vec3) -> Self {
        let along = direction.abs().max_position();
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        Self { origin: to_f64(origin), direction: to_f64(direction), axes }
    }

    fn triangle(&self, corners: [DVec3; 3], part: u32) -> Option<RayHit> {
        let d = self.axes.map(|axis| self.direction[axis]);
        let [a, b, c] = corners.map(|corner| {
            let [x, y, z] = self.axes.map(|axis| (corner - self.origin)[axis]);
            let t = z / d[2];
            [x - d[0] * t, y - d[1] * t, t]
        });
        // For both orders of two corners the same, but for the sign.
        let side = |p: [f64; 3], q: [f64; 3]| p[0] * q[1] - p[1] * q[0];
        let sides = [side(b, c), side(c, a), side(a, b)];
        let sum: f64 = sides.iter().sum();
        let outside = sides.iter().any(|&s| s < 0.0) && sides.iter().any(|&s| s > 0.0);
        if outside || sum == 0.0 {
            return None;
        }
        let distance = (sides[0] * a[2] + sides[1] * b[2] + sides[2] * c[2]) / sum;
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize()?;
        let behind = normal.dot(self.direction) > 0.0;
        let normal = from_f64(if behind { -normal } else { normal });
        let feature = FeatureId::Face(u32::from(behind));
        (distance >= 0.0).then_some(RayHit { distance: distance as Real, normal, feature, part })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Collider;

    #[test]
    fn hits_are_those_of_all_triangles_one_by_one() {
        let (rows, columns) = (7, 12);
        let heights: Vec<Real> = (0..rows * columns).map(|k| ((k * 37) % 11) as Real * 0.1).collect();
        let field = Collider::heightfield(rows, columns, &heights, Vec3::new(3.3, 0.7, 5.9)).unwrap();
        let field = field.0.as_heightfield().unwrap();
        for k in 0..2000 {
            let turn = |m: usize| ((k * m + 17) % 1009) as Real / 1009.0 - 0.5;
            let origin = Vec3::new(8.0 * turn(61), 3.0 * turn(401), 12.0 * turn(733));
            let to = Vec3::new(3.0 * turn(523), 0.3 + 0.2 * turn(7), 5.5 * turn(211));
            let direction = (to - origin).normalize();
            let ray = ShearedRay::new(origin, direction);
            let mut all: Option<RayHit> = None;
            for row in 0..field.nrows() {
                for column in 0..field.ncols() {
                    for hit in triangles(field, row, column).into_iter().flatten().filter_map(|t| ray.triangle(t, 0)) {
                        all = Some(hit).filter(|hit| all.is_none_or(|all| hit.distance < all.distance)).or(all);
                    }
                }
            }
            let found = cast(field, origin, direction, 100.0);
            assert_eq!(found.map(|hit| hit.distance), all.map(|hit| hit.distance), "{origin} {direction}");
        }
    }
}
