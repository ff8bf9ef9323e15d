//! A pilot that plays the game by itself, and what came of it.

use crate::figures::FrameTimes;
use crate::game::{Game, STEP};
use crate::input::Input;
use dolmen::prelude::*;
use std::time::Instant;

/// The step at which the pilot leaves the car.
const LEAVES: u64 = 840;
/// Where the pilot throws at (m).
const PYRAMID: Vec3 = Vec3::new(-18.0, 2.0, 16.0);

/// The pilot's input for the coming step: it walks to the car, drives it into a wall and back, leaves
/// it, walks to the pyramid and throws balls at it, while the crane swings.
pub fn input(game: &Game) -> Input {
    let step = game.state.step;
    let crane = if (step / 240).is_multiple_of(2) { 1.0 } else { -1.0 };
    let place = game.place();
    let towards = |target: Vec3| {
        let way = target - place;
        (way, (-way.x).atan2(-way.z))
    };
    if game.state.in_car {
        let (way, yaw) = towards(Vec3::new(0.0, 0.0, -22.0));
        let turn = game.world.get::<&Orientation>(game.cast.car).map_or(Quat::IDENTITY, |turn| turn.0);
        let ahead = turn * Vec3::X;
        let left = way.normalize_or_zero().dot(ahead.cross(Vec3::NEG_Y)).clamp(-1.0, 1.0);
        let walk = if step < 540 { [1.0, -2.0 * left] } else { [-0.6, 0.0] };
        let walk = walk.map(|x: f32| x.clamp(-1.0, 1.0));
        return Input { walk, yaw, crane, ride: step == LEAVES, jump: step + 60 > LEAVES, ..Input::default() };
    }
    if step < LEAVES {
        let car = game.world.get::<&Position>(game.cast.car).map_or(Vec3::ZERO, |p| p.0);
        let (way, yaw) = towards(car);
        let near = way.with_y(0.0).length() < 2.5;
        return Input { walk: [if near { 0.0 } else { 1.0 }, 0.0], yaw, crane, ride: near, ..Input::default() };
    }
    let (way, yaw) = towards(PYRAMID);
    let far = way.with_y(0.0).length() > 9.0;
    let throw = !far && step.is_multiple_of(20);
    Input { walk: [f32::from(far), 0.0], yaw, crane, throw, pitch: 0.1, ..Input::default() }
}

/// The bits of what moves.
pub fn bits(game: &Game) -> Vec<(u64, [u32; 7])> {
    let mut rows: Vec<(u64, [u32; 7])> = game
        .world
        .query::<(Entity, &Position, &Orientation)>()
        .without::<&Disabled>()
        .iter()
        .map(|(entity, p, q)| {
            let [x, y, z] = p.0.to_array().map(f32::to_bits);
            let [i, j, k, w] = q.0.to_array().map(f32::to_bits);
            (entity.to_bits().get(), [x, y, z, i, j, k, w])
        })
        .collect();
    rows.sort_unstable();
    rows
}

/// Plays so many seconds (at least 20), goes back ten seconds and plays them again.
///
/// # Errors
/// A sentence, where the game refuses a step or does not do what it should.
pub fn play(mut game: Game, seconds: u32) -> Result<String, String> {
    let mut times = FrameTimes::default();
    let steps = u64::from(seconds.max(20)) * 60;
    let mut run = |game: &mut Game| {
        while game.state.step < steps {
            let wish = input(game);
            let begun = Instant::now();
            game.frame(STEP, wish).map_err(|error| error.to_string())?;
            times.push(begun.elapsed());
        }
        Ok::<_, String>(())
    };
    run(&mut game)?;
    let (first, threads) = (bits(&game), game.physics.threads());
    let bodies = game.bodies();
    let begun = Instant::now();
    game.rewind(600).map_err(|error| error.to_string())?;
    let rewound = begun.elapsed().as_secs_f64() * 1e3;
    if game.state.step + 600 != steps {
        return Err(format!("rewound to step {} from {steps}", game.state.step));
    }
    run(&mut game)?;
    if bits(&game) != first {
        return Err("the same ten seconds came out otherwise".into());
    }
    let bricks_down = knocked(&game);
    if bricks_down < 20 || game.state.thrown < 5 {
        return Err(format!("{bricks_down} bodies knocked over, {} balls thrown", game.state.thrown));
    }
    Ok(format!(
        "{bodies} bodies, {threads} threads, {seconds} s: frames {times}; ten seconds rewound in {rewound:.0} ms, and \
         played again with the same bits; {bricks_down} bodies knocked over, {} balls thrown",
        game.state.thrown
    ))
}

/// Number of dynamic bodies that no longer stand upright.
fn knocked(game: &Game) -> usize {
    let upright = |turn: &Orientation| (turn.0 * Vec3::Y).y.abs() > 0.9;
    let mut standing = game.world.query::<(&Orientation, &RigidBody)>().without::<&Disabled>();
    standing.iter().filter(|(turn, kind)| **kind == RigidBody::Dynamic && !upright(turn)).count()
}
