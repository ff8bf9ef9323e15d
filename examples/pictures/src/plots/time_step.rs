//! Error against time step: the two laws of rotation, and a pendulum in the engine.

use super::axis::Axis;
use super::chart::{Line, chart};
use crate::Fault;
use crate::convergence;
use dolmen::prelude::*;
use hecs::World;

/// Gravity (m/s²), and the length of the pendulum (m).
const G: f64 = 9.81;
const LENGTH: f64 = 1.0;

pub fn make() -> Result<String, Fault> {
    // The finest steps of Runge-Kutta are the answer that the others are compared with.
    let rotation = |law: &str, finest: f64| {
        let rows = convergence::rows().into_iter().filter(|row| row.law == law && row.dt > finest);
        rows.map(|row| (row.dt, row.error)).collect::<Vec<_>>()
    };
    let lines = [
        Line::new("pendulum, 90 degrees (m)", pendulum()?, 0).dotted(),
        Line::new("free box, Strang (rad)", rotation("strang", 0.0), 1).dotted(),
        Line::new("free box, Runge-Kutta (rad)", rotation("runge_kutta", 3e-3), 2).dotted(),
    ]
    // Names stand at the ends of lines, and those of errors are further apart at long steps.
    .map(|mut line| {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        line
    });
    let points = || lines.iter().flat_map(|line| &line.points);
    let axes = [
        Axis::logarithmic("time step (s)", &[1.0, 2.0, 5.0], points().map(|point| point.0)),
        Axis::logarithmic("error after a second, or in four swings", &[1.0], points().map(|point| point.1)),
    ];
    chart("Error against time step (f32: rounding is at 1e-6 to 1e-5)", (720, 440), &axes, &lines)
}

/// Greatest distance of a pendulum from where it was let go at the ends of four swings, for some time
/// steps.
fn pendulum() -> Result<Vec<(f64, f64)>, Fault> {
    let swing = swing(90.0_f64.to_radians());
    let mut points = Vec::new();
    for doubling in 4..11 {
        let steps = 1_u32 << doubling;
        let dt = swing / f64::from(steps);
        let (mut world, mut physics) = (World::new(), Physics::new(Settings { sleep: false, ..Settings::default() }));
        let start = Vec3::X * LENGTH as Real;
        let bob = world.spawn(Body::dynamic(Collider::ball(0.05)).mass(1.0).position(start));
        let rod = Joint::distance(None, bob, LENGTH as Real, LENGTH as Real).anchors(Vec3::ZERO, Vec3::ZERO);
        world.spawn((rod, JointState::default()));
        let mut worst = 0.0_f64;
        for step in 1..=4 * steps {
            physics.step(&mut world, dt as Real)?;
            if step.is_multiple_of(steps) {
                worst = worst.max(f64::from((world.get::<&Position>(bob)?.0 - start).length()));
            }
        }
        points.push((dt, worst));
    }
    Ok(points)
}

/// The time of a swing of an amplitude (rad), by the arithmetic-geometric mean of Gauss.
fn swing(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::TAU * (LENGTH / G).sqrt() / a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_swing_is_that_of_huygens_and_a_wide_one_takes_longer() {
        let small = std::f64::consts::TAU * (LENGTH / G).sqrt();
        assert!((swing(1e-6) / small - 1.0).abs() < 1e-12);
        // 2 K(1/√2) / π
        assert!((swing(90.0_f64.to_radians()) / small - 1.180_340_599_016_096).abs() < 1e-12);
    }
}
