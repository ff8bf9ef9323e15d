use super::first_negative;
use crate::math::{Real, Vec3};
use hecs::Entity;

/// A vehicle on a dynamic body, the chassis: its wheels, and the driver's inputs.
///
/// The game sets `steering`, `engine` and `brake`, and calls
/// [`step_vehicles`](super::step_vehicles) before each step. The forces of the wheels are a
/// [`AppliedLoad`](super::AppliedLoad) on the chassis.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Vehicle {
    /// The wheels.
    pub wheels: Vec<Wheel>,
    /// Forward unit vector in the chassis' axes. Default x.
    pub ahead: Vec3,
    /// Upward unit vector in the chassis' axes, perpendicular to `ahead`. Default y.
    pub up: Vec3,
    /// Steering angle (rad) of a virtual wheel in the middle of the steered axle, positive to the
    /// left, less than a quarter turn. The axles of all wheels point at one centre (Ackermann
    /// steering).
    pub steering: Real,
    /// Engine force at the tyres of all driven wheels together (N); negative for reverse.
    pub engine: Real,
    /// Greatest brake force at the tyres of all wheels together (N).
    pub brake: Real,
    /// Shares of the engine force on the left and the right track, for wheels with a
    /// [`Track`]. Default 0.5 and 0.5; -0.5 and 0.5 turn the vehicle to the left in place.
    pub tracks: [Real; 2],
    /// Mass of a track with all that turns with it, at the speed of its belt (kg): the engine's
    /// inertia by the square of its ratio. Default 100.
    pub track_mass: Real,
    /// The anti-roll bars; a wheel is at one at most.
    pub anti_roll_bars: Vec<AntiRollBar>,
}

/// A torsion bar between two wheels, which resists their difference in compression and with it the
/// roll of the chassis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct AntiRollBar {
    /// Indices of its wheels in [`Vehicle::wheels`].
    pub wheels: [usize; 2],
    /// Force on each wheel per difference in compression (N/m).
    pub stiffness: Real,
}

/// The side of a tracked vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Track {
    /// The left side.
    Left,
    /// The right side.
    Right,
}

impl Track {
    pub(super) const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// A wheel on its suspension.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wheel {
    /// Upper end of the suspension in the chassis' axes (m). The wheel is below it by the length of
    /// the spring.
    pub mount: Vec3,
    /// Radius of the wheel (m).
    pub radius: Real,
    /// Rest length of the spring (m).
    pub length: Real,
    /// Travel of the spring (m), at most `length`; beyond it the spring bottoms out.
    pub travel: Real,
    /// Stiffness of the spring (N/m).
    pub stiffness: Real,
    /// Damping of the spring (N s/m).
    pub damping: Real,
    /// Coefficient of friction of the tyre.
    pub friction: Real,
    /// True if the wheel is steered.
    pub steered: bool,
    /// Share of the engine force, relative to the other wheels; 0 if the wheel is not driven. The
    /// share of a wheel in the air is lost, as with open differentials.
    pub driven: Real,
    /// The track whose belt runs over the wheel, and is driven and braked in its place. The wheels of
    /// a track turn at one speed and are not steered.
    pub track: Option<Track>,
    /// Share of the brake force, relative to the other wheels.
    pub braked: Real,
    /// The state, written by [`step_vehicles`](super::step_vehicles).
    pub state: WheelState,
}

/// The state of a wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct WheelState {
    /// The body under the wheel; `None` in the air.
    pub ground: Option<Entity>,
    /// Contact point on the ground (m, world).
    pub point: Vec3,
    /// Length of the spring (m).
    pub length: Real,
    /// Force along the ground's normal on the chassis (N).
    pub load: Real,
    /// Friction force of the tyre on the chassis (N, world).
    pub traction: Vec3,
    /// True if the tyre slides.
    pub slides: bool,
    /// Steering angle (rad).
    pub steering: Real,
    /// Angular speed of the wheel, positive forward (rad/s).
    pub spin: Real,
    /// Rotation angle of the wheel for drawing (rad, 0 to a full turn).
    pub angle: Real,
}

impl Default for Vehicle {
    fn default() -> Self {
        Self {
            wheels: Vec::new(),
            ahead: Vec3::X,
            up: Vec3::Y,
            steering: 0.0,
            engine: 0.0,
            brake: 0.0,
            tracks: [0.5; 2],
            track_mass: 100.0,
            anti_roll_bars: Vec::new(),
        }
    }
}

impl Vehicle {
    /// Four wheels like `wheel` around the chassis' origin, with wheelbase `base` (m), track width
    /// `track` (m) and mounts at `height` (m). The front wheels are steered; all are driven.
    pub fn four_wheels(wheel: Wheel, base: Real, track: Real, height: Real) -> Self {
        let vehicle = Self::default();
        let left = vehicle.up.cross(vehicle.ahead);
        let corner = |front: bool, side: Real| {
            let along = if front { 0.5 } else { -0.5 } * base;
            let mount = vehicle.ahead * along + left * (side * 0.5 * track) + vehicle.up * height;
            Wheel { mount, steered: front, ..wheel }
        };
        let wheels = vec![corner(true, 1.0), corner(true, -1.0), corner(false, 1.0), corner(false, -1.0)];
        Self { wheels, ..vehicle }
    }

    /// `wheels` (at least 2) like `wheel` under each of two tracks, evenly along `base` (m) from
    /// the first to the last, `width` (m) apart, with mounts at `height` (m).
    pub fn tracked(wheel: Wheel, wheels: usize, base: Real, width: Real, height: Real) -> Self {
        let vehicle = Self::default();
        let left = vehicle.up.cross(vehicle.ahead);
        let row = |track: Track, side: Real| {
            (0..wheels).map(move |i| {
                let along = (0.5 - i as Real / (wheels - 1) as Real) * base;
                let mount = vehicle.ahead * along + left * (side * 0.5 * width) + vehicle.up * height;
                Wheel { mount, track: Some(track), ..wheel }
            })
        };
        let wheels = row(Track::Left, 1.0).chain(row(Track::Right, -1.0)).collect();
        Self { wheels, ..vehicle }
    }

    /// With anti-roll bars of this stiffness (N/m) between wheels that are mirror images of one
    /// another.
    #[must_use]
    pub fn with_anti_roll_bars(mut self, stiffness: Real) -> Self {
        let left = self.up.cross(self.ahead);
        for (a, wheel) in self.wheels.iter().enumerate() {
            let mirrored = wheel.mount - 2.0 * left * wheel.mount.dot(left);
            let is_partner = |other: &Wheel| other.mount.distance(mirrored) < 0.5 * wheel.radius;
            if wheel.mount.dot(left) > 0.0
                && let Some(b) = self.wheels.iter().position(is_partner)
            {
                self.anti_roll_bars.push(AntiRollBar { wheels: [a, b], stiffness });
            }
        }
        self
    }

    /// The wheels of a track.
    pub(super) fn of_track(&self, track: Track) -> impl Iterator<Item = &Wheel> {
        self.wheels.iter().filter(move |wheel| wheel.track == Some(track))
    }

    /// Describes the first invalid field, if any.
    pub(super) fn problem(&self) -> Option<String> {
        let Self { ahead, up, steering, engine, brake, tracks, .. } = self;
        if !ahead.is_normalized() || !up.is_normalized() || ahead.dot(*up).abs() > 1e-3 {
            return Some(format!("ahead and up must be perpendicular unit vectors, got {ahead} and {up}"));
        }
        let quarter = crate::math::consts::FRAC_PI_2;
        if steering.is_nan() || steering.abs() >= quarter {
            return Some(format!("steering must be less than a quarter turn, got {steering}"));
        }
        if !engine.is_finite() {
            return Some(format!("engine must be finite, got {engine}"));
        }
        if let Some(share) = tracks.iter().find(|share| !share.is_finite()) {
            return Some(format!("the shares of tracks must be finite, got {share}"));
        }
        if !(self.track_mass > 0.0 && self.track_mass.is_finite()) {
            return Some(format!("track_mass must be positive and finite, got {}", self.track_mass));
        }
        if let Some(problem) = first_negative(&[("brake", *brake)]).or_else(|| self.bar_problem()) {
            return Some(problem);
        }
        self.wheels.iter().enumerate().find_map(|(i, wheel)| wheel.problem().map(|p| format!("wheel {i}: {p}")))
    }

    fn bar_problem(&self) -> Option<String> {
        let mut ends: Vec<usize> = self.anti_roll_bars.iter().flat_map(|bar| bar.wheels).collect();
        ends.sort_unstable();
        if let Some(end) = ends.iter().find(|end| **end >= self.wheels.len()) {
            return Some(format!("an anti-roll bar is at wheel {end} of {}", self.wheels.len()));
        }
        if let Some(twice) = ends.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(format!("wheel {} is twice at anti-roll bars", twice[0]));
        }
        let of_bar = |(i, bar): (usize, &AntiRollBar)| {
            first_negative(&[("stiffness", bar.stiffness)]).map(|p| format!("anti-roll bar {i}: {p}"))
        };
        self.anti_roll_bars.iter().enumerate().find_map(of_bar)
    }
}

impl Default for Wheel {
    /// A car wheel: radius 0.35 m, spring 0.4 m with 0.3 m of travel, for a chassis of about 1.2 t.
    fn default() -> Self {
        Self {
            mount: Vec3::ZERO,
            radius: 0.35,
            length: 0.4,
            travel: 0.3,
            stiffness: 40_000.0,
            damping: 4_000.0,
            friction: 1.0,
            steered: false,
            driven: 1.0,
            track: None,
            braked: 1.0,
            state: WheelState::default(),
        }
    }
}

impl Wheel {
    fn problem(&self) -> Option<String> {
        let positive = [("radius", self.radius), ("length", self.length), ("travel", self.travel)];
        let bad = positive.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
        if let Some((name, value)) = bad {
            return Some(format!("{name} must be positive and finite, got {value}"));
        }
        if !self.mount.is_finite() || self.travel > self.length {
            return Some(format!(
                "its mount must be finite and its travel at most its length, got {} and {}",
                self.mount, self.travel
            ));
        }
        if self.steered && self.track.is_some() {
            return Some("a wheel of a track is not steered".into());
        }
        first_negative(&[
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("friction", self.friction),
            ("driven", self.driven),
            ("braked", self.braked),
        ])
    }
}
