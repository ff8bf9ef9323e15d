//! The arena: some five hundred bodies on a square of sixty metres.

use dolmen::control::fields::Water;
use dolmen::control::{Character, CharacterState, DriveTrain, Ladder, Vehicle, Wheel};
use dolmen::prelude::*;
use dolmen_viewer::picture::Paint;
use hecs::{Entity, World};

/// Half the arena (m).
const HALF: f32 = 30.0;
/// The pool: its middle, half its side, and its depth (m).
const POOL: (Vec3, f32, f32) = (Vec3::new(18.0, 0.0, 18.0), 8.0, 3.0);
/// Depth of the water's surface below the floor (m).
const SURFACE: f32 = 0.3;
/// Balls that may fly at once; the oldest is thrown anew.
const BALLS: usize = 24;
/// Height of the player's shape (m).
pub const TALL: f32 = 1.8;

const SAND: [f32; 3] = [0.76, 0.72, 0.63];
const BRICK: [f32; 3] = [0.70, 0.38, 0.30];
const WOOD: [f32; 3] = [0.66, 0.50, 0.32];
const STEEL: [f32; 3] = [0.45, 0.50, 0.56];
const RED: [f32; 3] = [0.80, 0.22, 0.18];
pub const BLUE: [f32; 3] = [0.28, 0.52, 0.70];

/// The entities that the game speaks to.
#[derive(Clone, Debug)]
pub struct Cast {
    pub player: Entity,
    pub car: Entity,
    /// The joint that turns the crane.
    pub crane: Entity,
    pub lift: Entity,
    pub balls: Vec<Entity>,
}

/// Builds the arena.
pub fn build(world: &mut World) -> Cast {
    ground(world);
    pool(world);
    for (k, x) in [-8.0, 0.0, 8.0].into_iter().enumerate() {
        wall(world, Vec3::new(x, 0.0, -14.0 - 3.0 * k as f32), 9, 8);
    }
    dominoes(world);
    pyramid(world, Vec3::new(-18.0, 0.0, 16.0), 8);
    barrels(world, Vec3::new(22.0, 0.0, -10.0));
    let lift = tower(world);
    let crane = crane(world, Vec3::new(-18.0, 0.0, -8.0));
    wall(world, Vec3::new(-18.0, 0.0, -18.0), 7, 8);
    let balls = (0..BALLS)
        .map(|_| {
            let ball = Body::dynamic(Collider::ball(0.25)).density(1500.0).ccd().at(0.0, -50.0, 0.0);
            world.spawn(drawn(ball.material(Material::new(0.5, 0.4)), RED).with(Disabled))
        })
        .collect();
    Cast { player: player(world), car: car(world), crane, lift, balls }
}

/// A body that is drawn in a colour, between steps.
fn drawn(body: Body, colour: [f32; 3]) -> With<With<Body, Paint>, RenderPose> {
    body.with(Paint(colour)).with(RenderPose::default())
}

fn slab(world: &mut World, half: [f32; 3], at: [f32; 3], colour: [f32; 3]) {
    world.spawn(Body::fixed(Collider::cuboid(half[0], half[1], half[2])).at(at[0], at[1], at[2]).with(Paint(colour)));
}

/// The floor around the pool, and a wall around the floor.
fn ground(world: &mut World) {
    let (centre, half, _) = POOL;
    let [west, east] = [centre.x - half, centre.x + half];
    let [north, south] = [centre.z - half, centre.z + half];
    let floor = |world: &mut World, x: [f32; 2], z: [f32; 2]| {
        let middle = [0.5 * (x[0] + x[1]), -2.0, 0.5 * (z[0] + z[1])];
        slab(world, [0.5 * (x[1] - x[0]), 2.0, 0.5 * (z[1] - z[0])], middle, SAND);
    };
    floor(world, [-HALF, west], [-HALF, HALF]);
    floor(world, [east, HALF], [-HALF, HALF]);
    floor(world, [west, east], [-HALF, north]);
    floor(world, [west, east], [south, HALF]);
    for [x, z] in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
        let half = [0.5 + HALF * f32::abs(z), 1.0, 0.5 + HALF * f32::abs(x)];
        slab(world, half, [x * (HALF + 0.5), 1.0, z * (HALF + 0.5)], STEEL);
    }
}

/// A pool with a ladder, and what floats in it.
fn pool(world: &mut World) {
    let (centre, half, depth) = POOL;
    slab(world, [half, 0.5, half], [centre.x, -depth - 0.5, centre.z], BLUE);
    let surface = Position(centre - Vec3::Y * SURFACE);
    world.spawn((Water::fresh(Vec3::new(half, depth, half)), surface));
    let ladder = Collider::cuboid(0.3, 0.5 * depth, 0.6);
    let ladder = Body::fixed(ladder).at(centre.x - half + 0.3, -0.5 * depth, centre.z).sensor();
    world.spawn(ladder.with(Ladder).with(Paint(STEEL)));
    let afloat = |k: u32| Vec3::new(2.2 * (k % 5) as f32 - 4.4, 0.6, 2.2 * (k / 5) as f32 - 4.4) + centre;
    for k in 0..20 {
        let shape = match k % 3 {
            0 => Collider::cuboid(0.9, 0.15, 0.5),
            1 => Collider::cylinder(0.5, 0.4),
            _ => Collider::cuboid(0.5, 0.5, 0.5),
        };
        world.spawn(drawn(Body::dynamic(shape).density(400.0).position(afloat(k)), WOOD));
    }
}

/// A wall of bricks along x, every second row with half a brick at each end.
fn wall(world: &mut World, at: Vec3, columns: u32, rows: u32) {
    let half = Vec3::new(0.4, 0.2, 0.25);
    let brick = Collider::cuboid(half.x, half.y, half.z);
    let half_brick = Collider::cuboid(0.5 * half.x, half.y, half.z);
    let end = half.x * columns as f32;
    for row in 0..rows {
        let height = half.y * (2 * row + 1) as f32;
        let mut lay = |shape: &Collider, along: f32| {
            let place = at + Vec3::new(along, height, 0.0);
            world.spawn(drawn(Body::dynamic(shape.clone()).density(500.0).position(place), BRICK));
        };
        let bonded = row % 2 == 1;
        for column in 0..columns - u32::from(bonded) {
            lay(&brick, half.x * (2 * column + 1 + u32::from(bonded)) as f32 - end);
        }
        if bonded {
            lay(&half_brick, 0.5 * half.x - end);
            lay(&half_brick, end - 0.5 * half.x);
        }
    }
}

/// A spiral of dominoes.
fn dominoes(world: &mut World) {
    let domino = Collider::cuboid(0.06, 0.5, 0.25);
    let (mut angle, mut radius) = (0.0f32, 7.0f32);
    for _ in 0..70 {
        let at = Vec3::new(-16.0 + radius * angle.cos() * 0.8, 0.5, 3.0 + radius * angle.sin() * 0.8);
        let turn = Quat::from_rotation_y(-angle - std::f32::consts::FRAC_PI_2);
        world.spawn(drawn(Body::dynamic(domino.clone()).density(700.0).position(at).orientation(turn), WOOD));
        angle += 0.55 / radius;
        radius -= 0.03;
    }
}

fn pyramid(world: &mut World, at: Vec3, rows: u32) {
    let block = Collider::cuboid(0.4, 0.4, 0.4);
    for row in 0..rows {
        for k in 0..rows - row {
            let along = 0.85 * (k as f32 - 0.5 * (rows - row) as f32);
            let place = at + Vec3::new(along, 0.4 + 0.8 * row as f32, 0.0);
            world.spawn(drawn(Body::dynamic(block.clone()).density(600.0).position(place), STEEL));
        }
    }
}

/// Barrels in three layers.
fn barrels(world: &mut World, at: Vec3) {
    let barrel = Collider::cylinder(0.45, 0.3);
    for k in 0..36u32 {
        let [x, y, z] = [k % 4, k / 12, k / 4 % 3].map(|k| k as f32);
        let place = at + Vec3::new(0.7 * x, 0.45 + 0.9 * y, 0.7 * z);
        world.spawn(drawn(Body::dynamic(barrel.clone()).density(300.0).position(place), RED));
    }
}

/// A tower with a ladder and a lift.
fn tower(world: &mut World) -> Entity {
    slab(world, [2.0, 2.0, 2.0], [0.0, 2.0, 10.0], STEEL);
    let ladder = Body::fixed(Collider::cuboid(0.05, 2.0, 0.4)).at(-2.05, 2.0, 10.0);
    world.spawn(ladder.with(Ladder).with(Paint(WOOD)));
    let lift = Body::kinematic(Collider::cuboid(1.2, 0.1, 1.2)).position(lift_at(0));
    world.spawn(drawn(lift, BLUE))
}

/// Where the lift is at a step (m).
pub fn lift_at(step: u64) -> Vec3 {
    // Twelve seconds up and down.
    let phase = (step % 720) as f32 / 720.0 * std::f32::consts::TAU;
    Vec3::new(3.25, 0.15 + 1.9 * (1.0 - phase.cos()), 10.0)
}

/// A mast with a jib that a motor turns, and a ball on a chain: returns the joint of the motor.
fn crane(world: &mut World, at: Vec3) -> Entity {
    slab(world, [0.4, 5.0, 0.4], (at + Vec3::Y * 5.0).to_array(), STEEL);
    let top = at + Vec3::Y * 10.3;
    let jib = Body::dynamic(Collider::cuboid(4.0, 0.2, 0.2)).position(top + Vec3::X * 4.0).mass(2000.0);
    let jib = world.spawn(drawn(jib, STEEL));
    let mast = Joint::revolute(None, jib).anchors(top, Vec3::X * -4.0).axes(Vec3::Y, Vec3::Y);
    let crane = world.spawn((mast.motor(Motor::velocity(0.0, 5e4)), JointState::default()));
    let (mut last, mut hold) = (jib, Vec3::X * 4.0);
    for k in 0..10 {
        let link = Body::dynamic(Collider::capsule(0.15, 0.1)).mass(10.0);
        let link = world.spawn(drawn(link.position(top + Vec3::new(8.0, -0.45 - 0.5 * k as f32, 0.0)), STEEL));
        world.spawn((Joint::spherical(last, link).anchors(hold, Vec3::Y * 0.25), JointState::default()));
        (last, hold) = (link, Vec3::Y * -0.25);
    }
    let ball = Body::dynamic(Collider::ball(0.8)).mass(1000.0).position(top + Vec3::new(8.0, -6.0, 0.0));
    let ball = world.spawn(drawn(ball, RED));
    world.spawn((Joint::spherical(last, ball).anchors(hold, Vec3::Y * 0.8), JointState::default()));
    crane
}

fn player(world: &mut World) -> Entity {
    let body = Body::kinematic(Collider::capsule(0.5 * TALL - 0.35, 0.35)).at(0.0, 0.5 * TALL + 0.01, 0.0);
    let character = Character { push: 300.0, ..Character::default() };
    world.spawn(drawn(body, BLUE).with(character).with(CharacterState::default()))
}

fn car(world: &mut World) -> Entity {
    let wheel = Wheel { friction: 1.3, ..Wheel::default() };
    let vehicle = Vehicle::four_wheels(wheel, 2.6, 1.6, 0.0).with_anti_roll_bars(15_000.0);
    let chassis = Body::dynamic(Collider::cuboid(2.0, 0.3, 0.8)).mass(1200.0).center_of_mass(Vec3::Y * -0.1);
    let car = world.spawn(drawn(chassis.at(5.0, 0.75, 3.0), RED).with(vehicle).with(DriveTrain::default()));
    let cabin = ColliderOf { body: car, position: Vec3::new(-0.3, 0.6, 0.0), orientation: Quat::IDENTITY };
    world.spawn((Collider::cuboid(0.9, 0.3, 0.7), cabin, Paint(BLUE)));
    car
}
