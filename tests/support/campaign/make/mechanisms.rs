//! Random mechanisms: chains, trees and loops of rods that nothing drives.

use super::joints::frame;
use crate::campaign::dice::Dice;
use crate::campaign::part::Part;
use crate::campaign::plan::{BodyPlan, JointPlan, Plan, Rules};
use crate::campaign::shape::Shape;
use dolmen::Accuracy;
use dolmen::components::{CollisionLayers, JointAxis, JointKind, Mass, RigidBody, SwingTwist};
use dolmen::math::{Quat, Real, Vec3};
use std::f64::consts::TAU;

/// Gain of energy in a step that is a fault, in `Game` and `Exact`.
const GAIN: [f64; 2] = [1e-3, 1e-4];

/// The mechanism of a seed.
pub fn mechanism(seed: u64) -> Plan {
    let dice = &mut Dice::new(seed);
    let size = dice.decades([0.02, 2.0]) as Real;
    let touching = dice.chance(0.25);
    let points = form(dice, size);
    let masses = masses(dice, points.len());
    let speed = if dice.chance(0.3) { 0.0 } else { dice.decades([0.1, 30.0]) as Real };
    let mut bodies: Vec<BodyPlan> = (points.iter().zip(&masses).enumerate())
        .map(|(k, (&(_, ends), &mass))| rod(dice, k as u32, ends, mass, speed, touching))
        .collect();
    let joints = joints(dice, &points, &bodies, size);
    if touching {
        bodies.push(ground(bodies.len() as u32, size));
    }
    let accuracy = dice.pick(&[Accuracy::Game, Accuracy::Exact]);
    Plan {
        rules: Rules {
            gravity: if dice.chance(0.8) { Vec3::NEG_Y * 9.81 } else { Vec3::ZERO },
            accuracy,
            sleep: dice.chance(0.5),
            ..Rules::default()
        },
        dt: if dice.chance(0.5) { 1.0 / 60.0 } else { dice.decades([1e-3, 0.05]) as Real },
        steps: dice.count([40, 200]),
        floor: None,
        bodies,
        joints,
        edits: Vec::new(),
        gain: Some(GAIN[usize::from(accuracy == Accuracy::Exact)]),
        strict: !touching,
    }
}

/// The rods: the one that each starts at, if it is not the world, and where its ends are.
fn form(dice: &mut Dice, size: Real) -> Vec<(Option<usize>, [Vec3; 2])> {
    let count = dice.count([1, 20]);
    let ring = dice.chance(0.2);
    let (tree, level) = (dice.chance(0.3), dice.direction());
    let bent = dice.decades([0.01, 2.0]) as Real;
    let mut rods: Vec<(Option<usize>, [Vec3; 2])> = Vec::new();
    for k in 0..count {
        let last = k.checked_sub(1).map(|last| if tree { dice.count([0, last]) } else { last });
        let from = last.map_or(Vec3::ZERO, |last| rods[last].1[1]);
        let to = if ring {
            let angle = (k + 1) as Real / count.max(3) as Real * TAU as Real;
            Vec3::new(angle.cos() - 1.0, angle.sin(), 0.0) * (size * count.max(3) as Real / 3.0)
        } else {
            let along = (level + dice.in_cube(bent)).normalize_or(level);
            from + along * (2.0 * size * dice.within([0.5, 1.5]) as Real)
        };
        rods.push((last, [from, to]));
    }
    rods
}

/// Masses (kg) with a ratio of up to 1e5: any, or one heavy body at the end.
fn masses(dice: &mut Dice, count: usize) -> Vec<Real> {
    let (least, ratio) = (dice.decades([0.01, 100.0]), dice.decades([1.0, 1e5]));
    let loaded = dice.chance(0.4);
    (0..count)
        .map(|k| match loaded {
            true if k + 1 == count => least * ratio,
            true => least,
            false => least * dice.decades([1.0, ratio]),
        } as Real)
        .collect()
}

fn rod(dice: &mut Dice, id: u32, [from, to]: [Vec3; 2], mass: Real, speed: Real, touching: bool) -> BodyPlan {
    let (half, thick) = ((to - from).length() * 0.5, dice.decades([0.05, 0.8]) as Real);
    let shape = match dice.count([0, 2]) {
        0 => Shape::Cuboid(Vec3::new(thick, 1.0, thick * dice.within([0.3, 1.0]) as Real) * half),
        1 => Shape::Capsule(half * 0.7, half * thick),
        _ => Shape::Cylinder(half, half * thick),
    };
    let mut parts = vec![Part::Mass(Mass(mass))];
    if !touching {
        parts.push(Part::CollisionLayers(CollisionLayers::new(0, 0)));
    }
    BodyPlan {
        id,
        of: None,
        kind: RigidBody::Dynamic,
        shape,
        position: (from + to) * 0.5,
        orientation: Quat::from_rotation_arc(Vec3::Y, (to - from).normalize_or(Vec3::Y)),
        linear: dice.in_cube(speed),
        angular: dice.in_cube(speed / half.max(0.05)),
        parts,
        ignores: Vec::new(),
    }
}

/// A floor two sizes below.
fn ground(id: u32, size: Real) -> BodyPlan {
    BodyPlan {
        id,
        of: None,
        kind: RigidBody::Static,
        shape: Shape::HalfSpace(Vec3::Y),
        position: Vec3::NEG_Y * (2.0 * size),
        orientation: Quat::IDENTITY,
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
        parts: Vec::new(),
        ignores: Vec::new(),
    }
}

/// A joint where each rod starts, and where the last one ends, if that closes a loop.
fn joints(dice: &mut Dice, rods: &[(Option<usize>, [Vec3; 2])], bodies: &[BodyPlan], size: Real) -> Vec<JointPlan> {
    let (held, closed) = (dice.chance(0.8), dice.chance(0.3));
    let one = dice.chance(0.5).then(|| kind(dice, size));
    let mut made = Vec::new();
    let mut join = |dice: &mut Dice, a: Option<usize>, b: usize, at: Vec3| {
        let turned = dice.rotation();
        let ends = [a.map(|k| &bodies[k]), Some(&bodies[b])];
        let kind = one.clone().unwrap_or_else(|| kind(dice, size));
        made.push(JointPlan {
            id: made.len() as u32,
            ends: ends.map(|end| end.map(|body| body.id)),
            frames: ends.map(|end| frame(end, at, turned)),
            kind,
            collide: false,
            breaks: None,
        });
    };
    for (k, (last, [from, _])) in rods.iter().enumerate() {
        if last.is_some() || held {
            join(dice, *last, k, *from);
        }
    }
    if closed && rods.len() > 2 {
        let last = rods.len() - 1;
        let [_, end] = rods[last].1;
        let meets = end.distance(rods[0].1[0]) < 1e-3 * size;
        join(dice, (meets && !held).then_some(0), last, end);
    }
    made
}

/// A joint that nothing drives.
fn kind(dice: &mut Dice, size: Real) -> JointKind {
    let stopped = |dice: &mut Dice, reach: Real| JointAxis {
        limits: dice.chance(0.4).then(|| [-reach * dice.within([0.0, 1.0]) as Real, reach]),
        ..JointAxis::default()
    };
    match dice.count([0, 9]) {
        0 => JointKind::Fixed,
        1..=4 => JointKind::Spherical { friction: 0.0 },
        5..=6 => JointKind::Revolute(stopped(dice, 1.5)),
        7 => JointKind::Prismatic(stopped(dice, size)),
        8 => JointKind::Distance { least: 0.0, greatest: size },
        _ => JointKind::SwingTwist(Box::new(SwingTwist {
            cone: [0, 1].map(|_| dice.within([0.1, 3.1]) as Real),
            twist: stopped(dice, 1.5),
            swing_motors: [None; 2],
            swing_friction: 0.0,
        })),
    }
}
