//! The system that drives vehicles.

use super::load::{self, Laid, Source};
use super::meets::{Known, Meets};
use super::traction::{Chassis, Grip, Patch, solve};
use super::vehicle::{Vehicle, Wheel, WheelState};
use super::wheel::{ackermann, spring_length};
use super::{check_time, slot_of, steered};
use crate::bodies::Kind;
use crate::components::{AngularVelocity, CollisionLayers, ExternalForce, LinearVelocity, Orientation, Position};
use crate::error::StepError;
use crate::math::{Pose, Quat, Real, Vec3, consts::TAU};
use crate::physics::Physics;
use crate::query::{Hit, Ray};
use crate::tolerances::{STRUT_COSINE, STRUT_STOP};
use hecs::{Entity, World};

/// Gives all vehicles the forces of their wheels for the coming step of `dt` (s): call it before [`Physics::step`], with the same
/// `dt`. Those that no step has seen yet wait.
///
/// # Errors
/// [`StepError`] for an impossible time step, and for a [`Vehicle`] that is impossible or not on a dynamic body. It names the
/// entity; vehicles of lesser slots have their forces then.
pub fn step_vehicles(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time(dt)?;
    let mut loads = Vec::new();
    for (slot, entity) in steered::<Vehicle>(world, physics) {
        let bad = |problem: String| StepError::Component { entity, component: "Vehicle", problem };
        if physics.state().bodies.kind[slot] != Kind::Dynamic {
            return Err(bad("the body must be dynamic".into()));
        }
        let mut vehicle = world.get::<&mut Vehicle>(entity).map(|mut v| std::mem::take(&mut *v)).unwrap_or_default();
        let problem = vehicle.problem();
        if problem.is_none() {
            let known = Known::of(world, entity);
            drive(&mut vehicle, world, physics, (slot, entity), dt, &known, &mut loads);
            if let Some(known) = known.into_changes() {
                world.insert_one(entity, known).expect("the entity was there a moment ago");
            }
        }
        if let Ok(mut place) = world.get::<&mut Vehicle>(entity) {
            *place = vehicle;
        }
        if let Some(problem) = problem {
            return Err(bad(problem));
        }
    }
    load::lay(world, Source::Vehicles, &loads);
    Ok(())
}

/// A wheel that touches the ground.
struct Landed {
    wheel: usize,
    hit: Hit,
    length: Real,
    patch: Patch,
}

/// Drives one vehicle: what its wheels do to it and to the ground is added to `loads`.
fn drive(
    vehicle: &mut Vehicle,
    world: &World,
    physics: &Physics,
    (slot, entity): (usize, Entity),
    dt: Real,
    known: &Known,
    loads: &mut Vec<Laid>,
) {
    let bodies = &physics.state().bodies;
    let at = Pose::from_parts(
        world.get::<&Position>(entity).map_or(bodies.position[slot], |p| p.0),
        world.get::<&Orientation>(entity).map_or(bodies.orientation[slot], |q| q.0.normalize()),
    );
    let [own_force, own_torque] = load::own_forces(world, entity);
    let chassis = Chassis {
        inverse_mass: bodies.inverse_mass[slot],
        inverse_inertia: bodies.inverse_inertia[slot],
        velocity: world.get::<&LinearVelocity>(entity).map_or(Vec3::ZERO, |v| v.0),
        spin: world.get::<&AngularVelocity>(entity).map_or(Vec3::ZERO, |w| w.0),
        acceleration: bodies.inputs[slot].gravity(physics.settings.gravity) + bodies.inverse_mass[slot] * own_force,
        angular_acceleration: bodies.inverse_inertia[slot] * own_torque,
    };
    let center = at * bodies.local_center[slot];
    steer(vehicle);
    let layers = world.get::<&CollisionLayers>(entity).map_or(CollisionLayers::default(), |layers| *layers);
    let meets = Meets { world, physics, own: (entity, slot), layers, without: None, known };
    let landed: Vec<Landed> = land(vehicle, &meets, &at)
        .into_iter()
        .filter_map(|(wheel, hit, length)| {
            let patch = patch(vehicle, wheel, &hit, &at, center, &meets)?;
            Some(Landed { wheel, hit, length, patch })
        })
        .collect();
    let patches: Vec<Patch> = landed.iter().map(|landed| landed.patch).collect();
    let grips = solve(&chassis, &patches, dt);

    let (mut whole, mut turning) = (Vec3::ZERO, Vec3::ZERO);
    for wheel in &mut vehicle.wheels {
        let WheelState { steering, spin, angle, .. } = wheel.state;
        wheel.state = WheelState { steering, spin, angle, length: wheel.length, ..WheelState::default() };
    }
    for (landed, grip) in landed.iter().zip(&grips) {
        let Landed { hit, patch, .. } = landed;
        let force = patch.force(grip);
        whole += force;
        turning += patch.arm.cross(force);
        if let Some(ground) = slot_of(world, bodies, hit.entity).filter(|&ground| bodies.kind[ground] == Kind::Dynamic)
        {
            let (force, torque) = ExternalForce::at_point(-force, hit.point, bodies.center[ground]);
            loads.push((hit.entity, [force.0, torque.0]));
        }
        let rolls = (chassis.velocity + chassis.spin.cross(patch.arm) - patch.ground).dot(patch.ahead);
        stand(&mut vehicle.wheels[landed.wheel], landed, grip, rolls);
    }
    for wheel in &mut vehicle.wheels {
        wheel.state.angle = (wheel.state.angle + wheel.state.spin * dt).rem_euclid(TAU);
    }
    loads.push((entity, [whole, turning]));
}

/// Turns the steered wheels.
fn steer(vehicle: &mut Vehicle) {
    let (ahead, left) = (vehicle.ahead, vehicle.up.cross(vehicle.ahead));
    let mean = |steered: bool| {
        let (mut sum, mut count) = (0.0, 0.0);
        for wheel in vehicle.wheels.iter().filter(|wheel| wheel.steered == steered) {
            sum += wheel.mount.dot(ahead);
            count += 1.0;
        }
        if count > 0.0 { Some(sum / count) } else { None }
    };
    let (Some(front), Some(rear)) = (mean(true), mean(false)) else {
        // Nothing is fixed or nothing steered: the wheels stay parallel.
        let angle = vehicle.steering;
        vehicle.wheels.iter_mut().for_each(|wheel| wheel.state.steering = if wheel.steered { angle } else { 0.0 });
        return;
    };
    for wheel in &mut vehicle.wheels {
        let (along, aside) = (wheel.mount.dot(ahead) - rear, wheel.mount.dot(left));
        wheel.state.steering =
            if wheel.steered { ackermann(vehicle.steering, front - rear, along, aside) } else { 0.0 };
    }
}

/// Which wheels reach the ground, where, and how long their springs are then.
fn land(vehicle: &Vehicle, meets: &Meets, at: &Pose) -> Vec<(usize, Hit, Real)> {
    let down = at.rotation * -vehicle.up;
    let reaches = |(number, wheel): (usize, &Wheel)| {
        let ray = Ray::new(*at * wheel.mount, down, wheel.length + wheel.radius).ok()?;
        let hit = meets.ray(&ray)?;
        let length = spring_length(hit.distance, wheel.radius, wheel.length - wheel.travel, wheel.length)?;
        Some((number, hit, length))
    };
    vehicle.wheels.iter().enumerate().filter_map(reaches).collect()
}

/// A wheel on the ground, as the law of traction sees it; none where it would roll into the ground.
fn patch(vehicle: &Vehicle, number: usize, hit: &Hit, at: &Pose, center: Vec3, meets: &Meets) -> Option<Patch> {
    let wheel = &vehicle.wheels[number];
    let (up, normal) = (at.rotation * vehicle.up, hit.normal);
    let turned = Quat::from_axis_angle(vehicle.up, wheel.state.steering) * vehicle.ahead;
    let ahead = at.rotation * turned;
    let ahead = (ahead - normal * ahead.dot(normal)).try_normalize()?;
    let bodies = &meets.physics.state().bodies;
    let ground = slot_of(meets.world, bodies, hit.entity);
    let pressed = wheel.length + wheel.radius - hit.distance;
    let beyond = (pressed - wheel.travel).max(0.0);
    let stiffness = if beyond > 0.0 { wheel.stiffness * STRUT_STOP } else { wheel.stiffness };
    let cosine = normal.dot(up).max(STRUT_COSINE);
    let shares = |share: fn(&Wheel) -> Real| {
        let all: Real = vehicle.wheels.iter().map(share).sum();
        if all > 0.0 { share(wheel) / all } else { 0.0 }
    };
    Some(Patch {
        arm: hit.point - center,
        normal,
        ahead,
        ground: ground.map_or(Vec3::ZERO, |slot| bodies.velocity_at(slot, hit.point - bodies.center[slot]))
            + meets.surface_velocity(hit),
        spring: wheel.stiffness * (pressed + beyond * (STRUT_STOP - 1.0)),
        stiffness: stiffness / cosine,
        damping: wheel.damping / cosine,
        friction: wheel.friction,
        engine: vehicle.engine * shares(|wheel| wheel.driven),
        brake: vehicle.brake * shares(|wheel| wheel.braked),
    })
}

/// Writes what a wheel on the ground does; `rolls` is how fast the chassis takes it ahead (m/s).
fn stand(wheel: &mut Wheel, landed: &Landed, grip: &Grip, rolls: Real) {
    let Landed { hit, patch, length, .. } = landed;
    let locked = grip.slides && patch.brake > patch.engine.abs();
    wheel.state = WheelState {
        ground: Some(hit.entity),
        point: hit.point,
        length: *length,
        load: grip.load,
        traction: patch.ahead * grip.ahead + patch.normal.cross(patch.ahead) * grip.left,
        slides: grip.slides,
        spin: if locked { 0.0 } else { rolls / wheel.radius },
        ..wheel.state
    };
}
