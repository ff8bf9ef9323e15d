use super::first_negative;
use crate::math::{Real, Vec3, consts::FRAC_PI_4};
use hecs::Entity;

/// A character controller on a kinematic body with a convex collider: its abilities and inputs.
///
/// The game sets `walk`, `jump` and `climb`, and calls [`step_characters`](super::step_characters) before
/// each step, which gives the body a [`KinematicTarget`](crate::KinematicTarget) and writes
/// [`CharacterState`]. Writing the body's `Position` teleports it.
///
/// A shape with a rounded bottom of radius r climbs low edges like a slope: steps up to
/// `r (1 - cos(max_slope))`, whatever `step_height` is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Character {
    /// Wanted velocity relative to the ground (m/s); only its horizontal part counts.
    pub walk: Vec3,
    /// Jump speed (m/s): used by the next step if it begins on the ground, and set to zero by it in
    /// any case.
    pub jump: Real,
    /// Wanted speed along a [`Ladder`](super::Ladder) (m/s), positive upwards. A character that
    /// touches a ladder takes hold of it with any other value than 0 (on the ground: above 0), hangs
    /// on it at 0, and leaves it by a jump, at its ends, or where it reaches the ground downwards.
    pub climb: Real,
    /// Upward unit vector. Default y.
    pub up: Vec3,
    /// Steepest walkable slope (rad); on steeper ground a character on its feet meets a wall, and
    /// one in the air slides. Default 45 degrees.
    pub max_slope: Real,
    /// Greatest step height (m). Default 0.3.
    pub step_height: Real,
    /// Greatest distance (m) by which the ground is followed downwards, on stairs and over crests.
    /// Default 0.3.
    pub snap: Real,
    /// Distance kept from all surfaces (m). Default 0.005; use about 0.003 of the character's size.
    pub skin: Real,
    /// Greatest horizontal acceleration in the air (m/s²). Default 10.
    pub air_acceleration: Real,
    /// Mass whose weight acts on dynamic bodies under the character (kg). Default 80.
    pub mass: Real,
    /// Greatest force on a dynamic body that the character walks into (N). Default 500.
    pub push: Real,
}

impl Default for Character {
    fn default() -> Self {
        Self {
            walk: Vec3::ZERO,
            jump: 0.0,
            climb: 0.0,
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
    /// Describes the first invalid field, if any.
    pub(super) fn problem(&self) -> Option<String> {
        let vectors = [("walk", self.walk), ("up", self.up)];
        if let Some((name, value)) = vectors.iter().find(|(_, v)| !v.is_finite()) {
            return Some(format!("{name} must be finite, got {value}"));
        }
        if !self.up.is_normalized() {
            return Some(format!("up must be a unit vector, got {}", self.up));
        }
        if !self.climb.is_finite() {
            return Some(format!("climb must be finite, got {}", self.climb));
        }
        if !(self.skin > 0.0 && self.skin.is_finite()) {
            return Some(format!("skin must be positive and finite, got {}", self.skin));
        }
        first_negative(&[
            ("jump", self.jump),
            ("max_slope", self.max_slope),
            ("step_height", self.step_height),
            ("snap", self.snap),
            ("air_acceleration", self.air_acceleration),
            ("mass", self.mass),
            ("push", self.push),
        ])
    }
}

/// The ground under a character.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// The body.
    pub entity: Entity,
    /// Contact point at the start of the step (m, world).
    pub point: Vec3,
    /// Unit normal of the ground; on the edge of a step, that of its tread.
    pub normal: Vec3,
}

/// The state of a character, written by [`step_characters`](super::step_characters), which adds the
/// component if it is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterState {
    /// Velocity in the world (m/s): over the coming step on the ground, at its end in the air.
    /// Write it to throw the character.
    pub velocity: Vec3,
    /// The ground under the character; `None` in the air.
    pub ground: Option<Ground>,
    /// True if a surface other than ground blocked the motion.
    pub blocked: bool,
    /// The collider of the ladder that the character holds; `None` off ladders.
    pub ladder: Option<Entity>,
}
