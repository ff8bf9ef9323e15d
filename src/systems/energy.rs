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
//! contact closes and no joint opens by it. A held island that has climbed for nothing goes back
//! on its way since the step's start as well. Islands that motors, springs, torques or moving bodies
//! drive keep whatever the uncertainty of their work allows. The guard is no part of any law: what
//! it takes out is a fault elsewhere.

mod drives;
mod flows;
mod islands;

use crate::bodies::Bodies;
use crate::energy::{EnergyAccount, EnergyBalance, IslandEnergy};
use crate::event::Event;
use crate::ids::NONE;
use crate::math::{DMat3, Pose, Quat, Real, Vec3, bounded, from_f64, quat_to_f64, to_f64};
use crate::motion::energy::{MovingBody, damped, slow_down};
use crate::motion::interpolate;
use crate::parallel::MIN_CHUNK_ARITHMETIC;
use crate::settings::Accuracy;
use crate::solver::JointRow;
use crate::state::State;
use crate::tolerances::{ENERGY_GAIN, JOINT_ENERGY_GAIN};
use drives::Drives;
use flows::{BodyFlow, Starts, center};
use islands::{IslandLists, list_islands};
use std::ops::Range;

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
    lists: IslandLists,
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
pub(crate) fn begin(state: &mut State, stage: &mut EnergyStage) {
    stage.struck.clear();
    if !is_on(state) {
        return;
    }
    let [changed, _] = state.active_set.since(&mut stage.of_starts, state.bodies.slots());
    stage.starts.record(&state.bodies, changed);
    drives::update_edited_gaps(state, &stage.starts, &mut stage.rows);
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
    list_islands(state, &mut stage.lists, &stage.collisions, &mut stage.account);
    for k in 0..stage.account.islands.len() {
        let Range { start, end } = stage.account.islands[k].bodies;
        let members = &stage.account.bodies[start..end];
        let allowed_gain = allowed_gain(state, members);
        let quiet = is_quiet(state, &stage.starts, members, allowed_gain);
        if quiet && told.is_none() {
            continue;
        }
        let (mut balance, mut weight) = (EnergyBalance::default(), 0.0);
        let [mut fall, mut rounding] = [0.0; 2];
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
            rounding += flow.rounding;
            weight += flow.weight;
        }
        let scale = balance.before + balance.gravity.abs() + balance.forces.abs() + fall;
        let suspect = !quiet && balance.surplus() > (allowed_gain * scale).max(rounding);
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
                driven,
                &mut stage.rows,
            );
        }
        balance.close(weight * depth);
        let grounded = suspect && Drives { state, driven_impacts, collisions: &stage.collisions }.hold(members);
        // Where the world holds bodies and nothing drives them, they can go back as well.
        let (mut removed, mut returned, mut share) = (0.0, 0.0, 1.0);
        let goes_back = grounded && !driven;
        let surplus = if goes_back { balance.gained } else { balance.gained.min(balance.after) };
        let most = (if driven { ENERGY_GAIN } else { allowed_gain } * scale + uncertain).max(rounding);
        if suspect && surplus > most && !user_systems && state.settings.energy_guard {
            removed = take_out(&mut state.bodies, &mut stage.moving, members, &balance, grounded);
            let left = balance.gained - removed;
            if goes_back && left > most {
                (returned, share) = (left, balance.share_of_way(left));
                go_back(&mut state.bodies, &stage.starts, members, share as Real);
            }
        }
        if told.is_some() {
            let impacts = Drives { state, driven_impacts, collisions: &stage.collisions }.work_in_impacts(members);
            add_losses(state, stage, members, (driven, impacts), &mut balance);
            balance.close(weight * depth);
        }
        balance.removed = removed + returned;
        balance.after -= removed;
        (balance.gravity, balance.forces) = (balance.gravity * share, balance.forces * share);
        let beyond = |tolerance: f64| balance.gained > (tolerance * scale).max(rounding);
        if balance.removed > 0.0 || told.is_some_and(|told| beyond(f64::from(told))) {
            state.counts.energy_gains += 1;
            state.events.push(Event::EnergyGained {
                entity: state.bodies.entity[members[0] as usize],
                allowed: bounded(balance.before + balance.work()),
                gained: bounded(balance.gained),
                removed: bounded(balance.removed),
            });
        }
        stage.account.islands[k] =
            IslandEnergy { bodies: start..end, balance, scale: scale.max(rounding), depth, driven };
    }
    if told.is_none() {
        stage.account.islands.clear();
        stage.account.bodies.clear();
    }
}

/// The gain in a step, as a part of the energy before and the work done, that is no fault: see
/// `ENERGY_GAIN` and `JOINT_ENERGY_GAIN`. What impacts connect to more than an island has the former.
fn allowed_gain(state: &State, members: &[u32]) -> f64 {
    let State { islands, settings, .. } = state;
    let island = members.first().and_then(|&slot| islands.islands.get(islands.island_of[slot as usize] as usize));
    let whole = island.filter(|island| island.body_range().len() == members.len());
    match whole.is_some_and(|island| !island.joint_range().is_empty()) {
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
        // Centres far from the origin are rounded by more than a small step moves them.
        let compensated = starts.center_compensation[slot] - bodies.center_compensation[slot];
        let lifted = acceleration.dot((starts.center[slot] - bodies.center[slot]) + compensated);
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

/// Scales the velocities of an island down to the energy that it may have: those of its bodies against
/// each other, and its rotation as a whole if that alone has too much. Returns what was taken out (J).
fn take_out(
    bodies: &mut Bodies,
    moving: &mut Vec<MovingBody>,
    members: &[u32],
    balance: &EnergyBalance,
    grounded: bool,
) -> f64 {
    moving.clear();
    moving.extend(members.iter().map(|&slot| moving_body(bodies, slot as usize)));
    let removed = slow_down(moving, grounded, balance.after, balance.before + balance.work());
    for (body, &slot) in moving.iter().zip(members) {
        let slot = slot as usize;
        bodies.linear_velocity[slot] = from_f64(body.velocity);
        bodies.angular_velocity[slot] = from_f64(body.angular_velocity);
        (bodies.velocity_compensation[slot], bodies.momentum_compensation[slot]) = (Vec3::ZERO, Vec3::ZERO);
        bodies.dirty[slot] = true;
    }
    removed
}

/// Takes bodies back to a share (0 to 1) of their way since the step's start.
fn go_back(bodies: &mut Bodies, starts: &Starts, members: &[u32], share: Real) {
    for slot in members.iter().map(|&slot| slot as usize) {
        let (center, _, orientation) = starts.pose(slot);
        let [from, to] = [(center, orientation), (bodies.center[slot], bodies.orientation[slot])]
            .map(|(center, orientation)| Pose::from_parts(center, orientation));
        let place = interpolate(&from, &to, Vec3::ZERO, share);
        bodies.place(slot, place.translation, place.rotation);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Body, Collider, Joint, JointState, Motor};
    use crate::math::{DVec3, Real};
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
