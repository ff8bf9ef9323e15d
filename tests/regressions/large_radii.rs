//! "A slab sinks into a planet and trembles": what is flat or long met a round surface of a far
//! larger radius in one point, which crossed the whole face within a step as the body rocked by a
//! hair, so that the other side fell free. It meets the tangent plane under its middle.

use crate::{DT, alone, position, prism, velocity};
use dolmen::math::consts::FRAC_PI_2;
use dolmen::prelude::*;
use hecs::World;

/// A shape, the orientation in which it lies, and the height of its centre then (m).
fn lying() -> Vec<(&'static str, Collider, Quat, Real)> {
    let on_side = Quat::from_rotation_z(FRAC_PI_2);
    vec![
        ("slab", Collider::cuboid(0.6, 0.1, 0.6), Quat::IDENTITY, 0.1),
        ("box", Collider::cuboid(0.5, 0.5, 0.5), Quat::IDENTITY, 0.5),
        ("small box", Collider::cuboid(0.05, 0.05, 0.05), Quat::IDENTITY, 0.05),
        ("plank along", Collider::cuboid(1.2, 0.05, 0.15), Quat::IDENTITY, 0.05),
        ("plank across", Collider::cuboid(1.2, 0.05, 0.15), Quat::from_rotation_y(FRAC_PI_2), 0.05),
        ("prism", prism(6, 0.2, 0.6), Quat::IDENTITY, 0.2),
        ("standing cylinder", Collider::cylinder(0.3, 0.5), Quat::IDENTITY, 0.3),
        ("cone", Collider::cone(0.5, 0.4), Quat::IDENTITY, 0.5),
        ("capsule along", Collider::capsule(0.5, 0.3), on_side, 0.3),
        ("capsule across", Collider::capsule(0.5, 0.3), Quat::from_rotation_y(FRAC_PI_2) * on_side, 0.3),
        ("lying cylinder", Collider::cylinder(0.5, 0.3), on_side, 0.3),
        ("lying cylinder askew", Collider::cylinder(0.5, 0.3), Quat::from_rotation_y(0.8) * on_side, 0.3),
    ]
}

/// Balls, cylinders and capsules of a radius, the latter lying along x.
fn rounds(radius: Real) -> [(&'static str, Collider); 3] {
    [
        ("ball", Collider::ball(radius)),
        ("cylinder", Collider::cylinder(30.0, radius)),
        ("capsule", Collider::capsule(30.0, radius)),
    ]
}

/// Drops every shape in a slight tilt on round surfaces of a radius: it must lie on them.
fn settle_on(radius: Real) {
    let material = Material::new(0.8, 0.0);
    // The place of a body this far from the origin of the round one is known to no more.
    let rounding = 2.0 * radius * Real::EPSILON;
    let mut bad = Vec::new();
    for (round, surface) in rounds(radius) {
        for (name, shape, turn, height) in lying() {
            let (mut world, mut physics) = (World::new(), alone());
            let along = if round == "ball" { Quat::IDENTITY } else { Quat::from_rotation_z(FRAC_PI_2) };
            world.spawn(Body::fixed(surface.clone()).at(0.0, -radius, 0.0).orientation(along).material(material));
            let tilt = Quat::from_rotation_x(0.06) * Quat::from_rotation_z(0.05);
            let body = Body::dynamic(shape).at(0.0, height + 0.1, 0.0).orientation(tilt * turn).material(material);
            let body = world.spawn(body);
            let (mut off, mut fastest): (Real, Real) = (0.0, 0.0);
            for step in 0..420 {
                physics.step(&mut world, DT).unwrap();
                if step >= 300 {
                    let at = position(&world, body) + Vec3::Y * radius;
                    let out = if round == "ball" { at } else { at.with_x(0.0) };
                    off = off.max((out.length() - radius - height).abs());
                    fastest = fastest.max(velocity(&world, body).length());
                }
            }
            // What can roll does, from the top of a cylinder.
            let rolls = name.contains("capsule") || name.contains("lying");
            if off > 1e-3 + rounding || fastest > if rolls { 0.1 } else { 0.02 } {
                bad.push(format!("{name} on a {round} of {radius} m: {off} m off, {fastest} m/s"));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn what_is_dropped_on_a_radius_of_200_m_lies_on_it() {
    settle_on(200.0);
}

#[test]
fn a_long_plank_rocks_on_a_radius_of_20_m() {
    for (round, surface) in rounds(20.0) {
        for heading in [0.0, 0.8, FRAC_PI_2] {
            let (mut world, mut physics) = (World::new(), alone());
            let along = if round == "ball" { Quat::IDENTITY } else { Quat::from_rotation_z(FRAC_PI_2) };
            let material = Material::new(0.8, 0.0);
            world.spawn(Body::fixed(surface.clone()).at(0.0, -20.0, 0.0).orientation(along).material(material));
            let turn = Quat::from_rotation_x(0.05) * Quat::from_rotation_z(0.05) * Quat::from_rotation_y(heading);
            let plank = Body::dynamic(Collider::cuboid(2.0, 0.05, 0.15)).at(0.0, 0.1, 0.0).orientation(turn);
            let plank = world.spawn(plank.material(material));
            for step in 0..420 {
                physics.step(&mut world, DT).unwrap();
                let at = position(&world, plank) + Vec3::Y * 20.0;
                let height = if round == "ball" { at.length() } else { at.with_x(0.0).length() } - 20.05;
                // A plank turned by an angle lifts its middle by R angle² / 2.
                assert!(step < 300 || (-2e-3..0.03).contains(&height), "{height} m on a {round}, heading {heading}");
            }
        }
    }
}

#[test]
fn what_is_dropped_on_a_radius_of_20_m_lies_on_it() {
    settle_on(20.0);
}

#[test]
fn what_is_dropped_on_a_radius_of_60_m_lies_on_it() {
    settle_on(60.0);
}

#[test]
fn what_is_dropped_on_a_radius_of_1_km_lies_on_it() {
    settle_on(1000.0);
}

#[test]
fn what_is_dropped_on_a_radius_of_5_km_lies_on_it() {
    settle_on(5000.0);
}
