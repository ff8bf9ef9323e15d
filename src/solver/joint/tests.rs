//! Trees by themselves, without the layout of a step.

use super::forest::{Forest, Pools, pack};
use super::passes::{Half, Visit};
use super::row::{Coordinate, JointLoad, JointRow, SolverJoint};
use super::{Law, passes};
use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::rotation::integrate_orientation;
use crate::solver::body::{Line, SolverBody, Start, close, open};
use crate::solver::kernels::{begin_substep, drift_turning};
use crate::solver::lanes::Path;

/// Bodies with their joints, stepped by the passes alone.
struct Bench {
    bodies: Vec<SolverBody>,
    joints: Vec<(u32, u32, [Vec3; 2], Vec<JointRow>)>,
    substeps: u32,
    rounds: u32,
    again: bool,
    more: u32,
    path: Path,
    /// Whether trees give back what their joints gain.
    thrifty: bool,
    /// What the rows beside pins had last, by tree.
    impulses: Vec<Vec<Real>>,
}

fn portable() -> Path {
    Path::named("portable").expect("every processor has it")
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
                let levers = [world(bodies[0], anchors[0]), world(bodies[1], anchors[1])];
                SolverJoint {
                    a: *a,
                    b: *b,
                    island: 0,
                    rows: [first, rows.len() as u32],
                    levers,
                    gap: (bodies[1].position + levers[1]) - (bodies[0].position + levers[0]),
                    span: 0.0,
                    frames: bodies.map(|body| Mat3::from_quat(body.orientation)),
                    load: JointLoad::default(),
                }
            })
            .collect();
        let worst = joints.iter().map(|joint| joint.gap.length()).fold(0.0, Real::max);
        let movable: Vec<bool> = self.bodies.iter().map(SolverBody::movable).collect();
        let mut forest = Forest::default();
        forest.grow(&joints, &rows, &movable);
        let mut trees: Vec<u32> = (0..forest.trees.len() as u32).collect();
        let (mut units, mut pools) = (Vec::new(), Pools::default());
        pack(&forest, &mut trees, &mut units, true);
        pools.fit(&units);
        let h = dt / self.substeps as Real;
        let path = self.path;
        let (mut lines, mut starts): (Vec<Line>, Vec<Start>) = self.bodies.iter().map(|body| open(body, h)).unzip();
        for (number, unit) in units.iter().enumerate() {
            let mut parts = pools.parts(&forest, unit, number);
            parts.clear(false);
            parts.leap.0 = [1.0; 8];
            parts.spins.0 = [1.0; 8];
            parts.mends.0 = [1.0; 8];
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != u32::MAX) {
                let tree = &forest.trees[tree as usize];
                if self.thrifty {
                    let bodies = forest.bodies(tree).iter().map(|&body| &self.bodies[body as usize]);
                    parts.thrift.fill((lane, 0.0), bodies, rows.iter());
                }
                for (place, &body) in forest.bodies(tree).iter().enumerate() {
                    parts.fill_body(lane, place, body, &self.bodies[body as usize], h);
                }
                for (place, &joint) in forest.joints(tree).iter().enumerate() {
                    let joint = &joints[joint as usize];
                    parts.fill_joint(lane, place, joint, &rows[joint.row_range()], h);
                }
            }
            // SAFETY: one thread, and every line is there.
            unsafe { passes::open(path, &mut parts, lines.as_mut_ptr().cast(), starts.as_mut_ptr().cast(), h) };
        }
        for substep in 0..self.substeps {
            if substep > 0 {
                begin_substep::<true>(portable(), &mut lines, &mut starts);
            }
            // In one visit or in two: units that share no bodies need no drift of lines in between.
            let halves = if substep % 2 == 0 { &[Half::Whole][..] } else { &[Half::Solve, Half::Relax] };
            for &half in halves {
                let visit = Visit {
                    h,
                    half,
                    rounds: self.rounds,
                    again: self.again,
                    more: self.more,
                    heap: false,
                    foresees: false,
                    first: substep == 0,
                };
                for (number, unit) in units.iter().enumerate() {
                    let mut parts = pools.parts(&forest, unit, number);
                    // SAFETY: as above.
                    unsafe {
                        passes::visit(path, &mut parts, lines.as_mut_ptr().cast(), starts.as_ptr().cast(), visit)
                    };
                }
                if half == Half::Solve {
                    drift_turning(portable(), &mut lines, h);
                }
            }
        }
        self.impulses = vec![Vec::new(); forest.trees.len()];
        for (number, unit) in units.iter().enumerate() {
            let parts = pools.parts(&forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != u32::MAX) {
                self.impulses[tree as usize].extend(parts.rows.iter().map(|row| row.impulse.0[lane]));
            }
        }
        for (number, unit) in units.iter().enumerate().rev() {
            let mut parts = pools.parts(&forest, unit, number);
            // SAFETY: as above.
            unsafe { passes::close(path, &mut parts, lines.as_mut_ptr().cast(), h) };
        }
        for (body, line) in self.bodies.iter_mut().zip(&lines) {
            let motion = close(body, line, dt);
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
        rounds: 1,
        again: false,
        more: 0,
        path: portable(),
        thrifty: false,
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

/// A line of four balls of which the second joint is a decimetre apart, sideways: on something that nothing moves, and on nothing.
#[test]
fn joints_give_back_what_they_gain_by_mending_and_nothing_else() {
    for hangs in [true, false] {
        let kinetic = |thrifty: bool| {
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
                rounds: 1,
                again: false,
                more: 0,
                path: portable(),
                thrifty,
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
            wasted > 1e-3 && kept < 1e-3 * wasted,
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
        rounds: 1,
        again: false,
        more: 0,
        path: portable(),
        thrifty: false,
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
        let drive = JointRow { law: Law::Drive, force, ..JointRow::lock(Coordinate::Turn(2), 3.0) };
        rows.push(drive);
        let mut body = ball(0.0, 0.0);
        body.linear_acceleration = Vec3::ZERO;
        let mut bench = Bench {
            bodies: vec![SolverBody::FIXED, body],
            joints: vec![(0, 1, [Vec3::ZERO; 2], rows)],
            substeps: 4,
            rounds: 2,
            again: false,
            more: 0,
            path: portable(),
            thrifty: false,
            impulses: Vec::new(),
        };
        for _ in 0..10 {
            bench.step(1.0 / 60.0);
        }
        let spin = bench.bodies[1].angular_velocity;
        assert!((spin - Vec3::Z * speed).length() < 1e-4, "{spin}");
    }
}

/// Eight pairs of balls on a joint that spin against each other, the first not at all, the last by 23 rad/s.
fn spinning_pairs(again: bool, path: Path) -> Bench {
    let half = Vec3::new(0.5, 0.0, 0.0);
    let (mut bodies, mut joints) = (vec![SolverBody::FIXED], Vec::new());
    for k in 0..8 {
        let first = bodies.len() as u32;
        for (x, spin) in [(-0.5, Vec3::new(0.0, 1.0, 3.0)), (0.5, Vec3::new(0.5, -2.0, 1.0))] {
            bodies.push(SolverBody {
                // What moves nowhere may have either zero.
                linear_velocity: Vec3::splat(-0.0),
                linear_acceleration: Vec3::splat(-0.0),
                angular_velocity: spin * k as Real,
                ..ball(x, 0.0)
            });
        }
        joints.push((first, first + 1, [half, -half], point()));
    }
    Bench { bodies, joints, substeps: 4, rounds: 1, again, more: 0, path, thrifty: false, impulses: Vec::new() }
}

#[test]
fn what_turns_fast_is_brought_together_again() {
    let gap = |again: bool| {
        let mut bench = spinning_pairs(again, portable());
        (0..30).map(|_| bench.step(1.0 / 60.0)).fold(0.0, Real::max)
    };
    let (once, twice) = (gap(false), gap(true));
    assert!(once > 1e-5 && twice < 0.1 * once, "{once} {twice}");
}

/// Eight arms on hinges with friction: four lie on a limit, and four swing up to the other one, each at its own time.
fn arms_at_limits(path: Path) -> Bench {
    let (mut bodies, mut joints) = (vec![SolverBody::FIXED], Vec::new());
    for k in 0..8_u32 {
        let spin = if k < 4 { 0.0 } else { 3.0 * k as Real };
        let (linear_velocity, angular_velocity) = (Vec3::Y * 0.5 * spin, Vec3::Z * spin);
        bodies.push(SolverBody { linear_velocity, angular_velocity, ..ball(0.5, 0.0) });
        let mut rows = point();
        rows.extend([0, 1].map(|k| JointRow::lock(Coordinate::Align { free: 2, k }, 0.0)));
        let about = JointRow::lock(Coordinate::Turn(2), 0.0);
        rows.push(JointRow { law: Law::Range, target_high: 0.03 * k as Real, ..about });
        rows.push(JointRow { law: Law::Drive, force: 0.3 * (k % 4 + 1) as Real, ..about });
        joints.push((0, k + 1, [Vec3::ZERO, Vec3::new(-0.5, 0.0, 0.0)], rows));
    }
    Bench { bodies, joints, substeps: 4, rounds: 1, again: false, more: 3, path, thrifty: true, impulses: Vec::new() }
}

/// The bits of all bodies after so many steps, and of the impulses of the rows of each tree.
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
fn trees_that_are_brought_together_again_beside_others_have_the_same_bits_in_any_lanes() {
    let want = bits_after(spinning_pairs(true, portable()), 10);
    for &path in Path::available() {
        assert_eq!(bits_after(spinning_pairs(true, path), 10), want, "{path:?}");
    }
}

#[test]
fn arms_that_are_brought_together_beside_others_have_the_same_bits_in_any_lanes() {
    let want = bits_after(arms_at_limits(portable()), 3);
    for &path in Path::available() {
        assert_eq!(bits_after(arms_at_limits(path), 3), want, "{path:?}");
    }
    // And by themselves.
    for arm in 0..8 {
        let mut bench = arms_at_limits(portable());
        bench.joints = vec![bench.joints.swap_remove(arm)];
        let (bodies, impulses) = bits_after(bench, 3);
        assert_eq!((bodies[arm + 1], &impulses[0]), (want.0[arm + 1], &want.1[arm]), "arm {arm}");
    }
}
