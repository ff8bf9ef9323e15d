//! The impact laws as the engine applies them in a step.

use dolmen::impact::collision_matrix::{BodyAtContact, collision_matrix, contact_frame, in_contact_frame};
use dolmen::impact::frictional::DEFAULT_TOLERANCE;
use dolmen::impact::frictional::{self, Impact};
use dolmen::impact::newton::{self, NewtonImpact};
use dolmen::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use dolmen::math::{DMat3, DQuat, DVec3, from_f64, to_f64};
use dolmen::prelude::*;
use dolmen::scene::{Simulation, generators};
use hecs::{Entity, World};

const DOUBLE: bool = size_of::<Real>() == 8;

/// A world without gravity, or with it.
fn space(settings: Settings, gravity: f64) -> (World, Physics) {
    let accuracy = if DOUBLE { Accuracy::Exact } else { Accuracy::Game };
    (World::new(), Physics::new(Settings { accuracy, gravity: Vec3::Y * -gravity as Real, ..settings }))
}

fn velocity(world: &World, e: Entity) -> DVec3 {
    to_f64(world.get::<&LinearVelocity>(e).unwrap().0)
}

fn spin(world: &World, e: Entity) -> DVec3 {
    to_f64(world.get::<&AngularVelocity>(e).unwrap().0)
}

fn run(world: &mut World, physics: &mut Physics, dt: f64, steps: usize) {
    for _ in 0..steps {
        physics.step(world, dt as Real).unwrap();
    }
}

/// A box of 2 kg that hits the floor with one corner, rotated by `turned`, and the result of a law.
struct Corner {
    inertia: DVec3,
    turned: DMat3,
    arm: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

const HALF: DVec3 = DVec3::new(0.5, 0.25, 0.375);

impl Corner {
    fn new(turned: DQuat, velocity: DVec3, spin: DVec3) -> Self {
        let turned = DMat3::from_quat(turned);
        let corner = |i: u32| turned * (HALF * DVec3::from([0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0)));
        let arm = (0..8).map(corner).min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
        let square = HALF * HALF;
        Self { inertia: (DVec3::splat(square.element_sum()) - square) * (2.0 / 3.0), turned, arm, velocity, spin }
    }

    fn body_at_contact(&self) -> BodyAtContact {
        let inverse_inertia = self.turned * DMat3::from_diagonal(self.inertia.recip()) * self.turned.transpose();
        BodyAtContact { inverse_mass: 0.5, inverse_inertia, arm: self.arm }
    }

    fn frame(&self) -> DMat3 {
        contact_frame(DVec3::Y)
    }

    fn k(&self) -> DMat3 {
        in_contact_frame(collision_matrix(&self.body_at_contact(), &BodyAtContact::IMMOVABLE), self.frame())
    }

    fn relative(&self) -> DVec3 {
        self.frame().transpose() * (self.velocity + self.spin.cross(self.arm))
    }

    /// Linear and angular velocity after an impulse on the corner (world).
    fn after(&self, impulse: DVec3) -> [DVec3; 2] {
        let turning = self.body_at_contact().inverse_inertia * self.arm.cross(impulse);
        [self.velocity + impulse * 0.5, self.spin + turning]
    }

    fn frictional(&self, friction: f64, restitution: f64) -> [DVec3; 2] {
        let impact = Impact { k: self.k(), velocity: self.relative(), friction, restitution };
        self.after(self.frame() * frictional::solve(&impact, DEFAULT_TOLERANCE).unwrap().impulse)
    }

    fn newton(&self, friction: f64, restitution: f64) -> [DVec3; 2] {
        let impact = NewtonImpact {
            k: self.k(),
            velocity: self.relative(),
            static_friction: friction,
            dynamic_friction: friction,
            restitution,
        };
        self.after(self.frame() * newton::solve(&impact).unwrap().impulse)
    }

    /// Linear and angular velocity in the engine after a very short step.
    fn in_engine(&self, law: ImpactLaw, floor: Material, body: Material, locked: LockedAxes) -> [DVec3; 2] {
        let (mut world, mut physics) = space(Settings { impact_law: law, ..Settings::default() }, 0.0);
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(floor));
        let half: Vec3 = from_f64(HALF);
        let turned = DQuat::from_mat3(&self.turned);
        let orientation = Quat::from_xyzw(turned.x as Real, turned.y as Real, turned.z as Real, turned.w as Real);
        let block = Body::dynamic(Collider::cuboid(half.x, half.y, half.z))
            .mass(2.0)
            .position(from_f64(DVec3::Y * -self.arm.y))
            .orientation(orientation)
            .linear_velocity(from_f64(self.velocity))
            .angular_velocity(from_f64(self.spin))
            .material(body)
            .locked(locked);
        let block = world.spawn(block);
        let report = physics.step(&mut world, 1e-6).unwrap();
        assert_eq!(report.counts.impacts, 1);
        [velocity(&world, block), spin(&world, block)]
    }
}

fn apart(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    (a[0] - b[0]).length().max((a[1] - b[1]).length())
}

/// A sliding corner that friction stops and its arm presses down, so that Stronge's law and
/// Newton's differ.
fn tumbling() -> Corner {
    let turned = DQuat::from_rotation_z(0.7) * DQuat::from_rotation_x(0.4);
    Corner::new(turned, DVec3::new(1.5, -2.0, 0.5), DVec3::new(0.5, -0.25, 1.0))
}

#[test]
fn the_world_and_each_pair_choose_their_law_and_the_step_gives_what_the_law_gives() {
    let corner = tumbling();
    let (exact, clamped) = (corner.frictional(0.5, 0.5), corner.newton(0.5, 0.5));
    assert!(apart(exact, clamped) > 0.02, "the laws must differ here: {}", apart(exact, clamped));
    let plain = Material::new(0.5, 0.5);
    let with = |law| Material { impact_law: Some(law), ..plain };
    let (free, frictional, newton) = (LockedAxes::NONE, ImpactLaw::Frictional, ImpactLaw::Newton);
    let close = if DOUBLE { 1e-5 } else { 1e-4 };
    for (world, floor, body, expected) in [
        (frictional, plain, plain, exact),
        (newton, plain, plain, clamped),
        (frictional, with(newton), plain, clamped),
        (frictional, plain, with(newton), clamped),
        (frictional, with(newton), with(frictional), clamped),
        (newton, with(frictional), plain, exact),
        (newton, plain, with(frictional), exact),
    ] {
        let found = corner.in_engine(world, floor, body, free);
        assert!(apart(found, expected) < close, "{world:?} {floor:?} {body:?}: {found:?} for {expected:?}");
    }
}

#[test]
fn bodies_locked_to_a_plane_take_the_closed_form_by_themselves() {
    let corner = Corner::new(DQuat::from_rotation_z(0.7), DVec3::new(1.5, -2.0, 0.0), DVec3::Z);
    // Only the arm's component in the plane counts; the block has a whole edge across it.
    let body_at_contact =
        BodyAtContact { arm: DVec3::new(corner.arm.x, corner.arm.y, 0.0), ..corner.body_at_contact() };
    let k = collision_matrix(&body_at_contact, &BodyAtContact::IMMOVABLE);
    let contact = corner.velocity + corner.spin.cross(body_at_contact.arm);
    for (friction, restitution) in [(0.1, 0.8), (0.5, 0.5), (1.0, 0.3)] {
        let impact = PlanarImpact {
            k: DMat2::from_cols_array(&[k.x_axis.x, k.x_axis.y, k.y_axis.x, k.y_axis.y]),
            velocity: DVec2::new(contact.x, contact.y),
            friction: f64::from(friction as Real),
            restitution: f64::from(restitution as Real),
        };
        let impulse = planar::solve(&impact).unwrap().impulse;
        let impulse = DVec3::new(impulse.x, impulse.y, 0.0);
        let expected = [
            corner.velocity + impulse * 0.5,
            corner.spin + body_at_contact.inverse_inertia * body_at_contact.arm.cross(impulse),
        ];
        let (mut world, mut physics) = space(Settings::default(), 0.0);
        let material = Material::new(friction as Real, restitution as Real);
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
        // One point of contact in the plane: the lower tip of a rhombus.
        let tip = Collider::convex_hull(&[DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(
            |axis| from_f64(corner.turned.transpose() * if axis.y < 0.0 { body_at_contact.arm } else { axis * 0.2 }),
        ))
        .unwrap();
        let turned = Quat::from_rotation_z(0.7);
        let inertia = Inertia { principal: from_f64(corner.inertia), frame: Quat::IDENTITY };
        let body = Body::dynamic(tip)
            .mass(2.0)
            .inertia(inertia)
            .center_of_mass(Vec3::ZERO)
            .position(from_f64(DVec3::Y * -body_at_contact.arm.y))
            .orientation(turned)
            .linear_velocity(from_f64(corner.velocity))
            .angular_velocity(from_f64(corner.spin))
            .material(material)
            .locked(LockedAxes::PLANE_XY);
        let body = world.spawn(body);
        assert_eq!(physics.step(&mut world, 1e-6).unwrap().counts.impacts, 1);
        let found = [velocity(&world, body), spin(&world, body)];
        // The spatial law is accurate to about 1e-9: a smaller error means the closed form.
        let close = if DOUBLE { 1e-12 } else { 1e-5 };
        assert!(apart(found, expected) < close, "{friction} {restitution}: {found:?} for {expected:?}");
        assert_eq!((found[0].z, found[1].x, found[1].y), (0.0, 0.0, 0.0));
    }
}

#[test]
fn restitution_and_friction_combine_as_the_surfaces_ask() {
    let ([e1, e2], [mu1, mu2]) = ([0.25, 0.75], [0.04, 0.09]);
    let mean = |a: f64, b: f64| 0.5 * (a + b);
    let geometric = |a: f64, b: f64| (a * b).sqrt();
    for (rules, e, mu) in [
        // The maximum of the restitutions and the geometric mean of the frictions by default.
        (CombineRules::default(), e2, geometric(mu1, mu2)),
        (both(CombineRule::Average), mean(e1, e2), mean(mu1, mu2)),
        (both(CombineRule::GeometricMean), geometric(e1, e2), geometric(mu1, mu2)),
        (both(CombineRule::Minimum), e1, mu1),
        (both(CombineRule::Multiply), e1 * e2, mu1 * mu2),
        (both(CombineRule::Maximum), e2, mu2),
    ] {
        let (mut world, mut physics) = space(Settings::default(), 0.0);
        let surface = |mu: f64, e: f64| Material { rules, ..Material::new(mu as Real, e as Real) };
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(surface(mu1, e2)));
        let ball = Body::dynamic(Collider::ball(0.5)).mass(1.0).at(0.0, 0.5, 0.0).material(surface(mu2, e1));
        let ball = world.spawn(ball.linear_velocity(Vec3::new(1.0, -1.0, 0.0)));
        run(&mut world, &mut physics, 1e-3, 2);
        let expected = DVec3::new(1.0 - mu * (1.0 + e), e, 0.0);
        let found = velocity(&world, ball);
        assert!((found - expected).length() < 1e-6, "{rules:?}: {found} for {expected}");
    }
}

fn both(rule: CombineRule) -> CombineRules {
    CombineRules { friction: rule, restitution: rule }
}

fn elastic(at: DVec3) -> Body {
    Body::dynamic(Collider::ball(0.5)).mass(1.0).position(from_f64(at)).material(Material::new(0.0, 1.0))
}

#[test]
fn three_balls_pass_the_momentum_on_or_share_it_as_the_model_says() {
    // Baber 2006, figure 16: sequential, and simultaneous.
    let third = 1.0 / 3.0;
    for (impact_model, expected) in [
        (ImpactModel::Propagation, [0.0, 0.0, 1.0]),
        (ImpactModel::Batch, [0.0, 0.0, 1.0]),
        (ImpactModel::Simultaneous, [-third, 2.0 * third, 2.0 * third]),
    ] {
        for dt in [1e-3, 1.0 / 60.0, 0.1] {
            let (mut world, mut physics) = space(Settings { impact_model, ..Settings::default() }, 0.0);
            let balls = [-1.05, 0.0, 1.0].map(|x| {
                let speed = if x < 0.0 { 1.0 } else { 0.0 };
                world.spawn(elastic(DVec3::X * x).linear_velocity(Vec3::X * speed))
            });
            run(&mut world, &mut physics, dt, (0.2 / dt).ceil() as usize);
            for (ball, v) in balls.into_iter().zip(expected) {
                let found = velocity(&world, ball);
                let close = if DOUBLE { 1e-9 } else { 1e-5 };
                assert!((found - DVec3::X * v).length() < close, "{impact_model:?}, dt {dt}: {found} for {v}");
            }
        }
    }
}

/// The largest difference between the velocities of mirrored balls after a head-on break of a rack
/// of 15, relative to the cue's speed, and the kinetic energy relative to the cue's.
fn break_shot(impact_model: ImpactModel) -> (f64, f64) {
    let (mut world, mut physics) = space(Settings { impact_model, ..Settings::default() }, 0.0);
    let cue = world.spawn(elastic(DVec3::X * -1.02).linear_velocity(Vec3::X * 2.0));
    let mut mirrored = vec![(cue, cue)];
    for row in 0..5 {
        let place = |i: u32| DVec3::new(f64::from(row) * 0.75f64.sqrt(), 0.0, f64::from(i) - 0.5 * f64::from(row));
        let balls: Vec<Entity> = (0..=row).map(|i| world.spawn(elastic(place(i)))).collect();
        mirrored.extend(balls.iter().copied().zip(balls.iter().copied().rev()));
    }
    run(&mut world, &mut physics, 1e-3, 40);
    let other = DVec3::new(1.0, 1.0, -1.0);
    let apart = |&(a, b): &(Entity, Entity)| (velocity(&world, a) - velocity(&world, b) * other).length();
    (mirrored.iter().map(apart).fold(0.0, f64::max) / 2.0, physics.kinetic_energy() / 2.0)
}

#[test]
fn a_rack_hit_head_on_breaks_symmetrically_if_ties_are_one_batch() {
    let (asymmetry, energy) = break_shot(ImpactModel::Batch);
    let close = if DOUBLE { 1e-9 } else { 1e-3 };
    assert!(asymmetry < close && (energy - 1.0).abs() < close, "{asymmetry:e} {energy}");
    let (asymmetry, energy) = break_shot(ImpactModel::Propagation);
    assert!(asymmetry > 0.1 && (energy - 1.0).abs() < close, "one after the other it is not: {asymmetry:e} {energy}");
}

#[test]
fn a_ball_that_bounces_several_times_within_a_step_keeps_its_energy_and_stays_above_the_floor() {
    for height in [0.1, 0.02, 0.005] {
        let (mut world, mut physics) = space(Settings::default(), 9.81);
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(Material::new(0.0, 1.0)));
        let ball = world.spawn(elastic(DVec3::Y * (0.5 + height)));
        let (mut impacts, mut worst) = (0, 0.0f64);
        for _ in 0..100 {
            impacts += physics.step(&mut world, 0.1).unwrap().counts.impacts;
            let above = to_f64(world.get::<&Position>(ball).unwrap().0).y - 0.5;
            let energy = 9.81 * above + 0.5 * velocity(&world, ball).length_squared();
            worst = worst.max((energy / (9.81 * height) - 1.0).abs());
            assert!(above > if DOUBLE { -1e-9 } else { -1e-5 }, "from {height}: {above}");
        }
        let period = 2.0 * (2.0 * height / 9.81f64).sqrt();
        assert!((f64::from(impacts as u32) - 10.0 / period).abs() < 2.0, "from {height}: {impacts}");
        assert!(worst < if DOUBLE { 1e-9 } else { 1e-2 }, "from {height}: {worst:e}");
    }
}

#[test]
fn the_end_of_a_sequence_of_bounces_is_told_to_the_moment_however_long_the_step() {
    for (e, exact) in [(0.5, 1.3545709229571927), (0.8, 4.063712768871579)] {
        for dt in [1e-3, 1.0 / 60.0, 0.1] {
            let (mut world, mut physics) = space(Settings::default(), 9.81);
            let material = Material::new(0.0, e as Real);
            let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
            let ball = world.spawn(Body::dynamic(Collider::ball(0.1)).at(0.0, 1.1, 0.0).material(material));
            let mut settled = Vec::new();
            for step in 0..(exact / dt) as usize + 20 {
                physics.step(&mut world, dt as Real).unwrap();
                for event in physics.events() {
                    if let Event::BouncingEnded { entities, after } = event {
                        assert!(entities.contains(&floor) && entities.contains(&ball));
                        settled.push(step as f64 * f64::from(dt as Real) + f64::from(*after));
                    }
                }
            }
            assert_eq!(settled.len(), 1, "e {e}, dt {dt}: {settled:?}");
            let error = (settled[0] / exact - 1.0).abs();
            assert!(error < if DOUBLE { 1e-9 } else { 1e-3 }, "e {e}, dt {dt}: {} for {exact}", settled[0]);
            assert!(velocity(&world, ball).length() < 1e-3);
        }
    }
}

/// Cubes that jam in a funnel with this resting tolerance: the energy (J) at the start and after
/// every tenth of a second until most of them have passed; and the impacts of all steps.
fn jammed(resting_tolerance: Option<f64>) -> (Vec<f64>, usize) {
    let mut scene = generators::make("funnel", Some(216)).unwrap().scene;
    scene.settings.resting_tolerance = resting_tolerance;
    scene.settings.sleep = false;
    scene.output.energy = true;
    let mut simulation = Simulation::new(&scene).unwrap();
    let mut energies = vec![simulation.result().energy.unwrap().start];
    for _ in 0..18 {
        (0..100).for_each(|_| simulation.step().unwrap());
        energies.push(simulation.result().energy.unwrap().end);
    }
    (energies, simulation.result().counts.impacts)
}

#[test]
fn slow_impacts_that_a_pile_leaves_out_make_no_difference_to_its_energy() {
    // The resting tolerance of small islands.
    let ((coarse, few), (fine, many)) = (jammed(None), jammed(Some(1e-4)));
    for (k, (a, b)) in coarse.iter().zip(&fine).enumerate() {
        assert!((a - b).abs() < 0.01 * fine[0], "{k}: {a} for {b}");
    }
    assert!(2 * few < many, "{few} of {many}");
}

/// Balls and boxes thrown together at twelve places: velocities and events after a second, to the
/// bit.
fn thrown(impact_model: ImpactModel, threads: usize) -> (Vec<u64>, Vec<String>, usize) {
    let (mut world, mut physics) =
        space(Settings { impact_model, threads: Some(threads), ..Settings::default() }, 9.81);
    let material = Material::new(0.3, 0.8);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
    let mut bodies = Vec::new();
    for place in 0..12 {
        for i in 0..8 {
            let shape = if i % 3 == 0 { Collider::cuboid(0.3, 0.2, 0.25) } else { Collider::ball(0.25) };
            let (x, y) = (place as Real * 20.0 + 0.3 * (i % 4) as Real, 1.0 + 0.65 * i as Real);
            let body = Body::dynamic(shape).at(x, y, 0.1 * (i % 3) as Real).material(material);
            bodies.push(world.spawn(body.linear_velocity(Vec3::new(1.0 - 0.5 * (i % 5) as Real, -2.0, 0.3))));
        }
    }
    let (mut events, mut islands) = (Vec::new(), 0);
    for _ in 0..60 {
        islands = islands.max(physics.step(&mut world, 1.0 / 60.0).unwrap().counts.islands);
        events.extend(physics.events().iter().map(|e| format!("{e:?}")));
    }
    let bits = bodies.iter().flat_map(|&e| [velocity(&world, e), spin(&world, e)]);
    (bits.flat_map(|v| v.to_array()).map(f64::to_bits).collect(), events, islands)
}

#[test]
fn every_model_gives_the_same_bits_on_any_number_of_threads() {
    for model in [ImpactModel::Propagation, ImpactModel::Batch, ImpactModel::Simultaneous] {
        let one = thrown(model, 1);
        assert!(one.1.iter().filter(|e| e.contains("Impact")).count() > 500 && one.2 >= 12);
        for threads in [2, 3, 8] {
            assert!(thrown(model, threads) == one, "{model:?}, {threads} threads");
        }
    }
}
