//! The joints of an island by its bodies.

use super::context::Context;
use super::index::list_by_body;
use crate::ids::NONE;
use crate::impact::linkage::Linkage;
use crate::islands::Island;
use crate::joints::Joints;
use crate::math::{DVec3, Real, from_f64};
use crate::solver::JointRow;

/// The joints of an island, and buffers.
#[derive(Default)]
pub(super) struct IslandJoints {
    /// Joints of each body of the island: a range of `of_body` for each. Empty if there are none.
    pub first: Vec<u32>,
    pub of_body: Vec<u32>,
    /// True if each joint of the island was visited.
    pub visited: Vec<bool>,
    pub first_joint: u32,
    pub rows: Vec<JointRow>,
    /// The slots of the bodies of the linkage under construction.
    pub found: Vec<u32>,
    /// For each row of all linkages: the joint, and the impulse and angular impulse on the second
    /// body per unit impulse of the row.
    pub owners: Vec<(u32, DVec3, DVec3)>,
    /// Number of linkages that reached the limit of joints.
    pub cut: usize,
    /// Linkages of earlier steps, for reuse of their buffers.
    pub spare: Vec<Linkage>,
}

impl IslandJoints {
    /// Lists the joints of each body of an island, in the order in which they act.
    pub fn begin(&mut self, context: &Context, island: &Island) {
        let Self { first, of_body, visited, owners, cut, first_joint, .. } = self;
        owners.clear();
        *cut = 0;
        first.clear();
        visited.clear();
        let acting = &context.joints.acting[island.joint_range()];
        if acting.is_empty() {
            return;
        }
        *first_joint = island.joints.0;
        visited.resize(acting.len(), false);
        let begin = island.body_range().start;
        let ends = acting.iter().enumerate().flat_map(|(number, &joint)| {
            let place = |slot: u32| if slot == NONE { NONE } else { context.place[slot as usize] };
            let ends = context.joints.bodies[joint as usize].map(place).into_iter().filter(|&place| place != NONE);
            ends.map(move |place| (place as usize - begin, number as u32))
        });
        list_by_body(island.body_range().len(), ends, first, of_body);
    }

    /// True if there are any joints.
    pub fn any(&self) -> bool {
        !self.visited.is_empty()
    }

    /// Adds the joints' impulses in impacts to their mean forces and torques over a step of `dt`
    /// (s).
    pub fn report(&self, linkages: &[Linkage], dt: Real, joints: &mut Joints) {
        let impulses = linkages.iter().flat_map(Linkage::impulses);
        for (&(joint, force, torque), &impulse) in self.owners.iter().zip(impulses) {
            if impulse != 0.0 {
                let [forces, torques] = joints.impact_load_mut(joint);
                *forces += from_f64(force * impulse) / dt;
                *torques += from_f64(torque * impulse) / dt;
            }
        }
    }
}
