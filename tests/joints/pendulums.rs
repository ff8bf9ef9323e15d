//! Pendulums: periods, energy, chains of two.

use crate::stage::*;
use dolmen::math::{consts::PI, to_f64};
use dolmen::prelude::*;

/// A thin rod of 1 m and 1 kg along its y axis, with its centre of mass in the middle.
pub fn rod() -> Body {
    Body::free(1.0, Inertia { principal: Vec3::new(1.0 / 12.0, 1e-3, 1.0 / 12.0), frame: Quat::IDENTITY })
}

/// Mean period of a rod that swings about its end, released at `degrees`: over ten swings.
fn period(stage: &mut Bench, degrees: f64) -> f64 {
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
    let answers =
        [(5.0, 1.638726531011004), (30.0, 1.6664612665004273), (90.0, 1.9333348543732454), (150.0, 2.8863955824243197)];
    for (degrees, answer) in answers {
        let game = period(&mut Bench::game(), degrees);
        println!("{degrees}: game {:e}", game / answer - 1.0);
        assert!((game / answer - 1.0).abs() < 1e-3, "{degrees} degrees: {game} for {answer}");
        if F64 {
            let exact = period(&mut Bench::new(1.0 / 240.0, Accuracy::Exact), degrees);
            println!("{degrees}: exact {:e}", exact / answer - 1.0);
            assert!((exact / answer - 1.0).abs() < 1e-6, "{degrees} degrees: {exact} for {answer}");
        }
    }
}

#[test]
fn a_double_pendulum_keeps_its_energy() {
    for (accuracy, dt, bar) in
        [(Accuracy::Game, 1.0 / 60.0, 2e-2), (Accuracy::Exact, 1.0 / 240.0, if F64 { 1e-5 } else { 1e-3 })]
    {
        let mut stage = Bench::new(dt, accuracy);
        let a =
            stage.world.spawn(rod().position(Vec3::new(0.5, 0.0, 0.0)).orientation(Quat::from_rotation_z(0.5 * PI)));
        let b =
            stage.world.spawn(rod().position(Vec3::new(1.5, 0.0, 0.0)).orientation(Quat::from_rotation_z(0.5 * PI)));
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
