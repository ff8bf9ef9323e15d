#![allow(missing_docs)] // a test includes this file

//! A small complete game: a yard seen from above. Walk, throw marbles, ring the bell with them,
//! collect coins, push crates into the drain. Everything is an entity of a hecs world, with the
//! game's components beside those of the physics.
//!
//! In a terminal: w a s d walk, space throws, k saves the game, l loads it, q quits. (Without
//! `stty`, as on Windows, press return after the keys.) Without a terminal, or with `--script`, the
//! game plays itself for half a minute of game time, saves in the middle, and later replays the
//! same seconds.

#[path = "game/input.rs"]
mod input;
#[path = "game/rosette.rs"]
mod rosette;
#[path = "game/saved.rs"]
mod saved;

use dolmen::control::{Character, CharacterState, step_characters};
use dolmen::prelude::*;
use dolmen::query::{Filter, Ray, Sensors};
use hecs::{Entity, World};
use input::{Keyboard, Wish};
use saved::Saved;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const DT: Real = 1.0 / 60.0;
/// Half the yard along x and z (m).
const YARD: [Real; 2] = [12.0, 7.0];
/// Lifetime of a marble (steps).
const MARBLE_LIFE: u64 = 240;

/// The kind of an entity of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thing {
    Player,
    Crate,
    Coin,
    Marble { born: u64 },
}

/// The character that represents an entity seen from above.
#[derive(Clone, Copy, Debug)]
pub struct Glyph(char);

/// The score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    pub points: u32,
    coins: u32,
    crates: u32,
    rings: u32,
    thrown: u32,
}

/// The game.
pub struct Game {
    pub world: World,
    pub physics: Physics,
    shapes: Shapes,
    player: Entity,
    drain: Entity,
    bell: Entity,
    sweeper: Entity,
    /// Direction of the player.
    facing: Vec3,
    pub score: Score,
    clock: u64,
    dice: u64,
}

/// The shapes of spawned entities, made once: a new shape of equal size is a different shape.
struct Shapes {
    block: Collider,
    coin: Collider,
    marble: Collider,
    player: Collider,
}

impl Game {
    pub fn start() -> Self {
        let (mut world, mut physics) = (World::new(), Physics::default());
        rosette::register(&mut physics.kernels);
        let shapes = Shapes {
            block: Collider::cuboid(0.4, 0.4, 0.4),
            coin: Collider::cylinder(0.05, 0.35),
            marble: Collider::ball(0.15),
            player: Collider::capsule(0.4, 0.35),
        };
        let fixed = |world: &mut World, body: Body, glyph| {
            let entity = world.spawn(body);
            world.insert_one(entity, Glyph(glyph)).expect("it was spawned just now");
            entity
        };
        fixed(&mut world, Body::fixed(Collider::half_space(Vec3::Y)), ' ');
        let [x, z] = YARD;
        for (half, at) in [([x, 0.5], [0.0, z]), ([x, 0.5], [0.0, -z]), ([0.5, z], [x, 0.0]), ([0.5, z], [-x, 0.0])] {
            fixed(&mut world, Body::fixed(Collider::cuboid(half[0], 1.0, half[1])).at(at[0], 1.0, at[1]), '#');
        }
        let bell = Body::fixed(Collider::custom(rosette::BELL)).at(-5.0, 1.0, -2.5);
        let bell = fixed(&mut world, bell.material(Material::new(0.2, 0.8)), '*');
        let drain = fixed(&mut world, Body::fixed(Collider::cuboid(1.5, 0.2, 1.5)).at(9.5, 0.2, 4.5).sensor(), '~');
        let bar = Body::kinematic(Collider::cuboid(2.6, 0.3, 0.15)).at(4.5, 0.35, -2.5).angular_velocity(Vec3::Y);
        let sweeper = fixed(&mut world, bar, '=');
        let player = world.spawn(Body::kinematic(shapes.player.clone()).at(0.0, 0.8, 0.0));
        let more = (Thing::Player, Glyph('@'), Character::default(), CharacterState::default());
        world.insert(player, more).expect("it was spawned just now");
        let (facing, score) = (Vec3::X, Score::default());
        let mut game = Self { world, physics, shapes, player, drain, bell, sweeper, facing, score, clock: 0, dice: 7 };
        for k in 0..6 {
            game.spawn(Thing::Crate, Vec3::new(6.5 + 0.9 * (k % 2) as Real, 0.4, 3.4 + 0.9 * (k / 2) as Real));
        }
        (0..5).for_each(|_| game.drop_coin());
        game
    }

    /// The components of an entity.
    fn body(&self, thing: Thing, at: Vec3) -> (Body, Glyph) {
        match thing {
            Thing::Player => (Body::kinematic(self.shapes.player.clone()).position(at), Glyph('@')),
            Thing::Crate => (Body::dynamic(self.shapes.block.clone()).position(at).density(80.0), Glyph('B')),
            Thing::Coin => (Body::fixed(self.shapes.coin.clone()).position(at).sensor(), Glyph('$')),
            Thing::Marble { .. } => {
                let body = Body::dynamic(self.shapes.marble.clone()).position(at).density(2500.0).ccd();
                (body.material(Material::new(0.3, 0.6)), Glyph('o'))
            }
        }
    }

    fn spawn(&mut self, thing: Thing, at: Vec3) -> Entity {
        let (body, glyph) = self.body(thing, at);
        let entity = self.world.spawn(body);
        self.world.insert(entity, (thing, glyph)).expect("it was spawned just now");
        entity
    }

    /// A random number from -1 to 1; the sequence is the same in every game.
    fn roll(&mut self) -> Real {
        self.dice = self.dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.dice >> 40) as f32 / (1 << 23) as f32 - 1.0) as Real
    }

    fn drop_coin(&mut self) {
        let at = Vec3::new(self.roll() * (YARD[0] - 1.5), 0.5, self.roll() * (YARD[1] - 1.5));
        self.spawn(Thing::Coin, at);
    }

    fn at(&self, entity: Entity) -> Vec3 {
        self.world.get::<&Position>(entity).map_or(Vec3::ZERO, |position| position.0)
    }

    fn is(&self, entity: Entity, wanted: fn(Thing) -> bool) -> bool {
        self.world.get::<&Thing>(entity).is_ok_and(|thing| wanted(*thing))
    }

    /// One step of the game: input, physics, rules.
    pub fn step(&mut self, wish: Wish) -> Result<(), dolmen::StepError> {
        if let Some(facing) = wish.walk.try_normalize() {
            self.facing = facing;
        }
        if let Ok(mut character) = self.world.get::<&mut Character>(self.player) {
            character.walk = wish.walk.clamp_length_max(1.0) * 4.0;
        }
        if wish.throw {
            let from = self.at(self.player) + self.facing * 0.6;
            let marble = self.spawn(Thing::Marble { born: self.clock }, from);
            let velocity = LinearVelocity(self.facing * 11.0 + Vec3::Y * 1.5);
            self.world.insert_one(marble, velocity).expect("it was spawned just now");
            self.score.thrown += 1;
        }
        step_characters(&mut self.world, &self.physics, DT)?;
        self.physics.step(&mut self.world, DT)?;
        self.clock += 1;
        self.judge();
        Ok(())
    }

    /// The rules, applied to the events of the step.
    fn judge(&mut self) {
        let mut gone = Vec::new();
        for event in self.physics.events() {
            match *event {
                Event::SensorEntered { entities: [a, b] } => {
                    for (one, other) in [(a, b), (b, a)] {
                        if self.is(one, |thing| thing == Thing::Coin) && other == self.player {
                            self.score.coins += 1;
                            gone.push(one);
                        } else if one == self.drain && self.is(other, |thing| thing == Thing::Crate) {
                            self.score.crates += 1;
                            gone.push(other);
                        }
                    }
                }
                Event::Impact { entities, speed, .. } if entities.contains(&self.bell) && speed > 3.0 => {
                    self.score.rings +=
                        u32::from(entities.iter().any(|e| self.is(*e, |t| matches!(t, Thing::Marble { .. }))));
                }
                _ => {}
            }
        }
        let old = |thing: &Thing| matches!(thing, Thing::Marble { born } if born + MARBLE_LIFE <= self.clock);
        gone.extend(self.world.query::<(Entity, &Thing)>().iter().filter(|(_, thing)| old(thing)).map(|(e, _)| e));
        for entity in gone {
            let (was, at) = (self.world.get::<&Thing>(entity).map(|thing| *thing), self.at(entity));
            self.world.despawn(entity).expect("no event names what is gone");
            match was {
                Ok(Thing::Coin) => self.drop_coin(),
                Ok(Thing::Crate) => {
                    let fresh = Vec3::new(-8.0, at.y + 1.0, 3.0 + self.roll());
                    self.spawn(Thing::Crate, fresh);
                }
                _ => {}
            }
        }
        self.score.points = self.score.coins * 10 + self.score.crates * 25 + self.score.rings * 5;
    }

    /// The yard from above, by ray casts: twice as many points along x as along z.
    pub fn draw(&self) -> String {
        let query = self.physics.query();
        let filter = Filter::default().sensors(Sensors::In);
        let mut picture = String::new();
        for row in 0..=28 {
            for column in 0..=96 {
                let x = -YARD[0] + YARD[0] * column as Real / 48.0;
                let z = -YARD[1] + YARD[1] * row as Real / 14.0;
                let ray = Ray::new(Vec3::new(x, 9.0, z), -Vec3::Y, 10.0).expect("a ray straight down");
                let seen =
                    query.ray(&ray, &filter).and_then(|hit| self.world.get::<&Glyph>(hit.entity).ok().map(|g| g.0));
                picture.push(seen.unwrap_or(' '));
            }
            picture.push('\n');
        }
        let Score { points, coins, crates, rings, .. } = self.score;
        let seconds = self.clock as Real * DT;
        picture
            + &format!(
                "{seconds:6.1} s   {points} points: {coins} coins, {crates} crates drained, {rings} rings of the bell\n"
            )
    }

    /// The bits of all state that affects the next steps.
    fn fingerprint(&self) -> Vec<u64> {
        let mut bits = vec![self.clock, self.dice, u64::from(self.score.points)];
        let mut rows: Vec<(u64, [u64; 6])> = self
            .world
            .query::<(Entity, &Position, &LinearVelocity)>()
            .iter()
            .map(|(e, p, v)| (e.to_bits().get(), [p.0, v.0].map(|v| v.to_array()).concat().try_into().expect("six")))
            .map(|(e, numbers): (u64, [Real; 6])| (e, numbers.map(|x| f64::from(x).to_bits())))
            .collect();
        rows.sort_unstable();
        bits.extend(rows.into_iter().flat_map(|(e, numbers)| [vec![e], numbers.to_vec()].concat()));
        bits
    }
}

/// A scripted player: walks to the nearest coin, and throws marbles at the bell and at crates.
pub fn script(game: &Game) -> Wish {
    let here = game.at(game.player);
    let near = |wanted: fn(Thing) -> bool| {
        let mut all: Vec<Vec3> =
            game.world.query::<(&Thing, &Position)>().iter().filter(|(t, _)| wanted(**t)).map(|(_, p)| p.0).collect();
        all.sort_by(|a, b| a.distance_squared(here).total_cmp(&b.distance_squared(here)).then(a.x.total_cmp(&b.x)));
        all.into_iter().next()
    };
    let beat = game.clock % 120;
    let aim = match beat {
        0..=4 => Some(game.at(game.bell)),
        60..=64 => near(|thing| thing == Thing::Crate),
        _ => near(|thing| thing == Thing::Coin),
    };
    let walk = aim.map_or(Vec3::ZERO, |aim| (aim - here).with_y(0.0));
    // Steers around the bell and the sweeper.
    let mut around = Vec3::ZERO;
    for (post, room) in [(game.bell, 2.2), (game.sweeper, 3.4)] {
        let away = (here - game.at(post)).with_y(0.0);
        if away.length() < room {
            around += away.normalize_or_zero() + Vec3::Y.cross(away).normalize_or_zero();
        }
    }
    Wish { walk: walk.normalize_or_zero() + around, throw: beat == 4 || beat == 64, ..Wish::default() }
}

/// Plays the scripted game; `show` gets some pictures. Returns the score, and whether the replayed
/// seconds gave the same bits.
pub fn play(mut show: impl FnMut(&str)) -> (Score, bool) {
    let mut game = Game::start();
    let run = |game: &mut Game, steps: u64| {
        for _ in 0..steps {
            game.step(script(game)).expect("the world is sound");
        }
    };
    run(&mut game, 900);
    show(&game.draw());
    let kept = Saved::of(&game);
    run(&mut game, 600);
    show(&game.draw());
    let (first, score) = (game.fingerprint(), game.score);
    run(&mut game, 300);
    kept.restore(&mut game);
    run(&mut game, 600);
    (score, game.fingerprint() == first && game.score == score)
}

fn by_hand(mut keyboard: Keyboard) -> Result<(), dolmen::StepError> {
    let mut game = Game::start();
    let mut kept = Saved::of(&game);
    let frame = Duration::from_secs_f64(f64::from(DT));
    let mut next = Instant::now();
    loop {
        let wish = keyboard.wish();
        match wish {
            Wish { quit: true, .. } => return Ok(()),
            Wish { keep: true, .. } => kept = Saved::of(&game),
            Wish { load: true, .. } => kept.restore(&mut game),
            _ => {}
        }
        game.step(wish)?;
        if game.clock.is_multiple_of(4) {
            // Cursor home, and line ends for raw mode.
            print!(
                "\x1b[H{}w a s d walk, space throws, k keeps, l loads, q quits\x1b[J",
                game.draw().replace('\n', "\x1b[K\r\n")
            );
            std::io::stdout().flush().ok();
        }
        next += frame;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let scripted = std::env::args().any(|argument| argument == "--script");
    if let Some(keyboard) = if scripted { None } else { Keyboard::open() } {
        print!("\x1b[2J");
        return match by_hand(keyboard) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let (score, alike) = play(|picture| println!("{picture}"));
    let fine = alike && score.coins > 0 && score.rings > 0 && score.thrown > 10;
    println!(
        "{}: {} points in 25 s from {} coins, {} crates and {} rings; ten seconds from a kept game came out {}",
        if fine { "ok" } else { "WRONG" },
        score.points,
        score.coins,
        score.crates,
        score.rings,
        if alike { "alike to the bit" } else { "otherwise" },
    );
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
