//! The ranges of random worlds.

/// How far a world is from what games do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What games do.
    Sane,
    /// Every size, mass, speed and place by orders of magnitude.
    Extreme,
    /// The same, and values that no game means.
    Hostile,
    /// Chains, trees and loops that nothing drives.
    Mechanisms,
}

impl Mode {
    pub const ALL: [Self; 4] = [Self::Sane, Self::Extreme, Self::Hostile, Self::Mechanisms];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sane => "sane",
            Self::Extreme => "extreme",
            Self::Hostile => "hostile",
            Self::Mechanisms => "mechanisms",
        }
    }

    pub fn ranges(self) -> Ranges {
        match self {
            Self::Sane => SANE,
            Self::Extreme => EXTREME,
            Self::Hostile => Ranges { hostile: 0.3, ..EXTREME },
            Self::Mechanisms => Ranges { edited: 0.0, ..SANE },
        }
    }
}

/// The ranges of a mode. Pairs are the least and the greatest value; shares are from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Ranges {
    /// Bodies that move.
    pub bodies: [usize; 2],
    pub steps: [usize; 2],
    /// Edits of a world that has some.
    pub edits: [usize; 2],
    /// Share of worlds with edits.
    pub edited: f64,
    /// Share of edits that are hostile.
    pub hostile: f64,
    /// Size of a world's typical body (m).
    pub size: [f64; 2],
    /// Largest factor of a body's size to the typical one.
    pub spread: f64,
    /// Least ratio of a body's thickness to its length.
    pub flatness: f64,
    /// Density (kg/m³).
    pub density: [f64; 2],
    /// Mass (kg), where it is given.
    pub mass: [f64; 2],
    /// Share of bodies with a mass that is given.
    pub massed: f64,
    /// Speed of a world's fastest body in lengths of a typical one (1/s), and at most (m/s).
    pub speed: [f64; 2],
    pub most_speed: f64,
    /// Spin (rad/s).
    pub spin: f64,
    pub dt: [f64; 2],
    /// Gravity (m/s²).
    pub gravity: [f64; 2],
    /// Distance of the world from the origin (m).
    pub place: [f64; 2],
    /// Share of worlds whose bodies are born inside each other.
    pub overlapping: f64,
    /// Share of hulls and meshes that are degenerate.
    pub degenerate: f64,
    /// Share of joints whose anchors do not meet.
    pub torn: f64,
    pub restitution: f64,
    pub friction: f64,
    /// Gain of energy of an island that nothing drives in a step, relative to its scale, that is a
    /// fault.
    pub gain: f64,
}

const SANE: Ranges = Ranges {
    bodies: [1, 20],
    steps: [40, 160],
    edits: [1, 12],
    edited: 0.5,
    hostile: 0.0,
    size: [0.05, 2.0],
    spread: 3.0,
    flatness: 0.05,
    density: [100.0, 8000.0],
    mass: [1.0, 500.0],
    massed: 0.1,
    speed: [0.1, 10.0],
    most_speed: 30.0,
    spin: 15.0,
    dt: [1.0 / 120.0, 1.0 / 30.0],
    gravity: [9.81, 9.81],
    place: [0.0, 500.0],
    overlapping: 0.05,
    degenerate: 0.0,
    torn: 0.0,
    restitution: 0.8,
    friction: 1.0,
    gain: 0.1,
};

const EXTREME: Ranges = Ranges {
    bodies: [1, 20],
    steps: [10, 80],
    edits: [1, 16],
    edited: 0.7,
    hostile: 0.0,
    size: [1e-3, 1e3],
    spread: 100.0,
    flatness: 1e-4,
    density: [1.0, 2e4],
    mass: [1e-3, 1e6],
    massed: 0.5,
    speed: [0.01, 1e4],
    most_speed: 1e3,
    spin: 1e3,
    dt: [1e-3, 0.1],
    gravity: [0.0, 100.0],
    place: [0.0, 1e5],
    overlapping: 0.3,
    degenerate: 0.3,
    torn: 0.3,
    restitution: 1.0,
    friction: 10.0,
    gain: f64::INFINITY,
};
