//! The components that a recording contains, and what of a row the game changed.

use super::recorder::RecordError;
use super::shapes::{LoadedShapes, Shapes};
use crate::bodies::Bodies;
use crate::components::*;
use crate::math::{Quat, Real, Vec3, bits_differ, quat_bits_differ};
use hecs::{Component, Entity, EntityBuilder, EntityRef, World};
use serde::{Deserialize, Serialize};

/// A component that a recording contains.
pub(super) trait Recorded: Component + Clone {
    /// Its form in a file.
    type Stored;

    /// True if a step cannot tell the two apart.
    fn is_same(&self, other: &Self) -> bool;

    fn store(&self, entity: Entity, shapes: &mut Shapes) -> Result<Self::Stored, RecordError>;

    /// The component; `None` if it refers to a shape that the file does not contain.
    fn load(stored: &Self::Stored, shapes: &LoadedShapes) -> Option<Self>;
}

impl Recorded for Collider {
    type Stored = u64;

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    fn store(&self, entity: Entity, shapes: &mut Shapes) -> Result<u64, RecordError> {
        shapes.number(entity, self)
    }

    fn load(&number: &u64, shapes: &LoadedShapes) -> Option<Self> {
        shapes.get(number)
    }
}

/// Implements [`Recorded`] for components that are stored as they are.
macro_rules! stored_as_is {
    ($($component:ident: $is_same:expr;)*) => {
        $(impl Recorded for $component {
            type Stored = Self;

            #[inline]
            fn is_same(&self, other: &Self) -> bool {
                let is_same: fn(&Self, &Self) -> bool = $is_same;
                is_same(self, other)
            }

            fn store(&self, _: Entity, _: &mut Shapes) -> Result<Self, RecordError> {
                Ok(self.clone())
            }

            fn load(stored: &Self, _: &LoadedShapes) -> Option<Self> {
                Some(stored.clone())
            }
        })*
    };
}

fn same(a: Vec3, b: Vec3) -> bool {
    !bits_differ(a, b)
}

fn same_number(a: Real, b: Real) -> bool {
    a.to_bits() == b.to_bits()
}

fn same_bits(a: Option<Quat>, b: Option<Quat>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => !quat_bits_differ(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

stored_as_is! {
    RigidBody: PartialEq::eq;
    Position: |a, b| same(a.0, b.0);
    Orientation: |a, b| !quat_bits_differ(a.0, b.0);
    LinearVelocity: |a, b| same(a.0, b.0);
    AngularVelocity: |a, b| same(a.0, b.0);
    BodySlot: PartialEq::eq;
    ColliderOf: PartialEq::eq;
    Material: PartialEq::eq;
    Density: |a, b| same_number(a.0, b.0);
    Mass: |a, b| same_number(a.0, b.0);
    Inertia: PartialEq::eq;
    CenterOfMass: |a, b| same(a.0, b.0);
    ExternalForce: |a, b| same(a.0, b.0);
    ExternalTorque: |a, b| same(a.0, b.0);
    ExternalImpulse: PartialEq::eq;
    GravityScale: |a, b| same_number(a.0, b.0);
    Damping: PartialEq::eq;
    LockedAxes: PartialEq::eq;
    VelocityLimit: PartialEq::eq;
    KinematicTarget: |a, b| same(a.position, b.position) && same_bits(a.orientation, b.orientation);
    CollisionLayers: PartialEq::eq;
    Sensor: PartialEq::eq;
    Ccd: PartialEq::eq;
    SurfaceVelocity: |a, b| same(a.0, b.0);
    ContactForceThreshold: PartialEq::eq;
    SolverLayers: PartialEq::eq;
    IgnoreContactsWith: PartialEq::eq;
    SleepControl: PartialEq::eq;
    Joint: PartialEq::eq;
    JointState: PartialEq::eq;
}

/// What is known of a component before the game changed it.
enum Before<T> {
    Was(Option<T>),
    /// The step does not look at it.
    Unknown,
    /// Its changes are listed apart.
    Apart,
}

impl<T: Recorded> Before<T> {
    /// True if no difference has to be listed.
    fn is(&self, now: Option<&T>) -> bool {
        match (self, now) {
            (Self::Was(Some(before)), Some(now)) => before.is_same(now),
            (Self::Was(None), None) | (Self::Apart, _) => true,
            _ => false,
        }
    }
}

/// Values written, and components removed.
pub(super) type Difference = (Vec<Value>, Vec<Name>);

macro_rules! components {
    ($($component:ident $known:tt $($field:ident)?;)*) => {
        /// The value of one component.
        #[derive(Clone, Serialize, Deserialize)]
        pub(super) enum Value {
            $($component(<$component as Recorded>::Stored),)*
        }

        /// A component without its value.
        #[derive(Clone, Copy, Serialize, Deserialize)]
        pub(super) enum Name {
            $($component,)*
        }

        /// All recorded components of a row.
        ///
        /// # Errors
        /// [`RecordError::Shape`].
        pub(super) fn whole(row: EntityRef, shapes: &mut Shapes) -> Result<Vec<Value>, RecordError> {
            let mut values = Vec::new();
            $(if let Some(now) = row.get::<&$component>() {
                values.push(Value::$component(now.store(row.entity(), shapes)?));
            })*
            Ok(values)
        }

        /// What of a row differs from what its slot has.
        ///
        /// # Errors
        /// [`RecordError::Shape`].
        pub(super) fn difference(
            row: EntityRef,
            (bodies, slot): (&Bodies, usize),
            shapes: &mut Shapes,
        ) -> Result<Difference, RecordError> {
            let (mut written, mut removed) = (Vec::new(), Vec::new());
            $(
                let before: Before<$component> = components!(@$known $component (bodies, slot) $($field)?);
                let now = row.get::<&$component>();
                if !before.is(now.as_deref()) {
                    match now {
                        Some(now) => written.push(Value::$component(now.store(row.entity(), shapes)?)),
                        None => removed.push(Name::$component),
                    }
                }
            )*
            Ok((written, removed))
        }

        impl Value {
            /// Adds the component to a builder; `None` if its shape is unknown.
            pub fn add_to(&self, builder: &mut EntityBuilder, shapes: &LoadedShapes) -> Option<()> {
                match self {
                    $(Self::$component(stored) => {
                        builder.add($component::load(stored, shapes)?);
                    })*
                }
                Some(())
            }
        }

        impl Name {
            /// Removes the component from an entity.
            pub fn remove_from(self, world: &mut World, entity: Entity) {
                match self {
                    // Removing what is not there changes nothing.
                    $(Self::$component => drop(world.remove_one::<$component>(entity)),)*
                }
            }
        }
    };
    (@input $component:ident ($bodies:ident, $slot:ident) $field:ident) => {
        Before::Was($bodies.inputs[$slot].$field.clone())
    };
    // A pose or velocity, of a row that can move.
    (@motion $component:ident ($bodies:ident, $slot:ident) $field:ident) => {{
        let cached = &$bodies.columns[$slot];
        if cached.tag.moves() { Before::Was(Some($component(cached.$field))) } else { Before::Unknown }
    }};
    (@apart $component:ident ($bodies:ident, $slot:ident)) => {
        Before::Apart
    };
}

components! {
    RigidBody input kind;
    Position motion position;
    Orientation motion orientation;
    LinearVelocity motion linear;
    AngularVelocity motion angular;
    BodySlot apart;
    Collider input collider;
    ColliderOf input collider_of;
    Material input material;
    Density input density;
    Mass input mass;
    Inertia input inertia;
    CenterOfMass input center;
    ExternalForce input force;
    ExternalTorque input torque;
    ExternalImpulse input impulse;
    GravityScale input gravity_scale;
    Damping input damping;
    LockedAxes input locked;
    VelocityLimit apart;
    KinematicTarget apart;
    CollisionLayers input layers;
    Sensor input sensor;
    Ccd input ccd;
    SurfaceVelocity input surface_velocity;
    ContactForceThreshold input force_threshold;
    SolverLayers input solver_layers;
    IgnoreContactsWith input ignored;
    SleepControl input sleep_control;
    Joint apart;
    JointState apart;
}
