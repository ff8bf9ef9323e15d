//! Contact sources: functions of the game's own that look at the hecs world and say where bodies touch each other, or the world,
//! without any collider.

use super::MAX_POINTS;
use crate::components::{Material, RigidBody};
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::tolerances::KERNEL_NORMAL;
use hecs::{Entity, World};

/// One point of a [`SourceContact`], in the world at the step's start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SourcePoint {
    /// On the first surface (m).
    pub on_a: Vec3,
    /// On the second surface (m).
    pub on_b: Vec3,
    /// Distance from the first surface to the second along the normal (m): negative where they overlap.
    pub separation: Real,
    /// Names what meets here: equal from step to step while it is the same, and different for different points.
    pub feature: u32,
}

impl SourcePoint {
    /// The point where the second body's surface is at `on_b` (m), `separation` (m) over the first one's along the normal.
    pub fn new(on_b: Vec3, normal: Vec3, separation: Real, feature: u32) -> Self {
        Self { on_a: on_b - normal * separation, on_b, separation, feature }
    }
}

/// A contact that a source found: a normal, and points that share it.
#[derive(Clone, Copy, Debug)]
pub struct SourceContact<'a> {
    /// The first body; `None` is the world, which nothing moves.
    pub a: Option<Entity>,
    /// The second body.
    pub b: Entity,
    /// Tells this contact from others of the same source between the same two: equal from step to step while it is the same,
    /// for impulses are carried over by it.
    pub key: u32,
    /// From the first body towards the second; its length does not count.
    pub normal: Vec3,
    /// The points: any number, of which at most four are kept. Those farther apart than the bodies can travel in the step do
    /// not count, so that all that is near may be given.
    pub points: &'a [SourcePoint],
    /// The pair of surfaces; `None` for those of the two bodies, of which the world's is the default.
    pub material: Option<Material>,
    /// Velocity with which the first surface runs over its body, world axes (m/s).
    pub surface_velocity: Vec3,
}

impl<'a> SourceContact<'a> {
    /// A contact of a body with the world; `normal` leads to the body.
    pub fn with_world(body: Entity, key: u32, normal: Vec3, points: &'a [SourcePoint]) -> Self {
        Self { a: None, b: body, key, normal, points, material: None, surface_velocity: Vec3::ZERO }
    }

    /// A contact of two bodies.
    pub fn between(a: Entity, b: Entity, key: u32, normal: Vec3, points: &'a [SourcePoint]) -> Self {
        Self { a: Some(a), ..Self::with_world(b, key, normal, points) }
    }
}

/// What a source emitted: a [`SourceContact`] with its points elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Emission {
    pub(crate) source: u32,
    pub(crate) a: Option<Entity>,
    pub(crate) b: Entity,
    pub(crate) key: u32,
    /// Of unit length.
    pub(crate) normal: Vec3,
    pub(crate) material: Option<Material>,
    pub(crate) surface_velocity: Vec3,
    pub(crate) points: (u32, u32),
}

/// Takes what a source emits.
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
    /// What they emitted for the step at hand.
    pub(crate) emissions: Vec<Emission>,
    pub(crate) points: Vec<SourcePoint>,
}

impl ContactSources {
    /// Adds a source. It is asked in every step, before anything else, and emits all contacts that there are now, those of
    /// bodies at rest included: what it does not emit any more has ended. The order in which it emits does not count.
    ///
    /// Its contacts take part in everything: islands, impacts, resting forces, rest and waking, events and reports. Layers,
    /// sensors and filters are its own affair. A contact of two bodies that cannot move is none.
    pub fn add(&mut self, name: &str, source: impl FnMut(&World, &mut SourceContacts<'_>) + Send + 'static) {
        self.sources.push((name.to_string(), Box::new(source)));
    }

    /// Asks all sources.
    pub(crate) fn ask(&mut self, world: &World, dt: Real) -> Result<(), StepError> {
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

/// Checks an emission, and makes its normal one of unit length.
fn check(world: &World, emission: &mut Emission, points: &[SourcePoint]) -> Result<(), String> {
    let Emission { a, b, normal, surface_velocity, .. } = *emission;
    let who = || a.map_or(format!("the world and {b:?}"), |a| format!("{a:?} and {b:?}"));
    if a == Some(b) {
        return Err(format!("a contact of {b:?} with itself"));
    }
    for body in [a, Some(b)].into_iter().flatten() {
        if !world.satisfies::<&RigidBody>(body) {
            return Err(format!("{body:?} is not a body"));
        }
    }
    let length = normal.length();
    if !(length > KERNEL_NORMAL && length.is_finite()) {
        return Err(format!("the contact of {}: the normal must have a direction, got {normal}", who()));
    }
    emission.normal = normal / length;
    if !surface_velocity.is_finite() {
        return Err(format!("the contact of {}: the surface's velocity must be finite, got {surface_velocity}", who()));
    }
    let own = &points[emission.points.0 as usize..emission.points.1 as usize];
    match own.iter().find(|p| !(p.on_a.is_finite() && p.on_b.is_finite() && p.separation.is_finite())) {
        Some(p) => Err(format!("the contact of {}: a point must be finite, got {p:?}", who())),
        None => Ok(()),
    }
}

const _: () = assert!(MAX_POINTS == 4, "the docs of `SourceContact::points` say so");
