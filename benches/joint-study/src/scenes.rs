//! The mechanisms of the study.

use crate::mechanism::{Body, Joint, Mechanism};
use clap::ValueEnum;
use fastrand::Rng;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A kind of mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scene {
    /// A bar of a metre on a pin, released level: one swing after another.
    Pendulum,
    /// Twenty links of 1 kg and 1 t at the end, released at 45 degrees.
    Chain,
    /// Ten links of 0.1 kg and 10 t at the end, released level.
    HeavyChain,
    /// A loaded pallet that falls into its four chains.
    Pallet,
    /// A hundred planks between two hinges, and 2 t on the middle one.
    Bridge,
    /// Lines, rings and trees with bodies of 5 to 500 kg.
    Whip,
    /// Twenty by twenty balls, held at the corners.
    Net20,
    /// Sixty by sixty balls.
    Net60,
    /// A block on a pin at its centre, at 10 to 1000 rad/s.
    Gyroscope,
}

impl Scene {
    /// Mechanisms of the kind; of a random one as many as `asked`.
    pub fn count(self, asked: Option<u64>) -> u64 {
        match self {
            Self::Pallet => asked.unwrap_or(100),
            Self::Whip => asked.unwrap_or(500),
            Self::Gyroscope => 4,
            _ => 1,
        }
    }

    /// Steps of a sixtieth of a second.
    pub fn steps(self) -> usize {
        match self {
            Self::Net60 => 60,
            Self::Net20 => 200,
            Self::Whip => 400,
            _ => 600,
        }
    }

    /// The `seed`th mechanism of the kind.
    pub fn make(self, seed: u64) -> Mechanism {
        match self {
            Self::Pendulum => pendulum(),
            Self::Chain => chain(20, 1.0, 1000.0, 0.25 * std::f64::consts::PI),
            Self::HeavyChain => chain(10, 0.1, 10_000.0, 0.0),
            Self::Pallet => pallet(seed),
            Self::Bridge => bridge(100),
            Self::Whip => whip(seed),
            Self::Net20 => net(20),
            Self::Net60 => net(60),
            Self::Gyroscope => gyroscope([10.0, 60.0, 200.0, 1000.0][seed as usize]),
        }
    }
}

fn pendulum() -> Mechanism {
    let mut mechanism = Mechanism::default();
    mechanism.bodies.push(Body::cuboid(1.0, DVec3::new(0.5, 0.05, 0.05), DVec3::X * 0.5));
    mechanism.join([None, Some(0)], DVec3::ZERO);
    mechanism
}

/// Links of 0.5 m from the origin, inclined downwards, and a ball at the end.
fn chain(links: usize, mass: f64, ball: f64, slope: f64) -> Mechanism {
    let along = DQuat::from_rotation_z(-slope) * DVec3::X * 0.5;
    let mut mechanism = Mechanism::default();
    for k in 0..links {
        let mut link = Body::cuboid(mass, DVec3::new(0.25, 0.05, 0.05), along * (k as f64 + 0.5));
        link.orientation = DQuat::from_rotation_z(-slope);
        mechanism.bodies.push(link);
        mechanism.join([k.checked_sub(1), Some(k)], along * k as f64);
    }
    let end = along * links as f64;
    mechanism.bodies.push(Body::cuboid(ball, DVec3::splat(0.5), end + along.normalize() * 0.5));
    mechanism.join([Some(links - 1), Some(links)], end);
    mechanism
}

fn pallet(seed: u64) -> Mechanism {
    let mut random = Rng::with_seed(seed);
    let mut uniform = |low: f64, high: f64| low + (high - low) * random.f64();
    let (slant, link, load) = (uniform(0.0, 0.8), 10f64.powf(uniform(-1.0, 0.5)), uniform(20.0, 500.0));
    let fall = (2.0 * 9.81 * 2.0_f64).sqrt() * load / (30.0 + load);
    let mut mechanism = Mechanism::default();
    let mut plate = Body::cuboid(30.0 + load, DVec3::new(1.0, 0.1, 1.0), DVec3::Y);
    plate.velocity = DVec3::NEG_Y * fall;
    plate.spin = DVec3::new(uniform(-1.0, 1.0), 0.0, uniform(-1.0, 1.0));
    mechanism.bodies.push(plate);
    const LINKS: usize = 10;
    for (x, z) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
        let (low, high) = (DVec3::new(x, 1.05, z), DVec3::new(x * (1.0 - slant), 4.0, z * (1.0 - slant)));
        let along = (high - low) / LINKS as f64;
        let mut last = 0;
        for k in 0..LINKS {
            let half = DVec3::new(0.02, 0.4 * along.length(), 0.02);
            let mut body = Body::cuboid(link, half, low + along * (k as f64 + 0.5));
            body.orientation = DQuat::from_rotation_arc(DVec3::Y, along.normalize());
            mechanism.bodies.push(body);
            let index = mechanism.bodies.len() - 1;
            mechanism.join([Some(last), Some(index)], low + along * k as f64);
            last = index;
        }
        mechanism.join([None, Some(last)], high);
    }
    mechanism
}

/// Planks of half a metre that hang in an arc.
fn bridge(planks: usize) -> Mechanism {
    const PITCH: f64 = 0.5;
    let bend: f64 = 0.3;
    let radius = 0.5 * PITCH / (bend / planks as f64).sin();
    let at = |k: usize| {
        let angle = bend * (2.0 * k as f64 / planks as f64 - 1.0);
        radius * DVec3::new(bend.sin() + angle.sin(), bend.cos() - angle.cos(), 0.0)
    };
    let mut mechanism = Mechanism::default();
    let hinge = |mechanism: &mut Mechanism, bodies: [Option<usize>; 2], place: DVec3| {
        for z in [-0.5, 0.5] {
            mechanism.join(bodies, place + DVec3::Z * z);
        }
    };
    for k in 0..planks {
        let (from, to) = (at(k), at(k + 1));
        let mass = if k == planks / 2 { 2040.0 } else { 40.0 };
        let mut plank = Body::cuboid(mass, DVec3::new(0.5 * PITCH, 0.05, 1.0), 0.5 * (from + to));
        plank.orientation = DQuat::from_rotation_arc(DVec3::X, (to - from).normalize());
        mechanism.bodies.push(plank);
        hinge(&mut mechanism, [k.checked_sub(1), Some(k)], from);
    }
    hinge(&mut mechanism, [Some(planks - 1), None], at(planks));
    mechanism
}

/// Half extents of the `k`th of links that have nothing but their length in common.
fn extents(random: &mut Rng) -> DVec3 {
    DVec3::new(0.2, [0.05, 0.2][random.usize(0..2)], [0.2, 0.6][random.usize(0..2)])
}

fn whip(seed: u64) -> Mechanism {
    let mut random = Rng::with_seed(seed);
    let links = random.usize(3..=25);
    let every = random.usize(2..=links + 1);
    let heavy = [50.0, 500.0][random.usize(0..2)];
    let mass = |k: usize| if k % every == every - 1 { heavy } else { 5.0 };
    let mut mechanism = Mechanism::default();
    match random.usize(0..3) {
        0 => {
            for k in 0..links {
                let half = extents(&mut random);
                mechanism.bodies.push(Body::cuboid(mass(k), half, DVec3::X * (0.5 * k as f64 + 0.25)));
                mechanism.join([k.checked_sub(1), Some(k)], DVec3::X * (0.5 * k as f64));
            }
        }
        1 => {
            let radius = 0.5 * links as f64 / TAU + 0.3;
            let at = |k: usize| {
                let angle = TAU * k as f64 / links as f64;
                DVec3::new(radius * angle.cos(), radius * angle.sin() - radius - 0.5, 0.0)
            };
            for k in 0..links {
                let half = extents(&mut random);
                mechanism.bodies.push(Body::cuboid(mass(k), half, at(k)));
            }
            for k in 0..links {
                let next = (k + 1) % links;
                mechanism.join([Some(k), Some(next)], 0.5 * (at(k) + at(next)));
            }
            let pinned = random.usize(0..links);
            mechanism.joints.push(Joint { bodies: [None, Some(pinned)], anchors: [at(pinned), DVec3::ZERO] });
        }
        _ => {
            for k in 0..links {
                let parent = (k > 0).then(|| random.usize(k.saturating_sub(3)..k));
                let way = DQuat::from_rotation_z(TAU * random.f64()) * DVec3::X * 0.25;
                let from = parent.map_or(DVec3::ZERO, |parent: usize| {
                    let parent = &mechanism.bodies[parent];
                    parent.position + DVec3::X * 0.25
                });
                let half = extents(&mut random);
                mechanism.bodies.push(Body::cuboid(mass(k), half, from + way));
                mechanism.join([parent, Some(k)], from);
            }
        }
    }
    mechanism
}

/// Balls of 1 kg half a metre apart in a level grid, each on a ball joint with each neighbour.
fn net(side: usize) -> Mechanism {
    let mut mechanism = Mechanism::default();
    let at = |x: usize, z: usize| DVec3::new(0.5 * x as f64, 0.0, 0.5 * z as f64);
    for z in 0..side {
        for x in 0..side {
            mechanism.bodies.push(Body::cuboid(1.0, DVec3::splat(0.2), at(x, z)));
            let index = z * side + x;
            for (other, there) in [(x > 0, 1), (z > 0, side)] {
                if other {
                    let place = 0.5 * (mechanism.bodies[index - there].position + at(x, z));
                    mechanism.join([Some(index - there), Some(index)], place);
                }
            }
        }
    }
    let last = side - 1;
    for (x, z) in [(0, 0), (last, 0), (0, last), (last, last)] {
        mechanism.join([None, Some(z * side + x)], at(x, z));
    }
    mechanism
}

fn gyroscope(speed: f64) -> Mechanism {
    let mut mechanism = Mechanism::default();
    let mut body = Body::cuboid(2.0, DVec3::new(0.1, 0.2, 0.3), DVec3::ZERO);
    body.spin = DVec3::new(0.3, 0.9, 0.2).normalize() * speed;
    mechanism.bodies.push(body);
    mechanism.join([None, Some(0)], DVec3::ZERO);
    mechanism
}
