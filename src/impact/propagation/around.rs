//! What a cluster is told when impacts reach it.

use super::{Cluster, ClusterBody, ClusterContact};
use crate::impact::linkage::{Change, Linkage};

/// What touches the bodies of a cluster, and what holds them: asked about each body once, when an impact reaches it.
pub trait Around {
    /// Adds the contacts of a body that are not there yet, and bodies with them.
    fn touch(&mut self, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>, body: u32);

    /// Says what joints hold to a body that is [`Held::Perhaps`]: adds a linkage, and bodies with it.
    fn hold(&mut self, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>, body: u32);
}

/// A cluster that is all there is.
impl Around for () {
    fn touch(&mut self, _: &mut Vec<ClusterBody>, _: &mut Vec<ClusterContact>, _: u32) {}

    fn hold(&mut self, bodies: &mut Vec<ClusterBody>, _: &mut Vec<Linkage>, body: u32) {
        bodies[body as usize].held = Held::Not;
    }
}

/// Whether joints hold a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// No.
    #[default]
    Not,
    /// Nobody has asked yet.
    Perhaps,
    /// By a linkage of the cluster, in a place of it.
    By {
        /// Among those of the cluster.
        linkage: u32,
        /// The body's place in it.
        place: u32,
    },
}

impl Held {
    /// The linkage.
    pub fn linkage(self) -> Option<u32> {
        match self {
            Self::By { linkage, .. } => Some(linkage),
            Self::Not | Self::Perhaps => None,
        }
    }
}

impl Cluster {
    /// Asks what holds the bodies of the contacts in `self.group`, where that is not known; whether velocities have changed.
    pub(super) fn hold_group(&mut self, around: &mut impl Around) -> bool {
        let mut changed = false;
        for i in 0..self.group.len() {
            changed |= self.hold_bodies(self.group[i], around);
        }
        changed
    }

    /// Asks what holds the bodies of a contact, unless that is known, and gives what has not been struck yet velocities that its joints
    /// allow; whether there was any.
    pub(super) fn hold_bodies(&mut self, contact: u32, around: &mut impl Around) -> bool {
        let c = self.contacts[contact as usize];
        for body in [c.a, c.b] {
            if self.bodies[body as usize].held == Held::Perhaps {
                around.hold(&mut self.bodies, &mut self.linkages, body);
                self.link();
            }
        }
        let [a, b] = [c.a, c.b].map(|body| self.bodies[body as usize].held.linkage());
        let is_loose = |&linkage: &u32| !self.linkages[linkage as usize].is_settled();
        let loose = [a, b.filter(|_| b != a)].map(|held| held.filter(is_loose));
        if loose == [None; 2] || self.passes_by(&c) {
            return false;
        }
        for linkage in loose.into_iter().flatten() {
            self.settle(linkage);
        }
        true
    }

    /// Gives bodies that are held the velocities nearest to theirs that their joints allow: from then on no impact adds to their energy by
    /// working against what rounding and the last step have left along the rows.
    fn settle(&mut self, linkage: u32) {
        let linkage = &mut self.linkages[linkage as usize];
        linkage.begin();
        for place in 0..linkage.bodies().len() {
            let body = &self.bodies[linkage.bodies()[place] as usize];
            linkage.kick(place as u32, Change { velocity: body.velocity, spin: body.angular_velocity });
        }
        linkage.answer_with_drift();
        for (&body, allowed) in linkage.bodies().iter().zip(linkage.changes()) {
            let body = &mut self.bodies[body as usize];
            (body.velocity, body.angular_velocity) = (allowed.velocity, allowed.spin);
        }
    }
}
