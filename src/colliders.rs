//! The colliders of the working set, by slot: a body's own collider shares its slot, extra
//! colliders have slots of their own.

use crate::bodies::Bodies;
use crate::components::{CollisionLayers, Material};
use crate::contact::kernels::Geometry;
use crate::ids::NONE;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::persist::{copy_columns, copy_fields, differing_indices};
use hecs::Entity;

/// Struct-of-arrays of all colliders, by slot; lengths in metres.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Colliders {
    /// The shape; `None` where the slot has no collider.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub geometry: Vec<Option<Geometry>>,
    /// The slot of the body; a body refers to itself, even without a shape. [`NONE`] where the slot
    /// is vacant or its body is gone.
    pub body: Vec<u32>,
    /// The collider's pose in the body's axes.
    pub local: Vec<Pose>,
    /// The surface.
    pub material: Vec<Material>,
    /// Collision layers.
    pub layers: Vec<CollisionLayers>,
    /// True if the collider is a sensor: it reports overlaps without forces.
    pub sensor: Vec<bool>,
    /// True if the body asks for continuous collision detection against everything.
    pub ccd: Vec<bool>,
    /// Velocity of the surface relative to the collider, in the body's axes (m/s).
    pub surface_velocity: Vec<Vec3>,
    /// Contact forces of at least this are reported (N); infinite where none is.
    pub force_threshold: Vec<Real>,
    /// The enlarged box in the broad phase.
    pub fat: Vec<Aabb>,
    /// The body's odometer reading up to which the enlarged box is valid (m).
    pub fat_until: Vec<f64>,
    /// Version of the last change of each box.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) box_versions: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// Distance by which the enlarged box was swept ahead of its body (m).
    pub(crate) box_sweep: Vec<Real>,
    /// True if any surface velocity is not zero.
    pub(crate) any_runs: bool,
    /// True if any force threshold is finite.
    pub(crate) any_threshold: bool,
    /// True once a collider has had [`SolverLayers`](crate::SolverLayers) or
    /// [`IgnoreContactsWith`](crate::IgnoreContactsWith): new pairs look for them.
    pub(crate) any_exceptions: bool,
}

impl Colliders {
    /// Copies what outlives a step; with `edited` also the columns that only the game changes.
    pub(crate) fn copy_persistent(&mut self, from: &Self, edited: bool) {
        let mut differing = std::mem::take(&mut self.differing);
        let places = differing_indices(&self.box_versions, &from.box_versions, &mut differing).then_some(&differing);
        copy_columns!(self, from, places; fat, fat_until, box_sweep, box_versions);
        self.differing = differing;
        if edited {
            copy_fields!(self, from; geometry, body, local, material, layers, sensor, ccd, surface_velocity, force_threshold,
                any_runs, any_threshold, any_exceptions);
        }
    }

    /// True if all columns of a snapshot file have one length.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_sound(&self, slots: usize) -> bool {
        let lengths = [
            self.body.len(),
            self.local.len(),
            self.material.len(),
            self.layers.len(),
            self.sensor.len(),
            self.ccd.len(),
            self.surface_velocity.len(),
            self.force_threshold.len(),
            self.fat.len(),
            self.fat_until.len(),
            self.box_sweep.len(),
        ];
        lengths == [slots; 11]
    }

    /// Makes room for `slots` slots.
    pub(crate) fn resize(&mut self, slots: usize) {
        if self.body.len() >= slots {
            return;
        }
        self.geometry.resize_with(slots, || None);
        self.body.resize(slots, NONE);
        self.local.resize(slots, Pose::from_parts(Vec3::ZERO, Quat::IDENTITY));
        self.material.resize(slots, Material::default());
        self.layers.resize(slots, CollisionLayers::default());
        self.sensor.resize(slots, false);
        self.ccd.resize(slots, false);
        self.surface_velocity.resize(slots, Vec3::ZERO);
        self.force_threshold.resize(slots, Real::INFINITY);
        self.fat.resize(slots, Aabb::new_invalid());
        self.fat_until.resize(slots, f64::NEG_INFINITY);
        self.box_versions.resize(slots, 0);
        self.box_sweep.resize(slots, 0.0);
    }

    /// Empties a slot.
    pub(crate) fn clear(&mut self, slot: usize) {
        self.geometry[slot] = None;
        self.body[slot] = NONE;
        self.surface_velocity[slot] = Vec3::ZERO;
        self.force_threshold[slot] = Real::INFINITY;
    }

    /// True if a slot is a collider of an entity: of the body, or the further collider itself.
    #[inline]
    pub(crate) fn is_of(&self, bodies: &Bodies, slot: usize, entity: Entity) -> bool {
        bodies.entity[slot] == entity || bodies.entity.get(self.body[slot] as usize) == Some(&entity)
    }

    /// True if the slot holds a collider with a body.
    #[inline]
    pub fn is_live(&self, slot: usize) -> bool {
        self.body[slot] != NONE && self.geometry[slot].is_some()
    }
}
