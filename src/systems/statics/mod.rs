//! The structure that a body belongs to, read from a world without changing it: what gather, the collision stages and the
//! posing of islands would make of it in a step, on a copy.

use crate::bodies::Kind;
use crate::components::{BodySlot, Joint, JointState};
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactHooks, ContactSources};
use crate::index::NONE;
use crate::islands::DisjointSets;
use crate::math::{Vec3, from_f64};
use crate::resting::statics::Bond;
use crate::resting::{Level, Problem, WORLD};
use crate::settings::{Accuracy, Settings};
use crate::statics::{ContactForce, StaticsError, Structure, Tied};
use crate::systems::joints::place;
use crate::systems::state::State;
use crate::systems::{self, bonds, resting};
use crate::tolerances::{
    CERTIFICATE_EXACT, CERTIFICATE_GAME, STATICS_CONTACTS, STATICS_STEP, STATICS_TOUCH, WEIGHTLESS,
};
use hecs::{Entity, World};

/// What a step would know besides the world.
pub(crate) struct Rules<'a> {
    pub settings: &'a Settings,
    pub kernels: &'a PairKernels,
    pub hooks: &'a ContactHooks,
    /// With what they emitted in the last step.
    pub sources: &'a ContactSources,
}

/// Reads the structure of a body.
///
/// # Errors
/// If the world is not one that can be stepped, the entity is no dynamic body, or its structure is beyond statics.
pub(crate) fn read(world: &World, rules: &Rules, asked: Entity) -> Result<Structure, StaticsError> {
    rules.settings.validate()?;
    let mut copy = systems::gather::copy(world);
    copy_joints(world, &mut copy);
    let mut state = State::default();
    systems::gather::run(&mut copy, &mut state, rules.settings, rules.kernels, STATICS_STEP)?;
    let slot = copy.get::<&BodySlot>(asked).ok().and_then(|slot| slot.get());
    let slot = slot.filter(|&slot| state.bodies.kind[slot as usize] == Kind::Dynamic);
    let slot = slot.ok_or(StaticsError::NotDynamic { entity: asked })?;
    state.bodies.linear_velocity.fill(Vec3::ZERO);
    state.bodies.angular_velocity.fill(Vec3::ZERO);
    systems::broad_phase::run(world, &mut state, rules.kernels, rules.hooks);
    systems::contact_sources::run(&copy, &mut state, rules.sources);
    systems::narrow_phase::run(&mut state, rules.kernels, rules.hooks);
    systems::contact_hooks::run(world, &mut state, rules.hooks);
    systems::islands::run(&mut state);
    pose(&state, slot, asked)
}

/// Gives a copy of a world its joints, with what is told of them but for their slots.
fn copy_joints(world: &World, copy: &mut World) {
    for (entity, joint, told) in world.query::<(Entity, &Joint, Option<&JointState>)>().iter() {
        let told = told.map_or_else(JointState::default, |told| JointState {
            angle: told.angle,
            broken: told.broken,
            ..JointState::default()
        });
        let components = (joint.clone(), told);
        if copy.contains(entity) {
            copy.insert(entity, components).expect("it is there");
        } else {
            copy.spawn_at(entity, components);
        }
    }
}

/// Poses what hangs together with a body by joints and by contacts that are closed.
fn pose(state: &State, slot: u32, asked: Entity) -> Result<Structure, StaticsError> {
    let State { bodies, settings, .. } = state;
    let posed = resting::pose(state, slot);
    let touch = f64::from(STATICS_TOUCH * settings.length_unit);
    let closed: Vec<usize> = (0..posed.contacts.len()).filter(|&i| posed.gaps[i] <= touch).collect();
    let mut sets = DisjointSets::default();
    sets.reset(posed.slots.len());
    for contact in closed.iter().map(|&i| &posed.contacts[i]) {
        if contact.first != WORLD && contact.second != WORLD {
            sets.union(contact.first, contact.second);
        }
    }
    let joints = joined(state, &posed.slots);
    for &(_, ends) in &joints {
        if !ends.contains(&WORLD) {
            sets.union(ends[0], ends[1]);
        }
    }
    let own = posed.slots.iter().position(|&member| member == slot).expect("a body is of its own island") as u32;
    let root = sets.find(own);
    let mut number = vec![WORLD; posed.slots.len()];
    let (mut entities, mut members) = (Vec::new(), Vec::new());
    for (k, &member) in posed.slots.iter().enumerate() {
        if sets.find(k as u32) == root {
            number[k] = entities.len() as u32;
            entities.push(bodies.entity[member as usize]);
            members.push(posed.bodies[k]);
        }
    }
    let renamed = |body: u32| if body == WORLD { WORLD } else { number[body as usize] };
    let (mut contacts, mut touches) = (Vec::new(), Vec::new());
    for i in closed {
        let contact = &posed.contacts[i];
        let (first, second) = (renamed(contact.first), renamed(contact.second));
        if first == WORLD && second == WORLD {
            continue;
        }
        contacts.push(crate::resting::Contact { first, second, ..*contact });
        touches.push(ContactForce {
            entities: posed.colliders[i].map(|collider| bodies.entity[collider as usize]),
            point: from_f64(contact.point),
            normal: from_f64(contact.normal),
            force: Vec3::ZERO,
        });
    }
    let ends: Vec<(usize, [u32; 2])> = joints.into_iter().map(|(joint, ends)| (joint, ends.map(renamed))).collect();
    let (rows, tied) = tie(state, &ends, &entities)?;
    let rows_of_all = contacts.len() + rows.len();
    if rows_of_all > STATICS_CONTACTS {
        return Err(StaticsError::TooLarge { entity: asked, contacts: rows_of_all });
    }
    let gravity = f64::from(settings.gravity.length()).max(WEIGHTLESS * f64::from(settings.length_unit));
    let mut problem = Problem::new();
    let level = Level::Velocity { step: f64::from(STATICS_STEP) };
    problem.build(level, gravity, &members, &contacts).map_err(|_| StaticsError::NoAnswer { entity: asked })?;
    let tolerance = match settings.accuracy {
        Accuracy::Game => CERTIFICATE_GAME,
        Accuracy::Exact => CERTIFICATE_EXACT,
    };
    Ok(Structure { bodies: entities, touches, problem, bonds: rows, tied, tolerance, asked })
}

/// The rows of the joints that have an end in a structure of these bodies.
fn tie(
    state: &State,
    joints: &[(usize, [u32; 2])],
    entities: &[Entity],
) -> Result<(Vec<Bond>, Vec<Tied>), StaticsError> {
    let (mut rows, mut tied) = (Vec::new(), Vec::new());
    for &(joint, ends) in joints {
        let Some(body) = ends.into_iter().find(|&body| body != WORLD) else { continue };
        let entity = state.joints.entity[joint];
        let tuned = StaticsError::Tuned { entity: entities[body as usize], joint: entity };
        let own = bonds_of(state, joint, ends).ok_or(tuned)?;
        tied.push(Tied { joint: entity, rows: rows.len()..rows.len() + own.len() });
        rows.extend(own);
    }
    Ok((rows, tied))
}

/// The bonds of a joint between these bodies of a structure, as strong as they are before it breaks. None if it has a spring that is
/// tuned to what it moves.
fn bonds_of(state: &State, joint: usize, ends: [u32; 2]) -> Option<Vec<Bond>> {
    let State { bodies, joints, settings, .. } = state;
    let placed = place(bodies, joints, joint, false);
    let (mut rows, mut own) = (Vec::new(), Vec::new());
    placed.rows(joints, joint, &mut rows);
    let slack = f64::from(STATICS_TOUCH * settings.length_unit);
    if !bonds::of_rows(&rows, &placed.directions(), ends, slack, &mut own) {
        return None;
    }
    let spec = joints.specs[joint].as_ref().expect("the joint is there");
    let linear = rows.iter().filter(|row| row.coordinate.is_linear()).count();
    for (bond, row) in own.iter_mut().zip(&rows) {
        // A joint breaks by all of its rows together: each may have what keeps their sum within the bound.
        let (most, count) =
            if row.coordinate.is_linear() { (spec.max_force, linear) } else { (spec.max_torque, rows.len() - linear) };
        let most = f64::from(most) / (count as f64).sqrt();
        bond.range = bond.range.map(|strength| strength.clamp(-most, most));
    }
    Some(own)
}

/// The joints that act on these bodies (slots, in order), each with its ends among them, or [`WORLD`] for what nothing moves.
fn joined(state: &State, members: &[u32]) -> Vec<(usize, [u32; 2])> {
    let number = |slot: u32| {
        let found = if slot == NONE { None } else { members.binary_search(&slot).ok() };
        found.map_or(WORLD, |at| at as u32)
    };
    let joints =
        state.joints.acting.iter().map(|&joint| (joint as usize, state.joints.bodies[joint as usize].map(number)));
    joints.filter(|(_, ends)| *ends != [WORLD; 2]).collect()
}
