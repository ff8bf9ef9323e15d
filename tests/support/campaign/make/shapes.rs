//! Random shapes.

use crate::campaign::dice::Dice;
use crate::campaign::modes::Ranges;
use crate::campaign::shape::Shape;
use dolmen::math::{Quat, Real, Vec3};

/// A shape of about this size (m), half of its longest side.
pub fn solid(dice: &mut Dice, ranges: &Ranges, size: Real) -> Shape {
    match dice.count([0, 19]) {
        0..=4 => Shape::Cuboid(sides(dice, ranges, size)),
        5..=7 => Shape::Ball(size),
        8..=9 => rod(dice, ranges, size, Shape::Capsule),
        10..=11 => rod(dice, ranges, size, Shape::Cylinder),
        12 => rod(dice, ranges, size, Shape::Cone),
        13..=15 => Shape::Hull(hull(dice, ranges, size)),
        16 => closed_mesh(sides(dice, ranges, size)),
        _ => compound(dice, ranges, size),
    }
}

/// Half sides, the longest of which is the size.
pub fn sides(dice: &mut Dice, ranges: &Ranges, size: Real) -> Vec3 {
    let mut side = || if dice.chance(0.6) { dice.within([0.4, 1.0]) } else { dice.decades([ranges.flatness, 1.0]) };
    let (a, b) = (side() as Real * size, side() as Real * size);
    match dice.count([0, 2]) {
        0 => Vec3::new(size, a, b),
        1 => Vec3::new(a, size, b),
        _ => Vec3::new(a, b, size),
    }
}

/// A shape of half a height and a radius: a rod or a disc.
fn rod(dice: &mut Dice, ranges: &Ranges, size: Real, make: fn(Real, Real) -> Shape) -> Shape {
    let thin = if dice.chance(0.6) { dice.within([0.3, 1.0]) } else { dice.decades([ranges.flatness, 1.0]) } as Real;
    if dice.chance(0.5) { make(size, thin * size) } else { make(thin * size, size) }
}

/// Points of a hull.
fn hull(dice: &mut Dice, ranges: &Ranges, size: Real) -> Vec<Vec3> {
    let half = sides(dice, ranges, size);
    let count = dice.count([4, 24]);
    let round = dice.chance(0.5);
    let mut points: Vec<Vec3> =
        (0..count).map(|_| if round { dice.direction() } else { dice.in_cube(1.0) } * half).collect();
    if dice.chance(ranges.degenerate) {
        match dice.count([0, 4]) {
            // Nearly in a plane.
            0 => {
                let flat = dice.decades([1e-9, 1e-2]) as Real;
                points.iter_mut().for_each(|p| p.y *= flat);
            }
            // Nearly on a line.
            1 => {
                let thin = dice.decades([1e-9, 1e-2]) as Real;
                points.iter_mut().for_each(|p| *p *= Vec3::new(1.0, thin, thin));
            }
            // Points on top of each other.
            2 => {
                let near = dice.decades([1e-9, 1e-3]) as Real * size;
                let doubled: Vec<_> = points.iter().map(|&p| p + dice.in_cube(near)).collect();
                points.extend(doubled);
            }
            // All about one place far away.
            3 => {
                let far = dice.in_cube(1e3) * size;
                points.iter_mut().for_each(|p| *p += far);
            }
            // Many points of a ball.
            _ => points.extend((0..200).map(|_| dice.direction() * half)),
        }
    }
    points
}

/// A box as a closed mesh.
fn closed_mesh(half: Vec3) -> Shape {
    let corner = |i: u32| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 2.0 - Vec3::ONE;
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::Mesh((0..8).map(|i| corner(i) * half).collect(), indices)
}

/// Two to five parts, in a cross or anywhere.
fn compound(dice: &mut Dice, ranges: &Ranges, size: Real) -> Shape {
    let count = dice.count([2, 5]);
    let parts = (0..count).map(|_| {
        let of = size * dice.within([0.3, 0.7]) as Real;
        let part = match dice.count([0, 4]) {
            0 => Shape::Ball(of),
            1 => rod(dice, ranges, of, Shape::Capsule),
            2 => rod(dice, ranges, of, Shape::Cylinder),
            3 => Shape::Hull(hull(dice, &Ranges { degenerate: 0.0, ..*ranges }, of)),
            _ => Shape::Cuboid(sides(dice, ranges, of)),
        };
        let turned = if dice.chance(0.5) { Quat::IDENTITY } else { dice.rotation() };
        (dice.in_cube(size * 0.6), turned, part)
    });
    Shape::Compound(parts.collect())
}

/// A mesh of a square with half its side, in `cells` by `cells`, over heights up to `rise`.
pub fn sheet(dice: &mut Dice, half: Real, cells: usize, rise: Real) -> Shape {
    let at = |i: usize| (i as Real / cells as Real * 2.0 - 1.0) * half;
    let side = cells + 1;
    let vertices =
        (0..side * side).map(|i| Vec3::new(at(i % side), dice.within([0.0, 1.0]) as Real * rise, at(i / side)));
    let vertices: Vec<Vec3> = vertices.collect();
    let corner = |x: usize, z: usize| (z * side + x) as u32;
    let mut indices = Vec::new();
    for (x, z) in (0..cells * cells).map(|i| (i % cells, i / cells)) {
        let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z)];
        indices.extend(if dice.chance(0.5) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    Shape::Mesh(vertices, indices)
}

/// A height field of a square with half its side.
pub fn field(dice: &mut Dice, half: Real, cells: usize, rise: Real) -> Shape {
    let side = cells + 1;
    let heights = (0..side * side).map(|_| dice.within([0.0, 1.0]) as Real * rise).collect();
    Shape::Field { rows: side, columns: side, heights, scale: Vec3::new(2.0 * half, 1.0, 2.0 * half) }
}

/// Spoils a mesh: triangles without an area, slivers, a vertex far away, doubled ones.
pub fn spoil(dice: &mut Dice, shape: &mut Shape) {
    let Shape::Mesh(vertices, indices) = shape else { return };
    let (triangle, vertex) = (dice.count([0, indices.len() - 1]), dice.count([0, vertices.len() - 1]));
    match dice.count([0, 4]) {
        0 => indices[triangle][1] = indices[triangle][0],
        1 => vertices[vertex] *= dice.decades([1e2, 1e8]) as Real,
        2 => indices.push(indices[triangle]),
        3 => {
            let [a, b, _] = indices[triangle];
            vertices.push((vertices[a as usize] + vertices[b as usize]) * 0.5);
            indices[triangle][2] = vertices.len() as u32 - 1;
        }
        _ => {
            let [a, b, c] = indices[triangle];
            indices.push([c, b, a]);
        }
    }
}
