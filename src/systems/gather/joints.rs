//! Joints: added, edited and removed ones, and their validation.

use super::resting::Resting;
use super::validate::is_near;
use crate::bodies::{Bodies, Kind};
use crate::components::*;
use crate::error::StepError;
use crate::event::Event;
use crate::ids::NONE;
use crate::joint::new_winch;
use crate::joints::Joints;
use crate::math::{Real, Vec3, consts::PI, is_direction};
use crate::ranges::{FARTHEST, at_least_zero, not_negative};
use crate::rows::Enabled;
use crate::state::State;
use crate::systems::joints::place_joint;
use hecs::{Entity, Or, World};

type Checked = Result<(), String>;

/// A new or edited joint.
struct Edit {
    entity: Entity,
    /// Its slot, or [`NONE`] for a newcomer.
    slot: u32,
    spec: Joint,
    state: Option<JointState>,
    /// Slots of its bodies, filled in once every body has one.
    bodies: [u32; 2],
}

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Scratch {
    edits: Vec<Edit>,
    /// Joints that no row claimed.
    removed: Vec<u32>,
    claimed: Vec<bool>,
    /// Joints that rested with a disabled body which is despawned.
    orphans: Vec<Entity>,
}

impl Scratch {
    /// The new and edited joints, and whether each is new.
    pub fn edited(&self) -> impl Iterator<Item = (Entity, bool)> + '_ {
        self.edits.iter().map(|edit| (edit.entity, edit.slot == NONE))
    }

    /// The slots that no row claimed.
    pub fn removed(&self) -> &[u32] {
        &self.removed
    }
}

/// Compares every joint with its slot, and validates changes. Changes nothing.
///
/// # Errors
/// [`StepError::Component`] for an impossible joint.
pub(super) fn scan(
    world: &World,
    joints: &Joints,
    scratch: &mut Scratch,
    resting: &mut Resting,
) -> Result<(), StepError> {
    scratch.edits.clear();
    scratch.removed.clear();
    scratch.orphans.clear();
    let mut claimed = 0;
    let enabled = Enabled::of(world);
    for (entity, spec, state) in world.query::<(Entity, &Joint, Option<&JointState>)>().iter() {
        if !enabled.has_joint(entity, spec) {
            resting.add(entity);
            continue;
        }
        let slot = state.map_or(NONE, |state| state.slot);
        let own = joints.entity.get(slot as usize) == Some(&entity);
        claimed += usize::from(own);
        let known = own
            && joints.specs[slot as usize].as_ref() == Some(spec)
            && state.is_some_and(|state| state.broken == joints.broken[slot as usize]);
        if known {
            continue;
        }
        if resting.did(entity) && spec.bodies.into_iter().flatten().any(|body| !world.contains(body)) {
            scratch.orphans.push(entity);
            continue;
        }
        let slot = if own { slot } else { NONE };
        check(world, spec).map_err(|problem| StepError::Component { entity, component: "Joint", problem })?;
        if let Some(state) = state.filter(|state| !state.angle.is_finite()) {
            let problem = format!("the angle must be finite, got {}", state.angle);
            return Err(StepError::Component { entity, component: "JointState", problem });
        }
        scratch.edits.push(Edit { entity, slot, spec: spec.clone(), state: state.copied(), bodies: [NONE; 2] });
    }
    if claimed < joints.live {
        scratch.claimed.clear();
        scratch.claimed.resize(joints.slots(), false);
        for (entity, spec, state) in world.query::<(Entity, &Joint, &JointState)>().iter() {
            if enabled.has_joint(entity, spec) && joints.entity.get(state.slot as usize) == Some(&entity) {
                scratch.claimed[state.slot as usize] = true;
            }
        }
        let gone = |&slot: &usize| joints.specs[slot].is_some() && !scratch.claimed[slot];
        scratch.removed.extend((0..joints.slots()).filter(gone).map(|slot| slot as u32));
    }
    Ok(())
}

/// Applies the result of [`scan`], once every body has its slot, and ends the joints of removed
/// bodies.
pub(super) fn commit(world: &mut World, state: &mut State, scratch: &mut Scratch) {
    // Bodies whose joints changed.
    let mut touched = Vec::new();
    touched.extend(state.joints.broke.drain(..).map(|slot| state.joints.bodies[slot as usize]));
    for &slot in &scratch.removed {
        touched.push(state.joints.bodies[slot as usize]);
        state.joints.remove(slot as usize);
    }
    for slot in 0..state.joints.slots() {
        if state.joints.specs[slot].is_some() && is_lost(&state.bodies, &state.joints, slot) {
            let joint = state.joints.entity[slot];
            // An edit may have given it other bodies.
            if scratch.edits.iter().any(|edit| edit.entity == joint) {
                continue;
            }
            touched.push(state.joints.bodies[slot]);
            state.joints.remove(slot);
            end(world, state, joint);
        }
    }
    scratch.orphans.sort_unstable_by_key(|joint| joint.to_bits());
    scratch.orphans.drain(..).for_each(|joint| end(world, state, joint));
    for edit in &mut scratch.edits {
        edit.bodies = edit.spec.bodies.map(|body| {
            body.map_or(NONE, |body| world.get::<&BodySlot>(body).expect("every body has a slot by now").0)
        });
    }
    scratch.edits.sort_unstable_by(compare);
    for edit in scratch.edits.drain(..) {
        let joints = &mut state.joints;
        let slot = match edit.slot {
            NONE => joints.insert(edit.entity),
            slot => slot as usize,
        };
        touched.extend([joints.bodies[slot], edit.bodies]);
        state.changes.joints.push(slot as u32);
        let mut shown = edit.state.unwrap_or_default();
        if edit.slot == NONE {
            joints.angle[slot] = shown.angle;
        }
        joints.bodies[slot] = edit.bodies;
        joints.owners[slot] = edit.spec.bodies;
        joints.broken[slot] = shown.broken;
        joints.frames[slot] = edit.spec.frames.map(|frame| frame.orientation.normalize());
        let was_winch = matches!(joints.specs[slot], Some(Joint { kind: JointKind::Winch { .. }, .. }));
        joints.specs[slot] = Some(edit.spec);
        if let Some(Joint { kind: JointKind::Winch { radius, .. }, .. }) = joints.specs[slot]
            && (joints.angle[slot] == Vec3::ZERO || (edit.slot != NONE && !was_winch))
        {
            let placed = place_joint(&state.bodies, joints, slot, false);
            joints.angle[slot] = new_winch(radius, placed.anchor_offset, placed.frames());
        }
        joints.row_forces[slot].clear();
        if edit.state.is_none_or(|state| state.slot != slot as u32) {
            shown.slot = slot as u32;
            world.insert_one(edit.entity, shown).expect("the joint was just seen");
            state.rows.invalidate();
        }
    }
    state.changes.joints.sort_unstable();
    state.counts.joints = state.joints.live;
    if !touched.is_empty() {
        state.joints.update_pairs(&mut state.bodies.jointed);
        wake_and_update_pairs(state, &touched);
    }
}

/// Despawns a joint that lost a body, with an event. A body that is a joint too stays, without its joint.
fn end(world: &mut World, state: &mut State, joint: Entity) {
    state.rows.invalidate();
    state.events.push(Event::JointLost { joint });
    if world.satisfies::<Or<&RigidBody, &ColliderOf>>(joint) {
        drop(world.remove_one::<Joint>(joint).expect("the joint was just seen"));
    } else {
        world.despawn(joint).expect("the joint was just seen");
    }
}

/// True if a body of a joint is removed, or no longer a body.
fn is_lost(bodies: &Bodies, joints: &Joints, slot: usize) -> bool {
    joints.bodies[slot].into_iter().zip(joints.owners[slot]).any(|(body, owner)| {
        body != NONE && (owner != Some(bodies.entity[body as usize]) || !bodies.kind[body as usize].is_body())
    })
}

/// Wakes bodies whose joints changed, and has their pairs built again.
pub(crate) fn wake_and_update_pairs(state: &mut State, touched: &[[u32; 2]]) {
    let State { bodies, colliders, changes, sleep, .. } = state;
    let mut updated = vec![false; bodies.slots()];
    for pair in touched {
        for &slot in pair.iter().filter(|&&slot| slot != NONE) {
            sleep.wake_body(bodies, slot as usize);
        }
        if pair.iter().all(|&slot| slot != NONE) {
            let dynamic = |slot: &u32| bodies.kind[*slot as usize] == Kind::Dynamic;
            // One of the two is enough; a dynamic one has fewer neighbours than the ground.
            let one = pair.iter().copied().find(dynamic).unwrap_or(pair[0]);
            updated[one as usize] = true;
        }
    }
    for slot in 0..bodies.slots() {
        let body = colliders.body[slot];
        if body != NONE && updated[body as usize] {
            changes.reshaped.push(slot as u32);
        }
    }
}

/// Known joints by slot, then newcomers by their bodies and frames; the entity decides last.
fn compare(a: &Edit, b: &Edit) -> std::cmp::Ordering {
    let numbers = |edit: &Edit| {
        let [f, g] = edit.spec.frames.map(|frame| (frame.anchor, frame.orientation));
        [f.0.x, f.0.y, f.0.z, g.0.x, g.0.y, g.0.z, f.1.x, f.1.y, f.1.z, f.1.w, g.1.x, g.1.y, g.1.z, g.1.w]
    };
    let frames = || {
        let (a, b) = (numbers(a), numbers(b));
        a.iter().zip(&b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    let order = a.slot.cmp(&b.slot).then_with(|| a.bodies.cmp(&b.bodies)).then_with(frames);
    order.then_with(|| a.entity.to_bits().cmp(&b.entity.to_bits()))
}

fn check(world: &World, joint: &Joint) -> Checked {
    if let Some(what) = joint.misplaced {
        return Err(format!("{what} was set on a joint that has no such axis: {:?}", joint.kind));
    }
    match joint.bodies {
        [None, None] => return Err("it joins the world to itself".into()),
        [a, b] if a == b => return Err(format!("it joins {:?} to itself", a.expect("not the world"))),
        _ => {}
    }
    for body in joint.bodies.into_iter().flatten() {
        if !world.satisfies::<&RigidBody>(body) {
            return Err(format!("{body:?} is not a body"));
        }
    }
    for (side, frame) in ["first", "second"].iter().zip(&joint.frames) {
        if !is_near(frame.anchor) {
            return Err(format!(
                "no coordinate of the {side} anchor may be larger than {FARTHEST:e}, got {}",
                frame.anchor
            ));
        }
        let q = frame.orientation;
        if !is_direction(q) {
            return Err(format!("the {side} frame's orientation, or axis, must be finite and not zero, got {q}"));
        }
    }
    not_negative("max_force", joint.max_force)?;
    not_negative("max_torque", joint.max_torque)?;
    match &joint.kind {
        JointKind::Fixed => Ok(()),
        JointKind::Spherical { friction } => at_least_zero("friction", *friction),
        JointKind::Revolute(axis) | JointKind::Prismatic(axis) => check_axis(axis),
        JointKind::Distance { least, greatest } => {
            at_least_zero("the least distance", *least)?;
            if !within(*least) {
                return Err(format!("the least distance must be at most {FARTHEST:e}, got {least}"));
            }
            if greatest >= least {
                return Ok(());
            }
            Err(format!("the least distance must not be above the greatest, got {least} and {greatest}"))
        }
        JointKind::Spring { length, .. } if !within(*length) => {
            Err(format!("length must be at most {FARTHEST:e}, got {length}"))
        }
        JointKind::Spring { length, spring } => at_least_zero("length", *length).and_then(|()| check_spring(spring)),
        JointKind::SwingTwist(joint) => check_swing_twist(joint),
        JointKind::Gear { ratio } if !ratio.is_finite() || *ratio == 0.0 || *ratio == -1.0 => {
            Err(format!("the ratio of gears must be finite and neither 0 nor -1, got {ratio}"))
        }
        JointKind::Gear { .. } => Ok(()),
        JointKind::RackAndPinion { radius } => check_radius("pinion", *radius),
        JointKind::Winch { radius, length } => {
            check_radius("drum", *radius).and_then(|()| not_negative("length", *length))
        }
        JointKind::Pulley { points, ratio, least, greatest } => check_pulley(*points, *ratio, [*least, *greatest]),
        JointKind::Generic(axes) => axes.iter().enumerate().try_for_each(|(k, axis)| match axis {
            JointFreedom::Locked => Ok(()),
            JointFreedom::Free(axis) => check_axis(axis).map_err(|problem| format!("axis {k}: {problem}")),
        }),
    }
}

fn check_pulley(points: [Vec3; 2], ratio: Real, [least, greatest]: [Real; 2]) -> Checked {
    for (side, point) in ["first", "second"].iter().zip(points) {
        if !is_near(point) {
            return Err(format!("no coordinate of the {side} point may be larger than {FARTHEST:e}, got {point}"));
        }
    }
    if !(ratio > 0.0 && within(ratio) && ratio >= FARTHEST.recip()) {
        return Err(format!(
            "the ratio of a pulley must be between {:e} and {FARTHEST:e}, got {ratio}",
            FARTHEST.recip()
        ));
    }
    at_least_zero("the least length", least)?;
    if !within(least) {
        return Err(format!("the least length must be at most {FARTHEST:e}, got {least}"));
    }
    if !(greatest > 0.0 && greatest >= least) {
        return Err(format!("the greatest length must be above 0 and not below the least, got {greatest} and {least}"));
    }
    Ok(())
}

fn check_radius(of: &str, radius: Real) -> Checked {
    if !within(radius) || radius == 0.0 {
        return Err(format!("the {of}'s radius must not be 0 and at most {FARTHEST:e}, got {radius}"));
    }
    Ok(())
}

fn check_swing_twist(joint: &SwingTwist) -> Checked {
    for (name, half) in ["y", "z"].iter().zip(joint.cone) {
        if !(SwingTwist::MIN_HALF_ANGLE..=PI).contains(&half) {
            let least = SwingTwist::MIN_HALF_ANGLE;
            return Err(format!("the cone's half angle about {name} must be between {least} and pi, got {half}"));
        }
    }
    if let Some([least, greatest]) = joint.twist.limits
        && !(least >= -PI && greatest <= PI)
    {
        return Err(format!("the limits of a twist must be between -pi and pi, got {least} and {greatest}"));
    }
    check_axis(&joint.twist).map_err(|problem| format!("twist: {problem}"))?;
    for (name, motor) in ["y", "z"].iter().zip(joint.swing_motors) {
        check_axis(&JointAxis { motor, ..JointAxis::default() })
            .map_err(|problem| format!("swing about {name}: {problem}"))?;
    }
    at_least_zero("swing_friction", joint.swing_friction)
}

fn check_axis(axis: &JointAxis) -> Checked {
    if let Some([least, greatest]) = axis.limits {
        // Written so that a NaN fails.
        if !(least <= greatest && least < Real::INFINITY && greatest > Real::NEG_INFINITY) {
            return Err(format!("the least limit must not be above the greatest, got {least} and {greatest}"));
        }
    }
    at_least_zero("friction", axis.friction)?;
    let Some(motor) = axis.motor else { return Ok(()) };
    not_negative("the motor's max_force", motor.max_force)?;
    match motor.target {
        MotorTarget::Velocity(velocity) if !velocity.is_finite() => {
            Err(format!("the motor's velocity must be finite, got {velocity}"))
        }
        MotorTarget::Position { target, .. } if !target.is_finite() => {
            Err(format!("the motor's target must be finite, got {target}"))
        }
        MotorTarget::Position { spring, .. } => check_spring(&spring),
        MotorTarget::Velocity(_) => Ok(()),
    }
}

/// True if a value is a number and at most `FARTHEST`.
fn within(value: Real) -> bool {
    value.abs() <= FARTHEST
}

fn check_spring(spring: &JointSpring) -> Checked {
    match *spring {
        JointSpring::Si { stiffness, damping } => {
            at_least_zero("stiffness", stiffness).and_then(|()| at_least_zero("damping", damping))
        }
        JointSpring::Tuned { frequency, damping_ratio } => {
            at_least_zero("frequency", frequency).and_then(|()| at_least_zero("damping_ratio", damping_ratio))
        }
    }
}
