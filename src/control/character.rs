use crate::math::{Real, Vec3, consts::FRAC_PI_4};
use hecs::Entity;

/// Someone who walks: what they can, and what they want. On a kinematic body with a convex collider whose origin is anywhere in it.
///
/// The game sets `walk` and `jump`, and calls [`step_characters`](super::step_characters) before each step; that gives the body a
/// [`KinematicTarget`](crate::KinematicTarget) and writes [`CharacterState`]. Setting the body's `Position` teleports it.
///
/// A rounded bottom rolls over low edges as over a slope: of a ball of radius r at its foot, steps up to
/// `r (1 - cos(max_slope))` are climbed whatever `step_height` says.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Character {
    /// The velocity that is wanted over the ground (m/s); only its level part counts.
    pub walk: Vec3,
    /// The speed of a jump (m/s): taken by the next step if that begins on the ground, and set to zero by it in any case.
    pub jump: Real,
    /// Unit vector upwards. Default y.
    pub up: Vec3,
    /// The steepest ground that is walked on (rad); what is steeper is a wall for who walks and a slide for who falls. Default
    /// 45 degrees.
    pub max_slope: Real,
    /// The highest step that is climbed (m). Default 0.3.
    pub step_height: Real,
    /// How far down the ground is followed (m), down stairs and over crests. Default 0.3.
    pub snap: Real,
    /// The distance that is kept from every surface (m). Default 0.005: for others than people, about 0.003 of their size.
    pub skin: Real,
    /// How fast the level velocity can change in the air (m/s²). Default 10.
    pub air_acceleration: Real,
    /// Weight upon dynamic bodies that are stood upon (kg). Default 80.
    pub mass: Real,
    /// The greatest force on a dynamic body that is walked into (N). Default 500.
    pub push: Real,
}

impl Default for Character {
    fn default() -> Self {
        Self {
            walk: Vec3::ZERO,
            jump: 0.0,
            up: Vec3::Y,
            max_slope: FRAC_PI_4,
            step_height: 0.3,
            snap: 0.3,
            skin: 0.005,
            air_acceleration: 10.0,
            mass: 80.0,
            push: 500.0,
        }
    }
}

impl Character {
    /// What is impossible about it, if anything.
    pub(super) fn problem(&self) -> Option<String> {
        let vectors = [("walk", self.walk), ("up", self.up)];
        if let Some((name, value)) = vectors.iter().find(|(_, v)| !v.is_finite()) {
            return Some(format!("{name} must be finite, got {value}"));
        }
        if !self.up.is_normalized() {
            return Some(format!("up must be a unit vector, got {}", self.up));
        }
        if !(self.skin > 0.0 && self.skin.is_finite()) {
            return Some(format!("skin must be positive and finite, got {}", self.skin));
        }
        let numbers = [
            ("jump", self.jump),
            ("max_slope", self.max_slope),
            ("step_height", self.step_height),
            ("snap", self.snap),
            ("air_acceleration", self.air_acceleration),
            ("mass", self.mass),
            ("push", self.push),
        ];
        let bad = numbers.iter().find(|(_, value)| !(*value >= 0.0 && value.is_finite()));
        bad.map(|(name, value)| format!("{name} must be at least 0 and finite, got {value}"))
    }
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// The body.
    pub entity: Entity,
    /// Where (m, world), before the step.
    pub point: Vec3,
    /// Unit normal of what is walked on: on the edge of a step, that of its tread.
    pub normal: Vec3,
}

/// What a character does: written by [`step_characters`](super::step_characters), which adds it where it is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterState {
    /// Velocity in the world, over the coming step and, in the air, at its end (m/s). Set it to throw the character.
    pub velocity: Vec3,
    /// What it stands on; nothing in the air.
    pub ground: Option<Ground>,
    /// Whether anything but ground was in its way.
    pub blocked: bool,
}
