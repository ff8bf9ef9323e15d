use super::common::{Generated, cube, cuboid, empty, fixed, floor, grid};
use super::rng::Rng;
use crate::math::{DQuat, DVec3};
use crate::scene::format::BodySpec;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, SQRT_2};

/// Unit cubes falling through a funnel (after Bender and Schmitt, "Constraint-based collision and
/// contact handling using impulses", 2006): restitution 0.48, friction 0.1, steps of 1 ms.
pub(super) fn funnel(cubes: usize) -> Generated {
    /// Half the side of the hole and of the mouth, and the height of the hole (m).
    const HOLE: f64 = 2.0;
    const MOUTH: f64 = 10.0;
    const LOW: f64 = 6.0;
    let mut scene = empty(6000, 0.1);
    scene.materials.restitution = Some(0.48);
    scene.dt = 0.001;
    scene.bodies.push(floor(100.0));
    // Four slabs 1 m thick, their upper faces rising at 45 degrees from the hole to the mouth.
    let rise = MOUTH - HOLE;
    let slab = cuboid(rise * SQRT_2 / 2.0, 0.5, MOUTH + 1.0);
    for side in 0..4 {
        let turn = DQuat::from_rotation_y(f64::from(side) * FRAC_PI_2);
        let orientation = turn * DQuat::from_rotation_z(FRAC_PI_4);
        let face = turn * DVec3::new((HOLE + MOUTH) / 2.0, LOW + rise / 2.0, 0.0);
        scene.bodies.push(fixed(slab.clone(), face - orientation * DVec3::new(0.0, 0.5, 0.0), orientation));
    }
    // A cube of cubes, narrow enough to start above the slabs.
    let side = (libm::cbrt(cubes as f64).round() as usize).clamp(1, 13);
    let mut rng = Rng::new(11);
    for i in 0..cubes {
        let position = (grid(i, side) * 1.2 + DVec3::new(0.0, LOW + 6.0, 0.0) + 0.05 * rng.in_cube()).into();
        let axis = rng.direction();
        let orientation = DQuat::from_axis_angle(axis, 0.1 * rng.unit()).into();
        scene.bodies.push(BodySpec { position, orientation, ..BodySpec::dynamic(cube()) });
    }
    Generated { scene, top: None, bound: None }
}
