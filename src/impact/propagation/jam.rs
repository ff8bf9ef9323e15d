//! Resolution of a jam: contacts that touch at the same moment, plastically and at once.

use super::cluster::Cluster;
use super::gap_function::ClusterContact;
use crate::impact::collision_matrix::contact_frame;
use crate::impact::simultaneous::FrictionalBlock;
use crate::math::{DMat3, DVec3};

impl Cluster {
    /// Resolves the contacts of `self.group` at once at the moment `t`, without restitution.
    /// Contacts that joints block are left out. Returns false if none is left, or one of them has no
    /// response.
    pub(super) fn resolve_jam(&mut self, t: f64) -> bool {
        self.group.sort_unstable_by_key(|&c| self.contacts[c as usize].key);
        for i in 0..self.group.len() {
            self.update_ball_normal(self.group[i] as usize, t);
        }
        if !self.retain_unblocked() {
            return false;
        }
        let contacts: Vec<ClusterContact> = self.group.iter().map(|&c| self.contacts[c as usize]).collect();
        let frames: Vec<DMat3> = contacts.iter().map(|c| contact_frame(c.normal)).collect();
        let in_frame = |i: usize, velocity: DVec3| (frames[i].transpose() * velocity).to_array();
        let velocity: Vec<f64> =
            contacts.iter().enumerate().flat_map(|(i, c)| in_frame(i, c.relative(&self.bodies, t))).collect();
        let size = velocity.len();
        let mut matrix = vec![0.0; size * size];
        for (j, by) in contacts.iter().enumerate() {
            for axis in 0..3 {
                for (i, at) in contacts.iter().enumerate() {
                    let response = in_frame(i, self.response(at, by, frames[j].col(axis)));
                    for (k, response) in response.into_iter().enumerate() {
                        matrix[(3 * i + k) * size + 3 * j + axis] = response;
                    }
                }
            }
        }
        let friction = contacts.iter().map(|c| c.friction).collect();
        let Some(impulses) = (FrictionalBlock { matrix, velocity: velocity.clone(), friction }).plastic() else {
            return false;
        };
        for (i, impulse) in impulses.chunks_exact(3).enumerate() {
            if impulse[2] > 0.0 {
                let speed = -velocity[3 * i + 2];
                self.record_impulse(self.group[i] as usize, frames[i] * DVec3::from_slice(impulse), t, speed);
            }
        }
        true
    }
}
