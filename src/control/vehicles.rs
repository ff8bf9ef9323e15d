//! The system that drives vehicles.

use super::applied_load::{self, BodyLoad, LoadSource};
use super::collision_filter::{CollisionFilter, EditorMemory};
use super::drive_train::{DriveTrain, driven_wheels};
use super::tyre_forces::{Bar, Belt, Chassis, TyreForce, WheelContact, solve_wheel_forces};
use super::vehicle::{Track, Vehicle, Wheel, WheelState};
use super::wheel::{ackermann, spring_length};
use super::{BodyMotion, slot_of, steered};
use crate::bodies::Kind;
use crate::components::{CollisionLayers, ExternalForce};
use crate::error::{StepError, check_time_step};
use crate::math::{Pose, Quat, Real, Vec3, consts::TAU};
use crate::physics::Physics;
use crate::query::{Hit, Ray};
use crate::tolerances::VEHICLE;
use hecs::{Entity, World};

/// Applies the wheel forces of all vehicles for the coming step of `dt` (s): call it before
/// [`Physics::step`], with the same `dt`. Vehicles that no step has seen yet get no forces.
///
/// # Errors
/// [`StepError`] for an invalid time step, for a [`Vehicle`] that is invalid or not on a dynamic
/// body, and for an invalid [`DriveTrain`]. It names the entity; vehicles with smaller slots have
/// their forces.
pub fn step_vehicles(world: &mut World, physics: &Physics, dt: Real) -> Result<(), StepError> {
    check_time_step(dt)?;
    let mut loads = Vec::new();
    for (slot, entity) in steered::<Vehicle>(world, physics) {
        let bad = |problem: String| StepError::Component { entity, component: "Vehicle", problem };
        if physics.state().bodies.kind[slot] != Kind::Dynamic {
            return Err(bad("the body must be dynamic".into()));
        }
        let mut vehicle = world.get::<&mut Vehicle>(entity).map(|mut v| std::mem::take(&mut *v)).unwrap_or_default();
        let problem = vehicle.problem();
        let train_problem = world.get::<&DriveTrain>(entity).ok().and_then(|train| train.problem());
        if problem.is_none() && train_problem.is_none() {
            if let Ok(mut train) = world.get::<&mut DriveTrain>(entity) {
                let (speed, radius) = driven_wheels(&vehicle);
                vehicle.engine = train.advance(speed, radius, dt);
            }
            let editor_memory = EditorMemory::of(world, entity);
            drive(&mut vehicle, world, physics, (slot, entity), dt, &editor_memory, &mut loads);
            if let Some(editor_memory) = editor_memory.into_changes() {
                world.insert_one(entity, editor_memory).expect("the entity was there a moment ago");
            }
        }
        if let Ok(mut place) = world.get::<&mut Vehicle>(entity) {
            *place = vehicle;
        }
        if let Some(problem) = problem {
            return Err(bad(problem));
        }
        if let Some(problem) = train_problem {
            return Err(StepError::Component { entity, component: "DriveTrain", problem });
        }
    }
    applied_load::replace_loads(world, LoadSource::Vehicles, &loads);
    Ok(())
}

/// A wheel on the ground.
struct GroundedWheel {
    wheel: usize,
    hit: Hit,
    length: Real,
    /// Shortening of the spring (m).
    compression: Real,
    contact: WheelContact,
}

/// Drives one vehicle, and adds the forces on it and on the ground to `loads`.
fn drive(
    vehicle: &mut Vehicle,
    world: &World,
    physics: &Physics,
    (slot, entity): (usize, Entity),
    dt: Real,
    editor_memory: &EditorMemory,
    loads: &mut Vec<BodyLoad>,
) {
    let bodies = &physics.state().bodies;
    let row = world.entity(entity).expect("the entity was just found");
    let BodyMotion { pose: at, velocity, spin } = BodyMotion::of(row, bodies, slot);
    let [own_force, own_torque] = applied_load::own_forces(world, entity);
    let chassis = Chassis {
        inverse_mass: bodies.inverse_mass[slot],
        inverse_inertia: bodies.inverse_inertia[slot],
        velocity,
        spin,
        acceleration: bodies.inputs[slot].gravity(physics.settings.gravity) + bodies.inverse_mass[slot] * own_force,
        angular_acceleration: bodies.inverse_inertia[slot] * own_torque,
    };
    let center = at * bodies.local_center[slot];
    steer(vehicle);
    let layers = world.get::<&CollisionLayers>(entity).map_or(CollisionLayers::default(), |layers| *layers);
    let filter = CollisionFilter { world, physics, own: (entity, slot), layers, ignored: None, editor_memory };
    let grounded: Vec<GroundedWheel> = cast_wheels(vehicle, &filter, &at)
        .into_iter()
        .filter_map(|(wheel, hit, length)| {
            let contact = wheel_contact(vehicle, wheel, &hit, &at, center, &filter)?;
            let Wheel { length: free, radius, .. } = vehicle.wheels[wheel];
            let compression = free + radius - hit.distance;
            Some(GroundedWheel { wheel, hit, length, compression, contact })
        })
        .collect();
    let mut contacts: Vec<WheelContact> = grounded.iter().map(|grounded| grounded.contact).collect();
    join_bars(vehicle, &grounded, &mut contacts);
    let mut belts = belts(vehicle);
    let tyre_forces = solve_wheel_forces(&chassis, &contacts, &mut belts, dt);

    let (mut whole, mut turning) = (Vec3::ZERO, Vec3::ZERO);
    for wheel in &mut vehicle.wheels {
        let WheelState { steering, spin, angle, .. } = wheel.state;
        wheel.state = WheelState { steering, spin, angle, length: wheel.length, ..WheelState::default() };
    }
    for (grounded, tyre_force) in grounded.iter().zip(&tyre_forces) {
        let GroundedWheel { hit, contact, .. } = grounded;
        let force = contact.force(tyre_force);
        whole += force;
        turning += contact.arm.cross(force);
        if let Some(ground) = slot_of(world, bodies, hit.entity).filter(|&ground| bodies.kind[ground] == Kind::Dynamic)
        {
            let (force, torque) = ExternalForce::at_point(-force, hit.point, bodies.center[ground]);
            loads.push((hit.entity, [force.0, torque.0]));
        }
        let rolling_speed = (chassis.velocity + chassis.spin.cross(contact.arm) - contact.ground).dot(contact.ahead);
        write_wheel_state(&mut vehicle.wheels[grounded.wheel], grounded, tyre_force, rolling_speed);
    }
    for wheel in &mut vehicle.wheels {
        if let Some(track) = wheel.track {
            wheel.state.spin = belts[track as usize].speed / wheel.radius;
        }
        wheel.state.angle = (wheel.state.angle + wheel.state.spin * dt).rem_euclid(TAU);
    }
    loads.push((entity, [whole, turning]));
}

/// Writes the anti-roll bars into the contacts of their wheels.
fn join_bars(vehicle: &Vehicle, grounded: &[GroundedWheel], contacts: &mut [WheelContact]) {
    let contact_of = |wheel: usize| grounded.iter().position(|grounded| grounded.wheel == wheel);
    let compression = |contact: Option<usize>| contact.map_or(0.0, |contact| grounded[contact].compression);
    for bar in &vehicle.anti_roll_bars {
        let ends = bar.wheels.map(contact_of);
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            if let Some(contact) = end {
                let force = bar.stiffness * (compression(end) - compression(other));
                contacts[contact].bar = Bar { stiffness: bar.stiffness, force, other };
            }
        }
    }
}

/// The belts of both tracks; those without wheels touch nothing.
fn belts(vehicle: &Vehicle) -> [Belt; 2] {
    let all: Real = vehicle.wheels.iter().map(|wheel| wheel.braked).sum();
    Track::BOTH.map(|track| {
        let mut wheels = vehicle.of_track(track);
        let speed = wheels.next().map_or(0.0, |wheel| wheel.state.spin * wheel.radius);
        let braked: Real = vehicle.of_track(track).map(|wheel| wheel.braked).sum();
        Belt {
            mass: vehicle.track_mass,
            speed,
            engine: vehicle.engine * vehicle.tracks[track as usize],
            brake: if all > 0.0 { vehicle.brake * braked / all } else { 0.0 },
        }
    })
}

/// Sets the angles of the steered wheels.
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
        // Without a fixed or a steered axle, the wheels stay parallel.
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

/// Casts the wheel rays: the wheels that reach the ground, their hits and spring lengths.
fn cast_wheels(vehicle: &Vehicle, filter: &CollisionFilter, at: &Pose) -> Vec<(usize, Hit, Real)> {
    let down = at.rotation * -vehicle.up;
    let reaches = |(number, wheel): (usize, &Wheel)| {
        let ray = Ray::new(*at * wheel.mount, down, wheel.length + wheel.radius).ok()?;
        let hit = filter.ray(&ray)?;
        let length = spring_length(hit.distance, wheel.radius, wheel.length - wheel.travel, wheel.length)?;
        Some((number, hit, length))
    };
    vehicle.wheels.iter().enumerate().filter_map(reaches).collect()
}

/// The contact of a wheel with the ground; `None` if the rolling direction is along the normal.
fn wheel_contact(
    vehicle: &Vehicle,
    number: usize,
    hit: &Hit,
    at: &Pose,
    center: Vec3,
    filter: &CollisionFilter,
) -> Option<WheelContact> {
    let wheel = &vehicle.wheels[number];
    let (up, normal) = (at.rotation * vehicle.up, hit.normal);
    let turned = Quat::from_axis_angle(vehicle.up, wheel.state.steering) * vehicle.ahead;
    let ahead = at.rotation * turned;
    let ahead = (ahead - normal * ahead.dot(normal)).try_normalize()?;
    let bodies = &filter.physics.state().bodies;
    let ground = slot_of(filter.world, bodies, hit.entity);
    let compression = wheel.length + wheel.radius - hit.distance;
    let overtravel = (compression - wheel.travel).max(0.0);
    let stiffness = if overtravel > 0.0 { wheel.stiffness * VEHICLE.bump_stop_factor } else { wheel.stiffness };
    let cosine = normal.dot(up).max(VEHICLE.min_suspension_cosine);
    let shares = |share: fn(&Wheel) -> Real| {
        let all: Real = vehicle.wheels.iter().map(share).sum();
        if all > 0.0 { share(wheel) / all } else { 0.0 }
    };
    Some(WheelContact {
        arm: hit.point - center,
        normal,
        ahead,
        ground: ground.map_or(Vec3::ZERO, |slot| bodies.velocity_at(slot, hit.point - bodies.center[slot]))
            + filter.edited_surface_velocity(hit),
        spring: wheel.stiffness * (compression + overtravel * (VEHICLE.bump_stop_factor - 1.0)),
        stiffness: stiffness / cosine,
        damping: wheel.damping / cosine,
        bar: Bar::default(),
        belt: wheel.track.map(|track| track as usize),
        friction: wheel.friction,
        engine: vehicle.engine * shares(|wheel| if wheel.track.is_none() { wheel.driven } else { 0.0 }),
        brake: vehicle.brake * shares(|wheel| wheel.braked),
    })
}

/// Writes the state of a wheel on the ground; `rolling_speed` is the forward speed of its contact
/// point (m/s).
fn write_wheel_state(wheel: &mut Wheel, grounded: &GroundedWheel, tyre_force: &TyreForce, rolling_speed: Real) {
    let GroundedWheel { hit, contact, length, .. } = grounded;
    let locked = tyre_force.slides && contact.brake > contact.engine.abs();
    wheel.state = WheelState {
        ground: Some(hit.entity),
        point: hit.point,
        length: *length,
        load: tyre_force.load,
        traction: contact.ahead * tyre_force.ahead + contact.normal.cross(contact.ahead) * tyre_force.left,
        slides: tyre_force.slides,
        spin: if locked { 0.0 } else { rolling_speed / wheel.radius },
        ..wheel.state
    };
}
