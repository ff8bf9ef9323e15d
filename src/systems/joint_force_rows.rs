//! The rows of a joint as forces of known direction and bounded strength, for statics.

use crate::joint::JointGeometry;
use crate::resting::ForceRow;
use crate::solver::{JointRow, RowKind};

/// Appends the force row of each row of a joint between these bodies of a structure. A coordinate
/// within `margin` (m, rad) of a limit counts as at the limit.
///
/// Returns false, with rows missing, if a row is an acceleration spring: its force depends on how
/// the bodies move.
pub(super) fn append_force_rows(
    rows: &[JointRow],
    at: &JointGeometry,
    ends: [u32; 2],
    margin: f64,
    out: &mut Vec<ForceRow>,
) -> bool {
    rows.iter().all(|row| {
        let range = force_range(row, at.value(row), margin);
        let (forces, torques) = at.jacobian(row);
        out.extend(range.map(|range| ForceRow { bodies: ends, forces, torques, range }));
        range.is_some()
    })
}

/// The range of a row's force, or `None` if it is not known at rest.
fn force_range(row: &JointRow, value: f64, margin: f64) -> Option<[f64; 2]> {
    let (low, high) = (f64::from(row.target), f64::from(row.target_high));
    let force = f64::from(row.force);
    Some(match row.kind {
        RowKind::Equality => [f64::NEG_INFINITY, f64::INFINITY],
        RowKind::Limit => [
            if value >= high - margin { f64::NEG_INFINITY } else { 0.0 },
            if value <= low + margin { f64::INFINITY } else { 0.0 },
        ],
        RowKind::Motor => [-force, force],
        RowKind::Spring => [(f64::from(row.stiffness) * (low - value)).clamp(-force, force); 2],
        RowKind::AccelerationSpring => return None,
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
            kind: law,
            target_high,
            force,
            stiffness: 100.0,
            ..JointRow::lock(Coordinate::Distance, target)
        };
        let range = |row: &JointRow, value| force_range(row, value, 1e-4).unwrap();
        assert_eq!(range(&row(RowKind::Equality, 1.0, 1.0, Real::INFINITY), 1.0), [-infinite, infinite]);
        let rope = row(RowKind::Limit, 0.0, 2.0, Real::INFINITY);
        // A taut rope pulls, a slack one does nothing.
        assert_eq!(range(&rope, 2.0), [-infinite, 0.0]);
        assert_eq!(range(&rope, 1.5), [0.0, 0.0]);
        assert_eq!(range(&row(RowKind::Motor, 0.0, 0.0, 5.0), 0.3), [-5.0, 5.0]);
        assert_eq!(range(&row(RowKind::Spring, 1.0, 1.0, 30.0), 1.25), [-25.0; 2]);
        assert_eq!(range(&row(RowKind::Spring, 1.0, 1.0, 20.0), 1.25), [-20.0; 2]);
        assert_eq!(force_range(&row(RowKind::AccelerationSpring, 1.0, 1.0, 20.0), 1.25, 1e-4), None);
    }
}
