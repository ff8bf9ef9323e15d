//! What a cluster is told when impacts reach it.

use super::{Cluster, ClusterBody, ClusterContact};
use crate::impact::linkage::Linkage;

/// What touches the bodies of a cluster, and what holds them: asked about each body once, when an impact reaches it.
pub trait Around {
    /// Adds the contacts of a body that are not there yet, and bodies with them.
    fn touch(&mut self, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>, body: u32);

    /// Says what joints hold to a body that is [`Held::Perhaps`]: adds a linkage, and bodies with it. May bring their velocities
    /// nearer to what the joints allow.
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
    /// Asks what holds the bodies of the contacts in `self.group`, where that is not known; whether it was asked.
    pub(super) fn hold_group(&mut self, around: &mut impl Around) -> bool {
        let mut asked = false;
        for i in 0..self.group.len() {
            asked |= self.hold_bodies(self.group[i], around);
        }
        asked
    }

    /// Asks what holds the bodies of a contact, unless that is known; whether it was asked.
    pub(super) fn hold_bodies(&mut self, contact: u32, around: &mut impl Around) -> bool {
        let ClusterContact { a, b, .. } = self.contacts[contact as usize];
        let mut asked = false;
        for body in [a, b] {
            if self.bodies[body as usize].held == Held::Perhaps {
                around.hold(&mut self.bodies, &mut self.linkages, body);
                asked = true;
            }
        }
        if asked {
            self.link();
        }
        asked
    }
}
