//! Closest points of two convex cores: GJK in `f64` (Gilbert, Johnson and Keerthi 1988). In `f32` an
//! iteration occasionally stalls millimetres short of the answer.

use super::cache::{Corners, SearchStart};
use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::minkowski::{MinkowskiDifference, MinkowskiVertex};
use super::rounded_convex::Core;
use super::simplex::Simplex;
use crate::math::{DVec3, Pose, Real, Vec3, from_f64, to_f64};
use crate::tolerances::GJK;

/// Result of a distance query of two cores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Further apart than asked for; a separating direction.
    Apart(Vec3),
    /// Closest points, unit normal and distance (m) in the first core's frame, and the corners that
    /// support the points.
    Found { on_a: Vec3, on_b: Vec3, normal: Vec3, distance: Real, corners: Corners },
    /// Overlap, or touch within rounding.
    Overlap,
}

impl Nearest {
    /// Manifold of one point, if the cores are near but do not overlap.
    pub fn manifold(&self, b_in_a: &Pose) -> LocalManifold {
        let Self::Found { on_a, on_b, normal, distance, .. } = *self else { return LocalManifold::default() };
        let mut out = LocalManifold::with_normal(normal);
        out.push(LocalPoint {
            point_a: on_a,
            point_b: b_in_a.inverse_transform_point(on_b),
            separation: distance,
            feature: feature::pack(feature::vertex(WITNESS), feature::vertex(WITNESS)),
        });
        out
    }
}

/// Identifier of a closest point without known features.
pub(crate) const WITNESS: u32 = 0x3fff;

/// The iteration is finite on polytopes; on rims each step halves the error.
const MAX_ITERATIONS: usize = 64;

/// The closest points of two cores at most `reach` (m) apart.
pub(crate) fn nearest(a: &Core, b: &Core, b_in_a: &Pose, reach: Real, start: SearchStart) -> Nearest {
    nearest_within(a, b, b_in_a, reach, start, |_, size| GJK.gap * size)
}

/// [`nearest`] with a tolerance as a function of the distance and the size (m). The normal is off
/// by the root of twice the tolerance over the distance, so at small distances the tolerance must
/// be small too.
pub(crate) fn nearest_within(
    a: &Core,
    b: &Core,
    b_in_a: &Pose,
    reach: Real,
    start: SearchStart,
    slack: impl Fn(f64, f64) -> f64,
) -> Nearest {
    let difference = MinkowskiDifference::new(a, b, b_in_a);
    // A point and a triangle need no iteration.
    let direct = match (a, b) {
        (Core::Triangle(corners), Core::Point) => Some(corners.map(|v| difference.vertex((v, 0), (Vec3::ZERO, 0)))),
        (Core::Point, Core::Triangle(corners)) => Some(corners.map(|v| difference.vertex((Vec3::ZERO, 0), (v, 0)))),
        _ => None,
    };
    let reach = f64::from(reach);
    if let Some(corners) = direct {
        let [a, b, c] = corners;
        return classify(&Simplex::of([a, b, c, c], 3), size_of_all(&corners), reach, false);
    }
    let Corners { of_a, of_b, count } = start.corners;
    let mut corners = [MinkowskiVertex::default(); 4];
    let mut reused = 0;
    for (of_a, of_b) in of_a.into_iter().zip(of_b).take(count.into()) {
        // The cached numbers may belong to another shape, in a snapshot file made by hand.
        if let (Some(on_a), Some(on_b)) = (a.corner(of_a), b.corner(of_b)) {
            corners[reused] = difference.vertex((on_a, of_a), (on_b, of_b));
            reused += 1;
        }
    }
    if reused == 0 {
        let towards = start.direction.map(to_f64).or_else(|| difference.shift.try_normalize());
        corners[0] = difference.support(towards.unwrap_or(DVec3::X));
        reused = 1;
    }
    let mut size = size_of_all(&corners[..reused]);
    let mut simplex = Simplex::of(corners, reused);
    for _ in 0..MAX_ITERATIONS {
        let nearest = simplex.nearest();
        let distance = nearest.length();
        if simplex.count() == 4 || distance <= GJK.overlap * size {
            return Nearest::Overlap;
        }
        let direction = nearest / distance;
        let next = difference.support(direction);
        size = size.max(next.point.length());
        let bound = next.point.dot(direction);
        if bound > reach {
            return Nearest::Apart(from_f64(direction));
        }
        if distance - bound <= slack(distance, size) || simplex.contains(next.point) {
            break;
        }
        let grown = simplex.extended(next);
        // A separating direction is a proof: a simplex that contains the origin nevertheless is a
        // sliver, and rounding.
        if grown.count() == 4 && bound > GJK.overlap * size {
            break;
        }
        if grown.count() < 4 && grown.nearest().length_squared() >= nearest.length_squared() {
            break;
        }
        simplex.accept(grown);
    }
    classify(&simplex, size, reach, a.has_corner_numbers() && b.has_corner_numbers())
}

/// Largest distance of vertices from the origin (m).
fn size_of_all(corners: &[MinkowskiVertex]) -> f64 {
    corners.iter().fold(0.0, |most: f64, c| most.max(c.point.length_squared())).sqrt()
}

fn classify(simplex: &Simplex, size: f64, reach: f64, numbered: bool) -> Nearest {
    let (on_a, on_b) = simplex.witnesses();
    let distance = (on_b - on_a).length();
    if simplex.count() == 4 || distance <= GJK.overlap * size {
        return Nearest::Overlap;
    }
    let normal = (on_b - on_a) / distance;
    if distance > reach {
        return Nearest::Apart(from_f64(normal));
    }
    let mut corners = Corners::default();
    if numbered {
        for (k, corner) in simplex.vertices().iter().enumerate() {
            [corners.of_a[k], corners.of_b[k]] = corner.numbers;
        }
        corners.count = simplex.count() as u8;
    }
    let [on_a, on_b, normal] = [on_a, on_b, normal].map(from_f64);
    Nearest::Found { on_a, on_b, normal, distance: distance as Real, corners }
}
