//! Builds the linkages of an island's cluster when impacts reach jointed bodies.

use super::cluster_fill::ClusterFill;
use crate::bodies::Kind;
use crate::ids::NONE;
use crate::impact::linkage::{Linkage, RowSide, VelocityChange};
use crate::impact::propagation::{ClusterBody, LinkState};
use crate::math::{DVec3, to_f64};
use crate::solver::RowKind;
use crate::systems::joints::place_joint;

/// Cap on the joints of a linkage, nearest to the impact first; joints beyond it react in the solve
/// stage, and the cut is counted. Larger: large grids are factored for each impact. Smaller: long
/// stiff mechanisms react too lightly.
const MAX_LINKAGE_JOINTS: usize = 128;

impl ClusterFill<'_> {
    /// Adds the linkage of a body before its first impact, the nearest joints first. Bodies of an
    /// earlier linkage stay in that one.
    pub(super) fn add_linkage_of(&mut self, slot: u32, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>) {
        let number = linkages.len() as u32;
        let mut linkage = self.island_joints.spare.pop().unwrap_or_default();
        linkage.clear();
        let mut found = std::mem::take(&mut self.island_joints.found);
        found.clear();
        self.add_linked_body(slot, number, bodies, &mut linkage, &mut found);
        let (mut reached, mut joints) = (0, 0);
        let mut cut = false;
        while reached < found.len() {
            let at = self.place(found[reached]);
            reached += 1;
            for i in self.island_joints.first[at]..self.island_joints.first[at + 1] {
                let joint = self.island_joints.of_body[i as usize];
                let visited = &mut self.island_joints.visited[joint as usize];
                if !*visited && joints == MAX_LINKAGE_JOINTS {
                    cut = true;
                } else if !std::mem::replace(visited, true) {
                    joints += usize::from(self.add_joint(joint, number, bodies, &mut linkage, &mut found));
                }
            }
        }
        self.island_joints.cut += usize::from(cut);
        if linkage.is_empty() {
            bodies[self.admitted.index[self.place(slot)] as usize].link = LinkState::Free;
            self.island_joints.spare.push(linkage);
        } else {
            linkage.factorize();
            linkages.push(linkage);
        }
        self.island_joints.found = found;
    }

    /// The index of a body in the island.
    fn place(&self, slot: u32) -> usize {
        (self.context.place[slot as usize] - self.admitted.first_body) as usize
    }

    /// Adds a body of the cluster to a linkage.
    fn add_linked_body(
        &mut self,
        slot: u32,
        number: u32,
        bodies: &mut [ClusterBody],
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) {
        let index = self.admitted.index[self.place(slot)];
        // A body with all translations locked has no finite mass.
        let mass = bodies[index as usize].inverse_mass.max_element().recip();
        let index_in_linkage = linkage.add_body(index, if mass.is_finite() { mass } else { 0.0 });
        bodies[index as usize].link = LinkState::Linked { linkage: number, index: index_in_linkage };
        found.push(slot);
    }

    /// Adds a joint of the island and its bodies to a linkage. Returns false if the joint locks
    /// nothing or leads to bodies of an earlier linkage.
    fn add_joint(
        &mut self,
        joint: u32,
        number: u32,
        bodies: &mut Vec<ClusterBody>,
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) -> bool {
        let (joints, set) = (self.context.joints, self.context.bodies);
        let joint = joints.acting[(self.island_joints.first_joint + joint) as usize];
        let placed = place_joint(set, joints, joint as usize, false);
        let mut rows = std::mem::take(&mut self.island_joints.rows);
        rows.clear();
        placed.rows(set, joints, joint as usize, &mut rows);
        rows.retain(|row| row.kind == RowKind::Equality);
        let moves = |slot: &u32| *slot != NONE && set.is_active(*slot as usize);
        let ends = joints.bodies[joint as usize].map(|slot| Some(slot).filter(moves));
        let added = !rows.is_empty()
            && ends.into_iter().flatten().all(|slot| self.ensure_linked(slot, number, bodies, linkage, found));
        if added {
            let at = placed.geometry();
            for row in &rows {
                let (forces, torques) = at.jacobian(row);
                // A kinematic body keeps its velocity.
                let driven = |side: usize| {
                    let slot = joints.bodies[joint as usize][side];
                    if slot == NONE || set.kind[slot as usize] != Kind::Kinematic {
                        return 0.0;
                    }
                    let [v, w] =
                        [&set.linear_velocity, &set.angular_velocity].map(|column| to_f64(column[slot as usize]));
                    forces[side].dot(v) + torques[side].dot(w)
                };
                let sides = [0, 1].map(|side| {
                    let body = &bodies[self.admitted.index[self.place(ends[side]?)] as usize];
                    let LinkState::Linked { index, .. } = body.link else { return None };
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    let jacobian = VelocityChange { linear: forces[side] * sign, angular: torques[side] * sign };
                    let response = VelocityChange {
                        linear: body.inverse_mass * jacobian.linear,
                        angular: body.inverse_inertia * jacobian.angular,
                    };
                    Some(RowSide { index, jacobian, response })
                });
                linkage.add_row(sides, driven(1) - driven(0));
                let angular = if forces[1] == DVec3::ZERO { torques[1] } else { DVec3::ZERO };
                self.island_joints.owners.push((joint, forces[1], angular));
            }
        }
        self.island_joints.rows = rows;
        added
    }

    /// Adds a body of unknown state to a linkage. Returns whether the body is in a linkage.
    fn ensure_linked(
        &mut self,
        slot: u32,
        number: u32,
        bodies: &mut Vec<ClusterBody>,
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) -> bool {
        let index = self.admitted.index[self.place(slot)];
        if index == NONE {
            self.add_body(slot, bodies);
        } else if bodies[index as usize].link != LinkState::Unknown {
            return bodies[index as usize].link.linkage() == Some(number);
        }
        self.add_linked_body(slot, number, bodies, linkage, found);
        true
    }
}
