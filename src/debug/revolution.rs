//! Solids of revolution about y, with rounded borders: balls, capsules, cylinders and cones.

use super::pen::Pen;
use crate::math::{Real, Vec3};

/// Directions in the half plane of a profile: away from the axis, and along it.
const DOWN: [Real; 2] = [0.0, -1.0];
const OUT: [Real; 2] = [1.0, 0.0];
const UP: [Real; 2] = [0.0, 1.0];

/// A corner of a profile.
struct Corner {
    /// Distance from the axis, and place along it (m).
    at: [Real; 2],
    /// Outward normals, as unit vectors, of the sides before and after it.
    normals: [[Real; 2]; 2],
}

/// A ball, or with a height a capsule along y.
pub(super) fn capsule(pen: &mut Pen, half_height: Real, radius: Real) {
    let [low, high] = [-half_height, half_height];
    draw(
        pen,
        &[Corner { at: [0.0, low], normals: [DOWN, OUT] }, Corner { at: [0.0, high], normals: [OUT, UP] }],
        radius,
    );
}

/// A cylinder along y with a border.
pub(super) fn cylinder(pen: &mut Pen, half_height: Real, radius: Real, border: Real) {
    let [low, high] = [-half_height, half_height];
    draw(
        pen,
        &[Corner { at: [radius, low], normals: [DOWN, OUT] }, Corner { at: [radius, high], normals: [OUT, UP] }],
        border,
    );
}

/// A cone along y, its tip up, with a border.
pub(super) fn cone(pen: &mut Pen, half_height: Real, radius: Real, border: Real) {
    let side = Vec3::new(2.0 * half_height, radius, 0.0).normalize_or_zero();
    let side = [side.x, side.y];
    draw(
        pen,
        &[
            Corner { at: [radius, -half_height], normals: [DOWN, side] },
            Corner { at: [0.0, half_height], normals: [side, UP] },
        ],
        border,
    );
}

/// Draws the profile at four azimuths, and the circles through its corners and its widest points.
fn draw(pen: &mut Pen, corners: &[Corner], border: Real) {
    for out in [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z] {
        let point = |[r, y]: [Real; 2]| out * r + Vec3::Y * y;
        let mut last = None;
        for Corner { at, normals } in corners {
            let (centre, [from, to]) = (point(*at), normals.map(|normal| point(normal) * border));
            if let Some(last) = last.filter(|last| *last != centre + from) {
                pen.line(last, centre + from);
            }
            if border > 0.0 {
                pen.arc(centre, from, to);
            }
            last = Some(centre + to);
        }
    }
    let mut last = None;
    for Corner { at, normals: [from, to] } in corners {
        let widest = from[1] < 0.0 && to[1] > 0.0;
        for normal in [*from, OUT, *to] {
            if normal == OUT && !widest && from != &OUT && to != &OUT {
                continue;
            }
            let circle = [at[0] + border * normal[0], at[1] + border * normal[1]];
            // Circles at the axis are points, and corners without a border have one circle.
            if circle[0] > 0.0 && last != Some(circle) {
                pen.circle(Vec3::Y * circle[1], [Vec3::X * circle[0], Vec3::Z * circle[0]]);
            }
            last = Some(circle);
        }
    }
}
