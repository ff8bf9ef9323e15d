//! Scenes of the test world. Cubes have edges of 1 m and a mass of 1000 kg (density 1000) unless
//! said.

use super::{Rigid, Touch, World, friction};
use dolmen::math::{Real, Vec3};
use dolmen::solver::Surface;

/// Half extents of a cube of 1 m.
pub const HALF: Vec3 = Vec3::splat(0.5);

/// Adds a cube whose centre is at `(x, y, 0)`.
fn cube(world: &mut World, x: Real, y: Real, mass: Real) -> usize {
    world.add(Rigid::cuboid(HALF, mass, Vec3::new(x, y, 0.0)))
}

/// Lets `upper` stand on `lower` (both of width 1, at these x) at height `y`.
fn on(world: &mut World, (lower, xl): (usize, Real), (upper, xu): (usize, Real), y: Real, surface: Surface) {
    let (low, high) = if lower == 0 { (xu - 0.5, xu + 0.5) } else { (xl.max(xu) - 0.5, xl.min(xu) + 0.5) };
    world.stack(lower, upper, [low, -0.5], [high, 0.5], y, surface);
}

/// A tower of cubes with these masses, at x.
pub fn tower_at(world: &mut World, x: Real, masses: &[Real]) {
    let mut below = 0;
    for (k, &mass) in masses.iter().enumerate() {
        let me = cube(world, x, k as Real + 0.5, mass);
        on(world, (below, x), (me, x), k as Real, friction(0.6));
        below = me;
    }
}

/// One tower of `height` cubes.
pub fn tower(height: usize) -> World {
    let mut world = World::new();
    tower_at(&mut world, 0.0, &vec![1000.0; height]);
    world
}

/// `count` towers of `height` cubes, 2 m apart.
pub fn towers(count: usize, height: usize) -> World {
    let mut world = World::new();
    for k in 0..count {
        tower_at(&mut world, 2.0 * k as Real, &vec![1000.0; height]);
    }
    world
}

/// A pyramid of cubes with `base` cubes in the lowest row, each on two of the row
/// below, 1.05 m apart.
pub fn pyramid(base: usize) -> World {
    let mut world = World::new();
    let mut below: Vec<(usize, Real)> = Vec::new();
    for row in 0..base {
        let mut here = Vec::new();
        for k in 0..base - row {
            let x = 1.05 * ((k as Real) + 0.5 * (row as Real) - 0.5 * (base - 1) as Real);
            let me = (cube(&mut world, x, row as Real + 0.5, 1000.0), x);
            if row == 0 {
                on(&mut world, (0, 0.0), me, 0.0, friction(0.6));
            } else {
                on(&mut world, below[k], me, row as Real, friction(0.6));
                on(&mut world, below[k + 1], me, row as Real, friction(0.6));
            }
            here.push(me);
        }
        below = here;
    }
    world
}

/// A box on a plane that is inclined by `angle` (rad) about z, pushed along it at `velocity`.
pub fn slope(angle: Real, surface: Surface, half: Vec3, velocity: Vec3) -> World {
    // The world is turned rather than the plane: gravity leans.
    let mut world = World::new();
    world.gravity = Vec3::new(angle.sin(), -angle.cos(), 0.0) * 9.81;
    let me = world.add(Rigid::cuboid(half, 10.0, Vec3::new(0.0, half.y, 0.0)));
    world.bodies[me].velocity = velocity;
    world.stack(0, me, [-half.x, -half.z], [half.x, half.z], 0.0, surface);
    world
}

/// A ball of 0.5 m on the ground.
pub fn ball(surface: Surface) -> World {
    let mut world = World::new();
    let me = world.add(Rigid::ball(0.5, 2.0, Vec3::new(0.0, 0.5, 0.0)));
    world.pair(0, me, Touch::BallOnPlane { normal: Vec3::Y, offset: 0.0, radius: 0.5 }, surface);
    world
}

/// A pile of balls falling on the ground: `count` in a grid three wide, each able to touch every
/// other.
pub fn heap(count: usize) -> World {
    let mut world = World::new();
    let radius = 0.5;
    for k in 0..count {
        let jitter = 0.07 * ((k * 37 % 11) as Real - 5.0) / 5.0;
        let at = Vec3::new((k % 3) as Real * 0.9 + jitter, 0.5 + (k / 9) as Real * 1.05, (k / 3 % 3) as Real * 0.9);
        let me = world.add(Rigid::ball(radius, 1.0 + (k % 4) as Real, at));
        let surface = Surface { static_friction: 0.5, dynamic_friction: 0.4, rolling_friction: 0.02 };
        let ground = Touch::BallOnPlane { normal: Vec3::Y, offset: 0.0, radius };
        world.pair(0, me, ground, surface);
        for other in 1..me {
            world.pair(other, me, Touch::Balls { radii: [radius; 2] }, surface);
        }
    }
    world
}

/// A wall of bricks 2 m long, `rows` high and `rows` bricks long, every other row set off by half a
/// brick and closed by half bricks, with gaps of 1 cm.
pub fn wall(rows: usize) -> World {
    let mut world = World::new();
    let mut below: Vec<(usize, Real, Real)> = Vec::new();
    for row in 0..rows {
        let mut here: Vec<(usize, Real, Real)> = Vec::new();
        let y = row as Real;
        let edges: Vec<Real> = if row % 2 == 0 {
            (0..=rows).map(|k| k as Real).collect()
        } else {
            std::iter::once(0.0).chain((0..rows).map(|k| k as Real + 0.5)).chain([rows as Real]).collect()
        };
        for edge in edges.windows(2) {
            let (low, high) = (2.0 * edge[0] + 0.005, 2.0 * edge[1] - 0.005);
            let half = Vec3::new(0.5 * (high - low), 0.5, 0.5);
            let at = Vec3::new(0.5 * (low + high), y + 0.5, 0.0);
            let me = world.add(Rigid::cuboid(half, 1000.0 * (high - low), at));
            if row == 0 {
                world.stack(0, me, [low, -0.5], [high, 0.5], y, friction(0.6));
            }
            for &(lower, from, to) in below.iter().filter(|lower| lower.1 < high && low < lower.2) {
                world.stack(lower, me, [low.max(from), -0.5], [high.min(to), 0.5], y, friction(0.6));
            }
            here.push((me, low, high));
        }
        below = here;
    }
    world
}

/// Islands of many sizes and needs: a pyramid large enough for slabs, towers, heavy loads and
/// single cubes.
pub fn city() -> World {
    let mut world = pyramid(40);
    for k in 0..40 {
        let mut masses = vec![1000.0; 1 + k];
        masses[k] *= if k % 3 == 0 { 20.0 } else { 1.0 };
        tower_at(&mut world, 50.0 + 2.0 * k as Real, &masses);
    }
    world
}

/// A beam that lies on `count` cubes in a row, 1.1 m apart: one body in touch with all slabs of a
/// large island.
pub fn beam(count: usize) -> World {
    let mut world = World::new();
    let length = 1.1 * count as Real;
    let half = Vec3::new(0.5 * length, 0.5, 0.5);
    let beam = world.add(Rigid::cuboid(half, 1000.0 * length, Vec3::new(0.5 * length - 0.55, 1.5, 0.0)));
    for k in 0..count {
        let x = 1.1 * k as Real;
        let me = cube(&mut world, x, 0.5, 1000.0);
        on(&mut world, (0, 0.0), (me, x), 0.0, friction(0.6));
        world.stack(me, beam, [x - 0.5, -0.5], [x + 0.5, 0.5], 1.0, friction(0.6));
    }
    world
}
