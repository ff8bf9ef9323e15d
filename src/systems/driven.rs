//! Contacts that drive: their surface does work on what it touches.

use crate::bodies::Bodies;
use crate::contact::{Contact, ContactGraph};
use crate::math::Vec3;

/// True if a side of a contact is a moving kinematic body, or its surface runs as a belt does.
pub(super) fn is_driven(bodies: &Bodies, graph: &ContactGraph, c: &Contact) -> bool {
    let moves = |slot: u32| bodies.is_moving_kinematic(slot as usize);
    moves(c.a) || moves(c.b) || graph.records[c.record as usize].surface_velocity != Vec3::ZERO
}
