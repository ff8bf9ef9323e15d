//! A drum that turns about z, of flat staves with two flat ends, part full of grains. Its sines and
//! roots are those of `libm`: processors compare the bits of its scene.

#![allow(dead_code, reason = "each test, bench and example uses its own part")]

use dolmen::particles::{ParticleReport, ParticleSettings, Particles};
use dolmen::prelude::*;

/// The drum, its grains, and both plugins.
pub struct Drum {
    pub world: hecs::World,
    pub physics: Physics,
    pub particles: Particles,
    /// Distance of the staves from the axis (m).
    pub radius: Real,
    /// Half the length (m).
    pub half: Real,
}

const STAVES: usize = 12;

impl Drum {
    /// A drum for about this many grains of a radius (m), a third full, that turns with a rate
    /// (rad/s).
    pub fn new(count: usize, grain: Real, rate: Real) -> Self {
        let (mut world, physics) = (hecs::World::new(), Physics::new(Settings::default()));
        let spacing = 2.08 * grain;
        // A third of the volume, at a length of two and a half radii.
        let volume = count as Real * spacing * spacing * spacing;
        let radius = libm::cbrt(f64::from(volume / (2.5 * 0.33 * dolmen::math::consts::PI))) as Real;
        let half = 1.25 * radius;
        let body = world.spawn((RigidBody::Kinematic, AngularVelocity::new(0.0, 0.0, rate)));
        let orientation = Quat::IDENTITY;
        for k in 0..STAVES {
            let angle = std::f64::consts::TAU * k as f64 / STAVES as f64;
            let out = Vec3::new(libm::cos(angle) as Real, libm::sin(angle) as Real, 0.0);
            world.spawn((Collider::half_space(-out), ColliderOf { body, position: out * radius, orientation }));
        }
        for side in [-1.0, 1.0] {
            world.spawn(Body::fixed(Collider::half_space(Vec3::Z * -side)).at(0.0, 0.0, side * half));
        }
        let kind = (Particle::of_density(grain, 2600.0), Material::new(0.5, 0.3), LinearVelocity::default());
        let steps = |length: Real| (length / spacing) as i32;
        let mut left = count;
        'fill: for y in -steps(radius)..=steps(radius) {
            for z in 1 - steps(half)..steps(half) {
                for x in -steps(radius)..=steps(radius) {
                    // A lattice that is not quite one, so that nothing balances on its neighbour.
                    let off = |cell: i32| libm::sin(f64::from(cell)) as Real;
                    let shift = Vec3::new(off(y * 7 + z), 0.0, off(y * 3 + x)) * 0.03 * grain;
                    let at = Vec3::new(x as Real, y as Real, z as Real) * spacing + shift;
                    if at.truncate().length() > radius - 1.5 * grain {
                        continue;
                    }
                    world.spawn((kind.0, kind.1, kind.2, Position(at)));
                    left -= 1;
                    if left == 0 {
                        break 'fill;
                    }
                }
            }
        }
        Self { world, physics, particles: Particles::new(ParticleSettings::default()), radius, half }
    }

    /// Steps bodies and grains.
    pub fn step(&mut self, dt: Real) -> ParticleReport {
        self.physics.step(&mut self.world, dt).expect("a good world");
        self.particles.step(&mut self.world, &self.physics, dt).expect("good grains")
    }
}
