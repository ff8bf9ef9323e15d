//! The certificate of rest: do these forces, inside their cones, hold every body in equilibrium?
//!
//! It says nothing about speed: a body that moves steadily is in equilibrium too. Nor should it be asked about forces that
//! a linear program found, which may invent any squeeze between two walls: only a solver's own converged impulses show
//! what the bodies will do.

use super::block::Vec6;
use super::cone::{ALL_OF_SPACE, tangential};
use super::problem::Problem;
use crate::math::DVec3;

/// How far from equilibrium the bodies of an island are under given impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Equilibrium {
    /// The worst body's acceleration (in g): the larger of that of its centre, and its angular acceleration times the
    /// radius of gyration.
    pub acceleration: f64,
    /// The body that has it.
    pub body: u32,
    /// How far the worst impulse is outside its cone, as a part of the largest impulse: its pull, or its tangential part over
    /// static friction. Zero if every one is inside.
    pub outside: f64,
}

impl Equilibrium {
    /// Whether the bodies are held within `tolerance` (in g) by impulses inside their cones.
    pub fn holds(&self, tolerance: f64) -> bool {
        self.acceleration <= tolerance && self.outside <= crate::tolerances::CONE_ROUNDING
    }
}

/// Sums up the forces on every body: its own (gravity, external, gyroscopic) and the contacts', which are `impulses`
/// on the second bodies in world axes (N s), over the step.
///
/// # Panics
/// If there are not as many impulses as contacts.
pub fn equilibrium(problem: &Problem, impulses: &[DVec3]) -> Equilibrium {
    equilibrium_with_ties(problem, impulses, &[])
}

/// The same with the strengths of the ties (N s, N m s).
///
/// # Panics
/// If there are not as many impulses as contacts, or not as many strengths as ties.
pub fn equilibrium_with_ties(problem: &Problem, impulses: &[DVec3], strengths: &[f64]) -> Equilibrium {
    assert_eq!(impulses.len(), problem.contact_count(), "one impulse for each contact");
    assert_eq!(strengths.len(), problem.ties.len(), "one strength for each tie");
    let mut local: Vec<DVec3> = impulses.iter().zip(&problem.cold).map(|(j, c)| c.axes.transpose() * *j).collect();
    local.resize(problem.rows.len(), DVec3::ZERO);
    for (tie, &strength) in problem.ties.iter().zip(strengths) {
        tie.put(strength, &mut local);
    }
    let mut x = Vec::new();
    problem.response(&local, &mut x);
    equilibrium_of(problem, &local, &x)
}

/// The same from impulses in contact axes and their image `x = sum J^T j`.
pub(super) fn equilibrium_of(problem: &Problem, impulses: &[DVec3], x: &[Vec6]) -> Equilibrium {
    let mut worst = Equilibrium::default();
    let gravity = if problem.gravity > 0.0 { problem.gravity } else { 1.0 };
    for (i, body) in problem.bodies.iter().enumerate() {
        let (linear, angular) = problem.unscale(i, &x[i]);
        let acceleration = body.acceleration + linear / problem.step;
        // About each principal axis: the angular acceleration times its own radius of gyration, sqrt(I / m).
        let turning = body.principal_axes.transpose() * (body.angular_acceleration + angular / problem.step);
        let inverse_mass = body.inverse_mass.max_element();
        let radius = |inverse: f64| if inverse > 0.0 { (inverse_mass / inverse).sqrt() } else { 0.0 };
        let k = body.inverse_inertia;
        let rim = DVec3::new(radius(k.x), radius(k.y), radius(k.z)) * turning;
        // A locked axis holds whatever pulls along it.
        let free = |inverse: f64, a: f64| if inverse > 0.0 { a } else { 0.0 };
        let m = body.inverse_mass;
        let centre = DVec3::new(free(m.x, acceleration.x), free(m.y, acceleration.y), free(m.z, acceleration.z));
        let residual = centre.length().max(rim.length()) / gravity;
        if residual > worst.acceleration {
            worst.acceleration = residual;
            worst.body = i as u32;
        }
    }
    let largest = impulses.iter().fold(0.0_f64, |most, j| most.max(j.length()));
    if largest > 0.0 {
        for (j, cold) in impulses.iter().zip(&problem.cold).filter(|(_, cold)| cold.static_friction != ALL_OF_SPACE) {
            let excess = (-j.x).max(tangential(*j) - cold.static_friction * j.x.max(0.0));
            worst.outside = worst.outside.max(excess / largest);
        }
    }
    worst
}
