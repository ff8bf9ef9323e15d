//! The structure of a body, read from a world without changing it: gather, the collision stages and
//! the assembly of islands run on a copy.

use crate::bodies::Kind;
use crate::components::{BodySlot, Joint, JointState};
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactHooks, ContactSources};
use crate::ids::NONE;
use crate::islands::DisjointSets;
use crate::math::{Vec3, from_f64};
use crate::resting::statics::ForceRow;
use crate::resting::{FormulationLevel, Problem, WORLD};
use crate::rows::Enabled;
use crate::settings::{Accuracy, Settings};
use crate::solver::Coordinate;
use crate::state::State;
use crate::statics::{ContactForce, JointRows, StaticsError, Structure};
use crate::systems::broad_phase::BroadPhase;
use crate::systems::contact_sources::SourcePairs;
use crate::systems::gather::Scratch;
use crate::systems::joints::place_joint;
use crate::systems::narrow_phase::NarrowPhase;
use crate::systems::{self, joint_force_rows, solve};
use crate::tolerances::{DIRECT, EXACT, GAME, GEOMETRY};
use hecs::{Entity, World};

/// Step of a question of statics (s). Forces do not depend on it.
const STATICS_STEP: crate::math::Real = 0.01;

/// The inputs of a step besides the world.
pub(crate) struct StepInput<'a> {
    pub settings: &'a Settings,
    pub kernels: &'a PairKernels,
    pub hooks: &'a ContactHooks,
    /// With the contacts that they emitted in the last step.
    pub sources: &'a ContactSources,
}

/// Reads the structure of a body.
///
/// # Errors
/// If a step would refuse the world, the entity is no dynamic body, or statics cannot take the
/// structure.
pub(crate) fn read(world: &World, input: &StepInput, entity: Entity) -> Result<Structure, StaticsError> {
    input.settings.validate()?;
    let mut copy = systems::gather::copy(world);
    copy_joints(world, &mut copy);
    let mut state = State::default();
    let (mut scratch, mut broad_phase) = (Scratch::default(), BroadPhase::default());
    let (mut sources, mut narrow_phase) = (SourcePairs::default(), NarrowPhase::default());
    let inputs = (input.settings, input.kernels);
    systems::gather::run(&mut copy, &mut state, &mut scratch, inputs, STATICS_STEP, |_| Ok::<(), StaticsError>(()))?;
    let slot = copy.get::<&BodySlot>(entity).ok().and_then(|slot| slot.get());
    let slot = slot.filter(|&slot| state.bodies.kind[slot as usize] == Kind::Dynamic);
    let slot = slot.ok_or(StaticsError::NotDynamic { entity })?;
    state.bodies.linear_velocity.fill(Vec3::ZERO);
    state.bodies.angular_velocity.fill(Vec3::ZERO);
    systems::broad_phase::run(world, &mut state, &mut broad_phase, input.kernels, input.hooks);
    systems::contact_sources::run(&copy, &mut state, &mut sources, input.sources);
    systems::narrow_phase::run(&mut state, &mut narrow_phase, &[], input.kernels, input.hooks);
    systems::contact_hooks::run(world, &mut state, input.hooks);
    systems::islands::run(&mut state);
    assemble(&state, slot, entity)
}

/// Copies the joints of a world, with their angles and breaks, without their slots.
fn copy_joints(world: &World, copy: &mut World) {
    let enabled = Enabled::of(world);
    for (entity, joint, joint_state) in world.query::<(Entity, &Joint, Option<&JointState>)>().iter() {
        if !enabled.has_joint(entity, joint) {
            continue;
        }
        let joint_state = joint_state.map_or_else(JointState::default, |joint_state| JointState {
            angle: joint_state.angle,
            broken: joint_state.broken,
            ..JointState::default()
        });
        let components = (joint.clone(), joint_state);
        if copy.contains(entity) {
            copy.insert(entity, components).expect("it is there");
        } else {
            copy.spawn_at(entity, components);
        }
    }
}

/// Assembles the bodies connected with a body by joints and closed contacts.
fn assemble(state: &State, slot: u32, entity: Entity) -> Result<Structure, StaticsError> {
    let State { bodies, settings, .. } = state;
    let island = solve::assemble(state, slot);
    let touch = f64::from(GEOMETRY.same_point * settings.length_unit);
    let closed: Vec<usize> = (0..island.contacts.len()).filter(|&i| island.gaps[i] <= touch).collect();
    let mut sets = DisjointSets::default();
    sets.reset(island.slots.len());
    for contact in closed.iter().map(|&i| &island.contacts[i]) {
        if contact.first != WORLD && contact.second != WORLD {
            sets.union(contact.first, contact.second);
        }
    }
    let joints = joints_of(state, &island.slots);
    for &(_, ends) in &joints {
        if !ends.contains(&WORLD) {
            sets.union(ends[0], ends[1]);
        }
    }
    let own = island.slots.iter().position(|&member| member == slot).expect("a body is of its own island") as u32;
    let root = sets.find(own);
    let mut number = vec![WORLD; island.slots.len()];
    let (mut entities, mut members) = (Vec::new(), Vec::new());
    for (k, &member) in island.slots.iter().enumerate() {
        if sets.find(k as u32) == root {
            number[k] = entities.len() as u32;
            entities.push(bodies.entity[member as usize]);
            members.push(island.bodies[k]);
        }
    }
    let renumbered = |body: u32| if body == WORLD { WORLD } else { number[body as usize] };
    let (mut contacts, mut contact_forces) = (Vec::new(), Vec::new());
    for i in closed {
        let contact = &island.contacts[i];
        let (first, second) = (renumbered(contact.first), renumbered(contact.second));
        if first == WORLD && second == WORLD {
            continue;
        }
        contacts.push(crate::resting::Contact { first, second, ..*contact });
        contact_forces.push(ContactForce {
            entities: island.colliders[i].map(|collider| bodies.entity[collider as usize]),
            point: from_f64(contact.point),
            normal: from_f64(contact.normal),
            force: Vec3::ZERO,
        });
    }
    let ends: Vec<(usize, [u32; 2])> = joints.into_iter().map(|(joint, ends)| (joint, ends.map(renumbered))).collect();
    let (rows, joint_ranges) = joint_rows(state, &ends, &entities)?;
    let rows_of_all = contacts.len() + rows.len();
    if rows_of_all > GAME.max_points {
        return Err(StaticsError::TooLarge { entity, contacts: rows_of_all });
    }
    let gravity = f64::from(settings.gravity.length()).max(DIRECT.min_gravity * f64::from(settings.length_unit));
    let mut problem = Problem::new();
    let level = FormulationLevel::Velocity { step: f64::from(STATICS_STEP) };
    problem.build(level, gravity, &members, &contacts).map_err(|_| StaticsError::NoAnswer { entity })?;
    let tolerance = match settings.accuracy {
        Accuracy::Game => GAME.certificate,
        Accuracy::Exact => EXACT.certificate,
    };
    Ok(Structure {
        bodies: entities,
        contacts: contact_forces,
        problem,
        joint_rows: rows,
        joints: joint_ranges,
        tolerance,
        entity,
    })
}

/// The rows of the joints of a structure of these bodies.
fn joint_rows(
    state: &State,
    joints: &[(usize, [u32; 2])],
    entities: &[Entity],
) -> Result<(Vec<ForceRow>, Vec<JointRows>), StaticsError> {
    let (mut rows, mut joint_ranges) = (Vec::new(), Vec::new());
    for &(joint, ends) in joints {
        let Some(body) = ends.into_iter().find(|&body| body != WORLD) else { continue };
        let entity = state.joints.entity[joint];
        let tuned = StaticsError::Tuned { entity: entities[body as usize], joint: entity };
        let own = force_rows(state, joint, ends).ok_or(tuned)?;
        joint_ranges.push(JointRows { joint: entity, rows: rows.len()..rows.len() + own.len() });
        rows.extend(own);
    }
    Ok((rows, joint_ranges))
}

/// The force rows of a joint between these bodies of a structure, bounded by its strength. `None`
/// if it has a spring that is tuned to the effective mass.
fn force_rows(state: &State, joint: usize, ends: [u32; 2]) -> Option<Vec<ForceRow>> {
    let State { bodies, joints, settings, .. } = state;
    let placed = place_joint(bodies, joints, joint, false);
    let (mut rows, mut own) = (Vec::new(), Vec::new());
    placed.rows(bodies, joints, joint, &mut rows);
    let margin = f64::from(GEOMETRY.same_point * settings.length_unit);
    if !joint_force_rows::append_force_rows(&rows, &placed.geometry(), ends, margin, &mut own) {
        return None;
    }
    let spec = joints.specs[joint].as_ref().expect("the joint is there");
    let linear = rows.iter().filter(|row| row.coordinate.is_linear()).count();
    for (force_row, row) in own.iter_mut().zip(&rows) {
        // A joint breaks by the sum of its rows: each gets the share that keeps the sum within the
        // bound.
        let (most, count) =
            if row.coordinate.is_linear() { (spec.max_force, linear) } else { (spec.max_torque, rows.len() - linear) };
        // A pulley breaks by the force on its second body, its ratio times the rope's.
        let ratio = if row.coordinate == Coordinate::Pulley { f64::from(row.gradient.x) } else { 1.0 };
        let most = f64::from(most) / ((count as f64).sqrt() * ratio);
        force_row.range = force_row.range.map(|strength| strength.clamp(-most, most));
    }
    Some(own)
}

/// The joints that act on these bodies (slots, in order), each with its ends among them, or
/// [`WORLD`] for an end that does not move.
fn joints_of(state: &State, members: &[u32]) -> Vec<(usize, [u32; 2])> {
    let number = |slot: u32| {
        let found = if slot == NONE { None } else { members.binary_search(&slot).ok() };
        found.map_or(WORLD, |at| at as u32)
    };
    let joints =
        state.joints.acting.iter().map(|&joint| (joint as usize, state.joints.bodies[joint as usize].map(number)));
    joints.filter(|(_, ends)| *ends != [WORLD; 2]).collect()
}
