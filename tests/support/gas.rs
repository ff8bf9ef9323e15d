//! A gas of balls in a closed box: lossy, under gravity.

use dolmen::Stage;
use dolmen::prelude::*;

/// State of the gas at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub impacts: usize,
    pub left: usize,
    /// Total energy at the start and at the end, from the box's floor (J).
    pub start: f64,
    pub end: f64,
    /// The most that the energy rose from one step to the next (J).
    pub worst_rise: f64,
    /// Time of the impacts stage (s).
    pub seconds: f64,
}

/// A box with `side` by `side` by `side` balls of restitution 0.9 and scattered velocities, under
/// gravity.
pub struct Gas {
    pub world: hecs::World,
    pub physics: Physics,
    dt: Real,
    energy: Option<f64>,
    /// Potential energy between the origin, where it is zero, and the floor (J).
    floor: f64,
    pub figures: Figures,
}

impl Gas {
    pub fn new(side: u32, dt: f64) -> Self {
        let mut world = hecs::World::new();
        let material = Material::new(0.3, 0.9);
        let (spacing, half) = (1.0, 0.5 * f64::from(side) + 0.5);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for side in [1.0, -1.0] {
                let wall = Body::fixed(Collider::half_space(axis * side));
                world.spawn(wall.position(axis * (-side * half as Real)).material(material));
            }
        }
        for i in 0..side.pow(3) {
            let place =
                [i % side, i / side % side, i / (side * side)].map(|k| (f64::from(k) + 0.5) * spacing - half + 0.5);
            // Fractional parts of multiples of irrationals: scattered, and the same everywhere.
            let velocity = [0.754_877_666, 0.569_840_291, 0.430_159_709]
                .map(|k: f64| 10.0 * ((f64::from(i) + 1.0) * k).fract() - 5.0);
            let at = Vec3::from(place.map(|x| x as Real));
            let ball = Body::dynamic(Collider::ball(0.3)).position(at).material(material);
            world.spawn(ball.linear_velocity(Vec3::from(velocity.map(|x| x as Real))));
        }
        let physics = Physics::default();
        let mass = f64::from(side.pow(3)) * 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
        let floor = mass * f64::from(physics.settings.gravity.length()) * (half - 0.3);
        Self { world, physics, dt: dt as Real, energy: None, floor, figures: Figures::default() }
    }

    pub fn step(&mut self) {
        let report = self.physics.step(&mut self.world, self.dt).expect("the scene is sound");
        let energy = self.physics.energy() + self.floor;
        let before = *self.energy.get_or_insert(energy);
        if self.figures.start == 0.0 {
            self.figures.start = energy;
        }
        self.figures.end = energy;
        self.figures.worst_rise = self.figures.worst_rise.max(energy - before);
        self.figures.seconds += report.times.of(Stage::Impacts).as_secs_f64();
        self.figures.impacts += report.counts.impacts;
        self.figures.left += report.counts.impacts_left;
        self.energy = Some(energy);
    }
}
