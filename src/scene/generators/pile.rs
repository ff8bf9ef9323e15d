use super::common::{Generated, cube, cuboid, empty, grid, pit};
use super::rng::Rng;
use crate::math::DVec3;
use crate::scene::format::{BodySpec, Row, ShapeSpec};

/// Unit cubes dropped into a pit.
pub(super) fn cubes(bodies: usize) -> Generated {
    dropped(bodies, 1.8, |_, _| cube())
}

/// Balls of 1 m dropped into a pit.
pub(super) fn balls(bodies: usize) -> Generated {
    dropped(bodies, 1.15, |_, _| ball())
}

/// Cubes, balls, capsules and hulls in equal numbers, dropped into a pit.
pub(super) fn mixed(bodies: usize) -> Generated {
    dropped(bodies, 1.8, |i, rng| match i % 4 {
        0 => cube(),
        1 => ball(),
        2 => ShapeSpec::Capsule { half_height: 0.35, radius: 0.35 },
        _ => hull(8, rng),
    })
}

/// Capsules of 1.2 m dropped into a pit.
pub(super) fn capsules(bodies: usize) -> Generated {
    dropped(bodies, 1.4, |_, _| ShapeSpec::Capsule { half_height: 0.35, radius: 0.25 })
}

/// Planks of 2 m dropped into a pit.
pub(super) fn planks(bodies: usize) -> Generated {
    dropped(bodies, 2.2, |_, _| cuboid(1.0, 0.05, 0.2))
}

/// Hulls of 24 corners dropped into a pit.
pub(super) fn rocks(bodies: usize) -> Generated {
    dropped(bodies, 1.5, |_, rng| hull(12, rng))
}

/// Hulls of 6 to 14 corners dropped into a pit.
pub(super) fn hulls(bodies: usize) -> Generated {
    dropped(bodies, 1.5, |i, rng| hull(3 + i % 5, rng))
}

/// Cubes and balls of 0.1 to 1.2 m dropped into a pit.
pub(super) fn heap(bodies: usize) -> Generated {
    dropped(bodies, 2.2, |i, rng| {
        let half = 0.05 * libm::pow(12.0, 0.5 + 0.5 * rng.unit());
        if i.is_multiple_of(2) { cuboid(half, half, half) } else { ShapeSpec::Ball { radius: half } }
    })
}

fn ball() -> ShapeSpec {
    ShapeSpec::Ball { radius: 0.5 }
}

/// A hull of so many pairs of points on an ellipsoid, at least 3, point-symmetric, so that its centre of mass is
/// the origin.
fn hull(pairs: usize, rng: &mut Rng) -> ShapeSpec {
    let radii = DVec3::new(0.5, 0.45, 0.5) + 0.1 * rng.in_cube();
    // The first four pairs are near the diagonals of a cube, so that no hull is flat.
    let diagonals = [DVec3::ONE, DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, 1.0, -1.0)];
    let mut points = Vec::with_capacity(2 * pairs);
    for i in 0..pairs {
        let direction = match diagonals.get(i) {
            Some(diagonal) => (diagonal.normalize() + 0.35 * rng.in_cube()).normalize(),
            None => rng.direction(),
        };
        points.extend([Row::from(direction * radii), Row::from(-direction * radii)]);
    }
    ShapeSpec::ConvexHull { points }
}

/// Bodies on a loose grid above a pit. The pit's width is proportional to the cube root of their
/// number, so that piles of all sizes have the same form. Random orientations, displacements and
/// velocities, and a shift of odd layers, prevent columns.
fn dropped(bodies: usize, pitch: f64, shape: impl Fn(usize, &mut Rng) -> ShapeSpec) -> Generated {
    // Wide enough for a single body to start clear of the walls.
    let half = (libm::cbrt(bodies as f64) * 0.65).max(1.35);
    let side = (((2.0 * half - 0.9) / pitch) as usize).max(1);
    let layers = bodies.div_ceil(side * side);
    let mut scene = empty(700, 0.5);
    pit(&mut scene, half, (layers as f64 * pitch + 5.0).max(110.0));
    let lowest = (0.5 * pitch).max(1.0);
    let mut rng = Rng::new(7);
    for i in 0..bodies {
        let cell = grid(i, side);
        let shift = if (i / (side * side)).is_multiple_of(2) { -0.2 } else { 0.2 };
        let place = cell * pitch + DVec3::new(shift, lowest, shift) + 0.03 * rng.in_cube();
        let shape = shape(i, &mut rng);
        let orientation = rng.rotation().into();
        let linear_velocity = (rng.in_cube() * DVec3::new(1.5, 0.5, 1.5)).into();
        let angular_velocity = (rng.in_cube() * 2.0).into();
        let position = place.into();
        scene.bodies.push(BodySpec {
            position,
            orientation,
            linear_velocity,
            angular_velocity,
            ..BodySpec::dynamic(shape)
        });
    }
    Generated { scene, top: None, bound: Some(half) }
}
