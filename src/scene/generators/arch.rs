use super::common::{Generated, at, empty, floor};
use crate::math::DVec3;
use crate::scene::format::{Row, ShapeSpec};
use glam::DVec2;
use std::f64::consts::PI;

/// A semicircular arch of at least three wedges: inner radius 8 m, outer 10 m, 2 m deep, friction
/// 0.8. It stands by its own thrust.
pub(super) fn arch(stones: usize) -> Generated {
    let stones = stones.max(3);
    const INNER: f64 = 8.0;
    const OUTER: f64 = 10.0;
    const HALF_DEPTH: f64 = 1.0;
    let mut scene = empty(600, 0.8);
    scene.bodies.push(floor(50.0));
    let on_circle = |joint: usize, radius: f64| radius * DVec2::from_angle(PI * joint as f64 / stones as f64);
    for stone in 0..stones {
        let corners = [
            on_circle(stone, INNER),
            on_circle(stone, OUTER),
            on_circle(stone + 1, OUTER),
            on_circle(stone + 1, INNER),
        ];
        let center = centroid(&corners);
        let points = corners.iter().flat_map(|&corner| {
            let flat = corner - center;
            [HALF_DEPTH, -HALF_DEPTH].map(|z| Row::from(DVec3::new(flat.x, flat.y, z)))
        });
        scene.bodies.push(at(ShapeSpec::ConvexHull { points: points.collect() }, center.x, center.y, 0.0));
    }
    Generated { scene, top: Some(1 + stones / 2), bound: None }
}

/// The centroid of a polygon, by signed triangles from the origin.
fn centroid(corners: &[DVec2]) -> DVec2 {
    let (mut sum, mut area) = (DVec2::ZERO, 0.0);
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        let doubled = a.perp_dot(b);
        sum += (a + b) * doubled;
        area += doubled;
    }
    sum / (3.0 * area)
}
