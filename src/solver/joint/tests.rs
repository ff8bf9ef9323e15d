//! Joint groups alone, without the layout of a step.

use super::joint_graph::{BatchStorage, JointGraph, pack_batches};
use super::row::{Coordinate, JointLoad, JointRow, SolverJoint};
use super::substep_passes::{Pass, PassParams};
use super::{RowKind, substep_passes};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::rotation::integrate_orientation;
use crate::solver::body::{BodyState, SolverBody, SubstepStart, load, store};
use crate::solver::kernels::{begin_substep, drift_large_rotations};
use crate::solver::simd::SimdLevel;

/// Bodies with their joints, stepped by the substep passes alone.
struct Bench {
    bodies: Vec<SolverBody>,
    joints: Vec<(u32, u32, [Vec3; 2], Vec<JointRow>)>,
    substeps: u32,
    iterations: u32,
    relinearise: bool,
    extra_iterations: u32,
    simd: SimdLevel,
    /// True if the energy guard is on.
    guarded: bool,
    /// Last impulses of the scalar rows, by group.
    impulses: Vec<Vec<Real>>,
}

fn portable() -> SimdLevel {
    SimdLevel::named("portable").expect("every processor has it")
}

fn ball(x: Real, y: Real) -> SolverBody {
    SolverBody {
        position: Vec3::new(x, y, 0.0),
        inverse_mass: 1.0,
        inverse_inertia: [12.0, 12.0, 12.0, 0.0, 0.0, 0.0],
        linear_acceleration: Vec3::new(0.0, -9.81, 0.0),
        radius: 0.5,
        ..SolverBody::FIXED
    }
}

fn point() -> Vec<JointRow> {
    (0..3).map(|k| JointRow::lock(Coordinate::Point(k), 0.0)).collect()
}

impl Bench {
    fn step(&mut self, dt: Real) -> Real {
        let mut rows = Vec::new();
        let world = |body: &SolverBody, v: Vec3| body.orientation * v;
        let joints: Vec<SolverJoint> = self
            .joints
            .iter()
            .map(|(a, b, anchors, own)| {
                let first = rows.len() as u32;
                rows.extend_from_slice(own);
                let bodies = [&self.bodies[*a as usize], &self.bodies[*b as usize]];
                let arms = [world(bodies[0], anchors[0]), world(bodies[1], anchors[1])];
                SolverJoint {
                    a: *a,
                    b: *b,
                    island: 0,
                    rows: [first, rows.len() as u32],
                    arms,
                    gap: (bodies[1].position + arms[1]) - (bodies[0].position + arms[0]),
                    span: 0.0,
                    frames: bodies.map(|body| Mat3::from_quat(body.orientation)),
                    load: JointLoad::default(),
                }
            })
            .collect();
        let worst = joints.iter().map(|joint| joint.gap.length()).fold(0.0, Real::max);
        let movable: Vec<bool> = self.bodies.iter().map(SolverBody::movable).collect();
        let mut graph = JointGraph::default();
        graph.rebuild(&joints, &rows, &movable);
        let mut groups: Vec<u32> = (0..graph.groups.len() as u32).collect();
        let (mut batches, mut storage) = (Vec::new(), BatchStorage::default());
        pack_batches(&graph, &mut groups, &mut batches, true);
        storage.resize_for(&batches);
        let h = dt / self.substeps as Real;
        let simd = self.simd;
        let (mut states, mut starts): (Vec<BodyState>, Vec<SubstepStart>) =
            self.bodies.iter().map(|body| load(body, 1.0, h)).unzip();
        for (number, batch) in batches.iter().enumerate() {
            let mut view = storage.view(&graph, batch, number);
            view.clear(false);
            view.leapfrog.0 = [1.0; 8];
            view.leapfrog_angular.0 = [1.0; 8];
            view.erp.0 = [1.0; 8];
            for (lane, &group) in batch.groups.iter().enumerate().filter(|(_, group)| **group != u32::MAX) {
                let group = &graph.groups[group as usize];
                if self.guarded {
                    let bodies = graph.bodies(group).iter().map(|&body| &self.bodies[body as usize]);
                    view.energy_guard.fill((lane, Some(0.0)), view.factor.has_pulley, bodies);
                }
                for (index, &body) in graph.bodies(group).iter().enumerate() {
                    view.fill_body(lane, index, body, &self.bodies[body as usize], h);
                }
                for (index, &joint) in graph.joints(group).iter().enumerate() {
                    let joint = &joints[joint as usize];
                    view.fill_joint(lane, index, joint, &rows[joint.row_range()], h);
                }
            }
            // SAFETY: single thread, all body states exist.
            unsafe {
                substep_passes::begin_step(simd, &mut view, states.as_mut_ptr().cast(), starts.as_mut_ptr().cast(), h)
            };
        }
        for substep in 0..self.substeps {
            if substep > 0 {
                begin_substep::<true>(portable(), &mut states, &mut starts);
            }
            // In one pass or in two: batches without common bodies need no motion of the body
            // states in between.
            let stages =
                if substep % 2 == 0 { &[Pass::Both][..] } else { &[Pass::SolvePosition, Pass::ProjectVelocity] };
            for &pass in stages {
                let params = PassParams {
                    h,
                    pass,
                    iterations: self.iterations,
                    relinearise: self.relinearise,
                    refinements: 0,
                    extra_iterations: self.extra_iterations,
                    predicts: false,
                    first: substep == 0,
                };
                for (number, batch) in batches.iter().enumerate() {
                    let mut view = storage.view(&graph, batch, number);
                    // SAFETY: as above.
                    unsafe {
                        substep_passes::run_pass(
                            simd,
                            &mut view,
                            states.as_mut_ptr().cast(),
                            starts.as_ptr().cast(),
                            params,
                        )
                    };
                }
                if pass == Pass::SolvePosition {
                    drift_large_rotations(portable(), &mut states, h);
                }
            }
        }
        self.impulses = vec![Vec::new(); graph.groups.len()];
        for (number, batch) in batches.iter().enumerate() {
            let view = storage.view(&graph, batch, number);
            for (lane, &group) in batch.groups.iter().enumerate().filter(|(_, group)| **group != u32::MAX) {
                self.impulses[group as usize].extend(view.rows.iter().map(|row| row.impulse.0[lane]));
            }
        }
        for (number, batch) in batches.iter().enumerate().rev() {
            let mut view = storage.view(&graph, batch, number);
            // SAFETY: as above.
            unsafe { substep_passes::end_step(simd, &mut view, states.as_mut_ptr().cast(), h) };
        }
        for (body, state) in self.bodies.iter_mut().zip(&states) {
            let motion = store(body, state, dt);
            if body.movable() {
                body.position += motion.displacement;
                body.orientation = integrate_orientation(body.orientation, motion.rotation);
                body.linear_velocity = motion.linear_velocity;
                body.angular_velocity = motion.angular_velocity;
            }
        }
        worst
    }

    fn energy(&self) -> f64 {
        let of = |b: &SolverBody| {
            let (v, w) = (b.linear_velocity.length_squared(), b.angular_velocity.length_squared());
            f64::from(0.5 * v + 0.5 * w / b.inverse_inertia[0] + 9.81 * b.position.y)
        };
        self.bodies.iter().filter(|body| body.movable()).map(of).sum()
    }
}

#[test]
fn a_rod_on_a_pivot_keeps_its_energy_and_its_pivot() {
    let mut bench = Bench {
        bodies: vec![SolverBody::FIXED, ball(0.5, 0.0)],
        joints: vec![(0, 1, [Vec3::ZERO, Vec3::new(-0.5, 0.0, 0.0)], point())],
        substeps: 4,
        iterations: 1,
        relinearise: false,
        extra_iterations: 0,
        simd: portable(),
        guarded: false,
        impulses: Vec::new(),
    };
    let start = bench.energy();
    let (mut worst, mut gap): (f64, Real) = (0.0, 0.0);
    for _ in 0..600 {
        gap = gap.max(bench.step(1.0 / 60.0));
        worst = worst.max((bench.energy() - start).abs());
    }
    assert!(gap < 2e-6, "gap {gap}");
    assert!(worst < 5e-3, "energy {worst}");
}

/// A line of four balls whose second joint has a sideways error of a decimetre: anchored and free.
#[test]
fn the_energy_guard_removes_what_position_correction_adds_and_nothing_else() {
    for hangs in [true, false] {
        let kinetic = |guarded: bool| {
            let drift = Vec3::new(0.3, -0.2, 0.1);
            let free = |k: usize| SolverBody {
                linear_acceleration: Vec3::ZERO,
                linear_velocity: if hangs { Vec3::ZERO } else { drift },
                ..ball(k as Real + 0.5, if k > 1 { 0.1 } else { 0.0 })
            };
            let bodies: Vec<_> = std::iter::once(SolverBody::FIXED).chain((0..4).map(free)).collect();
            let half = Vec3::new(0.5, 0.0, 0.0);
            let first = if hangs { 0 } else { 1 };
            let joints =
                (first..4).map(|k| (k, k + 1, [if k == 0 { Vec3::ZERO } else { half }, -half], point())).collect();
            let mut bench = Bench {
                bodies,
                joints,
                substeps: 4,
                iterations: 1,
                relinearise: false,
                extra_iterations: 0,
                simd: portable(),
                guarded,
                impulses: Vec::new(),
            };
            for _ in 0..3 {
                bench.step(1.0 / 60.0);
            }
            let momentum: Vec3 = bench.bodies.iter().map(|body| body.linear_velocity).sum();
            assert!(hangs || (momentum - drift * 4.0).length() < 1e-4, "{momentum}");
            let frame = if hangs { Vec3::ZERO } else { drift };
            let of = |b: &SolverBody| {
                let (v, w) = ((b.linear_velocity - frame).length_squared(), b.angular_velocity.length_squared());
                f64::from(0.5 * v + 0.5 * w / b.inverse_inertia[0])
            };
            bench.bodies.iter().filter(|body| body.movable()).map(of).sum::<f64>()
        };
        let [wasted, kept] = [false, true].map(kinetic);
        assert!(
            wasted > 1e-5 && kept < 1e-3 * wasted,
            "hangs {hangs}: {wasted} J gained, {kept} J where they are given back"
        );
    }
}

#[test]
fn a_chain_of_twenty_links_under_a_heavy_ball_does_not_stretch() {
    let link = |k: usize| SolverBody { orientation: Quat::IDENTITY, ..ball(k as Real + 0.5, 0.0) };
    let mut bodies: Vec<_> = std::iter::once(SolverBody::FIXED).chain((0..20).map(link)).collect();
    let last = bodies.len() - 1;
    bodies[last].inverse_mass = 1e-3;
    bodies[last].inverse_inertia = [12e-3, 12e-3, 12e-3, 0.0, 0.0, 0.0];
    let half = Vec3::new(0.5, 0.0, 0.0);
    let joints = (0..20).map(|k| (k, k + 1, [if k == 0 { Vec3::ZERO } else { half }, -half], point())).collect();
    let mut bench = Bench {
        bodies,
        joints,
        substeps: 64,
        iterations: 1,
        relinearise: false,
        extra_iterations: 0,
        simd: portable(),
        guarded: false,
        impulses: Vec::new(),
    };
    let mut gap: Real = 0.0;
    for _ in 0..200 {
        gap = gap.max(bench.step(1.0 / 60.0));
    }
    assert!(gap < 5e-4, "gap {gap}");
}

#[test]
fn a_motor_turns_as_fast_as_it_is_told_unless_it_is_too_weak() {
    for (force, speed) in [(100.0, 3.0), (0.0, 0.0)] {
        let mut rows = point();
        rows.extend([0, 1].map(|k| JointRow::lock(Coordinate::Align { free: 2, k }, 0.0)));
        let drive = JointRow { kind: RowKind::Motor, force, ..JointRow::lock(Coordinate::Turn(2), 3.0) };
        rows.push(drive);
        let mut body = ball(0.0, 0.0);
        body.linear_acceleration = Vec3::ZERO;
        let mut bench = Bench {
            bodies: vec![SolverBody::FIXED, body],
            joints: vec![(0, 1, [Vec3::ZERO; 2], rows)],
            substeps: 4,
            iterations: 2,
            relinearise: false,
            extra_iterations: 0,
            simd: portable(),
            guarded: false,
            impulses: Vec::new(),
        };
        for _ in 0..10 {
            bench.step(1.0 / 60.0);
        }
        let spin = bench.bodies[1].angular_velocity;
        assert!((spin - Vec3::Z * speed).length() < 1e-4, "{spin}");
    }
}

/// Eight pairs of balls on a joint with opposite angular velocities, the first zero, the last 23
/// rad/s.
fn spinning_pairs(again: bool, simd: SimdLevel) -> Bench {
    let half = Vec3::new(0.5, 0.0, 0.0);
    let (mut bodies, mut joints) = (vec![SolverBody::FIXED], Vec::new());
    for k in 0..8 {
        let first = bodies.len() as u32;
        for (x, spin) in [(-0.5, Vec3::new(0.0, 1.0, 3.0)), (0.5, Vec3::new(0.5, -2.0, 1.0))] {
            bodies.push(SolverBody {
                // The zeros of bodies at rest may have either sign.
                linear_velocity: Vec3::splat(-0.0),
                linear_acceleration: Vec3::splat(-0.0),
                angular_velocity: spin * k as Real,
                ..ball(x, 0.0)
            });
        }
        joints.push((first, first + 1, [half, -half], point()));
    }
    Bench {
        bodies,
        joints,
        substeps: 4,
        iterations: 1,
        relinearise: again,
        extra_iterations: 0,
        simd,
        guarded: false,
        impulses: Vec::new(),
    }
}

#[test]
fn fast_rotating_groups_are_linearised_again() {
    let gap = |again: bool| {
        let mut bench = spinning_pairs(again, portable());
        (0..30).map(|_| bench.step(1.0 / 60.0)).fold(0.0, Real::max)
    };
    let (once, twice) = (gap(false), gap(true));
    assert!(once > 1e-5 && twice < 0.1 * once, "{once} {twice}");
}

/// Eight arms on hinges with friction: four rest on a limit, four swing up to the other one at
/// different times.
fn arms_at_limits(simd: SimdLevel) -> Bench {
    let (mut bodies, mut joints) = (vec![SolverBody::FIXED], Vec::new());
    for k in 0..8_u32 {
        let spin = if k < 4 { 0.0 } else { 3.0 * k as Real };
        let (linear_velocity, angular_velocity) = (Vec3::Y * 0.5 * spin, Vec3::Z * spin);
        bodies.push(SolverBody { linear_velocity, angular_velocity, ..ball(0.5, 0.0) });
        let mut rows = point();
        rows.extend([0, 1].map(|k| JointRow::lock(Coordinate::Align { free: 2, k }, 0.0)));
        let about = JointRow::lock(Coordinate::Turn(2), 0.0);
        rows.push(JointRow { kind: RowKind::Limit, target_high: 0.03 * k as Real, ..about });
        rows.push(JointRow { kind: RowKind::Motor, force: 0.3 * (k % 4 + 1) as Real, ..about });
        joints.push((0, k + 1, [Vec3::ZERO, Vec3::new(-0.5, 0.0, 0.0)], rows));
    }
    Bench {
        bodies,
        joints,
        substeps: 4,
        iterations: 1,
        relinearise: false,
        extra_iterations: 3,
        simd,
        guarded: true,
        impulses: Vec::new(),
    }
}

/// Bits of all bodies after so many steps, and of the impulses of the rows of each group.
fn bits_after(mut bench: Bench, steps: usize) -> (Vec<[[u64; 3]; 3]>, Vec<Vec<u64>>) {
    (0..steps).for_each(|_| {
        bench.step(1.0 / 60.0);
    });
    let bits = |body: &SolverBody| {
        [body.position, body.linear_velocity, body.angular_velocity]
            .map(|v| v.to_array().map(|x| f64::from(x).to_bits()))
    };
    let rows = |of: &Vec<Real>| of.iter().map(|&x| f64::from(x + 0.0).to_bits()).collect();
    (bench.bodies.iter().map(bits).collect(), bench.impulses.iter().map(rows).collect())
}

#[test]
fn groups_that_are_relinearised_beside_others_have_the_same_bits_in_any_lanes() {
    let want = bits_after(spinning_pairs(true, portable()), 10);
    for &simd in SimdLevel::available() {
        assert_eq!(bits_after(spinning_pairs(true, simd), 10), want, "{simd:?}");
    }
}

#[test]
fn a_pair_that_is_solved_implicitly_has_the_same_bits_beside_pairs_that_are_relinearised() {
    // The joint turns the spins of the first pair around: neither is fast enough to be linearised
    // again, but the solution is far from the linearisation.
    let pairs = |count: usize| {
        let mut bench = spinning_pairs(true, portable());
        bench.joints.truncate(count);
        for (body, side) in bench.bodies[1..3].iter_mut().zip([-1.0, 1.0]) {
            body.inverse_inertia = [100.0, 100.0, 100.0, 0.0, 0.0, 0.0];
            (body.linear_velocity, body.angular_velocity) = (Vec3::Y * 1.5 * side, Vec3::Z * -3.0);
        }
        bits_after(bench, 1).0
    };
    assert_eq!(pairs(8)[1..3], pairs(1)[1..3]);
}

#[test]
fn arms_at_limits_beside_others_have_the_same_bits_in_any_lanes() {
    let want = bits_after(arms_at_limits(portable()), 3);
    for &simd in SimdLevel::available() {
        assert_eq!(bits_after(arms_at_limits(simd), 3), want, "{simd:?}");
    }
    // The same for each arm alone.
    for arm in 0..8 {
        let mut bench = arms_at_limits(portable());
        bench.joints = vec![bench.joints.swap_remove(arm)];
        let (bodies, impulses) = bits_after(bench, 3);
        assert_eq!((bodies[arm + 1], &impulses[0]), (want.0[arm + 1], &want.1[arm]), "arm {arm}");
    }
}
