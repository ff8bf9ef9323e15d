//! Energy of a closed scene over time: what moves, what lies high, and what was lost, and their sum.

use super::axis::Axis;
use super::chart::{Line, chart};
use crate::Fault;
use crate::catalogue::Detail;
use dolmen::prelude::*;
use dolmen::scene::{build, generators};
use hecs::World;

/// Bodies of the pile.
const BODIES: usize = 300;
const STEPS: usize = 480;

pub fn make(detail: Detail) -> Result<String, Fault> {
    let scene = generators::make("mixed", Some(BODIES / detail.bodies)).ok_or("no piles")?.scene;
    let mut world = World::new();
    let built = build(&scene, &mut world)?;
    let mut physics = Physics::new(Settings { energy_tolerance: Some(1e-3), ..built.settings });
    let mut lines = [
        Line::new("sum", Vec::new(), 4),
        Line::new("lost in impacts", Vec::new(), 0),
        Line::new("lost in contacts", Vec::new(), 5),
        Line::new("potential", Vec::new(), 1),
        Line::new("kinetic", Vec::new(), 2),
    ];
    let (mut impacts, mut friction) = (0.0, 0.0);
    // Potential energy is counted from where the bodies end.
    let mut heights = Vec::new();
    for step in 1..=STEPS {
        physics.step(&mut world, built.dt)?;
        let sum = physics.energy_account().sum();
        impacts += sum.impacts;
        friction += sum.friction + sum.damping;
        let kinetic = physics.kinetic_energy();
        heights.push((step as f64 * f64::from(built.dt), kinetic, physics.energy() - kinetic, impacts, friction));
    }
    let low = heights.last().map_or(0.0, |last| last.2);
    for &(time, kinetic, potential, impacts, friction) in &heights {
        let potential = potential - low;
        let all = [kinetic + potential + impacts + friction, impacts, friction, potential, kinetic];
        lines.iter_mut().zip(all).for_each(|(line, joules)| line.points.push((time, joules * 1e-6)));
    }
    let most = lines[0].points.iter().fold(0.0_f64, |most, point| most.max(point.1));
    let step = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0].into_iter().find(|step| most / step < 7.0).unwrap_or(20.0);
    let marks: Vec<f64> = (0..=(most / step).ceil() as usize).map(|k| k as f64 * step).collect();
    let axes = [Axis::linear("s", &(0..=8).map(f64::from).collect::<Vec<_>>()), Axis::linear("energy (MJ)", &marks)];
    chart("Energy of 300 bodies that fall into a pit", (720, 400), &axes, &lines)
}
