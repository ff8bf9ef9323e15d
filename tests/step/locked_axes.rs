//! Bodies with locked axes: planar worlds and sliders.

use dolmen::prelude::*;
use dolmen::resting::RestingMethod;
use hecs::World;

const DT: Real = 1.0 / 60.0;

/// Pseudo-random numbers.
struct Dice(u64);

impl Dice {
    fn within(&mut self, reach: Real) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as Real / (1u64 << 30) as Real - 1.0) * reach
    }

    fn vector(&mut self, reach: Real) -> Vec3 {
        Vec3::new(self.within(reach), self.within(reach), self.within(reach))
    }
}

fn shapes() -> [Collider; 5] {
    [
        Collider::cuboid(0.5, 0.3, 0.4),
        Collider::ball(0.4),
        Collider::capsule(0.3, 0.2),
        Collider::cylinder(0.3, 0.4),
        Collider::cone(0.3, 0.4),
    ]
}

/// A floor and some bodies of several shapes above it that touch neither it nor each other.
fn toys(seed: u64) -> (World, Vec<hecs::Entity>) {
    let (mut world, mut dice) = (World::new(), Dice(seed * 77 + 5));
    let surface = Material::new(if seed.is_multiple_of(4) { 0.0 } else { 0.7 }, 0.0);
    world.spawn(Body::fixed(Collider::cuboid(20.0, 1.0, 20.0)).at(0.0, -1.0, 0.0).material(surface));
    let toys = (0..1 + seed as usize % 4).map(|i| {
        let body = Body::dynamic(shapes()[(seed as usize + i) % 5].clone()).material(surface);
        let at = Vec3::new(dice.within(0.3), 0.8 + 1.5 * i as Real, dice.within(0.3));
        let turned = Quat::from_scaled_axis(dice.vector(3.0));
        world.spawn(
            body.position(at).orientation(turned).linear_velocity(dice.vector(1.0)).angular_velocity(dice.vector(3.0)),
        )
    });
    let toys = toys.collect();
    (world, toys)
}

/// Drops bodies and locks their axes, at the start or once they lie on the floor. Returns the
/// largest relative gain of energy in a step.
fn play(locked: LockedAxes, law: RestingMethod, accuracy: Accuracy, seed: u64) -> f64 {
    let (mut world, toys) = toys(seed);
    let mut physics = Physics::new(Settings { resting_method: law, accuracy, ..Settings::default() });
    let (mut before, mut had, mut gained) = (f64::INFINITY, 0.0, 0.0f64);
    let locking = if seed.is_multiple_of(2) { 0 } else { 60 };
    for step in 0..200 {
        if step == locking {
            toys.iter().for_each(|&toy| world.insert_one(toy, locked).unwrap());
        }
        physics.step(&mut world, DT).unwrap();
        let energy = physics.energy();
        if step == 0 {
            had = energy;
        } else if step != locking {
            gained = gained.max((energy - before) / had);
        }
        before = energy;
        for contact in physics.contacts() {
            let sound = contact.separation.is_finite() && contact.impulse.is_finite();
            assert!(sound, "{locked:?}, {law:?}, {accuracy:?}, {seed}, step {step}: {contact:?}");
        }
    }
    gained
}

#[test]
fn bodies_locked_to_a_plane_keep_their_contacts() {
    for locked in LockedAxes::PLANES {
        for law in [RestingMethod::Auto, RestingMethod::Iterative] {
            for seed in 0..20 {
                let gained = play(locked, law, Accuracy::Game, seed);
                assert!(gained < 0.02, "{locked:?}, {law:?}, {seed}: gained {gained}");
            }
        }
    }
}

#[test]
fn bodies_that_translate_along_two_axes_keep_their_contacts() {
    let locked = LockedAxes::ROTATION | LockedAxes::TRANSLATION_X;
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for seed in 0..20 {
            let gained = play(locked, RestingMethod::Iterative, accuracy, seed);
            assert!(gained < 0.02, "{accuracy:?}, {seed}: gained {gained}");
        }
    }
}

/// A beam that may only rotate about one axis comes down on a post: all its translations are
/// locked, and the post bears the torque.
#[test]
fn a_body_that_only_rotates_is_held_by_the_direct_solver() {
    let (mut world, mut physics) = (World::new(), Physics::new(Settings { sleep: false, ..Settings::default() }));
    world.spawn(Body::fixed(Collider::cuboid(0.1, 0.5, 0.5)).at(0.9, -0.6, 0.0));
    let beam = world.spawn(Body::dynamic(Collider::cuboid(1.0, 0.1, 0.2)).mass(2.0));
    world.insert(beam, (LockedAxes::TRANSLATION, ExternalTorque(Vec3::new(0.0, 0.0, -8.0)))).unwrap();
    for step in 0..120 {
        let counts = physics.step(&mut world, DT).unwrap().counts;
        assert_eq!((counts.direct_islands, counts.fallbacks), (1, 0), "step {step}");
    }
    let borne: Real = physics.contacts().map(|c| c.point.cross(c.force).z).sum();
    assert!((borne.abs() - 8.0).abs() < 0.01, "{borne} N m");
    assert!(world.get::<&AngularVelocity>(beam).unwrap().0.length() < 1e-4);
}
