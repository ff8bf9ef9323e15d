//! Random worlds.

use super::added::{ADDED_FROM, add};
use super::bodies::{Kin, dynamic, further, obstacle};
use super::edits::edits;
use super::floors::floor;
use super::joints::joint;
use super::mechanisms::mechanism;
use crate::campaign::dice::Dice;
use crate::campaign::modes::{Mode, Ranges};
use crate::campaign::plan::{BodyPlan, JointPlan, Plan, Rules};
use crate::campaign::shape::Shape;
use dolmen::components::{ImpactLaw, RigidBody};
use dolmen::math::{Quat, Real, Vec3};
use dolmen::resting::RestingMethod;
use dolmen::{Accuracy, ImpactModel};

/// The world of a seed.
pub fn plan(mode: Mode, seed: u64) -> Plan {
    if mode == Mode::Mechanisms {
        return mechanism(seed);
    }
    let (ranges, mut dice) = (mode.ranges(), Dice::new(seed));
    let dice = &mut dice;
    let kin = Kin::new(dice, &ranges);
    let place = dice.direction() * dice.decades(ranges.place) as Real;
    let mut ids = 0..;
    let mut next = || ids.next().expect("numbers do not end");
    let (mut bodies, mut promise) = (Vec::new(), None);
    let grounded = dice.chance(0.85);
    if grounded {
        let (body, sound) = floor(dice, &ranges, next(), place, kin.size);
        bodies.push(body);
        promise = sound;
    }
    // Obstacles stand below the bodies that move.
    let obstacles = if dice.chance(0.4) { dice.count([1, 4]) } else { 0 };
    let mut base = kin.size;
    for _ in 0..obstacles {
        let at = place + (dice.in_cube(6.0 * kin.size) * Vec3::new(1.0, 0.1, 1.0));
        let body = obstacle(dice, &ranges, &kin, next(), at);
        base = base.max(body.shape.reach() + 0.6 * kin.size);
        bodies.push(body);
    }
    let first = bodies.len();
    let count = dice.count(ranges.bodies);
    bodies.extend((0..count).map(|_| dynamic(dice, &ranges, &kin, next(), Vec3::ZERO)));
    arrange(dice, &ranges, &mut bodies[first..], place + Vec3::Y * base);
    let joints = if dice.chance(0.35) { connect(dice, &ranges, &kin, &bodies[first..]) } else { Vec::new() };
    if dice.chance(0.15) {
        for _ in 0..dice.count([1, 3]) {
            let of = dice.pick(&bodies[first..]).id;
            bodies.push(further(dice, &ranges, &kin, next(), of));
        }
    }
    let rules = rules(dice, &ranges, &kin, grounded);
    let dt = if dice.chance(0.5) { 1.0 / 60.0 } else { dice.decades(ranges.dt) as Real };
    let mut plan = Plan {
        rules,
        dt,
        steps: dice.count(ranges.steps),
        // Hostile values may do anything to a floor.
        floor: promise.filter(|_| ranges.hostile == 0.0),
        bodies,
        joints,
        edits: Vec::new(),
        gain: ranges.gain.is_finite().then_some(ranges.gain),
        strict: false,
    };
    if dice.chance(ranges.edited) {
        plan.edits = edits(dice, &ranges, &kin, &plan, place + Vec3::Y * (base + 8.0 * kin.size));
    }
    if seed >= ADDED_FROM {
        add(&mut plan, seed, &ranges, &kin, usize::from(grounded));
    }
    plan
}

/// Settings: mostly those that games use.
pub fn rules(dice: &mut Dice, ranges: &Ranges, kin: &Kin, grounded: bool) -> Rules {
    let mut rules = Rules::default();
    let pull = if dice.chance(0.7) && ranges.gravity[1] > 9.0 { 9.81 } else { dice.within(ranges.gravity) };
    rules.gravity = if grounded || dice.chance(0.3) { Vec3::NEG_Y * pull as Real } else { Vec3::ZERO };
    if dice.chance(0.2) {
        rules.accuracy = Accuracy::Exact;
    }
    rules.sleep = dice.chance(0.7);
    if dice.chance(0.1) {
        rules.impact_law = ImpactLaw::Newton;
    }
    if dice.chance(0.15) {
        rules.impact_model = dice.pick(&[ImpactModel::Batch, ImpactModel::Simultaneous]);
    }
    if dice.chance(0.25) {
        let all = [
            RestingMethod::Iterative,
            RestingMethod::Newton,
            RestingMethod::LinearProgram,
            RestingMethod::ShockPropagation,
        ];
        rules.method = dice.pick(&all);
    }
    if dice.chance(0.1) {
        rules.substeps = Some(dice.pick(&[1, 2, 4, 16, 40]));
    }
    if dice.chance(0.3) {
        rules.length_unit = kin.size;
    }
    rules
}

/// Places bodies: apart from each other in layers or in a cloud, on top of each other, or in one
/// place.
fn arrange(dice: &mut Dice, ranges: &Ranges, bodies: &mut [BodyPlan], base: Vec3) {
    let reach = bodies.iter().fold(0.0, |most: Real, b| most.max(b.shape.reach()));
    if !dice.chance(ranges.overlapping) && dice.chance(0.15) {
        return stack(dice, bodies, base);
    }
    let overlapping = dice.chance(ranges.overlapping);
    let pitch = if overlapping { reach * dice.decades([0.02, 1.5]) as Real } else { 2.05 * reach };
    let width = dice.count([1, 4]);
    let skip = dice.count([1, 3]);
    for (k, body) in bodies.iter_mut().enumerate() {
        let cell = k * skip;
        let [x, z, y] = [cell % width, cell / width % width, cell / (width * width)].map(|i| i as Real);
        let middle = (width - 1) as Real * 0.5;
        body.position =
            base + Vec3::new(x - middle, y, z - middle) * pitch + Vec3::Y * reach + dice.in_cube(0.01 * pitch);
    }
}

/// Boxes on each other, at rest and upright.
fn stack(dice: &mut Dice, bodies: &mut [BodyPlan], base: Vec3) {
    let mut height = 0.0;
    let turned = Quat::from_rotation_y(dice.about(3.2));
    for body in bodies {
        let half = match &body.shape {
            Shape::Cuboid(half) => half.y,
            Shape::Cylinder(half, _) => *half,
            other => {
                let size = other.reach() * 0.5;
                body.shape = Shape::Cuboid(Vec3::splat(size));
                size
            }
        };
        body.position = base + Vec3::Y * (height + half);
        height += 2.0 * half;
        (body.orientation, body.linear, body.angular) = (turned, Vec3::ZERO, Vec3::ZERO);
    }
}

/// Joints along a chain, over a tree, or to the world.
fn connect(dice: &mut Dice, ranges: &Ranges, kin: &Kin, bodies: &[BodyPlan]) -> Vec<JointPlan> {
    let chain = dice.chance(0.5);
    let mut joints = Vec::new();
    for (k, body) in bodies.iter().enumerate().filter(|(_, body)| body.kind == RigidBody::Dynamic) {
        let id = joints.len() as u32;
        let to_world = k == 0 && dice.chance(0.6);
        if to_world {
            joints.push(joint(dice, ranges, kin, id, None, body));
        } else if k > 0 && dice.chance(0.8) {
            let other = if chain { k - 1 } else { dice.count([0, k - 1]) };
            joints.push(joint(dice, ranges, kin, id, Some(&bodies[other]), body));
        }
    }
    joints
}
