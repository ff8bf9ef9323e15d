//! Shapes, components, joints and edits that the worlds of small seeds have not: those stay as they are, for texts
//! name them.

use super::bodies::Kin;
use super::joints::{axis, spring};
use super::parts::weight;
use super::shapes::sides;
use crate::campaign::dice::Dice;
use crate::campaign::edit::{Edit, TimedEdit};
use crate::campaign::hostile;
use crate::campaign::modes::Ranges;
use crate::campaign::part::Part;
use crate::campaign::plan::{BodyPlan, Plan};
use crate::campaign::shape::Shape;
use dolmen::components::*;
use dolmen::math::{Quat, Real, Vec3};

/// The least seed of worlds with these additions.
pub const ADDED_FROM: u64 = 1_000_000;

/// Adds to the world of a seed, whose first `floors` bodies are floors.
pub fn add(plan: &mut Plan, seed: u64, ranges: &Ranges, kin: &Kin, floors: usize) {
    let dice = &mut Dice::new(!seed);
    for k in floors..plan.bodies.len() {
        if dice.chance(0.4) && has_room(plan, k) {
            reshape(dice, plan, ranges, k);
        }
    }
    let ids: Vec<u32> = plan.bodies.iter().map(|body| body.id).collect();
    for body in &mut plan.bodies[floors..] {
        if dice.chance(0.25) {
            body.parts.push(part(dice, body.of.is_none()));
        }
        if dice.chance(0.1) {
            body.ignores = (0..dice.count([1, 3])).map(|_| dice.pick(&ids)).collect();
        }
    }
    for joint in &mut plan.joints {
        if dice.chance(0.3) {
            joint.kind = kind(dice, kin);
        }
    }
    if dice.chance(0.2) {
        plan.rules.push_out_speed = dice.decades([0.01, 100.0]) as Real;
    }
    for _ in 0..dice.count([0, 6]) {
        let step = dice.count([0, plan.steps - 1]);
        let edit = edit(dice, plan, ranges, floors, &ids);
        plan.edits.push(TimedEdit { step, edit });
    }
    plan.edits.sort_by_key(|edit| edit.step);
}

/// True if a body may fill the ball about it: where nothing is born inside another.
fn has_room(plan: &Plan, k: usize) -> bool {
    let body = &plan.bodies[k];
    let apart = |other: &BodyPlan| body.position.distance(other.position) > body.shape.reach() + other.shape.reach();
    let moves = |other: &BodyPlan| other.of.is_none() && other.kind == RigidBody::Dynamic;
    plan.gain.is_none() || !moves(body) || plan.bodies.iter().filter(|o| moves(o) && o.id != body.id).all(apart)
}

/// Gives a body another shape, which reaches no farther, and a weight if that has none.
fn reshape(dice: &mut Dice, plan: &mut Plan, ranges: &Ranges, k: usize) {
    let reach = plan.bodies[k].shape.reach();
    if !reach.is_finite() {
        return;
    }
    let shape = loop {
        let shape = shape(dice, ranges, reach);
        // A further collider weighs what its shape does.
        if plan.bodies[k].of.is_none() || shape.is_solid() {
            break shape;
        }
    };
    let (id, is_solid) = (plan.bodies[k].id, shape.is_solid());
    if !is_solid && plan.bodies[k].kind == RigidBody::Dynamic {
        plan.bodies[k].parts.retain(|part| !matches!(part, Part::Mass(_) | Part::Inertia(_) | Part::Density(_)));
        plan.bodies[k].parts.extend(weight(dice, ranges, reach));
        let weighs = |edit: &Edit| matches!(edit, Edit::Remove(of, Part::Mass(_) | Part::Inertia(_)) if *of == id);
        plan.edits.retain(|timed| !weighs(&timed.edit));
    }
    plan.bodies[k].shape = shape;
}

/// A shape within a radius about the origin (m).
fn shape(dice: &mut Dice, ranges: &Ranges, reach: Real) -> Shape {
    let half = sides(dice, ranges, 0.45 * reach);
    let border = reach * dice.decades([1e-3, 0.1]) as Real;
    let corners = || [0.0, 2.0, 4.0].map(|angle: Real| Quat::from_rotation_y(angle) * Vec3::X * (0.85 * reach));
    match dice.count([0, 10]) {
        0 => Shape::RoundCuboid(half, border),
        1 => Shape::RoundCylinder(half.y, half.x, border),
        2 => Shape::RoundCone(half.y, half.x, border),
        3 => {
            let count = dice.count([4, 16]);
            Shape::RoundHull((0..count).map(|_| dice.direction() * half).collect(), border)
        }
        4 => Shape::RoundTriangle(corners(), border),
        5 => Shape::Triangle(corners()),
        6 => {
            let along = dice.direction() * 0.9 * reach;
            Shape::Segment([along, -along])
        }
        7 => {
            let turn = dice.within([0.3, 2.0]) as Real;
            let count = dice.count([2, 12]);
            let at = |k: usize| Quat::from_rotation_z(turn * k as Real) * Vec3::X * (0.9 * reach);
            Shape::Polyline((0..count).map(at).collect())
        }
        8..=9 => {
            // Cells that hang together, along a walk.
            let mut cell = [0; 3];
            let cells = (0..dice.count([1, 30])).map(|_| {
                let here = cell;
                let axis = dice.count([0, 2]);
                cell[axis] = (cell[axis] + dice.pick(&[-1, 1])).clamp(-2, 1);
                here
            });
            let cells = cells.collect();
            Shape::Voxels(Vec3::splat(0.25 * reach) * (Vec3::splat(0.7) + dice.in_cube(0.3)).min(Vec3::ONE), cells)
        }
        _ => {
            let by = Vec3::new(1.0, dice.within([0.3, 1.0]) as Real, -(dice.within([0.3, 1.0]) as Real));
            let all = Vec3::splat(by.y);
            match dice.count([0, 4]) {
                0 => Shape::Scaled(Box::new(Shape::Ball(reach)), all),
                1 => Shape::Scaled(Box::new(Shape::Capsule(0.5 * reach, 0.4 * reach)), all),
                2 => Shape::Scaled(Box::new(Shape::Cylinder(half.y, half.x)), Vec3::new(by.y, 1.0, by.y)),
                3 => {
                    let points = (0..12).map(|_| dice.direction() * half).collect();
                    Shape::Scaled(Box::new(Shape::Hull(points)), by)
                }
                _ => Shape::Scaled(Box::new(Shape::Cuboid(half)), by),
            }
        }
    }
}

/// A component of a body, or of a further collider.
fn part(dice: &mut Dice, is_body: bool) -> Part {
    let controls = [SleepControl::Automatic, SleepControl::Never, SleepControl::Asleep, SleepControl::Awake];
    match dice.count([0, 3]) {
        0 => Part::Disabled(Disabled),
        1 => Part::SolverLayers(SolverLayers(CollisionLayers {
            layers: 1 << dice.count([0, 2]),
            mask: dice.pick(&[u32::MAX, 1, 3, 0]),
        })),
        _ if is_body => Part::SleepControl(dice.pick(&controls)),
        _ => Part::ContactForceThreshold(ContactForceThreshold(dice.decades([1.0, 1e4]) as Real)),
    }
}

/// A soft weld, a drag, a wheel, or a rope without an end.
fn kind(dice: &mut Dice, kin: &Kin) -> JointKind {
    let (size, weight) = (kin.size, kin.mass() * 10.0);
    let joint = match dice.count([0, 3]) {
        0 => {
            let springs = [spring(dice, weight / size), spring(dice, weight * size)];
            Joint::soft_weld(None, None, springs[0], springs[1])
        }
        1 => {
            let most = weight * dice.decades([0.1, 100.0]) as Real;
            Joint::drag(None, None, spring(dice, weight / size), most)
        }
        2 => {
            let steering = dice.chance(0.5).then(|| axis(dice, 0.6, weight * size));
            Joint::wheel(None, None, axis(dice, 0.5 * size, weight), steering, axis(dice, 3.0, weight * size))
        }
        _ => Joint::distance(None, None, 0.5 * size, Real::INFINITY),
    };
    joint.kind
}

/// An edit of something that is there from the start.
fn edit(dice: &mut Dice, plan: &Plan, ranges: &Ranges, floors: usize, ids: &[u32]) -> Edit {
    let (id, other) = (dice.pick(ids), dice.pick(ids));
    if dice.chance(ranges.hostile) {
        let field = dice.count([hostile::FIELDS, hostile::ALL_FIELDS - 1]);
        return Edit::Hostile(id, field, dice.count([0, hostile::VALUES - 1]));
    }
    let body = dice.pick(&plan.bodies);
    match dice.count([0, 8]) {
        // Floors stay what they are.
        0..=1 if plan.bodies.len() > floors => {
            let body = dice.pick(&plan.bodies[floors..]);
            Edit::Add(body.id, part(dice, body.of.is_none()))
        }
        2 => Edit::Remove(body.id, part(dice, body.of.is_none())),
        3 => Edit::Ignore(id, vec![other]),
        4 if !plan.joints.is_empty() => {
            let joint = dice.pick(&plan.joints);
            Edit::DisableJoint(joint.id, dice.chance(0.6))
        }
        5..=6 => {
            let fields = plan.bodies.iter().filter(|body| matches!(body.shape, Shape::Field { .. }));
            let fields: Vec<u32> = fields.map(|body| body.id).collect();
            let factors = (0..dice.count([1, 9])).map(|_| dice.within([0.0, 1.0]) as Real).collect();
            Edit::Dig(if fields.is_empty() { id } else { dice.pick(&fields) }, factors)
        }
        _ => {
            let made = plan.bodies.iter().filter(|body| matches!(body.shape, Shape::Compound(_) | Shape::Voxels(..)));
            let made: Vec<u32> = made.map(|body| body.id).collect();
            let divisor = dice.count([2, 3]);
            Edit::Break(if made.is_empty() { id } else { dice.pick(&made) }, divisor, dice.count([0, divisor - 1]))
        }
    }
}
