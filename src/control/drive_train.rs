//! Engine, clutch, gearbox and final drive of a vehicle.

use super::first_negative;
use super::vehicle::{Track, Vehicle};
use crate::math::Real;

/// The engine, clutch, gearbox and final drive of a [`Vehicle`] on the same entity:
/// [`step_vehicles`](super::step_vehicles) writes [`Vehicle::engine`] from it. The game sets
/// `throttle`, and `gear` of a manual gearbox.
///
/// The wheels turn the engine at their mean speed times the gear's ratio. Below the idle speed the
/// clutch slips and the engine turns at it; above its greatest speed the engine gives no torque.
///
/// ```
/// use dolmen::control::{DriveTrain, Vehicle, Wheel, step_vehicles};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// let chassis = Body::dynamic(Collider::cuboid(2.0, 0.3, 0.8)).at(0.0, 0.7, 0.0).mass(1200.0);
/// let vehicle = Vehicle::four_wheels(Wheel::default(), 2.6, 1.5, 0.0);
/// let car = world.spawn(chassis.with(vehicle).with(DriveTrain { throttle: 1.0, ..DriveTrain::default() }));
/// for _ in 0..300 {
///     step_vehicles(&mut world, &physics, 1.0 / 60.0)?;
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!(world.get::<&DriveTrain>(car).unwrap().gear > 1);
/// assert!(world.get::<&LinearVelocity>(car).unwrap().0.x > 15.0);
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct DriveTrain {
    /// Throttle, from 0 to 1.
    pub throttle: Real,
    /// Gear: from 1 the forward gears, 0 neutral, -1 reverse.
    pub gear: i32,
    /// Full-throttle torque (N m) at engine speeds (rad/s) that increase, linear in between and
    /// constant beyond.
    pub torque: Vec<[Real; 2]>,
    /// Speed at idle (rad/s).
    pub idle: Real,
    /// Greatest speed (rad/s).
    pub max_speed: Real,
    /// Drag torque with the throttle closed at the greatest speed (N m), linear down to none at idle.
    pub engine_braking: Real,
    /// Ratios of the forward gears, engine to propeller shaft, from the lowest gear to the highest.
    pub gears: Vec<Real>,
    /// Ratio of the reverse gear.
    pub reverse: Real,
    /// Ratio of the final drive.
    pub final_drive: Real,
    /// Efficiency of gearbox and final drive, from 0 to 1.
    pub efficiency: Real,
    /// Engine speeds (rad/s) below which an automatic gearbox shifts down and above which it shifts
    /// up, among the forward gears; `None` for a manual gearbox.
    pub automatic: Option<[Real; 2]>,
    /// Time without torque at an automatic shift (s).
    pub shift_time: Real,
    /// Engine speed (rad/s), written by the system.
    pub speed: Real,
    /// Rest of the time of a shift (s), written by the system.
    pub shifting: Real,
}

impl Default for DriveTrain {
    /// A car of about 1.2 t: 180 N m, five gears, automatic.
    fn default() -> Self {
        Self {
            throttle: 0.0,
            gear: 1,
            torque: vec![[100.0, 130.0], [300.0, 180.0], [500.0, 170.0], [650.0, 140.0]],
            idle: 90.0,
            max_speed: 680.0,
            engine_braking: 50.0,
            gears: vec![3.6, 2.1, 1.4, 1.0, 0.8],
            reverse: 3.4,
            final_drive: 3.9,
            efficiency: 0.9,
            automatic: Some([220.0, 560.0]),
            shift_time: 0.15,
            speed: 90.0,
            shifting: 0.0,
        }
    }
}

impl DriveTrain {
    /// Full-throttle torque (N m) at an engine speed (rad/s).
    ///
    /// ```
    /// use dolmen::control::DriveTrain;
    /// let engine = DriveTrain { torque: vec![[100.0, 50.0], [300.0, 150.0]], ..DriveTrain::default() };
    /// assert_eq!([0.0, 200.0, 900.0].map(|speed| engine.full_torque(speed)), [50.0, 100.0, 150.0]);
    /// ```
    pub fn full_torque(&self, speed: Real) -> Real {
        let after = self.torque.partition_point(|[at, _]| *at <= speed);
        match (after.checked_sub(1).and_then(|before| self.torque.get(before)), self.torque.get(after)) {
            (Some([s0, t0]), Some([s1, t1])) => t0 + (t1 - t0) * (speed - s0) / (s1 - s0),
            (Some([_, torque]), None) | (None, Some([_, torque])) => *torque,
            (None, None) => 0.0,
        }
    }

    /// Torque of the engine (N m) at a speed (rad/s), with its throttle.
    fn engine_torque(&self, speed: Real) -> Real {
        if speed > self.max_speed {
            return -self.engine_braking;
        }
        let drag = self.engine_braking * (speed - self.idle) / (self.max_speed - self.idle);
        self.throttle * self.full_torque(speed) - (1.0 - self.throttle) * drag
    }

    /// Ratio of engine speed to wheel speed; 0 in neutral, negative in reverse.
    fn ratio(&self) -> Real {
        let gear = match self.gear {
            -1 => -self.reverse,
            0 => 0.0,
            gear => self.gears[gear as usize - 1],
        };
        gear * self.final_drive
    }

    /// Advances by `dt` (s); returns the force at the tyres (N) for driven wheels with a mean angular
    /// speed (rad/s) and radius (m).
    pub(super) fn advance(&mut self, wheel_speed: Real, radius: Real, dt: Real) -> Real {
        self.shifting = (self.shifting - dt).max(0.0);
        let turned = wheel_speed * self.ratio();
        if let Some([down, up]) = self.automatic
            && self.gear >= 1
            && self.shifting == 0.0
        {
            let highest = self.gears.len() as i32;
            let next = if turned > up { self.gear + 1 } else { self.gear - i32::from(turned < down) };
            let next = next.clamp(1, highest);
            if next != self.gear {
                (self.gear, self.shifting) = (next, self.shift_time);
            }
        }
        let ratio = self.ratio();
        self.speed = (wheel_speed * ratio).max(self.idle);
        if self.shifting > 0.0 || radius <= 0.0 {
            return 0.0;
        }
        self.engine_torque(self.speed) * ratio * self.efficiency / radius
    }

    /// Describes the first invalid field, if any.
    pub(super) fn problem(&self) -> Option<String> {
        let numbers = [
            ("throttle", self.throttle),
            ("idle", self.idle),
            ("engine_braking", self.engine_braking),
            ("reverse", self.reverse),
            ("final_drive", self.final_drive),
            ("efficiency", self.efficiency),
            ("shift_time", self.shift_time),
            ("shifting", self.shifting),
        ];
        if let Some(problem) = first_negative(&numbers) {
            return Some(problem);
        }
        if let Some((name, value)) =
            [("throttle", self.throttle), ("efficiency", self.efficiency)].into_iter().find(|(_, value)| *value > 1.0)
        {
            return Some(format!("{name} must be at most 1, got {value}"));
        }
        if !(self.max_speed > self.idle && self.max_speed.is_finite()) {
            return Some(format!("max_speed must be above idle and finite, got {}", self.max_speed));
        }
        let finite = self.torque.iter().flatten().all(|value| value.is_finite());
        let increasing = self.torque.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        if self.torque.is_empty() || !finite || !increasing {
            return Some(format!("torque needs finite values at increasing speeds, got {:?}", self.torque));
        }
        if self.gears.is_empty() || self.gears.iter().any(|ratio| !(*ratio > 0.0 && ratio.is_finite())) {
            return Some(format!("gears need positive and finite ratios, got {:?}", self.gears));
        }
        if !(-1..=self.gears.len() as i32).contains(&self.gear) {
            return Some(format!("gear must be from -1 to {}, got {}", self.gears.len(), self.gear));
        }
        let [down, up] = self.automatic?;
        let step = self.gears.windows(2).fold(1.0, |least: Real, pair| least.min(pair[1] / pair[0]));
        let fits = down >= 0.0 && up * step > down && up < self.max_speed;
        (!fits).then(|| {
            format!(
                "automatic must shift up below max_speed, into a gear that it does not shift down from at once, got \
                 {down} and {up}"
            )
        })
    }
}

/// The mean angular speed (rad/s) and radius (m) of the wheels that an engine drives, by their
/// shares; for tracks, the mean of both.
pub(super) fn driven_wheels(vehicle: &Vehicle) -> (Real, Real) {
    let (mut weight, mut speed, mut radius) = (0.0, 0.0, 0.0);
    for wheel in vehicle.wheels.iter().filter(|wheel| wheel.track.is_none()) {
        weight += wheel.driven;
        speed += wheel.driven * wheel.state.spin;
        radius += wheel.driven * wheel.radius;
    }
    for (track, share) in Track::BOTH.into_iter().zip(vehicle.tracks) {
        for wheel in vehicle.of_track(track) {
            weight += share.abs();
            speed += share * wheel.state.spin;
            radius += share.abs() * wheel.radius;
        }
    }
    if weight > 0.0 { (speed / weight, radius / weight) } else { (0.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automatic_gearbox_shifts_once_at_a_time_and_does_not_hunt() {
        let mut train = DriveTrain { throttle: 1.0, ..DriveTrain::default() };
        let (mut gears, mut wheel) = (Vec::new(), 0.0);
        for _ in 0..4000 {
            train.advance(wheel, 0.35, 0.01);
            if gears.last() != Some(&train.gear) {
                gears.push(train.gear);
            }
            wheel += 0.05;
        }
        assert_eq!(gears, [1, 2, 3, 4, 5]);
        for _ in 0..4000 {
            train.advance(wheel, 0.35, 0.01);
            wheel -= 0.05;
            if gears.last() != Some(&train.gear) {
                gears.push(train.gear);
            }
        }
        assert_eq!(gears, [1, 2, 3, 4, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn impossible_trains_are_refused_by_name() {
        let good = DriveTrain::default();
        assert_eq!(good.problem(), None);
        let bad = |change: fn(&mut DriveTrain), name: &str| {
            let mut train = good.clone();
            change(&mut train);
            let problem = train.problem().expect(name);
            assert!(problem.contains(name), "{problem}");
        };
        bad(|t| t.throttle = 1.5, "throttle");
        bad(|t| t.gear = 6, "gear");
        bad(|t| t.gear = -2, "gear");
        bad(|t| t.gears.clear(), "gears");
        bad(|t| t.torque = vec![[2.0, 1.0], [1.0, 1.0]], "torque");
        bad(|t| t.max_speed = 10.0, "max_speed");
        bad(|t| t.idle = Real::NAN, "idle");
        bad(|t| t.automatic = Some([500.0, 560.0]), "automatic");
    }
}
