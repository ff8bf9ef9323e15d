//! The direct solver on well-known structures: stability, forces, and the motion of the unstable
//! ones.

use crate::islands::*;
use crate::laws::{relative_velocity, violations};
use dolmen::math::{DMat3, DVec3};
use dolmen::resting::{
    Contact, ForceRow, FormulationLevel, JointConstraint, Problem, RestingMethod, Solution, SolveLimits, WORLD,
    Workspace, equilibrium, equilibrium_with_joints, lp, solve, solve_with, statics,
};
use serde_json::Value;

const STEP: f64 = 1.0 / 60.0;
const EXACT: f64 = 1e-8;
/// Tolerance of the certificate in `Accuracy::Exact` (g).
const REST: f64 = 1e-5;

fn reference() -> Value {
    serde_json::from_str(include_str!("../data/resting.json")).unwrap()
}

fn assembled(island: &Island) -> Problem {
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
    problem
}

/// Solves cold, prints the residuals, and checks every law contact by contact.
fn solved<'w>(
    name: &str,
    work: &'w mut Workspace,
    island: &Island,
    law: RestingMethod,
    tolerance: f64,
) -> Solution<'w> {
    let problem = assembled(island);
    let solution = solve(work, &problem, law, tolerance);
    let laws = violations(island, &solution, STEP);
    println!(
        "{name:24} contacts {:4} residual {:.1e} (a) {:.1e} (b) {:.1e} (c) {:.1e} cone {:.1e} slip {:.1e} equilibrium {:.1e} g, {} iterations, {} factors",
        island.contacts.len(),
        solution.report.residual,
        laws.closing,
        laws.pulling,
        laws.complementarity,
        laws.cone,
        laws.dissipation,
        solution.report.equilibrium.acceleration,
        solution.report.iterations,
        solution.report.factorisations,
    );
    assert!(solution.report.converged, "{name}: {:?}", solution.report);
    // The residual mixes velocities and impulses; a single law may be violated by a few times as
    // much.
    assert!(laws.worst() < 100.0 * tolerance, "{name}: {laws:?}");
    let certificate = equilibrium(&problem, solution.impulses);
    let same = (certificate.acceleration - solution.report.equilibrium.acceleration).abs();
    assert!(same < 1e-12 * (1.0 + certificate.acceleration) && certificate.outside < 1e-12, "{name}: {certificate:?}");
    solution
}

#[test]
fn structures_that_stand_are_held_and_certified() {
    let cot = 1.0 / 1.0_f64.tan();
    let scenes = [
        ("block", tower(1, 1.0, 0.5)),
        ("tower of 10", tower(10, 1.0, 0.5)),
        ("tower of 50", tower(50, 1.0, 0.5)),
        ("tower of 100", tower(100, 1.0, 0.5)),
        ("crooked tower of 50", crooked_tower(50, 0.02, 3)),
        ("1000 kg on ten of 1 kg", tower(11, 1000.0, 0.5)),
        ("arch of 21, t/R .2", arch(21, 0.2, 0.8)),
        ("arch of 21, t/R .113", arch(21, 0.113, 0.8)),
        ("card house, mu .5", card_house(0.5)),
        ("ladder, 1 % inside", ladder(1.0, 0.5 * cot * 1.01)),
        ("pyramid of 5", pyramid(5, 0.5)),
        ("pyramid of 10", pyramid(10, 0.5)),
        ("diamond of 5 with friction", diamond(5, 0.5).0),
        ("slope under the angle", slope(30_f64.to_radians(), 0.6)),
    ];
    for (name, island) in scenes {
        for jitter in [0.0, 1e-3] {
            let mut island = if jitter > 0.0 { island.clone().jitter(5, jitter) } else { island.clone() };
            let mut work = Workspace::new();
            let solution = solved(name, &mut work, &island, RestingMethod::Auto, EXACT);
            assert!(solution.report.equilibrium.holds(REST), "{name}: {:?}", solution.report);
            let (impulses, sticking) = (solution.impulses.to_vec(), solution.sticking.to_vec());
            island.remember(&impulses, &sticking);
            let again = solve(&mut work, &assembled(&island), RestingMethod::Auto, EXACT);
            assert_eq!(again.report.iterations, 0, "{name}: a settled island is one look at the residual");
            assert_eq!(again.report.factorisations, 0, "{name}");
        }
    }
}

#[test]
fn what_stands_brick_on_bricks_has_its_forces_without_a_search() {
    let scenes = [
        ("block", tower(1, 1.0, 0.5)),
        ("tower of 100", tower(100, 1.0, 0.5)),
        ("crooked tower of 50", crooked_tower(50, 0.02, 3)),
        ("1000 kg on ten of 1 kg", tower(11, 1000.0, 0.5)),
        ("pyramid of 10", pyramid(10, 0.5)),
        ("slope well under the angle", slope(15_f64.to_radians(), 0.6)),
        ("tower of 20 without friction", tower(20, 1.0, 0.0)),
    ];
    for (name, island) in scenes {
        // On the ground, and on a lift: all goes up at the same speed.
        for lift in [0.0, 1.0] {
            let mut island = island.clone();
            for body in &mut island.bodies {
                body.velocity.z = lift;
            }
            for contact in island.contacts.iter_mut().filter(|contact| contact.first == WORLD) {
                contact.surface_velocity.z = -lift;
            }
            let mut work = Workspace::new();
            let solution = solved(name, &mut work, &island, RestingMethod::Auto, EXACT);
            assert_eq!(solution.report.iterations, 0, "{name}, {lift}");
            assert!(solution.velocities.iter().all(|v| v.distance(DVec3::Z * lift) < 1e-6 * G * STEP), "{name}");
        }
    }
    // Arches need a search, and an unstable structure has no certificate.
    for (name, island) in [("arch", arch(21, 0.2, 0.8)), ("slope over the angle", slope(0.5, 0.3))] {
        let mut work = Workspace::new();
        assert!(solved(name, &mut work, &island, RestingMethod::Newton, EXACT).report.iterations > 0, "{name}");
    }
}

#[test]
fn structures_that_cannot_stand_are_not_certified() {
    let cot = 1.0 / 1.0_f64.tan();
    let scenes = [
        ("arch of 21, t/R .102", arch(21, 0.102, 0.8)),
        ("card house, mu .24", card_house(0.24)),
        ("ladder, 1 % outside", ladder(1.0, 0.5 * cot * 0.99)),
        ("ladder, .1 % outside", ladder(1.0, 0.5 * cot * 0.999)),
        ("diamond of 5", diamond(5, 0.0).0),
        ("diamond of 6", diamond(6, 0.0).0),
        ("slope over the angle", slope(20_f64.to_radians(), 0.3639)),
    ];
    for (name, island) in scenes {
        let mut work = Workspace::new();
        let solution = solved(name, &mut work, &island, RestingMethod::Auto, EXACT);
        assert!(!solution.report.equilibrium.holds(REST), "{name}: {:?}", solution.report);
        let answer = statics::stability(&assembled(&island), REST).unwrap();
        assert!(!answer.stands, "{name}: statics says so beforehand");
    }
}

#[test]
fn the_forces_in_a_diamond_lie_where_the_published_ones_can() {
    for d in [2, 3, 4] {
        let (island, places) = diamond(d, 0.0);
        for law in [RestingMethod::LinearProgram, RestingMethod::Newton, RestingMethod::Auto] {
            let mut work = Workspace::new();
            let solution = solved(&format!("diamond of {d}, {law:?}"), &mut work, &island, law, EXACT);
            assert!(solution.report.equilibrium.holds(REST));
            let table = reference();
            for entry in table["diamonds"][d.to_string()]["contact_forces"].as_array().unwrap() {
                let body = |v: &Value| {
                    v.as_array().map_or(WORLD, |place| {
                        let (row, x) = (place[0].as_u64().unwrap() as usize, place[1].as_f64().unwrap());
                        places.iter().position(|p| p.0 == row && (p.1 - x).abs() < 1e-9).unwrap() as u32
                    })
                };
                let (lower, upper, x) = (body(&entry["lower"]), body(&entry["upper"]), entry["x"].as_f64().unwrap());
                let mut force = 0.0;
                for (contact, j) in island.contacts.iter().zip(solution.impulses) {
                    if (contact.first, contact.second) == (lower, upper) && (contact.point.x - x).abs() < 1e-9 {
                        force += j.z / STEP / G;
                    }
                }
                let (least, most) = (entry["fmin"].as_f64().unwrap(), entry["fmax"].as_f64().unwrap());
                assert!(force > least - 1e-5 && force < most + 1e-5, "{d}: {entry} has {force}");
            }
        }
    }
}

/// The accelerations are unique even where the forces are not.
#[test]
fn diamonds_accelerate_as_the_principle_of_least_constraint_says() {
    for d in [4, 5, 6] {
        let (island, places) = diamond(d, 0.0);
        let mut problem = Problem::new();
        problem.build(FormulationLevel::Acceleration, G, &island.bodies, &island.contacts).unwrap();
        for law in [RestingMethod::Auto, RestingMethod::Newton] {
            let mut work = Workspace::new();
            let solution = solve(&mut work, &problem, law, 1e-9);
            assert!(solution.report.converged);
            let mut worst = 0.0_f64;
            for entry in reference()["diamonds"][d.to_string()]["gauss"].as_array().unwrap() {
                let (row, x) = (entry["row"].as_u64().unwrap() as usize, entry["x"].as_f64().unwrap());
                let body = places.iter().position(|p| p.0 == row && (p.1 - x).abs() < 1e-9).unwrap();
                let (ay, alpha) = (entry["ay"].as_f64().unwrap(), entry["alpha"].as_f64().unwrap());
                // Their plane is our x and z, and turns the other way about y.
                let found = (solution.velocities[body].z, -solution.angular_velocities[body].y);
                worst = worst.max((found.0 - ay).abs()).max((found.1 - alpha).abs());
            }
            println!("diamond of {d}, {law:?}: accelerations off by {worst:.1e}");
            assert!(worst < 1e-6, "{d} {law:?} {worst}");
        }
    }
}

/// Figure 19 of Baber 2006: the contact that vanishes.
#[test]
fn a_box_with_its_centre_over_a_tables_edge_turns_about_the_edge() {
    let mut island = Island::default();
    let half = DVec3::new(0.5, 0.3, 0.1);
    let beyond = 0.1;
    let body = island.cuboid(DVec3::new(beyond, 0.0, 0.1), half, 2.0, DMat3::IDENTITY);
    island.rectangle(WORLD, body, DVec3::new(beyond - 0.5, -0.3, 0.0), DVec3::new(0.0, 0.3, 0.0), 0.0);
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Acceleration, G, &island.bodies, &island.contacts).unwrap();
    let moment = 2.0 / 3.0 * (half.x * half.x + half.z * half.z);
    let force = 2.0 * G / (1.0 + 2.0 * beyond * beyond / moment);
    for law in [RestingMethod::LinearProgram, RestingMethod::Newton, RestingMethod::Iterative, RestingMethod::Auto] {
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, law, EXACT);
        for (contact, f) in island.contacts.iter().zip(solution.impulses) {
            let expected = if contact.point.x < 0.0 - 1e-9 { 0.0 } else { 0.5 * force };
            assert!((f.z - expected).abs() < 1e-5 * force, "{law:?} {f} at {}", contact.point);
        }
        let spin = force * beyond / moment;
        println!("box over a table's edge, {law:?}: residual {:.1e}", solution.report.residual);
        assert!((solution.angular_velocities[0].y - spin).abs() < 1e-5 * spin);
    }
}

#[test]
fn a_beam_on_three_supports_shares_its_weight_evenly_and_does_not_move() {
    let mut island = Island::default();
    let body = island.cuboid(DVec3::new(0.0, 0.0, 0.1), DVec3::new(2.0, 0.2, 0.1), 5.0, DMat3::IDENTITY);
    for x in [-1.0, 0.0, 1.0] {
        for y in [-0.2, 0.2] {
            island.touch(WORLD, body, DVec3::new(x, y, 0.0), DVec3::Z, 0.0);
        }
    }
    for law in [RestingMethod::LinearProgram, RestingMethod::Newton, RestingMethod::Auto] {
        let mut work = Workspace::new();
        let solution = solved("beam on three supports", &mut work, &island, law, EXACT);
        assert!(solution.report.equilibrium.holds(1e-7));
        let at = |k: usize| (solution.impulses[2 * k].z + solution.impulses[2 * k + 1].z) / STEP;
        let (left, middle, right) = (at(0), at(1), at(2));
        assert!((left - right).abs() < 1e-6 && (left + middle + right - 5.0 * G).abs() < 1e-6);
        assert!((-1e-9..=2.5 * G + 1e-9).contains(&left));
    }
}

#[test]
fn a_ball_between_two_walls_falls_or_is_held_as_it_was_before() {
    let mut island = Island::default();
    let body = island.ball(DVec3::ZERO, 1.0, 2.0);
    island.touch(WORLD, body, -DVec3::X, DVec3::X, 0.5);
    island.touch(WORLD, body, DVec3::X, -DVec3::X, 0.5);
    // A linear program may invent the squeeze, so it reports stability.
    assert!(statics::stability(&assembled(&island), REST).unwrap().stands);
    // The bodies do not produce it.
    let mut work = Workspace::new();
    let solution = solved("ball between walls", &mut work, &island, RestingMethod::Auto, EXACT);
    assert!(!solution.report.equilibrium.holds(0.5), "it falls freely");
    // With the squeeze it had before, it is held.
    let squeeze = 1.2 * 0.5 * 2.0 * G * STEP / 0.5;
    island.contacts[0].impulse = DVec3::X * squeeze;
    island.contacts[1].impulse = -DVec3::X * squeeze;
    let solution = solved("squeezed ball", &mut work, &island, RestingMethod::Auto, EXACT);
    assert!(solution.report.equilibrium.holds(REST), "{:?}", solution.report);
}

#[test]
fn static_friction_holds_what_stuck_and_dynamic_friction_slows_what_slides() {
    let angle = 25_f64.to_radians();
    let tan = angle.tan();
    let cases = [
        // (static, dynamic, stuck before, acceleration down the slope)
        (tan * 1.1, tan * 0.8, true, 0.0),
        (tan * 1.1, tan * 0.8, false, G * angle.sin() * 0.2),
        (tan * 0.95, tan * 0.8, true, G * angle.sin() * 0.2),
        (tan * 1.1, tan * 1.05, false, 0.0),
    ];
    for (statically, dynamically, stuck, expected) in cases {
        let mut island = slope(angle, 0.0);
        for contact in &mut island.contacts {
            contact.static_friction = statically;
            contact.dynamic_friction = dynamically;
            contact.sticking = stuck;
        }
        let problem = assembled(&island);
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, RestingMethod::Auto, 1e-9);
        let down = DVec3::new(angle.cos(), 0.0, -angle.sin());
        let acceleration = solution.velocities[0].dot(down) / STEP;
        assert!((acceleration - expected).abs() < 1e-6, "{statically} {dynamically} {stuck}: {acceleration}");
        assert!(solution.sticking.iter().all(|&s| s == (expected == 0.0)), "{:?}", solution.sticking);
    }
}

#[test]
fn a_vice_and_a_wedge_that_close_have_infeasible_biases_and_finite_forces() {
    // Two walls close on a ball at 0.5 m/s each.
    let mut vice = Island::default();
    let ball = vice.ball(DVec3::ZERO, 1.0, 2.0);
    vice.touch(WORLD, ball, -DVec3::X, DVec3::X, 0.5);
    vice.touch(WORLD, ball, DVec3::X, -DVec3::X, 0.5);
    vice.contacts[0].surface_velocity = -0.5 * DVec3::X;
    vice.contacts[1].surface_velocity = 0.5 * DVec3::X;
    // A wedge of half angle 10 degrees, inside the friction angle of mu = 0.5, that pushes out at
    // 0.5 m/s.
    let mut wedge = Island::default();
    let ball = wedge.ball(DVec3::ZERO, 1.0, 2.0);
    let lean = 10_f64.to_radians();
    for side in [-1.0, 1.0] {
        let normal = DVec3::new(-side * lean.cos(), 0.0, lean.sin());
        wedge.touch(WORLD, ball, -normal, normal, 0.5);
        wedge.contacts.last_mut().unwrap().bias = -0.5;
    }
    for (name, island) in [("vice", vice.clone()), ("wedge", wedge.clone())] {
        let mut work = Workspace::new();
        let solution = solve(&mut work, &assembled(&island), RestingMethod::Auto, EXACT);
        println!("{name}: infeasible {:?} {:?}", solution.infeasible, solution.report);
        assert_eq!(solution.infeasible, [0, 1], "{name}");
        assert!(solution.report.converged, "{name}: solved without what cannot be");
        assert!(solution.impulses.iter().all(|j| j.length() < 10.0), "{name}: {:?}", solution.impulses);
    }
    // Without friction the same wedge squeezes the ball out, and its biases are feasible.
    for contact in &mut wedge.contacts {
        contact.static_friction = 0.0;
        contact.dynamic_friction = 0.0;
    }
    let mut work = Workspace::new();
    let solution = solved("slippery wedge", &mut work, &wedge, RestingMethod::Newton, EXACT);
    assert!(solution.infeasible.is_empty());
    assert!((solution.velocities[0].z - 0.5 / lean.sin()).abs() < 1e-6);
    // One wall that pushes is no vice.
    vice.contacts.pop();
    let solution = solved("one wall", &mut work, &vice, RestingMethod::Newton, EXACT);
    assert!(solution.infeasible.is_empty());
}

#[test]
fn a_steep_wedge_is_solved_where_the_cone_stage_alone_cycles() {
    for (half_angle, mu) in [(20.0_f64, 0.5), (40.0, 0.5), (30.0, 0.9), (15.0, 0.2)] {
        let mut wedge = Island::default();
        let ball = wedge.ball(DVec3::ZERO, 1.0, 2.0);
        let lean = half_angle.to_radians();
        for side in [-1.0, 1.0] {
            let normal = DVec3::new(-side * lean.cos(), 0.0, lean.sin());
            wedge.touch(WORLD, ball, -normal, normal, mu);
        }
        wedge.bodies[0].velocity = DVec3::new(0.3, 0.8, -2.0);
        wedge.bodies[0].angular_velocity = DVec3::new(3.0, -1.0, 2.0);
        let mut work = Workspace::new();
        solved(&format!("wedge {half_angle}"), &mut work, &wedge, RestingMethod::Newton, EXACT);
    }
}

#[test]
fn gaps_belts_and_locked_axes_are_respected() {
    // A block falls until its gap is closed and no further.
    let mut island = tower(1, 1.0, 0.5);
    island.bodies[0].velocity.z = -2.0;
    for contact in &mut island.contacts {
        contact.bias = 0.01 / STEP;
    }
    let mut work = Workspace::new();
    let solution = solved("open gap", &mut work, &island, RestingMethod::Auto, EXACT);
    assert!((solution.velocities[0].z * STEP + 0.01).abs() < 1e-9);
    // A belt takes a block along, with the force of friction and no more.
    let mut island = tower(1, 1.0, 0.5);
    for contact in &mut island.contacts {
        contact.surface_velocity = -DVec3::X;
    }
    let solution = solved("belt", &mut work, &island, RestingMethod::Auto, EXACT);
    assert!((solution.velocities[0].x - 0.5 * G * STEP).abs() < 1e-8, "{}", solution.velocities[0]);
    let slow = &mut island;
    for contact in &mut slow.contacts {
        contact.surface_velocity = -0.01 * DVec3::X;
    }
    let solution = solved("slow belt", &mut work, slow, RestingMethod::Auto, EXACT);
    assert!((solution.velocities[0].x - 0.01).abs() < 1e-8);
    // A block on a steep slope that may not move along x stays where it is in x.
    let mut island = slope(40_f64.to_radians(), 0.1);
    island.bodies[0].inverse_mass.x = 0.0;
    island.bodies[0].inverse_inertia = DVec3::ZERO;
    let solution = solved("locked axis", &mut work, &island, RestingMethod::Newton, EXACT);
    assert_eq!(solution.velocities[0].x, 0.0);
    assert!(solution.report.equilibrium.holds(REST));
}

#[test]
fn contacts_between_free_bodies_keep_momentum() {
    let mut island = Island::default();
    let mut noise = Noise(9);
    let mut last = None;
    for i in 0..12 {
        let place = DVec3::new(i as f64, 0.3 * noise.next(), 0.3 * noise.next());
        let body = island.cuboid(place, DVec3::new(0.5, 0.3, 0.2), 1.0 + 0.5 * noise.next(), DMat3::IDENTITY);
        let of = &mut island.bodies[body as usize];
        of.acceleration = DVec3::ZERO;
        of.velocity = noise.vector() - DVec3::X * i as f64;
        of.angular_velocity = noise.vector();
        if let Some((before, at)) = last {
            let normal: DVec3 = place - at;
            island.touch(before, body, 0.5 * (place + at) + 0.1 * noise.vector(), normal.normalize(), 0.4);
        }
        last = Some((body, place));
    }
    let momentum = |velocities: &[DVec3], spins: &[DVec3]| {
        let mut linear = DVec3::ZERO;
        let mut angular = DVec3::ZERO;
        for ((body, &v), &w) in island.bodies.iter().zip(velocities).zip(spins) {
            let m = 1.0 / body.inverse_mass.x;
            linear += m * v;
            angular += body.position.cross(m * v) + w / body.inverse_inertia;
        }
        (linear, angular)
    };
    let before = momentum(
        &island.bodies.iter().map(|b| b.velocity).collect::<Vec<_>>(),
        &island.bodies.iter().map(|b| b.angular_velocity).collect::<Vec<_>>(),
    );
    let mut work = Workspace::new();
    let solution = solved("chain in free fall", &mut work, &island, RestingMethod::Newton, EXACT);
    assert!(solution.impulses.iter().any(|j| j.length() > 0.1));
    let after = momentum(solution.velocities, solution.angular_velocities);
    assert!((before.0 - after.0).length() < 1e-11, "{} {}", before.0, after.0);
    assert!((before.1 - after.1).length() < 1e-10, "{} {}", before.1, after.1);
}

#[test]
fn a_method_that_does_not_converge_adds_no_energy() {
    for (name, mut island) in
        [("tower", tower(100, 1.0, 0.5)), ("heavy", tower(11, 1e6, 0.5)), ("pile", pile(80, 0.5, 3))]
    {
        let mut noise = Noise(4);
        for contact in &mut island.contacts {
            // Absurd impulses to start from.
            contact.impulse = 50.0 * (noise.vector() + contact.normal);
        }
        for body in &mut island.bodies {
            body.acceleration = DVec3::ZERO;
            body.velocity = 0.1 * noise.vector();
        }
        let mut work = Workspace::new();
        let solution = solve(&mut work, &assembled(&island), RestingMethod::Iterative, 1e-12);
        let energy = |velocity: &dyn Fn(usize) -> (DVec3, DVec3)| {
            let mut sum = 0.0;
            for (i, body) in island.bodies.iter().enumerate() {
                let (v, w) = velocity(i);
                let turning = body.principal_axes.transpose() * w;
                sum += 0.5 * v.length_squared() / body.inverse_mass.x
                    + 0.5 * (turning * turning / body.inverse_inertia).element_sum();
            }
            sum
        };
        let before = energy(&|i| (island.bodies[i].velocity, island.bodies[i].angular_velocity));
        let after = energy(&|i| (solution.velocities[i], solution.angular_velocities[i]));
        println!("{name}: energy {before} to {after}, residual {:.1e}", solution.report.residual);
        assert!(after <= before * (1.0 + 1e-12), "{name}");
    }
}

#[test]
fn shock_propagation_stills_a_tower_whose_forces_sweeps_have_not_found() {
    let island = tower(50, 1.0, 0.5);
    let problem = assembled(&island);
    let fastest = |law: RestingMethod| {
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, law, 1e-9);
        assert!(!solution.report.converged);
        for (contact, j) in island.contacts.iter().zip(solution.impulses) {
            let presses = j.dot(contact.normal);
            assert!(presses >= 0.0 && (*j - contact.normal * presses).length() <= 0.5 * presses + 1e-12);
        }
        solution.velocities.iter().map(|v| v.length()).fold(0.0, f64::max) / (G * STEP)
    };
    let (swept, stilled) = (fastest(RestingMethod::Iterative), fastest(RestingMethod::ShockPropagation));
    println!("fastest cube after a hundred sweeps: {swept:.1e} g h, with shock propagation {stilled:.1e} g h");
    assert!(swept > 0.01 && stilled < 1e-3, "{swept} {stilled}");
    // Without ground there is nothing to begin with.
    let mut airborne = tower(5, 1.0, 0.5);
    airborne.contacts.retain(|contact| contact.first != WORLD);
    for (k, body) in airborne.bodies.iter_mut().enumerate() {
        body.velocity.z = -(k as f64);
    }
    let mut work = Workspace::new();
    let solution = solve(&mut work, &assembled(&airborne), RestingMethod::ShockPropagation, 1e-14);
    let momentum: f64 = solution.velocities.iter().map(|v| v.z).sum();
    assert!((momentum + 10.0 + 5.0 * G * STEP).abs() < 1e-9, "{momentum}");
}

#[test]
fn the_same_bits_come_back_from_a_fresh_and_from_a_used_workspace() {
    let mut used = Workspace::new();
    for (seed, island) in
        [(1, tower(20, 1.0, 0.5)), (2, pile(40, 0.5, 2)), (3, arch(21, 0.2, 0.8)), (4, pile(40, 0.0, 2))]
    {
        let island = island.jitter(seed, 1e-3);
        let problem = assembled(&island);
        let from_used: Vec<DVec3> = solve(&mut used, &problem, RestingMethod::Auto, EXACT).impulses.to_vec();
        let again: Vec<DVec3> = solve(&mut used, &problem, RestingMethod::Auto, EXACT).impulses.to_vec();
        let fresh: Vec<DVec3> = solve(&mut Workspace::new(), &problem, RestingMethod::Auto, EXACT).impulses.to_vec();
        assert_eq!(from_used, fresh);
        assert_eq!(again, fresh);
    }
}

#[test]
fn a_hairs_breadth_moves_redundant_forces_by_a_hair() {
    for (name, island) in [("tower", tower(20, 1.0, 0.5)), ("pyramid", pyramid(5, 0.5)), ("arch", arch(21, 0.2, 0.8))] {
        let mut island = island.jitter(1, 1e-3);
        let mut work = Workspace::new();
        let solution = solve(&mut work, &assembled(&island), RestingMethod::Auto, 1e-9);
        let (impulses, sticking) = (solution.impulses.to_vec(), solution.sticking.to_vec());
        island.remember(&impulses, &sticking);
        let moved = island.jitter(2, 1e-6);
        let after = solve(&mut work, &assembled(&moved), RestingMethod::Auto, 1e-9).impulses.to_vec();
        let total: f64 = impulses.iter().map(|j| j.length()).sum();
        let change: f64 = impulses.iter().zip(&after).map(|(a, b)| a.distance(*b)).sum();
        println!("{name}: forces moved by {:.1e}", change / total);
        assert!(change < 1e-3 * total, "{name}: {}", change / total);
    }
}

#[test]
fn every_method_gives_small_frictionless_islands_the_same_accelerations() {
    for seed in 0..20 {
        let island = pile(10, 0.0, seed).jitter(seed, 1e-3);
        let mut answers: Vec<Vec<DVec3>> = Vec::new();
        for law in [RestingMethod::LinearProgram, RestingMethod::Newton, RestingMethod::Auto] {
            let mut work = Workspace::new();
            answers.push(solved("pile of 10", &mut work, &island, law, 1e-9).velocities.to_vec());
        }
        for other in &answers[1..] {
            for (a, b) in answers[0].iter().zip(other) {
                assert!(a.distance(*b) < 1e-6 * G * STEP, "{seed}: {a} {b}");
            }
        }
    }
}

/// Gauss: of all accelerations that close no gap, the true ones differ least from those of free
/// flight, weighted by mass. Random costs give the corners of the feasible forces.
#[test]
fn no_feasible_forces_do_better_than_the_ones_found() {
    let mut noise = Noise(5);
    let mut tried = 0;
    for seed in 0..40 {
        let island = pile(14, 0.0, seed);
        let problem = assembled(&island);
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, RestingMethod::Newton, 1e-10);
        let found: Vec<f64> = solution.impulses.iter().zip(&island.contacts).map(|(j, c)| j.dot(c.normal)).collect();
        let constraint = |f: &[f64]| {
            let n = f.len();
            (0..n).map(|i| (0..n).map(|j| f[i] * problem.influence(i, j) * f[j]).sum::<f64>()).sum::<f64>()
        };
        let least = constraint(&found);
        let scaled = lp::ScaledProblem::of(&problem);
        for _ in 0..5 {
            let mut program = scaled.program(lp::Form::MinimumForce);
            for cost in &mut program.costs {
                *cost = 1.0 + 0.9 * noise.next();
            }
            let Ok(values) = lp::minimise_safely(&lp::Minilp, &program) else { continue };
            if program.violation(&values) > 1e-9 {
                continue;
            }
            tried += 1;
            assert!(constraint(&scaled.unscale(&values)) >= least * (1.0 - 1e-7), "{seed}");
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn the_level_of_accelerations_agrees_with_a_short_step() {
    let (island, _) = diamond(5, 0.0);
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Acceleration, G, &island.bodies, &island.contacts).unwrap();
    let mut work = Workspace::new();
    let accelerations = solve(&mut work, &problem, RestingMethod::Auto, 1e-10).velocities.to_vec();
    let step = 1e-4;
    problem.build(FormulationLevel::Velocity { step }, G, &island.bodies, &island.contacts).unwrap();
    let solution = solve(&mut work, &problem, RestingMethod::Auto, 1e-10);
    for (a, v) in accelerations.iter().zip(solution.velocities) {
        assert!(a.distance(*v / step) < 1e-7, "{a} {}", *v / step);
    }
}

#[test]
fn a_rough_box_on_rolling_balls_is_pushed_as_rolling_bodies_are() {
    // 25 balls of 25 kg and radius 0.5 m under a box of 100 kg, pushed at 60 degrees to the axes
    // with 150 N at the height of the contacts' plane: v (M + n m (1 + 2/5) / 4) = F t, and the
    // balls at half the speed.
    let mut island = Island::default();
    let push = 150.0 * DVec3::new(0.5, 0.75_f64.sqrt(), 0.0);
    let plate = island.cuboid(DVec3::new(0.0, 0.0, 1.5), DVec3::new(10.0, 10.0, 0.5), 100.0, DMat3::IDENTITY);
    island.bodies[0].acceleration += push / 100.0;
    // Against the moment of the push about the contacts, so that all balls press alike.
    for i in 0..5 {
        for k in 0..5 {
            let place = DVec3::new(2.0 * i as f64 - 4.0, 2.0 * k as f64 - 4.0, 0.5);
            let ball = island.ball(place, 0.5, 25.0);
            island.touch(WORLD, ball, place - 0.5 * DVec3::Z, DVec3::Z, 0.8);
            island.touch(ball, plate, place + 0.5 * DVec3::Z, DVec3::Z, 0.8);
        }
    }
    let step = 1e-3;
    let expected = push * step / (100.0 + 25.0 * 25.0 * 1.4 / 4.0);
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Velocity { step }, G, &island.bodies, &island.contacts).unwrap();
    let mut work = Workspace::new();
    let solution = solve(&mut work, &problem, RestingMethod::Auto, 1e-10);
    assert!(solution.report.converged);
    assert!((solution.velocities[0] - expected).length() < 1e-9 * G * step, "{}", solution.velocities[0]);
    for ball in 1..26 {
        assert!((solution.velocities[ball] - 0.5 * expected).length() < 1e-9 * G * step);
    }
    for contact in &island.contacts {
        assert!(relative_velocity(&island, &solution, contact).length() < 1e-9 * G * step);
    }
}

#[test]
fn a_search_that_may_factor_no_more_matrices_gives_the_best_it_found() {
    let problem = assembled(&pile(60, 0.5, 3));
    let search = |factorisations: usize| {
        let mut work = Workspace::new();
        let limits = SolveLimits { factorisations, ..SolveLimits::within(EXACT) };
        solve_with(&mut work, &problem, RestingMethod::Newton, limits).report
    };
    let whole = search(usize::MAX);
    assert!(whole.converged && whole.factorisations > 16, "{whole:?}");
    let mut last = f64::INFINITY;
    for most in [1, 4, 8] {
        let report = search(most);
        assert!(!report.converged && report.factorisations <= most, "{most}: {report:?}");
        assert!(report.residual <= last, "{most}: {report:?}");
        last = report.residual;
    }
    assert_eq!(search(whole.factorisations), whole);
}

#[test]
fn contacts_that_nothing_can_answer_for_carry_nothing() {
    let mut island = tower(2, 1.0, 0.5);
    island.bodies[0].inverse_mass = DVec3::ZERO;
    island.bodies[0].inverse_inertia = DVec3::ZERO;
    island.bodies[0].acceleration = DVec3::ZERO;
    let mut contact = Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5);
    contact.bias = -1.0;
    island.contacts.push(contact);
    let mut work = Workspace::new();
    let solution = solve(&mut work, &assembled(&island), RestingMethod::Auto, EXACT);
    assert!(solution.report.converged && solution.infeasible.is_empty());
    assert_eq!(*solution.impulses.last().unwrap(), DVec3::ZERO);
    assert!((solution.impulses[4..8].iter().map(|j| j.z).sum::<f64>() - G * STEP).abs() < 1e-7);
}

#[test]
fn a_certificate_from_another_number_of_forces_is_a_defect() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let refused = |problem: &Problem, impulses: usize, strengths: usize| {
        let (impulses, strengths) = (vec![DVec3::ZERO; impulses], vec![0.0; strengths]);
        let call = || _ = equilibrium_with_joints(problem, &impulses, &strengths);
        let text = *catch_unwind(AssertUnwindSafe(call)).unwrap_err().downcast::<String>().unwrap();
        if strengths.is_empty() {
            assert!(catch_unwind(AssertUnwindSafe(|| equilibrium(problem, &impulses))).is_err());
        }
        text
    };
    let island = tower(1, 1.0, 0.5);
    let count = island.contacts.len();
    let contacts_alone = assembled(&island);
    for impulses in [0, count - 1, count + 1] {
        assert!(refused(&contacts_alone, impulses, 0).contains("one impulse for each contact"));
    }
    assert!(refused(&contacts_alone, count, 1).contains("one strength for each joint constraint"));
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    let row = ForceRow { bodies: [WORLD, 0], forces: [DVec3::Z; 2], torques: [DVec3::ZERO; 2], range: free };
    let rod = JointConstraint { row, bias: 0.0, last: 0.0 };
    let mut held = Problem::new();
    let level = FormulationLevel::Velocity { step: STEP };
    held.build_with_joints(level, G, &island.bodies, &island.contacts, &[rod]).unwrap();
    assert!(refused(&held, count, 0).contains("one strength for each joint constraint"));
    equilibrium_with_joints(&held, &vec![DVec3::ZERO; count], &[0.0]);
}
