//! Inputs of the event search.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks};
use crate::math::parry::partitioning::Bvh;
use crate::motion::{SweptShape, Trajectory};
use crate::quarantine::Quarantine;
use crate::settings::Settings;
use hecs::World;

/// User rules of collision filtering.
pub(crate) struct CollisionRules<'a> {
    pub world: &'a World,
    pub kernels: &'a PairKernels,
    pub hooks: &'a ContactHooks,
}

/// Inputs of the event search.
pub(super) struct CcdInput<'a> {
    pub rules: &'a CollisionRules<'a>,
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub contacts: &'a ContactGraph,
    pub quarantine: &'a Quarantine,
    pub tree: &'a Bvh,
    pub dt: f64,
    pub touch: f64,
    pub settings: &'a Settings,
}

impl<'a> CcdInput<'a> {
    pub fn swept_shape<'b>(&self, collider: u32, trajectory: &'b Trajectory) -> SweptShape<'b>
    where
        'a: 'b,
    {
        let colliders: &'a Colliders = self.colliders;
        let shape = colliders.geometry[collider as usize].as_ref().expect("a live collider has a shape");
        SweptShape::new(shape, colliders.local[collider as usize], trajectory)
    }
}
