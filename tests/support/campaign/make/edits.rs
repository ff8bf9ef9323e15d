//! Random edits.

use super::bodies::{Kin, dynamic, further};
use super::joints::{joint, kind};
use super::parts::any;
use super::shapes::solid;
use super::worlds::rules;
use crate::campaign::dice::Dice;
use crate::campaign::edit::{Edit, TimedEdit};
use crate::campaign::hostile;
use crate::campaign::modes::Ranges;
use crate::campaign::part::Part;
use crate::campaign::plan::{BodyPlan, Plan};
use dolmen::components::RigidBody;
use dolmen::math::{Real, Vec3};

/// Edits of a world, in the order of their steps. What appears or is teleported does so about a
/// place above the others.
pub fn edits(dice: &mut Dice, ranges: &Ranges, kin: &Kin, plan: &Plan, above: Vec3) -> Vec<TimedEdit> {
    let mut bodies: Vec<BodyPlan> = plan.bodies.clone();
    let mut joints = plan.joints.len() as u32;
    let count = dice.count(ranges.edits);
    let mut steps: Vec<usize> = (0..count).map(|_| dice.count([0, plan.steps - 1])).collect();
    steps.sort_unstable();
    let made = steps.into_iter().enumerate().map(|(k, step)| {
        let free = above + Vec3::Y * (6.0 * kin.size * k as Real) + dice.in_cube(kin.size);
        TimedEdit { step, edit: edit(dice, ranges, kin, &mut bodies, &mut joints, free) }
    });
    made.collect()
}

fn edit(dice: &mut Dice, ranges: &Ranges, kin: &Kin, bodies: &mut Vec<BodyPlan>, joints: &mut u32, free: Vec3) -> Edit {
    let next = bodies.iter().map(|b| b.id).max().map_or(0, |id| id + 1);
    // Floors and obstacles, too, now and then.
    let body = dice.pick(bodies);
    let moves = body.kind == RigidBody::Dynamic && body.of.is_none();
    if dice.chance(ranges.hostile) {
        return Edit::Hostile(body.id, dice.count([0, hostile::FIELDS - 1]), dice.count([0, hostile::VALUES - 1]));
    }
    let spawn = |body: BodyPlan, bodies: &mut Vec<BodyPlan>| {
        bodies.push(body.clone());
        Edit::Spawn(body)
    };
    match dice.count([0, 16]) {
        0..=2 => {
            let body = dynamic(dice, ranges, kin, next, free);
            spawn(body, bodies)
        }
        3 => {
            let body = further(dice, ranges, kin, next, body.id);
            spawn(body, bodies)
        }
        4..=5 => Edit::Despawn(body.id),
        6 if moves => Edit::Teleport(body.id, free, dice.rotation()),
        7 if moves => Edit::Push(body.id, dice.in_cube(kin.speed), dice.in_cube(kin.spin)),
        8 if moves => Edit::Reshape(body.id, solid(dice, ranges, kin.size)),
        9 if moves => Edit::Kind(body.id, dice.pick(&[RigidBody::Dynamic, RigidBody::Kinematic, RigidBody::Static])),
        10 => Edit::Add(body.id, any(dice, ranges, kin.size, kin.mass())),
        11 => match any(dice, ranges, kin.size, kin.mass()) {
            // Meshes that are not closed have no mass of their own.
            Part::Mass(_) | Part::Inertia(_) if !body.shape.is_solid() => Edit::Tag(body.id),
            part => Edit::Remove(body.id, part),
        },
        12 => Edit::Tag(body.id),
        13 => {
            let (a, b) = (dice.pick(bodies), dice.pick(bodies));
            if a.id == b.id || a.of.is_some() || b.of.is_some() {
                return Edit::Tag(body.id);
            }
            *joints += 1;
            Edit::Join(joint(dice, ranges, kin, *joints - 1, Some(&a), &b))
        }
        14 if *joints > 0 => {
            let joint = dice.count([0, *joints as usize - 1]) as u32;
            if dice.chance(0.5) { Edit::Unjoin(joint) } else { Edit::Rejoin(joint, kind(dice, kin, kin.size)) }
        }
        15 => match dice.count([0, 2]) {
            0 => Edit::Rules(rules(dice, ranges, kin, true)),
            _ => Edit::TimeStep(dice.decades(ranges.dt) as Real),
        },
        _ => Edit::Reload,
    }
}
