//! What Rapier has no counterpart for.

use crate::campaign::Plan;
use crate::campaign::edit::Edit;
use crate::campaign::part::Part;
use crate::joints;
use dolmen::components::Material;
use std::ops::AddAssign;

/// Fields of bodies that [`Edit::Hostile`] sets to shapes: Rapier gets shapes by their plans alone.
const SHAPE_FIELDS: std::ops::RangeInclusive<usize> = 23..=28;

/// Counts of what is left out of plans.
#[derive(Clone, Copy, Default)]
pub struct LeftOut {
    /// Gears, racks, winches and pulleys.
    pub joints: u64,
    /// Joints that do not break.
    pub breaks: u64,
    /// Components without effect.
    pub parts: u64,
    /// Edits that are not made.
    pub edits: u64,
}

impl LeftOut {
    /// Counts what is left out of a plan.
    pub fn of(plan: &Plan) -> Self {
        let edits = || plan.edits.iter().map(|timed| &timed.edit);
        let spawned = edits().filter_map(|edit| if let Edit::Spawn(body) = edit { Some(body) } else { None });
        let added = edits().filter_map(|edit| if let Edit::Add(_, part) = edit { Some(part) } else { None });
        let parts = plan.bodies.iter().chain(spawned).flat_map(|body| &body.parts).chain(added);
        let joined = edits().filter_map(|edit| if let Edit::Join(joint) = edit { Some(joint) } else { None });
        let all: Vec<_> = plan.joints.iter().chain(joined).collect();
        let rejoined = edits().filter_map(|edit| if let Edit::Rejoin(_, kind) = edit { Some(kind) } else { None });
        let kinds = all.iter().map(|joint| &joint.kind).chain(rejoined);
        Self {
            joints: kinds.filter(|kind| !joints::has(kind)).count() as u64,
            breaks: all.iter().filter(|joint| joint.breaks.is_some()).count() as u64,
            parts: parts.filter(|part| is_part(part)).count() as u64,
            edits: edits().filter(|edit| is_edit(edit)).count() as u64,
        }
    }
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.joints += other.joints;
        self.breaks += other.breaks;
        self.parts += other.parts;
        self.edits += other.edits;
    }
}

/// True if an edit is not made.
pub fn is_edit(edit: &Edit) -> bool {
    match edit {
        Edit::Tag(_) | Edit::Reload => true,
        Edit::Hostile(_, field, _) => SHAPE_FIELDS.contains(field),
        _ => false,
    }
}

/// True if a component, or a part of it, has no effect.
fn is_part(part: &Part) -> bool {
    match part {
        Part::SurfaceVelocity(_) | Part::VelocityLimit(_) | Part::ContactForceThreshold(_) => true,
        Part::Material(Material { rolling_friction, impact_law, static_friction, dynamic_friction, .. }) => {
            *rolling_friction > 0.0 || impact_law.is_some() || static_friction != dynamic_friction
        }
        _ => false,
    }
}
