#![allow(missing_docs)] // the tests share the arena

//! Rollback: a mixed scene of 600 steps, in which bodies are spawned and despawned, is restored at
//! random steps and replayed. Every replayed step must give the same bits as the first time.
//!
//! `cargo run --release --example rollback -- [restores]`; by default 100 restores.

use dolmen::prelude::*;
use hecs::{Entity, World};
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::process::ExitCode;

const DT: Real = 1.0 / 60.0;
/// Steps of the first run.
pub const STEPS: usize = 600;
/// Number of bodies at the start, and of those that form a chain.
const THINGS: usize = 48;
const CHAIN: usize = 5;

/// The game's record of its entities.
#[derive(Clone, Default)]
struct Cast {
    /// The bodies by number; `None` for despawned ones.
    things: Vec<Option<Entity>>,
    /// The joints of the chain.
    links: Vec<Entity>,
    lift: Option<Entity>,
}

/// A saved game.
#[derive(Default)]
pub struct Saved {
    step: usize,
    cast: Cast,
    pub snapshot: dolmen::Snapshot,
}

/// The scene, at some step.
pub struct Arena {
    world: World,
    physics: Physics,
    cast: Cast,
    shapes: Vec<Collider>,
    pub step: usize,
}

/// A hash of two numbers, from 0 to 1.
fn chance(a: usize, b: usize) -> Real {
    let mut x = (a as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (b as u64 + 7).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x >> 40) as f32 / (1 << 24) as f32) as Real
}

impl Arena {
    pub fn new(threads: usize) -> Self {
        let bar = Collider::compound(vec![
            (Vec3::X * 0.3, Quat::IDENTITY, Collider::cuboid(0.25, 0.2, 0.2)),
            (Vec3::X * -0.3, Quat::IDENTITY, Collider::ball(0.25)),
        ]);
        let mut shapes = vec![
            Collider::cuboid(0.3, 0.3, 0.3),
            Collider::ball(0.3),
            Collider::capsule(0.2, 0.2),
            Collider::cylinder(0.3, 0.25),
            bar.expect("two parts"),
        ];
        let heights: Vec<Real> = (0..121).map(|i| 0.15 * chance(i, 0)).collect();
        shapes.push(Collider::heightfield(11, 11, &heights, Vec3::new(24.0, 1.0, 24.0)).expect("11 x 11 heights"));
        shapes.push(Collider::cuboid(1.0, 0.1, 1.0));
        let physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
        let mut arena = Self { world: World::new(), physics, cast: Cast::default(), shapes, step: 0 };
        arena.furnish();
        arena.cast.things = vec![None; THINGS + STEPS];
        for number in 0..THINGS {
            arena.spawn(number, None);
        }
        arena.hang();
        arena
    }

    /// An arena whose world has the same bodies under different entities, and whose physics has not
    /// stepped.
    pub fn elsewhere(saved: &Saved, threads: usize) -> Self {
        let mut arena = Self::new(threads);
        // Makes the entity ids differ.
        for _ in 0..200 {
            arena.world.spawn(());
        }
        for number in 0..arena.cast.things.len() {
            if let Some(entity) = arena.cast.things[number].take() {
                arena.world.despawn(entity).expect("it was there");
            }
        }
        for link in std::mem::take(&mut arena.cast.links) {
            arena.world.despawn(link).expect("it was there");
        }
        for number in (0..arena.cast.things.len()).filter(|&number| saved.cast.things[number].is_some()) {
            arena.spawn(number, None);
        }
        arena.hang();
        arena
    }

    /// The ground, a sensor, and a lift with a further collider.
    fn furnish(&mut self) {
        let ground = Body::fixed(self.shapes[5].clone());
        self.world.spawn(ground);
        self.world.spawn(Body::fixed(self.shapes[6].clone()).at(0.0, 1.0, 0.0).sensor());
        let lift = self.world.spawn(Body::kinematic(self.shapes[6].clone()).at(4.0, 0.5, 0.0));
        let target = KinematicTarget::at(Vec3::new(4.0, 0.5, 0.0));
        self.world.insert_one(lift, target).expect("it was just spawned");
        let rail = ColliderOf { body: lift, position: Vec3::Y * 0.2, orientation: Quat::IDENTITY };
        self.world.spawn((self.shapes[0].clone(), rail));
        self.cast.lift = Some(lift);
    }

    /// Spawns a body, under a given entity if there is one.
    fn spawn(&mut self, number: usize, entity: Option<Entity>) {
        let at = if number < CHAIN {
            Vec3::new(-6.0, 4.5 - 0.8 * number as Real, 0.0)
        } else {
            let column = Vec3::new(chance(number, 1), 0.0, chance(number, 2)) * 8.0 - Vec3::new(4.0, 0.0, 4.0);
            column + Vec3::Y * (1.5 + 0.12 * (number % THINGS) as Real)
        };
        let shape = if number < CHAIN { &self.shapes[2] } else { &self.shapes[number % 5] };
        let material = Material::new(0.5, if number.is_multiple_of(3) { 0.5 } else { 0.0 });
        let body = Body::dynamic(shape.clone()).position(at).material(material).impulse(ExternalImpulse::default());
        self.cast.things[number] = Some(match entity {
            Some(entity) => {
                self.world.spawn_at(entity, body);
                entity
            }
            None => self.world.spawn(body),
        });
    }

    /// Spawns the joints of the chain.
    fn hang(&mut self) {
        for k in 0..CHAIN {
            let link = self.link(k);
            self.cast.links.push(self.world.spawn(link));
        }
    }

    /// The joint above a link of the chain.
    fn link(&self, k: usize) -> (Joint, JointState) {
        let above = if k == 0 { None } else { self.cast.things[k - 1] };
        let own = self.cast.things[k].expect("the chain is never broken");
        let joint = Joint::spherical(above, own);
        let up = Vec3::Y * 0.4;
        let joint = if k == 0 { joint.anchors(Vec3::new(-6.0, 4.9, 0.0), up) } else { joint.anchors(-up, up) };
        (joint, JointState::default())
    }

    /// The game's edits before a step; they depend on the step's number only.
    fn script(&mut self) {
        let step = self.step;
        let lift = self.cast.lift.expect("furnished");
        let height = 0.5 + 0.4 * (0.02 * step as Real).sin();
        self.world.get::<&mut KinematicTarget>(lift).expect("furnished").position.y = height;
        if step % 4 == 1 {
            self.spawn(THINGS + step, None);
        }
        if step % 5 == 2 {
            // Despawns the oldest body that is not on the chain.
            let gone = (CHAIN..self.cast.things.len()).find(|&n| self.cast.things[n].is_some() && n % 7 != step % 7);
            if let Some(entity) = gone.and_then(|number| self.cast.things[number].take()) {
                self.world.despawn(entity).expect("it was there");
            }
        }
        if step % 40 == 20 {
            for entity in self.cast.things.iter().flatten().step_by(4) {
                let mut impulse = self.world.get::<&mut ExternalImpulse>(*entity).expect("spawned with it");
                impulse.linear = Vec3::new(chance(step, 3) - 0.5, 1.0, chance(step, 4) - 0.5) * 0.3;
            }
        }
        if step % 90 == 45 {
            let entity = self.cast.things.iter().flatten().nth(CHAIN + 3).expect("some are there");
            self.world.get::<&mut Position>(*entity).expect("spawned with it").0.y += 2.0;
        }
    }

    pub fn physics(&mut self) -> &mut Physics {
        &mut self.physics
    }

    /// Takes a step and returns a hash of the visible state.
    pub fn play(&mut self) -> u64 {
        self.script();
        self.physics.step(&mut self.world, DT).expect("the scene is sound");
        self.step += 1;
        self.hash()
    }

    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let mut put = |values: &[Real]| values.iter().for_each(|x| hasher.write_u64(f64::from(*x).to_bits()));
        for entity in self.cast.things.iter().flatten() {
            let mut body =
                self.world.query_one::<(&Position, &Orientation, &LinearVelocity, &AngularVelocity)>(*entity);
            let (position, orientation, linear, angular) = body.get().expect("a body");
            put(&position.0.to_array());
            put(&orientation.0.to_array());
            put(&linear.0.to_array());
            put(&angular.0.to_array());
        }
        for link in &self.cast.links {
            let shown = *self.world.get::<&JointState>(*link).expect("a joint");
            put(&shown.angle.to_array());
            put(&shown.force.to_array());
        }
        for contact in self.physics.contacts() {
            put(&contact.impulse.to_array());
        }
        for event in self.physics.events() {
            if let Event::Impact { impulse, point, .. } = event {
                put(&(*impulse + *point).to_array());
            }
        }
        // Only the names of events: entities may differ.
        for event in self.physics.events() {
            hasher.write(format!("{event:?}").split(' ').next().unwrap_or_default().as_bytes());
        }
        hasher.finish()
    }

    pub fn save(&self, saved: &mut Saved) {
        saved.step = self.step;
        saved.cast.clone_from(&self.cast);
        self.physics.save_into(&self.world, &mut saved.snapshot);
    }

    /// Restores the game's entities, then the physics.
    pub fn restore(&mut self, saved: &Saved) {
        let numbers = 0..self.cast.things.len();
        for number in numbers.clone() {
            let now = self.cast.things[number];
            if let Some(entity) = now.filter(|_| now != saved.cast.things[number]) {
                self.world.despawn(entity).expect("it was there");
                self.cast.things[number] = None;
            }
        }
        for number in numbers {
            if self.cast.things[number].is_none() && saved.cast.things[number].is_some() {
                self.spawn(number, saved.cast.things[number]);
            }
        }
        let restored = self.physics.restore(&mut self.world, &saved.snapshot);
        assert!(restored.missing.is_empty(), "{:?}", restored.missing);
        self.step = saved.step;
    }

    /// Restores an arena made by [`Self::elsewhere`].
    pub fn restore_renamed(&mut self, saved: &Saved, old_world: &Arena) {
        let (old, new) = (&old_world.cast, &self.cast);
        let find = |entity: Entity| {
            let thing = (0..new.things.len()).find(|&number| saved.cast.things[number] == Some(entity));
            let link = old.links.iter().position(|&link| link == entity);
            // Entities that are never despawned were spawned in the same order in both worlds.
            thing.map(|number| new.things[number]).or(link.map(|k| Some(new.links[k]))).unwrap_or(Some(entity))
        };
        let restored = self.physics.restore_with(&mut self.world, &saved.snapshot, find);
        assert!(restored.missing.is_empty(), "{:?}", restored.missing);
        self.step = saved.step;
    }
}

/// Takes all steps; returns the hash of each, and a saved game of every `every`th step.
pub fn first_run(arena: &mut Arena, every: usize) -> (Vec<u64>, Vec<Saved>) {
    let (mut hashes, mut saves) = (Vec::new(), Vec::new());
    for step in 0..STEPS {
        if step % every == 0 {
            saves.push(Saved::default());
            arena.save(saves.last_mut().expect("just pushed"));
        }
        hashes.push(arena.play());
    }
    (hashes, saves)
}

/// Restores random saved games and replays some steps; the error names the first step that differs.
pub fn replay(arena: &mut Arena, hashes: &[u64], saves: &[Saved], restores: usize) -> Result<usize, String> {
    let mut steps = 0;
    for turn in 0..restores {
        let saved = &saves[(chance(turn, 5) * saves.len() as Real) as usize % saves.len()];
        arena.restore(saved);
        let length = 1 + (chance(turn, 6) * 24.0) as usize;
        for _ in 0..length.min(STEPS - saved.step) {
            let step = arena.step;
            if arena.play() != hashes[step] {
                return Err(format!("step {step} came out otherwise, {} after the restored one", step - saved.step));
            }
            steps += 1;
        }
    }
    Ok(steps)
}

/// Restores saved moments of an arena at random, plays on from each, and compares the bits.
#[derive(clap::Parser)]
#[allow(dead_code)] // the tests that share the arena have one of their own
struct Options {
    /// Number of moments to restore.
    #[arg(default_value_t = 100)]
    restores: usize,
}

#[allow(dead_code)] // as above
fn main() -> ExitCode {
    let restores = <Options as clap::Parser>::parse().restores;
    let mut arena = Arena::new(2);
    let (hashes, saves) = first_run(&mut arena, 3);
    println!("{STEPS} steps played, {} saved: {:?}", saves.len(), saves.last().map(|saved| &saved.snapshot));
    match replay(&mut arena, &hashes, &saves, restores) {
        Ok(steps) => {
            println!("verdict: restored {restores} times and {steps} steps played again, every one with the same bits");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("verdict: {problem}");
            ExitCode::FAILURE
        }
    }
}
