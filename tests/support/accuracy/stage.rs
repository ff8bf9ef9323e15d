//! A world to put a problem on.

use super::EXACT;
use dolmen::math::{DQuat, DVec3, Quat, Real, Vec3, from_f64, to_f64};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::cell::Cell;

thread_local! {
    /// The largest gain of the steps of all stages since it was last taken.
    static LARGEST_GAIN: Cell<Option<f64>> = const { Cell::new(None) };
}

/// The largest gain of an island in a step, over all stages of this thread since it was last asked for: the energy
/// beyond that before and the work, as a part of both and of a step's fall. `None` without a step.
pub fn take_largest_gain() -> Option<f64> {
    LARGEST_GAIN.take()
}

pub struct Stage {
    pub world: World,
    pub physics: Physics,
    dt: Real,
    steps: u64,
}

impl Stage {
    pub fn new(dt: f64, gravity: DVec3) -> Self {
        let accuracy = if EXACT { Accuracy::Exact } else { Accuracy::Game };
        let settings =
            Settings { accuracy, gravity: from_f64(gravity), energy_tolerance: Some(1.0), ..Settings::default() };
        Self { world: World::new(), physics: Physics::new(settings), dt: dt as Real, steps: 0 }
    }

    /// Under gravity of 9.81 m/s² along -y.
    pub fn upright(dt: f64) -> Self {
        Self::new(dt, DVec3::NEG_Y * 9.81)
    }

    pub fn add(&mut self, body: Body) -> Entity {
        self.world.spawn(body)
    }

    pub fn step(&mut self) {
        self.physics.step(&mut self.world, self.dt).expect("the scene is sound");
        self.steps += 1;
        let gains = self.physics.energy_account().islands.iter().map(|island| {
            let gained = island.balance.gained - island.balance.removed;
            if gained > 0.0 { gained / island.scale } else { 0.0 }
        });
        LARGEST_GAIN.set(Some(gains.fold(LARGEST_GAIN.get().unwrap_or(0.0), f64::max)));
    }

    /// Number of steps in `seconds`.
    pub fn steps_in(&self, seconds: f64) -> u64 {
        (seconds / f64::from(self.dt)).round() as u64
    }

    /// The time that has passed (s).
    pub fn time(&self) -> f64 {
        self.steps as f64 * f64::from(self.dt)
    }

    /// The strength of gravity as the engine holds it (m/s²).
    pub fn gravity(&self) -> f64 {
        to_f64(self.physics.settings.gravity).length()
    }

    pub fn position(&self, e: Entity) -> DVec3 {
        to_f64(self.world.get::<&Position>(e).unwrap().0)
    }

    pub fn velocity(&self, e: Entity) -> DVec3 {
        to_f64(self.world.get::<&LinearVelocity>(e).unwrap().0)
    }

    pub fn spin(&self, e: Entity) -> DVec3 {
        to_f64(self.world.get::<&AngularVelocity>(e).unwrap().0)
    }

    pub fn orientation(&self, e: Entity) -> DQuat {
        let q: Quat = self.world.get::<&Orientation>(e).unwrap().0;
        DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize()
    }
}

/// A vector of the engine's scalar.
pub fn v(x: f64, y: f64, z: f64) -> Vec3 {
    from_f64(DVec3::new(x, y, z))
}

/// A frictionless surface.
pub fn slick(restitution: f64) -> Material {
    Material::new(0.0, restitution as Real)
}
