//! The response of a cluster's bodies to an impulse at a contact, with the joints of linked bodies.

use super::body::LinkState;
use super::cluster::{Cluster, ContactResponse};
use super::gap_function::ClusterContact;
use crate::impact::collision_matrix::symmetrised;
use crate::mass::principal_axes;
use crate::math::{DMat3, DVec3};
use crate::tolerances::{CCD, LINKAGE, LINKAGE_ROTATION, MIN_RESPONSE_INSIDE};

impl Cluster {
    /// True if neither body of a contact has joints.
    fn is_free(&self, c: &ClusterContact) -> bool {
        [c.a, c.b].iter().all(|&body| self.bodies[body as usize].link == LinkState::Free)
    }

    /// Computes the velocity changes by an impulse on the second body of a contact and its opposite
    /// on the first, in `self.changes`. Returns the linkages that reacted.
    fn compute_changes(&mut self, c: &ClusterContact, impulse: DVec3) -> [Option<u32>; 2] {
        self.changes.clear();
        let mut answered = [None; 2];
        for (k, (body, impulse)) in [(c.a, -impulse), (c.b, impulse)].into_iter().enumerate() {
            let at = &self.bodies[body as usize];
            let change = at.velocity_change(impulse, c.arms[k]);
            let LinkState::Linked { linkage, index } = at.link else {
                self.changes.push((body, change));
                continue;
            };
            let link = &mut self.linkages[linkage as usize];
            if !answered.contains(&Some(linkage)) {
                answered[k] = Some(linkage);
                link.clear_changes();
            }
            link.add_change(index, change);
        }
        for linkage in answered.into_iter().flatten() {
            let link = &mut self.linkages[linkage as usize];
            link.solve_reactions();
            self.changes.extend(link.bodies().iter().copied().zip(link.changes().iter().copied()));
        }
        answered
    }

    /// Applies an impulse at a contact at the moment `t`.
    pub(super) fn apply_impulse(&mut self, contact: usize, impulse: DVec3, t: f64) {
        let c = self.contacts[contact];
        if self.is_free(&c) || matches!(self.responses[contact], ContactResponse::WithoutJoints(_)) {
            self.bodies[c.a as usize].apply_impulse(-impulse, c.arms[0], t);
            self.bodies[c.b as usize].apply_impulse(impulse, c.arms[1], t);
            return;
        }
        for linkage in self.compute_changes(&c, impulse).into_iter().flatten() {
            self.linkages[linkage as usize].accumulate_impulses();
        }
        // The rotation back to the step's start fits the joints to first order only, hence the
        // limit.
        let fastest = self.changes.iter().map(|(_, change)| change.angular.length()).fold(0.0, f64::max);
        let t = if fastest * t > LINKAGE_ROTATION { LINKAGE_ROTATION / fastest } else { t };
        for &(body, change) in &self.changes {
            self.bodies[body as usize].apply_change(change, t);
        }
    }

    /// The collision matrix of a contact, world axes (1/kg); zero if the joints block its normal.
    ///
    /// Directions that the joints make almost rigid get a minimum response. A larger response than
    /// the true one gives smaller impulses and loses more energy, so no impact gains energy.
    /// Without the minimum, contacts across a ball joint, close to its centre, get impulses made of
    /// rounding.
    pub(super) fn matrix(&mut self, c: &ClusterContact) -> DMat3 {
        if self.is_free(c) {
            return self.free_matrix(c);
        }
        let mut columns = DVec3::AXES;
        for column in &mut columns {
            self.compute_changes(c, *column);
            *column = self.relative_change(c);
        }
        let jointed = symmetrised(DMat3::from_cols(columns[0], columns[1], columns[2]));
        let min = self.min_response(c);
        if c.normal.dot(jointed * c.normal) <= min {
            return DMat3::ZERO;
        }
        let (responses, axes) = principal_axes(jointed);
        if responses.min_element() >= min {
            return jointed;
        }
        let axes = DMat3::from_quat(axes);
        symmetrised(axes * DMat3::from_diagonal(responses.max(DVec3::splat(min))) * axes.transpose())
    }

    /// The collision matrix without joints.
    pub(super) fn free_matrix(&self, c: &ClusterContact) -> DMat3 {
        self.bodies[c.a as usize].response(c.arms[0]) + self.bodies[c.b as usize].response(c.arms[1])
    }

    /// True if a frictionless contact of jointed bodies has almost the same normal response as
    /// without joints (a suspended ball hit at right angles). The exact moment of the impact is
    /// used then, for the joints keep their positions of the step's start.
    pub(super) fn is_unaffected_by_joints(&mut self, c: &ClusterContact) -> bool {
        if self.is_free(c) || c.friction > 0.0 || c.static_friction > 0.0 {
            return false;
        }
        let free = c.normal.dot(self.free_matrix(c) * c.normal);
        free - self.coupling(c, c) <= CCD.noise * free
    }

    /// Minimum response of a contact (1/kg): a fraction of the inverse masses, those of both bodies
    /// if one linkage holds both, else those of the whole linkages.
    fn min_response(&self, c: &ClusterContact) -> f64 {
        let linkage = |body: u32| self.bodies[body as usize].link.linkage();
        let single = |body: u32| self.bodies[body as usize].inverse_mass.max_element();
        if linkage(c.a) == linkage(c.b) {
            return MIN_RESPONSE_INSIDE * (single(c.a) + single(c.b));
        }
        let whole =
            |body: u32| linkage(body).map_or(single(body), |linkage| 1.0 / self.linkages[linkage as usize].mass());
        LINKAGE.min_response * (whole(c.a) + whole(c.b))
    }

    /// The change of a contact's normal velocity per normal impulse (1/kg); zero if the joints block
    /// it: what rounding leaves there has no meaning.
    pub(super) fn normal_response(&mut self, c: &ClusterContact) -> f64 {
        let response = self.coupling(c, c);
        if !self.is_free(c) && response <= self.min_response(c) { 0.0 } else { response }
    }

    /// Removes the contacts whose normals are blocked by joints from `self.group`. Returns whether
    /// any is left.
    pub(super) fn retain_unblocked(&mut self) -> bool {
        let mut group = std::mem::take(&mut self.group);
        group.retain(|&contact| {
            let contact = self.contacts[contact as usize];
            self.normal_response(&contact) > 0.0
        });
        self.group = group;
        !self.group.is_empty()
    }

    /// The change of the normal velocity at one contact per normal impulse at another (1/kg).
    pub(super) fn coupling(&mut self, at: &ClusterContact, by: &ClusterContact) -> f64 {
        self.compute_changes(by, by.normal);
        self.relative_change(at).dot(at.normal)
    }

    /// The change of the relative velocity at one contact (m/s) by an impulse at another (N s).
    pub(super) fn response(&mut self, at: &ClusterContact, by: &ClusterContact, impulse: DVec3) -> DVec3 {
        self.compute_changes(by, impulse);
        self.relative_change(at)
    }

    /// The change of the relative velocity of a contact by the last computed changes (m/s).
    fn relative_change(&self, c: &ClusterContact) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for &(body, change) in &self.changes {
            let at = |arm: DVec3| change.linear + change.angular.cross(arm);
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
