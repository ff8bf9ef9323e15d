//! Convex meshes with rounded edges: the exact moments of all points within a radius of a convex
//! body.
//!
//! Every point outside the body but within the radius `r` is `s + t u`, with its nearest surface
//! point `s`, a unit vector `u` of the normal cone at `s`, and `0 < t < r`. The layer consists of a
//! prism on each face, a wedge on each edge and a spherical sector at each corner (Steiner 1840 for
//! the volume). The moments of each piece are products of integrals over `s`, over `u` and over
//! `t`:
//!
//! * face: one `u`, weight `dA dt`;
//! * edge: `u` turns about the edge from one face's normal to the other's, weight `t ds dphi dt`;
//! * corner: `u` fills a spherical polygon whose sides are the arcs of the corner's edges, weight
//!   `t² dOmega dt`. With the unit vectors `d_k` along the edges away from the corner and the arcs'
//!   angles `phi_k`, Gauss's theorem on the sector of the unit ball gives `∫ u dOmega = -1/2 Σ
//!   phi_k d_k` and `∫ u u^T dOmega = 1/3 (Omega 1 - Σ (∫_k u dphi) d_k^T)`; and `Omega` is what
//!   the faces' angles at the corner lack to a full turn (Descartes).

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{
    MassError, MassProperties,
    closed::ClosedMesh,
    error::positive,
    mesh::solid_moments,
    moments::Moments,
    tensors::{outer, symmetric_outer},
};

/// Powers of the radius over their exponent: `∫ t^k dt` from 0 to `r` is `r^(k+1)/(k+1)`.
struct Radius([f64; 6]);

impl Radius {
    fn new(r: f64) -> Self {
        let square = r * r;
        let fourth = square * square;
        Self([0.0, r, square / 2.0, r * square / 3.0, fourth / 4.0, r * fourth / 5.0])
    }
}

/// Integrals of 1, `x`, `x x^T` over a piece of the surface or of the sphere of normals.
type Triple = (f64, DVec3, DMat3);

/// The moments of the layer over a piece: `s` its surface part, `u` its normals, `k` the power of
/// `t` in the weight.
fn layer(s: Triple, u: Triple, k: usize, r: &Radius) -> Moments {
    let t = &r.0[k + 1..];
    Moments {
        volume: s.0 * u.0 * t[0],
        first: s.1 * (u.0 * t[0]) + u.1 * (s.0 * t[1]),
        second: s.2 * (u.0 * t[0]) + symmetric_outer(s.1, u.1) * t[1] + u.2 * (s.0 * t[2]),
    }
}

/// All points within `radius` (m) of a convex solid bounded by triangles, counter-clockwise from
/// outside, of uniform `density` (kg/m³). The solid may be flat: a triangle and its back give the
/// triangle with a round rim.
///
/// The mesh must be convex, which is not checked: otherwise layers overlap or leave gaps.
///
/// # Errors
/// Those of [`super::solid_mesh`], except that a flat mesh is valid.
pub fn rounded_mesh(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    radius: f64,
    density: f64,
) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    let radius = Radius::new(positive("border radius", radius)?);
    let mesh = ClosedMesh::new(vertices, triangles)?;
    let reference = mesh.reference();
    let mut moments = solid_moments(&mesh, reference);
    let mut corners = vec![(2.0 * PI, DVec3::ZERO, DMat3::ZERO); mesh.vertices.len()];
    let normals: Vec<DVec3> = mesh
        .triangles
        .iter()
        .map(|&triangle| {
            let [b, c, d] = mesh.corners(triangle);
            (c - b).cross(d - b).normalize_or_zero()
        })
        .collect();
    for (triangle, &normal) in mesh.triangles.iter().zip(&normals) {
        let p = mesh.corners(*triangle).map(|v| v - reference);
        moments.add(&layer(triangle_integrals(p), (1.0, normal, outer(normal, normal)), 0, &radius));
        for i in 0..3 {
            let (to_next, to_last) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            corners[triangle[i] as usize].0 -= libm::atan2(to_next.cross(to_last).length(), to_next.dot(to_last));
        }
    }
    for &([a, b], [left, right]) in &mesh.edges {
        let ends = [a, b].map(|v| mesh.vertices[v as usize] - reference);
        let along = (ends[1] - ends[0]).normalize();
        let arc = arc_integrals(normals[left as usize], normals[right as usize], along);
        moments.add(&layer(segment_integrals(ends, along), arc, 1, &radius));
        for (corner, away) in [(a, along), (b, -along)] {
            let corner = &mut corners[corner as usize];
            corner.1 -= away * (0.5 * arc.0);
            corner.2 -= outer(arc.1, away) * (1.0 / 3.0);
        }
    }
    for (&vertex, &(angle, first, second)) in mesh.vertices.iter().zip(&corners) {
        let s = vertex - reference;
        let second = second + DMat3::from_diagonal(DVec3::splat(angle / 3.0));
        let second = (second + second.transpose()) * 0.5;
        moments.add(&layer((1.0, s, outer(s, s)), (angle, first, second), 2, &radius));
    }
    if moments.volume <= 0.0 {
        return Err(MassError::InsideOut { volume: moments.volume });
    }
    let body = moments.properties(reference, density);
    body.validate()?;
    Ok(body)
}

fn triangle_integrals([b, c, d]: [DVec3; 3]) -> Triple {
    let area = 0.5 * (c - b).cross(d - b).length();
    let sum = b + c + d;
    let second = (outer(sum, sum) + outer(b, b) + outer(c, c) + outer(d, d)) * (area / 12.0);
    (area, sum * (area / 3.0), second)
}

fn segment_integrals([a, b]: [DVec3; 2], along: DVec3) -> Triple {
    let (length, middle) = ((b - a).length(), 0.5 * (a + b));
    let second = outer(middle, middle) + outer(along, along) * (length * length / 12.0);
    (length, middle * length, second * length)
}

/// Integrals over the unit vectors from `from` to `to`, turning about `axis`.
fn arc_integrals(from: DVec3, to: DVec3, axis: DVec3) -> Triple {
    let angle = libm::atan2(from.cross(to).dot(axis), from.dot(to));
    // For opposite normals the arc is the outer half circle; the sign of a zero must not decide.
    let angle = if angle < -0.5 * PI { angle + 2.0 * PI } else { angle };
    let side = axis.cross(from);
    let (sin, cos) = libm::sincos(angle);
    let first = from * sin + side * (1.0 - cos);
    let (half, double) = (0.5 * angle, 0.5 * sin * cos);
    let second = outer(from, from) * (half + double)
        + outer(side, side) * (half - double)
        + symmetric_outer(from, side) * (0.5 * sin * sin);
    (angle, first, second)
}
