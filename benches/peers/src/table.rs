//! The results: a printed table, and the same as CSV.

use dolmen::scene::metrics::Quality;

/// The result of one engine in one scene.
pub struct Run {
    pub engine: &'static str,
    /// Substeps that were asked for.
    pub substeps: Option<usize>,
    pub bodies: usize,
    /// ms a step: over all steps the mean, the median, what 95 in 100 take at most, and the worst; and
    /// the median of the last hundred.
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub worst: f64,
    pub last: f64,
    pub quality: Quality,
    pub top: Option<f64>,
    pub lost: usize,
    pub gap: Option<f64>,
}

impl Run {
    fn name(&self) -> String {
        self.substeps.map_or_else(|| self.engine.to_owned(), |substeps| format!("{} {substeps}", self.engine))
    }
}

/// The first line of the table.
pub fn head() -> String {
    format!(
        "{:15}{:>7}{:>8}  {:10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>7}{:>7}{:>9}{:>9}{:>9}{:>9}{:>6}{:>9}",
        "scene",
        "size",
        "bodies",
        "engine",
        "mean",
        "median",
        "p95",
        "worst",
        "last 100",
        "x mean",
        "x med.",
        "pen",
        "deepest",
        "top",
        "drift",
        "lost",
        "gap"
    )
}

/// The lines of a scene, one an engine.
pub fn rows(scene: &str, size: usize, runs: &[Run], stands: bool) -> Vec<String> {
    let row = |run: &Run| {
        let ratio = |figure: fn(&Run) -> f64| {
            let others = runs.iter().filter(|other| other.engine != run.engine).map(figure);
            figure(run) / others.fold(f64::INFINITY, f64::min)
        };
        let [of_mean, of_median] = [ratio(|run| run.mean), ratio(|run| run.median)];
        let millimetres = |length: Option<f64>| length.map_or_else(|| "-".to_owned(), |m| format!("{:.3}", m * 1e3));
        format!(
            "{scene:15}{size:>7}{:>8}  {:10}{:>10.3}{:>10.3}{:>10.3}{:>10.3}{:>10.3}{of_mean:>7.2}{of_median:>7.2}{:>9}{:>9}{:>9}{:>9}{:>6}{:>9}",
            run.bodies,
            run.name(),
            run.mean,
            run.median,
            run.p95,
            run.worst,
            run.last,
            millimetres(Some(run.quality.penetration_mean)),
            millimetres(Some(run.quality.penetration_worst)),
            millimetres(run.top),
            millimetres(stands.then_some(run.quality.drift)),
            run.lost,
            millimetres(run.gap)
        )
    };
    runs.iter().map(row).collect()
}

/// The names of the columns of [`csv`].
pub const CSV_HEAD: &str = "scene,size,bodies,engine,substeps,ms,overlap_mm,deepest_mm\n";

/// The lines of a scene as CSV; no number of substeps is an engine's own.
pub fn csv(scene: &str, size: usize, runs: &[Run]) -> String {
    let row = |run: &Run| {
        let substeps = run.substeps.map_or_else(String::new, |substeps| substeps.to_string());
        let Quality { penetration_mean, penetration_worst, .. } = run.quality;
        let (mean, worst) = (penetration_mean * 1e3, penetration_worst * 1e3);
        format!("{scene},{size},{},{},{substeps},{:.3},{mean:.3},{worst:.2}\n", run.bodies, run.engine, run.median)
    };
    runs.iter().map(row).collect()
}
