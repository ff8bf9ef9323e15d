//! Random bodies.

use super::parts::{any, material, weight};
use super::shapes::{sheet, solid, spoil};
use crate::campaign::dice::Dice;
use crate::campaign::modes::Ranges;
use crate::campaign::part::Part;
use crate::campaign::plan::BodyPlan;
use dolmen::components::{Density, KinematicTarget, RigidBody};
use dolmen::math::{Quat, Real, Vec3};

/// What the bodies of a world share.
#[derive(Clone, Copy)]
pub struct Kin {
    /// Half the length of a typical body (m).
    pub size: Real,
    /// Speed of the fastest (m/s).
    pub speed: Real,
    /// Spin of the fastest (rad/s).
    pub spin: Real,
    /// Density of a typical body (kg/m³).
    pub density: Real,
    /// True if all bodies are alike.
    pub alike: bool,
    /// Share of bodies with components of any type.
    pub decorated: f64,
}

impl Kin {
    pub fn new(dice: &mut Dice, ranges: &Ranges) -> Self {
        let size = dice.decades(ranges.size);
        let speed = if dice.chance(0.3) { 0.0 } else { (dice.decades(ranges.speed) * size).min(ranges.most_speed) };
        let spin = if dice.chance(0.4) { 0.0 } else { dice.decades([0.0, ranges.spin]) };
        Self {
            size: size as Real,
            speed: speed as Real,
            spin: spin as Real,
            density: dice.decades(ranges.density) as Real,
            alike: dice.chance(0.4),
            decorated: if dice.chance(0.5) { 0.0 } else { dice.within([0.05, 0.6]) },
        }
    }

    /// Mass of a typical body (kg).
    pub fn mass(&self) -> Real {
        4.0 * self.density * self.size.powi(3)
    }
}

/// A body that moves.
pub fn dynamic(dice: &mut Dice, ranges: &Ranges, kin: &Kin, id: u32, position: Vec3) -> BodyPlan {
    let spread = if kin.alike { 1.0 } else { dice.decades([1.0 / ranges.spread, ranges.spread]) } as Real;
    let most = ranges.size[1] as Real;
    let size = (kin.size * spread.min(1.5)).clamp(ranges.size[0] as Real, most);
    let shape = solid(dice, ranges, size);
    let mut parts = vec![Part::Material(material(dice, ranges))];
    if !shape.is_solid() || dice.chance(ranges.massed) {
        parts.extend(weight(dice, ranges, size));
    } else {
        let density = if kin.alike { kin.density } else { dice.decades(ranges.density) as Real };
        parts.push(Part::Density(Density(density)));
    }
    if dice.chance(kin.decorated) {
        parts.push(any(dice, ranges, size, kin.mass()));
    }
    let calm = dice.chance(0.3);
    let fast = |dice: &mut Dice, most: Real| if calm { Vec3::ZERO } else { dice.in_cube(most) };
    BodyPlan {
        id,
        of: None,
        kind: RigidBody::Dynamic,
        shape,
        position,
        orientation: dice.rotation(),
        linear: fast(dice, kin.speed),
        angular: fast(dice, kin.spin),
        parts,
        ignores: Vec::new(),
    }
}

/// An obstacle that stands, or that the game moves.
pub fn obstacle(dice: &mut Dice, ranges: &Ranges, kin: &Kin, id: u32, position: Vec3) -> BodyPlan {
    let size = kin.size * dice.within([0.5, 4.0]) as Real;
    let mut shape = solid(dice, ranges, size);
    if dice.chance(0.2) {
        shape = sheet(dice, size, 2, size);
    }
    if dice.chance(ranges.degenerate) {
        spoil(dice, &mut shape);
    }
    let moves = dice.chance(0.4);
    let mut parts = vec![Part::Material(material(dice, ranges))];
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    if moves && dice.chance(0.3) {
        let target = position + dice.in_cube(kin.size);
        parts.push(Part::KinematicTarget(KinematicTarget { position: target, orientation: Some(dice.rotation()) }));
    } else if moves {
        (linear, angular) = (dice.in_cube(3.0 * kin.size), dice.in_cube(1.0));
    }
    BodyPlan {
        id,
        of: None,
        kind: if moves { RigidBody::Kinematic } else { RigidBody::Static },
        shape,
        position,
        orientation: dice.rotation(),
        linear,
        angular,
        parts,
        ignores: Vec::new(),
    }
}

/// A further collider of a body.
pub fn further(dice: &mut Dice, ranges: &Ranges, kin: &Kin, id: u32, of: u32) -> BodyPlan {
    let size = kin.size * dice.within([0.2, 0.8]) as Real;
    let mut parts = Vec::new();
    if dice.chance(0.2) {
        parts.push(Part::Sensor(dolmen::components::Sensor));
    }
    let shape = loop {
        let shape = solid(dice, ranges, size);
        if shape.is_solid() {
            break shape;
        }
    };
    BodyPlan {
        id,
        of: Some(of),
        kind: RigidBody::Dynamic,
        shape,
        position: dice.in_cube(kin.size),
        orientation: if dice.chance(0.5) { Quat::IDENTITY } else { dice.rotation() },
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
        parts,
        ignores: Vec::new(),
    }
}
