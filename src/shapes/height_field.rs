//! Height fields made of others.

use crate::math::Vec3;
use crate::math::parry::shape::HeightField;

/// The same heights, with the states of their cells, at another scale; trees are built anew.
pub(super) fn with_scale(field: &HeightField, scale: Vec3) -> HeightField {
    let mut made = HeightField::with_flags(field.heights().clone(), scale, field.flags());
    let cells = field.cells_statuses();
    for (row, column) in (0..cells.nrows()).flat_map(|row| (0..cells.ncols()).map(move |column| (row, column))) {
        made.set_cell_status(row, column, field.cell_status(row, column));
    }
    made
}
