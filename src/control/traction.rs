//! The forces of springs and tyres on a chassis over a step: a law of one body and its points on the ground.
//!
//! The forces are those that are right at the end of the step: springs and dampers are taken implicitly, so that no stiffness
//! makes them unstable, and what holds, holds without a creep. Springs push and never pull. A tyre holds its point across the wheel,
//! and along it as far as the brakes go; its whole force on the ground is inside the circle of Coulomb's friction.

use crate::math::{Mat3, Real, Vec3};
use crate::tolerances::{TRACTION_LOADS, TRACTION_PASSES};

/// A chassis at the start of a step.
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
pub struct Patch {
    /// From the centre of mass to the point on the ground (m, world axes).
    pub arm: Vec3,
    /// Unit normal of the ground.
    pub normal: Vec3,
    /// Unit vector along the ground in which the wheel rolls.
    pub ahead: Vec3,
    /// Velocity of the ground there (m/s).
    pub ground: Vec3,
    /// The spring's force as it is pressed now (N).
    pub spring: Real,
    /// What the spring's force grows by as the ground comes nearer along the normal (N/m).
    pub stiffness: Real,
    /// What the damper's force grows by with the speed at which it does (N s/m).
    pub damping: Real,
    /// Coefficient of friction.
    pub friction: Real,
    /// Force of the engine (N).
    pub engine: Real,
    /// Greatest force of the brake (N).
    pub brake: Real,
}

/// The forces of a wheel on the chassis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip {
    /// Along the normal (N), at least 0.
    pub load: Real,
    /// Along the ground, ahead (N).
    pub ahead: Real,
    /// Along the ground, to the left (N).
    pub left: Real,
    /// Whether it gives all the friction it has.
    pub slides: bool,
}

impl Patch {
    fn left(&self) -> Vec3 {
        self.normal.cross(self.ahead)
    }

    /// The force that a grip is (N, world axes).
    pub fn force(&self, grip: &Grip) -> Vec3 {
        self.normal * grip.load + self.ahead * grip.ahead + self.left() * grip.left
    }
}

/// The forces of all wheels on the ground over a step of `dt` (s), in their order.
///
/// They are constant over the step, so that the spring closes by `dt` times the mean of the speeds before and after.
pub fn solve(chassis: &Chassis, patches: &[Patch], dt: Real) -> Vec<Grip> {
    let mut velocity = chassis.velocity + chassis.acceleration * dt;
    let mut spin = chassis.spin + chassis.angular_acceleration * dt;
    let mut grips = vec![Grip::default(); patches.len()];
    for pass in 0..TRACTION_LOADS + TRACTION_PASSES {
        for (patch, grip) in patches.iter().zip(&mut grips) {
            let mut give = |along: Vec3, more: Real| {
                velocity += chassis.inverse_mass * along * (more * dt);
                spin += chassis.inverse_inertia * patch.arm.cross(along) * (more * dt);
                velocity + spin.cross(patch.arm) - patch.ground
            };
            // What a force of one along a direction adds to the speed there over the step.
            let answer = |along: Vec3| {
                let turned = (chassis.inverse_inertia * patch.arm.cross(along)).cross(patch.arm);
                along.dot(chassis.inverse_mass * along + turned) * dt
            };
            let before = -(chassis.velocity + chassis.spin.cross(patch.arm) - patch.ground).dot(patch.normal);
            let spring = patch.spring + 0.5 * dt * patch.stiffness * before;
            let yields = 0.5 * dt * patch.stiffness + patch.damping;
            let slip = give(Vec3::ZERO, 0.0);
            let own = answer(patch.normal);
            let closing = grip.load * own - slip.dot(patch.normal);
            let load = ((spring + yields * closing) / (1.0 + yields * own)).max(0.0);
            let slip = give(patch.normal, load - grip.load);
            grip.load = load;
            if pass < TRACTION_LOADS {
                continue;
            }
            let left = patch.left();
            // One measure for both, so that what slides is pushed against its slip.
            let own = answer(patch.ahead).max(answer(left));
            let hold = |known: Real, along: Vec3| if own > 0.0 { known - slip.dot(along) / own } else { known };
            let across = hold(grip.left, left);
            let braked = hold(grip.ahead - patch.engine, patch.ahead).clamp(-patch.brake, patch.brake);
            let (along, most) = (patch.engine + braked, patch.friction * load);
            let size = along.hypot(across);
            grip.slides = size > most;
            let part = if grip.slides { most / size } else { 1.0 };
            give(patch.ahead, along * part - grip.ahead);
            give(left, across * part - grip.left);
            (grip.ahead, grip.left) = (along * part, across * part);
        }
    }
    grips
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

    fn patches() -> Vec<Patch> {
        let at = |x: Real, z: Real| Patch {
            arm: Vec3::new(x, -0.5, z),
            normal: Vec3::Y,
            ahead: Vec3::X,
            ground: Vec3::ZERO,
            spring: 2500.0,
            stiffness: 50_000.0,
            damping: 2500.0,
            friction: 0.8,
            engine: 0.0,
            brake: 0.0,
        };
        vec![at(1.2, 0.7), at(1.2, -0.7), at(-1.2, 0.7), at(-1.2, -0.7)]
    }

    fn total(patches: &[Patch], grips: &[Grip]) -> Vec3 {
        patches.iter().zip(grips).map(|(patch, grip)| patch.force(grip)).sum()
    }

    #[test]
    fn springs_that_bear_the_weight_leave_a_chassis_at_rest() {
        let grips = solve(&chassis(Vec3::ZERO), &patches(), DT);
        for grip in &grips {
            assert!((grip.load - 2500.0).abs() < 0.5, "{grip:?}");
            assert!(grip.ahead.abs() < 0.5 && grip.left.abs() < 0.5 && !grip.slides, "{grip:?}");
        }
    }

    #[test]
    fn every_force_is_within_its_circle_and_locked_wheels_brake_with_the_whole_of_it() {
        let mut patches = patches();
        patches.iter_mut().for_each(|p| p.brake = 1e6);
        let grips = solve(&chassis(Vec3::new(20.0, 0.0, 9.0)), &patches, DT);
        for grip in &grips {
            assert!(grip.slides && grip.ahead.hypot(grip.left) < 0.8 * grip.load * (1.0 + 1e-5), "{grip:?}");
            assert!(grip.load >= 0.0);
        }
        // Against the motion: it slides by 20 ahead and 9 to the right.
        let force = total(&patches, &grips);
        assert!(force.x < 0.0 && force.z < 0.0 && (force.z / force.x - 0.45).abs() < 0.1, "{force}");
    }

    #[test]
    fn what_grips_holds_its_point_across_the_wheel() {
        let start = chassis(Vec3::new(5.0, 0.0, 0.05));
        let patches = patches();
        let grips = solve(&start, &patches, DT);
        let (mut velocity, mut spin) = (start.velocity + start.acceleration * DT, Vec3::ZERO);
        for (patch, grip) in patches.iter().zip(&grips) {
            let force = patch.force(grip);
            velocity += start.inverse_mass * force * DT;
            spin += start.inverse_inertia * patch.arm.cross(force) * DT;
            assert!(!grip.slides);
        }
        for patch in &patches {
            let slip = velocity + spin.cross(patch.arm);
            assert!(slip.dot(patch.left()).abs() < 1e-3, "{slip}");
            assert!((slip.x - 5.0).abs() < 0.05, "it rolls: {slip}");
        }
    }

    #[test]
    fn a_spring_never_pulls() {
        let grips = solve(&chassis(Vec3::Y * 30.0), &patches(), DT);
        assert!(grips.iter().all(|grip| grip.load == 0.0 && grip.ahead == 0.0), "{grips:?}");
    }
}
