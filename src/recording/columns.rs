//! The components that a recording contains, and copies of their columns.

use super::recorder::RecordError;
use super::shapes::{LoadedShapes, Shapes};
use crate::components::*;
use crate::math::{Quat, Real, Vec3, bits_differ, quat_bits_differ};
use hecs::{Archetype, Component, Entity, EntityBuilder, World};
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
    Joint: PartialEq::eq;
    JointState: PartialEq::eq;
}

/// True if a recording contains the entities of an archetype.
pub(super) fn is_recorded(archetype: &Archetype) -> bool {
    archetype.has::<RigidBody>() || archetype.has::<ColliderOf>() || archetype.has::<Joint>()
}

fn copy_column<T: Recorded>(into: &mut Option<Vec<T>>, archetype: &Archetype) {
    match archetype.get::<&T>() {
        None => *into = None,
        Some(column) => {
            let copy = into.get_or_insert_default();
            copy.clear();
            copy.extend_from_slice(&column);
        }
    }
}

/// Marks the rows in which a column differs from its copy, of the same archetype.
fn mark_column<T: Recorded>(copy: &Option<Vec<T>>, archetype: &Archetype, differs: &mut [bool]) {
    if let (Some(copy), Some(column)) = (copy, archetype.get::<&T>()) {
        for ((copied, now), differs) in copy.iter().zip(&*column).zip(differs) {
            *differs |= !copied.is_same(now);
        }
    }
}

macro_rules! components {
    ($($component:ident $field:ident $by:ident;)*) => {
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

        /// Copies of the columns of one archetype.
        #[derive(Default)]
        pub(super) struct Columns {
            $($field: Option<Vec<$component>>,)*
        }

        impl Columns {
            /// Copies all columns of an archetype.
            pub fn copy(&mut self, archetype: &Archetype) {
                $(copy_column(&mut self.$field, archetype);)*
            }

            /// Copies the columns that a step writes.
            pub fn copy_written(&mut self, archetype: &Archetype) {
                $(components!(@written $by copy_column(&mut self.$field, archetype));)*
            }

            /// Marks the rows that differ from the archetype's, which has the same entities.
            pub fn mark_differing(&self, archetype: &Archetype, differs: &mut [bool]) {
                $(mark_column(&self.$field, archetype, differs);)*
            }

            /// What of a row differs from its copy: the values written, and the components removed.
            ///
            /// # Errors
            /// [`RecordError::Shape`].
            pub fn difference(
                copy: Option<(&Self, usize)>,
                (archetype, row): (&Archetype, usize),
                entity: Entity,
                shapes: &mut Shapes,
            ) -> Result<(Vec<Value>, Vec<Name>), RecordError> {
                let (mut written, mut removed) = (Vec::new(), Vec::new());
                $(
                    let column = archetype.get::<&$component>();
                    let now = column.as_ref().map(|column| &column[row]);
                    let before = copy.and_then(|(columns, row)| columns.$field.as_ref().map(|column| &column[row]));
                    match (before, now) {
                        (Some(before), Some(now)) if before.is_same(now) => {}
                        (_, Some(now)) => written.push(Value::$component(now.store(entity, shapes)?)),
                        (Some(_), None) => removed.push(Name::$component),
                        (None, None) => {}
                    }
                )*
                Ok((written, removed))
            }
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
    (@written step $copy:expr) => { $copy };
    (@written game $copy:expr) => {};
}

components! {
    RigidBody rigid_body game;
    Position position step;
    Orientation orientation step;
    LinearVelocity linear_velocity step;
    AngularVelocity angular_velocity step;
    BodySlot slot step;
    Collider collider game;
    ColliderOf collider_of game;
    Material material game;
    Density density game;
    Mass mass game;
    Inertia inertia game;
    CenterOfMass center_of_mass game;
    ExternalForce force game;
    ExternalTorque torque game;
    ExternalImpulse impulse step;
    GravityScale gravity_scale game;
    Damping damping game;
    LockedAxes locked_axes game;
    VelocityLimit velocity_limit game;
    KinematicTarget kinematic_target game;
    CollisionLayers layers game;
    Sensor sensor game;
    Ccd ccd game;
    SurfaceVelocity surface_velocity game;
    ContactForceThreshold force_threshold game;
    Joint joint game;
    JointState joint_state step;
}
