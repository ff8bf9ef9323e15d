//! The hecs columns of one archetype, borrowed once, and the values of their rows.

use crate::bodies::{Bodies, Kind, Tag, shape_address};
use crate::components::*;
use crate::ids::NONE;
use crate::inputs::{Inputs, Present};
use crate::math::{Quat, Vec3, bits_differ, quat_bits_differ};
use crate::rows::BLOCK;
use hecs::{Archetype, ArchetypeColumn, EntityBuilder};
use std::ops::Range;

/// Pose and velocities of a row; `None` where the column is missing.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Motion {
    pub position: Option<Vec3>,
    pub orientation: Option<Quat>,
    pub linear: Option<Vec3>,
    pub angular: Option<Vec3>,
}

impl Motion {
    /// True if a column is missing that the step writes for a body that can move.
    pub(super) fn is_incomplete(&self) -> bool {
        self.position.is_none() || self.orientation.is_none() || self.linear.is_none() || self.angular.is_none()
    }
}

/// Bits of [`Present`] for the columns that the step writes.
const POSITION: u32 = 0;
const ORIENTATION: u32 = 1;
const LINEAR: u32 = 2;
const ANGULAR: u32 = 3;
const ALL_WRITTEN: u32 = 0b1111;

macro_rules! columns {
    ($($bit:literal $field:ident: $component:ty),* $(,)?) => {
        /// All columns of an archetype that the step reads.
        pub(super) struct Columns<'a> {
            position: Option<ArchetypeColumn<'a, Position>>,
            orientation: Option<ArchetypeColumn<'a, Orientation>>,
            linear: Option<ArchetypeColumn<'a, LinearVelocity>>,
            angular: Option<ArchetypeColumn<'a, AngularVelocity>>,
            present: Present,
            $($field: Option<ArchetypeColumn<'a, $component>>,)*
        }

        impl<'a> Columns<'a> {
            /// Borrows the columns of an archetype.
            pub(super) fn of(archetype: &'a Archetype) -> Self {
                let mut columns = Self {
                    position: archetype.get::<&Position>(),
                    orientation: archetype.get::<&Orientation>(),
                    linear: archetype.get::<&LinearVelocity>(),
                    angular: archetype.get::<&AngularVelocity>(),
                    present: Present::default(),
                    $($field: archetype.get::<&$component>(),)*
                };
                columns.present.set(POSITION, columns.position.is_some());
                columns.present.set(ORIENTATION, columns.orientation.is_some());
                columns.present.set(LINEAR, columns.linear.is_some());
                columns.present.set(ANGULAR, columns.angular.is_some());
                $(columns.present.set($bit, columns.$field.is_some());)*
                columns
            }

            /// The columns as slices, which several threads may read.
            pub(super) fn slices(&self) -> Slices<'_> {
                Slices {
                    position: self.position.as_deref(),
                    orientation: self.orientation.as_deref(),
                    linear: self.linear.as_deref(),
                    angular: self.angular.as_deref(),
                    present: self.present,
                    $($field: self.$field.as_deref(),)*
                }
            }

            /// Reads a row.
            pub(super) fn read(&self, row: usize) -> (Motion, Inputs) {
                let motion = Motion {
                    position: self.position.as_ref().map(|c| c[row].0),
                    orientation: self.orientation.as_ref().map(|c| c[row].0),
                    linear: self.linear.as_ref().map(|c| c[row].0),
                    angular: self.angular.as_ref().map(|c| c[row].0),
                };
                let inputs = Inputs {
                    present: self.present,
                    $($field: self.$field.as_ref().map(|column| column[row].clone()),)*
                };
                (motion, inputs)
            }

            /// Marks static bodies whose velocities differ from the cached ones: they matter as
            /// soon as the body becomes another kind.
            pub(super) fn mark_idle_velocities(&self, slots: &[u32], bodies: &Bodies, changed: &mut [bool]) {
                let Some(kinds) = &self.kind else { return };
                for (row, (&slot, changed)) in slots.iter().zip(changed).enumerate() {
                    let Some(cached) = bodies.columns.get(slot as usize) else { continue };
                    let differs = || {
                        self.linear.as_ref().is_some_and(|c| bits_differ(c[row].0, cached.linear))
                            || self.angular.as_ref().is_some_and(|c| bits_differ(c[row].0, cached.angular))
                    };
                    *changed |= kinds[row] == RigidBody::Static && differs();
                }
            }

            /// Copies a row into a builder.
            pub(super) fn copy(&self, row: usize, to: &mut EntityBuilder) {
                macro_rules! add {
                    ($column:ident) => {
                        if let Some(column) = &self.$column {
                            to.add(column[row].clone());
                        }
                    };
                }
                add!(position);
                add!(orientation);
                add!(linear);
                add!(angular);
                $(add!($field);)*
            }
        }

        /// All columns of an archetype that the step reads, as slices.
        pub(super) struct Slices<'a> {
            position: Option<&'a [Position]>,
            orientation: Option<&'a [Orientation]>,
            linear: Option<&'a [LinearVelocity]>,
            angular: Option<&'a [AngularVelocity]>,
            present: Present,
            $($field: Option<&'a [$component]>,)*
        }

        /// Copies of the columns of rows at rest, which have no velocities, with the slots of the rows.
        ///
        /// Slots are scattered in memory and rows are not: a block of rows that agrees with its copy is
        /// recognised as unchanged at the speed at which memory is read.
        #[derive(Default)]
        pub(super) struct Mirror {
            slots: Vec<u32>,
            position: Vec<Position>,
            orientation: Vec<Orientation>,
            $($field: Vec<$component>,)*
        }

        impl Mirror {
            /// Drops the copies of rows that are no more.
            pub(super) fn truncate(&mut self, rows: usize) {
                self.slots.truncate(rows);
            }

            /// Copies a block of rows. Returns false if they have velocities, and then does not.
            pub(super) fn copy(&mut self, rows: Range<usize>, slots: &[u32], from: &Slices) -> bool {
                if !from.have_no_velocities(rows.clone()) {
                    return false;
                }
                self.slots.resize(self.slots.len().max(rows.end), NONE);
                self.slots[rows.clone()].copy_from_slice(&slots[rows.clone()]);
                copy_rows(&mut self.position, from.position, rows.clone());
                copy_rows(&mut self.orientation, from.orientation, rows.clone());
                $(copy_rows(&mut self.$field, from.$field, rows.clone());)*
                true
            }
        }

        impl Slices<'_> {
            /// True if a block of rows agrees with its copy.
            pub(super) fn agree(&self, mirror: &Mirror, rows: Range<usize>, slots: &[u32]) -> bool {
                // SAFETY: vectors and quaternions of `Real`s, in transparent wrappers, have no padding.
                let same_pose = || unsafe {
                    self.position.is_none_or(|c| same_bytes(&c[rows.clone()], &mirror.position[rows.clone()]))
                        && self.orientation.is_none_or(|c| same_bytes(&c[rows.clone()], &mirror.orientation[rows.clone()]))
                };
                mirror.slots.get(rows.clone()) == Some(&slots[rows.clone()])
                    && same_pose()
                    && self.have_no_velocities(rows.clone())
                    $(&& self.$field.is_none_or(|c| c[rows.clone()] == mirror.$field[rows.clone()]))*
            }

            /// Marks the rows that differ from their slots: first the common columns, compared with
            /// one cache line per slot, then each rarer column by itself. The rows begin with
            /// `first`.
            pub(super) fn mark_changes(&self, first: usize, slots: &[u32], bodies: &Bodies, changed: &mut [bool]) {
                self.mark_common(first, slots, bodies, changed);
                $(if RARE & (1 << $bit) != 0 && let Some(column) = self.$field {
                    let column = &column[first..];
                    for (row, (changed, &slot)) in changed.iter_mut().zip(slots).enumerate() {
                        *changed |= slot != NONE && bodies.inputs[slot as usize].$field.as_ref() != Some(&column[row]);
                    }
                })*
            }
        }
    };
}

columns! {
    4 kind: RigidBody,
    5 collider: Collider,
    6 material: Material,
    7 density: Density,
    8 mass: Mass,
    9 inertia: Inertia,
    10 center: CenterOfMass,
    11 force: ExternalForce,
    12 torque: ExternalTorque,
    13 impulse: ExternalImpulse,
    14 gravity_scale: GravityScale,
    15 damping: Damping,
    16 locked: LockedAxes,
    17 layers: CollisionLayers,
    18 sensor: Sensor,
    19 ccd: Ccd,
    20 collider_of: ColliderOf,
    21 surface_velocity: SurfaceVelocity,
    22 force_threshold: ContactForceThreshold,
    23 solver_layers: SolverLayers,
    24 ignored: IgnoreContactsWith,
    25 sleep_control: SleepControl,
}

/// Copies a block of a column, if there is one.
fn copy_rows<T: Clone>(to: &mut Vec<T>, from: Option<&[T]>, rows: Range<usize>) {
    if let Some(from) = from {
        if to.len() < rows.end {
            to.resize(from.len(), from[0].clone());
        }
        to[rows.clone()].clone_from_slice(&from[rows]);
    }
}

/// True if two slices have the same bytes.
///
/// # Safety
/// The type may have no padding.
unsafe fn same_bytes<T>(a: &[T], b: &[T]) -> bool {
    // SAFETY: a slice of a type without padding is as many initialised bytes.
    let bytes = |slice: &[T]| unsafe { std::slice::from_raw_parts(slice.as_ptr().cast::<u8>(), size_of_val(slice)) };
    bytes(a) == bytes(b)
}

/// The columns that [`Slices::mark_common`] does not compare, one bit each.
const RARE: u32 = !0b11_1111;

impl Slices<'_> {
    /// True if the velocities of these rows, at most [`BLOCK`], are zero or missing.
    fn have_no_velocities(&self, rows: Range<usize>) -> bool {
        static STILL: ([LinearVelocity; BLOCK], [AngularVelocity; BLOCK]) =
            ([LinearVelocity(Vec3::ZERO); BLOCK], [AngularVelocity(Vec3::ZERO); BLOCK]);
        // SAFETY: vectors of `Real`s, in transparent wrappers, have no padding.
        unsafe {
            self.linear.is_none_or(|c| same_bytes(&c[rows.clone()], &STILL.0[..rows.len()]))
                && self.angular.is_none_or(|c| same_bytes(&c[rows.clone()], &STILL.1[..rows.len()]))
        }
    }

    /// Compares pose, velocities, kind and shape. Of a static body the pose counts, and velocities
    /// that are no numbers; of an extra collider neither.
    fn mark_common(&self, first: usize, slots: &[u32], bodies: &Bodies, changed: &mut [bool]) {
        // Slices of the length of the slots, so that bounds are checked once per column and not
        // once per row.
        macro_rules! slices {
            ($($field:ident),*) => {
                $(let $field = self.$field.map(|column| &column[first..first + slots.len()]);)*
            };
        }
        slices!(position, orientation, linear, angular, collider, kind);
        let changed = &mut changed[..slots.len()];
        // The common case of all columns present, without branches per column.
        if let (Some(position), Some(orientation), Some(linear), Some(angular), Some(kind), Some(collider)) =
            (position, orientation, linear, angular, kind, collider)
        {
            for (row, changed) in changed.iter_mut().enumerate() {
                *changed = bodies.columns.get(slots[row] as usize).is_none_or(|cached| {
                    let pose = bits_differ(position[row].0, cached.position)
                        | quat_bits_differ(orientation[row].0, cached.orientation);
                    let velocity =
                        bits_differ(linear[row].0, cached.linear) | bits_differ(angular[row].0, cached.angular);
                    let wild = !(linear[row].0.is_finite() & angular[row].0.is_finite());
                    (cached.tag != Tag::new(self.present, Kind::from(kind[row])))
                        | (shape_address(&collider[row]) != cached.collider)
                        | pose
                        | (velocity & (cached.tag.moves() | wild))
                });
            }
            return;
        }
        let incomplete = !self.present.has_all(ALL_WRITTEN);
        for (row, changed) in changed.iter_mut().enumerate() {
            *changed = bodies.columns.get(slots[row] as usize).is_none_or(|cached| {
                let kind_now = kind.map_or(Kind::Collider, |k| Kind::from(k[row]));
                let pose = position.is_some_and(|c| bits_differ(c[row].0, cached.position))
                    || orientation.is_some_and(|c| quat_bits_differ(c[row].0, cached.orientation));
                let velocity = incomplete
                    || linear.is_some_and(|c| bits_differ(c[row].0, cached.linear))
                    || angular.is_some_and(|c| bits_differ(c[row].0, cached.angular));
                cached.tag != Tag::new(self.present, kind_now)
                    || collider.map_or(0, |c| shape_address(&c[row])) != cached.collider
                    || (kind_now.is_body() && pose)
                    || (cached.tag.moves() && velocity)
                    || kind_now.is_body()
                        && (linear.is_some_and(|c| !c[row].0.is_finite())
                            || angular.is_some_and(|c| !c[row].0.is_finite()))
            });
        }
    }
}
