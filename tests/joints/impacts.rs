//! Impacts act through joints: a struck body carries the bodies joined to it along.

use crate::stage::*;
use dolmen::math::{DVec3, Real, to_f64};
use dolmen::prelude::*;
use hecs::Entity;
use proptest::prelude::*;

const DT: f64 = 1.0 / 240.0;
const RADIUS: Real = 0.25;
const SPEED: Real = 3.0;
const BOTH: [Accuracy; 2] = [Accuracy::Game, Accuracy::Exact];

/// A falling ball.
fn ball(mass: Real, at: Vec3, friction: Real, restitution: Real) -> Body {
    Body::dynamic(Collider::ball(RADIUS))
        .mass(mass)
        .position(at)
        .linear_velocity(Vec3::NEG_Y * SPEED)
        .material(Material::new(friction, restitution))
}

fn floor(stage: &mut Bench, friction: Real, restitution: Real) {
    let floor = Body::fixed(Collider::half_space(Vec3::Y)).material(Material::new(friction, restitution));
    stage.world.spawn(floor);
}

fn joint(kind: &str, a: Entity, b: Entity) -> Joint {
    match kind {
        "fixed" => Joint::fixed(a, b),
        "spherical" => Joint::spherical(a, b),
        "rod" => Joint::distance(a, b, 2.0 * RADIUS, 2.0 * RADIUS),
        _ => Joint::revolute(a, b),
    }
}

/// Balls on top of each other, a joint of a kind between each two, the lowest of 1 kg just above
/// the floor.
fn column(stage: &mut Bench, kind: &str, mass: Real, count: usize, restitution: Real) -> (Vec<Entity>, Vec<Entity>) {
    floor(stage, 0.5, restitution);
    let place = |k: usize| Vec3::Y * (0.255 + 2.0 * RADIUS * k as Real);
    let of = |k: usize| ball(if k == 0 { 1.0 } else { mass }, place(k), 0.5, restitution);
    let balls: Vec<Entity> = (0..count).map(|k| stage.world.spawn(of(k))).collect();
    let joints = (1..count).map(|k| {
        let joint = joint(kind, balls[k - 1], balls[k]);
        let middle = (place(k - 1) + place(k)) * 0.5;
        if kind == "rod" { joint } else { joint.placed(&stage.world, middle, Vec3::Z).unwrap() }
    });
    let joints: Vec<Joint> = joints.collect();
    (balls, joints.into_iter().map(|joint| stage.join(joint)).collect())
}

#[test]
fn what_joints_hold_in_a_line_bounces_as_one() {
    for accuracy in BOTH {
        for kind in ["fixed", "spherical", "revolute", "rod"] {
            for (mass, count) in [(1.0, 2), (20.0, 2), (0.1, 4), (5.0, 4)] {
                for restitution in [0.0, 0.3, 0.8, 1.0] {
                    let mut stage = Bench::new(DT, accuracy).weightless();
                    let (balls, _) = column(&mut stage, kind, mass, count, restitution);
                    stage.run(0.02);
                    for &ball in &balls {
                        let off = (stage.velocity(ball) - Vec3::Y * (SPEED * restitution)).length();
                        let case = format!("{accuracy:?} {kind} {mass} kg, {count} balls, restitution {restitution}");
                        assert!(off < 2e-3 * SPEED, "{case}: {}", stage.velocity(ball));
                    }
                }
            }
        }
    }
}

/// A dumbbell of two welded balls that lands on one end is a rigid body: `p = (1 + e) v / (1/m +
/// x²/I)`.
#[test]
fn a_welded_dumbbell_turns_as_a_rigid_body_that_lands_on_its_end() {
    for accuracy in BOTH {
        for restitution in [0.0, 0.5, 1.0] as [Real; 3] {
            for angle in [0.4, 0.9, 1.3] as [Real; 3] {
                let mut stage = Bench::new(DT, accuracy).weightless();
                floor(&mut stage, 0.0, restitution);
                let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
                let places = [0.0, 0.5].map(|s| Vec3::Y * 0.255 + along * s);
                let balls = places.map(|at| stage.world.spawn(ball(2.0, at, 0.0, restitution)));
                let weld = Joint::fixed(balls[0], balls[1]).placed(&stage.world, places[0], Vec3::X).unwrap();
                stage.join(weld);
                stage.run(DT * 3.0);
                let (mass, arm) = (4.0, -0.25 * along.x);
                let inertia = 2.0 * (0.4 * 2.0 * RADIUS * RADIUS + 2.0 * 0.25 * 0.25);
                let impulse = (1.0 + restitution) * SPEED / (1.0 / mass + arm * arm / inertia);
                let (up, spin) = (impulse / mass - SPEED, arm * impulse / inertia);
                let case = format!("{accuracy:?}, restitution {restitution}, at {angle} rad");
                let middle = (stage.velocity(balls[0]) + stage.velocity(balls[1])) * 0.5;
                assert!((middle - Vec3::Y * up).length() < 0.01 * SPEED, "{case}: {middle} for {up}");
                for ball in balls {
                    let got = stage.spin(ball);
                    assert!((got - Vec3::Z * spin).length() < 0.01 * spin.abs(), "{case}: {got} for {spin}");
                }
            }
        }
    }
}

#[test]
fn a_joint_bears_the_impulse_of_what_it_stops_and_breaks_under_it() {
    for accuracy in BOTH {
        let (mass, restitution) = (7.0, 0.5);
        let needed = mass * (1.0 + restitution) * SPEED / DT as Real;
        for (strength, breaks) in [(Real::INFINITY, false), (1.1 * needed, false), (0.9 * needed, true)] {
            let mut stage = Bench::new(DT, accuracy).weightless();
            let (balls, joints) = column(&mut stage, "fixed", mass, 2, restitution);
            let mut weld = (*stage.world.get::<&Joint>(joints[0]).unwrap()).clone();
            weld.max_force = strength;
            stage.world.insert_one(joints[0], weld).unwrap();
            let (mut impulse, mut broke) = (0.0, false);
            for _ in 0..5 {
                stage.step();
                // A broken joint reports no more than its breaking load.
                impulse += if broke { 0.0 } else { stage.state(joints[0]).force.y * stage.dt };
                broke |= stage.physics.events().iter().any(|event| matches!(event, Event::JointBroke { .. }));
            }
            assert_eq!(broke, breaks, "{accuracy:?}, breaks at {strength} N of {needed}");
            let expected = mass * (1.0 + restitution) * SPEED;
            assert!((impulse - expected).abs() < 0.01 * expected, "{accuracy:?}: {impulse} N s for {expected}");
            assert!(stage.velocity(balls[0]).y > 0.0);
        }
    }
}

/// Two pairs of equal balls, each joined, that collide head-on in the air: each continues with the
/// velocity of the other.
#[test]
fn joined_pairs_that_collide_exchange_their_velocities() {
    for accuracy in BOTH {
        for kind in ["fixed", "spherical", "rod"] {
            let mut stage = Bench::new(DT, accuracy).weightless();
            let balls = [-0.755, -0.255, 0.255, 0.755].map(|x: Real| {
                let body = ball(1.5, Vec3::X * x, 0.5, 1.0).linear_velocity(Vec3::X * -2.0 * x.signum());
                stage.world.spawn(body)
            });
            for [a, b] in [[balls[0], balls[1]], [balls[2], balls[3]]] {
                let joint = joint(kind, a, b);
                let middle = (stage.position(a) + stage.position(b)) * 0.5;
                let placed = if kind == "rod" { joint } else { joint.placed(&stage.world, middle, Vec3::Z).unwrap() };
                stage.join(placed);
            }
            stage.run(0.02);
            for (k, &ball) in balls.iter().enumerate() {
                let expected = if k < 2 { -2.0 } else { 2.0 };
                let off = (stage.velocity(ball) - Vec3::X * expected).length();
                assert!(off < 5e-3, "{accuracy:?} {kind}, ball {k}: {}", stage.velocity(ball));
            }
        }
    }
}

/// A body struck along the rod that holds it is a wall; struck across, it has its own mass.
#[test]
fn a_bob_on_a_rod_gives_way_across_it_and_not_along() {
    for accuracy in BOTH {
        for (across, other) in [(false, 2.0), (true, 0.0)] {
            let mut stage = Bench::new(DT, accuracy).weightless();
            let bob = stage.world.spawn(ball(1.0, Vec3::ZERO, 0.0, 1.0).linear_velocity(Vec3::ZERO));
            stage.join(Joint::distance(None, bob, 2.0, 2.0).anchors(Vec3::Y * 2.0, Vec3::ZERO));
            let way = if across { Vec3::X } else { Vec3::Y };
            let ball = stage.world.spawn(ball(1.0, way * -0.505, 0.0, 1.0).linear_velocity(way * 2.0));
            stage.run(0.02);
            let (got, held) = (stage.velocity(ball).dot(way), stage.velocity(bob).dot(way));
            assert!((got + other).abs() < 5e-3, "{accuracy:?}, across: {across}: {got}");
            assert!((held - (2.0 - other)).abs() < 1e-2, "{accuracy:?}, across: {across}: {held}");
        }
    }
}

/// A spinning dumbbell of two joined balls of 1 kg, struck off its middle: joint impulses act at
/// points common to both bodies at the step's start, and the impact has the arms of that time.
#[test]
fn what_is_struck_in_flight_keeps_its_momentum() {
    for accuracy in BOTH {
        for kind in ["fixed", "spherical", "revolute", "rod"] {
            for spin in [-5.0, 0.0, 5.0] as [Real; 3] {
                let mut stage = Bench::new(DT, accuracy).weightless();
                let at = |x: Real| ball(1.0, Vec3::X * x, 0.3, 0.5).linear_velocity(Vec3::Y * x * spin);
                let ends = [-0.25, 0.25].map(|x| stage.world.spawn(at(x).angular_velocity(Vec3::Z * spin)));
                let joint = joint(kind, ends[0], ends[1]);
                let placed =
                    if kind == "rod" { joint } else { joint.placed(&stage.world, Vec3::ZERO, Vec3::Z).unwrap() };
                stage.join(placed);
                let other = stage.world.spawn(ball(1.0, Vec3::new(0.15, 0.56, 0.1), 0.3, 0.5));
                let moment = 0.4 * f64::from(RADIUS * RADIUS);
                let momenta = |stage: &Bench| {
                    [ends[0], ends[1], other].iter().fold([DVec3::ZERO; 2], |[p, l], &body| {
                        let [x, v, w] = [stage.position(body), stage.velocity(body), stage.spin(body)].map(to_f64);
                        [p + v, l + x.cross(v) + moment * w]
                    })
                };
                let before = momenta(&stage);
                stage.run(0.05);
                let after = momenta(&stage);
                let [p, l] = [0, 1].map(|k| (after[k] - before[k]).length());
                let struck = f64::from((stage.velocity(other) + Vec3::Y * SPEED).length());
                let case = format!("{accuracy:?} {kind}, spin {spin}: {p} {l}, struck by {struck}");
                assert!(struck > 1.0, "{case}");
                assert!(p < 100.0 * f64::from(Real::EPSILON), "{case}");
                // In a step the struck body moves by two hundredths of the dumbbell's length.
                assert!(l < 0.02 * struck * 0.5, "{case}");
            }
        }
    }
}

/// A body on light legs lands without a bounce at restitution zero, at any weight, alone and beside
/// others.
#[test]
fn a_heavy_plate_on_light_legs_lands_without_a_bounce() {
    for accuracy in BOTH {
        for kind in ["fixed", "spherical", "revolute"] {
            for (mass, hz) in [(4.0, 60.0), (32.0, 240.0), (320.0, 60.0)] {
                let mut stage = Bench::new(1.0 / hz, accuracy);
                floor(&mut stage, 0.5, 0.0);
                let plate = Body::dynamic(Collider::cuboid(0.5, 0.1, 0.5)).mass(mass).position(Vec3::Y * 1.5);
                let plate = stage.world.spawn(plate.material(Material::new(0.5, 0.0)));
                for corner in [[-0.4, -0.4], [0.4, -0.4], [-0.4, 0.4], [0.4, 0.4]] as [[Real; 2]; 4] {
                    let [x, z] = corner;
                    let leg = Body::dynamic(Collider::cuboid(0.08, 0.2, 0.08)).mass(1.0).position(Vec3::new(x, 1.2, z));
                    let leg = stage.world.spawn(leg.material(Material::new(0.5, 0.0)));
                    let joint = joint(kind, plate, leg).placed(&stage.world, Vec3::new(x, 1.4, z), Vec3::Z).unwrap();
                    stage.join(joint);
                }
                // A metre to fall takes 0.452 s.
                stage.run(0.48);
                let mut highest: Real = 0.0;
                for _ in 0..(0.3 * hz) as usize {
                    stage.step();
                    highest = highest.max(stage.position(plate).y);
                }
                assert!(highest < 0.52, "{accuracy:?} {kind}, {mass} kg at {hz} Hz: up to {highest} m");
            }
        }
    }
}

/// A link of a random tree: parent, direction from it, size, joint kind and axis, density.
type Link = (usize, [Real; 3], Real, u8, [Real; 3], Real);

fn vector(size: Real) -> impl Strategy<Value = [Real; 3]> {
    prop::array::uniform3(-size..size)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, max_shrink_iters: 0, ..ProptestConfig::default() })]

    /// Trees of jointed bodies that fall on the ground and on themselves gain no energy.
    #[test]
    fn tangles_that_fall_down_gain_no_energy(
        links in prop::collection::vec(
            (any::<usize>(), vector(1.0), 0.1..0.3 as Real, any::<u8>(), vector(1.0), 300.0..3000.0 as Real), 2..10),
        velocity in vector(3.0), restitution in 0.0..0.9 as Real, exact in any::<bool>(), collide in any::<bool>(),
    ) {
        let mut stage = Bench::new(1.0 / 60.0, if exact { Accuracy::Exact } else { Accuracy::Game });
        floor(&mut stage, 0.5, restitution);
        let mut bodies: Vec<(Entity, Vec3, Real)> = Vec::new();
        for (parent, way, size, kind, axis, density) in links as Vec<Link> {
            let Some(way) = Vec3::from(way).try_normalize() else { continue };
            let parent = bodies.get(parent % bodies.len().max(1)).copied();
            let at = parent.map_or(Vec3::Y * 2.0, |(_, place, reach)| place + way * (1.02 * (reach + size)));
            let meets = |&(e, place, reach): &(Entity, Vec3, Real)| {
                Some(e) != parent.map(|parent| parent.0) && place.distance(at) < 1.02 * (reach + size)
            };
            if at.y < 0.5 || bodies.iter().any(meets) {
                continue;
            }
            let half = size / (3.0 as Real).sqrt();
            let collider = if kind & 1 == 0 { Collider::ball(size) } else { Collider::cuboid(half, half, half) };
            let body = Body::dynamic(collider).position(at).density(density).material(Material::new(0.5, restitution));
            let body = stage.world.spawn(body.linear_velocity(Vec3::from(velocity)));
            if let Some((parent, place, reach)) = parent {
                let joint = match kind >> 1 & 3 {
                    0 => Joint::fixed(parent, body),
                    1 => Joint::spherical(parent, body),
                    2 => Joint::revolute(parent, body),
                    _ => Joint::prismatic(parent, body).limits(-0.1, 0.1),
                };
                let Some(axis) = Vec3::from(axis).try_normalize() else { continue };
                let joint = joint.placed(&stage.world, place + way * reach, axis).expect("both are there");
                stage.join(joint.collide(collide));
            }
            bodies.push((body, at, size));
        }
        stage.step();
        let start = stage.physics.energy();
        let mut least = start;
        for step in 0..180 {
            stage.step();
            let now = stage.physics.energy();
            // Overlaps of the landing are pushed out again.
            prop_assert!(now - least < 0.1 * start, "{start} J at first, {least} J at least, {now} J after step {step}");
            least = least.min(now);
        }
    }
}
