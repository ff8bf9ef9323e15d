//! Whether a body sleeps, and what keeps its island awake.

use crate::bodies::Kind;
use crate::ids::NONE;
use crate::math::Real;
use crate::state::State;
use crate::tolerances::SLEEP;
use hecs::Entity;
use std::fmt;

/// Whether a body sleeps after a step, and if not, what keeps it and its island awake; see
/// [`Physics::activity`](crate::Physics::activity). Displayed as a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activity {
    /// A static or kinematic body, which neither sleeps nor wakes.
    NotDynamic,
    /// Asleep, with so many bodies in its island, itself included.
    Asleep {
        /// Number of bodies.
        bodies: usize,
    },
    /// [`Settings::sleep`](crate::Settings::sleep) is off.
    SleepIsOff,
    /// A body of the island never sleeps: [`SleepControl::Never`](crate::SleepControl::Never).
    KeptAwake {
        /// The body.
        body: Entity,
    },
    /// Nothing touches it: only bodies in contact or on joints fall asleep.
    Free,
    /// A body of the island is on a joint of, or in contact with, a moving kinematic body.
    Driven {
        /// The driven body.
        body: Entity,
    },
    /// The fastest body of the island is too fast to sleep.
    Moving {
        /// The fastest body.
        body: Entity,
        /// Speed of its farthest point (m/s).
        speed: Real,
    },
    /// All bodies of the island are slow, but the forces of the last step hold not all of them in
    /// equilibrium.
    Unbalanced {
        /// Number of bodies of the island.
        bodies: usize,
    },
    /// All bodies of the island are slow and in equilibrium, for so many steps of those that sleep
    /// takes.
    Settling {
        /// Steps so far.
        steps: u16,
        /// Steps that sleep takes.
        of: u16,
    },
}

impl Activity {
    /// The activity of the body of a slot.
    pub(crate) fn of(state: &State, slot: usize) -> Self {
        let State { bodies, islands, sleep, settings, contacts, .. } = state;
        if bodies.kind[slot] != Kind::Dynamic {
            return Self::NotDynamic;
        }
        let asleep = bodies.sleeping_island[slot];
        if asleep != NONE {
            return Self::Asleep { bodies: bodies.sleeping_island.iter().filter(|&&other| other == asleep).count() };
        }
        if !settings.sleep {
            return Self::SleepIsOff;
        }
        if bodies.never_sleeps(slot) {
            return Self::KeptAwake { body: bodies.entity[slot] };
        }
        let Some(island) = islands.island_of.get(slot).and_then(|&number| islands.islands.get(number as usize)) else {
            return Self::Free;
        };
        let members = || islands.bodies[island.body_range()].iter().map(|&slot| slot as usize);
        if let Some(slot) = members().find(|&slot| bodies.never_sleeps(slot)) {
            return Self::KeptAwake { body: bodies.entity[slot] };
        }
        let is_kinematic = |slot: u32| bodies.is_moving_kinematic(slot as usize);
        let carried =
            contacts.contacts[island.contact_range()].iter().find_map(|contact| match [contact.a, contact.b] {
                [a, b] if is_kinematic(a) => Some(b),
                [a, b] if is_kinematic(b) => Some(a),
                _ => None,
            });
        let on_joint = || members().find(|&slot| sleep.driven.get(slot) == Some(&true));
        if let Some(driven) = carried.map(|slot| slot as usize).or_else(on_joint) {
            return Self::Driven { body: bodies.entity[driven] };
        }
        let speed = |slot: usize| {
            bodies.linear_velocity[slot].length() + bodies.angular_velocity[slot].length() * bodies.turning_radius(slot)
        };
        let fastest = members().map(|slot| (speed(slot), slot)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((speed, slot)) = fastest.filter(|(speed, _)| *speed > SLEEP.speed * settings.length_unit) {
            return Self::Moving { body: bodies.entity[slot], speed };
        }
        match members().map(|slot| sleep.stillness[slot].still_steps).min().unwrap_or(0) {
            0 => Self::Unbalanced { bodies: members().count() },
            steps => Self::Settling { steps: steps.min(SLEEP.steps), of: SLEEP.steps },
        }
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotDynamic => write!(f, "no dynamic body, so that it neither sleeps nor wakes"),
            Self::Asleep { bodies: 1 } => write!(f, "asleep: its forces hold it in equilibrium"),
            Self::Asleep { bodies } => {
                write!(f, "asleep: the forces of its island hold all {bodies} bodies in equilibrium")
            }
            Self::SleepIsOff => write!(f, "awake: sleep is off in the settings"),
            Self::KeptAwake { body } => write!(f, "awake: the game lets {body:?} never sleep"),
            Self::Free => write!(f, "awake: nothing touches it"),
            Self::Driven { body } => write!(f, "awake: a kinematic body moves {body:?}"),
            Self::Moving { body, speed } => write!(f, "awake: {body:?} of its island moves at {speed:.3} m/s"),
            Self::Unbalanced { bodies: 1 } => write!(f, "awake: slow, but its forces do not prove an equilibrium"),
            Self::Unbalanced { bodies } => {
                write!(f, "awake: its {bodies} bodies are slow, but their forces do not prove an equilibrium")
            }
            Self::Settling { steps, of } => write!(f, "awake: at rest for {steps} of {of} steps"),
        }
    }
}
