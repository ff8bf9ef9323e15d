//! Sweeps as a user runs them: rows, order, resumption, failures, parts.

use std::path::Path;
use std::process::{Command, Output};

/// Two boxes on a floor.
const SCENE: &str = r#"{ "steps": 20, "bodies": [
    { "name": "floor", "kind": "static", "shape": { "half_space": { "normal": [0, 1, 0] } } },
    { "name": "crate", "shape": { "cuboid": { "half_extents": [0.5, 0.5, 0.5] } }, "position": [0, 0.6, 0] },
    { "name": "crate", "shape": { "ball": { "radius": 0.5 } }, "position": [0.3, 1.8, 0] } ] }"#;

const GRID: [&str; 4] = ["--set", "bodies[crate].restitution=0..0.9/4", "--set", "settings.accuracy=game,exact"];

/// A folder with three scenes, the second of which has a body without size, the third of which is no JSON.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let flat = SCENE.replace("\"radius\": 0.5", "\"radius\": 0");
    for (name, text) in [("a", SCENE), ("b", &flat), ("c", "{")] {
        std::fs::write(folder.path().join(name).with_extension("json"), text).expect("a file");
    }
    folder
}

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dolmen-sweep")).current_dir(folder).args(arguments).output().expect("a run")
}

fn lines(folder: &Path, file: &str) -> Vec<String> {
    std::fs::read_to_string(folder.join(file)).expect("a table").lines().map(str::to_owned).collect()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_grid_is_one_row_a_run_in_a_fixed_order_on_any_number_of_threads() {
    let folder = folder();
    for threads in ["1", "2", "3"] {
        let out = format!("{threads}.csv");
        let ran = sweep(folder.path(), &[&["a.json", "--threads", threads, "--out", &out], &GRID[..]].concat());
        assert!(ran.status.success(), "{}", errors(&ran));
    }
    let rows = lines(folder.path(), "1.csv");
    assert!(rows[0].starts_with("scene,bodies[crate].restitution,settings.accuracy,input,error,steps,energy_start"));
    let starts = ["0.0,game", "0.0,exact", "0.3", "0.3", "0.6", "0.6", "0.9,game", "0.9,exact"];
    assert_eq!(rows.len(), 1 + starts.len());
    for (row, start) in rows[1..].iter().zip(starts) {
        assert!(row.starts_with(&format!("a,{start}")), "{row}");
        assert!(row.contains(",,20,"), "no error and twenty steps: {row}");
    }
    assert_eq!(rows, lines(folder.path(), "2.csv"));
    assert_eq!(rows, lines(folder.path(), "3.csv"));
}

#[test]
fn a_run_that_fails_is_a_row_with_its_error() {
    let folder = folder();
    let ran = sweep(folder.path(), &[".", "--out", "all.csv"]);
    assert_eq!(ran.status.code(), Some(1), "{}", errors(&ran));
    assert!(errors(&ran).contains("2 of 3 runs failed"));
    let rows = lines(folder.path(), "all.csv");
    assert!(rows[1].starts_with("a,") && rows[1].contains(",,20,"), "{}", rows[1]);
    assert!(rows[2].starts_with("b,") && rows[2].contains("bodies[2].shape.radius: must be positive"), "{}", rows[2]);
    assert!(rows[3].starts_with("c,") && rows[3].contains("EOF"), "{}", rows[3]);
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let folder = folder();
    let arguments = [&["a.json", "--out", "all.csv"], &GRID[..]].concat();
    assert!(sweep(folder.path(), &arguments).status.success());
    let whole = lines(folder.path(), "all.csv");
    // Three rows, in the order in which runs ended, and a part of one.
    let marked = whole[3].replace(",20,", ",21,");
    let cut = [&whole[0], &whole[5], &marked, &whole[1][..9]].join("\n");
    std::fs::write(folder.path().join("all.csv"), cut).expect("a file");
    let ran = sweep(folder.path(), &arguments);
    assert!(errors(&ran).contains("8 runs, 2 of them done"), "{}", errors(&ran));
    let mut expected = whole;
    expected[3] = marked;
    assert_eq!(lines(folder.path(), "all.csv"), expected, "rows that are there are not run again");
}

#[test]
fn parts_make_the_table_of_the_whole() {
    let folder = folder();
    let with = |rest: &[&str]| sweep(folder.path(), &[&["a.json"], &GRID[..], rest].concat());
    assert!(with(&["--out", "whole.csv"]).status.success());
    for part in ["0/3", "1/3", "2/3"] {
        assert!(with(&["--part", part, "--out", &format!("{}.csv", &part[..1])]).status.success());
    }
    let joined = with(&["--out", "joined.csv", "--from", "0.csv", "1.csv", "2.csv"]);
    assert!(errors(&joined).contains("8 runs, 8 of them done"), "{}", errors(&joined));
    assert_eq!(lines(folder.path(), "joined.csv"), lines(folder.path(), "whole.csv"));
    assert_eq!(lines(folder.path(), "0.csv").len(), 1 + 3);
}

#[test]
fn tables_of_other_sweeps_and_impossible_arguments_are_errors() {
    let folder = folder();
    assert!(sweep(folder.path(), &["a.json", "--out", "all.csv"]).status.success());
    let refused = |arguments: &[&str], text: &str| {
        let ran = sweep(folder.path(), arguments);
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&ran).contains(text), "{}", errors(&ran));
    };
    refused(&[&["a.json", "--out", "all.csv"], &GRID[..]].concat(), "columns are not those of this sweep");
    refused(&["a.json", "--steps", "7", "--out", "all.csv"], "row 1 is no run of this sweep");
    refused(&["a.json", "a.json", "--out", "new.csv"], "two runs are the same");
    refused(&["none.json", "--out", "new.csv"], "none.json");
    refused(&["a.json", "--set", "dt", "--out", "new.csv"], "no `=`");
    assert_eq!(lines(folder.path(), "all.csv").len(), 2, "a refused sweep changes nothing");
}

#[test]
fn the_guide_shows_the_scripts_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| std::fs::read_to_string(root.join(file)).expect("a file");
    let page = read("../../src/guide/sweeps.md");
    for script in ["ray_sweep.py", "slurm_sweep.sh"] {
        assert!(page.contains(&read(script)), "{script}");
    }
}
