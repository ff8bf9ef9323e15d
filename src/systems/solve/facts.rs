//! Facts of an island for the [decision table](super::assign).

use super::assign::{IslandFacts, Probes, quiet_speed};
use super::joint_rows::are_rigid;
use crate::bodies::{Bodies, Kind};
use crate::contact::{Contact, ContactGraph};
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::Real;
use crate::prefetch;
use crate::settings::Settings;
use crate::solver::JointRow;
use crate::systems::driven::is_driven;
use crate::tolerances::{DIRECT, ISLAND_ANALYSIS};

/// Greatest number of contact points on which a body rolls: three or more hold it by themselves.
const ROLLING_POINTS: usize = 2;

/// Facts of an island that are at hand.
pub(super) fn of_island(
    bodies: &Bodies,
    islands: &Islands,
    island: &Island,
    (length_unit, dt): (Real, Real),
    backing_off: impl Fn(bool) -> bool,
) -> IslandFacts {
    let joints = island.joint_range().len();
    let slow = quiet_speed(length_unit, joints > 0);
    let is_slow = |&slot: &u32| {
        let slot = slot as usize;
        let spin = bodies.angular_velocity[slot].length();
        // A small body may be slow and turn far in the step.
        bodies.linear_velocity[slot].length() + spin * bodies.radius[slot] <= slow
            && f64::from(spin * dt) <= DIRECT.quiet_rotation
    };
    let quiet = islands.bodies[island.body_range()].iter().all(is_slow);
    IslandFacts { points: island.points as usize, joints, quiet, backing_off: backing_off(quiet) }
}

/// Facts of an island that take a walk over its contacts, bodies or joints.
pub(super) struct IslandProbes<'a> {
    pub bodies: &'a Bodies,
    pub graph: &'a ContactGraph,
    pub joints: &'a Joints,
    pub settings: &'a Settings,
    /// Length of the step (s).
    pub dt: Real,
    pub island: &'a Island,
    /// Slots of its bodies.
    pub members: &'a [u32],
    /// Buffer for the rows of a joint.
    pub rows: &'a mut Vec<JointRow>,
}

impl IslandProbes<'_> {
    fn contacts(&self) -> &[Contact] {
        &self.graph.contacts[self.island.contact_range()]
    }
}

impl Probes for IslandProbes<'_> {
    fn has_rolling_friction(&self) -> bool {
        let graph = self.graph;
        self.island.contact_range().any(|k| {
            graph.prefetch_record(k + prefetch::DISTANCE);
            let contact = &graph.contacts[k];
            graph.records[contact.record as usize].material.rolling_friction > 0.0
                && graph.manifolds[contact.manifold as usize].points().len() <= ROLLING_POINTS
        })
    }

    fn bears_load(&self) -> bool {
        let manifolds = &self.graph.manifolds;
        let presses = |c: &Contact| manifolds[c.manifold as usize].points().iter().any(|p| p.normal_impulse > 0.0);
        self.contacts().iter().any(presses)
    }

    fn has_rigid_joints(&mut self) -> bool {
        let list = &self.joints.acting[self.island.joint_range()];
        are_rigid(self.bodies, self.joints, list, (self.dt, self.settings.length_unit), self.rows)
    }

    fn is_slender(&self) -> bool {
        let (bodies, members) = (self.bodies, self.members);
        if members.len() < ISLAND_ANALYSIS.tall_stack as usize {
            return false;
        }
        let up = self.settings.gravity.normalize_or_zero();
        let heights = members.iter().map(|&slot| bodies.center[slot as usize].dot(up));
        let (low, high) =
            heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), h| (h.min(low), h.max(high)));
        // Greatest height of these bodies in one column.
        let column: Real = members.iter().map(|&slot| 2.0 * bodies.radius[slot as usize]).sum();
        (high - low) * ISLAND_ANALYSIS.slender_width as Real > column
    }

    fn is_uneven(&self) -> bool {
        let bodies = self.bodies;
        self.contacts().iter().any(|c| {
            let (a, b) = (c.a as usize, c.b as usize);
            let both = bodies.kind[a] == Kind::Dynamic && bodies.kind[b] == Kind::Dynamic;
            both && bodies.mass[a].max(bodies.mass[b])
                > ISLAND_ANALYSIS.heavy_ratio * bodies.mass[a].min(bodies.mass[b])
        })
    }

    fn is_carried(&self) -> bool {
        self.contacts().iter().any(|c| is_driven(self.bodies, self.graph, c))
    }
}
