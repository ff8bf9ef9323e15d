//! Random islands: linear programs under rounding noise, and the direct solver on piles of balls.

use crate::islands::*;
use crate::laws::violations;
use crate::rival::{Allowed, Rival};
use dolmen::math::DVec3;
use dolmen::resting::{FormulationLevel, Problem, RestingMethod, Workspace, lp, solve};
use proptest::prelude::*;

const STEP: f64 = 1.0 / 60.0;

/// A small frictionless island with noise of up to `noise` metres, radians and metres a second.
fn random_island(seed: u64) -> Island {
    let mut noise = Noise(seed.wrapping_mul(0x9E37_79B9) + 1);
    for _ in 0..8 {
        noise.next();
    }
    let pick = (0.5 * (noise.next() + 1.0) * 6.0) as usize;
    let size = 2 + (0.5 * (noise.next() + 1.0) * 5.0) as usize;
    let island = match pick {
        0 => tower(size, 1.0, 0.0),
        1 => tower(size, 10.0_f64.powf(3.0 * noise.next()), 0.0),
        2 => pyramid(2 + size / 4, 0.0),
        3 => diamond(2, 0.0).0,
        4 => crooked_tower(size, 0.3, seed),
        _ => pile(3 + size, 0.0, seed),
    };
    let size = 10.0_f64.powf(-5.0 + 2.0 * noise.next());
    let mut island = island.jitter(seed, size);
    for contact in &mut island.contacts {
        contact.static_friction = 0.0;
        contact.dynamic_friction = 0.0;
        contact.bias = size * noise.next();
    }
    for body in &mut island.bodies {
        body.velocity = size * noise.vector();
        body.angular_velocity = size * noise.vector();
        body.acceleration += size * noise.vector();
    }
    island
}

#[test]
fn ten_thousand_noisy_islands_get_no_wrong_answer_from_the_linear_programs() {
    let mut counts = lp::LpCounts::default();
    let mut work = Workspace::new();
    let mut problem = Problem::new();
    let (mut islands, mut missed, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..10_000 {
        let island = random_island(seed);
        problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
        let solution = solve(&mut work, &problem, RestingMethod::LinearProgram, 1e-7);
        counts.add(&solution.report.linear_programs);
        islands += 1;
        worst = worst.max(solution.report.residual);
        missed += u32::from(!solution.report.converged);
        // Checked against each law, with the bound that the residual's tolerance implies for it.
        let laws = violations(&island, &solution, STEP);
        let largest = problem.speed() / (G * STEP);
        assert!(laws.worst() < 1e-3 * largest, "{seed}: {laws:?} {:?}", solution.report);
    }
    println!("{islands} islands, {missed} missed 1e-7, worst residual {worst:.1e}\n{counts:#?}");
    assert!(missed <= 10 && worst < 1e-5, "{missed} {worst}");
    let ways = counts.equilibrium
        + counts.none_vanishing
        + counts.minimum_force
        + counts.restricted
        + counts.guessed_again
        + counts.unanswered
        + counts.too_large;
    assert!(ways <= islands && ways > islands / 2, "every search is counted under one way out");
    // Most islands are beyond the programs, as their noise exceeds the programs' own tolerance.
    assert!(counts.equilibrium > 0 && counts.restricted > 0 && counts.unanswered < ways / 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Forces push, stay in their cones, act only where bodies touch, and friction opposes the slip
    /// with all it has.
    #[test]
    fn heaps_of_balls_obey_every_law(
        n in 1_usize..30, seed in 0_u64..1_000_000, mu in prop_oneof![Just(0.0), 0.05..1.2f64], speed in 0.0..3.0f64,
    ) {
        let mut island = pile(n, mu, seed);
        let mut noise = Noise(seed + 1);
        for body in &mut island.bodies {
            body.velocity = speed * noise.vector();
            body.angular_velocity = speed * noise.vector();
        }
        let mut problem = Problem::new();
        problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
        let mut work = Workspace::new();
        let solution = solve(&mut work, &problem, RestingMethod::Newton, 1e-8);
        prop_assert!(solution.report.residual < 1e-6, "{:?}", solution.report);
        let laws = violations(&island, &solution, STEP);
        let scale = problem.speed() / (G * STEP);
        prop_assert!(laws.worst() < 1e3 * solution.report.residual * scale * scale + 1e-12, "{laws:?} {:?}", solution.report);
        // Contacts never give energy: not more than the free motion to the end of the step has.
        let energy = |velocity: &dyn Fn(usize) -> (DVec3, DVec3)| -> f64 {
            island.bodies.iter().enumerate().map(|(i, body)| {
                let (v, w) = velocity(i);
                0.5 * v.length_squared() / body.inverse_mass.x + 0.5 * w.length_squared() / body.inverse_inertia.x
            }).sum()
        };
        let free = energy(&|i| (island.bodies[i].velocity + island.bodies[i].acceleration * STEP, island.bodies[i].angular_velocity));
        let after = energy(&|i| (solution.velocities[i], solution.angular_velocities[i]));
        prop_assert!(after <= free * (1.0 + 1e-9), "{free} {after}");
    }
}

/// The impulses of the crate for an island, the crate's residual, and a rival that knows Coulomb's
/// law only by the resulting slip speeds.
fn found_and_rival(island: &Island, tolerance: f64) -> (Vec<DVec3>, f64, Rival<'_>) {
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
    let mut work = Workspace::new();
    let solution = solve(&mut work, &problem, RestingMethod::Newton, tolerance);
    let (found, residual) = (solution.impulses.to_vec(), solution.report.residual * problem.speed());
    let mut rival = Rival::new(island, STEP);
    for (i, u) in rival.velocities(&found).into_iter().enumerate() {
        let contact = &island.contacts[i];
        rival.shift[i] = contact.dynamic_friction * (u - contact.normal * u.dot(contact.normal)).length();
    }
    (found, residual, rival)
}

/// A pile of balls with friction in motion.
fn moving_heap(n: usize, friction: f64, seed: u64, speed: f64) -> Island {
    let mut island = pile(n, friction, seed);
    let mut noise = Noise(seed + 1);
    for body in &mut island.bodies {
        body.velocity = speed * noise.vector();
        body.angular_velocity = speed * noise.vector();
    }
    island
}

/// Rounding of the constraint: the residual's part of what the impulses do.
fn slack(rival: &Rival, residual: f64, impulses: &[DVec3]) -> f64 {
    let total: f64 = impulses.iter().map(|j| j.length()).sum();
    10.0 * residual * total + 1e-12 * rival.energy(impulses)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Gauss's principle with Coulomb friction. Friction has no potential, so no single function is
    /// minimal at the true forces over all forces in the cones. Three principles hold, and each is
    /// put to a rival with a minimiser of its own, from zero and from many other forces:
    /// * With each contact required to open by `mu` times its true slip speed (de Saxcé and Feng
    ///   1998), the true forces leave the least constraint of all in the cones. Without slip this
    ///   is Gauss's principle.
    /// * Of all pushing normal forces, with friction fixed, the true ones leave the least
    ///   constraint: Gauss's principle, with friction as an external force.
    /// * Of all friction within its discs, with normal forces fixed, the true one leaves the least:
    ///   it takes as much energy as it can (Moreau's principle of maximal dissipation).
    #[test]
    fn with_friction_no_feasible_forces_leave_a_lesser_constraint(
        n in 1_usize..16, seed in 0_u64..1_000_000, mu in 0.05..1.2f64,
        speed in prop_oneof![Just(0.0), 0.0..3.0f64], guess in 0_u64..1000,
    ) {
        let island = moving_heap(n, mu, seed, speed);
        let (found, residual, mut rival) = found_and_rival(&island, 1e-10);
        prop_assume!(!island.contacts.is_empty());
        let slack = slack(&rival, residual, &found);
        let mut noise = Noise(guess);
        let nothing = vec![DVec3::ZERO; found.len()];
        for allowed in [Allowed::Cones, Allowed::Normals(&found), Allowed::Friction(&found)] {
            if !matches!(allowed, Allowed::Cones) {
                rival.shift.fill(0.0);
            }
            let least = rival.constraint(&found);
            for size in [0.01, 1.0] {
                let mut other: Vec<DVec3> =
                    found.iter().map(|j| *j + noise.vector() * (size * (j.length() + G * STEP))).collect();
                rival.project(allowed, &mut other);
                prop_assert!(rival.constraint(&other) >= least - slack, "{allowed:?}: {} {least}", rival.constraint(&other));
            }
            let best = rival.minimise(allowed, &nothing, 3000);
            let other = rival.constraint(&best);
            prop_assert!(other >= least - slack, "{allowed:?}: {other} {least}, {slack}");
            // The rival is strong: from zero it comes this near.
            let change: Vec<DVec3> = found.iter().zip(&best).map(|(a, b)| *a - *b).collect();
            prop_assert!(rival.energy(&change) <= other - least + slack, "{allowed:?}: the motion is unique");
            prop_assert!(other - least <= 1e-3 * rival.energy(&found) + slack, "{allowed:?}: {other} {least}");
        }
    }
}

/// The rival would detect forces with an error of a hundredth, and friction that minimises Gauss's
/// own constraint over the cones, under which sliding bodies take off.
#[test]
fn the_least_constraint_tells_forces_that_are_a_little_wrong() {
    let (mut told, mut asked, mut lifted) = ([0; 3], 0, 0);
    for seed in 0..30 {
        let island = moving_heap(8, 0.4, seed, 2.0);
        let (found, residual, mut rival) = found_and_rival(&island, 1e-10);
        let slack = slack(&rival, residual, &found);
        asked += 1;
        let wrong: [fn(DVec3, DVec3) -> DVec3; 3] = [
            // All of it, its normal part, its friction.
            |j, _| j * 0.99,
            |j, n| j - n * (0.01 * j.dot(n)),
            |j, n| j - (j - n * j.dot(n)) * 0.01,
        ];
        for (told, wrong) in told.iter_mut().zip(wrong) {
            let mut other: Vec<DVec3> = found.iter().zip(&island.contacts).map(|(j, c)| wrong(*j, c.normal)).collect();
            rival.project(Allowed::Cones, &mut other);
            *told += usize::from(rival.constraint(&other) > rival.constraint(&found) + slack);
        }
        // Without the shift, the least constraint is that of the associated law. Some piles do not
        // slip.
        rival.shift.fill(0.0);
        let associated = rival.minimise(Allowed::Cones, &vec![DVec3::ZERO; found.len()], 3000);
        lifted += usize::from(rival.constraint(&associated) < rival.constraint(&found) - slack);
    }
    println!("{told:?} of {asked} wrong forces told from the true ones, {lifted} associated answers below them");
    assert!(told.iter().all(|&told| told == asked) && 10 * lifted > 9 * asked, "{told:?} {lifted} of {asked}");
}

/// Newton's method over families of islands, cold and warm: the rate of misses of its tolerance.
#[test]
fn newtons_method_answers_nearly_every_island_cold_and_warm() {
    let families: [(&str, &dyn Fn(u64) -> Island); 12] = [
        ("tower of 10", &|_| tower(10, 1.0, 0.5)),
        ("tower of 100", &|_| tower(100, 1.0, 0.5)),
        ("heavy on ten", &|_| tower(11, 1000.0, 0.5)),
        ("crooked tower of 50", &|s| crooked_tower(50, 0.02, s)),
        ("arch t/R .2", &|_| arch(21, 0.2, 0.8)),
        ("arch t/R .113", &|_| arch(21, 0.113, 0.8)),
        ("card house", &|_| card_house(0.5)),
        ("pyramid of 5", &|_| pyramid(5, 0.5)),
        ("pyramid of 10", &|_| pyramid(10, 0.5)),
        ("diamond of 5, mu .3", &|_| diamond(5, 0.3).0),
        ("pile of 50", &|s| pile(50, 0.5, s)),
        ("pile of 100", &|s| pile(100, 0.5, s)),
    ];
    let (mut missed, mut loose, mut runs) = (0, 0, 0);
    for (name, build) in families {
        let (mut worst, mut misses) = (0.0_f64, 0);
        for seed in 0..6 {
            let mut island = build(seed).jitter(seed, 1e-3);
            let mut work = Workspace::new();
            let mut problem = Problem::new();
            for warm in 0..4 {
                if warm > 0 {
                    island = island.jitter(100 * seed + warm, 1e-5);
                }
                problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
                let solution = solve(&mut work, &problem, RestingMethod::Newton, 1e-8);
                runs += 1;
                misses += usize::from(!solution.report.converged);
                loose += usize::from(solution.report.residual > 1e-4);
                worst = worst.max(solution.report.residual);
                let (impulses, sticking) = (solution.impulses.to_vec(), solution.sticking.to_vec());
                island.remember(&impulses, &sticking);
            }
        }
        println!("{name:22} {misses} of 24 missed 1e-8, worst {worst:.1e}");
        missed += misses;
    }
    println!("{missed} of {runs} missed 1e-8, {loose} missed 1e-4");
    assert_eq!(loose, 0, "no island misses what a game asks for");
    assert!(missed * 50 <= runs, "{missed} of {runs} missed 1e-8");
}
