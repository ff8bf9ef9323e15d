//! Quality of a run, measured from poses and velocities, independently of the engine that produced
//! them.
//!
//! Penetration is computed from the shapes, energy from masses and velocities, drift relative to
//! the start.

mod boxes;
mod pairs;
mod state;
mod tracked;

use crate::components::{CenterOfMass, Collider, Density, GravityScale, Inertia, Mass, RigidBody};
use crate::mass::{MassError, MassProperties, of_shape};
use crate::math::{DVec3, quat_to_f64, to_f64};
use hecs::{Entity, World};
pub use state::KinematicState;
use tracked::Tracked;

/// Quality figures at one moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Overlapping pairs with at least one dynamic body.
    pub pairs: usize,
    /// Mean depth over those pairs (m).
    pub penetration_mean: f64,
    /// Greatest depth (m).
    pub penetration_worst: f64,
    /// Kinetic energy of the dynamic bodies (J).
    pub kinetic: f64,
    /// Greatest displacement of a dynamic body's origin perpendicular to gravity (m); in any
    /// direction without gravity.
    pub drift: f64,
    /// Dynamic bodies with a state that is not finite; the other figures exclude them.
    pub not_finite: usize,
}

/// Measures bodies of a world relative to their states at the construction of the probe.
pub struct Probe {
    gravity: DVec3,
    bodies: Vec<Tracked>,
}

impl Probe {
    /// A probe of `entities` with their current states as reference; `gravity` in m/s². Entities
    /// that are not bodies are ignored, and so are further colliders of a body on other entities.
    ///
    /// # Errors
    /// A dynamic body without mass and inertia, and without a shape to compute them from.
    pub fn new(world: &World, entities: &[Entity], gravity: DVec3) -> Result<Self, (Entity, MassError)> {
        let mut bodies = Vec::with_capacity(entities.len());
        for &entity in entities {
            let Ok(kind) = world.get::<&RigidBody>(entity) else { continue };
            let weight = match *kind {
                RigidBody::Dynamic => Some(weight(world, entity).map_err(|e| (entity, e))?),
                RigidBody::Kinematic | RigidBody::Static => None,
            };
            let collider = world.get::<&Collider>(entity).ok().map(|c| (*c).clone());
            let gravity_scale = world.get::<&GravityScale>(entity).map_or(1.0, |scale| scale.0.into());
            let start = KinematicState::of(world, entity);
            bodies.push(Tracked { entity, collider, weight, gravity_scale, start, now: start });
        }
        Ok(Self { gravity, bodies })
    }

    /// The current quality. Despawned bodies keep their last state.
    pub fn measure(&mut self, world: &World) -> Quality {
        self.look(world);
        let mut quality = Quality::default();
        let mut sum = 0.0;
        pairs::overlaps(&self.bodies, |depth| {
            quality.pairs += 1;
            quality.penetration_worst = quality.penetration_worst.max(depth);
            sum += depth;
        });
        if quality.pairs > 0 {
            quality.penetration_mean = sum / quality.pairs as f64;
        }
        let down = self.gravity.normalize_or_zero();
        for body in &self.bodies {
            let Some(weight) = &body.weight else { continue };
            if !body.now.is_finite() {
                quality.not_finite += 1;
                continue;
            }
            let moved = body.now.position - body.start.position;
            quality.drift = quality.drift.max((moved - down * down.dot(moved)).length());
            quality.kinetic += kinetic(weight, &body.now);
        }
        quality
    }

    /// Kinetic plus potential energy of the dynamic bodies (J).
    pub fn energy(&mut self, world: &World) -> f64 {
        self.look(world);
        let energy = |body: &Tracked| {
            let weight = body.weight.as_ref()?;
            let center = body.now.position + body.now.orientation * weight.center;
            Some(kinetic(weight, &body.now) - weight.mass * body.gravity_scale * self.gravity.dot(center))
        };
        self.bodies.iter().filter_map(energy).sum()
    }

    fn look(&mut self, world: &World) {
        for body in &mut self.bodies {
            if world.contains(body.entity) {
                body.now = KinematicState::of(world, body.entity);
            }
        }
    }
}

/// Mass, centre and inertia by the components; given values override those of the collider.
fn weight(world: &World, entity: Entity) -> Result<MassProperties, MassError> {
    let density = world.get::<&Density>(entity).map_or_else(|_| Density::default().0, |d| d.0);
    let mass = world.get::<&Mass>(entity).ok().map(|mass| f64::from(mass.0));
    let inertia =
        world.get::<&Inertia>(entity).ok().map(|inertia| (to_f64(inertia.principal), quat_to_f64(inertia.frame)));
    let center = world.get::<&CenterOfMass>(entity).ok().map(|center| to_f64(center.0));
    let shape = match world.get::<&Collider>(entity) {
        Ok(collider) => of_shape(&**collider.shape(), density.into()),
        Err(_) => Err(MassError::Empty),
    };
    let mut weight = match (shape, mass, inertia) {
        (Ok(weight), _, _) => weight,
        (Err(_), Some(mass), Some((principal, frame))) => {
            MassProperties { mass, center: DVec3::ZERO, principal, frame }
        }
        (Err(e), _, _) => return Err(e),
    };
    if let Some(mass) = mass {
        weight = weight.with_mass(mass)?;
    }
    if let Some((principal, frame)) = inertia {
        weight = MassProperties { principal, frame, ..weight };
    }
    Ok(MassProperties { center: center.unwrap_or(weight.center), ..weight })
}

fn kinetic(weight: &MassProperties, state: &KinematicState) -> f64 {
    let spin = (state.orientation * weight.frame).inverse() * state.angular;
    0.5 * weight.mass * state.linear.length_squared() + 0.5 * (spin * spin).dot(weight.principal)
}
