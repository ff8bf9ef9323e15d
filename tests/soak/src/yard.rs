//! The world of a run: parked stacks, and bins that are filled in turn while their oldest bodies go.

use dolmen::prelude::*;
use hecs::{Entity, World};
use std::collections::VecDeque;

/// Cubes of a stack.
const STACK: usize = 10;
/// Bodies that come to one bin before the next has its turn.
const TURN: usize = 100;
/// Distance of bins and of stacks (m).
const SPACING: Real = 5.0;

/// A body that comes and goes, with the joint to the next one.
struct Passing {
    body: Entity,
    joint: Option<Entity>,
}

pub struct Yard {
    parked: Vec<Entity>,
    /// Where the parked bodies were when the drift began to count.
    places: Vec<Vec3>,
    passing: VecDeque<Passing>,
    /// The most passing bodies at a time.
    most: usize,
    bins: usize,
    /// Bodies that came so far.
    came: usize,
    random: fastrand::Rng,
}

impl Yard {
    pub fn new(world: &mut World, parked: usize, passing: usize) -> Self {
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        // No stray body reaches the stacks.
        let wall = Collider::cuboid(0.5, 20.0, 200.0);
        world.spawn(Body::fixed(wall).position(Vec3::NEG_X * SPACING));
        let parked = (0..parked)
            .map(|k| {
                let at = square(k / STACK);
                let height = 0.5 + (k % STACK) as Real;
                world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).position(mirrored(at) + Vec3::Y * height))
            })
            .collect();
        let bins = passing.div_ceil(TURN).max(1);
        for bin in 0..bins {
            for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
                let half = Vec3::new(0.1, 4.0, 0.1) + (Vec3::ONE - Vec3::Y - side.abs()) * 1.5;
                let at = square(bin) + side * 1.6 + Vec3::Y * half.y;
                world.spawn(Body::fixed(Collider::cuboid(half.x, half.y, half.z)).position(at));
            }
        }
        let random = fastrand::Rng::with_seed(1);
        Self { parked, places: Vec::new(), passing: VecDeque::new(), most: passing, bins, came: 0, random }
    }

    /// A body comes; the oldest one goes if there are enough.
    pub fn exchange(&mut self, world: &mut World) {
        if self.most == 0 {
            return;
        }
        if self.passing.len() == self.most
            && let Some(Passing { body, joint }) = self.passing.pop_front()
        {
            for entity in joint.into_iter().chain([body]) {
                world.despawn(entity).expect("only the yard despawns");
            }
        }
        let size = 0.15 + 0.15 * self.random.f32() as Real;
        let collider = match self.random.u8(..4) {
            0 => Collider::ball(size),
            1 => Collider::cuboid(size, 0.8 * size, 1.2 * size),
            2 => Collider::capsule(size, 0.7 * size),
            _ => Collider::cylinder(size, size),
        };
        let aside = Vec3::new(self.random.f32() as Real - 0.5, 0.0, self.random.f32() as Real - 0.5);
        let at = square(self.came / TURN % self.bins) + aside + Vec3::Y * (3.0 + (self.came % 4) as Real);
        // Fast enough to be away before the next one comes to the same height.
        let body = world.spawn(Body::dynamic(collider).position(at).linear_velocity(Vec3::NEG_Y * 6.0));
        // Every tenth body hangs at the one before it.
        if self.came % TURN % 10 == 9
            && let Some(last) = self.passing.back_mut()
        {
            let joint = Joint::spherical(last.body, body).anchors(Vec3::Y * 0.5, Vec3::Y * 0.5);
            last.joint = Some(world.spawn((joint, JointState::default())));
        }
        self.passing.push_back(Passing { body, joint: None });
        self.came += 1;
    }

    /// The drift counts from here.
    pub fn park(&mut self, world: &World) {
        self.places = self.parked.iter().map(|&body| place(world, body)).collect();
    }

    /// The largest distance of a parked body from its place (m).
    pub fn drift(&self, world: &World) -> Real {
        let distances = self.parked.iter().zip(&self.places).map(|(&body, &from)| place(world, body).distance(from));
        distances.fold(0.0, Real::max)
    }
}

fn place(world: &World, body: Entity) -> Vec3 {
    world.get::<&Position>(body).expect("only the yard despawns").0
}

/// The `k`th place on a strip 20 places wide, from the origin towards positive `x` (m).
fn square(k: usize) -> Vec3 {
    Vec3::new((k / 20) as Real, 0.0, (k % 20) as Real) * SPACING
}

/// The same on the other side of the origin.
fn mirrored(at: Vec3) -> Vec3 {
    Vec3::new(-at.x - 2.0 * SPACING, at.y, at.z)
}
