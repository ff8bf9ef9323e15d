//! Convex hulls whose bits do not depend on the way to them.
//!
//! parry grows a hull from a first simplex along eigenvectors of the points' covariance. Its order of
//! vertices and faces follows that start, and with it the rounding of sums over faces, such as mass
//! and inertia; a near tie falls to either side on different processors. Here vertices and faces are
//! sorted.

use super::{check_hull, check_range};
use crate::error::ShapeError;
use crate::mass;
use crate::math::Vec3;
use crate::math::parry::shape::ConvexPolyhedron;
use crate::math::parry::transformation::try_convex_hull;
use std::cmp::Ordering;

/// The hull of points (m), of which a step takes all that this makes.
///
/// # Errors
/// [`ShapeError`] if a coordinate is out of range, or the points span no volume.
pub(crate) fn checked_hull(points: &[Vec3]) -> Result<ConvexPolyhedron, ShapeError> {
    check_hull(points)?;
    let hull = convex_hull(points).ok_or(ShapeError::FlatHull)?;
    check_range(&hull)?;
    // Rounding may turn faces of thin ones inside out.
    mass::of_shape(&hull, 1.0).map_err(|_| ShapeError::FlatHull)?;
    Ok(hull)
}

/// The hull of points (m); `None` if they span no volume.
fn convex_hull(points: &[Vec3]) -> Option<ConvexPolyhedron> {
    let (mut vertices, mut faces) = try_convex_hull(points).ok()?;
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_by(|&a, &b| lexicographic(&vertices[a as usize], &vertices[b as usize]));
    let mut place = vec![0; order.len()];
    for (k, &vertex) in order.iter().enumerate() {
        place[vertex as usize] = k as u32;
    }
    vertices.sort_by(lexicographic);
    for face in &mut faces {
        *face = face.map(|vertex| place[vertex as usize]);
        let least = (0..3).min_by_key(|&k| face[k]).unwrap_or(0);
        face.rotate_left(least);
    }
    faces.sort_unstable();
    ConvexPolyhedron::from_convex_mesh(vertices, &faces)
}

/// Order by x, then y, then z.
fn lexicographic(a: &Vec3, b: &Vec3) -> Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;

    /// Points on a sphere, none of them inside the hull of the others.
    fn cloud(count: usize) -> Vec<Vec3> {
        (0..count)
            .map(|k| {
                let (y, turn) = (2.0 * (k as Real + 0.5) / count as Real - 1.0, 2.399_963 * k as Real);
                let r = (1.0 - y * y).sqrt();
                Vec3::new(r * crate::math::real::cos(turn), y, r * crate::math::real::sin(turn))
            })
            .collect()
    }

    #[test]
    fn a_hull_does_not_depend_on_the_order_of_its_points() {
        for count in [4, 7, 12, 30, 64] {
            let mut points = cloud(count);
            let hull = convex_hull(&points).unwrap();
            for _ in 0..8 {
                points.rotate_left(1 + count / 3);
                points.swap(0, count / 2);
                let other = convex_hull(&points).unwrap();
                assert_eq!(hull.points(), other.points());
                let corners = |of: &ConvexPolyhedron| of.vertices_adj_to_face().to_vec();
                assert_eq!(corners(&hull), corners(&other));
            }
        }
    }
}
