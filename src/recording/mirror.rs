//! Copies of the components that no slot keeps, to find what the game changed since the last step.

use super::changes::Change;
use super::columns::{Name, Recorded, Value};
use super::taking::Participants;
use crate::bodies::Bodies;
use crate::components::{KinematicTarget, VelocityLimit};
use hecs::{Entity, World};
use rustc_hash::FxHashMap;

/// The copies.
#[derive(Default)]
pub(super) struct Mirror {
    targets: Copied<KinematicTarget>,
    limits: Copied<VelocityLimit>,
}

impl Mirror {
    /// Copies the components as they are now.
    pub fn new(world: &World, bodies: &Bodies) -> Self {
        let mut mirror = Self::default();
        mirror.changes(world, bodies, &mut Vec::new());
        mirror
    }

    /// Lists what the game changed, and copies it.
    pub fn changes(&mut self, world: &World, bodies: &Bodies, changes: &mut Vec<Change>) {
        let participants = Participants::new(world, bodies);
        self.targets.changes((world, &participants), Value::KinematicTarget, Name::KinematicTarget, changes);
        self.limits.changes((world, &participants), Value::VelocityLimit, Name::VelocityLimit, changes);
    }
}

/// The copy of one component, in hecs' order of rows.
struct Copied<T>(Vec<(Entity, T)>);

impl<T> Default for Copied<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Recorded> Copied<T> {
    fn changes(
        &mut self,
        (world, participants): (&World, &Participants),
        value: fn(T) -> Value,
        name: Name,
        changes: &mut Vec<Change>,
    ) {
        let mut query = world.query::<(Entity, &T)>();
        let takes_part = |(entity, _): &(Entity, &T)| participants.contains(*entity);
        let mut before = self.0.iter();
        let is_next = |(entity, now): (Entity, &T)| {
            before.next().is_some_and(|(other, before)| *other == entity && before.is_same(now))
        };
        if query.iter().filter(takes_part).all(is_next) && before.next().is_none() {
            return;
        }
        let before = std::mem::take(&mut self.0);
        let known: FxHashMap<Entity, &T> = before.iter().map(|(entity, before)| (*entity, before)).collect();
        for (entity, now) in query.iter().filter(takes_part) {
            if known.get(&entity).is_none_or(|before| !before.is_same(now)) {
                changes.push(Change::Edited(entity, vec![value(now.clone())], Vec::new()));
            }
            self.0.push((entity, now.clone()));
        }
        for &(entity, _) in &before {
            if participants.contains(entity) && !world.satisfies::<&T>(entity) {
                changes.push(Change::Edited(entity, Vec::new(), vec![name]));
            }
        }
    }
}
