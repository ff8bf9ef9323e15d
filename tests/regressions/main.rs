//! Known faults of physics engines (leaning stacks, ghost bumps, diverging snapshots, leaks, bodies
//! that do not wake), each as a test that fails if the fault appears.

#[path = "../support/allocations.rs"]
mod allocations;
mod any_data;
mod any_file;
mod bumps;
#[path = "../support/campaign/mod.rs"]
#[allow(unused_imports, reason = "the campaign names more than the tests")]
mod campaign;
mod churn;
mod extremes;
mod fuzz;
#[path = "../support/game.rs"]
mod game;
mod height_fields;
mod large_radii;
mod others;
#[path = "../../examples/rollback.rs"]
mod rollback;
mod seams;
mod sinking;
mod snapshots;
mod spinning;
mod squeezed;

use dolmen::math::consts::TAU;
use dolmen::prelude::*;
use game::{DT, position, run, velocity};

/// A physics on the calling thread only.
fn alone() -> Physics {
    Physics::new(Settings { threads: Some(1), ..Settings::default() })
}

/// Corners of a prism with so many sides about the y axis, of half a height and a radius (m).
fn prism_corners(sides: usize, half: Real, radius: Real) -> Vec<Vec3> {
    let corner = |k: usize| {
        let (sin, cos) = ((k / 2) as Real / sides as Real * TAU).sin_cos();
        Vec3::new(radius * cos, if k.is_multiple_of(2) { half } else { -half }, radius * sin)
    };
    (0..2 * sides).map(corner).collect()
}

/// The hull of [`prism_corners`].
fn prism(sides: usize, half: Real, radius: Real) -> Collider {
    Collider::convex_hull(&prism_corners(sides, half, radius)).unwrap()
}

/// A flat square mesh of an extent (m) around the origin, of so many cells in a row.
fn square_mesh(cells: usize, extent: Real) -> Collider {
    let row = cells + 1;
    let place = |k: usize| (k as Real / cells as Real - 0.5) * extent;
    let vertices = (0..row * row).map(|k| Vec3::new(place(k % row), 0.0, place(k / row))).collect();
    let corner = |k: usize| k as u32;
    let cut = |k: usize| [[k, k + row, k + 1], [k + 1, k + row, k + row + 1]].map(|t| t.map(corner));
    let cells = (0..row * row).filter(|k| k % row < cells && k / row < cells);
    Collider::trimesh(vertices, cells.flat_map(cut).collect()).unwrap()
}
