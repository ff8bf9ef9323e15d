//! Height fields made of others.

use crate::math::parry::shape::HeightField;
use crate::math::parry::utils::Array2;
use crate::math::{Real, Vec3};

/// The same heights, with the states of their cells, at another scale.
pub(super) fn with_scale(field: &HeightField, scale: Vec3) -> HeightField {
    build(field, field.heights().clone(), scale)
}

/// The same field with other heights: `height` gets the row, the column and the former height.
pub(crate) fn with_heights(field: &HeightField, mut height: impl FnMut(usize, usize, Real) -> Real) -> HeightField {
    let mut heights = field.heights().clone();
    let (rows, columns) = (heights.nrows(), heights.ncols());
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        heights[(row, column)] = height(row, column, heights[(row, column)]);
    }
    build(field, heights, field.scale())
}

/// A field with the states of the cells of another; trees are built anew.
fn build(field: &HeightField, heights: Array2<Real>, scale: Vec3) -> HeightField {
    let mut made = HeightField::with_flags(heights, scale, field.flags());
    let cells = field.cells_statuses();
    for (row, column) in (0..cells.nrows()).flat_map(|row| (0..cells.ncols()).map(move |column| (row, column))) {
        made.set_cell_status(row, column, field.cell_status(row, column));
    }
    made
}
