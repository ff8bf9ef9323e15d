//! Values that no game means, in every field.

use dolmen::components::*;
use dolmen::math::{Quat, Real, Vec3};
use dolmen::{Physics, Settings};
use hecs::{Component, Entity, World};

const WILD: [Real; 12] = [
    Real::NAN,
    Real::INFINITY,
    Real::NEG_INFINITY,
    Real::MAX,
    -1.0,
    0.0,
    -0.0,
    Real::MIN_POSITIVE,
    Real::EPSILON * Real::MIN_POSITIVE,
    1e30,
    1e-30,
    1e14,
];

/// The number of values.
pub const VALUES: usize = WILD.len();

/// The number of fields that worlds of small seeds know: see `make/added.rs`.
pub const FIELDS: usize = 36;

/// The number of fields that [`set`] knows.
pub const ALL_FIELDS: usize = 56;

/// What takes a hostile value back.
pub type Undo = Box<dyn FnOnce(&mut World, &mut Physics)>;

/// Gives a component to an entity, and returns what gives back the former one.
fn give<C: Component + Clone>(world: &mut World, entity: Entity, part: C) -> Undo {
    let former = world.get::<&C>(entity).ok().map(|c| (*c).clone());
    world.insert_one(entity, part).expect("the entity exists");
    Box::new(move |world, _| {
        // The entity may be gone by then.
        _ = match former {
            Some(former) => world.insert_one(entity, former).is_ok(),
            None => world.remove_one::<C>(entity).is_ok(),
        };
    })
}

/// Changes a setting, and returns what takes it back.
fn setting(physics: &mut Physics, change: impl FnOnce(&mut Settings)) -> Undo {
    let former = physics.settings.clone();
    change(&mut physics.settings);
    Box::new(move |_, physics| physics.settings = former)
}

/// Changes the joints of an entity, and returns what takes it back.
fn joints(world: &mut World, change: impl Fn(&mut Joint)) -> Undo {
    let former: Vec<(Entity, Joint)> = world.query::<(Entity, &Joint)>().iter().map(|(e, j)| (e, j.clone())).collect();
    world.query_mut::<&mut Joint>().into_iter().for_each(change);
    Box::new(move |world, _| {
        for (entity, joint) in former {
            if world.get::<&Joint>(entity).is_ok() {
                world.insert_one(entity, joint).expect("the entity exists");
            }
        }
    })
}

/// Sets a field of a body, of the joints or of the settings to a value; returns what takes it back.
pub fn set(world: &mut World, physics: &mut Physics, e: Entity, field: usize, value: usize) -> Undo {
    let v = WILD[value % VALUES];
    let (along, all) = (Vec3::new(0.0, v, 0.0), Vec3::splat(v));
    let turned = Quat::from_xyzw(v, 0.0, 0.0, 1.0);
    let axis = |spec: &mut Joint, change: &dyn Fn(&mut JointAxis)| {
        if let JointKind::Revolute(axis) | JointKind::Prismatic(axis) = &mut spec.kind {
            change(axis);
        }
    };
    let spring = JointSpring::Si { stiffness: v, damping: v };
    let tuned = JointSpring::Tuned { frequency: v, damping_ratio: 1.0 };
    match field {
        0 => give(world, e, Position(along)),
        1 => give(world, e, Orientation(turned)),
        2 => give(world, e, Orientation(Quat::from_xyzw(v, v, v, v))),
        3 => give(world, e, LinearVelocity(along)),
        4 => give(world, e, AngularVelocity(along)),
        5 => give(world, e, Mass(v)),
        6 => give(world, e, Density(v)),
        7 => give(world, e, Inertia { principal: all, frame: Quat::IDENTITY }),
        8 => give(world, e, Inertia { principal: Vec3::new(1.0, 1.0, v), frame: turned }),
        9 => give(world, e, CenterOfMass(along)),
        10 => give(world, e, ExternalForce(along)),
        11 => give(world, e, ExternalTorque(along)),
        12 => give(world, e, ExternalImpulse { linear: along, angular: Vec3::ZERO }),
        13 => give(world, e, ExternalImpulse { linear: Vec3::ZERO, angular: along }),
        14 => give(world, e, GravityScale(v)),
        15 => give(world, e, Damping { linear: v, angular: v }),
        16 => give(world, e, SurfaceVelocity(along)),
        17 => give(world, e, ContactForceThreshold(v)),
        18 => give(world, e, VelocityLimit { linear: v, angular: v }),
        19 => give(world, e, KinematicTarget { position: along, orientation: Some(turned) }),
        20 => give(world, e, Material { static_friction: v, dynamic_friction: v, ..Material::default() }),
        21 => give(world, e, Material { restitution: v, ..Material::default() }),
        22 => give(world, e, Material { rolling_friction: v, ..Material::default() }),
        23 => give(world, e, Collider::ball(v)),
        24 => give(world, e, Collider::cuboid(1.0, v, 1.0)),
        25 => give(world, e, Collider::capsule(v, 1.0)),
        26 => give(world, e, Collider::cylinder(1.0, v)),
        27 => give(world, e, Collider::half_space(along)),
        28 => give(world, e, ColliderOf { body: e, position: along, orientation: turned }),
        29 => joints(world, move |joint| joint.frames[0].anchor = along),
        30 => joints(world, move |joint| joint.frames[1].orientation = turned),
        31 => joints(world, move |joint| (joint.max_force, joint.max_torque) = (v, v)),
        32 => joints(world, move |joint| axis(joint, &|axis| axis.limits = Some([-1.0, v]))),
        33 => joints(world, move |joint| axis(joint, &|axis| axis.motor = Some(Motor::position(1.0, tuned, v)))),
        34 => joints(world, move |joint| axis(joint, &|axis| axis.motor = Some(Motor::position(v, spring, 1e6)))),
        36 => give(world, e, Collider::round_cuboid(1.0, 1.0, 1.0, v)),
        37 => give(world, e, Collider::round_cylinder(1.0, v, 0.1)),
        38 => give(world, e, Collider::round_cone(v, 1.0, 0.1)),
        39 => give(world, e, Collider::round_triangle(Vec3::ZERO, Vec3::X, along, 0.1)),
        40 => give(world, e, Collider::triangle(Vec3::ZERO, Vec3::X, along)),
        41 => give(world, e, Collider::segment(Vec3::ZERO, along)),
        42 => give(world, e, SolverLayers(CollisionLayers::new(0, v as u32))),
        43 => give(world, e, IgnoreContactsWith::from([e, Entity::DANGLING])),
        44 => give(world, e, SleepControl::Asleep),
        45 => joints(world, move |joint| axis(joint, &|axis| axis.friction = v)),
        46 => joints(world, move |joint| axis(joint, &|axis| axis.motor = Some(Motor::velocity(v, 1.0)))),
        47 => joints(world, move |joint| axis(joint, &|axis| axis.motor = Some(Motor::velocity(1.0, v)))),
        48 => joints(world, move |joint| joint.kind = JointKind::Distance { least: v, greatest: 1.0 }),
        49 => joints(world, move |joint| joint.kind = JointKind::Spring { length: v, spring }),
        50 => joints(world, move |joint| joint.kind = JointKind::Gear { ratio: v }),
        51 => joints(world, move |joint| joint.kind = JointKind::RackAndPinion { radius: v }),
        52 => joints(world, move |joint| joint.kind = JointKind::Winch { radius: v, length: v }),
        53 => joints(world, move |joint| joint.kind = JointKind::Spherical { friction: v }),
        54 => joints(world, move |joint| {
            joint.kind = JointKind::SwingTwist(Box::new(SwingTwist::new([v, 1.0], [-1.0, v])));
        }),
        55 => joints(world, |joint| joint.bodies[1] = joint.bodies[0]),
        _ => setting(physics, |settings| match value % 5 {
            0 => settings.gravity = along,
            1 => settings.length_unit = v,
            2 => settings.push_out_speed = v,
            3 => settings.resting_tolerance = Some(v),
            _ => settings.substeps = Some(v as u32),
        }),
    }
}
