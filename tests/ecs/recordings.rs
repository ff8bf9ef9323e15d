//! Recordings: replayed with the same bits, or refused with a reason.

use crate::custom_shape::Ellipsoid;
use crate::{DT, position};
use dolmen::parry::shape::Ball;
use dolmen::prelude::*;
use dolmen::recording::{RecordError, Recorder, Recording, RecordingError, ReplayError};
use hecs::{Entity, World};

/// Numbers that look random: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From -1 to 1.
    fn signed(&mut self) -> Real {
        (self.below(2001) as Real - 1000.0) / 1000.0
    }

    fn place(&mut self) -> Vec3 {
        Vec3::new(3.0 * self.signed(), 3.0 + 2.0 * self.signed(), 3.0 * self.signed())
    }
}

/// A component of the game's own, which divides bodies into archetypes.
struct Tag;

/// A game that changes its world in every way, by chance.
struct Game {
    world: World,
    physics: Physics,
    numbers: Numbers,
    shapes: Vec<Collider>,
    bodies: Vec<Entity>,
    joints: Vec<Entity>,
    platform: Entity,
    steps: usize,
}

impl Game {
    fn new() -> Self {
        let mut world = World::new();
        let corners: Vec<Vec3> =
            (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 0.5 - 0.25).collect();
        let vertices = vec![Vec3::new(-9.0, 0.0, -9.0), Vec3::new(9.0, 0.0, -9.0), Vec3::new(0.0, 0.0, 9.0)];
        let part = (Vec3::X * 0.2, Quat::IDENTITY, Collider::ball(0.2));
        let shapes = vec![
            Collider::cuboid(0.3, 0.2, 0.25),
            Collider::ball(0.25),
            Collider::capsule(0.2, 0.15),
            Collider::cylinder(0.2, 0.2),
            Collider::cone(0.2, 0.2),
            Collider::convex_hull(&corners).unwrap(),
            Collider::compound(vec![part.clone(), (-part.0, part.1, part.2)]).unwrap(),
        ];
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        world.spawn(Body::fixed(Collider::trimesh(vertices, vec![[0, 2, 1]]).unwrap()).at(0.0, 0.05, 0.0));
        world.spawn(Body::fixed(Collider::heightfield(3, 3, &[0.1; 9], Vec3::splat(4.0)).unwrap()).at(6.0, 0.0, 0.0));
        let platform = world.spawn(Body::kinematic(Collider::cuboid(1.0, 0.1, 1.0)).at(0.0, 1.0, 0.0));
        let mut game = Self {
            world,
            physics: Physics::new(Settings { threads: Some(1), ..Settings::default() }),
            numbers: Numbers(7),
            shapes,
            bodies: Vec::new(),
            joints: Vec::new(),
            platform,
            steps: 0,
        };
        (0..40).for_each(|_| game.spawn());
        game
    }

    fn shape(&mut self) -> Collider {
        let number = self.numbers.below(self.shapes.len());
        self.shapes[number].clone()
    }

    fn spawn(&mut self) {
        let body = Body::dynamic(self.shape()).position(self.numbers.place());
        let entity = self.world.spawn(body);
        self.bodies.push(entity);
        if self.numbers.below(3) == 0 {
            self.world.insert_one(entity, Tag).unwrap();
        }
    }

    fn any(&mut self) -> Entity {
        self.bodies[self.numbers.below(self.bodies.len())]
    }

    /// One change of the world.
    fn edit(&mut self) {
        let (body, shape, place, speed) = (self.any(), self.shape(), self.numbers.place(), self.numbers.signed());
        let world = &mut self.world;
        let control = [SleepControl::Never, SleepControl::Asleep, SleepControl::Awake][self.numbers.below(3)];
        match self.numbers.below(20) {
            0 | 1 => self.spawn(),
            2 if self.bodies.len() > 20 => {
                self.bodies.retain(|&other| other != body);
                world.despawn(body).unwrap();
            }
            3 => world.get::<&mut Position>(body).unwrap().0 = place,
            4 => *world.get::<&mut Collider>(body).unwrap() = shape,
            5 => world.insert_one(body, Mass(2.0 + speed)).unwrap(),
            6 => drop(world.remove_one::<Mass>(body)),
            7 => {
                let other = self.any();
                if other != body {
                    let joint = match self.numbers.below(3) {
                        0 => Joint::spherical(body, other).breaks_at(200.0, Real::INFINITY),
                        1 => Joint::distance(body, other, 0.0, 2.0),
                        _ => Joint::revolute(body, other),
                    };
                    let joint = joint.anchors(Vec3::X * 0.3, Vec3::NEG_X * 0.3);
                    self.joints.push(self.world.spawn((joint, JointState::default())));
                }
            }
            8 => {
                if let Some(joint) = self.joints.pop() {
                    // The step despawns the joints of bodies that are gone.
                    drop(world.despawn(joint));
                }
            }
            9 => {
                if let Some(mut state) = self.joints.last().and_then(|&joint| world.get::<&mut JointState>(joint).ok())
                {
                    state.broken = !state.broken;
                }
            }
            10 => world.insert(body, (ExternalImpulse { linear: Vec3::Y * speed, ..Default::default() }, Tag)).unwrap(),
            11 => world.insert_one(self.platform, KinematicTarget::at(Vec3::new(speed, 1.0, 0.0))).unwrap(),
            12 => self.physics.settings.gravity = Vec3::new(speed, -9.81, 0.0),
            14 => world.insert_one(body, control).unwrap(),
            15 => world.insert_one(body, Disabled).unwrap(),
            16 | 17 => drop(world.remove_one::<Disabled>(body)),
            18 => {
                let other = self.any();
                self.world.insert_one(body, IgnoreContactsWith::from([other])).unwrap();
            }
            19 => world.insert_one(body, SolverLayers(CollisionLayers::layer(1).not_with([1]))).unwrap(),
            // The next step takes it for a newcomer.
            13 => world.insert_one(body, BodySlot::UNASSIGNED).unwrap(),
            _ => {
                let of = ColliderOf { body, position: Vec3::Y * 0.3, orientation: Quat::IDENTITY };
                world.spawn((of, shape));
            }
        }
    }

    fn step(&mut self, recorder: &mut Recorder) {
        if self.steps.is_multiple_of(3) {
            self.edit();
        }
        self.steps += 1;
        recorder.step(&mut self.physics, &mut self.world, DT).unwrap();
    }
}

/// Every bit of the bodies of a world, by entity. Disabled ones are no bodies.
fn state(world: &World) -> Vec<(u64, Vec<u8>)> {
    let mut list: Vec<_> = world
        .query::<(Entity, &Position, &Orientation, &LinearVelocity, &AngularVelocity)>()
        .without::<&Disabled>()
        .iter()
        .map(|(entity, place, turn, v, w)| {
            let numbers = [place.0, v.0, w.0].map(|v| v.to_array()).concat().into_iter().chain(turn.0.to_array());
            (entity.to_bits().get(), numbers.flat_map(Real::to_le_bytes).collect())
        })
        .collect();
    list.sort_unstable();
    list
}

fn replays(bytes: &[u8], steps: usize, end: &World) {
    let recording = Recording::from_bytes(bytes).unwrap();
    assert_eq!(recording.steps(), steps);
    for threads in 1..=3 {
        let mut replay =
            recording.replay(Physics::new(Settings { threads: Some(threads), ..Settings::default() })).unwrap();
        while replay.step().unwrap() {}
        assert_eq!(replay.steps(), steps);
        assert!(state(replay.world()) == state(end), "{threads} threads");
    }
}

#[test]
fn a_changing_world_replays_with_the_same_bits_on_any_number_of_threads() {
    let mut game = Game::new();
    let mut recorder = Recorder::new(&game.world, &game.physics).unwrap();
    (0..600).for_each(|_| game.step(&mut recorder));
    assert!(game.bodies.len() > 25);
    replays(&recorder.recording().to_bytes(), 600, &game.world);
}

#[test]
fn a_recording_starts_at_any_moment_with_changes_pending_too() {
    let mut game = Game::new();
    let mut recorder = Recorder::new(&game.world, &game.physics).unwrap();
    for start in [1, 40, 150, 200] {
        while game.steps < start {
            game.step(&mut recorder);
        }
        (0..8).for_each(|_| game.edit());
        recorder = Recorder::new(&game.world, &game.physics).unwrap();
        (0..30).for_each(|_| game.step(&mut recorder));
        replays(&recorder.recording().to_bytes(), 30, &game.world);
    }
}

#[test]
fn a_component_is_recorded_when_it_is_written_and_when_it_is_written_back() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).gravity_scale(1.0));
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    let mut sizes = Vec::new();
    for scale in [1.0, 1.0, 2.0, 2.0, 1.0, 1.0] {
        world.get::<&mut GravityScale>(ball).unwrap().0 = scale;
        recorder.step(&mut physics, &mut world, DT).unwrap();
        sizes.push(recorder.recording().to_bytes().len());
    }
    let grown: Vec<usize> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(grown[0] == grown[2] && grown[2] == grown[4] && grown[1] > grown[0] && grown[3] == grown[1], "{grown:?}");
    replays(&recorder.recording().to_bytes(), 6, &world);
}

#[test]
fn a_recording_starts_with_a_body_that_became_a_newcomer() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let balls = [0.0, 0.9].map(|x| world.spawn(Body::dynamic(Collider::ball(0.5)).at(x, 0.0, 0.0)));
    physics.step(&mut world, DT).unwrap();
    *world.get::<&mut BodySlot>(balls[0]).unwrap() = BodySlot::UNASSIGNED;
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    (0..10).for_each(|_| assert!(recorder.step(&mut physics, &mut world, DT).is_ok()));
    replays(&recorder.recording().to_bytes(), 10, &world);
}

/// One change of a row, of those that a step looks at late, or takes for another entity.
fn edit_row(world: &mut World, numbers: &mut Numbers, body: Entity, others: [Entity; 2]) {
    let speed = numbers.signed();
    let kinds = [RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic];
    match numbers.below(21) {
        17 | 18 => drop(world.insert_one(body, Disabled)),
        19 | 20 => drop(world.remove_one::<Disabled>(body)),
        0 | 1 => drop(world.insert_one(body, LinearVelocity(Vec3::X * speed))),
        2 => drop(world.remove_one::<LinearVelocity>(body)),
        3 => drop(world.insert_one(body, AngularVelocity(Vec3::Y * speed))),
        4 => drop(world.remove::<(Orientation, AngularVelocity)>(body)),
        5 | 6 => drop(world.insert_one(body, kinds[numbers.below(3)])),
        7 => drop(world.remove_one::<RigidBody>(body)),
        8 => {
            let of = ColliderOf { body: others[0], position: Vec3::Y * 0.3, orientation: Quat::IDENTITY };
            drop(world.insert_one(body, of));
        }
        9 => drop(world.remove_one::<ColliderOf>(body)),
        10 => drop(world.insert_one(body, VelocityLimit { linear: 0.2 + speed.abs(), angular: 9.0 })),
        11 => drop(world.remove_one::<VelocityLimit>(body)),
        12 => drop(world.insert_one(body, KinematicTarget::at(Vec3::new(speed, 2.0, 0.0)))),
        13 => drop(world.remove_one::<KinematicTarget>(body)),
        14 => {
            let joint = Joint::distance(others[0], others[1], 0.0, 1.0 + speed.abs());
            drop(world.insert(body, (joint, JointState::default())));
        }
        15 => drop(world.remove_one::<Joint>(body)),
        _ => {
            let slot = world.get::<&BodySlot>(others[0]).map_or(BodySlot::UNASSIGNED, |slot| *slot);
            drop(world.insert_one(body, slot));
        }
    }
}

#[test]
fn rows_that_become_other_things_replay_with_the_same_bits() {
    for seed in 0..12 {
        let (mut world, mut numbers) = (World::new(), Numbers(seed));
        let mut physics = Physics::new(Settings { threads: Some(1), ..Settings::default() });
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let mut bodies: Vec<Entity> = Vec::new();
        let mut recorder = Recorder::new(&world, &physics).unwrap();
        let (mut steps, mut refused) = (0, 0);
        while steps < 150 {
            bodies.retain(|&body| world.contains(body));
            while bodies.len() < 6 {
                bodies.push(world.spawn(Body::dynamic(Collider::ball(0.3)).position(numbers.place())));
            }
            for _ in 0..numbers.below(4) {
                let [a, b, c] = [0; 3].map(|_| bodies[numbers.below(bodies.len())]);
                edit_row(&mut world, &mut numbers, a, [b, c]);
            }
            if steps == 149 {
                // Now all columns matter.
                for &body in &bodies {
                    drop(world.remove_one::<ColliderOf>(body));
                    drop(world.remove_one::<KinematicTarget>(body));
                    drop(world.remove_one::<Disabled>(body));
                    world.insert_one(body, RigidBody::Dynamic).unwrap();
                }
            }
            match recorder.step(&mut physics, &mut world, DT) {
                Ok(_) => steps += 1,
                Err(RecordError::Step(StepError::Component { entity, .. })) => {
                    refused += 1;
                    world.despawn(entity).unwrap();
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(refused > 5 && refused < 400, "{refused} steps were refused");
        let recording = recorder.recording();
        let mut replay = recording.replay(Physics::new(Settings { threads: Some(1), ..Settings::default() })).unwrap();
        while replay.step().unwrap() {}
        assert!(state(&world).len() > 6, "seed {seed}");
        assert!(state(replay.world()) == state(&world), "seed {seed}");
    }
}

#[test]
fn a_world_recorded_from_before_its_first_step_is_written_once() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    for i in 0..50 {
        world.spawn(Body::dynamic(Collider::ball(0.2)).at(i as Real, 0.0, 0.0));
    }
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    let start = recorder.recording().to_bytes().len();
    world.spawn(Body::dynamic(Collider::ball(0.2)).at(-1.0, 0.0, 0.0));
    recorder.step(&mut physics, &mut world, DT).unwrap();
    let grown = recorder.recording().to_bytes().len() - start;
    assert!(grown < 20 + 2 * 51 + 300 && grown < start / 4, "{grown} of {start}");
    replays(&recorder.recording().to_bytes(), 1, &world);
}

#[test]
fn a_ring_keeps_the_last_seconds_and_at_most_twice_as_many() {
    let mut game = Game::new();
    let mut recorder = Recorder::ring(&game.world, &game.physics, 0.5).unwrap();
    for step in 1..=150 {
        game.step(&mut recorder);
        let (seconds, passed) = (recorder.recording().seconds(), f64::from(DT) * f64::from(step));
        assert!(seconds > passed.min(0.5) - 1e-5 && seconds < 1.0 + 2.0 * f64::from(DT), "{step}: {seconds}");
        if step % 37 == 0 {
            let recording = recorder.recording();
            replays(&recording.to_bytes(), recording.steps(), &game.world);
        }
    }
}

#[test]
fn a_file_cut_off_or_damaged_anywhere_is_an_error() {
    let mut game = Game::new();
    let mut recorder = Recorder::new(&game.world, &game.physics).unwrap();
    (0..20).for_each(|_| game.step(&mut recorder));
    let file = recorder.recording().to_bytes();
    assert!(Recording::from_bytes(&file).is_ok());
    let mut numbers = Numbers(3);
    for _ in 0..1000 {
        let mut damaged = file.clone();
        damaged[numbers.below(file.len())] ^= 1 + numbers.below(255) as u8;
        assert!(Recording::from_bytes(&damaged).is_err());
    }
    for _ in 0..200 {
        assert!(Recording::from_bytes(&file[..numbers.below(file.len())]).is_err());
    }
    for byte in 0..24 {
        let mut damaged = file.clone();
        damaged[byte] ^= 1;
        let error = Recording::from_bytes(&damaged).unwrap_err();
        let expected = match byte {
            0..8 => matches!(error, RecordingError::NotARecording),
            8..12 => matches!(error, RecordingError::Version { .. }),
            12..16 => matches!(error, RecordingError::Scalar { .. }),
            _ => matches!(error, RecordingError::Damaged { .. }),
        };
        assert!(expected, "{byte}: {error}");
    }
}

/// Balls in flight, a system of the game's that acts on one of them in one step, and its entity.
fn flight(disturbed: Option<usize>) -> (World, Physics, Entity) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let balls: Vec<Entity> =
        (0..9).map(|i| world.spawn(Body::dynamic(Collider::ball(0.1)).at(i as Real, 5.0, 0.0))).collect();
    let (ball, mut steps) = (balls[5], 0);
    physics.schedule.add_after(Stage::Motion, move |world, state| {
        steps += 1;
        if Some(steps) == disturbed {
            let slot = world.get::<&BodySlot>(ball).unwrap().get().unwrap() as usize;
            state.bodies.linear_velocity[slot].x += 1e-3;
            state.bodies.dirty[slot] = true;
        }
    });
    (world, physics, ball)
}

#[test]
fn a_replay_names_the_step_and_the_body_that_differ_first() {
    let (mut world, mut physics, ball) = flight(None);
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    for _ in 0..10 {
        recorder.step(&mut physics, &mut world, DT).unwrap();
    }
    let recording = recorder.recording();
    for disturbed in [1, 7, 10] {
        let mut replay = recording.replay(flight(Some(disturbed)).1).unwrap();
        let error = loop {
            match replay.step() {
                Ok(more) => assert!(more),
                Err(error) => break error,
            }
        };
        assert_eq!(error, ReplayError::Differs { step: disturbed, entity: Some(ball) });
        assert_eq!(replay.step().unwrap_err(), error);
    }
    let mut replay = recording.replay(flight(None).1).unwrap();
    while replay.step().unwrap() {}
    let missing = recording.replay(Physics::default()).err().unwrap();
    assert_eq!(missing, ReplayError::Missing { extension: "user systems" });
}

#[test]
fn extensions_of_a_replay_are_those_of_the_recording() {
    type Add = fn(&mut Physics);
    let kinds: [(&str, Add); 4] = [
        ("pair kernels", |physics| physics.kernels.register(|_: &Ball, _: &Ball, _, _, _| {})),
        ("contact hooks", |physics| physics.hooks.filter_pairs(|_, _| true)),
        ("contact sources", |physics| physics.sources.add("none", |_, _| {})),
        ("user systems", |physics| physics.schedule.add_after(Stage::Motion, |_, _| {})),
    ];
    for (extension, add) in kinds {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let plain = Recorder::new(&world, &physics).unwrap().recording();
        let mut recorder = Recorder::new(&world, &physics).unwrap();
        add(&mut physics);
        let error = recorder.step(&mut physics, &mut world, DT).unwrap_err();
        assert_eq!(error, RecordError::Extension { extension });
        let extended = Recorder::new(&world, &physics).unwrap().recording();
        assert_eq!(plain.replay(physics).err(), Some(ReplayError::Unexpected { extension }));
        assert_eq!(extended.replay(Physics::default()).err(), Some(ReplayError::Missing { extension }));
    }
}

#[test]
fn what_cannot_be_recorded_is_an_error_that_names_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)));
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    let snapshot = physics.save(&world);
    physics.step(&mut world, DT).unwrap();
    assert_eq!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Interrupted));
    recorder = Recorder::new(&world, &physics).unwrap();
    physics.restore(&mut world, &snapshot);
    assert_eq!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Interrupted));

    recorder = Recorder::new(&world, &physics).unwrap();
    let before = position(&world, ball);
    let custom = world.spawn(Body::fixed(Ellipsoid { axes: Vec3::ONE }.collider()));
    assert_eq!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Shape { entity: custom }));
    assert_eq!(Recorder::new(&world, &physics).err(), Some(RecordError::Shape { entity: custom }));
    let inside =
        Collider::compound(vec![(Vec3::ZERO, Quat::IDENTITY, Ellipsoid { axes: Vec3::ONE }.collider())]).unwrap();
    *world.get::<&mut Collider>(custom).unwrap() = inside;
    assert_eq!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Shape { entity: custom }));
    world.despawn(custom).unwrap();
    let grain = world.spawn((Particle::of_density(0.05, 2600.0), Position::default(), LinearVelocity::default()));
    assert_eq!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Particle { entity: grain }));
    assert_eq!(Recorder::new(&world, &physics).err(), Some(RecordError::Particle { entity: grain }));
    assert_eq!(position(&world, ball), before);

    // A refused step is not recorded, and recording goes on.
    world.despawn(grain).unwrap();
    world.get::<&mut Position>(ball).unwrap().0.x = Real::NAN;
    assert!(matches!(recorder.step(&mut physics, &mut world, DT), Err(RecordError::Step(_))));
    world.get::<&mut Position>(ball).unwrap().0.x = 1.0;
    recorder.step(&mut physics, &mut world, DT).unwrap();
    replays(&recorder.recording().to_bytes(), 1, &world);
}

#[test]
fn a_sleeping_world_adds_about_twenty_bytes_a_step() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for i in 0..50 {
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(2.0 * i as Real, 0.5, 0.0));
    }
    for _ in 0..200 {
        physics.step(&mut world, DT).unwrap();
    }
    let mut recorder = Recorder::new(&world, &physics).unwrap();
    let mut size = |steps: usize, physics: &mut Physics, world: &mut World| {
        for _ in 0..steps {
            recorder.step(physics, world, DT).unwrap();
        }
        recorder.recording().to_bytes().len()
    };
    let start = size(0, &mut physics, &mut world);
    let end = size(100, &mut physics, &mut world);
    assert!(end - start <= 100 * 24, "{}", end - start);
}
