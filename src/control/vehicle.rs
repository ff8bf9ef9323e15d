use crate::math::{Real, Vec3};
use hecs::Entity;

/// A vehicle: on a dynamic body, the chassis. What it is built of, and what the driver does.
///
/// The game sets `steering`, `engine` and `brake`, and calls [`step_vehicles`](super::step_vehicles) before each step. The
/// forces of the wheels are a [`Load`](super::Load) on the chassis.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Vehicle {
    /// The wheels.
    pub wheels: Vec<Wheel>,
    /// Unit vector ahead in the chassis' axes. Default x.
    pub ahead: Vec3,
    /// Unit vector upwards in the chassis' axes, square to `ahead`. Default y.
    pub up: Vec3,
    /// The angle (rad) of the wheel in the middle of the steered axle, to the left positive (turning about `up`), less than a
    /// quarter turn. Each steered wheel is turned so that its axle points at the same centre (Ackermann).
    pub steering: Real,
    /// The engine's force ahead, at the tyres of all driven wheels together (N); negative backwards.
    pub engine: Real,
    /// The brakes' greatest force, at the tyres of all wheels together (N).
    pub brake: Real,
}

/// A wheel on its suspension.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Wheel {
    /// Where the suspension is fixed to the chassis, in its axes (m). The wheel hangs below by the length of the spring.
    pub mount: Vec3,
    /// Radius of the wheel (m).
    pub radius: Real,
    /// Length of the spring without load (m).
    pub length: Real,
    /// How far the spring can be pressed (m); beyond that it bottoms out. At most `length`.
    pub travel: Real,
    /// Stiffness of the spring (N/m).
    pub stiffness: Real,
    /// Damping of the spring (N s/m).
    pub damping: Real,
    /// Coefficient of friction of the tyre.
    pub friction: Real,
    /// Whether it is steered.
    pub steered: bool,
    /// Its share of the engine's force, in proportion to those of the others; 0 where it is not driven.
    pub driven: Real,
    /// Its share of the brakes' force, in proportion to those of the others.
    pub braked: Real,
    /// What it does, written by [`step_vehicles`](super::step_vehicles).
    pub state: WheelState,
}

/// What a wheel does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct WheelState {
    /// The body it stands on; nothing in the air.
    pub ground: Option<Entity>,
    /// Where it touches the ground (m, world).
    pub point: Vec3,
    /// Length of the spring (m).
    pub length: Real,
    /// Force of the spring on the chassis (N).
    pub load: Real,
    /// Force of the tyre along the ground on the chassis (N, world).
    pub traction: Vec3,
    /// Whether it slides: the tyre gives all the friction it has.
    pub slides: bool,
    /// Its angle of steering (rad).
    pub steering: Real,
    /// How fast it turns, ahead positive (rad/s), and how far it has turned (rad), for drawing it.
    pub spin: Real,
    /// How far it has turned (rad, from 0 to a full turn).
    pub angle: Real,
}

impl Default for Vehicle {
    fn default() -> Self {
        Self { wheels: Vec::new(), ahead: Vec3::X, up: Vec3::Y, steering: 0.0, engine: 0.0, brake: 0.0 }
    }
}

impl Vehicle {
    /// Four wheels like `wheel`, `base` (m) from axle to axle and `track` (m) from side to side, their mounts at a height (m), about
    /// the chassis' origin. The front wheels are steered, all are driven.
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

    /// What is impossible about it, if anything.
    pub(super) fn problem(&self) -> Option<String> {
        let Self { ahead, up, steering, engine, brake, .. } = self;
        if !ahead.is_normalized() || !up.is_normalized() || ahead.dot(*up).abs() > 1e-3 {
            return Some(format!("ahead and up must be unit vectors square to each other, got {ahead} and {up}"));
        }
        let quarter = crate::math::consts::FRAC_PI_2;
        if steering.is_nan() || steering.abs() >= quarter {
            return Some(format!("steering must be less than a quarter turn, got {steering}"));
        }
        if !engine.is_finite() {
            return Some(format!("engine must be finite, got {engine}"));
        }
        if !(*brake >= 0.0 && brake.is_finite()) {
            return Some(format!("brake must be at least 0 and finite, got {brake}"));
        }
        self.wheels.iter().enumerate().find_map(|(i, wheel)| wheel.problem().map(|p| format!("wheel {i}: {p}")))
    }
}

impl Default for Wheel {
    /// A car's: radius 0.35 m, a spring of 0.4 m that gives by 0.3 m, for a chassis of about 1.2 t.
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
        let at_least_zero = [
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("friction", self.friction),
            ("driven", self.driven),
            ("braked", self.braked),
        ];
        let bad = at_least_zero.into_iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite()));
        bad.map(|(name, value)| format!("{name} must be at least 0 and finite, got {value}"))
    }
}
