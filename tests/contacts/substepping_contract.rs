//! Contract of the substepping solver: the same bits at any SIMD level and number of threads, no
//! NaN, errors named.

use crate::support::{Rigid, Touch, World, friction, scenes};
use dolmen::math::{Real, Vec3};
use dolmen::solver::SimdLevel;

#[test]
fn every_simd_level_gives_the_same_bits() {
    for scene in [scenes::heap(40), scenes::pyramid(40), scenes::towers(30, 5)] {
        let run = |level: SimdLevel| {
            let mut world = scene.clone();
            world.parameters.simd = level;
            world.run(150);
            world.bits()
        };
        let reference = run(SimdLevel::named("portable").unwrap());
        for &level in SimdLevel::available() {
            assert!(run(level) == reference, "{}", level.name());
        }
    }
}

#[cfg(feature = "parallel")]
fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for scene in [scenes::pyramid(50), scenes::towers(300, 5), scenes::city(), scenes::beam(800)] {
        let run = |threads: usize| {
            let mut world = scene.clone();
            world.parameters.threads = threads;
            pool(threads).install(|| world.run(60));
            world.bits()
        };
        let reference = run(1);
        for threads in [2, 3, 8] {
            assert!(run(threads) == reference, "{threads} threads");
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn a_busy_pool_does_not_hold_a_step_up() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let pool = pool(2);
    let stepped = AtomicBool::new(false);
    let mut world = scenes::pyramid(50);
    let mut alone = world.clone();
    alone.parameters.threads = 1;
    alone.run(10);
    // One thread of the pool waits until the steps are over, so that they get no help from it.
    pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            while !stepped.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        });
        scope.spawn(|_| {
            world.run(10);
            stepped.store(true, Ordering::Release);
        });
    });
    assert!(world.bits() == alone.bits());
}

#[test]
fn kept_rows_give_what_fresh_ones_give() {
    let run = |keep: bool| {
        let mut world = scenes::pyramid(10);
        world.keep = keep;
        world.run(600);
        world
    };
    let (kept, fresh) = (run(true), run(false));
    for (a, b) in kept.bodies.iter().zip(&fresh.bodies) {
        assert!((a.position - b.position).length() < 5e-4, "{} {}", a.position, b.position);
    }
}

#[test]
fn forgetting_between_steps_changes_nothing_that_can_be_seen() {
    let mut world = scenes::tower(10);
    let mut other = world.clone();
    for _ in 0..200 {
        world.step();
        other.solver.forget();
        other.step();
    }
    assert!(world.bits() == other.bits());
}

/// Asserts that every number of a world is finite.
fn assert_finite(world: &World) {
    for (body, motion) in world.bodies.iter().zip(world.solver.motions()) {
        assert!(body.position.is_finite() && body.orientation.is_finite(), "{body:?}");
        assert!(motion.linear_velocity.is_finite() && motion.angular_velocity.is_finite(), "{motion:?}");
        assert!(motion.displacement.is_finite() && motion.residual.is_finite(), "{motion:?}");
    }
    for manifold in &world.pool {
        assert!(manifold.friction_impulse.is_finite() && manifold.twist_impulse.is_finite(), "{manifold:?}");
        assert!(manifold.points.iter().all(|p| p.normal_impulse >= 0.0 && p.normal_impulse.is_finite()));
    }
}

#[test]
fn degenerate_input_gives_no_nan() {
    for level in SimdLevel::available() {
        let mut world = World::new();
        world.parameters.simd = *level;
        // Points in one place, on one line, none at all; no inertia; no mass but inertia; immovable
        // bodies.
        for (k, corners) in
            [vec![Vec3::ZERO; 4], vec![Vec3::X * 0.5, Vec3::ZERO, -Vec3::X * 0.5], vec![], vec![Vec3::ZERO]]
                .into_iter()
                .enumerate()
        {
            for kind in 0..4 {
                let x = 3.0 * (4 * k + kind) as Real;
                let mut body = Rigid::cuboid(scenes::HALF, 1.0, Vec3::new(x, -0.01, 0.0));
                match kind {
                    1 => body.inverse_inertia = Vec3::ZERO,
                    2 => body.inverse_mass = 0.0,
                    3 => (body.inverse_mass, body.inverse_inertia) = (0.0, Vec3::ZERO),
                    _ => {}
                }
                let me = world.add(body);
                let corners = corners.clone();
                world.pair(0, me, Touch::Plane { normal: Vec3::Y, offset: 0.0, corners }, friction(0.5));
            }
        }
        // Two balls in the same place, with a normal of no length.
        let a = world.add(Rigid::ball(0.5, 1.0, Vec3::splat(9.0)));
        let b = world.add(Rigid::ball(0.5, 1.0, Vec3::splat(9.0)));
        world.pair(a, b, Touch::Balls { radii: [0.5; 2] }, friction(0.5));
        for _ in 0..20 {
            world.collide();
            for contact in &world.contacts {
                let manifold = &mut world.pool[contact.manifold as usize];
                if !manifold.normal.is_finite() {
                    *manifold = dolmen::contact::Manifold { count: 1, ..Default::default() };
                }
            }
            world.fill();
            world.solver.step(&world.parameters, &world.contacts, &mut world.pool);
            world.integrate();
            assert_finite(&world);
        }
    }
}

#[test]
fn a_step_without_contacts_or_bodies_does_nothing() {
    let mut world = World::new();
    world.step();
    assert_eq!(world.solver.motions().len(), 1);
    world.solver.bodies.clear();
    world.solver.step(&world.parameters, &[], &mut []);
    assert!(world.solver.motions().is_empty() && world.solver.islands().is_empty());
}

#[test]
fn contacts_come_and_go_without_leaving_a_trace() {
    // The same world twice: one solver has seen other contacts before.
    let mut worn = scenes::heap(20);
    worn.run(100);
    let used = worn.solver.clone();
    let mut fresh = scenes::tower(5);
    let mut other = fresh.clone();
    other.solver = used;
    other.solver.forget();
    fresh.run(50);
    other.run(50);
    assert!(fresh.bits() == other.bits());
}

#[test]
fn a_cloned_solver_goes_on_with_the_same_bits_while_contacts_come_and_go() {
    let mut world = scenes::heap(20);
    world.keep = true;
    let mut changes = 0;
    for _ in 0..10 {
        let mut other = world.clone();
        let before = world.contacts.len();
        world.run(12);
        other.run(12);
        assert!(world.bits() == other.bits());
        changes += usize::from(world.contacts.len() != before);
    }
    assert!(changes > 3, "the heap must fall on while it is cloned: {changes}");
}

#[test]
fn two_balls_that_meet_and_land_in_the_same_step_join_what_they_land_on() {
    let mut world = scenes::heap(1);
    for k in [1, 2] {
        let ball = world.bodies[1].clone();
        world.add(Rigid { position: ball.position + Vec3::Y * (2.0 * k as Real), ..ball });
    }
    // The upper pair comes first, so that it is an island of its own before it meets the other.
    world.pair(2, 3, Touch::Balls { radii: [0.5; 2] }, friction(0.5));
    world.pair(1, 2, Touch::Balls { radii: [0.5; 2] }, friction(0.5));
    world.step();
    assert_eq!(world.solver.islands().len(), 1);
    for k in [2, 3] {
        world.bodies[k].position = world.bodies[1].position + Vec3::Y * (k as Real - 1.0);
    }
    world.run(60);
    assert_eq!(world.contacts.len(), 3);
    let load = |pair: usize| world.pool[pair].points[0].normal_impulse * 60.0 / 9.81;
    for (pair, weight) in [(0, 3.0), (2, 2.0), (1, 1.0)] {
        assert!((load(pair) - weight).abs() < 0.01, "{pair}: {}", load(pair));
    }
}

/// What a change of a world of two cubes on each other makes a panic say.
type Defect = (&'static str, fn(&mut World));

const DEFECTS: [Defect; 15] = [
    ("a step of 0 s", |world| world.parameters.dt = 0.0),
    ("a step of -0.01 s", |world| world.parameters.dt = -0.01),
    ("a step of inf s", |world| world.parameters.dt = Real::INFINITY),
    ("a step of NaN s", |world| world.parameters.dt = Real::NAN),
    ("index out of bounds", |world| world.contacts[1].a = 3),
    ("index out of bounds", |world| world.contacts[1].b = 3),
    ("index out of bounds", |world| world.contacts[1].b = u32::MAX),
    ("index out of bounds", |world| world.contacts[1].manifold = 2),
    ("index out of bounds", |world| world.pool.truncate(1)),
    ("touches itself", |world| world.contacts[1].a = world.contacts[1].b),
    ("in use by another contact", |world| world.contacts[1].manifold = 0),
    ("cannot be movable", |world| world.solver.bodies[0].inverse_mass = 1.0),
    ("must be sorted by island", |world| world.contacts[0].island = 7),
    ("is in two islands", |world| world.contacts[1].island = 7),
    ("is in two islands", |world| world.contacts.iter_mut().zip(0..).for_each(|(contact, k)| contact.island = k)),
];

#[test]
fn every_defect_of_the_input_is_named_by_a_panic() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    for (k, (expected, spoil)) in DEFECTS.into_iter().enumerate() {
        let mut world = scenes::tower(2);
        world.collide();
        world.fill();
        spoil(&mut world);
        let step = AssertUnwindSafe(|| world.solver.step(&world.parameters, &world.contacts, &mut world.pool));
        let panic = catch_unwind(step).expect_err(expected);
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref().copied());
        let text = text.unwrap_or_default();
        assert!(text.contains(expected), "defect {k}: {text}");
    }
}

#[test]
fn a_quiet_island_stops_early_and_a_falling_one_does_not() {
    let mut world = scenes::towers(1, 5);
    world.keep = true;
    world.run(200);
    let figures = world.solver.islands()[0];
    assert!(figures.substeps < figures.planned, "{figures:?}");
    assert!(figures.residual < world.parameters.stop);
    // Near the ground, but not on it: nothing to correct, and still a fall.
    let mut falling = scenes::tower(1);
    falling.bodies[1].position.y += 0.019;
    falling.step();
    let figures = falling.solver.islands()[0];
    assert_eq!(figures.substeps, figures.planned);
}
