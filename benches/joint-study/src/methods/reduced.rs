//! Reduced coordinates for trees that hang in the world: the angular velocities of all bodies are the
//! generalised speeds (Featherstone 2008, chapter 6, in a dense form), semi-implicit Euler.

use super::Method;
use crate::mechanism::{GRAVITY, Mechanism, skew};
use glam::{DMat3, DVec3};

/// A body of the tree.
struct Link {
    body: usize,
    /// Place of its parent in the list; none if it hangs in the world.
    parent: Option<usize>,
    /// Anchor on the parent, or in the world; anchor on the body.
    anchors: [DVec3; 2],
}

/// A tree of links, parents before children.
pub struct Reduced {
    substeps: usize,
    links: Vec<Link>,
}

impl Reduced {
    /// The tree of a mechanism; none if it has loops or bodies that do not hang in the world.
    pub fn new(mechanism: &Mechanism, substeps: usize) -> Option<Self> {
        if mechanism.joints.len() != mechanism.bodies.len() {
            return None;
        }
        let mut links: Vec<Link> = Vec::new();
        let mut place = vec![None; mechanism.bodies.len()];
        let mut used = vec![false; mechanism.joints.len()];
        while links.len() < mechanism.bodies.len() {
            let before = links.len();
            for (index, joint) in
                mechanism.joints.iter().enumerate().filter(|(index, _)| !used[*index]).collect::<Vec<_>>()
            {
                for (from, to) in [(0, 1), (1, 0)] {
                    let Some(body) = joint.bodies[to].filter(|&body| place[body].is_none()) else { continue };
                    let parent = match joint.bodies[from] {
                        None => None,
                        Some(parent) if place[parent].is_some() => place[parent],
                        Some(_) => continue,
                    };
                    place[body] = Some(links.len());
                    links.push(Link { body, parent, anchors: [joint.anchors[from], joint.anchors[to]] });
                    used[index] = true;
                    break;
                }
            }
            if links.len() == before {
                return None;
            }
        }
        Some(Self { substeps, links })
    }

    /// From each link's upper anchor to the lower end of the way to another link: to its own centre,
    /// or to the anchor of the child on the way.
    fn ways(&self, mechanism: &Mechanism, link: usize) -> Vec<(usize, DVec3)> {
        let mut ways = Vec::new();
        let own = |link: usize, anchor: DVec3| mechanism.bodies[self.links[link].body].orientation * anchor;
        let (mut at, mut end) = (link, DVec3::ZERO);
        loop {
            ways.push((at, own(at, end - self.links[at].anchors[1])));
            let Some(parent) = self.links[at].parent else { return ways };
            end = self.links[at].anchors[0];
            at = parent;
        }
    }

    /// Places and linear velocities that follow from rotations.
    fn place(&self, mechanism: &mut Mechanism) {
        for index in 0..self.links.len() {
            let link = &self.links[index];
            let (anchor, velocity) = match link.parent {
                None => (link.anchors[0], DVec3::ZERO),
                Some(parent) => {
                    let parent = &mechanism.bodies[self.links[parent].body];
                    let lever = parent.orientation * link.anchors[0];
                    (parent.position + lever, parent.velocity + parent.spin.cross(lever))
                }
            };
            let body = &mut mechanism.bodies[link.body];
            let lever = body.orientation * link.anchors[1];
            body.position = anchor - lever;
            body.velocity = velocity - body.spin.cross(lever);
        }
    }
}

impl Method for Reduced {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        let (h, size) = (dt / self.substeps as f64, 3 * self.links.len());
        for _ in 0..self.substeps {
            let (mut matrix, mut right) = (vec![0.0; size * size], vec![0.0; size]);
            let mut add = |row: usize, column: usize, value: DMat3| {
                for i in 0..3 {
                    for j in 0..3 {
                        matrix[(3 * row + i) * size + 3 * column + j] += value.col(j)[i];
                    }
                }
            };
            let mut push = |row: usize, value: DVec3| (0..3).for_each(|i| right[3 * row + i] += value[i]);
            for index in 0..self.links.len() {
                let body = &mechanism.bodies[self.links[index].body];
                add(index, index, body.inertia());
                push(index, -body.spin.cross(body.inertia() * body.spin));
                let ways = self.ways(mechanism, index);
                let curved: DVec3 = ways
                    .iter()
                    .map(|&(link, way)| {
                        let spin = mechanism.bodies[self.links[link].body].spin;
                        spin.cross(spin.cross(way))
                    })
                    .sum();
                let force = body.mass * (GRAVITY - curved);
                for &(row, lever) in &ways {
                    push(row, lever.cross(force));
                    for &(column, other) in &ways {
                        add(row, column, -(body.mass * skew(lever) * skew(other)));
                    }
                }
            }
            solve(&mut matrix, &mut right, size);
            for (index, link) in self.links.iter().enumerate() {
                let body = &mut mechanism.bodies[link.body];
                body.spin += h * DVec3::from_slice(&right[3 * index..]);
                body.orientation = (glam::DQuat::from_scaled_axis(h * body.spin) * body.orientation).normalize();
            }
            self.place(mechanism);
        }
    }
}

/// Solves a dense symmetric positive definite system, in place.
fn solve(matrix: &mut [f64], right: &mut [f64], size: usize) {
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 =
                matrix[i * size + j] - (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum::<f64>();
            matrix[i * size + j] = if i == j { sum.sqrt() } else { sum / matrix[j * size + j] };
        }
        let known: f64 = (0..i).map(|k| matrix[i * size + k] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|k| matrix[k * size + i] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i * size + i];
    }
}
