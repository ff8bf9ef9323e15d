//! Validation of shapes.

use super::number::{Must, direction, number, rotation, vector};
use crate::scene::error::SceneError;
use crate::scene::format::{PartSpec, Row, ShapeSpec};

pub(super) fn validate(shape: &ShapeSpec) -> Result<(), SceneError> {
    match shape {
        ShapeSpec::Ball { radius } => number("radius", *radius, Must::BePositive),
        ShapeSpec::Cuboid { half_extents } => vector("half_extents", half_extents, Must::BePositive),
        ShapeSpec::Capsule { half_height, radius }
        | ShapeSpec::Cylinder { half_height, radius }
        | ShapeSpec::Cone { half_height, radius } => {
            number("half_height", *half_height, Must::BePositive)?;
            number("radius", *radius, Must::BePositive)
        }
        ShapeSpec::ConvexHull { points } => {
            at_least("points", points.len(), 4)?;
            vectors("points", points)
        }
        ShapeSpec::HalfSpace { normal } => direction("normal", normal),
        ShapeSpec::Trimesh { vertices, indices } => {
            vectors("vertices", vertices)?;
            at_least("indices", indices.len(), 1)?;
            triangles(indices, vertices.len())
        }
        ShapeSpec::Heightfield { rows, columns, heights, scale } => {
            at_least("rows", *rows, 2)?;
            at_least("columns", *columns, 2)?;
            if rows.checked_mul(*columns) != Some(heights.len()) {
                let problem = format!("must be {rows} rows of {columns}, got {}", heights.len());
                return Err(SceneError::new("heights", problem));
            }
            heights
                .iter()
                .enumerate()
                .try_for_each(|(i, &height)| number(&format!("heights[{i}]"), height, Must::BeFinite))?;
            vector("scale", scale, Must::BePositive)
        }
        ShapeSpec::Compound(parts) => {
            at_least("", parts.len(), 1)?;
            parts.iter().enumerate().try_for_each(|(i, p)| part(p).map_err(|e| e.within(&format!("[{i}]"))))
        }
        ShapeSpec::None => Ok(()),
    }
}

fn part(part: &PartSpec) -> Result<(), SceneError> {
    use ShapeSpec::{Compound, HalfSpace, Heightfield, None, Trimesh};
    if matches!(part.shape, Compound(_) | HalfSpace { .. } | Heightfield { .. } | Trimesh { .. } | None) {
        let problem = format!("must be convex and bounded in a compound, got {}", part.shape.name());
        return Err(SceneError::new("shape", problem));
    }
    validate(&part.shape).map_err(|e| e.within("shape"))?;
    vector("position", &part.position, Must::BeFinite)?;
    rotation("orientation", &part.orientation)
}

fn at_least(path: &str, length: usize, least: usize) -> Result<(), SceneError> {
    if length >= least { Ok(()) } else { Err(SceneError::new(path, format!("must be at least {least}, got {length}"))) }
}

fn vectors(path: &str, vectors: &[Row<f64, 3>]) -> Result<(), SceneError> {
    let each = |(i, v)| vector(&format!("[{i}]"), v, Must::BeFinite).map_err(|e| e.within(path));
    vectors.iter().enumerate().try_for_each(each)
}

fn triangles(indices: &[Row<u32, 3>], vertices: usize) -> Result<(), SceneError> {
    for (i, triangle) in indices.iter().enumerate() {
        if let Some(k) = triangle.iter().position(|&vertex| vertex as usize >= vertices) {
            let problem = format!("there is no vertex {} (the mesh has {vertices})", triangle[k]);
            return Err(SceneError::new(format!("indices[{i}][{k}]"), problem));
        }
    }
    Ok(())
}
