//! The rules of the game: what an input does in a step.

use crate::input::Input;
use crate::level::{self, Cast, TALL};
use crate::rewind::{History, Moment};
use dolmen::StepError;
use dolmen::control::{Character, CharacterState, DriveTrain, PoseController, Vehicle};
use dolmen::prelude::*;
use hecs::World;

/// Length of a step (s).
pub const STEP: f32 = 1.0 / 60.0;
/// Speeds of walking, jumping, climbing and throwing (m/s).
const WALK: f32 = 5.0;
const JUMP: f32 = 4.5;
const CLIMB: f32 = 2.5;
const THROW: f32 = 22.0;
/// Farthest that a body is taken hold of, where it is held (m), and the greatest force (N).
const REACH: f32 = 4.0;
const HELD_AT: f32 = 2.5;
const STRENGTH: f32 = 4000.0;
/// Distance within which the car is entered (m).
const DOOR: f32 = 4.0;
/// Brake force of the car (N).
const BRAKE: f32 = 9000.0;
/// Speed of the crane (rad/s).
const CRANE: f32 = 0.6;

/// The state of the game besides the components.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub step: u64,
    pub in_car: bool,
    pub held: Option<Entity>,
    pub thrown: usize,
}

/// The game.
pub struct Game {
    pub world: World,
    pub physics: Physics,
    pub cast: Cast,
    pub state: State,
    history: History,
    saved: Option<Moment>,
    /// What happens once, of frames without a step.
    waiting: Input,
}

impl Game {
    pub fn new(threads: Option<usize>) -> Self {
        let (mut world, mut physics) = (World::new(), Physics::new(Settings { threads, ..Settings::default() }));
        physics.time.step = STEP;
        let cast = level::build(&mut world);
        let (state, history, waiting) = (State::default(), History::default(), Input::default());
        Self { world, physics, cast, state, history, saved: None, waiting }
    }

    /// A frame of so many seconds.
    pub fn frame(&mut self, seconds: f32, input: Input) -> Result<(), StepError> {
        let once = &self.waiting;
        let mut now = Input {
            jump: input.jump || once.jump,
            throw: input.throw || once.throw,
            ride: input.ride != once.ride,
            hold: input.hold != once.hold,
            ..input
        };
        let Self { world, physics, cast, state, history, .. } = self;
        let frame = physics.advance_with(world, seconds, |world, physics| {
            history.record(world, physics, state, now);
            before_step(world, physics, cast, state, now)?;
            now = now.held();
            Ok(())
        })?;
        self.waiting = if frame.steps == 0 { now } else { Input::default() };
        Ok(())
    }

    /// Keeps the game as it is.
    pub fn save(&mut self) {
        self.saved = Some(Moment::of(&self.world, &self.physics, &self.state));
    }

    /// The game as it was kept, if it was.
    pub fn load(&mut self) {
        let Self { world, physics, state, history, saved, .. } = self;
        if let Some(saved) = saved {
            saved.restore(world, physics, state);
            history.clear();
        }
    }

    /// Goes back so many steps, or to the first that is remembered: the moment before, and the same
    /// inputs from there give the same world to the bit.
    pub fn rewind(&mut self, steps: u64) -> Result<(), StepError> {
        let Self { world, physics, cast, state, history, .. } = self;
        let Some((moment, inputs)) = history.back_to(state.step.saturating_sub(steps)) else { return Ok(()) };
        moment.restore(world, physics, state);
        for input in inputs {
            history.record(world, physics, state, input);
            before_step(world, physics, cast, state, input)?;
            physics.step_with_control(world, STEP)?;
        }
        Ok(())
    }

    /// Where the player is, or the car with the player in it (m).
    pub fn place(&self) -> Vec3 {
        let body = if self.state.in_car { self.cast.car } else { self.cast.player };
        self.world.get::<&Position>(body).map_or(Vec3::ZERO, |position| position.0)
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.world.query::<&RigidBody>().iter().count()
    }
}

/// The direction of a look (rad).
pub fn direction(yaw: f32, pitch: f32) -> Vec3 {
    Quat::from_rotation_y(yaw) * Quat::from_rotation_x(pitch) * Vec3::NEG_Z
}

/// Applies an input for the coming step.
fn before_step(
    world: &mut World,
    physics: &Physics,
    cast: &Cast,
    state: &mut State,
    input: Input,
) -> Result<(), StepError> {
    state.step += 1;
    let lift = KinematicTarget::at(level::lift_at(state.step));
    world.insert_one(cast.lift, lift).expect("the lift is there");
    turn_crane(world, cast, input.crane);
    if input.ride {
        ride(world, cast, state);
    }
    if state.in_car {
        drive(world, cast, input);
        return Ok(());
    }
    walk(world, cast, input);
    let eye = world.get::<&Position>(cast.player).map_or(Vec3::ZERO, |p| p.0) + Vec3::Y * (0.4 * TALL);
    let look = direction(input.yaw, input.pitch);
    if input.throw {
        throw(world, cast, state, eye, look);
    }
    if input.hold {
        hold(world, physics, cast, state, eye, look);
    }
    if let Some(held) = state.held
        && let Ok(mut controller) = world.get::<&mut PoseController>(held)
    {
        controller.position = Some(eye + look * HELD_AT);
    }
    Ok(())
}

fn turn_crane(world: &World, cast: &Cast, turn: f32) {
    let mut joint = world.get::<&mut Joint>(cast.crane).expect("the crane is there");
    *joint = joint.clone().motor(Motor::velocity(turn * CRANE, 5e4));
}

/// Enters or leaves the car.
fn ride(world: &mut World, cast: &Cast, state: &mut State) {
    let place = |entity| world.get::<&Position>(entity).map_or(Vec3::ZERO, |position| position.0);
    let (player, car) = (place(cast.player), place(cast.car));
    if state.in_car {
        let turn = world.get::<&Orientation>(cast.car).map_or(Quat::IDENTITY, |turn| turn.0);
        let beside = car + (turn * Vec3::NEG_Z).with_y(0.0).normalize_or(Vec3::X) * 1.8 + Vec3::Y * 0.8;
        let out = (Position(beside), CharacterState::default());
        world.insert(cast.player, out).expect("the player is there");
        world.remove_one::<Disabled>(cast.player).expect("the player was in the car");
        let mut vehicle = world.get::<&mut Vehicle>(cast.car).expect("the car is there");
        (vehicle.brake, vehicle.steering) = (BRAKE, 0.0);
        world.get::<&mut DriveTrain>(cast.car).expect("the car has an engine").throttle = 0.0;
        state.in_car = false;
    } else if player.distance(car) < DOOR {
        let_go(world, state);
        world.insert_one(cast.player, Disabled).expect("the player is there");
        state.in_car = true;
    }
}

fn drive(world: &World, cast: &Cast, input: Input) {
    let [ahead, right] = input.walk;
    let velocity = world.get::<&LinearVelocity>(cast.car).map_or(Vec3::ZERO, |v| v.0);
    let turn = world.get::<&Orientation>(cast.car).map_or(Quat::IDENTITY, |turn| turn.0);
    let speed = velocity.dot(turn * Vec3::X);
    let mut vehicle = world.get::<&mut Vehicle>(cast.car).expect("the car is there");
    let mut train = world.get::<&mut DriveTrain>(cast.car).expect("the car has an engine");
    vehicle.steering = -right * 0.55 / (1.0 + 0.06 * speed.abs());
    let against = ahead * speed < -1.0;
    vehicle.brake = if input.jump || against { BRAKE } else { 0.0 };
    train.throttle = if against { 0.0 } else { ahead.abs() };
    if !against && ahead != 0.0 {
        train.gear = if ahead < 0.0 { -1 } else { train.gear.max(1) };
    }
}

fn walk(world: &World, cast: &Cast, input: Input) {
    let [ahead, right] = input.walk;
    let flat = Quat::from_rotation_y(input.yaw);
    let mut character = world.get::<&mut Character>(cast.player).expect("the player is a character");
    let way = flat * Vec3::new(right, 0.0, -ahead);
    character.walk = way.clamp_length_max(1.0) * WALK;
    character.climb = ahead * CLIMB;
    character.jump = if input.jump { JUMP } else { 0.0 };
}

/// Throws the next ball.
fn throw(world: &mut World, cast: &Cast, state: &mut State, eye: Vec3, look: Vec3) {
    let ball = cast.balls[state.thrown % cast.balls.len()];
    state.thrown += 1;
    let pose = (Position(eye + look * 0.7), Orientation(Quat::IDENTITY));
    let velocities = (LinearVelocity(look * THROW), AngularVelocity(Vec3::ZERO));
    world.insert(ball, pose).and_then(|()| world.insert(ball, velocities)).expect("the balls are there");
    // A ball that flies already has no marker to lose.
    _ = world.remove_one::<Disabled>(ball);
}

/// Takes hold of the body ahead, or lets it go.
fn hold(world: &mut World, physics: &Physics, cast: &Cast, state: &mut State, eye: Vec3, look: Vec3) {
    if state.held.is_some() {
        return let_go(world, state);
    }
    let others = [cast.player];
    let Ok(ray) = Ray::new(eye, look, REACH) else { return };
    let Some(hit) = physics.query().ray(&ray, &Filter::default().exclude(&others)) else { return };
    let is_dynamic = world.get::<&RigidBody>(hit.entity).is_ok_and(|kind| *kind == RigidBody::Dynamic);
    if is_dynamic && hit.entity != cast.car {
        let controller = PoseController::position(eye + look * HELD_AT, STRENGTH);
        world.insert_one(hit.entity, controller).expect("it was hit");
        state.held = Some(hit.entity);
    }
}

fn let_go(world: &mut World, state: &mut State) {
    if let Some(held) = state.held.take() {
        world.remove_one::<PoseController>(held).expect("it is held");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Game {
        Game::new(Some(1))
    }

    fn run(game: &mut Game, steps: usize, input: Input) {
        for _ in 0..steps {
            game.frame(STEP, input).unwrap();
        }
    }

    /// Puts the player somewhere.
    fn put(game: &mut Game, at: Vec3) {
        run(game, 2, Input::default());
        game.world.get::<&mut Position>(game.cast.player).unwrap().0 = at;
    }

    #[test]
    fn the_arena_stands_still_and_sleeps() {
        let mut game = game();
        assert!((450..550).contains(&game.bodies()), "{}", game.bodies());
        run(&mut game, 600, Input::default());
        let moving = game
            .world
            .query::<(&LinearVelocity, &RigidBody)>()
            .without::<&Disabled>()
            .iter()
            .filter(|(v, _)| v.0.length() > 0.05)
            .count();
        // What floats bobs, the lift goes.
        assert!(moving < 30, "{moving}");
    }

    #[test]
    fn the_player_enters_the_car_and_drives_it_away() {
        let mut game = game();
        put(&mut game, Vec3::new(5.0, 0.92, 5.5));
        run(&mut game, 1, Input { ride: true, ..Input::default() });
        assert!(game.state.in_car);
        let start = game.place();
        run(&mut game, 120, Input { walk: [1.0, 0.0], ..Input::default() });
        assert!(game.place().x > start.x + 5.0, "{}", game.place());
        run(&mut game, 90, Input { jump: true, ..Input::default() });
        run(&mut game, 1, Input { ride: true, ..Input::default() });
        assert!(!game.state.in_car);
        run(&mut game, 60, Input::default());
        let state = *game.world.get::<&CharacterState>(game.cast.player).unwrap();
        assert!(state.ground.is_some() && game.place().y < 1.0, "{}", game.place());
    }

    #[test]
    fn the_player_climbs_out_of_the_pool_and_onto_the_tower() {
        let mut game = game();
        put(&mut game, Vec3::new(11.5, -2.0, 18.0));
        let west = Input { walk: [1.0, 0.0], yaw: std::f32::consts::FRAC_PI_2, ..Input::default() };
        run(&mut game, 240, west);
        assert!(game.place().y > 0.5 && game.place().x < 10.0, "{}", game.place());
        put(&mut game, Vec3::new(-4.0, 0.92, 10.0));
        run(&mut game, 150, Input { walk: [1.0, 0.0], yaw: -std::f32::consts::FRAC_PI_2, ..Input::default() });
        assert!(game.place().y > 4.0, "{}", game.place());
    }

    #[test]
    fn a_thrown_ball_hits_a_wall_and_a_held_brick_is_carried() {
        let mut game = game();
        put(&mut game, Vec3::new(-8.0, 0.92, -10.0));
        let north = Input::default();
        run(&mut game, 1, Input { throw: true, ..north });
        run(&mut game, 60, north);
        let ball = game.cast.balls[0];
        let at = game.world.get::<&Position>(ball).unwrap().0;
        assert!(at.z < -12.0 && at.y > 0.0, "{at}");
        put(&mut game, Vec3::new(-8.0, 0.92, -12.5));
        run(&mut game, 1, Input { hold: true, pitch: 0.5, ..north });
        let held = game.state.held.expect("a brick");
        run(&mut game, 90, Input { pitch: 0.8, ..north });
        let at = game.world.get::<&Position>(held).unwrap().0;
        assert!(at.y > 3.0, "{at}");
        run(&mut game, 1, Input { hold: true, ..north });
        assert_eq!(game.state.held, None);
    }

    #[test]
    fn going_back_and_playing_again_gives_the_same_bits() {
        let mut game = game();
        let mut seen = Vec::new();
        for round in 0..2 {
            while game.state.step < 1500 {
                let step = game.state.step as usize;
                if round == 0 {
                    seen.push(crate::pilot::bits(&game));
                } else {
                    let now = crate::pilot::bits(&game);
                    let first = now.iter().zip(&seen[step]).find(|(a, b)| a != b);
                    assert_eq!(first, None, "step {step}");
                }
                let input = crate::pilot::input(&game);
                game.frame(STEP, input).unwrap();
            }
            game.rewind(600).unwrap();
            assert_eq!(game.state.step, 900);
        }
    }

    #[test]
    fn the_crane_turns_and_wood_floats() {
        let mut game = game();
        run(&mut game, 240, Input { crane: 1.0, ..Input::default() });
        let afloat = game
            .world
            .query::<(&Position, &RigidBody)>()
            .without::<&Disabled>()
            .iter()
            .filter(|(p, kind)| {
                **kind == RigidBody::Dynamic && (p.0 - Vec3::new(18.0, 0.0, 18.0)).abs().max_element() < 8.0
            })
            .filter(|(p, _)| p.0.y > -0.8)
            .count();
        assert_eq!(afloat, 20);
        let Joint { bodies: [_, jib], .. } = *game.world.get::<&Joint>(game.cast.crane).unwrap();
        let turn = game.world.get::<&Orientation>(jib.unwrap()).unwrap().0;
        assert!((turn * Vec3::X).x < 0.0, "{turn}");
    }
}
