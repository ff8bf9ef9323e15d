use super::common::{Generated, at, cube, empty, floor, standing};

/// A tower of unit cubes.
pub(super) fn tower(cubes: usize) -> Generated {
    let mut scene = empty(600, 0.6);
    scene.bodies.push(floor(50.0));
    scene.bodies.extend((0..cubes).map(|i| at(cube(), 0.0, i as f64 + 0.5, 0.0)));
    standing(scene)
}
