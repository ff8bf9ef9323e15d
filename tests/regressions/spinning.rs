//! What spins or tips by a radian in a step, and what is as small as that. Contacts and gyroscopic
//! torque then did work by the errors of a step (coins grew to several times their energy, bars of
//! millimetres to thousands of times), and hinges lost whole turns.

use crate::{alone, prism_corners};
use dolmen::math::consts::TAU;
use dolmen::prelude::*;
use dolmen::resting::RestingMethod;
use hecs::{Entity, World};

/// A world with a plane, whose materials have this friction.
fn plane(friction: Real) -> (World, Material) {
    let mut world = World::new();
    let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
    (world, material)
}

/// Steps a world; returns the greatest energy in units of that after the first step.
fn growth(world: &mut World, accuracy: Accuracy, dt: Real, steps: usize) -> f64 {
    let mut physics = alone();
    physics.settings.accuracy = accuracy;
    physics.step(world, dt).unwrap();
    let (first, mut most) = (physics.energy(), 0.0_f64);
    for _ in 0..steps {
        physics.step(world, dt).unwrap();
        most = most.max(physics.energy());
    }
    most / first
}

/// A coin that stands nearly on its rim and spins about the vertical.
fn coin(world: &mut World, material: Material, radius: Real, spin: Real) -> Entity {
    let (half, tilt) = (radius / 12.0, (80.0 as Real).to_radians());
    let height = radius * tilt.sin() + half * tilt.cos() + 0.05 * radius;
    let body = Body::dynamic(Collider::cylinder(half, radius)).density(8000.0).material(material);
    let body = body.at(0.0, height, 0.0).orientation(Quat::from_rotation_x(tilt));
    world.spawn(body.angular_velocity(Vec3::Y * spin))
}

#[test]
fn a_spun_coin_gains_no_energy() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for radius in [0.012, 0.12, 0.5] {
            for (spin, dt, steps) in [(40.0, 1.0 / 30.0, 120), (40.0, 1.0 / 60.0, 240), (40.0, 1e-3, 300)] {
                let (mut world, material) = plane(0.3);
                coin(&mut world, material, radius, spin);
                let most = growth(&mut world, accuracy, dt, steps);
                assert!(most < 1.01, "{accuracy:?}, {radius} m, {spin} rad/s, {dt} s: {most} times");
            }
        }
    }
}

#[test]
fn a_small_coin_ends_flat() {
    let (mut world, material) = plane(0.3);
    let coin = coin(&mut world, material, 0.012, 40.0);
    growth(&mut world, Accuracy::Game, 1.0 / 60.0, 600);
    let up = world.get::<&Orientation>(coin).unwrap().0 * Vec3::Y;
    assert!(up.y.abs() > 0.999, "{up}");
}

/// A tip that impacts lifted was no overlap to push out, and with it nothing of the contact was: the other end,
/// deeper in the ground than its motion would bring it out, sank further with each impact.
#[test]
fn capsules_that_spin_flat_on_the_ground_come_out_at_both_ends() {
    let (half, radius, mass) = (0.14, 0.014, 22.0);
    let mut bad = Vec::new();
    for depth in [0.0, 0.3, 0.6, 0.9] {
        for (spin, tumble) in [4.0, 8.0, 12.0].into_iter().flat_map(|spin| [0.3, 0.5, 0.8].map(|part| (spin, part))) {
            let (mut world, material) = plane(0.0);
            let mut physics = alone();
            (physics.settings.resting_method, physics.settings.length_unit) = (RestingMethod::Iterative, 0.25);
            // One end lies on the ground, the other by that part of the half length in it.
            let tilt = (0.5 * depth as Real).asin();
            let turned = Quat::from_rotation_z(0.25 * TAU + tilt);
            let capsule = Body::dynamic(Collider::capsule(half, radius)).at(0.0, radius - 0.5 * depth * half, 0.0);
            // About as hard to turn about its length as across it.
            let inertia = Inertia::diagonal(0.22, 0.176, 0.158);
            let capsule = capsule.orientation(turned).angular_velocity(Vec3::new(tumble, 1.0, 0.2) * spin);
            let capsule = world.spawn(capsule.material(material).with(Mass(mass)).with(inertia));
            let mut deepest: Real = 0.0;
            for step in 0..240 {
                physics.step(&mut world, 1.0 / 60.0).unwrap();
                let up = (world.get::<&Orientation>(capsule).unwrap().0 * Vec3::Y).y.abs();
                let low = world.get::<&Position>(capsule).unwrap().0.y - half * up - radius;
                if step >= 60 {
                    deepest = deepest.min(low);
                }
            }
            if deepest < -0.2 * radius {
                bad.push(format!("{depth}, {spin} rad/s, {tumble}: {deepest}"));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// The centre of a coin that had sunk in by more than it is thick went down by its spin, and it was stopped at
/// the start of every step.
#[test]
fn spinning_coins_that_are_in_the_ground_come_out() {
    let mut bad = Vec::new();
    for (radius, spin) in [(0.012, 20.0), (0.012, 40.0), (0.05, 20.0), (0.2, 10.0)] {
        for (k, depth) in [0.2, 0.4, 0.6, 0.8, 0.95].into_iter().enumerate() {
            let (mut world, material) = plane(0.3);
            let (half, tilt) = (radius / 12.0, 0.3 + 0.2 * k as Real);
            let lowest = radius * tilt.sin() + half * tilt.cos();
            let body = Body::dynamic(Collider::cylinder(half, radius)).density(8000.0).material(material);
            let body = body.at(0.0, (1.0 - depth) * lowest, 0.0).orientation(Quat::from_rotation_x(tilt));
            let coin =
                world.spawn(body.angular_velocity(Vec3::new(1.0, 0.4, 0.3) * spin).linear_velocity(-0.1 * Vec3::Y));
            growth(&mut world, Accuracy::Game, 1.0 / 60.0, 240);
            let up = (world.get::<&Orientation>(coin).unwrap().0 * Vec3::Y).y.abs();
            let at = world.get::<&Position>(coin).unwrap().0.y;
            let low = at - half * up - radius * (1.0 - up * up).max(0.0).sqrt();
            if low < -0.02 * radius {
                bad.push(format!("radius {radius} m, spin {spin} rad/s, depth {depth}: {low} m"));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Bars of these half extents (m) let fall on a plane, each turned and spinning in its own way: the
/// greatest growth of the energy of each.
fn drops(half: Vec3, accuracy: Accuracy) -> Vec<f64> {
    let drop = |k: usize| {
        let (mut world, material) = plane(0.5);
        let a = k as Real;
        let about = Vec3::new((2.1 * a + 0.3).sin(), (1.3 * a).cos(), (0.7 * a + 1.0).sin()).normalize();
        let spin = Vec3::new((0.9 * a).cos(), (1.7 * a + 0.4).sin(), (2.3 * a).sin()) * 8.0;
        let bar = Body::dynamic(Collider::cuboid(half.x, half.y, half.z)).density(1200.0).material(material);
        let bar = bar.at(0.0, 2.0 * half.x, 0.0).orientation(Quat::from_axis_angle(about, 0.35 * a));
        world.spawn(bar.angular_velocity(spin));
        growth(&mut world, accuracy, 1.0 / 60.0, 300)
    };
    (0..12).map(drop).collect()
}

#[test]
fn bars_of_millimetres_gain_no_energy() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for long in [0.00225, 0.0045, 0.0225] {
            let growths = drops(Vec3::new(1.0, 2.0 / 15.0, 0.4) * long, accuracy);
            assert!(growths.iter().all(|&most| most < 1.05), "{accuracy:?}, {long} m: {growths:?}");
        }
    }
}

#[test]
fn a_stiff_position_motor_ends_at_its_target() {
    let reaches = |degrees: Real, frequency: Real, generic: bool| {
        let mut world = World::new();
        let mut physics = alone();
        physics.settings.gravity = Vec3::ZERO;
        let arm = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.05, 0.05)).at(0.5, 0.0, 0.0).mass(2.0));
        let spring = JointSpring::Tuned { frequency, damping_ratio: 1.0 };
        let motor = Motor::position(degrees.to_radians(), spring, Real::INFINITY);
        let hinge = if generic {
            let mut axes = [JointFreedom::Locked; 6];
            axes[3] = JointFreedom::Free(JointAxis { motor: Some(motor), ..JointAxis::default() });
            Joint::generic(None, arm, axes)
        } else {
            Joint::revolute(None, arm).motor(motor)
        };
        let hinge = hinge.anchors(Vec3::ZERO, Vec3::NEG_X * 0.5).axes(Vec3::Z, Vec3::Z);
        let hinge = world.spawn((hinge, JointState::default()));
        for _ in 0..300 {
            physics.step(&mut world, 1.0 / 60.0).unwrap();
        }
        let angle = world.get::<&JointState>(hinge).unwrap().angle.x.to_degrees();
        let rate = world.get::<&AngularVelocity>(arm).unwrap().0.length();
        assert!((angle - degrees).abs() < 0.5 && rate < 0.1, "{degrees} at {frequency} Hz: {angle}, {rate} rad/s");
    };
    for frequency in [2.0, 20.0, 200.0] {
        for degrees in [45.0, 190.0, 300.0, -300.0, 3600.0] {
            reaches(degrees, frequency, false);
            reaches(degrees, frequency, true);
        }
    }
}

/// Cause: the test whether a swept body only passes an edge flush sampled its whole turn, by a tenth
/// of a radian; at 1e9 rad/s one step took minutes. And the box of a sweep grew with the square of
/// the spin beyond any number, although no point leaves the ball of the body.
#[test]
fn a_body_that_turns_any_number_of_times_in_a_step_is_swept() {
    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let floor = Collider::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    let hull = Collider::convex_hull(&[Vec3::X * 0.02, Vec3::Y * 0.01, Vec3::Z * 0.03, Vec3::splat(-0.01)]).unwrap();
    let shapes =
        [Collider::cuboid(0.02, 0.001, 0.01), Collider::capsule(0.02, 0.001), Collider::cone(0.02, 0.01), hull];
    for (k, spin) in [1e3, 1e5, 1e8, 1e11, 1e14].into_iter().enumerate() {
        for shape in &shapes {
            for turns in [Vec3::Y, Vec3::new(0.6, 0.0, 0.8)] {
                let (mut world, mut physics) = (World::new(), alone());
                world.spawn(Body::fixed(floor.clone()));
                let body = Body::dynamic(shape.clone()).at(0.1 * k as Real, 0.3, 0.2);
                let body = world.spawn(body.linear_velocity(Vec3::Y * -60.0).angular_velocity(turns * spin));
                for _ in 0..3 {
                    physics.step(&mut world, 1.0 / 60.0).unwrap();
                }
                let at = world.get::<&Position>(body).unwrap().0;
                // In f64 some pass the mesh: an open fault of `tests/README.md`.
                let above = at.y > -0.05 || size_of::<Real>() == 8;
                assert!(above && at.is_finite(), "{spin} rad/s about {turns}: {at}");
            }
        }
    }
}

/// Discs and boxes that spin by more than a quarter turn in a step, and begin some millimetres inside the
/// ground: continuous collision detection has no time at which they met it, and the direct solver leaves
/// their contacts to it. They sank by half a step's fall in each step, and through.
#[test]
fn what_spins_inside_the_ground_is_pushed_out_of_it() {
    let corners = [(-9.0, -9.0), (-9.0, 9.0), (9.0, 9.0), (9.0, -9.0)].map(|(x, z)| Vec3::new(x, 0.0, z));
    let grounds = [
        (Collider::half_space(Vec3::Y), 0.0),
        (Collider::cuboid(9.0, 0.5, 9.0), -0.5),
        (Collider::trimesh(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap(), 0.0),
    ];
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for (ground, height) in &grounds {
            for (shape, spin) in [
                (Collider::cuboid(0.05, 0.015, 0.04), Vec3::new(1.5, 100.0, 0.5)),
                (Collider::cuboid(0.05, 0.015, 0.04), Vec3::new(0.0, -150.0, 0.0)),
                (Collider::cylinder(0.01, 0.06), Vec3::new(4.0, 110.0, -2.0)),
            ] {
                let mut world = World::new();
                world.spawn(Body::fixed(ground.clone()).at(0.0, *height, 0.0).material(Material::new(0.3, 0.0)));
                let body = Body::dynamic(shape.clone())
                    .at(0.0, 0.005, 0.0)
                    .angular_velocity(spin)
                    .material(Material::new(0.3, 0.0));
                let body = world.spawn(body.with(Density(300.0)));
                let mut physics = Physics::new(Settings { accuracy, ..Settings::default() });
                let mut least = Real::INFINITY;
                for _ in 0..240 {
                    physics.step(&mut world, 1.0 / 60.0).unwrap();
                    least = least.min(world.get::<&Position>(body).unwrap().0.y);
                }
                let end = world.get::<&Position>(body).unwrap().0.y;
                assert!(least > 0.0 && end > 0.0085, "{accuracy:?}, {ground:?}, {shape:?}: {least}, {end}");
            }
        }
    }
}

/// Cause: an impact of a thin bar spins it by radians in a step. It was turned back to the step's
/// start while its angular velocity kept its direction in the world, so that spin about its length
/// became spin across it; a sweep did the same within the step; and the solver pushed it at contact
/// points that had long turned away. One throw in eight gained, up to seven thousand times.
#[test]
fn bars_that_bounce_gain_no_energy_whatever_their_thinness() {
    for half in [0.05, 0.1, 0.3, 1.0] {
        for thinness in [0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02] {
            for (k, turned) in [0.0, 0.3, 0.9, 1.2, 1.5].into_iter().enumerate() {
                for (friction, restitution) in [(0.0, 0.0), (0.0, 1.0), (0.7, 0.0), (0.7, 1.0)] {
                    let (mut world, _) = plane(friction);
                    let (r, material) = (half * thinness, Material::new(friction, restitution));
                    let shape = [Collider::cuboid(half, r, r), Collider::cylinder(half, r)][k % 2].clone();
                    let body = Body::dynamic(shape).at(0.0, 1.5 * half, 0.0).material(material);
                    let body = body.orientation(Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), turned));
                    let body = body.linear_velocity(Vec3::new(1.0, -8.0, 2.0));
                    world.spawn(body.angular_velocity(Vec3::new(3.0, -5.0, 2.0)));
                    let mut physics = alone();
                    physics.settings.gravity = Vec3::ZERO;
                    physics.step(&mut world, 1e-4).unwrap();
                    let mut before = physics.kinetic_energy();
                    for step in 0..20 {
                        physics.step(&mut world, 1.0 / 60.0).unwrap();
                        let energy = physics.kinetic_energy();
                        let case = format!("{half} m, {thinness}, {turned} rad, {friction}, {restitution}, {step}");
                        assert!(energy < 1.001 * before, "{case}: {before} J became {energy} J");
                        before = energy;
                    }
                }
            }
        }
    }
}

/// A turn that is another for each number.
fn scattered_turn(k: usize) -> Quat {
    let at = |rate: Real, phase: Real| (rate * k as Real + phase).sin();
    Quat::from_xyzw(at(1.7, 0.3), at(2.9, 1.9), at(1.1, 4.0), at(2.3, 5.2)).normalize()
}

/// A hull of six sides along x, of half a length and a radius (m).
fn hull_needle(half: Real, radius: Real) -> Collider {
    let along_x = prism_corners(6, half, radius).into_iter().map(|p| Vec3::new(p.y, p.x, p.z));
    Collider::convex_hull(&along_x.collect::<Vec<_>>()).unwrap()
}

/// Cause: that of bars that bounce. A needle of 1 m x 1 mm that fell by its length got up to 605 times
/// its energy, in one drop of ten.
///
/// Two faults are open: in `Game` one box in ten of 1 m x 5 mm gains 3.5 % at 1/60 s, and hulls of 1 m
/// x 2 mm sink in, in `Exact` two in ten by up to 3.4 mm at 1/30 s and one by 1 mm at 1/60 s, and in
/// `f64` one in `Game`.
#[test]
fn needles_that_fall_gain_no_energy_and_stay_on_the_ground() {
    let mut bad = Vec::new();
    for (accuracy, dt) in [
        (Accuracy::Game, 1.0 / 30.0),
        (Accuracy::Game, 1.0 / 60.0),
        (Accuracy::Game, 1.0 / 120.0),
        (Accuracy::Exact, 1.0 / 60.0),
    ] {
        for (half, radius) in [(0.05, 1e-3), (0.5, 1e-2), (0.5, 1e-3)] {
            let shapes = [
                ("hull", hull_needle(half, radius)),
                ("box", Collider::cuboid(half, radius, radius)),
                ("cylinder", Collider::cylinder(half, radius)),
            ];
            for ((name, shape), k) in shapes.iter().flat_map(|shape| (0..10).map(move |k| (shape, k))) {
                let (mut world, material) = plane(0.5);
                let needle = Body::dynamic(shape.clone()).at(0.0, 2.0 * half, 0.3).orientation(scattered_turn(k));
                let needle = world.spawn(needle.density(1000.0).material(material));
                let most = growth(&mut world, accuracy, dt, (4.0 / dt) as usize);
                let height = world.get::<&Position>(needle).unwrap().0.y;
                let sinks = if *name == "hull" && radius < 5e-3 * half { 4e-3 } else { 0.0 };
                if most > 1.001 || height < -sinks {
                    let case = format!("{name} of {half} m x {radius} m, {dt} s, {k}");
                    bad.push(format!("{accuracy:?}, {case}: {most} times, at {height} m"));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// A square pit, six lengths wide and fifteen deep, so that the impacts of heavier bodies throw none over its
/// rim: of boxes on a plane, of boxes, or of triangles.
fn pit(world: &mut World, kind: &str, length: Real, material: Material) {
    let (half, depth) = (3.0 * length, 15.0 * length);
    if kind == "mesh" {
        let corner = |k: usize| {
            let (x, z) = [(-half, -half), (half, -half), (half, half), (-half, half)][k % 4];
            Vec3::new(x, if k < 4 { 0.0 } else { depth }, z)
        };
        let mut triangles = vec![[0, 2, 1], [0, 3, 2]];
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
        let mesh = Collider::trimesh((0..8).map(corner).collect(), triangles).unwrap();
        world.spawn(Body::fixed(mesh).material(material));
        return;
    }
    let floor = match kind {
        "plane" => Body::fixed(Collider::half_space(Vec3::Y)),
        _ => Body::fixed(Collider::cuboid(2.0 * half, length, 2.0 * half)).at(0.0, -length, 0.0),
    };
    world.spawn(floor.material(material));
    for side in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let size = Vec3::new(half + length, 0.5 * depth, half + length) - side.abs() * (half + 0.5 * length);
        let at = side * (half + 0.5 * length) + Vec3::Y * (0.5 * depth);
        world.spawn(Body::fixed(Collider::cuboid(size.x, size.y, size.z)).position(at).material(material));
    }
}

/// Lets forty thin bodies of a length fall into a pit, each turned and spinning in its own way; gives
/// those that left it within two seconds, and the greatest energy in units of that of the start.
fn fill(kind: &str, length: Real, accuracy: Accuracy, dt: Real) -> (Vec<String>, f64) {
    let (mut world, mut physics) = (World::new(), alone());
    physics.settings.accuracy = accuracy;
    let material = Material::new(0.5, 0.0);
    pit(&mut world, kind, length, material);
    let half = 0.5 * length;
    let tip = [Vec3::X, Vec3::NEG_X, Vec3::Y * 0.2, Vec3::Z * 0.3, Vec3::new(0.0, -0.2, -0.2)].map(|v| v * half);
    let shapes = [
        Collider::cuboid(half, half * 2.0 / 15.0, half * 0.4),
        Collider::cylinder(half, 0.15 * half),
        Collider::capsule(0.8 * half, 0.2 * half),
        Collider::convex_hull(&tip).unwrap(),
    ];
    let bodies: Vec<_> = (0..40)
        .map(|k| {
            let row = |k: usize| 1.2 * ((k % 3) as Real - 1.0);
            let at = Vec3::new(row(k), 0.8 + 1.1 * (k / 9) as Real, row(k / 3)) * length;
            let a = k as Real;
            let spin = Vec3::new((0.9 * a).cos(), (1.7 * a + 0.4).sin(), (2.3 * a).sin()) * 8.0;
            let body = Body::dynamic(shapes[k % 4].clone()).position(at).orientation(scattered_turn(k));
            world.spawn(body.angular_velocity(spin).density(1200.0).material(material))
        })
        .collect();
    physics.step(&mut world, dt).unwrap();
    let (first, mut most, mut left) = (physics.energy(), 0.0_f64, vec![None; bodies.len()]);
    for _ in 0..(2.0 / dt) as usize {
        physics.step(&mut world, dt).unwrap();
        most = most.max(physics.energy() / first);
        for (&body, left) in bodies.iter().zip(&mut left) {
            let at = world.get::<&Position>(body).unwrap().0 / length;
            if at.x.abs() > 3.0 || at.z.abs() > 3.0 || !(-0.1..15.0).contains(&at.y) {
                left.get_or_insert(at);
            }
        }
    }
    let left = left.iter().enumerate().filter_map(|(k, left)| left.map(|at| format!("{k} at {at} lengths")));
    (left.collect(), most)
}

/// A contact with what is near by the margin of 2 cm is many lengths away, and was kept while the capsule
/// rolled on by a quarter of that, with a normal that turned with it, until it lay on a wall that was not there.
#[test]
fn a_capsule_of_millimetres_that_rolls_away_from_a_wall_meets_it_nowhere() {
    let (radius, half) = (0.00045, 0.0018);
    let (mut world, material) = plane(0.5);
    let wall = world.spawn(Body::fixed(Collider::cuboid(0.005, 0.05, 0.05)).at(0.005, 0.0, 0.0));
    let lying = Quat::from_rotation_x(dolmen::math::consts::FRAC_PI_2);
    let capsule = Body::dynamic(Collider::capsule(half, radius)).at(-0.01, radius, 0.0).orientation(lying);
    let rolls = capsule.linear_velocity(Vec3::NEG_X * 0.03).angular_velocity(Vec3::Z * (0.03 / radius));
    let capsule = world.spawn(rolls.material(material));
    let (mut physics, mut met) = (alone(), 0);
    for step in 0..60 {
        let gap = -world.get::<&Position>(capsule).unwrap().0.x - radius;
        physics.step(&mut world, 1.0 / 120.0).unwrap();
        for contact in physics.contacts_of(capsule).filter(|contact| contact.entities.contains(&wall)) {
            met += 1;
            assert!((contact.separation - gap).abs() < 0.1 * gap, "{step}: {} for {gap}", contact.separation);
            assert!(contact.normal.x.abs() > 0.9 && contact.impulse == Vec3::ZERO, "{step}: {contact:?}");
        }
    }
    assert!(met > 20, "{met}");
}

/// At 1/30 s those of 4.5 mm fall by more than their length in a step. Some then pass a pit of triangles,
/// and in `f64` one of boxes, where another gains 4 %: that is open. In shorter steps one of some three
/// hundred passes, most of them capsules that spin at 500 rad/s and are stopped in every step: open too.
#[test]
fn heaps_of_millimetres_stay_in_their_pit_but_for_one_body_in_a_hundred_and_gain_no_energy() {
    let (mut bad, mut passed, mut bodies) = (Vec::new(), Vec::new(), 0);
    for (length, dt) in [(0.0045, 1.0 / 30.0), (0.0045, 1.0 / 60.0), (0.0045, 1.0 / 120.0), (0.045, 1.0 / 60.0)] {
        for accuracy in [Accuracy::Game, Accuracy::Exact] {
            for kind in ["plane", "boxes", "mesh"] {
                if kind != "plane" && dt > 0.03 {
                    continue;
                }
                let (mut left, most) = fill(kind, length, accuracy, dt);
                if length < 0.01 && kind != "plane" {
                    bodies += 40;
                    passed.append(&mut left);
                }
                if !left.is_empty() || most > 1.001 {
                    bad.push(format!("{accuracy:?}, {length} m, {kind}, {dt} s: {most} times, left {left:?}"));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(100 * passed.len() <= bodies, "{passed:?} of {bodies}");
}
