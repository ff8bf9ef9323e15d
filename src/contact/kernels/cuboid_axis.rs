//! Separating-axis test of two cuboids.

use super::cache::AxisCache;
use crate::math::{Mat3, Pose, Real, Vec3, Vec4};
use crate::tolerances::{FACE_HYSTERESIS, SEPARATING_AXIS};
use glam::Vec4Swizzles;

/// Two cuboids, in the first one's frame.
pub(crate) struct CuboidPair {
    /// Half extents of the first cuboid (m).
    pub half_a: Vec3,
    /// Half extents of the second cuboid (m).
    pub half_b: Vec3,
    /// Columns: the second one's axes in the first one's frame.
    pub rotation: Mat3,
    /// Centre of the second cuboid in the first one's frame (m).
    pub centre_b: Vec3,
    /// Centre of the second cuboid along its own axes, relative to that of the first (m).
    pub along_b: Vec3,
    /// Rows of `rotation`, padded by a zero, and their absolute values.
    rows: [Vec4; 3],
    sizes: [Vec4; 3],
}

/// The axes that follow each axis.
const NEXT: [usize; 3] = [1, 2, 0];
const AFTER: [usize; 3] = [2, 0, 1];

/// Edge axes of one edge of the first cuboid with the three of the second, in lanes; the last lane
/// is unused.
struct EdgeAxes {
    /// Separation along the cross product of two edges, times its length.
    scaled: Vec4,
    /// Signed distance of the centres along it, times its length.
    distance: Vec4,
    /// Its squared length.
    squared: Vec4,
}

/// Separating axis of two cuboids: of greatest separation, or of least overlap.
#[derive(Clone, Copy)]
pub(crate) enum CuboidAxis {
    /// A face of the first cuboid: its axis.
    FaceA(usize),
    /// A face of the second cuboid: its axis.
    FaceB(usize),
    /// The edges along the axes `i` of the first and `j` of the second; the unit normal from first
    /// to second and the separation along it (m).
    Edges { i: usize, j: usize, normal: Vec3, separation: Real },
}

/// Result of the test of all axes.
pub(crate) struct BestAxis {
    pub axis: CuboidAxis,
    /// Separation along the best face axis (m).
    pub face_separation: Real,
    /// New content of the cache.
    pub cache: AxisCache,
    /// The best face, for edges that turn out not to cross.
    pub face: CuboidAxis,
    /// New content of the cache in that case.
    pub cache_of_face: AxisCache,
}

impl CuboidPair {
    #[inline]
    pub fn new(half_a: Vec3, half_b: Vec3, b_in_a: &Pose) -> Self {
        let rotation = Mat3::from_quat(b_in_a.rotation);
        let across = rotation.transpose();
        let rows = [across.x_axis, across.y_axis, across.z_axis].map(|row| row.extend(0.0));
        let centre_b = b_in_a.translation;
        let along_b = across * centre_b;
        Self { half_a, half_b, rotation, centre_b, along_b, rows, sizes: rows.map(Vec4::abs) }
    }

    /// Separations along the first cuboid's axes (m).
    #[inline]
    fn faces_a(&self) -> Vec3 {
        let reach = self.sizes.map(|row| {
            let reach = row * self.half_b.extend(0.0);
            reach.x + reach.y + reach.z
        });
        self.centre_b.abs() - self.half_a - Vec3::from_array(reach)
    }

    /// Separations along the second cuboid's axes (m).
    #[inline]
    fn faces_b(&self) -> Vec3 {
        let [x, y, z] = self.sizes;
        let reach = x * self.half_a.x + y * self.half_a.y + z * self.half_a.z;
        self.along_b.abs() - self.half_b - reach.truncate()
    }

    /// Edge axes of the edge `i` of the first cuboid.
    #[inline]
    fn edges(&self, i: usize) -> EdgeAxes {
        let (u, v) = (NEXT[i], AFTER[i]);
        let (along_u, along_v) = (self.rows[u], self.rows[v]);
        // e_i x R_j has the components -R_vj along u and R_uj along v.
        let distance = along_u * self.centre_b[v] - along_v * self.centre_b[u];
        let reach_a = self.sizes[v] * self.half_a[u] + self.sizes[u] * self.half_a[v];
        let (half, size) = (self.half_b.extend(0.0), self.sizes[i]);
        let reach_b = half.yzxw() * size.zxyw() + half.zxyw() * size.yzxw();
        let squared = along_u * along_u + along_v * along_v;
        EdgeAxes { scaled: distance.abs() - reach_a - reach_b, distance, squared }
    }

    /// Separation along the cached axis, if it exceeds `prediction` (m).
    #[inline]
    pub fn cached_separation(&self, cache: AxisCache, prediction: Real) -> Option<Real> {
        let separation = match cache.axis {
            0 => return None,
            n @ 1..=3 => self.faces_a()[usize::from(n) - 1],
            n @ 4..=6 => self.faces_b()[usize::from(n) - 4],
            n => {
                let k = usize::from(n) - 7;
                let EdgeAxes { scaled, squared, .. } = self.edges(k / 3);
                let (scaled, squared) = (scaled[k % 3], squared[k % 3]);
                if squared <= SEPARATING_AXIS.parallel_squared_sine {
                    return None;
                }
                scaled / squared.sqrt()
            }
        };
        (separation > prediction).then_some(separation)
    }

    /// Margin by which an axis must beat a preferred one (m): a thousandth of the least half
    /// extent, and at least rounding.
    #[inline]
    pub fn tie(&self) -> Real {
        self.size_tolerance(SEPARATING_AXIS.hysteresis)
    }

    /// The same for the face `i` of the first cuboid against the face `j` of the second (m).
    #[inline]
    fn tie_of_faces(&self, i: usize, j: usize) -> Real {
        let cosine = self.rotation.col(j)[i];
        self.size_tolerance(if 2.0 * cosine * cosine > 1.0 { FACE_HYSTERESIS } else { SEPARATING_AXIS.hysteresis })
    }

    /// A share of the least half extent, plus the rounding error of a separation (m).
    #[inline]
    fn size_tolerance(&self, share: Real) -> Real {
        let least = self.half_a.min(self.half_b).min_element();
        let reach = (self.centre_b.abs() + self.half_a + self.half_b).max_element();
        share * least + 8.0 * Real::EPSILON * reach
    }

    /// The best of the fifteen axes (Gottschalk, Lin and Manocha, "OBBTree", 1996), or `Err` with
    /// an axis that separates the cuboids by more than `prediction`, and its separation (m).
    ///
    /// The cached axis is kept unless another beats it by more than a tie. Otherwise faces precede
    /// edges, and the faces of the larger cuboid those of the smaller one.
    pub fn best(&self, cache: AxisCache, prediction: Real) -> Result<BestAxis, (AxisCache, Real)> {
        let faces_a = self.faces_a();
        let best_a = faces_a.max_position();
        if faces_a[best_a] > prediction {
            return Err((AxisCache { axis: 1 + best_a as u8 }, faces_a[best_a]));
        }
        let faces_b = self.faces_b();
        let best_b = faces_b.max_position();
        if faces_b[best_b] > prediction {
            return Err((AxisCache { axis: 4 + best_b as u8 }, faces_b[best_b]));
        }
        let tie = self.tie();
        let (top_a, top_b) = (faces_a[best_a], faces_b[best_b]);
        let top = top_a.max(top_b);
        let b_is_larger = volume(self.half_b) > 1.001 * volume(self.half_a);
        let beats = |face: Real, other: Real, tie: Real| face >= other - tie;
        let tied = self.tie_of_faces(best_a, best_b);
        let b_leads = if b_is_larger { beats(top_b, top_a, tied) } else { !beats(top_a, top_b, tied) };
        let keeps_a =
            |k: usize| beats(faces_a[k], top_a, tie) && beats(faces_a[k], top_b, self.tie_of_faces(k, best_b));
        let keeps_b =
            |k: usize| beats(faces_b[k], top_b, tie) && beats(faces_b[k], top_a, self.tie_of_faces(best_a, k));
        let (axis, separation, code) = match cache.axis {
            n @ 1..=3 if keeps_a(usize::from(n) - 1) => {
                (CuboidAxis::FaceA(usize::from(n) - 1), faces_a[usize::from(n) - 1], n)
            }
            n @ 4..=6 if keeps_b(usize::from(n) - 4) => {
                (CuboidAxis::FaceB(usize::from(n) - 4), faces_b[usize::from(n) - 4], n)
            }
            _ if b_leads => (CuboidAxis::FaceB(best_b), top_b, 4 + best_b as u8),
            _ => (CuboidAxis::FaceA(best_a), top_a, 1 + best_a as u8),
        };
        let cache_of_face = AxisCache { axis: code };
        let mut best = BestAxis { axis, face: axis, face_separation: top, cache: cache_of_face, cache_of_face };
        // A single point of crossing edges does not keep deep boxes from turning about it, as the
        // points of a face do.
        let preference = SEPARATING_AXIS.edge_over_face * (-separation.max(top)).max(0.0);
        let mut to_beat = separation.max(top) + tie + preference;
        // Handicap in favour of the cached axis.
        let ease = 2.0 * tie + 0.5 * preference;
        for i in 0..3 {
            let EdgeAxes { scaled, distance, squared } = self.edges(i);
            // The length is at most one: most axes are rejected before its root is taken.
            let least = Vec4::splat((to_beat - ease).min(0.0));
            let mut left =
                (scaled.cmpgt(least) & squared.cmpgt(Vec4::splat(SEPARATING_AXIS.parallel_squared_sine))).bitmask();
            while left != 0 {
                let j = left.trailing_zeros() as usize;
                left &= left - 1;
                let code = 7 + (3 * i + j) as u8;
                let bar = if code == cache.axis { to_beat - ease } else { to_beat };
                if scaled[j] <= bar.min(0.0) {
                    continue;
                }
                let length = squared[j].sqrt();
                let separation = scaled[j] / length;
                if separation > prediction {
                    return Err((AxisCache { axis: code }, separation));
                }
                if separation > bar {
                    to_beat = separation.max(to_beat);
                    let (u, v) = (NEXT[i], AFTER[i]);
                    let axis = self.rotation.col(j);
                    let sign = if distance[j] < 0.0 { -1.0 } else { 1.0 };
                    let mut normal = Vec3::ZERO;
                    normal[u] = -axis[v] / length * sign;
                    normal[v] = axis[u] / length * sign;
                    best.axis = CuboidAxis::Edges { i, j, normal, separation };
                    best.cache = AxisCache { axis: code };
                }
            }
        }
        Ok(best)
    }
}

#[inline]
fn volume(half: Vec3) -> Real {
    half.x * half.y * half.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_axis_agrees_with_the_projections_of_the_corners(
            angles in prop::array::uniform3(-3.0..3.0_f64), centre in prop::array::uniform3(-1.5..1.5_f64),
        ) {
            let [x, y, z] = angles.map(|a| a as Real);
            let rotation = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
            let pose = Pose::from_parts(Vec3::from_array(centre.map(|c| c as Real)), rotation);
            let (half_a, half_b) = (Vec3::new(0.5, 0.7, 0.3), Vec3::new(0.4, 0.2, 0.9));
            let boxes = CuboidPair::new(half_a, half_b, &pose);
            let corners = |half: Vec3| (0..8).map(move |k| {
                let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                half * Vec3::new(sign(1), sign(2), sign(4))
            });
            let project = |axis: Vec3| {
                let side = if axis.dot(pose.translation) < 0.0 { -axis } else { axis };
                let high = corners(half_a).map(|c| c.dot(side)).fold(Real::NEG_INFINITY, Real::max);
                let low = corners(half_b).map(|c| (pose * c).dot(side)).fold(Real::INFINITY, Real::min);
                low - high
            };
            for k in 0..3 {
                prop_assert!((boxes.faces_a()[k] - project(Mat3::IDENTITY.col(k))).abs() < 2e-6);
                prop_assert!((boxes.faces_b()[k] - project(boxes.rotation.col(k))).abs() < 2e-6);
                for j in 0..3 {
                    let EdgeAxes { scaled, squared, .. } = boxes.edges(k);
                    let (scaled, squared) = (scaled[j], squared[j]);
                    if squared > 1e-3 {
                        let axis = Mat3::IDENTITY.col(k).cross(boxes.rotation.col(j)).normalize();
                        prop_assert!((scaled / squared.sqrt() - project(axis)).abs() < 1e-5);
                    }
                }
            }
        }
    }
}
