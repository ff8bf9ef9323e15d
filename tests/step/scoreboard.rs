//! The accuracy scoreboard: a test for each problem, with bounds on its errors.

use crate::accuracy::{problems, reference};

/// Every check of a problem at this accuracy meets its bound.
fn hold(id: &str) {
    let problem = problems().into_iter().find(|p| p.id == id).expect("it is in the table");
    if !problem.held {
        return;
    }
    let misses: Vec<String> = problem
        .checks()
        .iter()
        .filter(|check| !check.met())
        .map(|c| format!("{}: {} for {}, error {:e} over {:e}", c.what, c.measured, c.answer, c.error, c.bar))
        .collect();
    assert!(misses.is_empty(), "{id}, {}:\n{}", problem.title, misses.join("\n"));
}

#[test]
fn every_reference_belongs_to_a_problem_and_names_its_source() {
    let all = problems();
    for (id, entry) in reference().as_object().unwrap() {
        assert!(all.iter().any(|p| p.id == id), "{id}");
        assert!(entry["source"].as_str().is_some_and(|s| s.len() > 10), "{id}");
    }
}

macro_rules! held {
    ($($name:ident $id:literal)*) => {
        $(#[test]
        fn $name() {
            hold($id);
        })*
    };
}

held! {
    a1_a_free_box_keeps_its_angular_momentum_and_its_parabola "A1"
    a2_a_tumbling_top_turns_as_eulers_equations_say "A2"
    a3_a_box_on_balls_rolls_where_it_is_pushed "A3"
    a4_elastic_balls_keep_their_energy "A4"
    a5_plastic_balls_do_not_overlap "A5"
    a6_an_elastic_heap_keeps_its_energy "A6"
    a6_an_elastic_heap_keeps_its_energy_with_long_steps_too "A6h"
    a8_a_sliding_cube_stops_where_it_should_and_stays "A8"
    a9_a_cube_that_friction_holds_does_not_creep "A9"
    a10_a_sliding_sphere_rolls_when_and_where_it_should "A10"
    a11_a_ball_bounces_in_a_geometric_series_and_comes_to_rest "A11"
    a12_as_many_balls_go_out_of_a_cradle_as_come_in "A12"
    a13_a_stick_settles_its_fall_between_its_ends "A13"
    a14_small_diamonds_stand_without_friction "A14"
    a15_a_large_diamond_falls_as_gauss_says "A15"
    a15_a_large_diamond_falls_alike_on_both_sides "A15s"
    a18_a_heavy_top_goes_round_as_fast_as_it_should "A18"
    a23_a_rod_dropped_on_one_end_turns_as_it_should "A23"
    a24_columns_neither_sink_nor_lean "A24"
    a25_balls_that_collide_at_once_share_out_the_momentum "A25"
    a26_a_slab_that_slides_off_a_table_tips_as_it_should "A26"
    a26_a_slab_that_slides_off_fast_tips_as_it_should "A26f"
    j1_a_rod_swings_in_the_time_of_the_elliptic_integral "J1"
    j2_a_double_pendulum_keeps_its_energy "J2"
    j3_as_many_balls_on_rods_go_out_as_come_in_and_keep_their_energy "J3"
    j4_a_gyroscope_precesses_by_its_weight_over_its_spin "J4"
    j5_a_chain_of_a_hundred_links_does_not_stretch "J5"
}
