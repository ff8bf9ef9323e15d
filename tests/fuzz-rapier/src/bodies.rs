//! Bodies and their colliders in Rapier, as the components of entities describe them.

use crate::mass::{self, Piece};
use dolmen::components::*;
use dolmen::math::Vec3;
use hecs::EntityRef;
use rapier3d::math::Pose;
use rapier3d::prelude::{
    CoefficientCombineRule, ColliderBuilder, Group, InteractionGroups, InteractionTestMode, PhysicsWorld,
    RigidBodyActivation, RigidBodyBuilder, RigidBodyHandle, RigidBodyType, SharedShape,
};

/// Adds a body at its pose, with its velocities. Dynamic bodies are swept, as dolmen sweeps them.
pub fn insert(world: &mut PhysicsWorld, body: EntityRef) -> RigidBodyHandle {
    let builder = RigidBodyBuilder::new(kind(body)).pose(pose(body)).ccd_enabled(true);
    world.insert_body(builder)
}

/// Gives a body what its components say, and the colliders of these entities, its own first.
pub fn describe(
    world: &mut PhysicsWorld,
    handle: RigidBodyHandle,
    body: EntityRef,
    colliders: &[(EntityRef, Pose, SharedShape)],
    sleep: bool,
) {
    let former: Vec<_> = world.bodies[handle].colliders().to_vec();
    former.into_iter().for_each(|collider| _ = world.remove_collider(collider));
    let density = |of: &EntityRef| of.get::<&Density>().map_or(Density::default().0, |d| d.0);
    let pieces: Vec<Piece> = colliders.iter().map(|(of, at, shape)| (*at, shape.clone(), density(of))).collect();
    let given = mass::given(body, &pieces);
    for ((of, ..), (at, shape, density)) in colliders.iter().zip(pieces) {
        let density = if given.is_some() { 0.0 } else { density };
        let collider = surface(*of, ColliderBuilder::new(shape).density(density).position(at));
        world.insert_collider(collider, Some(handle));
    }
    let rigid_body = &mut world.bodies[handle];
    rigid_body.set_body_type(kind(body), true);
    rigid_body.set_additional_mass_properties(given.unwrap_or_default(), true);
    if *rigid_body.position() != pose(body) {
        rigid_body.set_position(pose(body), true);
    }
    rigid_body.set_gravity_scale(body.get::<&GravityScale>().map_or(1.0, |scale| scale.0), true);
    let damping = body.get::<&Damping>().map_or_else(Damping::default, |damping| *damping);
    rigid_body.set_linear_damping(damping.linear);
    rigid_body.set_angular_damping(damping.angular);
    let locked = body.get::<&LockedAxes>().map_or(LockedAxes::NONE, |locked| *locked);
    let free = |locks: [bool; 3]| locks.map(|locked| !locked);
    let ([x, y, z], [rx, ry, rz]) = (free(locked.translations()), free(locked.rotations()));
    rigid_body.set_enabled_translations(x, y, z, true);
    rigid_body.set_enabled_rotations(rx, ry, rz, true);
    // Rapier lets a velocity along a locked axis be; dolmen has none.
    let along = |v: Vec3, free: [bool; 3]| Vec3::from_array(free.map(|free| if free { 1.0 } else { 0.0 })) * v;
    let linear = body.get::<&LinearVelocity>().map_or(Vec3::ZERO, |v| v.0);
    let angular = body.get::<&AngularVelocity>().map_or(Vec3::ZERO, |w| w.0);
    rigid_body.set_linvel(along(linear, [x, y, z]), true);
    rigid_body.set_angvel(along(angular, [rx, ry, rz]), true);
    rigid_body.reset_forces(true);
    rigid_body.reset_torques(true);
    rigid_body.recompute_mass_properties_from_colliders(&world.colliders);
    if let Some(force) = body.get::<&ExternalForce>() {
        rigid_body.add_force(force.0, true);
    }
    if let Some(torque) = body.get::<&ExternalTorque>() {
        rigid_body.add_torque(torque.0, true);
    }
    if let Some(mut impulse) = body.get::<&mut ExternalImpulse>() {
        rigid_body.apply_impulse(impulse.linear, true);
        rigid_body.apply_torque_impulse(impulse.angular, true);
        // It acts once.
        *impulse = ExternalImpulse::default();
    }
    let can_sleep = rigid_body.activation().normalized_linear_threshold >= 0.0;
    if can_sleep != sleep {
        *rigid_body.activation_mut() =
            if sleep { RigidBodyActivation::active() } else { RigidBodyActivation::cannot_sleep() };
    }
}

/// The pose of a body.
pub fn pose(body: EntityRef) -> Pose {
    let position = body.get::<&Position>().map_or_else(Default::default, |p| p.0);
    Pose::from_parts(position, body.get::<&Orientation>().map_or_else(Default::default, |q| q.0))
}

/// The type of a body. A kinematic one has a target, or moves by its velocities.
fn kind(body: EntityRef) -> RigidBodyType {
    match body.get::<&RigidBody>().map_or(RigidBody::Static, |kind| *kind) {
        RigidBody::Dynamic => RigidBodyType::Dynamic,
        RigidBody::Static => RigidBodyType::Fixed,
        RigidBody::Kinematic if body.has::<KinematicTarget>() => RigidBodyType::KinematicPositionBased,
        RigidBody::Kinematic => RigidBodyType::KinematicVelocityBased,
    }
}

/// Material, layers and the sensor of a collider.
fn surface(of: EntityRef, builder: ColliderBuilder) -> ColliderBuilder {
    let material = of.get::<&Material>().map_or_else(Material::default, |material| *material);
    let layers = of.get::<&CollisionLayers>().map_or_else(CollisionLayers::default, |layers| *layers);
    let [layers, mask] = [layers.layers, layers.mask].map(Group::from_bits_retain);
    builder
        .friction(material.dynamic_friction)
        .friction_combine_rule(rule(material.rules.friction))
        .restitution(material.restitution)
        .restitution_combine_rule(rule(material.rules.restitution))
        .collision_groups(InteractionGroups::new(layers, mask, InteractionTestMode::And))
        .sensor(of.has::<Sensor>())
}

fn rule(of: CombineRule) -> CoefficientCombineRule {
    match of {
        CombineRule::Average => CoefficientCombineRule::Average,
        CombineRule::GeometricMean => CoefficientCombineRule::GeometricMean,
        CombineRule::Minimum => CoefficientCombineRule::Min,
        CombineRule::Multiply => CoefficientCombineRule::Multiply,
        CombineRule::Maximum => CoefficientCombineRule::Max,
    }
}
