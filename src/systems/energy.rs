//! Around stages 7 to 9, **energy**: the account of each island, and the last guard against a gain.
//!
//! The principle: contacts, joints and impacts hold bodies and take energy; they never give any. So
//! the kinetic energy of an island after a step is at most that before it and the work done on it.
//! [`begin`] records each body before the impacts, [`after_impacts`] what impacts took, and [`end`]
//! compares after the motion, CCD and velocity limits included. Work of gravity and forces is that
//! along the displacement that a body has really made, so a state is compared with a state and no
//! integrator or push-out is left out.
//!
//! An event tells of a surplus beyond a tolerance. The guard takes it out: velocities relative to
//! the island's common motion are scaled (`motion::energy`), so that momenta are kept, or all
//! velocities of an island that the world holds. Either keeps the ratios of relative velocities: no
//! contact closes and no joint opens by it. Islands that motors, springs, torques or moving bodies
//! drive keep whatever the uncertainty of their work allows. The guard is no part of any law: what
//! it takes out is a fault elsewhere.

use crate::bodies::Bodies;
use crate::contact::Contact;
use crate::energy::{EnergyAccount, EnergyBalance, IslandEnergy};
use crate::event::Event;
use crate::ids::NONE;
use crate::islands::{DisjointSets, Island};
use crate::math::{DMat3, DVec3, Quat, Real, Vec3, bounded, from_f64, quat_to_f64, to_f64, turn};
use crate::motion::energy::{CommonMotion, MovingBody, damped, work};
use crate::parallel::{Indices, MIN_CHUNK_ARITHMETIC};
use crate::settings::Accuracy;
use crate::solver::JointRow;
use crate::state::State;
use crate::systems::driven::is_driven;
use crate::systems::joints::{JointedPose, place_joint_at};
use crate::systems::narrow_phase::world_point;
use crate::tolerances::{ENERGY_GAIN, JOINT_ENERGY_GAIN};
use std::ops::Range;

/// The bodies before the impacts of a step, by slot.
#[derive(Default)]
struct Starts {
    center: Vec<Vec3>,
    center_compensation: Vec<Vec3>,
    orientation: Vec<Quat>,
    linear_velocity: Vec<Vec3>,
    angular_velocity: Vec<Vec3>,
}

impl Starts {
    fn pose(&self, slot: usize) -> JointedPose {
        (self.center[slot], self.center_compensation[slot], self.orientation[slot])
    }

    fn record(&mut self, bodies: &Bodies, changed: Indices) {
        macro_rules! record {
            ($($column:ident),*) => {
                match changed {
                    Indices::All(_) => {
                        $(self.$column.clone_from(&bodies.$column);)*
                    }
                    Indices::Listed(list) => {
                        for slot in list.iter().map(|&slot| slot as usize) {
                            $(self.$column[slot] = bodies.$column[slot];)*
                        }
                    }
                }
            };
        }
        record!(center, center_compensation, orientation, linear_velocity, angular_velocity);
    }
}

/// Energies of a body over the step (J).
#[derive(Clone, Copy, Default)]
struct BodyFlow {
    before: [f64; 2],
    after: f64,
    gravity: f64,
    forces: f64,
    /// Kinetic energy of one step of its acceleration.
    fall: f64,
    /// Force of its acceleration (N).
    weight: f64,
}

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct EnergyStage {
    starts: Starts,
    /// Version of the active set for which the starts of the other bodies are valid.
    of_starts: u64,
    rows: Vec<JointRow>,
    flows: Vec<BodyFlow>,
    /// By slot: kinetic energy after the impacts, if there were any.
    struck: Vec<f64>,
    /// Bodies by island: those of the islands, then each in free flight.
    sets: DisjointSets,
    /// The number of a root's island, and the place in the list behind its bodies so far.
    number: Vec<u32>,
    ends: Vec<usize>,
    moving: Vec<MovingBody>,
    /// Bodies of this step's impacts of continuous collision detection.
    collisions: Vec<[u32; 2]>,
    account: EnergyAccount,
}

impl EnergyStage {
    /// The accounts of the last step.
    pub(crate) fn account(&self) -> &EnergyAccount {
        &self.account
    }
}

/// True if the account or the guard is wanted.
fn is_on(state: &State) -> bool {
    state.settings.energy_tolerance.is_some() || state.settings.energy_guard
}

/// Records the bodies before the impacts.
pub(crate) fn begin(state: &State, stage: &mut EnergyStage) {
    stage.struck.clear();
    if !is_on(state) {
        return;
    }
    let [changed, _] = state.active_set.since(&mut stage.of_starts, state.bodies.slots());
    stage.starts.record(&state.bodies, changed);
}

/// Records the kinetic energies after the impacts, for the account.
pub(crate) fn after_impacts(state: &State, stage: &mut EnergyStage) {
    let State { bodies, islands, counts, settings, .. } = state;
    if settings.energy_tolerance.is_none() || counts.impacts == 0 {
        return;
    }
    stage.struck.resize(bodies.slots(), 0.0);
    for &slot in &islands.bodies {
        stage.struck[slot as usize] = bodies.kinetic_energies(slot as usize).iter().sum();
    }
}

/// Closes the accounts after the motion, and takes out what came from nowhere. `driven_impacts` is the
/// work of moving bodies and surfaces in the impacts, by island; `collisions` are the colliders of this
/// step's impacts of continuous collision detection.
pub(crate) fn end(
    state: &mut State,
    stage: &mut EnergyStage,
    (driven_impacts, collisions): (&[(u32, f64)], impl Iterator<Item = [u32; 2]>),
    user_systems: bool,
) {
    state.counts.energy_gains = 0;
    let EnergyAccount { islands, bodies } = &mut stage.account;
    islands.clear();
    bodies.clear();
    if !is_on(state) {
        return;
    }
    stage.collisions.clear();
    stage.collisions.extend(collisions.map(|pair| pair.map(|c| state.colliders.body[c as usize])));
    let told = state.settings.energy_tolerance;
    if told.is_some() {
        measure(state, stage);
    }
    list_islands(state, stage);
    for k in 0..stage.account.islands.len() {
        let Range { start, end } = stage.account.islands[k].bodies;
        let members = &stage.account.bodies[start..end];
        let allowed_gain = allowed_gain(state, members);
        let quiet = is_quiet(state, &stage.starts, members, allowed_gain);
        if quiet && told.is_none() {
            continue;
        }
        let (mut balance, mut fall, mut weight) = (EnergyBalance::default(), 0.0, 0.0);
        for &slot in members {
            let flow = match told {
                Some(_) => stage.flows[slot as usize],
                None => BodyFlow::of(state, &stage.starts, slot as usize),
            };
            balance.before += flow.before[0] + flow.before[1];
            balance.after += flow.after;
            balance.gravity += flow.gravity;
            balance.forces += flow.forces;
            fall += flow.fall;
            weight += flow.weight;
        }
        let scale = balance.before + balance.gravity.abs() + balance.forces.abs() + fall;
        let suspect = !quiet && balance.surplus() > allowed_gain * scale;
        let (mut driven, mut uncertain) = (user_systems, 0.0);
        if suspect || told.is_some() {
            let drives = Drives { state, driven_impacts, collisions: &stage.collisions };
            driven |= drives.drive(members);
            if driven {
                uncertain = drives.add_work(members, &mut balance);
            }
        }
        let scale = scale + balance.joints.abs() + balance.kinematic.abs();
        let mut depth = 0.0;
        if suspect || told.is_some() && balance.surplus() > 0.0 {
            depth = Drives { state, driven_impacts, collisions: &stage.collisions }.depth(
                members,
                &stage.starts,
                &mut stage.rows,
            );
        }
        balance.close(weight * depth);
        // No more than all kinetic energy can be taken out.
        let (mut removed, surplus) = (0.0, balance.gained.min(balance.after));
        let bound = if driven { ENERGY_GAIN } else { allowed_gain };
        if suspect && surplus > bound * scale + uncertain && !user_systems && state.settings.energy_guard {
            let grounded = Drives { state, driven_impacts, collisions: &stage.collisions }.hold(members);
            removed = take_out(&mut state.bodies, &mut stage.moving, members, &balance, grounded);
        }
        if told.is_some() {
            let impacts = Drives { state, driven_impacts, collisions: &stage.collisions }.work_in_impacts(members);
            add_losses(state, stage, members, (driven, impacts), &mut balance);
            balance.close(weight * depth);
        }
        balance.removed = removed;
        balance.after -= removed;
        let beyond = |tolerance: f64| balance.gained > tolerance * scale;
        if balance.removed > 0.0 || told.is_some_and(|told| beyond(f64::from(told))) {
            state.counts.energy_gains += 1;
            state.events.push(Event::EnergyGained {
                entity: state.bodies.entity[members[0] as usize],
                allowed: bounded(balance.before + balance.work()),
                gained: bounded(balance.gained),
                removed: bounded(balance.removed),
            });
        }
        stage.account.islands[k] = IslandEnergy { bodies: start..end, balance, scale, depth, driven };
    }
    if told.is_none() {
        stage.account.islands.clear();
        stage.account.bodies.clear();
    }
}

/// The gain in a step, as a part of the energy before and the work done, that is no fault: see
/// `ENERGY_GAIN` and `JOINT_ENERGY_GAIN`.
fn allowed_gain(state: &State, members: &[u32]) -> f64 {
    let State { islands, settings, .. } = state;
    let jointed = |slot: &u32| {
        let island = islands.islands.get(islands.island_of[*slot as usize] as usize);
        island.is_some_and(|island| !island.joint_range().is_empty() && island.contact_range().is_empty())
    };
    match members.first().is_some_and(jointed) {
        true => JOINT_ENERGY_GAIN[usize::from(settings.accuracy == Accuracy::Exact)],
        false => ENERGY_GAIN,
    }
}

/// True if an upper bound on the island's surplus is no gain. Between two orientations a body's energy
/// of rotation changes at most from its least moment of inertia to its greatest; where little may be
/// gained this says too little, and the bound has the energy itself, rounded.
fn is_quiet(state: &State, starts: &Starts, members: &[u32], allowed_gain: f64) -> bool {
    let State { bodies, dt, .. } = state;
    let strict = allowed_gain < ENERGY_GAIN;
    let (mut surplus, mut before, mut fall) = (0.0, 0.0, 0.0);
    for slot in members.iter().map(|&slot| slot as usize) {
        let (mass, acceleration, moments) = (bodies.mass[slot], bodies.acceleration[slot], bodies.principal[slot]);
        let [linear, angular] = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
        let [from_linear, from_angular] = [starts.linear_velocity[slot], starts.angular_velocity[slot]];
        let lifted = acceleration.dot(starts.center[slot] - bodies.center[slot]);
        let rotation = |spin: Vec3, orientation: Quat| {
            let own = (orientation * bodies.frame[slot]).conjugate() * spin;
            (moments * own).dot(own)
        };
        let [least, most] = match strict && !bodies.is_isotropic(slot) {
            true => [rotation(from_angular, starts.orientation[slot]), rotation(angular, bodies.orientation[slot])],
            false => [
                moments.min_element() * from_angular.length_squared(),
                moments.max_element() * angular.length_squared(),
            ],
        };
        let least = mass * from_linear.length_squared() + least;
        surplus += mass * (linear.length_squared() + 2.0 * lifted) + most - least;
        before += least;
        fall += mass * acceleration.length_squared();
    }
    f64::from(surplus) <= allowed_gain * f64::from(before + fall * (dt * dt))
}

/// Measures the energies of every awake body.
fn measure(state: &State, stage: &mut EnergyStage) {
    let State { bodies, helpers, .. } = state;
    let EnergyStage { starts, flows, .. } = stage;
    flows.resize(bodies.slots(), BodyFlow::default());
    let starts = &*starts;
    helpers.for_each_chunk_of(flows.as_mut_slice(), MIN_CHUNK_ARITHMETIC, &|share, flows| {
        for (slot, flow) in share.zip(flows).filter(|(slot, _)| bodies.is_active(*slot)) {
            *flow = BodyFlow::of(state, starts, slot);
        }
    });
}

impl BodyFlow {
    fn of(state: &State, starts: &Starts, slot: usize) -> Self {
        let State { bodies, settings, dt, .. } = state;
        let dt = f64::from(*dt);
        let velocities = [starts.linear_velocity[slot], starts.angular_velocity[slot]];
        let before = bodies.kinetic_energies_at(slot, velocities, starts.orientation[slot]);
        let from = to_f64(starts.center[slot]) + to_f64(starts.center_compensation[slot]);
        let (mass, moved) = (f64::from(bodies.mass[slot]), center(bodies, slot) - from);
        let inputs = &bodies.inputs[slot];
        let free = to_f64(bodies.free_axes(slot));
        let gravity = work(to_f64(inputs.gravity(settings.gravity)) * free * mass, moved);
        let mut forces = inputs.force.map_or(0.0, |force| work(to_f64(force.0) * free, moved));
        let torque = to_f64(bodies.torque[slot]);
        if torque != DVec3::ZERO {
            let mean = 0.5 * (to_f64(velocities[1]) + to_f64(bodies.angular_velocity[slot]));
            forces += dt * torque.dot(mean);
        }
        let after = bodies.kinetic_energies(slot).iter().sum();
        let acceleration = to_f64(bodies.acceleration[slot]).length();
        let weight = mass * acceleration;
        Self { before, after, gravity, forces, fall: 0.5 * weight * acceleration * dt * dt, weight }
    }
}

/// Lists the bodies by island; impacts of continuous collision detection connect islands.
fn list_islands(state: &State, stage: &mut EnergyStage) {
    let State { bodies, islands, settings, .. } = state;
    let EnergyStage { sets, number, ends, collisions, account, .. } = stage;
    let EnergyAccount { islands: list, bodies: members } = account;
    let mut push = |range: Range<usize>| list.push(IslandEnergy { bodies: range, ..IslandEnergy::default() });
    // A body in free flight has no motion but the common one: only the account asks for it.
    let flies = |slot: usize| islands.island_of[slot] == NONE && bodies.is_active(slot);
    if collisions.is_empty() {
        members.extend_from_slice(&islands.bodies);
        islands.islands.iter().for_each(|island| push(island.body_range()));
        if settings.energy_tolerance.is_some() {
            for slot in (0..bodies.slots()).filter(|&slot| flies(slot)) {
                members.push(slot as u32);
                push(members.len() - 1..members.len());
            }
        }
        return;
    }
    sets.reset(bodies.slots());
    for island in &islands.islands {
        let of_it = &islands.bodies[island.body_range()];
        of_it.iter().for_each(|&slot| sets.union(of_it[0], slot));
    }
    for &[a, b] in collisions.iter().filter(|pair| pair.iter().all(|&slot| bodies.is_active(slot as usize))) {
        sets.union(a, b);
    }
    // By root, which is the least slot: sizes first, then places.
    number.clear();
    number.resize(bodies.slots(), NONE);
    ends.clear();
    for slot in (0..bodies.slots()).filter(|&slot| bodies.is_active(slot)) {
        let root = sets.find(slot as u32) as usize;
        if number[root] == NONE {
            number[root] = ends.len() as u32;
            ends.push(0);
        }
        ends[number[root] as usize] += 1;
    }
    let mut first = 0;
    for end in ends.iter_mut() {
        push(first..first + *end);
        first += std::mem::replace(end, first);
    }
    members.resize(first, NONE);
    for slot in (0..bodies.slots()).filter(|&slot| bodies.is_active(slot)) {
        let end = &mut ends[number[sets.find(slot as u32) as usize] as usize];
        members[*end] = slot as u32;
        *end += 1;
    }
}

/// The actions on an island besides gravity and forces.
struct Drives<'a> {
    state: &'a State,
    /// Work in impacts by island, in order.
    driven_impacts: &'a [(u32, f64)],
    collisions: &'a [[u32; 2]],
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
    fn drive(&self, members: &[u32]) -> bool {
        let State { bodies, contacts, joints, .. } = self.state;
        members.iter().any(|&slot| bodies.torque[slot as usize] != Vec3::ZERO)
            || self.struck_by(members).any(|slot| self.is_moving_kinematic(slot))
            || self.contacts(members).any(|c| is_driven(bodies, contacts, c))
            || self.joints(members).any(|joint| {
                let driven = joints.specs[joint].as_ref().is_some_and(|spec| spec.has_drive());
                driven || joints.bodies[joint].into_iter().any(|slot| self.is_moving_kinematic(slot))
            })
    }

    /// The deepest overlap, or the most that a joint was from what it permits, at the step's start
    /// (m).
    fn depth(&self, members: &[u32], starts: &Starts, rows: &mut Vec<JointRow>) -> f64 {
        let State { bodies, joints, contacts, .. } = self.state;
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
            let placed = place_joint_at(bodies, joints, joint, |slot| starts.pose(slot));
            rows.clear();
            placed.rows(bodies, joints, joint, rows);
            let geometry = placed.geometry();
            widest = widest.max(rows.iter().map(|row| geometry.violation(row)).sum());
        }
        widest
    }

    /// True if the world holds these bodies, so that their momenta are not their own.
    fn hold(&self, members: &[u32]) -> bool {
        let State { bodies, joints, .. } = self.state;
        let holds = |slot: u32| slot == NONE || !bodies.is_active(slot as usize);
        members.iter().any(|&slot| bodies.inputs[slot as usize].locked.is_some())
            || self.struck_by(members).any(holds)
            || self.contacts(members).any(|c| holds(c.a) || holds(c.b))
            || self.joints(members).any(|joint| joints.bodies[joint].into_iter().any(holds))
    }

    /// Work of moving kinematic bodies and running surfaces in the impacts of these bodies (J).
    fn work_in_impacts(&self, members: &[u32]) -> f64 {
        let work = |number| self.driven_impacts.binary_search_by_key(&number, |&(island, _)| island).ok();
        self.island_numbers(members).filter_map(work).map(|at| self.driven_impacts[at].1).sum()
    }

    /// Adds the work of joints, kinematic bodies and moving surfaces, from the impulses of the step
    /// and the means of the velocities before and after it. Returns a bound on its error: what forces
    /// and torques that turn within the step could do at the speeds before it, and the work itself.
    fn add_work(&self, members: &[u32], balance: &mut EnergyBalance) -> f64 {
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
            let [force, torque] = joints.load(joint, &joints.outcome[joint]).map(|load| to_f64(load) * dt);
            let ends = joints.bodies[joint];
            let Some(spec) = &joints.specs[joint] else { continue };
            let at = match ends[1] {
                NONE => to_f64(spec.frames[1].anchor),
                slot => to_f64(bodies.pose(slot as usize) * spec.frames[1].anchor),
            };
            for (slot, sign) in ends.into_iter().zip([-1.0, 1.0]).filter(|(slot, _)| *slot != NONE) {
                let [velocity, spin] = mean_velocities(bodies, slot as usize);
                let arm = at - center(bodies, slot as usize);
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

/// Adds what impacts and damping took.
fn add_losses(
    state: &State,
    stage: &EnergyStage,
    members: &[u32],
    (driven, work_in_impacts): (bool, f64),
    balance: &mut EnergyBalance,
) {
    let State { bodies, islands, dt, .. } = state;
    for slot in members.iter().map(|&slot| slot as usize) {
        let flow = &stage.flows[slot];
        if islands.island_of[slot] != NONE
            && let Some(struck) = stage.struck.get(slot)
        {
            balance.impacts += flow.before[0] + flow.before[1] - struck;
        }
        if let Some(damping) = bodies.inputs[slot].damping {
            let driven = (flow.before[0] + flow.gravity + flow.forces).max(0.0);
            balance.damping += damped(driven, f64::from(damping.linear), f64::from(*dt))
                + damped(flow.before[1], f64::from(damping.angular), f64::from(*dt));
        }
    }
    balance.impacts += work_in_impacts;
    if balance.impacts < 0.0 && driven {
        // What joints to moving bodies give in impacts is not known better.
        balance.kinematic -= std::mem::take(&mut balance.impacts);
    }
}

/// Scales the velocities of an island down to the energy that it may have; returns what was taken
/// out (J).
fn take_out(
    bodies: &mut Bodies,
    moving: &mut Vec<MovingBody>,
    members: &[u32],
    balance: &EnergyBalance,
    grounded: bool,
) -> f64 {
    moving.clear();
    moving.extend(members.iter().map(|&slot| moving_body(bodies, slot as usize)));
    let common = if grounded { CommonMotion::default() } else { CommonMotion::of(moving) };
    let factor = common.relative_factor(balance.after, balance.before + balance.work());
    for (body, &slot) in moving.iter().zip(members) {
        let (slot, at) = (slot as usize, common.velocity_at(body.center));
        bodies.linear_velocity[slot] = from_f64(at + (body.velocity - at) * factor);
        let relative = body.angular_velocity - common.angular_velocity;
        bodies.angular_velocity[slot] = from_f64(common.angular_velocity + relative * factor);
        (bodies.velocity_compensation[slot], bodies.momentum_compensation[slot]) = (Vec3::ZERO, Vec3::ZERO);
        bodies.dirty[slot] = true;
    }
    (balance.after - common.kinetic) * (1.0 - factor * factor)
}

/// A body in motion.
fn moving_body(bodies: &Bodies, slot: usize) -> MovingBody {
    let axes = DMat3::from_quat(quat_to_f64(bodies.orientation[slot]) * quat_to_f64(bodies.frame[slot]));
    MovingBody {
        mass: f64::from(bodies.mass[slot]),
        inertia: axes * DMat3::from_diagonal(to_f64(bodies.principal[slot])) * axes.transpose(),
        center: center(bodies, slot),
        velocity: to_f64(bodies.linear_velocity[slot]),
        angular_velocity: to_f64(bodies.angular_velocity[slot]),
    }
}

/// The centre of mass with its rounding error (m).
fn center(bodies: &Bodies, slot: usize) -> DVec3 {
    to_f64(bodies.center[slot]) + to_f64(bodies.center_compensation[slot])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Body, Collider, Joint, JointState, Motor};
    use crate::math::Quat;
    use crate::physics::Physics;
    use crate::settings::Settings;
    use hecs::{Entity, World};

    /// Two boxes that a joint connects, spinning without gravity, after a step; with the world too
    /// if `held`, and with a motor if `driven`.
    fn pair(held: bool, driven: bool, tolerance: Option<Real>) -> Physics {
        let (mut world, settings) =
            (World::new(), Settings { gravity: Vec3::ZERO, energy_guard: true, ..Settings::default() });
        let mut physics = Physics::new(Settings { energy_tolerance: tolerance, ..settings });
        let mut spawn = |x: Real, size: Real| -> Entity {
            let spin = Vec3::new(0.2, 1.0, 0.1);
            let body = Body::dynamic(Collider::cuboid(size, 0.2, 0.3)).at(x, 0.0, 0.0);
            let turned = Quat::from_rotation_z(0.3 * x);
            world.spawn(body.orientation(turned).linear_velocity(spin.cross(Vec3::X * x)).angular_velocity(spin))
        };
        let ends = [spawn(-0.6, 0.5), spawn(0.6, 0.4)];
        let joint = |a: Option<Entity>, b| Joint::revolute(a, b).placed(&world, Vec3::ZERO, Vec3::Y).unwrap();
        let mut joints = vec![joint(Some(ends[0]), ends[1])];
        if held {
            joints.push(joint(None, ends[0]));
        }
        if driven {
            joints[0] = joints[0].clone().motor(Motor::velocity(2.0, 5.0));
        }
        for joint in joints {
            world.spawn((joint, JointState::default()));
        }
        physics.step(&mut world, 1.0 / 60.0).unwrap();
        physics
    }

    fn momenta(bodies: &Bodies) -> [DVec3; 2] {
        let all = (0..2).map(|slot| moving_body(bodies, slot));
        all.fold([DVec3::ZERO; 2], |[linear, angular], b| {
            let own = b.velocity * b.mass;
            [linear + own, angular + b.center.cross(own) + b.inertia * b.angular_velocity]
        })
    }

    /// Closes the account of a step in which `fault` changed the velocities.
    fn close_after(physics: &mut Physics, fault: impl FnOnce(&mut Bodies)) -> (EnergyStage, [f64; 2]) {
        let (state, mut stage) = (physics.state_mut(), EnergyStage::default());
        state.events.clear();
        begin(state, &mut stage);
        let before = state.kinetic_energy();
        fault(&mut state.bodies);
        end(state, &mut stage, (&[], std::iter::empty()), false);
        (stage, [before, state.kinetic_energy()])
    }

    /// Opposite impulses along the line of the centres, which keep both momenta.
    fn throws_apart(bodies: &mut Bodies) {
        let along = (bodies.center[1] - bodies.center[0]).normalize();
        for (slot, sign) in [(0, -1.0), (1, 1.0)] {
            let inverse = bodies.inverse_mass[slot].x;
            bodies.linear_velocity[slot] += along * (sign * 150.0 * inverse);
        }
    }

    #[test]
    fn a_gain_is_taken_out_and_momenta_stay() {
        let mut physics = pair(false, false, None);
        let mut momenta_before = [DVec3::ZERO; 2];
        let (_, [before, after]) = close_after(&mut physics, |bodies| {
            throws_apart(bodies);
            momenta_before = momenta(bodies);
        });
        assert!((after - before).abs() < 1e-5 * before, "{before} {after}");
        for (a, b) in momenta(&physics.state().bodies).into_iter().zip(momenta_before) {
            assert!((a - b).length() < 1e-5 * b.length(), "{a} {b}");
        }
        let [Event::EnergyGained { gained, removed, .. }] = physics.events() else { panic!("{:?}", physics.events()) };
        assert!((gained - removed).abs() < 1e-4 * gained);
        assert_eq!(physics.state().counts.energy_gains, 1);
    }

    #[test]
    fn an_island_that_the_world_holds_is_slowed_as_a_whole() {
        let mut physics = pair(true, false, None);
        let doubled = |bodies: &mut Bodies| (0..2).for_each(|slot| bodies.linear_velocity[slot] *= 2.0);
        let (_, [before, after]) = close_after(&mut physics, doubled);
        assert!((after - before).abs() < 1e-5 * before, "{before} {after}");
    }

    #[test]
    fn an_island_keeps_what_its_motor_may_have_given() {
        for tolerance in [None, Some(1e-3)] {
            for (torque, kept) in [(0.0, false), (1e6, true)] {
                let mut physics = pair(false, true, tolerance);
                physics.state_mut().joints.outcome[0].torque = Vec3::Y * torque;
                let (stage, [before, after]) = close_after(&mut physics, throws_apart);
                assert_eq!(after > 1.5 * before, kept, "{before} {after}");
                assert_eq!(physics.events().len(), usize::from(!kept));
                assert_eq!(stage.account().islands.len(), usize::from(tolerance.is_some()));
            }
        }
    }

    #[test]
    fn a_loss_is_no_gain() {
        let mut physics = pair(false, false, Some(1e-3));
        let (stage, [_, after]) =
            close_after(&mut physics, |bodies| (0..2).for_each(|slot| bodies.linear_velocity[slot] *= 0.5));
        assert!(physics.events().is_empty());
        let balance = stage.account().sum();
        assert!(balance.friction > 0.0 && balance.gained == 0.0 && (balance.after - after).abs() < 1e-9);
    }
}
