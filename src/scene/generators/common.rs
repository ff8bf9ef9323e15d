//! What scenes have in common.

use super::Generated;
use crate::math::{DQuat, DVec3};
use crate::scene::format::{BodySpec, KindSpec, OutputSpec, Row, Scene, SettingsSpec, ShapeSpec, SurfaceSpec};

/// A scene without bodies: islands are kept awake, so that every step does its work, and all surfaces have one friction
/// and no bounce, so that it does not matter how an engine combines two.
pub(super) fn empty(steps: u64, friction: f64) -> Scene {
    Scene {
        steps,
        settings: SettingsSpec { rest: false, ..SettingsSpec::default() },
        materials: SurfaceSpec {
            static_friction: Some(friction),
            dynamic_friction: Some(friction),
            restitution: Some(0.0),
        },
        output: OutputSpec { energy: false, ..OutputSpec::default() },
        ..Scene::default()
    }
}

/// A box, by half its sides (m).
pub(super) fn cuboid(x: f64, y: f64, z: f64) -> ShapeSpec {
    ShapeSpec::Cuboid { half_extents: Row([x, y, z]) }
}

/// A cube of side 1 m.
pub(super) fn cube() -> ShapeSpec {
    cuboid(0.5, 0.5, 0.5)
}

/// A dynamic body at a place.
pub(super) fn at(shape: ShapeSpec, x: f64, y: f64, z: f64) -> BodySpec {
    BodySpec { position: Row([x, y, z]), ..BodySpec::dynamic(shape) }
}

/// A static body at a place, turned.
pub(super) fn fixed(shape: ShapeSpec, position: DVec3, orientation: DQuat) -> BodySpec {
    BodySpec {
        kind: KindSpec::Static,
        position: position.into(),
        orientation: orientation.into(),
        ..BodySpec::dynamic(shape)
    }
}

/// A floor whose upper face lies at y = 0, `half` to each side.
pub(super) fn floor(half: f64) -> BodySpec {
    let name = Some("floor".to_owned());
    BodySpec { name, ..fixed(cuboid(half, 1.0, half), DVec3::NEG_Y, DQuat::IDENTITY) }
}

/// A floor and four walls 2 m thick around a square of side `2 half`.
pub(super) fn pit(scene: &mut Scene, half: f64, height: f64) {
    scene.bodies.push(floor(half + 20.0));
    let (thick, up) = (1.0, height / 2.0);
    for side in [-1.0, 1.0] {
        let out = side * (half + thick);
        let across = cuboid(thick, up, half + 2.0 * thick);
        scene.bodies.push(fixed(across, DVec3::new(out, up, 0.0), DQuat::IDENTITY));
        scene.bodies.push(fixed(cuboid(half, up, thick), DVec3::new(0.0, up, out), DQuat::IDENTITY));
    }
}

/// A scene in which everything stands: its last body is the top of it.
pub(super) fn standing(scene: Scene) -> Generated {
    Generated { top: scene.bodies.len().checked_sub(1), bound: None, scene }
}

/// The place of number `i` in a grid of `side` by `side` columns filled layer by layer: across, up, across.
pub(super) fn grid(i: usize, side: usize) -> DVec3 {
    let middle = (side - 1) as f64 / 2.0;
    let (x, z, y) = (i % side, i / side % side, i / side / side);
    DVec3::new(x as f64 - middle, y as f64, z as f64 - middle)
}
