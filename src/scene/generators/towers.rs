use super::common::{Generated, at, cube, empty, floor, standing};

/// Separate towers of ten unit cubes, 3 m apart: as many islands as there are towers.
pub(super) fn towers(side: usize) -> Generated {
    const PITCH: f64 = 3.0;
    let mut scene = empty(400, 0.6);
    let middle = (side - 1) as f64 / 2.0;
    scene.bodies.push(floor((PITCH * (middle + 1.0)).max(200.0)));
    for i in 0..side {
        for j in 0..side {
            let (x, z) = ((i as f64 - middle) * PITCH, (j as f64 - middle) * PITCH);
            scene.bodies.extend((0..10).map(|level| at(cube(), x, f64::from(level) + 0.5, z)));
        }
    }
    standing(scene)
}
