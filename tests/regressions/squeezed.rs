//! What is light and squeezed by what is heavy was thrown: impulses that stopped the impacts that
//! the impact stage had left were the first guess of the next step.
//!
//! What is light was pushed through static ground by what is heavy: a body between the two takes
//! one impact for each part by which their masses differ before the heavy one stands, and a contact
//! that had used up its impacts was left approaching.

use crate::{DT, alone, position};
use dolmen::prelude::*;
use hecs::World;

#[test]
fn a_compound_squeezed_by_a_heavy_one_is_not_thrown() {
    let (mut world, mut physics) = (World::new(), alone());
    let e0 = world.spawn(Body::fixed(Collider::cuboid(30.0, 1.0, 30.0)).position(Vec3::new(0.0, -1.0, 0.0)));
    world
        .insert_one(
            e0,
            Material {
                static_friction: 0.91061735,
                dynamic_friction: 0.91061735,
                restitution: 0.0,
                rolling_friction: 0.0,
                ..Material::default()
            },
        )
        .unwrap();
    world.spawn(
        Body::dynamic(
            Collider::compound(vec![
                (
                    Vec3::new(-0.028265355, 0.21214552, -0.25065097),
                    Quat::from_xyzw(-0.030465629, -0.5047688, -0.8374814, 0.2071359),
                    Collider::capsule(0.31023598, 0.11934385),
                ),
                (
                    Vec3::new(0.2093311, 0.08304936, 0.07638932),
                    Quat::from_xyzw(-0.21138296, -0.47890908, 0.05179922, 0.8504588),
                    Collider::cuboid(0.11934385, 0.31023598, 0.14775455),
                ),
                (
                    Vec3::new(-0.07566364, -0.20914683, -0.24037747),
                    Quat::from_xyzw(0.045529254, -0.49687675, 0.7881838, -0.36028722),
                    Collider::cuboid(0.11934385, 0.31023598, 0.14775455),
                ),
                (
                    Vec3::new(0.082503825, -0.09861693, 0.09477189),
                    Quat::from_xyzw(0.5926318, -0.80388236, -0.050464015, -0.0037555068),
                    Collider::cuboid(0.11934385, 0.31023598, 0.14775455),
                ),
            ])
            .unwrap(),
        )
        .position(Vec3::new(-2.9785788, 1.5749809, -3.021485))
        .orientation(Quat::from_xyzw(0.7447155, -0.13359685, -0.23728088, 0.6093016))
        .linear_velocity(Vec3::new(0.118532926, 0.14344463, -0.06554662))
        .angular_velocity(Vec3::new(-0.63058233, 2.8784103, 2.8137121))
        .density(318.31668),
    );
    let e3 = world.spawn(
        Body::dynamic(
            Collider::compound(vec![
                (
                    Vec3::new(0.3130981, 0.6170763, 0.4822531),
                    Quat::from_xyzw(-0.86053723, -0.019490033, -0.020732336, 0.5085921),
                    Collider::capsule(0.15797286, 0.28789732),
                ),
                (
                    Vec3::new(-0.58201355, -0.06516818, -0.042691052),
                    Quat::from_xyzw(-0.6218071, 0.38128504, -0.5543886, 0.4007878),
                    Collider::ball(0.39763603),
                ),
                (
                    Vec3::new(0.23176809, -0.4352745, -0.6464642),
                    Quat::from_xyzw(0.40900236, 0.6954497, -0.5428463, -0.23320502),
                    Collider::ball(0.39763603),
                ),
            ])
            .unwrap(),
        )
        .position(Vec3::new(-0.52238536, 1.5509149, -2.974274))
        .orientation(Quat::from_xyzw(-0.43894446, -0.2789592, 0.25713533, -0.8144882))
        .linear_velocity(Vec3::new(-2.7933269, -0.40750766, -1.0210705))
        .angular_velocity(Vec3::new(1.3548818, 1.5197954, -1.4555515)),
    );
    world
        .insert_one(
            e3,
            Material {
                static_friction: 0.851014,
                dynamic_friction: 0.851014,
                restitution: 0.39167717,
                rolling_friction: 0.0,
                ..Material::default()
            },
        )
        .unwrap();
    let mut before = f64::INFINITY;
    for step in 0..60 {
        physics.step(&mut world, DT).unwrap();
        let energy = physics.energy();
        assert!(energy <= before + 0.01 * before.abs(), "{step}: {before} {energy}");
        before = energy;
    }
}

/// Ground of cells of 15 m by 15 m, with vertices up to .25 m above and below zero.
fn bumpy() -> Collider {
    let height = |x: i32, z: i32| 0.25 * ((5 * x + 3 * z) as Real).sin();
    let vertices = (0..25).map(|i| (i / 5 - 2, i % 5 - 2));
    let vertices = vertices.map(|(x, z)| Vec3::new(15.0 * x as Real, height(x, z), 15.0 * z as Real)).collect();
    let cells = (0..16).map(|i| 5 * (i / 4) + i % 4);
    let triangles = cells.flat_map(|a| [[a, a + 1, a + 5], [a + 1, a + 6, a + 5]]).collect();
    Collider::trimesh(vertices, triangles).unwrap()
}

#[test]
fn nothing_light_is_pushed_through_the_ground_by_what_falls_on_it() {
    let grounds =
        [("mesh", bumpy()), ("plane", Collider::half_space(Vec3::Y)), ("box", Collider::cuboid(30.0, 0.02, 30.0))];
    let mut through = Vec::new();
    for (name, ground) in grounds {
        for accuracy in [Accuracy::Game, Accuracy::Exact] {
            for case in 0..24 {
                let (mut world, mut physics) = (World::new(), alone());
                physics.settings.accuracy = accuracy;
                let random = |k: i32| (f64::from(case * 7 + k) * 1.618_034).fract() as Real;
                world.spawn(Body::fixed(ground.clone()));
                let thin = 0.03 + 0.06 * random(1);
                let light = Body::dynamic(Collider::cuboid(thin, 0.18, 0.18)).at(0.4 * random(2), 0.6, 0.3);
                let turn = Quat::from_rotation_y(6.0 * random(3)) * Quat::from_rotation_x(6.0 * random(4));
                let light = world.spawn(light.orientation(turn).density(60.0 + 60.0 * random(6)));
                let heavy =
                    Body::dynamic(Collider::cuboid(0.3, 0.3, 0.8)).at(0.2, 2.0 + 3.0 * random(7), 0.4 * random(8));
                world.spawn(heavy.density(900.0 + 1100.0 * random(9)));
                let mut lowest: Real = 1.0;
                for _ in 0..150 {
                    physics.step(&mut world, DT).unwrap();
                    let at = position(&world, light);
                    if at.x.abs().max(at.z.abs()) > 29.0 {
                        break;
                    }
                    lowest = lowest.min(at.y);
                }
                // The mesh's lowest place, and the box's lower side, are below that.
                if lowest < -0.25 {
                    through.push(format!("{name}, {accuracy:?}, {case}: {lowest}"));
                }
            }
        }
    }
    // A plate pinched flat under the edge of a ton, where neither law finds an equilibrium.
    assert!(through.len() <= 1, "{through:#?}");
}
