//! Statics: stable structures, their forces, and breaking loads.

use crate::islands::*;
use dolmen::math::DVec3;
use dolmen::resting::{FormulationLevel, Problem, equilibrium, statics};
use serde_json::Value;

const STEP: f64 = 1.0 / 60.0;
/// Tolerance of the certificate in `Accuracy::Exact` (g).
const REST: f64 = 1e-5;

fn reference() -> Value {
    serde_json::from_str(include_str!("../data/resting.json")).unwrap()
}

fn assembled(island: &Island) -> Problem {
    let mut problem = Problem::new();
    problem.build(FormulationLevel::Velocity { step: STEP }, G, &island.bodies, &island.contacts).unwrap();
    problem
}

#[test]
fn statics_finds_forces_for_what_stands() {
    let cot = 1.0 / 1.0_f64.tan();
    let scenes = [
        ("arch of 21, t/R .2", arch(21, 0.2, 0.8)),
        ("arch of 21, t/R .113", arch(21, 0.113, 0.8)),
        ("card house, mu .5", card_house(0.5)),
        ("ladder, .1 % inside", ladder(1.0, 0.5 * cot * 1.001)),
        ("tower of 10", tower(10, 1.0, 0.5)),
        ("1000 kg on ten of 1 kg", tower(11, 1000.0, 0.5)),
        ("slope under the angle", slope(20_f64.to_radians(), 0.36398)),
        ("diamond of 4", diamond(4, 0.0).0),
    ];
    for (name, island) in scenes {
        let problem = assembled(&island);
        let answer = statics::stability(&problem, REST).unwrap();
        println!("{name:24} residual {:.1e} g", answer.acceleration);
        assert!(answer.stands, "{name}: {}", answer.acceleration);
        let impulses: Vec<DVec3> = answer.forces.iter().map(|f| *f * STEP).collect();
        assert!(equilibrium(&problem, &impulses).holds(REST), "{name}");
    }
}

#[test]
fn the_breaking_load_of_a_tower_topples_it_about_its_edge() {
    // Ten cubes pulled sideways at 5.5 m topple when 5.5 F = 0.5 W, long before they slide.
    let island = tower(10, 1.0, 0.5);
    let load = statics::Load { body: 5, point: island.bodies[5].position, force: DVec3::X };
    let answer = statics::breaking_load(&assembled(&island), &[load], REST).unwrap();
    assert!((answer.factor - 0.5 * 10.0 * G / 5.5).abs() < 1e-6, "{}", answer.factor);
    // Nothing breaks it from above.
    let down = statics::Load { force: -DVec3::Z, ..load };
    assert_eq!(statics::breaking_load(&assembled(&island), &[down], REST).unwrap().factor, f64::INFINITY);
    // A block on a rough floor slides when pulled low, in any direction across the pyramid's edges.
    let block = tower(1, 2.0, 0.3);
    for angle in [0.0_f64, 0.2, 0.39, 1.1] {
        let force = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let load = statics::Load { body: 0, point: DVec3::new(0.0, 0.0, 0.01), force };
        let answer = statics::breaking_load(&assembled(&block), &[load], REST).unwrap();
        assert!((answer.factor / (0.3 * 2.0 * G) - 1.0).abs() < 1e-6, "{angle} {}", answer.factor);
    }
    let broken = assembled(&diamond(5, 0.0).0);
    let load = statics::Load { body: 0, point: DVec3::ZERO, force: DVec3::X };
    assert_eq!(statics::breaking_load(&broken, &[load], REST), Err(statics::StaticsError::DoesNotStand));
}

#[test]
fn a_load_on_top_makes_a_diamond_stand_just_when_the_published_one_does() {
    for d in [5, 6] {
        let needed = reference()["diamonds"][d.to_string()]["min_extra_top_load"].as_f64().unwrap();
        for (part, stands) in [(0.999, false), (1.001, true)] {
            let (mut island, _) = diamond(d, 0.0);
            let top = island.bodies.last_mut().unwrap();
            top.acceleration.z = -G * (1.0 + part * needed);
            let answer = statics::stability(&assembled(&island), REST).unwrap();
            assert_eq!(answer.stands, stands, "{d} rows, {part} of {needed}: {}", answer.acceleration);
        }
    }
}
