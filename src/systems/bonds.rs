//! What joints may exert: each of their rows as a force of known direction and bounded strength.

use crate::joint::Directions;
use crate::resting::Bond;
use crate::solver::{JointRow, Law};

/// Appends the bond of each row of a joint between these bodies of a structure; `slack` (m, rad) is how near to a limit it counts
/// as there. False, with some missing, if a row is a spring that is tuned to what it moves: how strongly that pulls depends on how
/// it moves.
pub(super) fn of_rows(rows: &[JointRow], at: &Directions, ends: [u32; 2], slack: f64, out: &mut Vec<Bond>) -> bool {
    rows.iter().all(|row| {
        let range = strength(row, at.value(row), slack);
        let (force, torques) = at.of(row);
        out.extend(range.map(|range| Bond { bodies: ends, force, torques, range }));
        range.is_some()
    })
}

/// How strong a row may be.
fn strength(row: &JointRow, value: f64, slack: f64) -> Option<[f64; 2]> {
    let (low, high) = (f64::from(row.target), f64::from(row.target_high));
    let force = f64::from(row.force);
    Some(match row.law {
        Law::Lock => [f64::NEG_INFINITY, f64::INFINITY],
        Law::Range => [
            if value >= high - slack { f64::NEG_INFINITY } else { 0.0 },
            if value <= low + slack { f64::INFINITY } else { 0.0 },
        ],
        Law::Drive => [-force, force],
        Law::Spring => [(f64::from(row.stiffness) * (low - value)).clamp(-force, force); 2],
        Law::Tuned => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;
    use crate::solver::Coordinate;

    #[test]
    fn a_row_may_be_as_strong_as_its_law_and_its_place_allow() {
        let infinite = f64::INFINITY;
        let row = |law, target: Real, target_high: Real, force: Real| JointRow {
            law,
            target_high,
            force,
            stiffness: 100.0,
            ..JointRow::lock(Coordinate::Distance, target)
        };
        let range = |row: &JointRow, value| strength(row, value, 1e-4).unwrap();
        assert_eq!(range(&row(Law::Lock, 1.0, 1.0, Real::INFINITY), 1.0), [-infinite, infinite]);
        let rope = row(Law::Range, 0.0, 2.0, Real::INFINITY);
        // A taut rope pulls, a slack one does nothing.
        assert_eq!(range(&rope, 2.0), [-infinite, 0.0]);
        assert_eq!(range(&rope, 1.5), [0.0, 0.0]);
        assert_eq!(range(&row(Law::Drive, 0.0, 0.0, 5.0), 0.3), [-5.0, 5.0]);
        assert_eq!(range(&row(Law::Spring, 1.0, 1.0, 30.0), 1.25), [-25.0; 2]);
        assert_eq!(range(&row(Law::Spring, 1.0, 1.0, 20.0), 1.25), [-20.0; 2]);
        assert_eq!(strength(&row(Law::Tuned, 1.0, 1.0, 20.0), 1.25, 1e-4), None);
    }
}
