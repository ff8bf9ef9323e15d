//! Test bench: a world with its physics.

use dolmen::math::Real;
use dolmen::prelude::*;
use hecs::{Entity, World};

pub const F64: bool = size_of::<Real>() == 8;
pub const G: Real = 9.81;

/// A world with its physics.
pub struct Bench {
    pub world: World,
    pub physics: Physics,
    pub dt: Real,
}

impl Bench {
    pub fn new(dt: f64, accuracy: Accuracy) -> Self {
        let settings = Settings { accuracy, sleep: false, ..Settings::default() };
        Self { world: World::new(), physics: Physics::new(settings), dt: dt as Real }
    }

    pub fn game() -> Self {
        Self::new(1.0 / 60.0, Accuracy::Game)
    }

    pub fn weightless(mut self) -> Self {
        self.physics.settings.gravity = Vec3::ZERO;
        self
    }

    pub fn join(&mut self, joint: Joint) -> Entity {
        self.world.spawn((joint, JointState::default()))
    }

    pub fn step(&mut self) {
        let report = self.physics.step(&mut self.world, self.dt).expect("the scene is sound");
        assert_eq!(report.counts.out_of_range, 0, "a body left the range of numbers");
    }

    pub fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / f64::from(self.dt)).round() as usize {
            self.step();
        }
    }

    pub fn position(&self, e: Entity) -> Vec3 {
        self.world.get::<&Position>(e).unwrap().0
    }

    pub fn orientation(&self, e: Entity) -> Quat {
        self.world.get::<&Orientation>(e).unwrap().0
    }

    pub fn velocity(&self, e: Entity) -> Vec3 {
        self.world.get::<&LinearVelocity>(e).unwrap().0
    }

    pub fn spin(&self, e: Entity) -> Vec3 {
        self.world.get::<&AngularVelocity>(e).unwrap().0
    }

    pub fn state(&self, joint: Entity) -> JointState {
        *self.world.get::<&JointState>(joint).unwrap()
    }

    /// Largest distance of the anchors of all joints that shall coincide (m).
    pub fn worst_gap(&self) -> f64 {
        crate::ragdoll::apart(&self.world)
    }
}

/// A body of a mass (kg) with the inertia of a ball of a radius (m), without contacts.
pub fn bob(mass: Real, radius: Real) -> Body {
    let i = 0.4 * mass * radius * radius;
    Body::free(mass, Inertia { principal: Vec3::splat(i), frame: Quat::IDENTITY })
}

/// A body of a mass (kg) with the inertia of a cuboid of these half extents (m), without contacts.
pub fn block(mass: Real, half: Vec3) -> Body {
    let square = half * half;
    let principal = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
    Body::free(mass, Inertia { principal, frame: Quat::IDENTITY })
}
