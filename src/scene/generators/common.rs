//! Common parts of generated scenes.

use crate::components::Position;
use crate::math::{DQuat, DVec3};
use crate::scene::format::{
    BodySpec, JointKind, JointSpec, KindSpec, OutputSpec, Row, Scene, SettingsSpec, ShapeSpec, SurfaceSpec,
};
use hecs::{Entity, World};

/// A scene, and the criteria for its final state.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// The scene.
    pub scene: Scene,
    /// The top body, for scenes that should stand as they start.
    pub top: Option<usize>,
    /// Greatest distance of a body's origin from the middle in x and z (m); `None` for no limit.
    /// Bodies beyond it are lost.
    pub bound: Option<f64>,
}

impl Generated {
    /// Change of the top body's height (m); `None` for a scene without a top body.
    pub fn top_error(&self, world: &World, entities: &[Entity]) -> Option<f64> {
        let top = self.top?;
        let height = f64::from(world.get::<&Position>(entities[top]).ok()?.0.y);
        Some(height - self.scene.bodies[top].position[1])
    }

    /// Number of lost bodies: with origins below the floor's surface, outside the bound, or not
    /// finite.
    pub fn lost(&self, world: &World, entities: &[Entity]) -> usize {
        let inside = |&entity: &Entity| {
            let Ok(position) = world.get::<&Position>(entity) else { return false };
            let bound = self.bound.unwrap_or(f64::INFINITY);
            let [x, y, z] = position.0.to_array().map(f64::from);
            y >= 0.0 && x.abs() <= bound && z.abs() <= bound
        };
        let dynamic = |i: &usize| self.scene.bodies[*i].kind == KindSpec::Dynamic;
        (0..entities.len()).filter(dynamic).filter(|&i| !inside(&entities[i])).count()
    }

    /// The number of dynamic bodies.
    pub fn dynamic(&self) -> usize {
        self.scene.bodies.iter().filter(|body| body.kind == KindSpec::Dynamic).count()
    }
}

/// A scene without bodies. Sleep is off, so that every step does its work; all surfaces have one
/// friction and no restitution, so that results do not depend on combine rules.
pub(super) fn empty(steps: u64, friction: f64) -> Scene {
    Scene {
        steps,
        settings: SettingsSpec { sleep: false, ..SettingsSpec::default() },
        materials: SurfaceSpec {
            static_friction: Some(friction),
            dynamic_friction: Some(friction),
            restitution: Some(0.0),
        },
        output: OutputSpec { energy: false, ..OutputSpec::default() },
        ..Scene::default()
    }
}

/// A box, by its half extents (m).
pub(super) fn cuboid(x: f64, y: f64, z: f64) -> ShapeSpec {
    ShapeSpec::Cuboid { half_extents: Row([x, y, z]) }
}

/// A cube with sides of 1 m.
pub(super) fn cube() -> ShapeSpec {
    cuboid(0.5, 0.5, 0.5)
}

/// A dynamic body at a position (m).
pub(super) fn at(shape: ShapeSpec, x: f64, y: f64, z: f64) -> BodySpec {
    BodySpec { position: Row([x, y, z]), ..BodySpec::dynamic(shape) }
}

/// A static body with a pose.
pub(super) fn fixed(shape: ShapeSpec, position: DVec3, orientation: DQuat) -> BodySpec {
    BodySpec {
        kind: KindSpec::Static,
        position: position.into(),
        orientation: orientation.into(),
        ..BodySpec::dynamic(shape)
    }
}

/// A floor with its upper face at y = 0 and half width `half` (m).
pub(super) fn floor(half: f64) -> BodySpec {
    let name = Some("floor".to_owned());
    BodySpec { name, ..fixed(cuboid(half, 1.0, half), DVec3::NEG_Y, DQuat::IDENTITY) }
}

/// A scene of so many steps with a floor of a width (m).
pub(super) fn on_floor(steps: u64, width: f64) -> Scene {
    let mut scene = empty(steps, 0.5);
    scene.bodies.push(floor(width));
    scene
}

/// A floor and four walls of 2 m around a square with sides of `2 half` (m).
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

/// Adds a spherical joint of two bodies, at an anchor on each (m).
pub(super) fn pin(scene: &mut Scene, [first, second]: [usize; 2], anchors: [DVec3; 2]) {
    let anchors = Row(anchors.map(Into::into));
    scene.joints.push(JointSpec { anchors, ..JointSpec::new(JointKind::Spherical, first, second) });
}

/// A scene that should stand; its last body is the top.
pub(super) fn standing(scene: Scene) -> Generated {
    Generated { top: scene.bodies.len().checked_sub(1), bound: None, scene }
}

/// Position of item `i` in a grid of `side` by `side` columns, filled layer by layer.
pub(super) fn grid(i: usize, side: usize) -> DVec3 {
    let middle = (side - 1) as f64 / 2.0;
    let (x, z, y) = (i % side, i / side % side, i / side / side);
    DVec3::new(x as f64 - middle, y as f64, z as f64 - middle)
}
