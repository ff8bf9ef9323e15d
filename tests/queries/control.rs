//! Edits by the game, characters and vehicles compared with closed forms, and the game of the
//! examples.

use crate::game;
use dolmen::control::{Character, CharacterState, Vehicle, Wheel, step_characters, step_vehicles};
use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;
const G: Real = 9.81;
const SKIN: Real = 0.005;

/// A capsule of 1.6 m: its origin is this far above its lowest point (m).
const FOOT: Real = 0.8;

struct Stage {
    world: World,
    physics: Physics,
}

impl Stage {
    fn new() -> Self {
        Self { world: World::new(), physics: Physics::default() }
    }

    fn with_floor() -> Self {
        let mut stage = Self::new();
        stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        stage
    }

    fn wall(&mut self, half: Vec3, at: Vec3) -> Entity {
        self.world.spawn(Body::fixed(Collider::cuboid(half.x, half.y, half.z)).position(at))
    }

    fn hero(&mut self, at: Vec3, character: Character) -> Entity {
        let body = Body::kinematic(Collider::capsule(0.5, 0.3)).position(at);
        let hero = self.world.spawn(body);
        self.world.insert(hero, (character, CharacterState::default())).unwrap();
        hero
    }

    fn step(&mut self) {
        step_characters(&mut self.world, &self.physics, DT).unwrap();
        step_vehicles(&mut self.world, &self.physics, DT).unwrap();
        self.physics.step(&mut self.world, DT).unwrap();
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    fn at(&self, entity: Entity) -> Vec3 {
        self.world.get::<&Position>(entity).unwrap().0
    }

    fn velocity(&self, entity: Entity) -> Vec3 {
        self.world.get::<&LinearVelocity>(entity).unwrap().0
    }

    fn state(&self, hero: Entity) -> CharacterState {
        *self.world.get::<&CharacterState>(hero).unwrap()
    }

    fn walk(&mut self, hero: Entity, walk: Vec3) {
        self.world.get::<&mut Character>(hero).unwrap().walk = walk;
    }
}

#[test]
fn edits_of_one_body_wake_its_stack_and_no_other() {
    let cube = Collider::cuboid(0.5, 0.5, 0.5);
    type Deed = fn(&mut Stage, Entity);
    let deeds: [(&str, Deed); 6] = [
        ("force at a point", |stage, e| {
            let center = stage.physics.center_of_mass(&stage.world, e).unwrap();
            let forces = ExternalForce::at_point(Vec3::X, center + Vec3::Y * 0.5, center);
            stage.world.insert(e, forces).unwrap();
        }),
        ("impulse at a point", |stage, e| {
            let center = stage.physics.center_of_mass(&stage.world, e).unwrap();
            ExternalImpulse::at_point(Vec3::Z, center + Vec3::X * 0.5, center).add_to(&mut stage.world, e);
        }),
        ("torque", |stage, e| stage.world.insert_one(e, ExternalTorque(Vec3::Y)).unwrap()),
        ("teleport", |stage, e| stage.world.get::<&mut Position>(e).unwrap().0.x += 20.0),
        ("velocity", |stage, e| stage.world.get::<&mut LinearVelocity>(e).unwrap().0.y = 0.5),
        ("another kind", |stage, e| stage.world.insert_one(e, RigidBody::Kinematic).unwrap()),
    ];
    for (deed, act) in deeds {
        let mut stage = Stage::with_floor();
        let mut stack =
            |x: Real| [0.5, 1.5, 2.5].map(|y| stage.world.spawn(Body::dynamic(cube.clone()).at(x, y, 0.0).mass(10.0)));
        let (touched, other) = (stack(0.0), stack(5.0));
        stage.run(120);
        assert_eq!(stage.physics.step(&mut stage.world, DT).unwrap().counts.asleep, 6);
        act(&mut stage, touched[0]);
        stage.step();
        let woke_up: Vec<Entity> = stage
            .physics
            .events()
            .iter()
            .filter_map(|e| if let Event::WokeUp { entity } = e { Some(*entity) } else { None })
            .collect();
        assert!(touched[1..].iter().all(|e| woke_up.contains(e)), "{deed}: {woke_up:?}");
        assert!(!other.iter().any(|e| woke_up.contains(e)), "{deed}: {woke_up:?}");
    }
}

#[test]
fn an_impulse_at_a_point_gives_momentum_and_its_moment() {
    let mut stage = Stage::new();
    stage.physics.settings.gravity = Vec3::ZERO;
    let body = stage.world.spawn(Body::free(4.0, Inertia::diagonal(2.0, 2.0, 2.0)).at(1.0, 2.0, 3.0));
    stage.run(2);
    let center = stage.physics.center_of_mass(&stage.world, body).unwrap();
    let impulse = ExternalImpulse::at_point(Vec3::Y * 8.0, center + Vec3::X * 0.5, center);
    impulse.add_to(&mut stage.world, body);
    impulse.add_to(&mut stage.world, body);
    stage.step();
    assert!((stage.velocity(body) - Vec3::Y * 4.0).length() < 1e-5);
    let spin = stage.world.get::<&AngularVelocity>(body).unwrap().0;
    assert!((spin - Vec3::Z * 4.0).length() < 1e-5, "{spin}");
    stage.world.despawn(body).unwrap();
    impulse.add_to(&mut stage.world, body);
}

/// A ramp of an angle (rad) that rises along x from x = 0 on.
fn ramp(stage: &mut Stage, slope: Real) {
    let turn = Quat::from_rotation_z(slope);
    let body = Body::fixed(Collider::cuboid(20.0, 0.5, 5.0)).orientation(turn);
    stage.world.spawn(body.position(turn * Vec3::new(20.0, -0.5, 0.0)));
}

#[test]
fn a_character_stands_still_on_the_ground_at_the_distance_of_its_skin() {
    let mut stage = Stage::with_floor();
    let hero = stage.hero(Vec3::new(0.0, 2.0, 0.0), Character::default());
    stage.run(60);
    let there = stage.at(hero);
    assert!((there.y - FOOT - SKIN).abs() < 1e-4, "{there}");
    stage.run(120);
    assert!(stage.at(hero).distance(there) < 1e-5 && stage.state(hero).ground.is_some());
}

#[test]
fn a_jump_rises_by_the_square_of_its_speed_over_twice_gravity() {
    let mut stage = Stage::with_floor();
    let hero = stage.hero(Vec3::Y, Character { walk: Vec3::X, ..Character::default() });
    stage.run(30);
    let floor = stage.at(hero).y;
    stage.world.get::<&mut Character>(hero).unwrap().jump = 5.0;
    let (mut top, mut flight) = (0.0, 0);
    for _ in 0..90 {
        stage.step();
        top = Real::max(top, stage.at(hero).y - floor);
        flight += usize::from(stage.state(hero).ground.is_none());
    }
    // Sampled at the ends of steps: the top of the parabola is within half a step of one.
    let closed = 25.0 / (2.0 * G);
    assert!(top < closed + 1e-3 && top > closed - G * DT * DT / 8.0 - 1e-3, "{top} for {closed}");
    let steps = 10.0 / G / DT;
    assert!((flight as Real - steps).abs() <= 1.5, "{flight} steps for {steps}");
    assert!(stage.state(hero).ground.is_some() && (stage.at(hero).y - floor).abs() < 1e-4);
}

#[test]
fn slopes_are_climbed_up_to_the_limit_and_no_steeper() {
    let limit: Real = 0.7;
    for (slope, climbs) in [(0.3, true), (0.68, true), (0.72, false), (1.2, false)] {
        let mut stage = Stage::with_floor();
        ramp(&mut stage, slope);
        let character = Character { walk: Vec3::X * 3.0, max_slope: limit, step_height: 0.0, ..Character::default() };
        let hero = stage.hero(Vec3::new(-1.0, 0.81, 0.0), character);
        stage.run(120);
        let at = stage.at(hero);
        if climbs {
            // 1 m of floor, then along the slope at the same speed.
            let along = (at.x * at.x + (at.y - FOOT) * (at.y - FOOT)).sqrt();
            assert!((along - 5.0).abs() < 0.3, "slope {slope}: {at}");
            stage.walk(hero, Vec3::ZERO);
            let there = stage.at(hero);
            stage.run(60);
            assert!(stage.at(hero).distance(there) < 0.06, "it does not slide down {slope}");
            stage.walk(hero, Vec3::X * -3.0);
            for _ in 0..60 {
                stage.step();
                assert!(stage.state(hero).ground.is_some(), "downhill it keeps to the ground");
            }
        } else {
            assert!(at.y < FOOT + 0.05 && at.x < 0.4, "slope {slope}: {at}");
        }
    }
}

#[test]
fn a_character_that_falls_on_a_steep_slope_slides_down_without_friction() {
    let slope: Real = 1.0;
    let mut stage = Stage::new();
    ramp(&mut stage, slope);
    let start = Quat::from_rotation_z(slope) * Vec3::new(15.0, 0.31, 0.0) + Vec3::Y * 0.5;
    let hero = stage.hero(start, Character { air_acceleration: 0.0, ..Character::default() });
    stage.run(30);
    let before = stage.state(hero).velocity;
    stage.run(30);
    let gained = (stage.state(hero).velocity - before).length();
    assert!((gained - 0.5 * G * slope.sin()).abs() < 0.05, "{gained}");
    assert!(stage.state(hero).ground.is_none());
}

#[test]
fn steps_are_climbed_up_to_the_limit_and_no_higher() {
    for (height, speed, climbs) in [
        (0.05, 3.0, true),
        (0.2, 3.0, true),
        (0.298, 3.0, true),
        (0.298, 0.5, true),
        (0.298, 12.0, true),
        (0.302, 3.0, false),
        (0.302, 12.0, false),
        (0.6, 3.0, false),
    ] {
        let mut stage = Stage::with_floor();
        stage.wall(Vec3::new(5.0, height * 0.5, 5.0), Vec3::new(5.0, height * 0.5, 0.0));
        let hero = stage.hero(Vec3::new(-0.6, 0.81, 0.0), Character { walk: Vec3::X * speed, ..Character::default() });
        stage.run((1.8 / speed / DT) as usize + 12);
        let at = stage.at(hero);
        if climbs {
            assert!((at.y - FOOT - height - SKIN).abs() < 2e-3 && at.x > 0.9, "{height} at {speed}: {at}");
        } else {
            assert!((at.y - FOOT - SKIN).abs() < 1e-3 && at.x < -0.3, "{height} at {speed}: {at}");
        }
    }
}

#[test]
fn stairs_are_walked_up_and_down_without_leaving_the_ground() {
    let mut stage = Stage::with_floor();
    for k in 0..6 {
        let height = 0.25 * (k + 1) as Real;
        stage.wall(Vec3::new(0.3 * (6 - k) as Real, height * 0.5, 2.0), Vec3::new(0.0, height * 0.5, 0.0));
    }
    let hero = stage.hero(Vec3::new(-3.0, 0.81, 0.0), Character { walk: Vec3::X * 2.0, ..Character::default() });
    stage.run(2);
    let mut top = 0.0;
    for step in 0..180 {
        stage.step();
        top = Real::max(top, stage.at(hero).y - FOOT);
        assert!(stage.state(hero).ground.is_some(), "step {step}: {}", stage.at(hero));
    }
    assert!((top - 1.5 - SKIN).abs() < 2e-3, "{top}");
    let at = stage.at(hero);
    assert!(at.x > 2.7 && (at.y - FOOT - SKIN).abs() < 2e-3, "{at}");
}

#[test]
fn nothing_is_walked_through_however_fast_and_thin() {
    let mut stage = Stage::with_floor();
    stage.wall(Vec3::new(0.0005, 3.0, 5.0), Vec3::new(5.0, 3.0, 0.0));
    let hero = stage.hero(Vec3::Y * 0.81, Character { walk: Vec3::X * 2000.0, ..Character::default() });
    stage.run(5);
    let x = stage.at(hero).x;
    assert!((x - (5.0 - 0.0005 - 0.3 - SKIN)).abs() < 1e-3, "{x}");
    // It has not fallen through either.
    let faller = stage.hero(Vec3::new(-50.0, 300.0, 0.0), Character::default());
    stage.world.get::<&mut CharacterState>(faller).unwrap().velocity = Vec3::Y * -900.0;
    stage.run(60);
    assert!((stage.at(faller).y - FOOT - SKIN).abs() < 1e-3, "{}", stage.at(faller));
}

#[test]
fn a_ceiling_ends_a_jump_and_keeps_from_steps_that_lead_under_it() {
    let mut stage = Stage::with_floor();
    // 1.9 m above the floor: room for 1.6 m and 0.3 m.
    stage.wall(Vec3::new(10.0, 0.5, 10.0), Vec3::new(0.0, 2.4, 0.0));
    stage.wall(Vec3::new(1.0, 0.145, 1.0), Vec3::new(3.0, 0.145, 0.0));
    let hero = stage.hero(Vec3::Y * 0.81, Character::default());
    stage.run(10);
    stage.world.get::<&mut Character>(hero).unwrap().jump = 5.0;
    let mut top = 0.0;
    for _ in 0..60 {
        stage.step();
        top = Real::max(top, stage.at(hero).y + FOOT);
    }
    assert!(top < 1.9 && top > 1.85, "{top}");
    assert!(stage.state(hero).ground.is_some());
    // The step of 0.29 m leaves 1.58 m under a beam, which stops the round head.
    stage.wall(Vec3::new(1.0, 0.02, 1.0), Vec3::new(3.0, 1.89, 0.0));
    stage.walk(hero, Vec3::X * 3.0);
    stage.run(90);
    assert!(stage.at(hero).x < 2.0 && stage.state(hero).blocked, "{}", stage.at(hero));
}

#[test]
fn a_character_does_not_stumble_over_the_edges_of_a_flat_mesh_or_height_field() {
    let n = 13;
    let corner = |k: usize| Vec3::new((k % n) as Real - 6.0, 0.0, (k / n) as Real - 6.0);
    let mut triangles = Vec::new();
    for k in (0..n * (n - 1)).filter(|k| k % n < n - 1) {
        let [a, b, c, d] = [k, k + 1, k + n, k + n + 1].map(|i| i as u32);
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    let mesh = Collider::trimesh((0..n * n).map(corner).collect(), triangles).unwrap();
    let field = Collider::heightfield(n, n, &vec![0.0; n * n], Vec3::new(12.0, 1.0, 12.0)).unwrap();
    for ground in [mesh, field] {
        for angle in [0.0, 0.3, 0.785, 1.2] {
            let mut stage = Stage::new();
            stage.world.spawn(Body::fixed(ground.clone()));
            let walk = Quat::from_rotation_y(angle) * Vec3::X * 3.0;
            let hero = stage.hero(Vec3::Y * (FOOT + SKIN) - walk, Character { walk, ..Character::default() });
            stage.run(10);
            let start = stage.at(hero);
            stage.run(60);
            let way = stage.at(hero) - start;
            assert!((way - walk).length() < 2e-3, "{angle}: {way} for {walk}");
            assert!(!stage.state(hero).blocked);
        }
    }
}

#[test]
fn a_wall_is_slid_along_at_the_speed_along_it() {
    let mut stage = Stage::with_floor();
    let turn = Quat::from_rotation_y(0.5);
    stage.world.spawn(Body::fixed(Collider::cuboid(0.1, 3.0, 20.0)).orientation(turn).at(1.0, 3.0, 0.0));
    let hero = stage.hero(Vec3::Y * 0.81, Character { walk: Vec3::X * 4.0, ..Character::default() });
    stage.run(30);
    let before = stage.at(hero);
    stage.run(60);
    let way = stage.at(hero) - before;
    let along = turn * Vec3::Z;
    let closed = along * along.dot(Vec3::X * 4.0);
    assert!((way - closed).length() < 0.01, "{way} for {closed}");
}

#[test]
fn a_character_stays_still_in_corners_of_any_angle() {
    for angle in [0.3, 0.8, std::f64::consts::FRAC_PI_2 as Real, 2.5] {
        let mut stage = Stage::with_floor();
        // Two walls that meet at the x axis and open towards the origin by the angle.
        for side in [1.0, -1.0] {
            let turn = Quat::from_rotation_y(side * 0.5 * angle);
            let wall = Body::fixed(Collider::cuboid(10.0, 3.0, 0.5)).orientation(turn);
            let off = turn * Vec3::new(-10.0, 0.0, side * 0.5);
            stage.world.spawn(wall.position(Vec3::new(6.0, 3.0, 0.0) + off));
        }
        for walk in [Vec3::X * 5.0, Vec3::new(5.0, 0.0, 0.4), Vec3::new(5.0, 0.0, -0.2)] {
            let hero = stage.hero(Vec3::new(2.0, 0.81, 0.0), Character { walk, ..Character::default() });
            stage.run(180);
            let mut seen = Vec::new();
            for _ in 0..120 {
                stage.step();
                seen.push(stage.at(hero));
            }
            let spread = seen.iter().fold(0.0, |most: Real, p| most.max(p.distance(seen[0])));
            assert!(spread < 1e-4, "{angle}, {walk}: moves by {spread} at {}", seen[0]);
            // The depth at which a circle fits into the corner.
            let deepest = 6.0 - (0.3 + SKIN) / (0.5 * angle).sin();
            assert!((seen[0].x - deepest).abs() < 0.02, "{angle}, {walk}: {} for {deepest}", seen[0]);
            stage.world.despawn(hero).unwrap();
        }
    }
}

#[test]
fn a_platform_carries_and_turns_a_character_without_slip() {
    let mut stage = Stage::new();
    let lift = stage.world.spawn(Body::kinematic(Collider::cuboid(3.0, 0.5, 3.0)).at(0.0, -0.5, 0.0));
    let hero = stage.hero(Vec3::new(1.0, 0.81, 0.5), Character::default());
    stage.run(20);
    let on_it = stage.at(hero);
    for step in 1..=240 {
        let t = step as Real * DT;
        let position = Vec3::new(0.5 * t * t, -0.5 + (2.0 * t).sin(), -t);
        let target = KinematicTarget::pose(position, Quat::from_rotation_y(0.8 * t));
        stage.world.insert_one(lift, target).unwrap();
        stage.step();
        let own = Quat::from_rotation_y(0.8 * t).inverse() * (stage.at(hero) - position) - Vec3::Y * 0.5;
        assert!(own.distance(on_it) < 2e-3, "after {t} s: {own} for {on_it}");
        assert!(stage.state(hero).ground.is_some());
    }
    let turned = stage.world.get::<&Orientation>(hero).unwrap().0;
    assert!(turned.dot(Quat::from_rotation_y(0.8 * 4.0)).abs() > 1.0 - 1e-4, "{turned}");
    // It walks on the platform as on the ground, and keeps the platform's velocity in a jump.
    stage.world.remove_one::<KinematicTarget>(lift).unwrap();
    stage.world.insert(lift, (LinearVelocity(Vec3::X * 3.0), AngularVelocity(Vec3::ZERO))).unwrap();
    stage.run(5);
    stage.world.get::<&mut Character>(hero).unwrap().jump = 4.0;
    let before = stage.at(hero) - stage.at(lift);
    stage.world.get::<&mut Character>(hero).unwrap().air_acceleration = 0.0;
    stage.run(30);
    let after = stage.at(hero) - stage.at(lift);
    assert!((after - before).with_y(0.0).length() < 0.05, "{before} then {after}");
}

#[test]
fn a_moving_wall_pushes_a_character_and_never_enters_it() {
    let mut stage = Stage::with_floor();
    let hero = stage.hero(Vec3::Y * 0.81, Character::default());
    let wall = Body::kinematic(Collider::cuboid(0.5, 2.0, 3.0)).at(-2.0, 2.1, 0.0).linear_velocity(Vec3::X * 2.0);
    let wall = stage.world.spawn(wall);
    for _ in 0..180 {
        stage.step();
        let gap = stage.at(hero).x - stage.at(wall).x - 0.8;
        assert!(gap > 0.0, "{gap}");
    }
    assert!((stage.at(hero).x - (4.0 + 0.8 + SKIN)).abs() < 0.02, "{}", stage.at(hero));
}

#[test]
fn a_box_is_pushed_if_the_force_is_more_than_its_friction() {
    for (force, moves) in [(0.9, false), (1.1, true)] {
        let mut stage = Stage::with_floor();
        let mass = 40.0;
        let thing = Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(1.2, 0.5, 0.0).mass(mass);
        let thing = stage.world.spawn(thing.material(Material::new(0.5, 0.0)).locked(LockedAxes::ROTATION));
        // The geometric mean with the floor's 0.5.
        let push = force * 0.5 * mass * G;
        let character = Character { walk: Vec3::X * 2.0, push, ..Character::default() };
        let hero = stage.hero(Vec3::Y * 0.81, character);
        stage.run(240);
        let gone = stage.at(thing).x - 1.2;
        if moves {
            // The rest of the force accelerates it up to the character's speed.
            assert!((stage.velocity(thing).x - 2.0).abs() < 0.25 && gone > 2.0, "{} {gone}", stage.velocity(thing));
            let gap = stage.at(thing).x - stage.at(hero).x - 0.8;
            assert!(gap > 0.0 && gap < 0.1, "{gap}");
        } else {
            assert!(gone < 0.02, "{gone}");
        }
    }
}

#[test]
fn a_seesaw_tips_under_a_character_of_its_weight() {
    let mut stage = Stage::new();
    let plank = stage.world.spawn(Body::dynamic(Collider::cuboid(2.0, 0.1, 0.5)).mass(60.0));
    let hinge = Joint::revolute(None, plank).axes(Vec3::Z, Vec3::Z).limits(-0.3, 0.3);
    stage.world.spawn((hinge, JointState::default()));
    let hero = stage.hero(Vec3::new(1.2, 0.95, 0.0), Character { max_slope: 0.9, ..Character::default() });
    stage.run(90);
    let tilt = (stage.world.get::<&Orientation>(plank).unwrap().0 * Vec3::X).y;
    assert!(tilt < -0.25, "{tilt}");
    assert!(stage.state(hero).ground.is_some_and(|ground| ground.entity == plank));
}

#[test]
fn an_impossible_character_or_vehicle_is_refused_by_name() {
    let mut stage = Stage::with_floor();
    let hero = stage.hero(Vec3::Y, Character { skin: 0.0, ..Character::default() });
    stage.physics.step(&mut stage.world, DT).unwrap();
    let told = |stage: &mut Stage| step_characters(&mut stage.world, &stage.physics, DT).unwrap_err().to_string();
    assert!(told(&mut stage).contains("skin must be positive"));
    stage.world.insert_one(hero, Character { up: Vec3::Y * 2.0, ..Character::default() }).unwrap();
    assert!(told(&mut stage).contains("up must be a unit vector"));
    stage.world.insert(hero, (Character::default(), RigidBody::Dynamic)).unwrap();
    stage.physics.step(&mut stage.world, DT).unwrap();
    assert!(told(&mut stage).contains("must be kinematic"));
    stage.world.insert_one(hero, Vehicle { brake: -1.0, ..Vehicle::default() }).unwrap();
    let error = step_vehicles(&mut stage.world, &stage.physics, DT).unwrap_err().to_string();
    assert!(error.contains("Vehicle") && error.contains("brake"), "{error}");
    assert_eq!(stage.world.get::<&Vehicle>(hero).unwrap().brake, -1.0, "it is left as it was");
    assert!(step_vehicles(&mut stage.world, &stage.physics, 0.0).is_err());
}

const MASS: Real = 1200.0;
const BASE: Real = 2.6;

/// Height of the chassis' origin above the ground without load (m).
fn car(stage: &mut Stage, at: Vec3, wheel: Wheel) -> Entity {
    let body = Body::dynamic(Collider::cuboid(2.0, 0.3, 0.8)).mass(MASS).position(at);
    let car = stage.world.spawn(body);
    stage.world.insert_one(car, Vehicle::four_wheels(wheel, BASE, 1.5, 0.0)).unwrap();
    car
}

fn on_a_plain(wheel: Wheel) -> (Stage, Entity) {
    let mut stage = Stage::with_floor();
    let free = wheel.length + wheel.radius;
    let car = car(&mut stage, Vec3::Y * free, wheel);
    stage.run(240);
    (stage, car)
}

fn driver(stage: &Stage, car: Entity, drive: impl FnOnce(&mut Vehicle)) {
    drive(&mut stage.world.get::<&mut Vehicle>(car).unwrap());
}

#[test]
fn a_vehicle_rests_at_the_height_of_its_springs() {
    for (stiffness, damping) in [(20_000.0, 2_000.0), (40_000.0, 4_000.0), (400_000.0, 1_000.0), (4e6, 0.0)] {
        let wheel = Wheel { stiffness, damping, ..Wheel::default() };
        let (mut stage, car) = on_a_plain(wheel);
        stage.run(240);
        let pressed = MASS * G / (4.0 * stiffness);
        let height = wheel.length + wheel.radius - pressed;
        let at = stage.at(car);
        assert!((at.y - height).abs() < 1e-3, "{stiffness}: {} for {height}", at.y);
        assert!(stage.velocity(car).length() < 1e-3 && at.with_y(0.0).length() < 1e-3, "{stiffness}: {at}");
        for wheel in &stage.world.get::<&Vehicle>(car).unwrap().wheels {
            assert!((wheel.state.load - MASS * G / 4.0).abs() < 0.01 * MASS * G, "{:?}", wheel.state);
        }
    }
}

#[test]
fn the_engine_accelerates_by_its_force_over_the_mass() {
    let (mut stage, car) = on_a_plain(Wheel::default());
    driver(&stage, car, |v| v.engine = 2400.0);
    stage.run(120);
    let speed = stage.velocity(car);
    assert!((speed.x - 4.0).abs() < 0.05 && speed.z.abs() < 1e-3, "{speed}");
    // Without engine and brake it keeps rolling.
    driver(&stage, car, |v| v.engine = 0.0);
    stage.run(120);
    assert!((stage.velocity(car).x - speed.x).abs() < 0.02, "{}", stage.velocity(car));
    let wheel = stage.world.get::<&Vehicle>(car).unwrap().wheels[0];
    assert!((wheel.state.spin * wheel.radius - stage.velocity(car).x).abs() < 0.02);
}

#[test]
fn brakes_are_limited_by_friction_and_by_their_own_force() {
    for (brake, friction, deceleration) in [(1e6, 0.9, 0.9 * G), (1e6, 0.4, 0.4 * G), (3600.0, 0.9, 3.0)] {
        let (mut stage, car) = on_a_plain(Wheel { friction, ..Wheel::default() });
        let speed = 20.0;
        stage.world.get::<&mut LinearVelocity>(car).unwrap().0 = Vec3::X * speed;
        driver(&stage, car, |v| v.brake = brake);
        let start = stage.at(car).x;
        stage.run((speed / deceleration / DT) as usize + 120);
        let way = stage.at(car).x - start;
        let closed = speed * speed / (2.0 * deceleration);
        assert!((way / closed - 1.0).abs() < 0.03, "{way} for {closed}");
        assert!(stage.velocity(car).length() < 1e-3, "it stands");
    }
}

#[test]
fn a_braked_vehicle_holds_on_a_slope_below_its_friction_and_slides_above() {
    for (slope, holds) in [(0.6, true), (0.75, false)] {
        let mut stage = Stage::new();
        let turn = Quat::from_rotation_z(slope);
        stage.world.spawn(Body::fixed(Collider::half_space(turn * Vec3::Y)));
        let wheel = Wheel { friction: 0.8, ..Wheel::default() };
        let car = car(&mut stage, turn * Vec3::Y * 0.7, wheel);
        stage.world.get::<&mut Orientation>(car).unwrap().0 = turn;
        driver(&stage, car, |v| v.brake = 1e6);
        stage.run(180);
        let before = stage.at(car);
        stage.run(120);
        let way = stage.at(car).distance(before);
        // tan 0.6 = 0.684, tan 0.75 = 0.93; friction 0.8.
        if holds {
            assert!(way < 1e-3, "{way}");
        } else {
            assert!(way > 1.0, "{way}");
        }
    }
}

#[test]
fn a_slow_vehicle_turns_in_the_circle_of_its_wheelbase_over_the_tangent() {
    for steering in [0.2, 0.5, -0.5] as [Real; 3] {
        let (mut stage, car) = on_a_plain(Wheel::default());
        driver(&stage, car, |v| v.steering = steering);
        stage.world.get::<&mut LinearVelocity>(car).unwrap().0 = Vec3::X * 2.0;
        stage.run(60);
        let mut rear = Vec::new();
        for _ in 0..240 {
            // Kept at 2 m/s.
            let speed = stage.velocity(car).length();
            driver(&stage, car, |v| v.engine = MASS * (2.0 - speed) / 0.2);
            stage.step();
            let turn = stage.world.get::<&Orientation>(car).unwrap().0;
            rear.push(stage.at(car) - turn * Vec3::X * (0.5 * BASE));
        }
        let circle = |points: &[Vec3]| {
            let [a, b, c] = [points[0], points[points.len() / 2], points[points.len() - 1]].map(|p| p.with_y(0.0));
            let area = (b - a).cross(c - a).length();
            a.distance(b) * b.distance(c) * c.distance(a) / (2.0 * area)
        };
        let (radius, closed) = (circle(&rear), BASE / steering.abs().tan());
        assert!((radius / closed - 1.0).abs() < 0.02, "{steering}: {radius} for {closed}");
        // Left is positive.
        let turned = (stage.world.get::<&Orientation>(car).unwrap().0 * Vec3::X).z;
        assert!(steering * turned < 0.0 || radius < 6.0, "{steering}: {turned}");
    }
}

#[test]
fn wheels_press_on_the_body_under_them() {
    let mut stage = Stage::with_floor();
    let raft = Body::dynamic(Collider::cuboid(4.0, 0.2, 2.0)).at(0.0, 0.2, 0.0).mass(500.0).force_threshold(1.0);
    let raft = stage.world.spawn(raft);
    let car = car(&mut stage, Vec3::Y * 1.15, Wheel::default());
    stage.run(300);
    let mut force = Vec3::ZERO;
    for event in stage.physics.events() {
        if let Event::ContactForce { entities, force: f, .. } = event {
            force += if entities[1] == raft { *f } else { -*f };
        }
    }
    let weight = (MASS + 500.0) * G;
    assert!((force.y - weight).abs() < 0.02 * weight, "{force} for {weight}");
    assert!(stage.at(car).y > 0.9);
}

#[test]
fn steered_worlds_have_the_same_bits_whatever_the_threads_and_the_order_of_rows() {
    let play = |threads: usize, other_rows: bool| {
        let mut stage = Stage::with_floor();
        stage.physics.settings.threads = Some(threads);
        // Spawned first, its archetype comes first.
        if other_rows {
            stage.world.spawn(("no body", Vehicle::default(), Character::default()));
        }
        let heroes: Vec<Entity> = (0..6)
            .map(|i| i as Real)
            .map(|x| {
                stage.hero(
                    Vec3::new(x, 1.0, 0.0),
                    Character { walk: Vec3::new(1.0, 0.0, x - 2.5), ..Character::default() },
                )
            })
            .collect();
        let car = car(&mut stage, Vec3::new(0.0, 0.8, 8.0), Wheel::default());
        driver(&stage, car, |v| (v.engine, v.steering) = (1500.0, 0.3));
        stage.run(120);
        let bits = |e: &Entity| stage.at(*e).to_array().map(|x| f64::from(x).to_bits());
        heroes.iter().chain([&car]).map(bits).collect::<Vec<_>>()
    };
    let once = play(1, false);
    assert_eq!(once, play(2, false));
    assert_eq!(once, play(1, true));
}

#[test]
fn the_game_of_the_examples_plays_itself_and_plays_alike_from_where_it_was_kept() {
    let mut pictures = 0;
    let (score, alike) = game::play(|picture| pictures += usize::from(picture.contains('@')));
    assert!(alike, "the same seconds came out otherwise");
    assert!(score.points >= 50 && pictures == 2, "{score:?}");
}

#[test]
fn a_character_stands_up_where_there_is_room_and_crouches_anywhere() {
    use dolmen::StepError;
    use dolmen::control::resize_character;
    let [tall, low] = [Collider::capsule(0.5, 0.3), Collider::capsule(0.1, 0.3)];
    let mut stage = Stage::with_floor();
    // A tunnel from 2 m to 6 m, a metre high.
    stage.wall(Vec3::new(2.0, 0.1, 2.0), Vec3::new(4.0, 1.1, 0.0));
    let hero = stage.hero(Vec3::Y * 0.81, Character { walk: Vec3::X * 2.0, ..Character::default() });
    stage.run(60);
    assert!(stage.at(hero).x < 1.75, "too tall for the tunnel: {}", stage.at(hero));
    assert!(resize_character(&mut stage.world, &stage.physics, hero, &low).unwrap());
    assert!((stage.at(hero).y - 0.405).abs() < 5e-3, "on its feet: {}", stage.at(hero));
    let mut stood = Vec::new();
    for _ in 0..240 {
        stage.step();
        if resize_character(&mut stage.world, &stage.physics, hero, &tall).unwrap() {
            stood.push(stage.at(hero).x);
            assert!((stage.at(hero).y - 0.805).abs() < 5e-3);
            resize_character(&mut stage.world, &stage.physics, hero, &low).unwrap();
        }
    }
    let in_tunnel = |x: &&Real| (1.75..6.25).contains(*x);
    assert_eq!(stood.iter().filter(in_tunnel).count(), 0, "{stood:?}");
    assert!(stood.iter().any(|&x| x > 6.25), "{stood:?}");

    let nobody = stage.world.spawn(());
    let wall = stage.wall(Vec3::ONE, Vec3::Z * 50.0);
    stage.step();
    for entity in [nobody, wall] {
        let error = resize_character(&mut stage.world, &stage.physics, entity, &low).unwrap_err();
        assert!(matches!(error, StepError::Component { component: "Character", .. }), "{error}");
    }
    let error = resize_character(&mut stage.world, &stage.physics, hero, &Collider::ball(-1.0)).unwrap_err();
    assert!(matches!(error, StepError::Shape { .. }), "{error}");
    assert!(resize_character(&mut stage.world, &stage.physics, hero, &Collider::half_space(Vec3::Y)).is_err());
}

#[test]
fn a_character_that_was_disabled_stays_where_it_is_put() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    // A wall between the two places, which nothing may touch.
    let brick = world.spawn(Body::dynamic(Collider::cuboid(0.2, 1.0, 2.0)).at(10.0, 1.0, 0.0));
    let hero = Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 0.805, 0.0);
    let hero = world.spawn(hero.with(Character::default()).with(CharacterState::default()));
    let dt = 1.0 / 60.0;
    let run = |world: &mut World, physics: &mut Physics, steps: usize| {
        for _ in 0..steps {
            step_characters(world, physics, dt).unwrap();
            physics.step(world, dt).unwrap();
        }
    };
    run(&mut world, &mut physics, 30);
    world.insert_one(hero, Disabled).unwrap();
    run(&mut world, &mut physics, 10);
    let there = Vec3::new(20.0, 0.805, 0.0);
    world.get::<&mut Position>(hero).unwrap().0 = there;
    world.remove_one::<Disabled>(hero).unwrap();
    run(&mut world, &mut physics, 30);
    let place = |entity| world.get::<&Position>(entity).unwrap().0;
    assert!(place(hero).distance(there) < 0.02, "{}", place(hero));
    assert!(place(brick).distance(Vec3::new(10.0, 1.0, 0.0)) < 1e-3, "{}", place(brick));
}
