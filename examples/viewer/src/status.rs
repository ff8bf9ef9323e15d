//! What a page or a test is told about the run, as JSON.

use crate::edits::Frozen;
use crate::energy;
use crate::inspector;
use crate::player::Player;
use crate::state_hash::hash;
use dolmen::prelude::Position;
use serde_json::json;

/// The figures of the run. The hash of the state is given while it stands still.
pub fn status(player: &Player) -> String {
    let run = &player.run;
    let (spent, steps) = run.spent;
    let counts = &run.report.counts;
    json!({
        "scene": player.scenes[player.open].name,
        "step": run.step,
        "first": run.range().0,
        "last": run.range().1,
        "playing": player.playing,
        "speed": player.speed,
        "bodies": counts.bodies,
        "points": counts.points,
        "simd": run.physics().simd(),
        "msPerStep": spent.as_secs_f64() * 1e3 / f64::from(steps.max(1)),
        "yaw": player.camera.yaw,
        "distance": player.camera.distance,
        "held": run.grip.map(|grip| grip.force.length()),
        "scenes": player.scenes.len(),
        "selected": run.selected.and_then(|body| run.world().get::<&Position>(body).ok().map(|at| at.0.to_array())),
        "inspector": run.selected.map_or(Vec::new(), |body| inspector::lines(run, body)),
        "energy": run.report.energy.as_ref().map_or(Vec::new(), |balance| energy::lines(balance).into()),
        "frozen": run.world().query::<&Frozen>().iter().count(),
        "gravity": run.physics().settings.gravity.length(),
        "problem": player.problem,
        "hash": if player.playing { None } else { Some(hash(run.world())) },
    })
    .to_string()
}

/// What a page is told where there is no run.
#[cfg(target_family = "wasm")]
pub fn failed(problem: &str) -> String {
    json!({ "problem": problem }).to_string()
}
