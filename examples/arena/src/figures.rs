//! Times of frames.

use std::fmt;
use std::time::Duration;

/// The times of all frames so far.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes(Vec<Duration>);

impl FrameTimes {
    pub fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// The median, the 99th percentile and the worst (ms).
    pub fn figures(&self) -> [f64; 3] {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |part: f64| sorted.get((part * sorted.len() as f64) as usize).or(sorted.last());
        [0.5, 0.99, 1.0].map(|part| at(part).map_or(0.0, |time| time.as_secs_f64() * 1e3))
    }
}

impl fmt::Display for FrameTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, p99, worst] = self.figures();
        write!(f, "median {median:.2} ms, p99 {p99:.2} ms, worst {worst:.2} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_hundred_frames() {
        let mut times = FrameTimes::default();
        assert_eq!(times.figures(), [0.0; 3]);
        (0..100).rev().for_each(|ms| times.push(Duration::from_millis(ms)));
        assert_eq!(times.figures(), [50.0, 99.0, 99.0]);
    }
}
