//! Merging of convex hulls down to a number, as the last step of V-HACD does (Mamou 2016).

use super::checked_hull;
use crate::mass;
use crate::math::Vec3;
use crate::math::parry::shape::ConvexPolyhedron;

/// A hull, its volume, and that of the hulls that it was merged of (m³).
struct Part {
    hull: ConvexPolyhedron,
    volume: f64,
    solid: f64,
}

impl Part {
    fn new(hull: ConvexPolyhedron) -> Self {
        let volume = mass::of_shape(&hull, 1.0).map_or(0.0, |of| of.mass);
        Self { hull, volume, solid: volume }
    }

    fn union(&self, other: &Self) -> Option<Self> {
        let points: Vec<Vec3> = self.hull.points().iter().chain(other.hull.points()).copied().collect();
        let both = checked_hull(&points).ok().map(Self::new)?;
        Some(Self { solid: self.solid + other.solid, ..both })
    }
}

/// Merges the pair whose common hull has the least volume beyond what it was merged of, while there
/// are more than `most` hulls, at least 1, or that volume is no more than `free` (m³).
pub(super) fn merge(hulls: Vec<ConvexPolyhedron>, most: usize, free: f64) -> Vec<ConvexPolyhedron> {
    let mut parts: Vec<Part> = hulls.into_iter().map(Part::new).collect();
    // `added[i][k]`: volume of the hull of parts i and k < i beyond what they were merged of.
    let cost = |a: &Part, b: &Part| a.union(b).map_or(f64::INFINITY, |both| both.volume - both.solid);
    let row = |parts: &[Part], i: usize| (0..i).map(|k| cost(&parts[i], &parts[k])).collect::<Vec<f64>>();
    let mut added: Vec<Vec<f64>> = (0..parts.len()).map(|i| row(&parts, i)).collect();
    loop {
        let pairs = (0..parts.len()).flat_map(|i| (0..i).map(move |k| (i, k)));
        let best = pairs.min_by(|&(i, k), &(j, l)| added[i][k].total_cmp(&added[j][l]));
        let Some((i, k)) = best.filter(|&(i, k)| parts.len() > most || added[i][k] <= free) else { break };
        let Some(both) = parts[i].union(&parts[k]) else { break };
        // The later part goes, and the last one takes its place.
        parts.swap_remove(i);
        parts[k] = both;
        added.truncate(parts.len());
        for changed in [i, k].into_iter().filter(|&changed| changed < parts.len()) {
            added[changed] = row(&parts, changed);
            for later in changed + 1..parts.len() {
                added[later][changed] = cost(&parts[later], &parts[changed]);
            }
        }
    }
    parts.into_iter().map(|part| part.hull).collect()
}
