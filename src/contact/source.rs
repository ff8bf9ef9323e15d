//! Contact sources: user-defined functions that read the hecs world and emit contacts between
//! bodies, or with the world, without colliders.

use super::MAX_POINTS;
use crate::components::{Material, RigidBody};
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::tolerances::MIN_KERNEL_NORMAL;
use hecs::{Entity, World};

/// Point of a [`SourceContact`], in world coordinates at the start of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SourcePoint {
    /// Point on the first surface (m).
    pub on_a: Vec3,
    /// Point on the second surface (m).
    pub on_b: Vec3,
    /// Distance from the first surface to the second along the normal (m): negative where they
    /// overlap.
    pub separation: Real,
    /// Identifier of the pair of features: stable from step to step, and distinct for distinct
    /// points.
    pub feature: u32,
}

impl SourcePoint {
    /// Point of the second surface at `on_b` (m), at a `separation` (m) from the first along the
    /// normal.
    pub fn new(on_b: Vec3, normal: Vec3, separation: Real, feature: u32) -> Self {
        Self { on_a: on_b - normal * separation, on_b, separation, feature }
    }
}

/// Emitted contact: a normal, and the points that share it.
#[derive(Clone, Copy, Debug)]
pub struct SourceContact<'a> {
    /// The first body, or `None` for the static world.
    pub a: Option<Entity>,
    /// The second body.
    pub b: Entity,
    /// Identifier among the contacts of one source between the same bodies. It must be stable from
    /// step to step, for impulses are carried over by it.
    pub key: u32,
    /// Normal from the first body to the second, of any length.
    pub normal: Vec3,
    /// Any number of points, of which at most four are kept. Points with a separation beyond the
    /// travel of the step are ignored, so the source may emit all points nearby.
    pub points: &'a [SourcePoint],
    /// Combined material, or `None` to combine those of the two bodies; the world has the default
    /// one.
    pub material: Option<Material>,
    /// Velocity of the first surface relative to its body, in world axes (m/s).
    pub surface_velocity: Vec3,
}

impl<'a> SourceContact<'a> {
    /// Contact of a body with the world. `normal` points towards the body.
    pub fn with_world(body: Entity, key: u32, normal: Vec3, points: &'a [SourcePoint]) -> Self {
        Self { a: None, b: body, key, normal, points, material: None, surface_velocity: Vec3::ZERO }
    }

    /// Contact of two bodies.
    pub fn between(a: Entity, b: Entity, key: u32, normal: Vec3, points: &'a [SourcePoint]) -> Self {
        Self { a: Some(a), ..Self::with_world(b, key, normal, points) }
    }
}

/// Stored [`SourceContact`]; its points lie in a shared list.
#[derive(Clone, Copy, Debug)]
pub struct Emission {
    pub(crate) source: u32,
    pub(crate) a: Option<Entity>,
    pub(crate) b: Entity,
    pub(crate) key: u32,
    /// Unit normal.
    pub(crate) normal: Vec3,
    pub(crate) material: Option<Material>,
    pub(crate) surface_velocity: Vec3,
    pub(crate) points: (u32, u32),
}

/// Receiver of the contacts of a source.
pub struct SourceContacts<'a> {
    /// The time step (s).
    pub dt: Real,
    source: u32,
    emissions: &'a mut Vec<Emission>,
    points: &'a mut Vec<SourcePoint>,
}

impl SourceContacts<'_> {
    /// Emits a contact.
    pub fn push(&mut self, contact: &SourceContact) {
        let first = self.points.len() as u32;
        self.points.extend_from_slice(contact.points);
        self.emissions.push(Emission {
            source: self.source,
            a: contact.a,
            b: contact.b,
            key: contact.key,
            normal: contact.normal,
            material: contact.material,
            surface_velocity: contact.surface_velocity,
            points: (first, self.points.len() as u32),
        });
    }
}

type Source = Box<dyn FnMut(&World, &mut SourceContacts<'_>) + Send>;

/// The contact sources of a [`Physics`](crate::Physics).
///
/// ```
/// use dolmen::contact::{SourceContact, SourcePoint};
/// use dolmen::prelude::*;
/// use hecs::{Entity, World};
///
/// /// The radius of a body that the game's own waves carry (m): a component of the game.
/// struct Buoy(Real);
///
/// let (mut world, mut physics) = (World::new(), Physics::default());
/// physics.sources.add("sea", |world: &World, out| {
///     for (buoy, position, &Buoy(radius)) in world.query::<(Entity, &Position, &Buoy)>().iter() {
///         let bottom = position.0 - Vec3::Y * radius;
///         let point = SourcePoint::new(bottom, Vec3::Y, bottom.y, 0);
///         out.push(&SourceContact::with_world(buoy, 0, Vec3::Y, &[point]));
///     }
/// });
/// let buoy = world.spawn(Body::free(1.0, Inertia::diagonal(0.1, 0.1, 0.1)).at(0.0, 2.0, 0.0));
/// world.insert_one(buoy, Buoy(0.5)).unwrap();
/// for _ in 0..240 {
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!((world.get::<&Position>(buoy).unwrap().0.y - 0.5).abs() < 1e-3);
/// # Ok::<(), dolmen::StepError>(())
/// ```
#[derive(Default)]
pub struct ContactSources {
    sources: Vec<(String, Source)>,
    /// Contacts emitted for the current step.
    pub(crate) emissions: Vec<Emission>,
    pub(crate) points: Vec<SourcePoint>,
}

impl ContactSources {
    /// Adds a source. It is called at the beginning of every step and emits all current contacts,
    /// those of sleeping bodies included: a contact that is not emitted again has ended. The order
    /// of emission is irrelevant.
    ///
    /// Emitted contacts take part in islands, impacts, contact forces, sleeping and waking, events
    /// and reports. Layers, sensors and filters do not apply to them. Contacts between two bodies
    /// that cannot move are ignored.
    pub fn add(&mut self, name: &str, source: impl FnMut(&World, &mut SourceContacts<'_>) + Send + 'static) {
        self.sources.push((name.to_string(), Box::new(source)));
    }

    /// True if there is no source.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Runs all sources.
    pub(crate) fn collect(&mut self, world: &World, dt: Real) -> Result<(), StepError> {
        let Self { sources, emissions, points } = self;
        emissions.clear();
        points.clear();
        for (number, (name, source)) in sources.iter_mut().enumerate() {
            let first = emissions.len();
            source(world, &mut SourceContacts { dt, source: number as u32, emissions, points });
            for emission in &mut emissions[first..] {
                check(world, emission, points)
                    .map_err(|problem| StepError::ContactSource { source: name.clone(), problem })?;
            }
        }
        Ok(())
    }
}

/// Validates an emission and normalises its normal.
fn check(world: &World, emission: &mut Emission, points: &[SourcePoint]) -> Result<(), String> {
    let Emission { a, b, normal, surface_velocity, .. } = *emission;
    let bodies = || a.map_or(format!("the world and {b:?}"), |a| format!("{a:?} and {b:?}"));
    if a == Some(b) {
        return Err(format!("a contact of {b:?} with itself"));
    }
    for body in [a, Some(b)].into_iter().flatten() {
        if !world.satisfies::<&RigidBody>(body) {
            return Err(format!("{body:?} is not a body"));
        }
    }
    let length = normal.length();
    if !(length > MIN_KERNEL_NORMAL && length.is_finite()) {
        return Err(format!("the contact of {}: the normal must have a direction, got {normal}", bodies()));
    }
    emission.normal = normal / length;
    if !surface_velocity.is_finite() {
        return Err(format!(
            "the contact of {}: the surface's velocity must be finite, got {surface_velocity}",
            bodies()
        ));
    }
    let own = &points[emission.points.0 as usize..emission.points.1 as usize];
    match own.iter().find(|p| !(p.on_a.is_finite() && p.on_b.is_finite() && p.separation.is_finite())) {
        Some(p) => Err(format!("the contact of {}: a point must be finite, got {p:?}", bodies())),
        None => Ok(()),
    }
}

const _: () = assert!(MAX_POINTS == 4, "the docs of `SourceContact::points` say so");
