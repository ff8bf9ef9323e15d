use super::common::{Generated, at, cube, empty, floor, standing};
use crate::scene::format::BodySpec;

/// A tower of light unit cubes with a cube on top that is `ratio` times as heavy.
fn loaded(cubes: usize, ratio: f64) -> Generated {
    const LIGHT: f64 = 10.0;
    let mut scene = empty(600, 0.6);
    scene.bodies.push(floor(50.0));
    scene.bodies.extend((0..=cubes).map(|i| {
        let density = Some(if i == cubes { LIGHT * ratio } else { LIGHT });
        BodySpec { density, ..at(cube(), 0.0, i as f64 + 0.5, 0.0) }
    }));
    standing(scene)
}

pub(super) fn thousand(cubes: usize) -> Generated {
    loaded(cubes, 1000.0)
}

pub(super) fn hundred(cubes: usize) -> Generated {
    loaded(cubes, 100.0)
}

pub(super) fn ten(cubes: usize) -> Generated {
    loaded(cubes, 10.0)
}
