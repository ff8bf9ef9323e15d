//! The forces of springs and tyres on a chassis over a step, for given contact points.
//!
//! Springs and dampers are integrated implicitly: stable for any stiffness, and static friction
//! does not creep. Springs push and never pull. A tyre has static friction across the wheel, and
//! along it up to the brake force; the sum is inside the friction circle.

use crate::math::{Mat3, Real, Vec3, real};

/// Gauss-Seidel passes over the wheels of a vehicle. Fewer: static friction creeps. More: cost.
const PASSES: u32 = 40;

/// Passes over the springs alone before [`PASSES`]. Fewer: friction of unconverged loads remains as
/// internal forces between the wheels of an axle.
const LOAD_PASSES: u32 = 2 * PASSES / 5;

/// The chassis at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Chassis {
    /// Inverse mass along each world axis (1/kg).
    pub inverse_mass: Vec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: Mat3,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Angular velocity (rad/s, world axes).
    pub spin: Vec3,
    /// Acceleration without the wheels (m/s²).
    pub acceleration: Vec3,
    /// Angular acceleration without the wheels (rad/s²).
    pub angular_acceleration: Vec3,
}

/// A wheel on the ground.
#[derive(Clone, Copy, Debug)]
pub struct WheelContact {
    /// Lever arm from the centre of mass to the contact point (m, world axes).
    pub arm: Vec3,
    /// Unit normal of the ground.
    pub normal: Vec3,
    /// Unit vector along the ground in the rolling direction.
    pub ahead: Vec3,
    /// Velocity of the ground at the contact point (m/s).
    pub ground: Vec3,
    /// Spring force at the start of the step (N).
    pub spring: Real,
    /// Stiffness along the ground's normal (N/m).
    pub stiffness: Real,
    /// Damping along the ground's normal (N s/m).
    pub damping: Real,
    /// The anti-roll bar at the wheel.
    pub bar: Bar,
    /// The belt under the wheel, which has the engine and the brake instead of it.
    pub belt: Option<usize>,
    /// Coefficient of friction.
    pub friction: Real,
    /// Engine force (N).
    pub engine: Real,
    /// Greatest brake force (N).
    pub brake: Real,
}

/// The end of an anti-roll bar at a wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// Force per difference in compression (N/m); 0 without a bar.
    pub stiffness: Real,
    /// Force at the start of the step (N).
    pub force: Real,
    /// The contact of the wheel at the other end; `None` in the air, where the wheel hangs still.
    pub other: Option<usize>,
}

/// The belt of a track, without slip on its wheels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belt {
    /// Mass of all that moves with it, at its speed (kg).
    pub mass: Real,
    /// Speed relative to the chassis, positive ahead (m/s).
    pub speed: Real,
    /// Engine force (N).
    pub engine: Real,
    /// Greatest brake force (N).
    pub brake: Real,
}

/// The force of a wheel on the chassis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TyreForce {
    /// Along the normal (N), at least 0.
    pub load: Real,
    /// Along the ground, ahead (N).
    pub ahead: Real,
    /// Along the ground, to the left (N).
    pub left: Real,
    /// True if the force is on the friction circle.
    pub slides: bool,
}

impl WheelContact {
    fn left(&self) -> Vec3 {
        self.normal.cross(self.ahead)
    }

    /// The force in world axes (N).
    pub fn force(&self, tyre_force: &TyreForce) -> Vec3 {
        self.normal * tyre_force.load + self.ahead * tyre_force.ahead + self.left() * tyre_force.left
    }
}

/// The forces of all wheels on the ground, constant over a step of `dt` (s), by Gauss-Seidel
/// passes.
///
/// A spring closes by `dt` times the mean of its speeds before and after the step. The speeds of
/// `belts` are advanced.
pub fn solve_wheel_forces(
    chassis: &Chassis,
    contacts: &[WheelContact],
    belts: &mut [Belt],
    dt: Real,
) -> Vec<TyreForce> {
    let mut velocity = chassis.velocity + chassis.acceleration * dt;
    let mut spin = chassis.spin + chassis.angular_acceleration * dt;
    let mut forces = vec![TyreForce::default(); contacts.len()];
    let mut brakes = vec![0.0; belts.len()];
    belts.iter_mut().for_each(|belt| belt.speed += belt.engine / belt.mass * dt);
    for pass in 0..LOAD_PASSES + PASSES {
        for (contact, tyre_force) in contacts.iter().zip(&mut forces) {
            let bar = 0.5 * dt * contact.bar.stiffness;
            let other = contact.bar.other.filter(|_| bar > 0.0).map(|other| &contacts[other]);
            // Sum of the closing speeds of the bar's other end before and after the step.
            let both = |velocity: Vec3, spin: Vec3, of: &WheelContact| {
                let before = chassis.velocity + chassis.spin.cross(of.arm) - of.ground;
                let after = velocity + spin.cross(of.arm) - of.ground;
                -(before + after).dot(of.normal)
            };
            let opposite = other.map_or(0.0, |other| both(velocity, spin, other));
            let mut apply = |along: Vec3, more: Real| {
                velocity += chassis.inverse_mass * along * (more * dt);
                spin += chassis.inverse_inertia * contact.arm.cross(along) * (more * dt);
                velocity + spin.cross(contact.arm) - contact.ground
            };
            // Change of speed over the step by a unit force along a direction.
            let response = |along: Vec3| {
                let turned = (chassis.inverse_inertia * contact.arm.cross(along)).cross(contact.arm);
                along.dot(chassis.inverse_mass * along + turned) * dt
            };
            let before = -(chassis.velocity + chassis.spin.cross(contact.arm) - contact.ground).dot(contact.normal);
            // The load of this wheel moves the other end of its bar as well.
            let cross = other.map_or(0.0, |other| {
                let turned = (chassis.inverse_inertia * contact.arm.cross(contact.normal)).cross(other.arm);
                other.normal.dot(chassis.inverse_mass * contact.normal + turned) * dt
            });
            let spring = contact.spring + contact.bar.force + (0.5 * dt * contact.stiffness + bar) * before
                - bar * (opposite + cross * tyre_force.load);
            let gain = 0.5 * dt * contact.stiffness + bar + contact.damping;
            let slip = apply(Vec3::ZERO, 0.0);
            let own = response(contact.normal);
            let closing = tyre_force.load * own - slip.dot(contact.normal);
            let load = ((spring + gain * closing) / (1.0 + gain * own - bar * cross)).max(0.0);
            let slip = apply(contact.normal, load - tyre_force.load);
            tyre_force.load = load;
            if pass < LOAD_PASSES {
                continue;
            }
            let left = contact.left();
            // One effective mass for both directions, so that sliding friction opposes the slip.
            let gain = contact.belt.map_or(0.0, |belt| dt / belts[belt].mass);
            let own = (response(contact.ahead) + gain).max(response(left));
            let sticking = |known: Real, slip: Real| if own > 0.0 { known - slip / own } else { known };
            let across = sticking(tyre_force.left, slip.dot(left));
            let slip = slip.dot(contact.ahead) - contact.belt.map_or(0.0, |belt| belts[belt].speed);
            let along = match contact.belt {
                Some(_) => sticking(tyre_force.ahead, slip),
                None => {
                    let braked = sticking(tyre_force.ahead - contact.engine, slip);
                    contact.engine + braked.clamp(-contact.brake, contact.brake)
                }
            };
            let (size, most) = (real::hypot(along, across), contact.friction * load);
            tyre_force.slides = size > most;
            let part = if tyre_force.slides { most / size } else { 1.0 };
            apply(contact.ahead, along * part - tyre_force.ahead);
            apply(left, across * part - tyre_force.left);
            if let Some(belt) = contact.belt {
                belts[belt].speed -= (along * part - tyre_force.ahead) * gain;
            }
            (tyre_force.ahead, tyre_force.left) = (along * part, across * part);
        }
        for (belt, brake) in belts.iter_mut().zip(&mut brakes) {
            let gain = dt / belt.mass;
            let next: Real = (*brake - belt.speed / gain).clamp(-belt.brake, belt.brake);
            belt.speed += (next - *brake) * gain;
            *brake = next;
        }
    }
    forces
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: Real = 1.0 / 60.0;

    fn chassis(velocity: Vec3) -> Chassis {
        Chassis {
            inverse_mass: Vec3::splat(1e-3),
            inverse_inertia: Mat3::from_diagonal(Vec3::splat(1e-3)),
            velocity,
            spin: Vec3::ZERO,
            acceleration: Vec3::Y * -10.0,
            angular_acceleration: Vec3::ZERO,
        }
    }

    fn contacts() -> Vec<WheelContact> {
        let at = |x: Real, z: Real| WheelContact {
            arm: Vec3::new(x, -0.5, z),
            normal: Vec3::Y,
            ahead: Vec3::X,
            ground: Vec3::ZERO,
            spring: 2500.0,
            stiffness: 50_000.0,
            damping: 2500.0,
            bar: Bar::default(),
            belt: None,
            friction: 0.8,
            engine: 0.0,
            brake: 0.0,
        };
        vec![at(1.2, 0.7), at(1.2, -0.7), at(-1.2, 0.7), at(-1.2, -0.7)]
    }

    fn total(contacts: &[WheelContact], forces: &[TyreForce]) -> Vec3 {
        contacts.iter().zip(forces).map(|(contact, tyre_force)| contact.force(tyre_force)).sum()
    }

    #[test]
    fn springs_that_carry_the_weight_leave_a_chassis_at_rest() {
        let forces = solve_wheel_forces(&chassis(Vec3::ZERO), &contacts(), &mut [], DT);
        for tyre_force in &forces {
            assert!((tyre_force.load - 2500.0).abs() < 0.5, "{tyre_force:?}");
            assert!(
                tyre_force.ahead.abs() < 0.5 && tyre_force.left.abs() < 0.5 && !tyre_force.slides,
                "{tyre_force:?}"
            );
        }
    }

    #[test]
    fn every_force_is_within_its_circle_and_locked_wheels_brake_with_the_whole_of_it() {
        let mut contacts = contacts();
        contacts.iter_mut().for_each(|p| p.brake = 1e6);
        let forces = solve_wheel_forces(&chassis(Vec3::new(20.0, 0.0, 9.0)), &contacts, &mut [], DT);
        for tyre_force in &forces {
            assert!(
                tyre_force.slides && tyre_force.ahead.hypot(tyre_force.left) < 0.8 * tyre_force.load * (1.0 + 1e-5),
                "{tyre_force:?}"
            );
            assert!(tyre_force.load >= 0.0);
        }
        // Friction opposes the slip: 20 ahead and 9 to the right.
        let force = total(&contacts, &forces);
        assert!(force.x < 0.0 && force.z < 0.0 && (force.z / force.x - 0.45).abs() < 0.1, "{force}");
    }

    #[test]
    fn a_tyre_that_sticks_does_not_slip_sideways() {
        let start = chassis(Vec3::new(5.0, 0.0, 0.05));
        let contacts = contacts();
        let forces = solve_wheel_forces(&start, &contacts, &mut [], DT);
        let (mut velocity, mut spin) = (start.velocity + start.acceleration * DT, Vec3::ZERO);
        for (contact, tyre_force) in contacts.iter().zip(&forces) {
            let force = contact.force(tyre_force);
            velocity += start.inverse_mass * force * DT;
            spin += start.inverse_inertia * contact.arm.cross(force) * DT;
            assert!(!tyre_force.slides);
        }
        for contact in &contacts {
            let slip = velocity + spin.cross(contact.arm);
            assert!(slip.dot(contact.left()).abs() < 1e-3, "{slip}");
            assert!((slip.x - 5.0).abs() < 0.05, "it rolls: {slip}");
        }
    }

    #[test]
    fn a_spring_never_pulls() {
        let forces = solve_wheel_forces(&chassis(Vec3::Y * 30.0), &contacts(), &mut [], DT);
        assert!(forces.iter().all(|tyre_force| tyre_force.load == 0.0 && tyre_force.ahead == 0.0), "{forces:?}");
    }
}
