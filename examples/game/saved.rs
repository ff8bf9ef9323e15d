//! A saved game: the bytes of a snapshot file, and the state that the game restores itself.

use super::{Game, Score, Thing};
use dolmen::Snapshot;
use dolmen::control::{AppliedLoad, Character, CharacterState};
use dolmen::prelude::*;
use hecs::Entity;

/// The components that the game or its controllers write.
struct Kept {
    entity: Entity,
    thing: Thing,
    steered: Option<(Character, CharacterState, KinematicTarget)>,
    loaded: Option<(AppliedLoad, ExternalForce, ExternalTorque)>,
}

/// A saved game.
pub struct Saved {
    physics: Vec<u8>,
    things: Vec<Kept>,
    facing: Vec3,
    score: Score,
    clock: u64,
    dice: u64,
}

impl Saved {
    /// The game as it is now.
    pub fn of(game: &Game) -> Self {
        type Steered<'a> = (&'a Character, &'a CharacterState, &'a KinematicTarget);
        type Loaded<'a> = (&'a AppliedLoad, &'a ExternalForce, &'a ExternalTorque);
        let mut all = game.world.query::<(Entity, &Thing, Option<Steered>, Option<Loaded>)>();
        let things = all.iter().map(|(entity, thing, steered, loaded)| Kept {
            entity,
            thing: *thing,
            steered: steered.map(|(a, b, c)| (*a, *b, *c)),
            loaded: loaded.map(|(a, b, c)| (*a, *b, *c)),
        });
        Self {
            physics: game.physics.save(&game.world).to_bytes(),
            things: things.collect(),
            facing: game.facing,
            score: game.score,
            clock: game.clock,
            dice: game.dice,
        }
    }

    /// Restores the game: despawns new entities, and spawns despawned ones again under their old
    /// ids.
    pub fn restore(&self, game: &mut Game) {
        let now: Vec<Entity> = game.world.query::<(Entity, &Thing)>().iter().map(|(entity, _)| entity).collect();
        for entity in now {
            game.world.despawn(entity).expect("it was there just now");
        }
        for kept in &self.things {
            let (body, glyph) = game.body(kept.thing, Vec3::ZERO);
            game.world.spawn_at(kept.entity, body);
            let known = "it was spawned just now";
            game.world.insert(kept.entity, (kept.thing, glyph)).expect(known);
            if let Some(steered) = kept.steered {
                game.world.insert(kept.entity, steered).expect(known);
            }
            if let Some(loaded) = kept.loaded {
                game.world.insert(kept.entity, loaded).expect(known);
            }
        }
        let snapshot = Snapshot::from_bytes(&self.physics).expect("the bytes of a snapshot");
        let restored = game.physics.restore(&mut game.world, &snapshot);
        assert!(restored.missing.is_empty(), "all entities were spawned again");
        (game.facing, game.score, game.clock, game.dice) = (self.facing, self.score, self.clock, self.dice);
    }
}
