//! Joints: every kind, against closed forms and invariants.

// With `f64` what crosses over between the engine's scalar and the answers' crosses over to itself.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use dolmen::math::{DVec3, Real, consts::PI, to_f64};
use dolmen::prelude::*;
use dolmen::{Event, StepError};
use hecs::{Entity, World};

const F64: bool = size_of::<Real>() == 8;
const G: Real = 9.81;

/// A world with its physics.
struct Stage {
    world: World,
    physics: Physics,
    dt: Real,
}

impl Stage {
    fn new(dt: f64, accuracy: Accuracy) -> Self {
        let settings = Settings { accuracy, rest: false, ..Settings::default() };
        Self { world: World::new(), physics: Physics::new(settings), dt: dt as Real }
    }

    fn game() -> Self {
        Self::new(1.0 / 60.0, Accuracy::Game)
    }

    fn weightless(mut self) -> Self {
        self.physics.settings.gravity = Vec3::ZERO;
        self
    }

    fn join(&mut self, joint: Joint) -> Entity {
        self.world.spawn((joint, JointState::default()))
    }

    fn step(&mut self) {
        self.physics.step(&mut self.world, self.dt).expect("the scene is sound");
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / f64::from(self.dt)).round() as usize {
            self.step();
        }
    }

    fn position(&self, e: Entity) -> Vec3 {
        self.world.get::<&Position>(e).unwrap().0
    }

    fn orientation(&self, e: Entity) -> Quat {
        self.world.get::<&Orientation>(e).unwrap().0
    }

    fn velocity(&self, e: Entity) -> Vec3 {
        self.world.get::<&LinearVelocity>(e).unwrap().0
    }

    fn spin(&self, e: Entity) -> Vec3 {
        self.world.get::<&AngularVelocity>(e).unwrap().0
    }

    fn state(&self, joint: Entity) -> JointState {
        *self.world.get::<&JointState>(joint).unwrap()
    }

    /// How far apart the anchors of all joints are at worst (m), where they are to be together.
    fn worst_gap(&self) -> f64 {
        let mut worst: f64 = 0.0;
        for joint in self.world.query::<&Joint>().iter() {
            let ends = [0, 1].map(|side| {
                let anchor = joint.frames[side].anchor;
                joint.bodies[side].map_or(to_f64(anchor), |body| {
                    to_f64(self.position(body)) + to_f64(self.orientation(body) * anchor)
                })
            });
            worst = worst.max((ends[1] - ends[0]).length());
        }
        worst
    }
}

/// A body of a mass (kg) with the inertia of a ball of a radius (m), that touches nothing.
fn bob(mass: Real, radius: Real) -> Body {
    let i = 0.4 * mass * radius * radius;
    Body::free(mass, Inertia { principal: Vec3::splat(i), frame: Quat::IDENTITY })
}

/// A thin rod of 1 m and 1 kg along its y axis, with its centre of mass in the middle.
fn rod() -> Body {
    Body::free(1.0, Inertia { principal: Vec3::new(1.0 / 12.0, 1e-3, 1.0 / 12.0), frame: Quat::IDENTITY })
}

/// The mean period of a rod that swings about its end, let go at `degrees`: over ten swings.
fn period(stage: &mut Stage, degrees: f64) -> f64 {
    let angle = (degrees as Real).to_radians();
    let turned = Quat::from_rotation_z(angle);
    let rod = stage.world.spawn(rod().position(turned * Vec3::new(0.0, -0.5, 0.0)).orientation(turned));
    stage.join(Joint::revolute(None, rod).anchors(Vec3::ZERO, Vec3::Y * 0.5).axes(Vec3::Z, Vec3::Z));
    let (mut crossings, mut before) = (Vec::new(), f64::from(angle));
    let mut time = 0.0;
    while crossings.len() < 11 {
        stage.step();
        let p = to_f64(stage.position(rod));
        let now = p.x.atan2(-p.y);
        if before > 0.0 && now <= 0.0 {
            crossings.push(time + f64::from(stage.dt) * before / (before - now));
        }
        time += f64::from(stage.dt);
        before = now;
    }
    (crossings[10] - crossings[0]) / 10.0
}

#[test]
fn a_pendulum_keeps_its_period_however_far_it_swings() {
    // Complete elliptic integrals, for g = 9.81 m/s²: see tests/data/accuracy.json.
    let answers = [(5.0, 1.638726531011004), (30.0, 1.6664612665004273), (90.0, 1.9333348543732454), (150.0, 2.8863955824243197)];
    for (degrees, answer) in answers {
        let game = period(&mut Stage::game(), degrees);
        println!("{degrees}: game {:e}", game / answer - 1.0);
        assert!((game / answer - 1.0).abs() < 1e-3, "{degrees} degrees: {game} for {answer}");
        if F64 {
            let exact = period(&mut Stage::new(1.0 / 240.0, Accuracy::Exact), degrees);
            println!("{degrees}: exact {:e}", exact / answer - 1.0);
            assert!((exact / answer - 1.0).abs() < 1e-6, "{degrees} degrees: {exact} for {answer}");
        }
    }
}

/// A chain of links of 0.2 m along x from the origin; returns the links.
fn chain(stage: &mut Stage, links: usize, mass: impl Fn(usize) -> Real) -> Vec<Entity> {
    let half = Vec3::X * 0.1;
    let mut out: Vec<Entity> = Vec::new();
    for k in 0..links {
        let link = stage.world.spawn(bob(mass(k), 0.08).at(0.2 * k as Real + 0.1, 0.0, 0.0));
        let joint = match out.last() {
            Some(&last) => Joint::spherical(last, link).anchors(half, -half),
            None => Joint::spherical(None, link).anchors(Vec3::ZERO, -half),
        };
        stage.join(joint);
        out.push(link);
    }
    out
}

#[test]
fn a_chain_of_a_hundred_links_swings_and_hangs_without_stretching() {
    let mut stage = Stage::game();
    let links = chain(&mut stage, 100, |_| 1.0);
    let mut worst: f64 = 0.0;
    for _ in 0..900 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("chain: gap {worst:e}");
    assert!(worst < 5e-4, "{worst}");
    assert!(stage.position(links[99]).length() < 20.0 * 1.001);
}

#[test]
fn a_ball_of_a_thousand_times_the_weight_of_a_link_does_not_stretch_its_chain() {
    let mut stage = Stage::game();
    chain(&mut stage, 21, |k| if k == 20 { 1000.0 } else { 1.0 });
    let mut worst: f64 = 0.0;
    for _ in 0..900 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("wrecking ball: gap {worst:e}");
    assert!(worst < 4.2e-3, "{worst}");
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    for (accuracy, dt, bar) in [(Accuracy::Game, 1.0 / 60.0, 2e-2), (Accuracy::Exact, 1.0 / 240.0, if F64 { 1e-5 } else { 1e-3 })] {
        let mut stage = Stage::new(dt, accuracy);
        let a = stage.world.spawn(rod().position(Vec3::new(0.5, 0.0, 0.0)).orientation(Quat::from_rotation_z(0.5 * PI)));
        let b = stage.world.spawn(rod().position(Vec3::new(1.5, 0.0, 0.0)).orientation(Quat::from_rotation_z(0.5 * PI)));
        let end = Vec3::Y * 0.5;
        stage.join(Joint::revolute(None, a).anchors(Vec3::ZERO, end).axes(Vec3::Z, Vec3::Z));
        stage.join(Joint::revolute(a, b).anchors(-end, end).axes(Vec3::Z, Vec3::Z));
        stage.step();
        let start = stage.physics.energy();
        let mut worst: f64 = 0.0;
        for _ in 0..(60.0 / dt) as usize {
            stage.step();
            worst = worst.max((stage.physics.energy() - start).abs());
        }
        println!("double pendulum {accuracy:?}: {:e}", worst / 9.81);
        assert!(worst / 9.81 < bar, "{accuracy:?}: {worst}");
    }
}
