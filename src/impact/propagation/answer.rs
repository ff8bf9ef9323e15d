//! How the bodies of a cluster answer to an impulse at a contact: each by itself, or all that joints hold to it.

use super::strike::Response;
use super::{Cluster, ClusterContact, Held};
use crate::impact::collision_matrix::symmetrised;
use crate::mass::principal_axes;
use crate::math::{DMat3, DVec3};
use crate::tolerances::{LINKAGE_ASIDE, LINKAGE_STIFF, LINKAGE_STIFF_INSIDE, LINKAGE_TURN};

impl Cluster {
    /// Whether joints hold neither body of a contact.
    fn is_free(&self, c: &ClusterContact) -> bool {
        [c.a, c.b].iter().all(|&body| self.bodies[body as usize].held == Held::Not)
    }

    /// Finds what an impulse on the second body of a contact, and its opposite on the first, changes: in `self.changes`. Returns the
    /// linkages that answered.
    fn ask_bodies(&mut self, c: &ClusterContact, impulse: DVec3) -> [Option<u32>; 2] {
        self.changes.clear();
        let mut asked = [None; 2];
        for (k, (body, impulse)) in [(c.a, -impulse), (c.b, impulse)].into_iter().enumerate() {
            let at = &self.bodies[body as usize];
            let kick = at.kick(impulse, c.arms[k]);
            let Held::By { linkage, place } = at.held else {
                self.changes.push((body, kick));
                continue;
            };
            let link = &mut self.linkages[linkage as usize];
            if !asked.contains(&Some(linkage)) {
                asked[k] = Some(linkage);
                link.begin();
            }
            link.kick(place, kick);
        }
        for linkage in asked.into_iter().flatten() {
            let link = &mut self.linkages[linkage as usize];
            link.answer();
            self.changes.extend(link.bodies().iter().copied().zip(link.changes().iter().copied()));
        }
        asked
    }

    /// An impulse at a contact at the moment `t`.
    pub(super) fn give(&mut self, contact: usize, impulse: DVec3, t: f64) {
        let c = self.contacts[contact];
        if self.is_free(&c) || matches!(self.responses[contact], Response::Aside(_)) {
            self.bodies[c.a as usize].push(-impulse, c.arms[0], t);
            self.bodies[c.b as usize].push(impulse, c.arms[1], t);
            return;
        }
        for linkage in self.ask_bodies(&c, impulse).into_iter().flatten() {
            self.linkages[linkage as usize].bear();
        }
        // Joints follow the turn that takes their bodies back to the step's start to first order.
        let fastest = self.changes.iter().map(|(_, change)| change.spin.length()).fold(0.0, f64::max);
        let t = if fastest * t > LINKAGE_TURN { LINKAGE_TURN / fastest } else { t };
        for &(body, change) in &self.changes {
            self.bodies[body as usize].take(change, t);
        }
    }

    /// The collision matrix of a contact, world axes (1/kg); nothing where joints stop it along its normal.
    ///
    /// In a direction in which joints make it next to rigid it gives way by a part of what it would otherwise: who reckons with more
    /// yielding than there is pushes less hard and loses more energy, so that no impact gains any. What is pressed together across a ball
    /// joint, just past its centre, would else be given whatever impulse rounding asks for.
    pub(super) fn matrix(&mut self, c: &ClusterContact) -> DMat3 {
        if self.is_free(c) {
            return self.free_matrix(c);
        }
        let mut columns = DVec3::AXES;
        for column in &mut columns {
            self.ask_bodies(c, *column);
            *column = self.parting(c);
        }
        let held = symmetrised(DMat3::from_cols(columns[0], columns[1], columns[2]));
        let least = self.least_yielding(c);
        if c.normal.dot(held * c.normal) <= least {
            return DMat3::ZERO;
        }
        let (yields, axes) = principal_axes(held);
        if yields.min_element() >= least {
            return held;
        }
        let axes = DMat3::from_quat(axes);
        symmetrised(axes * DMat3::from_diagonal(yields.max(DVec3::splat(least))) * axes.transpose())
    }

    /// The same if joints did not hold its bodies.
    pub(super) fn free_matrix(&self, c: &ClusterContact) -> DMat3 {
        self.bodies[c.a as usize].response(c.arms[0]) + self.bodies[c.b as usize].response(c.arms[1])
    }

    /// Whether joints hold the bodies of a contact, but have next to no part in what happens there: an office toy's. It goes by the moment of
    /// the impact then, where joints are where they are at the step's start.
    pub(super) fn passes_by(&mut self, c: &ClusterContact) -> bool {
        if self.is_free(c) || c.friction > 0.0 || c.static_friction > 0.0 {
            return false;
        }
        let free = c.normal.dot(self.free_matrix(c) * c.normal);
        free - self.coupling(c, c) <= LINKAGE_ASIDE * free
    }

    /// What a contact gives way by at the least (1/kg): a part of what the masses would if nothing turned, those of both bodies where
    /// the same linkage holds them, else of all that is held to each.
    fn least_yielding(&self, c: &ClusterContact) -> f64 {
        let linkage = |body: u32| self.bodies[body as usize].held.linkage();
        let alone = |body: u32| self.bodies[body as usize].inverse_mass.max_element();
        if linkage(c.a) == linkage(c.b) {
            return LINKAGE_STIFF_INSIDE * (alone(c.a) + alone(c.b));
        }
        let whole = |body: u32| linkage(body).map_or(alone(body), |held| 1.0 / self.linkages[held as usize].mass());
        LINKAGE_STIFF * (whole(c.a) + whole(c.b))
    }

    /// The change of the normal velocity at one contact per normal impulse at another (1/kg).
    pub(super) fn coupling(&mut self, at: &ClusterContact, by: &ClusterContact) -> f64 {
        self.ask_bodies(by, by.normal);
        self.parting(at).dot(at.normal)
    }

    /// How much faster the surfaces of a contact part after the changes that were asked for last (m/s).
    fn parting(&self, c: &ClusterContact) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for &(body, change) in &self.changes {
            let at = |arm: DVec3| change.velocity + change.spin.cross(arm);
            if c.a == body {
                sum -= at(c.arms[0]);
            }
            if c.b == body {
                sum += at(c.arms[1]);
            }
        }
        sum
    }
}
