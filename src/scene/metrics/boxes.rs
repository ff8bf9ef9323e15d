//! Penetration depth of boxes and balls in closed form.

use crate::math::{DMat3, DQuat, DVec3};

/// Parallel edges in the measurement of box overlaps: sine of their angle below this (no unit).
/// Smaller: an axis made of rounding errors. Larger: depth too large by this part of the boxes'
/// size.
const PARALLEL_EDGES: f64 = 1e-9;

/// An oriented box: centre, axes (columns) and half extents.
pub(super) struct OrientedBox {
    pub center: DVec3,
    pub axes: DMat3,
    pub half: DVec3,
}

impl OrientedBox {
    pub(super) fn new(center: DVec3, orientation: DQuat, half: DVec3) -> Self {
        Self { center, axes: DMat3::from_quat(orientation), half }
    }

    /// Half extent of the box along a unit vector.
    fn reach(&self, along: DVec3) -> f64 {
        (self.axes.transpose() * along).abs().dot(self.half)
    }
}

/// Penetration depth of two boxes: the shortest separating translation (m); at most 0 without
/// overlap.
///
/// Separating axis test over 15 axes: face normals and cross products of edges (Gottschalk, Lin and
/// Manocha, "OBBTree", 1996).
pub(super) fn box_box(a: &OrientedBox, b: &OrientedBox) -> f64 {
    let between = b.center - a.center;
    let overlap = |n: DVec3| a.reach(n) + b.reach(n) - between.dot(n).abs();
    let (of_a, of_b) = ([0, 1, 2].map(|i| a.axes.col(i)), [0, 1, 2].map(|i| b.axes.col(i)));
    let faces = of_a.into_iter().chain(of_b);
    let edges = of_a.into_iter().flat_map(|u| of_b.map(|v| u.cross(v)));
    let mut least = f64::INFINITY;
    for n in faces.chain(edges.filter(|n| n.length() > PARALLEL_EDGES).map(DVec3::normalize)) {
        least = least.min(overlap(n));
        if least <= 0.0 {
            break;
        }
    }
    least
}

/// Penetration depth of a ball in a box (m); at most 0 without overlap.
pub(super) fn box_ball(a: &OrientedBox, center: DVec3, radius: f64) -> f64 {
    let inside = a.axes.transpose() * (center - a.center);
    let nearest = inside.clamp(-a.half, a.half);
    let distance = inside.distance(nearest);
    if distance > 0.0 { radius - distance } else { radius + (a.half - inside.abs()).min_element() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_4, SQRT_2};

    fn unit(x: f64, y: f64, z: f64, q: DQuat) -> OrientedBox {
        OrientedBox::new(DVec3::new(x, y, z), q, DVec3::splat(0.5))
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn stacked_boxes_overlap_by_the_missing_height() {
        let a = unit(0.0, 0.0, 0.0, DQuat::IDENTITY);
        assert!(near(box_box(&a, &unit(0.3, 0.9, 0.0, DQuat::IDENTITY)), 0.1));
        assert!(near(box_box(&a, &unit(0.0, 1.01, 0.0, DQuat::IDENTITY)), -0.01));
    }

    #[test]
    fn an_edge_reaches_half_a_diagonal_below_its_centre() {
        let a = unit(0.0, 0.0, 0.0, DQuat::IDENTITY);
        let b = unit(0.0, 1.2, 0.0, DQuat::from_rotation_z(FRAC_PI_4));
        assert!(near(box_box(&a, &b), 0.5 + SQRT_2 / 2.0 - 1.2));
    }

    #[test]
    fn crossed_edges_are_separated_perpendicular_to_both() {
        // Two bars, rotated about x and about z: an edge of each meets the other on the y axis.
        let a = unit(0.0, 0.0, 0.0, DQuat::from_rotation_x(FRAC_PI_4));
        let b = unit(0.0, 1.4, 0.0, DQuat::from_rotation_z(FRAC_PI_4));
        assert!(near(box_box(&a, &b), SQRT_2 - 1.4));
    }

    #[test]
    fn a_ball_in_a_box_leaves_by_the_nearest_face() {
        let a = unit(0.0, 0.0, 0.0, DQuat::from_rotation_y(0.3));
        assert!(near(box_ball(&a, DVec3::new(0.0, 0.95, 0.0), 0.5), 0.05));
        assert!(near(box_ball(&a, DVec3::new(0.0, 0.4, 0.0), 0.5), 0.6));
    }
}
