//! Particles: closed forms, momentum and energy, walls, piles, rigid bodies, and equal bits.

use crate::drum;
use dolmen::particles::{ParticleSettings, Particles};
use dolmen::prelude::*;
use dolmen::{StepError, math};
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

/// Evenly spread numbers from -1 to 1.
fn numbers() -> impl FnMut() -> Real {
    let mut state = 5_u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0) as Real
    }
}

struct Scene {
    world: World,
    physics: Physics,
    particles: Particles,
}

impl Scene {
    fn new(gravity: Real) -> Self {
        let settings = Settings { gravity: Vec3::Y * -gravity, ..Settings::default() };
        Self { world: World::new(), physics: Physics::new(settings), particles: Particles::default() }
    }

    fn spawn(&mut self, radius: Real, mass: Real, at: Vec3, velocity: Vec3, surface: Material) -> Entity {
        self.world.spawn((Particle { radius, mass }, Position(at), LinearVelocity(velocity), surface))
    }

    fn step(&mut self) {
        let report = self.physics.step(&mut self.world, DT).unwrap();
        assert_eq!(report.counts.out_of_range, 0, "a body left the range of numbers");
        self.particles.step(&mut self.world, &self.physics, DT).unwrap();
    }

    fn position(&self, entity: Entity) -> Vec3 {
        self.world.get::<&Position>(entity).unwrap().0
    }

    fn velocity(&self, entity: Entity) -> Vec3 {
        self.world.get::<&LinearVelocity>(entity).unwrap().0
    }

    /// Momentum (kg m/s) and kinetic energy (J) of the particles.
    fn sums(&self) -> (math::DVec3, f64) {
        let mut sums = (math::DVec3::ZERO, 0.0);
        for (particle, velocity) in &mut self.world.query::<(&Particle, &LinearVelocity)>() {
            let (mass, v) = (f64::from(particle.mass), math::to_f64(velocity.0));
            sums.0 += v * mass;
            sums.1 += 0.5 * mass * v.length_squared();
        }
        sums
    }
}

#[test]
fn two_particles_part_as_the_closed_form_says() {
    for (friction, e) in [(0.0, 1.0), (0.0, 0.4), (0.2, 0.5), (5.0, 0.0)] {
        let mut scene = Scene::new(0.0);
        let (ma, mb) = (2.0, 3.0);
        let (va, vb) = (Vec3::new(3.0, 1.0, 0.0), Vec3::new(-2.0, 0.0, -0.5));
        let surface = Material::new(friction, e);
        let back = 0.25 * DT;
        let a = scene.spawn(0.1, ma, Vec3::X * -0.1 - va * back, va, surface);
        let b = scene.spawn(0.1, mb, Vec3::X * 0.1 - vb * back, vb, surface);
        // A quarter of a step before contact, so that they overlap by a quarter step's approach in
        // the middle.
        let (pa, pb) = (scene.position(a) + va * (0.5 * DT), scene.position(b) + vb * (0.5 * DT));
        let normal = (pa - pb).normalize();
        let v = va - vb;
        let reduced = ma * mb / (ma + mb);
        let push = (1.0 + e) * -normal.dot(v) * reduced;
        let across = v - normal * normal.dot(v);
        let hold = (friction * push).min(across.length() * reduced);
        let impulse = normal * push - across.normalize() * hold;
        scene.step();
        assert!((scene.velocity(a) - va - impulse / ma).length() < 1e-5, "{friction} {e}");
        assert!((scene.velocity(b) - vb + impulse / mb).length() < 1e-5, "{friction} {e}");
    }
}

#[test]
fn a_cloud_that_falls_into_itself_keeps_its_momentum_and_never_gains_energy() {
    for (friction, e) in [(0.0, 1.0), (0.4, 0.8), (0.8, 0.0)] {
        let (mut scene, mut next) = (Scene::new(0.0), numbers());
        for _ in 0..2500 {
            let at = Vec3::new(next(), next(), next());
            let mass = 1.5 + next();
            let velocity = at * -2.0 + Vec3::new(next(), next(), next());
            scene.spawn(0.04 + 0.01 * next(), mass, at, velocity, Material::new(friction, e));
        }
        let (start, mut energy) = scene.sums();
        let first = energy;
        for _ in 0..150 {
            scene.step();
            let (momentum, now) = scene.sums();
            assert!((momentum - start).length() < 0.05, "{momentum} {start}");
            assert!(now <= energy * (1.0 + 1e-6), "{energy} {now}");
            energy = now;
        }
        let kept = energy / first;
        assert!(if e == 1.0 { kept > 0.9999 } else { kept < 0.7 }, "{friction} {e}: {kept}");
    }
}

#[test]
fn particles_that_bounce_without_loss_never_gain_energy_and_keep_their_height() {
    let mut scene = Scene::new(9.81);
    scene.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let balls: Vec<(Entity, Real)> = (0..20)
        .map(|i| {
            let height = 0.3 + 0.37 * i as Real;
            let at = Vec3::new(i as Real, height, 0.0);
            (scene.spawn(0.05, 1.0, at, Vec3::Z * 0.1 * i as Real, Material::new(0.0, 1.0)), height)
        })
        .collect();
    let energy = |scene: &Scene, ball| 0.5 * scene.velocity(ball).length_squared() + 9.81 * scene.position(ball).y;
    let mut before: Vec<Real> = balls.iter().map(|(ball, _)| energy(&scene, *ball)).collect();
    let start = before.clone();
    for _ in 0..600 {
        scene.step();
        for (k, (ball, _)) in balls.iter().enumerate() {
            let now = energy(&scene, *ball);
            assert!(now <= before[k] + 1e-4 * start[k], "ball {k}: {} {now}", before[k]);
            before[k] = now;
        }
    }
    for (k, (_, height)) in balls.iter().enumerate() {
        assert!(before[k] > 0.98 * start[k], "from {height}: {} of {}", before[k], start[k]);
    }
}

#[test]
fn a_free_particle_flies_a_parabola() {
    let mut scene = Scene::new(9.81);
    let ball = scene.spawn(0.1, 1.0, Vec3::ZERO, Vec3::new(1.0, 5.0, 0.0), Material::default());
    for _ in 0..60 {
        scene.step();
    }
    assert!((scene.position(ball) - Vec3::new(1.0, 5.0 - 4.905, 0.0)).length() < 1e-4);
    assert!((scene.velocity(ball) - Vec3::new(1.0, 5.0 - 9.81, 0.0)).length() < 1e-4);
}

#[test]
fn nothing_is_behind_a_plane_after_a_step_at_500_metres_a_second() {
    let (mut scene, mut next) = (Scene::new(9.81), numbers());
    let normal = Vec3::new(0.3, 1.0, -0.2).normalize();
    scene.world.spawn(Body::fixed(Collider::half_space(normal)));
    let balls: Vec<Entity> = (0..300)
        .map(|i| {
            let at = Vec3::new(next() * 9.0, next() * 9.0, next() * 9.0);
            // Some start behind the plane.
            let velocity = Vec3::new(next(), next(), next()) * 10.0 - normal * (500.0 - i as Real);
            scene.spawn(0.01, 1.0, at, velocity, Material::new(0.3, 0.6))
        })
        .collect();
    for _ in 0..40 {
        scene.step();
        for &ball in &balls {
            let height = normal.dot(scene.position(ball));
            assert!(height > 0.01 - 1e-3, "{height}");
        }
    }
}

#[test]
fn nothing_passes_through_a_thin_wall_at_500_metres_a_second() {
    let (mut scene, mut next) = (Scene::new(0.0), numbers());
    scene.world.spawn(Body::fixed(Collider::cuboid(60.0, 60.0, 0.01)));
    let v = [Vec3::new(-60.0, -60.0, 3.0), Vec3::new(60.0, -60.0, 3.0), Vec3::new(0.0, 90.0, 3.0)];
    scene.world.spawn(Body::fixed(Collider::trimesh(v.to_vec(), vec![[0, 1, 2]]).unwrap()));
    let balls: Vec<Entity> = (0..300)
        .map(|i| {
            let at = Vec3::new(next() * 5.0, next() * 5.0, 1.5 + next());
            let velocity = Vec3::new(next() * 30.0, next() * 30.0, if i % 2 == 0 { 1.7 } else { -1.7 } * i as Real);
            scene.spawn(0.01, 1.0, at, velocity, Material::new(0.1, 0.5))
        })
        .collect();
    scene.step();
    for _ in 0..40 {
        scene.step();
        for &ball in &balls {
            let z = scene.position(ball).z;
            assert!(z > 0.0105 && z < 2.9995, "{z}");
        }
    }
}

#[test]
fn projection_takes_its_part_of_the_overlap_in_every_step() {
    for factor in [0.1, 0.4, 0.9] {
        let mut scene = Scene::new(0.0);
        scene.particles.settings = ParticleSettings { projection: factor, ..ParticleSettings::default() };
        let a = scene.spawn(0.5, 1.0, Vec3::ZERO, Vec3::ZERO, Material::default());
        let b = scene.spawn(0.5, 3.0, Vec3::X * 0.6, Vec3::ZERO, Material::default());
        let mut overlap = 0.4;
        for _ in 0..8 {
            scene.step();
            overlap *= 1.0 - factor;
            let now = 1.0 - scene.position(a).distance(scene.position(b));
            assert!((now - overlap).abs() < 1e-5, "{factor}: {now} {overlap}");
        }
        assert_eq!((scene.velocity(a), scene.velocity(b)), (Vec3::ZERO, Vec3::ZERO));
        assert!((scene.position(a).x + 3.0 * (scene.position(b).x - 0.6)).abs() < 1e-5);
    }
}

#[test]
fn a_particle_at_rest_stays_where_it_is() {
    let mut scene = Scene::new(9.81);
    scene.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    scene.world.spawn(Body::fixed(Collider::cuboid(1.0, 1.0, 1.0)).at(5.0, 0.0, 0.0));
    let surface = Material::new(0.5, 1.0);
    let on_plane = scene.spawn(0.1, 1.0, Vec3::Y * 0.1, Vec3::ZERO, surface);
    let on_box = scene.spawn(0.1, 1.0, Vec3::new(5.0, 1.1, 0.0), Vec3::ZERO, surface);
    for _ in 0..300 {
        scene.step();
    }
    assert!((scene.position(on_plane) - Vec3::Y * 0.1).length() < 1e-4);
    assert!((scene.position(on_box) - Vec3::new(5.0, 1.1, 0.0)).length() < 2e-4);
    assert!(scene.velocity(on_plane).length() + scene.velocity(on_box).length() < 1e-6);
}

/// The slope of the pile of a collapsed block of grains: twice the mean height over the mean
/// distance from the axis, which for a cone is the tangent of its angle.
fn slope(friction: Real) -> Real {
    let (mut scene, mut next) = (Scene::new(9.81), numbers());
    let surface = Material::new(friction, 0.1);
    scene.world.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), surface));
    for i in 0..1000 {
        let cell = Vec3::new((i % 10) as Real - 4.5, (i / 100) as Real + 0.5, (i / 10 % 10) as Real - 4.5);
        let jitter = Vec3::new(next(), next(), next()) * 0.004;
        scene.spawn(0.05, 1.0, cell * 0.11 + jitter, Vec3::ZERO, surface);
    }
    for _ in 0..180 {
        scene.step();
    }
    let (mut height, mut distance) = (0.0, 0.0);
    for (position, _) in &mut scene.world.query::<(&Position, &Particle)>() {
        height += position.0.y - 0.05;
        distance += position.0.x.hypot(position.0.z);
    }
    2.0 * height / distance
}

#[test]
fn grains_with_friction_form_a_pile_and_without_it_they_spread() {
    let (rough, smooth) = (slope(0.6), slope(0.0));
    // Grains without rotation form steeper piles than rolling ones; sand has about 0.65.
    assert!((0.25..1.2).contains(&rough), "{rough}");
    assert!(smooth < 0.2 * rough, "{smooth} {rough}");
}

#[test]
fn the_last_bit_is_the_same_for_any_threads_and_any_order_of_spawning() {
    let history = |threads: usize, turned: bool| {
        let mut scene = Scene::new(9.81);
        scene.physics.settings.threads = Some(threads);
        scene.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let block = scene.world.spawn(Body::dynamic(Collider::cuboid(0.3, 0.2, 0.3)).at(0.4, 0.4, 0.3));
        let count = 6000;
        let mut grains = vec![Entity::DANGLING; count];
        for k in 0..count {
            let i = if turned { (k * 1001) % count } else { k };
            let mut cell = Vec3::new((i % 60) as Real, (i / 600) as Real + 8.0, (i / 60 % 10) as Real);
            cell.x += 0.1 * (i as Real).sin();
            let surface = Material::new(0.1 * (i % 5) as Real, 0.2 * (i % 3) as Real);
            grains[i] = scene.spawn(0.03, 0.1 + 0.01 * (i % 7) as Real, cell * 0.061, Vec3::ZERO, surface);
        }
        for _ in 0..60 {
            scene.step();
        }
        assert!(scene.position(block).y.is_finite());
        grains.push(block);
        let bits = |v: Vec3| v.to_array().map(|x| f64::from(x).to_bits());
        grains.iter().flat_map(|&e| [bits(scene.position(e)), bits(scene.velocity(e))]).collect::<Vec<_>>()
    };
    let expected = history(1, false);
    for (threads, turned) in [(2, false), (3, true), (8, false), (1, true)] {
        assert!(history(threads, turned) == expected, "{threads} threads, turned {turned}");
    }
}

#[test]
fn a_particle_and_a_body_share_their_momentum() {
    let mut scene = Scene::new(0.0);
    let body = scene.world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.3, 0.4)).density(10.0));
    scene.physics.step(&mut scene.world, DT).unwrap();
    let mass = f64::from(10.0 * 8.0 * 0.5 * 0.3 * 0.4 as Real);
    let from = Vec3::new(-2.0, 0.2, 0.1);
    let grain = scene.spawn(0.05, 0.5, from, Vec3::new(20.0, 0.5, 0.0), Material::new(0.5, 0.5));
    let total = |scene: &Scene| {
        let grain = (math::to_f64(scene.position(grain)), math::to_f64(scene.velocity(grain)) * 0.5);
        let v = math::to_f64(scene.velocity(body));
        (grain.1 + v * mass, 0.5 * grain.1.dot(grain.1) / 0.5 + scene.physics.kinetic_energy())
    };
    let (momentum, energy) = total(&scene);
    for _ in 0..30 {
        scene.step();
    }
    let (after, left) = total(&scene);
    assert!((after - momentum).length() < 1e-4, "{after} {momentum}");
    assert!(left < energy && left > 0.3 * energy, "{left} of {energy}");
    assert!(scene.velocity(body).x > 1.0 && scene.velocity(grain).x < scene.velocity(body).x);
    assert!(scene.world.get::<&AngularVelocity>(body).unwrap().0.length() > 0.1);
}

#[test]
fn the_weight_of_a_grain_on_a_block_acts_on_the_support_of_the_block() {
    let mut scene = Scene::new(9.81);
    scene.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let block = scene.world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.25, 0.5)).at(0.0, 0.25, 0.0).mass(10.0));
    let grain = scene.spawn(0.1, 1.0, Vec3::Y * 0.6, Vec3::ZERO, Material::default());
    let mut supported = 0.0;
    for step in 0..180 {
        scene.step();
        if step >= 120 {
            supported += scene.physics.contacts().map(|contact| contact.impulse.y.abs()).sum::<Real>();
        }
    }
    let weight = supported / (60.0 * DT);
    assert!((weight / (11.0 * 9.81) - 1.0).abs() < 0.02, "{weight}");
    assert!((scene.position(grain).y - 0.6).abs() < 2e-3, "{}", scene.position(grain));
    assert!((scene.position(block).y - 0.25).abs() < 2e-3);
}

#[test]
fn a_turning_drum_lifts_its_grains_and_loses_none() {
    let mut drum = drum::Drum::new(3000, 0.025, 1.5);
    let centre = |drum: &drum::Drum| {
        let mut sum = (Vec3::ZERO, 0);
        for (position, _) in &mut drum.world.query::<(&Position, &Particle)>() {
            assert!(
                position.0.truncate().length() < drum.radius / 0.96 && position.0.z.abs() < drum.half,
                "{position:?}"
            );
            sum = (sum.0 + position.0, sum.1 + 1);
        }
        assert_eq!(sum.1, 3000);
        sum.0 / 3000.0
    };
    for _ in 0..240 {
        drum.step(DT);
        centre(&drum);
    }
    // The drum turns from x to y: the grains are to the right of the lowest point.
    let at = centre(&drum) / drum.radius;
    assert!(at.x > 0.05 && at.y < -0.2, "{at}");
}

#[test]
fn impossible_particles_are_errors_that_name_entity_component_and_value() {
    let mut scene = Scene::new(9.81);
    let good = scene.world.spawn((Particle::of_density(0.1, 1000.0),));
    scene.step();
    assert!(scene.world.get::<&Position>(good).is_ok() && scene.velocity(good).y < 0.0);
    let before = scene.position(good);
    let bad = scene.spawn(0.1, -1.0, Vec3::ZERO, Vec3::ZERO, Material::default());
    let refused = |scene: &mut Scene, component: &str| {
        let error = scene.particles.step(&mut scene.world, &scene.physics, DT).unwrap_err();
        assert!(
            matches!(&error, StepError::Component { entity, component: c, .. } if *entity == bad && *c == component),
            "{error}"
        );
        assert_eq!(scene.position(good), before);
    };
    refused(&mut scene, "Particle");
    scene.world.get::<&mut Particle>(bad).unwrap().mass = 1.0;
    scene.world.get::<&mut Position>(bad).unwrap().0.x = Real::NAN;
    refused(&mut scene, "Position");
    scene.world.get::<&mut Position>(bad).unwrap().0.x = 0.0;
    scene.world.get::<&mut LinearVelocity>(bad).unwrap().0.y = Real::INFINITY;
    refused(&mut scene, "LinearVelocity");
    scene.world.get::<&mut LinearVelocity>(bad).unwrap().0.y = 0.0;
    scene.world.get::<&mut Material>(bad).unwrap().restitution = 1.5;
    refused(&mut scene, "Material");
    scene.world.get::<&mut Material>(bad).unwrap().restitution = 0.5;
    scene.particles.step(&mut scene.world, &scene.physics, DT).unwrap();
    scene.particles.settings.iterations = 0;
    let error = scene.particles.step(&mut scene.world, &scene.physics, DT).unwrap_err();
    assert!(matches!(error, StepError::Setting { setting: "iterations", .. }));
}

#[test]
fn restored_particles_go_on_with_the_same_bits() {
    let mut drum = drum::Drum::new(600, 0.05, 0.8);
    for _ in 0..40 {
        drum.step(1.0 / 60.0);
    }
    let (bodies, grains) = (drum.physics.save(&drum.world), drum.particles.save(&drum.world));
    let run = |drum: &mut drum::Drum| {
        for _ in 0..30 {
            drum.step(1.0 / 60.0);
        }
        let mut places: Vec<_> = drum
            .world
            .query::<(hecs::Entity, &Position, &LinearVelocity)>()
            .with::<&Particle>()
            .iter()
            .map(|(entity, position, velocity)| (entity, position.0, velocity.0))
            .collect();
        places.sort_by_key(|(entity, ..)| *entity);
        places
    };
    let first = run(&mut drum);
    drum.physics.restore(&mut drum.world, &bodies);
    let text = serde_json::to_string(&grains).unwrap();
    assert!(drum.particles.restore(&mut drum.world, &serde_json::from_str(&text).unwrap()).is_empty());
    assert!(run(&mut drum) == first, "the grains went elsewhere");
}
