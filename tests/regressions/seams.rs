//! "A box hops over the seam of two flush height fields": the border of the next field is closer
//! than its surface, and its side stopped what slid towards it. Contacts with the borders of meshes
//! and height fields, and impacts of fast bodies, are none where a plane separates the shapes until
//! the end of the step.

use crate::{DT, alone, position, prism, velocity};
use dolmen::math::consts::FRAC_PI_2;
use dolmen::prelude::*;
use hecs::World;

/// Half the width of a ground (m).
const HALF: Real = 40.0;

fn field(cells: usize) -> Collider {
    let row = cells + 1;
    Collider::heightfield(row, row, &vec![0.0; row * row], Vec3::new(2.0 * HALF, 1.0, 2.0 * HALF)).unwrap()
}

fn mesh() -> Collider {
    let corners = [(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF)].map(|(x, z)| Vec3::new(x, 0.0, z));
    Collider::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()
}

/// A box with its top at the height 0, as a closed mesh.
fn closed_mesh() -> Collider {
    let side = |k: u32, bit: u32, low: Real, high: Real| if k & bit == 0 { low } else { high };
    let corner = |k: u32| Vec3::new(side(k, 1, -HALF, HALF), side(k, 2, -2.0, 0.0), side(k, 4, -HALF, HALF));
    let faces = [[2, 6, 7, 3], [0, 1, 5, 4], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];
    let cut = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    Collider::trimesh((0..8).map(corner).collect(), faces.into_iter().flat_map(cut).collect()).unwrap()
}

fn block() -> Collider {
    Collider::compound(vec![(Vec3::Y * -1.0, Quat::IDENTITY, Collider::cuboid(HALF, 1.0, HALF))]).unwrap()
}

/// A shape, its orientation and the height of its centre (m).
fn sliders() -> Vec<(&'static str, Collider, Quat, Real)> {
    let on_side = Quat::from_rotation_z(FRAC_PI_2);
    let part = |x: Real| (Vec3::X * x, Quat::IDENTITY, Collider::cuboid(0.1, 0.2, 0.2));
    vec![
        ("box", Collider::cuboid(0.25, 0.25, 0.25), Quat::IDENTITY, 0.25),
        ("turned box", Collider::cuboid(0.25, 0.25, 0.25), Quat::from_rotation_y(0.5), 0.25),
        ("ball", Collider::ball(0.25), Quat::IDENTITY, 0.25),
        ("capsule", Collider::capsule(0.3, 0.2), Quat::from_rotation_y(0.3) * on_side, 0.2),
        ("cylinder", Collider::cylinder(0.2, 0.3), Quat::IDENTITY, 0.2),
        ("lying cylinder", Collider::cylinder(0.3, 0.2), Quat::from_rotation_y(1.2) * on_side, 0.2),
        ("cone", Collider::cone(0.3, 0.3), Quat::IDENTITY, 0.3),
        ("prism", prism(6, 0.2, 0.3), Quat::IDENTITY, 0.2),
        ("compound", Collider::compound(vec![part(0.2), part(-0.2)]).unwrap(), Quat::IDENTITY, 0.2),
    ]
}

/// Lets every shape slide without friction over the seam of two grounds at many speeds: it must
/// keep its speed and its height.
fn slide_over(left: Collider, right: Collider) {
    let material = Material::new(0.0, 0.0);
    let mut bad = Vec::new();
    for (name, shape, turn, height) in sliders() {
        for speed in [0.5, 2.0, 3.0, 7.0, 12.0, 25.0, 40.0] {
            // A slow roller is braked in the groove between its two grounds.
            if speed < 1.0 && (name == "ball" || name == "capsule" || name == "lying cylinder") {
                continue;
            }
            for heading in [0.0, 0.4 as Real] {
                let (mut world, mut physics) = (World::new(), alone());
                world.spawn(Body::fixed(left.clone()).at(-HALF, 0.0, 0.0).material(material));
                world.spawn(Body::fixed(right.clone()).at(HALF, 0.0, 0.0).material(material));
                let v = Vec3::new(heading.cos(), 0.0, heading.sin()) * speed;
                let start = Vec3::new(-0.45, height, 0.3) - v * 0.3;
                let body = Body::dynamic(shape.clone()).position(start).orientation(turn).material(material);
                let body = world.spawn(body.linear_velocity(v));
                let steps = (60.0 * (0.6 + 1.2 / speed)) as usize;
                let mut off: Real = 0.0;
                for _ in 0..steps {
                    physics.step(&mut world, DT).unwrap();
                    off = off.max((position(&world, body).y - height).abs());
                }
                let lost = (velocity(&world, body) - v).length() / speed;
                if off > 2e-3 || lost > 2e-3 || position(&world, body).x < 0.3 {
                    bad.push(format!(
                        "{name} at {speed} m/s, heading {heading}: {off} m off, {lost} of the speed lost"
                    ));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn nothing_bumps_over_the_seam_of_two_height_fields() {
    slide_over(field(1), field(1));
}

#[test]
fn nothing_bumps_over_the_seam_of_a_fine_height_field_and_a_mesh() {
    slide_over(field(10), mesh());
}

#[test]
fn nothing_bumps_over_the_seam_of_two_meshes() {
    slide_over(mesh(), mesh());
}

#[test]
fn nothing_bumps_over_the_seam_of_two_closed_meshes() {
    slide_over(closed_mesh(), closed_mesh());
}

#[test]
fn nothing_bumps_over_the_seam_of_a_box_and_a_height_field() {
    slide_over(block(), field(1));
    slide_over(field(1), block());
}

#[test]
fn nothing_bumps_over_the_seam_of_two_boxes() {
    slide_over(block(), block());
}
