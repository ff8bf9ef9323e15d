//! The reference impacts of `tests/data`.

use dolmen::impact::frictional::{Ending, Impact, Outcome, Phase};
use dolmen::math::{DMat3, DVec3};
use serde_json::Value;

/// A reference impact and its answer.
pub struct Vector {
    pub name: String,
    pub impact: Impact,
    pub impulse: DVec3,
    pub velocity: DVec3,
    pub phases: u64,
    pub ended_by: String,
    pub stick_phase: Option<String>,
    pub works: [f64; 2],
    /// The relative change of the impulse per relative change of the input.
    pub sensitivity: f64,
}

pub fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let value: Value = serde_json::from_str(&text).unwrap();
    value["cases"].as_array().unwrap().clone()
}

pub fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    list.try_into().unwrap()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub fn text(value: &Value) -> Option<String> {
    value.as_str().map(String::from)
}

pub fn vectors() -> Vec<Vector> {
    let of = |(i, case): (usize, &Value)| Vector {
        name: format!("{i} {}", case["category"].as_str().unwrap()),
        impact: Impact {
            k: DMat3::from_cols_array(&numbers(&case["K"])),
            velocity: DVec3::from_array(numbers(&case["u0"])),
            friction: number(&case["mu"]),
            restitution: number(&case["e"]),
        },
        impulse: DVec3::from_array(numbers(&case["p"])),
        velocity: DVec3::from_array(numbers(&case["u_final"])),
        phases: case["phases"].as_u64().unwrap(),
        ended_by: text(&case["ended_by"]).unwrap(),
        stick_phase: text(&case["stick_phase"]),
        works: [number(&case["Wc"]), number(&case["Wd"])],
        sensitivity: number(&case["sensitivity"]).max(1.0),
    };
    cases("impact_vectors.json").iter().enumerate().map(of).collect()
}

pub fn ending_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Sliding => "sliding",
        Ending::StableSticking => "stable_stick",
        Ending::UnstableSticking => "unstable_stick",
    }
}

pub fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Compression => "compression",
        Phase::Restitution => "decompression",
    }
}

impl Vector {
    /// True if the outcome has the same course: phases, ending and where sliding stopped.
    pub fn agrees(&self, outcome: &Outcome) -> bool {
        u64::from(outcome.phases) == self.phases
            && ending_name(outcome.ended_by) == self.ended_by
            && outcome.stick_phase.map(phase_name) == self.stick_phase.as_deref()
    }

    /// The relative error of the impulse.
    pub fn error(&self, outcome: &Outcome) -> f64 {
        (outcome.impulse - self.impulse).length() / self.impulse.length()
    }
}
