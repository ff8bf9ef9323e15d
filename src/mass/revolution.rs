//! Solids of revolution with rounded rims: the Minkowski sum of a cylinder or cone and a ball.
//!
//! A solid of revolution about y with the outline `rho(y)` has the moments `V = pi ∫ rho² dy`, `∫ y
//! dV = pi ∫ rho² y dy`, `∫ y² dV = pi ∫ rho² y² dy` and `∫ x² dV = pi/4 ∫ rho⁴ dy`. The outline
//! consists of lines and arcs. Over the angle of an arc the integrands are trigonometric
//! polynomials of degree five, which Gauss's rule with 16 nodes integrates to rounding for angles
//! up to a half turn.

use std::f64::consts::{FRAC_PI_2, PI};

use glam::{DMat3, DVec3};

use super::{MassError, MassProperties, error::positive, moments::Moments};

/// Nodes of Gauss's rule: enough for degree five in sine and cosine over a half turn, to 1e-16.
const NODES: usize = 16;

/// All points within `border` of a cylinder along y (m).
pub(super) fn rounded_cylinder(
    half_height: f64,
    radius: f64,
    border: f64,
    density: f64,
) -> Result<MassProperties, MassError> {
    check(half_height, radius, border, density)?;
    let mut outline = Outline::new();
    outline.arc([radius, -half_height], border, [-FRAC_PI_2, 0.0]);
    outline.line([radius + border, -half_height], [radius + border, half_height]);
    outline.arc([radius, half_height], border, [0.0, FRAC_PI_2]);
    Ok(outline.moments.properties(DVec3::ZERO, density))
}

/// All points within `border` of a cone along y, its base at `-half_height` (m).
pub(super) fn rounded_cone(
    half_height: f64,
    radius: f64,
    border: f64,
    density: f64,
) -> Result<MassProperties, MassError> {
    check(half_height, radius, border, density)?;
    // The normal of the cone's side rises by this angle.
    let rise = libm::atan2(radius, 2.0 * half_height);
    let (sin, cos) = libm::sincos(rise);
    let (up, out) = (border * sin, border * cos);
    let mut outline = Outline::new();
    outline.arc([radius, -half_height], border, [-FRAC_PI_2, rise]);
    outline.line([radius + out, up - half_height], [out, up + half_height]);
    outline.arc([0.0, half_height], border, [rise, FRAC_PI_2]);
    Ok(outline.moments.properties(DVec3::ZERO, density))
}

fn check(half_height: f64, radius: f64, border: f64, density: f64) -> Result<(), MassError> {
    positive("half height", half_height)?;
    positive("radius", radius)?;
    positive("border radius", border)?;
    positive("density", density)?;
    Ok(())
}

/// Sum of the moments of the slices below an outline, piece by piece. Points are `[rho, y]`.
struct Outline {
    nodes: [(f64, f64); NODES],
    moments: Moments,
}

impl Outline {
    fn new() -> Self {
        Self { nodes: gauss_legendre(), moments: Moments::zero() }
    }

    fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        for (x, weight) in self.nodes {
            let s = 0.5 * (x + 1.0);
            let point = [from[0] + (to[0] - from[0]) * s, from[1] + (to[1] - from[1]) * s];
            self.slice(point, 0.5 * weight * (to[1] - from[1]));
        }
    }

    fn arc(&mut self, center: [f64; 2], radius: f64, angles: [f64; 2]) {
        let (middle, half) = (0.5 * (angles[0] + angles[1]), 0.5 * (angles[1] - angles[0]));
        for (x, weight) in self.nodes {
            let (sin, cos) = libm::sincos(middle + half * x);
            self.slice([center[0] + radius * cos, center[1] + radius * sin], half * weight * radius * cos);
        }
    }

    fn slice(&mut self, [rho, y]: [f64; 2], dy: f64) {
        let area = PI * rho * rho;
        let across = 0.25 * area * rho * rho;
        self.moments.add(&Moments {
            volume: area * dy,
            first: DVec3::new(0.0, area * y * dy, 0.0),
            second: DMat3::from_diagonal(DVec3::new(across, area * y * y, across) * dy),
        });
    }
}

/// Nodes and weights of Gauss's rule on [-1, 1]: roots of Legendre's polynomial by Newton's method.
fn gauss_legendre() -> [(f64, f64); NODES] {
    let n = NODES as f64;
    std::array::from_fn(|i| {
        let mut x = libm::cos(PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut p, mut before) = (x, 1.0);
            for k in 2..=NODES {
                let k = k as f64;
                (p, before) = (((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k, p);
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}
