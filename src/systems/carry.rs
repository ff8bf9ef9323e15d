//! Between the forces and the motion: what a turning platform carries moves along its arc.
//!
//! The forces of a step leave a body that sticks to a platform with the platform's velocity at the step's start, along the
//! tangent: carried on straight, it would end a little outside, by `(w h)²/2` of its distance from the axis, and creep outwards
//! by a twentieth of a radius a turn at 60 steps a second. It is displaced as the platform's own points are instead. Its velocity
//! is left alone: friction has to turn it in the next step, and is not saved the trouble.

use crate::bodies::{Bodies, Kind};
use crate::contact::ContactGraph;
use crate::islands::Islands;
use crate::math::{Quat, Real, Vec3};
use crate::motion::rotation::integrate_orientation;
use crate::tolerances::CARRIED_SLIP;

/// A platform that turns.
#[derive(Clone, Copy)]
struct Platform {
    center: Vec3,
    velocity: Vec3,
    turning: Vec3,
}

/// Bends the displacements of what turning platforms carry in a step of `dt` (s). `pushed` says what contacts pushed.
pub(crate) fn run(bodies: &mut Bodies, contacts: &ContactGraph, islands: &Islands, pushed: &[bool], dt: Real) {
    if !(0..bodies.slots()).any(|slot| turns(bodies, slot)) {
        return;
    }
    for island in &islands.islands {
        let mut sides = contacts.contacts[island.contact_range()].iter().flat_map(|c| [c.a as usize, c.b as usize]);
        let Some(slot) = sides.find(|&slot| turns(bodies, slot)) else { continue };
        let platform = Platform {
            center: bodies.center[slot],
            velocity: bodies.linear_velocity[slot],
            turning: bodies.angular_velocity[slot],
        };
        for &member in &islands.bodies[island.body_range()] {
            if pushed[member as usize] {
                bend(bodies, member as usize, &platform, dt);
            }
        }
    }
}

fn turns(bodies: &Bodies, slot: usize) -> bool {
    bodies.kind[slot] == Kind::Kinematic && bodies.angular_velocity[slot] != Vec3::ZERO
}

/// Bends the displacement of one body, if it moves as the platform's points do.
fn bend(bodies: &mut Bodies, slot: usize, platform: &Platform, dt: Real) {
    let arm = bodies.center[slot] - platform.center;
    let swing = platform.turning.cross(arm);
    let slip = (bodies.linear_velocity[slot] - platform.velocity - swing).length();
    let twist = (bodies.angular_velocity[slot] - platform.turning).length();
    if slip <= CARRIED_SLIP * swing.length() && twist <= CARRIED_SLIP * platform.turning.length() {
        let turned = integrate_orientation(Quat::IDENTITY, platform.turning * dt) * arm;
        bodies.displacement[slot] += turned - arm - swing * dt;
    }
}
