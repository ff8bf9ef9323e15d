//! What joints hold to the bodies of an island's cluster: bodies that are struck bring it along.

use super::cluster::Fill;
use super::{Context, list_by_body};
use crate::bodies::Kind;
use crate::impact::linkage::{Change, Linkage, Side};
use crate::impact::propagation::{ClusterBody, Held};
use crate::index::NONE;
use crate::islands::Island;
use crate::joints::Joints;
use crate::math::{DVec3, Real, from_f64, to_f64};
use crate::solver::{JointRow, Law};
use crate::systems::joints::place;
use crate::tolerances::LINKAGE_JOINTS;

/// The joints of an island, and buffers.
#[derive(Default)]
pub(super) struct Joined {
    /// Joints of each body of the island: a range of `of_body` for each. Empty where there are none.
    first: Vec<u32>,
    of_body: Vec<u32>,
    /// Whether each joint of the island was looked at.
    seen: Vec<bool>,
    first_joint: u32,
    rows: Vec<JointRow>,
    /// The bodies of the linkage that is being made, by slots.
    found: Vec<u32>,
    /// Of each row of all linkages: the joint, and the impulse and angular impulse beside it on the second body for one of the row.
    owners: Vec<(u32, DVec3, DVec3)>,
    /// Linkages of which more hangs on than an impact is felt through.
    pub cut: usize,
    /// Linkages of earlier steps, for their room.
    pub spare: Vec<Linkage>,
}

impl Joined {
    /// Lists the joints of each body of an island, in the order in which they act.
    pub fn begin(&mut self, context: &Context, island: &Island) {
        let Self { first, of_body, seen, owners, cut, first_joint, .. } = self;
        owners.clear();
        *cut = 0;
        first.clear();
        seen.clear();
        let acting = &context.joints.acting[island.joint_range()];
        if acting.is_empty() {
            return;
        }
        *first_joint = island.joints.0;
        seen.resize(acting.len(), false);
        let begin = island.body_range().start;
        let ends = acting.iter().enumerate().flat_map(|(number, &joint)| {
            let place = |slot: u32| if slot == NONE { NONE } else { context.place[slot as usize] };
            let ends = context.joints.bodies[joint as usize].map(place).into_iter().filter(|&place| place != NONE);
            ends.map(move |place| (place as usize - begin, number as u32))
        });
        list_by_body(island.body_range().len(), ends, first, of_body);
    }

    /// Whether there are any joints.
    pub fn any(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Adds what joints bore in impacts to their mean forces and torques over a step of `dt` (s).
    pub fn report(&self, linkages: &[Linkage], dt: Real, joints: &mut Joints) {
        let borne = linkages.iter().flat_map(Linkage::borne);
        for (&(joint, force, torque), &impulse) in self.owners.iter().zip(borne) {
            if impulse != 0.0 {
                let [forces, torques] = joints.struck(joint);
                *forces += from_f64(force * impulse) / dt;
                *torques += from_f64(torque * impulse) / dt;
            }
        }
    }
}

impl Fill<'_> {
    /// Brings in what joints hold to a body that is about to be struck, the nearest first. What was held before is with what holds it.
    pub(super) fn bring_linked(&mut self, slot: u32, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>) {
        let number = linkages.len() as u32;
        let mut linkage = self.joined.spare.pop().unwrap_or_default();
        linkage.clear();
        let mut found = std::mem::take(&mut self.joined.found);
        found.clear();
        self.hold(slot, number, bodies, &mut linkage, &mut found);
        let (mut reached, mut joints) = (0, 0);
        let mut cut = false;
        while reached < found.len() {
            let at = self.place(found[reached]);
            reached += 1;
            for i in self.joined.first[at]..self.joined.first[at + 1] {
                let joint = self.joined.of_body[i as usize];
                let seen = &mut self.joined.seen[joint as usize];
                if !*seen && joints == LINKAGE_JOINTS {
                    cut = true;
                } else if !std::mem::replace(seen, true) {
                    joints += usize::from(self.link(joint, number, bodies, &mut linkage, &mut found));
                }
            }
        }
        self.joined.cut += usize::from(cut);
        if linkage.is_empty() {
            bodies[self.admitted.index[self.place(slot)] as usize].held = Held::Not;
            self.joined.spare.push(linkage);
        } else {
            linkage.close();
            linkages.push(linkage);
        }
        self.joined.found = found;
    }

    /// The place of a body among those of the island.
    fn place(&self, slot: u32) -> usize {
        (self.context.place[slot as usize] - self.admitted.first_body) as usize
    }

    /// Lets a linkage hold a body of the cluster.
    fn hold(
        &mut self,
        slot: u32,
        number: u32,
        bodies: &mut [ClusterBody],
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) {
        let index = self.admitted.index[self.place(slot)];
        // Of what is locked along every axis nothing but the turning counts.
        let mass = bodies[index as usize].inverse_mass.max_element().recip();
        let place = linkage.add_body(index, if mass.is_finite() { mass } else { 0.0 });
        bodies[index as usize].held = Held::By { linkage: number, place };
        found.push(slot);
    }

    /// Takes a joint of the island into a linkage, with the bodies that it brings; false for one that locks nothing, or leads to bodies that
    /// came before.
    fn link(
        &mut self,
        joint: u32,
        number: u32,
        bodies: &mut Vec<ClusterBody>,
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) -> bool {
        let (joints, set) = (self.context.joints, self.context.bodies);
        let joint = joints.acting[(self.joined.first_joint + joint) as usize];
        let placed = place(set, joints, joint as usize, false);
        let mut rows = std::mem::take(&mut self.joined.rows);
        rows.clear();
        placed.rows(joints, joint as usize, &mut rows);
        rows.retain(|row| row.law == Law::Lock);
        let moves = |slot: &u32| *slot != NONE && set.is_active(*slot as usize);
        let ends = joints.bodies[joint as usize].map(|slot| Some(slot).filter(moves));
        let taken =
            !rows.is_empty() && ends.into_iter().flatten().all(|slot| self.join(slot, number, bodies, linkage, found));
        if taken {
            let at = placed.directions();
            for row in &rows {
                let (force, torques) = at.of(row);
                // What drives its end of the joint goes on as it does.
                let driven = |side: usize| {
                    let slot = joints.bodies[joint as usize][side];
                    if slot == NONE || set.kind[slot as usize] != Kind::Kinematic {
                        return 0.0;
                    }
                    let [v, w] =
                        [&set.linear_velocity, &set.angular_velocity].map(|column| to_f64(column[slot as usize]));
                    force.dot(v) + torques[side].dot(w)
                };
                let sides = [0, 1].map(|side| {
                    let body = &bodies[self.admitted.index[self.place(ends[side]?)] as usize];
                    let Held::By { place, .. } = body.held else { return None };
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    let counts = Change { velocity: force * sign, spin: torques[side] * sign };
                    let moves = Change {
                        velocity: body.inverse_mass * counts.velocity,
                        spin: body.inverse_inertia * counts.spin,
                    };
                    Some(Side { place, counts, moves })
                });
                linkage.add_row(sides, driven(1) - driven(0));
                let beside = if force == DVec3::ZERO { torques[1] } else { DVec3::ZERO };
                self.joined.owners.push((joint, force, beside));
            }
        }
        self.joined.rows = rows;
        taken
    }

    /// Whether a body is with a linkage: one that nothing was known of is from now on.
    fn join(
        &mut self,
        slot: u32,
        number: u32,
        bodies: &mut Vec<ClusterBody>,
        linkage: &mut Linkage,
        found: &mut Vec<u32>,
    ) -> bool {
        let index = self.admitted.index[self.place(slot)];
        if index == NONE {
            self.newcomer(slot, bodies);
        } else if bodies[index as usize].held != Held::Perhaps {
            return bodies[index as usize].held.linkage() == Some(number);
        }
        self.hold(slot, number, bodies, linkage, found);
        true
    }
}
