//! The trajectory of an impact, for plots and tables.

use super::observer::Observer;
use super::problem::Scaled;
use super::solve_observed;
use super::types::{Impact, InvalidImpact, Outcome};
use crate::math::DVec3;

/// A moment of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The relative velocity, in m/s, in the contact's frame.
    pub velocity: DVec3,
    /// The impulse so far on body A, in N s, in the contact's frame. Its normal part is the
    /// impact's clock.
    pub impulse: DVec3,
}

/// Divides every piece into equal parts and records their ends, in scaled units.
struct Recorder {
    parts: u32,
    moments: Vec<(DVec3, DVec3)>,
}

impl Observer for Recorder {
    fn begin(&mut self, problem: &Scaled) {
        self.moments.clear();
        self.moments.push((problem.velocity, DVec3::ZERO));
    }

    fn piece(&mut self, at: impl Fn(f64) -> (DVec3, DVec3)) {
        self.moments.extend((1..=self.parts).map(|i| at(f64::from(i) / f64::from(self.parts))));
    }
}

/// Solves an impact and returns its trajectory too: the moments at its start, at its end, and at
/// `parts` equal parts (at least one) of every piece in between. A piece is an integration step or
/// a straight line.
///
/// The trajectory does not include the scaling by the energy guard.
///
/// # Errors
/// As [`super::solve`].
pub fn trace(impact: &Impact, tolerance: f64, parts: u32) -> Result<(Outcome, Vec<Moment>), InvalidImpact> {
    let mut recorder = Recorder { parts: parts.max(1), moments: Vec::new() };
    let outcome = solve_observed(impact, tolerance, &mut recorder)?;
    let problem = Scaled::new(impact)?;
    let moments = recorder.moments.iter().map(|&(velocity, impulse)| {
        let (velocity, impulse) = problem.restore_pair(velocity, impulse);
        Moment { velocity, impulse }
    });
    Ok((outcome, moments.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DMat3;
    use crate::tolerances::IMPACT;

    #[test]
    fn every_moment_of_a_trajectory_obeys_u_equals_u0_plus_k_p() {
        let k = DMat3::from_cols_array(&[20.0, -23.0, 4.0, -23.0, 31.0, -7.0, 4.0, -7.0, 4.0]);
        let velocity = DVec3::new(630.0, -780.0, -0.22);
        let impact = Impact { k, velocity, friction: 0.5, restitution: 0.9 };
        let (outcome, moments) = trace(&impact, IMPACT.tolerance, 8).unwrap();
        assert_eq!(moments[0], Moment { velocity, impulse: DVec3::ZERO });
        let last = moments.last().unwrap();
        assert!((last.velocity - outcome.velocity).length() < 1e-9 && (last.impulse - outcome.impulse).length() < 1e-9);
        for pair in moments.windows(2) {
            assert!(pair[1].impulse.z >= pair[0].impulse.z);
            let mismatch = velocity + k * pair[1].impulse - pair[1].velocity;
            assert!(mismatch.length() < 1e-5, "{mismatch}");
        }
    }
}
