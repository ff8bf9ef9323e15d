//! Reference vectors and the numbers of Baber 2011.

use crate::vectors::{cases, ending_name, number, numbers, phase_name, text, vectors};
use dolmen::impact::frictional::{DEFAULT_TOLERANCE, TIGHT_TOLERANCE};
use dolmen::impact::frictional::{Ending, Impact, solve, trace};
use dolmen::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use dolmen::impact::rays::rays;
use dolmen::math::{DMat3, DVec3};
use std::f64::consts::TAU;

const SECTION_1_2: [f64; 9] = [20.0, -23.0, 4.0, -23.0, 31.0, -7.0, 4.0, -7.0, 4.0];
const SECTION_3_7: [f64; 9] = [20.0, 0.0, 1.0, 0.0, 4.0, 6.0, 1.0, 6.0, 10.0];

#[test]
fn every_vector_is_met_to_a_millionth_of_its_sensitivity_at_the_default_tolerance() {
    let vectors = vectors();
    let mut other_story = Vec::new();
    for vector in &vectors {
        let outcome = solve(&vector.impact, DEFAULT_TOLERANCE).unwrap();
        let error = vector.error(&outcome);
        assert!(error <= 1e-6 * vector.sensitivity, "{}: {error:e}", vector.name);
        if !vector.agrees(&outcome) {
            other_story.push(&vector.name);
        }
    }
    assert!(other_story.len() as f64 <= 0.005 * vectors.len() as f64, "{other_story:?}");
}

#[test]
fn every_vector_is_met_with_the_same_phases_and_ending_at_the_tight_tolerance() {
    for vector in &vectors() {
        let outcome = solve(&vector.impact, TIGHT_TOLERANCE).unwrap();
        let error = vector.error(&outcome);
        assert!(error <= 1e-10 * vector.sensitivity, "{}: {error:e}", vector.name);
        assert!(vector.agrees(&outcome), "{}: {outcome:?}", vector.name);
        let scale = vector.impact.velocity.length();
        assert!((outcome.velocity - vector.velocity).length() <= 1e-9 * scale * vector.sensitivity, "{}", vector.name);
        // The works are of second order in the normal velocity, and lose digits beside fast
        // sliding.
        let work = vector.works[0].abs() + vector.impulse.length() * scale * 1e-4;
        let works = [outcome.compression_work, outcome.restitution_work];
        for (found, expected) in works.iter().zip(vector.works) {
            assert!((found - expected).abs() <= 1e-8 * work * vector.sensitivity, "{}", vector.name);
        }
    }
}

#[test]
fn planar_vectors_are_met_to_rounding() {
    for (i, case) in cases("planar_vectors.json").iter().enumerate() {
        let impact = PlanarImpact {
            k: DMat2::from_cols_array(&numbers(&case["K"])),
            velocity: DVec2::from_array(numbers(&case["u0"])),
            friction: number(&case["mu"]),
            restitution: number(&case["e"]),
        };
        let outcome = planar::solve(&impact).unwrap();
        let impulse = DVec2::from_array(numbers(&case["p"]));
        let velocity = DVec2::from_array(numbers(&case["u_final"]));
        let (error, scale) = ((outcome.impulse - impulse).length() / impulse.length(), impact.velocity.length());
        assert!(error <= 1e-11, "{i}: {error:e}");
        assert!((outcome.velocity - velocity).length() <= 1e-11 * scale, "{i}");
        assert_eq!(Some(ending_name(outcome.ended_by).into()), text(&case["ended_by"]), "{i}");
        assert_eq!(outcome.stick_phase.map(|phase| phase_name(phase).into()), text(&case["stick_phase"]), "{i}");
        assert!(outcome.energy_change <= 0.0 && (outcome.restitution_work >= 0.0));
    }
}

#[test]
fn the_closed_form_in_the_plane_is_the_law_in_space() {
    for case in cases("planar_vectors.json") {
        let k: [f64; 4] = numbers(&case["K"]);
        let u: [f64; 2] = numbers(&case["u0"]);
        // The plane x z, with an uncoupled y.
        let impact = Impact {
            k: DMat3::from_cols_array(&[k[0], 0.0, k[1], 0.0, k[0], 0.0, k[2], 0.0, k[3]]),
            velocity: DVec3::new(u[0], 0.0, u[1]),
            friction: number(&case["mu"]),
            restitution: number(&case["e"]),
        };
        let spatial = solve(&impact, DEFAULT_TOLERANCE).unwrap();
        let planar = planar::solve(&PlanarImpact {
            k: DMat2::from_cols_array(&k),
            velocity: DVec2::from_array(u),
            friction: impact.friction,
            restitution: impact.restitution,
        })
        .unwrap();
        let difference = DVec2::new(spatial.impulse.x, spatial.impulse.z) - planar.impulse;
        assert!(difference.length() <= 1e-9 * planar.impulse.length(), "{}", case["category"]);
        assert_eq!((spatial.phases, spatial.ended_by), (1, planar.ended_by), "{}", case["category"]);
    }
}

#[test]
fn the_example_of_section_1_2_has_two_compressions_and_ends_sliding() {
    let impact = Impact {
        k: DMat3::from_cols_array(&SECTION_1_2),
        velocity: DVec3::new(630.0, -780.0, -0.22),
        friction: 0.5,
        restitution: 0.9,
    };
    let outcome = solve(&impact, TIGHT_TOLERANCE).unwrap();
    let velocity = DVec3::new(-18.304994337473403, -63.756583948322735, 3.1913459907895345);
    let impulse = DVec3::new(-15.097023558772428, 25.635247711744007, 60.811543552021824);
    assert!((outcome.velocity - velocity).abs().max_element() < 1e-9, "{}", outcome.velocity);
    assert!((outcome.impulse - impulse).abs().max_element() < 1e-9, "{}", outcome.impulse);
    assert!((outcome.compression_work + 7.674881591677637).abs() < 1e-9);
    assert!((outcome.restitution_work - 6.216654089258886).abs() < 1e-9);
    assert_eq!((outcome.phases, outcome.ended_by), (2, Ending::Sliding));
}

#[test]
fn the_normal_velocity_of_section_1_2_crosses_zero_where_figure_2_shows_it() {
    let impact = Impact {
        k: DMat3::from_cols_array(&SECTION_1_2),
        velocity: DVec3::new(630.0, -780.0, -0.22),
        friction: 0.5,
        restitution: 0.9,
    };
    let (_, moments) = trace(&impact, TIGHT_TOLERANCE, 400).unwrap();
    let crossings: Vec<f64> = moments
        .windows(2)
        .filter(|pair| (pair[0].velocity.z < 0.0) != (pair[1].velocity.z < 0.0))
        .map(|pair| {
            let (a, b) = (pair[0], pair[1]);
            let part = a.velocity.z / (a.velocity.z - b.velocity.z);
            a.impulse.z + part * (b.impulse.z - a.impulse.z)
        })
        .collect();
    assert_eq!(crossings.len(), 3);
    for (crossing, expected) in crossings.iter().zip([14.5960, 29.8306, 55.9807]) {
        assert!((crossing - expected).abs() < 1e-4, "{crossings:?}");
    }
}

#[test]
fn the_rays_of_section_3_7_lie_where_the_paper_has_them_and_one_diverges() {
    let rays = rays(DMat3::from_cols_array(&SECTION_3_7), 0.7);
    let expected = [(86.669, 3.2102), (209.082, -15.144), (281.352, -8.920), (322.897, -12.746)];
    assert_eq!(rays.len(), 4);
    for (ray, (degrees, growth)) in rays.iter().zip(expected) {
        assert!((ray.angle.to_degrees() - degrees).abs() < 5e-4, "{ray:?}");
        assert!((ray.growth - growth).abs() < 5e-4 * growth.abs(), "{ray:?}");
    }
    // The blue sector of figure 4 lies between the two rays that repel.
    assert_eq!(rays.iter().map(|ray| ray.attracts).collect::<Vec<_>>(), [true, false, true, false]);
}

#[test]
fn five_of_the_sixteen_starts_of_figure_4_pass_the_origin() {
    let stops = (0..16)
        .filter(|&n| {
            let angle = TAU * f64::from(n) / 16.0;
            // Compressed enough for every trajectory to reach its ray.
            let impact = Impact {
                k: DMat3::from_cols_array(&SECTION_3_7),
                velocity: DVec3::new(angle.cos(), angle.sin(), -100.0),
                friction: 0.7,
                restitution: 0.5,
            };
            let outcome = solve(&impact, DEFAULT_TOLERANCE).unwrap();
            let end = outcome.velocity.y.atan2(outcome.velocity.x).to_degrees();
            assert!((end - 86.669).abs() < 0.1, "all end on the diverging ray: {end}");
            outcome.ended_by == Ending::UnstableSticking
        })
        .collect::<Vec<_>>();
    assert_eq!(stops, [10, 11, 12, 13, 14]);
}
