//! The colliders of the working set, by slot: a body's own collider shares its slot, further ones have slots of their own.

use crate::components::{CollisionLayers, Material};
use crate::contact::kernels::Geometry;
use crate::index::NONE;
use crate::kept::{copy_columns, copy_fields, differ};
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Pose, Quat, Real, Vec3};

/// Struct-of-arrays of all colliders, by slot; lengths in metres.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Colliders {
    /// The shape; nothing where the slot has no collider.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub geometry: Vec<Option<Geometry>>,
    /// The slot of the body: of a body its own, even without a shape. [`NONE`] where the slot is vacant or its body is gone.
    pub body: Vec<u32>,
    /// The collider's pose in the body's axes.
    pub local: Vec<Pose>,
    /// The surface.
    pub material: Vec<Material>,
    /// Collision layers.
    pub layers: Vec<CollisionLayers>,
    /// Whether the collider only feels.
    pub sensor: Vec<bool>,
    /// Whether the collider's body asked for continuous collision against everything.
    pub ccd: Vec<bool>,
    /// The velocity with which the surface runs over the collider, in the body's axes (m/s).
    pub surface_velocity: Vec<Vec3>,
    /// Contacts that carry at least this much are reported (N); infinite where nothing is.
    pub force_threshold: Vec<Real>,
    /// The enlarged box in the broad phase.
    pub fat: Vec<Aabb>,
    /// The body's odometer reading beyond which the enlarged box must be looked at again (m).
    pub fat_until: Vec<f64>,
    /// When the box of each slot last changed: see [`crate::kept::stamp`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) boxed: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// How far the enlarged box was swept ahead of its body (m).
    pub(crate) ahead: Vec<Real>,
    /// Whether any surface runs.
    pub(crate) any_runs: bool,
    /// Whether any force is to be reported.
    pub(crate) any_threshold: bool,
}

impl Colliders {
    /// Copies what outlives a step; `anew` with what only the game changes.
    pub(crate) fn copy_kept(&mut self, from: &Self, anew: bool) {
        let mut differing = std::mem::take(&mut self.differing);
        let places = differ(&self.boxed, &from.boxed, &mut differing).then_some(&differing);
        copy_columns!(self, from, places; fat, fat_until, ahead, boxed);
        self.differing = differing;
        if anew {
            copy_fields!(self, from; geometry, body, local, material, layers, sensor, ccd, surface_velocity, force_threshold,
                any_runs, any_threshold);
        }
    }

    /// Whether all columns that a file holds are as long as there are slots.
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
            self.ahead.len(),
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
        self.boxed.resize(slots, 0);
        self.ahead.resize(slots, 0.0);
    }

    /// Empties a slot.
    pub(crate) fn clear(&mut self, slot: usize) {
        self.geometry[slot] = None;
        self.body[slot] = NONE;
        self.surface_velocity[slot] = Vec3::ZERO;
        self.force_threshold[slot] = Real::INFINITY;
    }

    /// Whether the slot holds a collider whose body is there.
    #[inline]
    pub fn is_live(&self, slot: usize) -> bool {
        self.body[slot] != NONE && self.geometry[slot].is_some()
    }
}
