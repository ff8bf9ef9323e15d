//! The actions on an island besides gravity and forces.

use super::flows::{Starts, center};
use crate::bodies::Bodies;
use crate::components::JointKind;
use crate::contact::Contact;
use crate::energy::EnergyBalance;
use crate::ids::NONE;
use crate::islands::Island;
use crate::joint::force_on_first;
use crate::math::{DVec3, Real, Vec3, to_f64, turn};
use crate::motion::energy::work;
use crate::solver::JointRow;
use crate::state::State;
use crate::systems::driven::is_driven;
use crate::systems::joints::{place_joint, place_joint_at};
use crate::systems::narrow_phase::world_point;
use crate::tolerances::IMPACTS;

/// The actions on an island besides gravity and forces.
pub(super) struct Drives<'a> {
    pub(super) state: &'a State,
    /// Work in impacts by island, in order.
    pub(super) driven_impacts: &'a [(u32, f64)],
    pub(super) collisions: &'a [[u32; 2]],
}

impl Drives<'_> {
    /// Contacts of the islands that have a body among these: an island counts with its first.
    fn contacts<'s>(&'s self, members: &'s [u32]) -> impl Iterator<Item = &'s Contact> {
        self.islands(members).flat_map(|island| &self.state.contacts.contacts[island.contact_range()])
    }

    /// Joints of the same islands.
    fn joints<'s>(&'s self, members: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        self.islands(members)
            .flat_map(|island| &self.state.joints.acting[island.joint_range()])
            .map(|&joint| joint as usize)
    }

    fn islands<'s>(&'s self, members: &'s [u32]) -> impl Iterator<Item = &'s Island> {
        self.island_numbers(members).map(|number| &self.state.islands.islands[number as usize])
    }

    fn island_numbers<'s>(&'s self, members: &'s [u32]) -> impl Iterator<Item = u32> + 's {
        let islands = &self.state.islands;
        members.iter().filter_map(|&slot| {
            let number = islands.island_of[slot as usize];
            let island = islands.islands.get(number as usize)?;
            (islands.bodies[island.bodies.0 as usize] == slot).then_some(number)
        })
    }

    /// The other ends of the impacts of continuous collision detection of these bodies.
    fn struck_by<'s>(&'s self, members: &'s [u32]) -> impl Iterator<Item = u32> + 's {
        let is_member = |slot: u32| members.contains(&slot);
        self.collisions.iter().filter_map(move |&[a, b]| match (is_member(a), is_member(b)) {
            (true, false) => Some(b),
            (false, true) => Some(a),
            _ => None,
        })
    }

    fn is_moving_kinematic(&self, slot: u32) -> bool {
        slot != NONE && self.state.bodies.is_moving_kinematic(slot as usize)
    }

    /// True if something drives these bodies whose work is not known exactly.
    pub(super) fn drive(&self, members: &[u32]) -> bool {
        let State { bodies, contacts, joints, .. } = self.state;
        members.iter().any(|&slot| bodies.torque[slot as usize] != Vec3::ZERO)
            || self.struck_by(members).any(|slot| self.is_moving_kinematic(slot))
            || self.contacts(members).any(|c| is_driven(bodies, contacts, c))
            || self.joints(members).any(|joint| {
                let driven = joints.specs[joint].as_ref().is_some_and(|spec| spec.has_drive());
                driven || joints.bodies[joint].into_iter().any(|slot| self.is_moving_kinematic(slot))
            })
    }

    /// The deepest overlap, or the most that a joint which the game took apart or moves by a drive was
    /// from what it permits, at the step's start (m). Other joints came apart in the solver: to bring
    /// them together is no work.
    pub(super) fn depth(&self, members: &[u32], starts: &Starts, driven: bool, rows: &mut Vec<JointRow>) -> f64 {
        let State { joints, contacts, .. } = self.state;
        let mut deepest = Real::default();
        for c in self.contacts(members) {
            let manifold = &contacts.manifolds[c.manifold as usize];
            let place = |slot: u32, anchor: Vec3| {
                let (center, compensation, orientation) = starts.pose(slot as usize);
                (center, compensation + turn::rotate(orientation, anchor))
            };
            for point in manifold.points() {
                let ([a, on_a], [b, on_b]) = (place(c.a, point.anchor_a).into(), place(c.b, point.anchor_b).into());
                deepest = deepest.max(((a - b) + (on_a - on_b)).dot(manifold.normal));
            }
        }
        let mut widest = f64::from(deepest);
        for joint in self.joints(members) {
            widest = widest.max(match driven {
                true => violation(self.state, starts, joint, rows),
                false => joints.edited_gap[joint],
            });
        }
        widest
    }

    /// True if the world holds these bodies, so that their momenta are not their own.
    pub(super) fn hold(&self, members: &[u32]) -> bool {
        let State { bodies, joints, .. } = self.state;
        let holds = |slot: u32| slot == NONE || !bodies.is_active(slot as usize);
        members.iter().any(|&slot| bodies.inputs[slot as usize].locked.is_some())
            || self.struck_by(members).any(holds)
            || self.contacts(members).any(|c| holds(c.a) || holds(c.b))
            || self.joints(members).any(|joint| joints.bodies[joint].into_iter().any(holds))
    }

    /// Work of moving kinematic bodies and running surfaces in the impacts of these bodies (J).
    pub(super) fn work_in_impacts(&self, members: &[u32]) -> f64 {
        let work = |number| self.driven_impacts.binary_search_by_key(&number, |&(island, _)| island).ok();
        self.island_numbers(members).filter_map(work).map(|at| self.driven_impacts[at].1).sum()
    }

    /// Adds the work of joints, kinematic bodies and moving surfaces, from the impulses of the step
    /// and the means of the velocities before and after it. Returns a bound on its error: what forces
    /// and torques that turn within the step could do at the speeds before it, and the work itself.
    pub(super) fn add_work(&self, members: &[u32], balance: &mut EnergyBalance) -> f64 {
        let State { bodies, joints, contacts, dt, .. } = self.state;
        let dt = f64::from(*dt);
        let turning = |&slot: &u32| (torque_power(bodies, slot as usize) * dt).abs();
        let mut error: f64 = members.iter().map(turning).sum();
        if self.struck_by(members).any(|slot| self.is_moving_kinematic(slot)) {
            // These impacts are not recorded.
            error = f64::INFINITY;
        }
        let in_impacts = self.work_in_impacts(members);
        balance.kinematic += in_impacts;
        error += in_impacts.abs();
        for joint in self.joints(members) {
            let [force, torque] = joints.load(joint, &joints.outcome[joint]);
            let ends = joints.bodies[joint];
            let Some(spec) = &joints.specs[joint] else { continue };
            let at = match ends[1] {
                NONE => to_f64(spec.frames[1].anchor),
                slot => to_f64(bodies.pose(slot as usize) * spec.frames[1].anchor),
            };
            // A pulley pulls each body at its own anchor, other joints pull both at the second.
            let is_pulley = matches!(spec.kind, JointKind::Pulley { .. });
            let placed = is_pulley.then(|| place_joint(bodies, joints, joint, false));
            let parts = placed.as_ref().map_or([Vec3::ZERO; 2], |placed| placed.parts);
            let forces = [-force_on_first(&spec.kind, parts, force), force].map(|force| to_f64(force) * dt);
            let torque = to_f64(torque) * dt;
            for (side, sign) in [(0, -1.0), (1, 1.0)].into_iter().filter(|(side, _)| ends[*side] != NONE) {
                let (slot, force) = (ends[side], forces[side]);
                let [velocity, spin] = mean_velocities(bodies, slot as usize);
                let arm = match &placed {
                    Some(placed) => to_f64(placed.arms[side]),
                    None => at - center(bodies, slot as usize),
                };
                let done = sign * (work(force, velocity + spin.cross(arm)) + work(torque, spin));
                // Ideal constraints do no work, and what friction takes is in the remainder.
                if spec.has_drive() {
                    balance.joints += done;
                }
                if self.is_moving_kinematic(slot) {
                    // What the joint does on it, its drive does on the joint.
                    balance.kinematic -= done;
                }
                if spec.has_drive() || self.is_moving_kinematic(slot) {
                    let before = &bodies.columns[slot as usize];
                    let [speed, rate] = [before.linear, before.angular].map(|v| to_f64(v).length());
                    error += done.abs() + force.length() * (speed + rate * arm.length()) + torque.length() * rate;
                }
            }
        }
        for c in self.contacts(members) {
            let (manifold, record) = (&contacts.manifolds[c.manifold as usize], &contacts.records[c.record as usize]);
            let friction = to_f64(manifold.friction_impulse);
            let carried = work(friction, to_f64(record.surface_velocity));
            balance.kinematic -= carried;
            error += carried.abs();
            for (slot, sign) in [(c.a, 1.0), (c.b, -1.0)].into_iter().filter(|end| self.is_moving_kinematic(end.0)) {
                let slot = slot as usize;
                let (velocity, spin) = (to_f64(bodies.linear_velocity[slot]), to_f64(bodies.angular_velocity[slot]));
                let place = |p| to_f64(world_point(bodies, c.a as usize, c.b as usize, p)) - center(bodies, slot);
                let normal = to_f64(manifold.normal);
                let (mut middle, mut done) = (DVec3::ZERO, 0.0);
                for p in manifold.points() {
                    let arm = place(p);
                    middle += arm / f64::from(manifold.count);
                    done += work(normal * f64::from(p.normal_impulse), velocity + spin.cross(arm));
                }
                let turning = normal * f64::from(manifold.twist_impulse) + to_f64(manifold.rolling_impulse);
                done += work(friction, velocity + spin.cross(middle)) + work(turning, spin);
                balance.kinematic += sign * done;
                error += done.abs();
            }
        }
        error
    }
}

/// Updates what the game's edits have left the joints apart. Closing such a joint may lift bodies, and
/// may take many steps.
pub(super) fn update_edited_gaps(state: &mut State, starts: &Starts, rows: &mut Vec<JointRow>) {
    let closed = f64::from(IMPACTS.resolution * state.settings.length_unit);
    for k in 0..state.joints.acting.len() {
        let joint = state.joints.acting[k] as usize;
        let before = if is_edited(state, joint) { f64::INFINITY } else { state.joints.edited_gap[joint] };
        if before > 0.0 {
            let gap = violation(state, starts, joint, rows).min(before);
            state.joints.edited_gap[joint] = if gap > closed { gap } else { 0.0 };
        }
    }
}

/// True if the game has changed a joint or its bodies in this step.
fn is_edited(state: &State, joint: usize) -> bool {
    let edited = |slot: u32| slot != NONE && state.bodies.edited[slot as usize];
    state.joints.bodies[joint].into_iter().any(edited) || state.changes.joints.binary_search(&(joint as u32)).is_ok()
}

/// Sum of what the rows of a joint are from what they permit, at the step's start (m).
fn violation(State { bodies, joints, .. }: &State, starts: &Starts, joint: usize, rows: &mut Vec<JointRow>) -> f64 {
    let placed = place_joint_at(bodies, joints, joint, |slot| starts.pose(slot));
    rows.clear();
    placed.rows(bodies, joints, joint, rows);
    let geometry = placed.geometry();
    rows.iter().map(|row| geometry.violation(row)).sum()
}

/// The power of a body's external torque (W).
fn torque_power(bodies: &Bodies, slot: usize) -> f64 {
    to_f64(bodies.torque[slot]).dot(to_f64(bodies.angular_velocity[slot]))
}

/// The means of the velocities (m/s, rad/s) before and after the step.
fn mean_velocities(bodies: &Bodies, slot: usize) -> [DVec3; 2] {
    let before = &bodies.columns[slot];
    let mean = |a: Vec3, b: Vec3| (to_f64(a) + to_f64(b)) * 0.5;
    [mean(before.linear, bodies.linear_velocity[slot]), mean(before.angular, bodies.angular_velocity[slot])]
}
