//! Random components.

use crate::campaign::dice::Dice;
use crate::campaign::modes::Ranges;
use crate::campaign::part::Part;
use dolmen::components::*;
use dolmen::math::{Quat, Real, Vec3};

/// A material.
pub fn material(dice: &mut Dice, ranges: &Ranges) -> Material {
    let friction = if dice.chance(0.2) { 0.0 } else { dice.within([0.0, ranges.friction]) as Real };
    let restitution = if dice.chance(0.5) { 0.0 } else { dice.within([0.0, ranges.restitution]) as Real };
    let mut material = Material::new(friction, restitution);
    if dice.chance(0.2) {
        material.static_friction *= 1.3;
    }
    if dice.chance(0.15) {
        material.rolling_friction = dice.decades([1e-3, 0.1]) as Real;
    }
    if dice.chance(0.1) {
        material.impact_law = Some(ImpactLaw::Newton);
    }
    if dice.chance(0.2) {
        let rules = [CombineRule::Average, CombineRule::Minimum, CombineRule::Multiply, CombineRule::Maximum];
        material.rules = CombineRules { friction: dice.pick(&rules), restitution: dice.pick(&rules) };
    }
    material
}

/// A mass (kg) and a fitting inertia of a body of a size (m).
pub fn weight(dice: &mut Dice, ranges: &Ranges, size: Real) -> [Part; 2] {
    let mass = dice.decades(ranges.mass) as Real;
    let moment = 0.4 * mass * size * size;
    let principal = Vec3::splat(moment) * (Vec3::ONE + dice.in_cube(0.2));
    [Part::Mass(Mass(mass)), Part::Inertia(Inertia { principal, frame: Quat::IDENTITY })]
}

/// A component of any type, for a body of a size (m) and about a mass (kg).
pub fn any(dice: &mut Dice, ranges: &Ranges, size: Real, mass: Real) -> Part {
    let push = mass * 20.0 * dice.within([0.0, 1.0]) as Real;
    match dice.count([0, 17]) {
        0..=1 => Part::Material(material(dice, ranges)),
        2 => Part::Density(Density(dice.decades(ranges.density) as Real)),
        3 => Part::Mass(Mass(mass * dice.decades([0.1, 10.0]) as Real)),
        4 => Part::CenterOfMass(CenterOfMass(dice.in_cube(0.3 * size))),
        5 => Part::ExternalForce(ExternalForce(dice.direction() * push)),
        6 => Part::ExternalTorque(ExternalTorque(dice.direction() * push * size)),
        7 => {
            let linear = dice.direction() * push * 0.1;
            Part::ExternalImpulse(ExternalImpulse { linear, angular: dice.direction() * push * size * 0.1 })
        }
        8 => Part::GravityScale(GravityScale(dice.pick(&[0.0, 0.5, -1.0, 3.0]))),
        9 => Part::Damping(Damping {
            linear: dice.decades([1e-3, 10.0]) as Real,
            angular: dice.decades([1e-3, 10.0]) as Real,
        }),
        10 => Part::LockedAxes(dice.pick(&[
            LockedAxes::TRANSLATION,
            LockedAxes::ROTATION,
            LockedAxes::PLANE_XY,
            LockedAxes::TRANSLATION_Y,
            LockedAxes::ROTATION_X | LockedAxes::TRANSLATION_Z,
            LockedAxes::TRANSLATION | LockedAxes::ROTATION,
        ])),
        11 => Part::CollisionLayers(CollisionLayers {
            layers: 1 << dice.count([0, 3]),
            mask: dice.pick(&[u32::MAX, 1, 3, 0]),
        }),
        12 => Part::Sensor(Sensor),
        13 => Part::Ccd(Ccd),
        14 => Part::SurfaceVelocity(SurfaceVelocity(dice.in_cube(3.0 * size))),
        15 => Part::ContactForceThreshold(ContactForceThreshold(push)),
        16 => Part::VelocityLimit(VelocityLimit {
            linear: size * dice.decades([0.1, 100.0]) as Real,
            angular: dice.decades([0.1, 100.0]) as Real,
        }),
        _ => Part::Inertia(Inertia { principal: Vec3::splat(0.4 * mass * size * size), frame: dice.rotation() }),
    }
}
