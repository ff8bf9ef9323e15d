//! Manifold reduction: from many points with one normal to four that carry the same load.

use super::local_manifold::{LocalManifold, LocalPoint};
use crate::contact::MAX_POINTS;
use crate::math::{Real, Vec3};
use crate::tolerances::{MANIFOLD, SEPARATING_AXIS};

/// Appends at most [`MAX_POINTS`] of `points` to `out`: the deepest, the one furthest from it, and
/// the two that add the most area on either side.
///
/// Ties up to rounding are broken by depth and then by order, so that a body at rest keeps its
/// points. `out` must contain nothing but its normal.
pub(crate) fn reduce(points: &[LocalPoint], out: &mut LocalManifold) {
    if points.len() <= MAX_POINTS {
        points.iter().for_each(|&p| out.push(p));
    } else {
        select(points, out);
    }
}

/// [`reduce`] for vertices of a whole solid and not of one face: each metre of height above the
/// deepest counts as a metre less of distance. A tilted solid has the corners of its upper face a
/// little outside those of its lower one, but comes to lie on the lower ones; the choice changes
/// from one face to the next at 45 degrees.
pub(crate) fn reduce_vertices(points: &[LocalPoint], out: &mut LocalManifold) {
    if points.len() <= MAX_POINTS {
        points.iter().for_each(|&p| out.push(p));
    } else {
        select_weighted(points, 1.0, out);
    }
}

/// [`reduce`] that also drops points inside the hull of the others when there is room for them.
pub(crate) fn select(points: &[LocalPoint], out: &mut LocalManifold) {
    select_weighted(points, 0.0, out);
}

/// [`select`] with the distance that a metre of height takes from a point (m).
#[inline]
fn select_weighted(points: &[LocalPoint], weight: Real, out: &mut LocalManifold) {
    let normal = out.normal;
    let least = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
    // Among equally deep points the outermost: an inner one would waste a place.
    let tied = |p: &&LocalPoint| p.separation <= least + MANIFOLD.clip_slack;
    let middle = points.iter().map(|p| p.point_a).sum::<Vec3>() / points.len() as Real;
    let outwards = |p: &LocalPoint| {
        let d = p.point_a - middle;
        (d - normal * d.dot(normal)).length_squared()
    };
    let mut first = None;
    for p in points.iter().filter(tied) {
        let value = outwards(p);
        if first.is_none_or(|(_, top)| value > top * (1.0 + SEPARATING_AXIS.hysteresis)) {
            first = Some((p, value));
        }
    }
    let Some((first, _)) = first else { return };
    let flat = |p: &LocalPoint| {
        let d = p.point_a - first.point_a;
        d - normal * d.dot(normal)
    };
    let loss = |p: &LocalPoint| weight * (p.separation - least);
    let far = |p: &LocalPoint| {
        let squared = flat(p).length_squared();
        (squared, loss(p) * squared.sqrt())
    };
    let Some(second) = best(points, 0.0, far) else {
        out.push(*first);
        return;
    };
    let side = flat(second).cross(normal);
    out.push(*first);
    out.push(*second);
    let length = side.length();
    let sliver = SEPARATING_AXIS.hysteresis * side.length_squared();
    let left = best(points, sliver, |p| (flat(p).dot(side), loss(p) * length));
    let right = best(points, sliver, |p| (-flat(p).dot(side), loss(p) * length));
    match (left, right) {
        (Some(left), Some(right)) => {
            out.push(*left);
            out.push(*right);
        }
        // All others lie on one side: the widest of them, and the one that extends that triangle
        // most.
        (Some(third), None) | (None, Some(third)) => {
            out.push(*third);
            let corners = [first, second, third].map(flat);
            let turn = Real::signum(corners[1].cross(corners[2]).dot(normal));
            let outside = |of: &LocalPoint| {
                let p = flat(of);
                let area = |a: Vec3, b: Vec3| -turn * (b - a).cross(p - a).dot(normal);
                let most =
                    area(corners[0], corners[1]).max(area(corners[1], corners[2])).max(area(corners[2], corners[0]));
                (most, loss(of) * length)
            };
            if let Some(fourth) = best(points, sliver, outside) {
                out.push(*fourth);
            }
        }
        (None, None) => {}
    }
}

/// Point of the highest value less its loss, of those whose value is above `floor`; `measure` gives
/// both. Ties go to the deepest, then to the first.
#[inline]
fn best(points: &[LocalPoint], floor: Real, measure: impl Fn(&LocalPoint) -> (Real, Real)) -> Option<&LocalPoint> {
    let mut best: Option<(&LocalPoint, Real)> = None;
    for p in points {
        let (value, loss) = measure(p);
        let score = value - loss;
        let better = match best {
            _ if value <= floor => false,
            None => true,
            Some((q, top)) => {
                let tie = SEPARATING_AXIS.hysteresis * Real::signum(top);
                score > top * (1.0 + tie)
                    || (score >= top * (1.0 - tie) && p.separation < q.separation - MANIFOLD.clip_slack)
            }
        };
        if better {
            best = Some((p, score));
        }
    }
    best.map(|(p, _)| p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::consts::TAU;

    fn point(x: Real, z: Real, separation: Real) -> LocalPoint {
        LocalPoint { point_a: Vec3::new(x, 0.0, z), separation, ..LocalPoint::default() }
    }

    #[test]
    fn a_ring_is_reduced_to_a_square_with_its_deepest_point() {
        let mut ring: Vec<LocalPoint> =
            (0..16).map(|i| TAU * i as Real / 16.0).map(|a| point(a.cos(), a.sin(), 0.0)).collect();
        ring[3].separation = -0.01;
        let mut out = LocalManifold::with_normal(Vec3::Y);
        reduce(&ring, &mut out);
        assert_eq!(out.count, 4);
        assert_eq!(out.points[0], ring[3]);
        let [a, b, c, d] = out.points.map(|p| p.point_a);
        assert!(((b - a).cross(d - c).length() - 4.0).abs() < 1e-5, "the diagonals span the square");
    }

    #[test]
    fn of_points_above_one_another_the_deeper_is_kept() {
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        let mut points: Vec<LocalPoint> = corners.iter().map(|&(x, z)| point(x, z, 0.015)).collect();
        points.extend(corners.iter().map(|&(x, z)| point(x, z, 0.0)));
        let mut out = LocalManifold::with_normal(Vec3::Y);
        reduce(&points, &mut out);
        assert_eq!(out.count, 4);
        assert!(out.points().iter().all(|p| p.separation == 0.0));
    }

    #[test]
    fn a_tilted_plate_keeps_the_corners_of_its_lower_face() {
        // The corners of the upper face reach a little further out.
        let (thickness, tilt) = (0.02, 0.2);
        let corners = [(0.075, 0.03), (-0.075, 0.03), (-0.075, -0.03), (0.075, -0.03)];
        let (sin, cos) = Real::sin_cos(tilt);
        let at = |x: Real, y: Real, z: Real| point(x * cos - y * sin, z, x * sin + y * cos);
        let mut points: Vec<LocalPoint> = corners.iter().map(|&(x, z)| at(x, thickness, z)).collect();
        points.extend(corners.iter().map(|&(x, z)| at(x, 0.0, z)));
        let mut out = LocalManifold::with_normal(Vec3::Y);
        reduce_vertices(&points, &mut out);
        let mut kept: Vec<usize> = out.points().iter().map(|p| points.iter().position(|q| q == p).unwrap()).collect();
        kept.sort();
        assert_eq!(kept, [4, 5, 6, 7]);
    }

    #[test]
    fn rounding_does_not_change_the_choice() {
        let ring = |noise: Real| -> Vec<LocalPoint> {
            (0..8)
                .map(|i| (TAU * i as Real / 8.0, noise * ((i * 5) % 7) as Real))
                .map(|(a, e)| point(a.cos() + e, a.sin() - e, e))
                .collect()
        };
        let chosen = |points: &[LocalPoint]| -> Vec<usize> {
            let mut out = LocalManifold::with_normal(Vec3::Y);
            reduce(points, &mut out);
            out.points().iter().map(|p| points.iter().position(|q| q == p).unwrap()).collect()
        };
        assert_eq!(chosen(&ring(0.0)), chosen(&ring(1e-6)));
    }

    #[test]
    fn points_in_line_are_reduced_to_its_ends() {
        let line: Vec<LocalPoint> = (0..6).map(|i| point(i as Real, 0.0, 0.0)).collect();
        let mut out = LocalManifold::with_normal(Vec3::Y);
        reduce(&line, &mut out);
        assert_eq!((out.count, out.points[0], out.points[1]), (2, line[0], line[5]));
    }
}
