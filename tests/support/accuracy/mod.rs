//! The accuracy scoreboard: problems with published or closed-form answers, each a scene and a
//! check. The example `accuracy` prints the table, the test of that name holds what is met to its
//! bar.
//!
//! The column is that of the build: `f32` is the preset `Game`, `f64` is `Exact`.

// With `f64` what crosses over between the engine's scalar and the answers' crosses over to itself.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]
#![allow(dead_code)] // the example and the test each use their own part

mod balls;
mod flight;
mod friction;
mod joints;
mod laws;
mod stacks;
mod stage;

use serde_json::Value;

/// True if this build is the column `Exact`, `f64`.
pub const EXACT: bool = size_of::<dolmen::math::Real>() == 8;

/// The most that an island may gain in a step beyond its energy and the work, by column.
const GAIN: [f64; 2] = [1e-4, 1e-2];

/// One figure of a problem against its bar.
pub struct Check {
    /// Measured quantity, with its unit.
    pub what: String,
    pub measured: f64,
    pub answer: f64,
    /// Error: relative or absolute, as `what` says.
    pub error: f64,
    /// The most that the error may be.
    pub bar: f64,
}

impl Check {
    /// An absolute error; `bars` are those of the columns Exact and Game.
    pub fn absolute(what: impl Into<String>, measured: f64, answer: f64, bars: [f64; 2]) -> Self {
        let bar = if EXACT { bars[0] } else { bars[1] };
        Self { what: what.into(), measured, answer, error: (measured - answer).abs(), bar }
    }

    /// A relative error.
    pub fn relative(what: impl Into<String>, measured: f64, answer: f64, bars: [f64; 2]) -> Self {
        let mut check = Self::absolute(what, measured, answer, bars);
        check.error /= answer.abs();
        check
    }

    pub fn met(&self) -> bool {
        self.error <= self.bar
    }
}

/// A problem of the table.
pub struct Problem {
    pub id: &'static str,
    pub title: &'static str,
    pub source: &'static str,
    /// True if it is held to its bar in this column: what falls short is printed, and held to
    /// nothing.
    pub held: bool,
    pub run: fn(&Value) -> Vec<Check>,
}

impl Problem {
    /// The figures of the problem, and of its steps the largest gain of energy.
    pub fn checks(&self) -> Vec<Check> {
        stage::take_largest_gain();
        let mut checks = (self.run)(&reference()[self.id]);
        let gain = stage::take_largest_gain();
        checks.extend(gain.map(|gain| Check::absolute("largest gain of energy in a step, relative", gain, 0.0, GAIN)));
        checks
    }
}

/// Reference numbers: see `tests/data/accuracy.json` for their sources.
pub fn reference() -> Value {
    serde_json::from_str(include_str!("../../data/accuracy.json")).expect("the reference numbers are JSON")
}

/// All problems, in the order of the table.
pub fn problems() -> Vec<Problem> {
    let problem = |id, title, source, held: [bool; 2], run| {
        let held = if EXACT { held[0] } else { held[1] };
        Problem { id, title, source, held, run }
    };
    vec![
        problem("A1", "free box, 10 s", "Gazebo's boxes benchmark; closed form", [true, true], flight::free_box),
        problem("A2", "Dzhanibekov's top, 10 s", "Euler's equations", [true, true], flight::dzhanibekov),
        problem("A3", "box pushed across rolling balls", "SimBenchmark, rolling", [true, true], stacks::rolling),
        problem("A4", "49 elastic balls, 20 s", "SimBenchmark, bouncing", [true, true], balls::bouncing),
        problem("A5", "666: 216 plastic balls, 10 s", "SimBenchmark, 666", [true, true], balls::plastic_heap),
        problem("A6", "666: 216 elastic balls, 10 s", "SimBenchmark, elastic 666", [true, true], balls::elastic_heap),
        problem(
            "A6h",
            "steps of 4 and 10 ms",
            "SimBenchmark, elastic 666",
            [true, true],
            balls::elastic_heap_long_steps,
        ),
        problem("A6l", "steps of 0.1 s", "SimBenchmark, elastic 666", [false; 2], balls::elastic_heap_longest_steps),
        problem("A8", "cube stops on a slope", "closed form", [true, true], friction::slope_stop),
        problem("A9", "cube on 30 degrees, mu 0.6, 100 s", "closed form", [true, true], friction::slope_creep),
        problem("A10", "sphere slides, then rolls", "closed form", [true, true], friction::slip_roll),
        problem("A11", "bouncing ball", "geometric series", [true, true], balls::dropped),
        problem("A12", "Newton's cradle, one after the other", "Baber 2006, section 3.4", [true, true], balls::cradle),
        problem("A13", "falling stick", "Baber 2006, appendix C", [true, true], laws::stick),
        problem(
            "A14",
            "diamonds of 2, 3, 4 rows stand",
            "Baber 2006, section 3.4",
            [true, true],
            stacks::small_diamonds,
        ),
        problem("A15", "the diamond of 5 rows falls", "Gauss's principle", [true, true], stacks::large_diamond),
        problem("A15s", "and alike on both sides", "symmetry", [true, true], stacks::diamond_symmetry),
        problem("A18", "heavy top on its tip, 10 s", "Euler's equations", [true, true], flight::heavy_top),
        problem("A23", "rod dropped on one end", "closed form", [true, true], balls::rod),
        problem("A24", "columns of 20, 50, 100 cubes", "equilibrium", [true, true], stacks::columns),
        problem("A25", "balls in a row, all at once", "Baber 2006, section 3.4", [true, true], laws::row),
        problem("A26", "slab slides off a table", "Lagrange's equations", [true, true], flight::off_table),
        problem("A26f", "and fast", "Lagrange's equations", [true, true], flight::off_table),
        problem("J1", "rod on its end, four swings", "elliptic integral", [true, true], joints::pendulum),
        problem("J2", "double pendulum", "energy", [true, true], joints::double_pendulum),
        problem("J3", "office toy, one to four in", "Bender and Schmitt 2006", [true, true], joints::office_toy),
        problem("J4", "gyroscope on an arm", "closed form", [true, true], joints::gyroscope),
        problem("J5", "chain of a hundred links", "no stretch", [false, true], joints::long_chain),
    ]
}
