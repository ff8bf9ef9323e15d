//! Separating axis of two convex cores: of greatest separation, or of least overlap.

use super::cache::{Corners, SearchStart};
use super::expanding_polytope::least_overlap;
use super::gjk::{self, Nearest};
use super::minkowski::MinkowskiDifference;
use super::polygon::newell;
use super::rounded_convex::{Constraints, Core, SupportFace};
use crate::math::parry::shape::SupportMap;
use crate::math::{Mat3, Pose, Real, Vec3, from_f64};
use crate::tolerances::{DEEP_OVERLAP_CACHED, GEOMETRY, GJK, NORMAL_CONE_SLACK, SEPARATING_AXIS};

/// Iteration limit of [`CorePair::improved_overlap`]. Two suffice for faces and edges. On rims each
/// iteration halves the error of a bad guess.
const MAX_MOVES: usize = 32;

/// Least and greatest height of a core with corners along `normal` (m).
fn extent(core: &Core, normal: Vec3) -> (Real, Real) {
    match core {
        Core::Cuboid(half) => {
            let reach = normal.abs().dot(*half);
            (-reach, reach)
        }
        Core::Triangle(corners) => {
            let [x, y, z] = corners.map(|v| v.dot(normal));
            (x.min(y).min(z), x.max(y).max(z))
        }
        _ => (-core.local_support_point(-normal).dot(-normal), core.local_support_point(normal).dot(normal)),
    }
}

fn better(one: Axis, other: Axis) -> Axis {
    if other.separation > one.separation { other } else { one }
}

/// Indices of the faces, where finding them takes a search.
fn numbers(facing: [Option<SupportFace>; 2]) -> [Option<usize>; 2] {
    facing.map(|face| face.and_then(|face| face.number))
}

/// Two cores, in the first one's frame.
pub(crate) struct CorePair<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    pub pose: Pose,
    pub rotation: Mat3,
    /// Rotation into the second one's axes.
    pub back: Mat3,
}

/// Separating direction and its features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Unit vector from the first core to the second, in the first one's frame.
    pub normal: Vec3,
    /// Separation of the cores along it (m).
    pub separation: Real,
    /// Closest or deepest points in the first core's frame, if known.
    pub nearest: Option<(Vec3, Vec3)>,
    /// Corners that support these points.
    pub corners: Corners,
    /// Indices of the support faces of both cores, if known ([`SupportFace::number`]).
    pub faces: [Option<usize>; 2],
}

impl Axis {
    /// A direction and the separation along it (m).
    pub fn new(normal: Vec3, separation: Real) -> Self {
        Self { normal, separation, nearest: None, corners: Corners::default(), faces: [None; 2] }
    }

    /// Warm start of a closest-point search.
    pub fn start(&self) -> SearchStart {
        SearchStart { direction: Some(self.normal), corners: self.corners }
    }
}

impl<'a> CorePair<'a> {
    pub fn new(a: Core<'a>, b: Core<'a>, b_in_a: &Pose) -> Self {
        let rotation = Mat3::from_quat(b_in_a.rotation);
        Self { a, b, pose: *b_in_a, rotation, back: rotation.transpose() }
    }

    /// The normal of the face of a triangle with normal constraints, from the first core to the
    /// second.
    pub fn one_sided_face(&self, (of_a, of_b): (Constraints, Constraints)) -> Option<Vec3> {
        match (of_a, self.a, of_b, self.b) {
            (Some(_), Core::Triangle(corners), ..) => Some(newell(&corners)),
            (.., Some(_), Core::Triangle(corners)) => Some(-(self.rotation * newell(&corners))),
            _ => None,
        }
    }

    /// Signed distance of the supporting planes of the two cores orthogonal to `normal` (m).
    ///
    /// The true separation is its maximum over all directions. Hence the best of several guesses is
    /// the greatest, wherever they come from.
    pub fn separation(&self, normal: Vec3) -> Real {
        let on_a = self.a.local_support_point(normal);
        self.height_of_b(normal) - on_a.dot(normal)
    }

    /// Least height of the second core along `normal` (m).
    fn height_of_b(&self, normal: Vec3) -> Real {
        let local = self.back * normal;
        self.pose.translation.dot(normal) + self.b.local_support_point(-local).dot(local)
    }

    /// Finds the separating axis, or `Err` with a direction that separates the cores by more than
    /// `reach` (m).
    ///
    /// `start` is a guess. A face normal that is as good as the direction found, up to a small
    /// share of `scale`, is preferred: the normal of faces at rest on each other is then free of
    /// noise.
    ///
    /// Face and edge axes underestimate the gap between two corners. This does no harm to sharp
    /// shapes, whose separations come from clipping. `rounded` shapes need the distance of the
    /// cores, so for them these axes decide only overlaps.
    pub fn best(&self, reach: Real, start: SearchStart, scale: Real, rounded: bool) -> Result<Axis, Vec3> {
        let tie = self.tie(scale);
        if let (Some(edges_a), Some(edges_b)) = (self.a.edges(), self.b.edges()) {
            let axis = self.best_by_projection(reach, tie, &edges_a, &edges_b)?;
            if !rounded || axis.separation <= 0.0 {
                return Ok(axis);
            }
        }
        // A shallow overlap mostly persists, so the cached direction is tried first. Coincident
        // points of both cores along it prove that no other direction separates them by more than a
        // tie.
        let touches = |axis: &Axis| axis.nearest.is_some_and(|(on_a, on_b)| on_a.distance_squared(on_b) <= tie * tie);
        let cached = start.direction.filter(|d| d.is_normalized() && (-tie..=0.0).contains(&self.separation(*d)));
        let overlap = cached.map(|_| self.least_overlap(start, scale));
        let found = match overlap.filter(|axis| axis.separation <= 0.0 && touches(axis)) {
            Some(axis) => axis,
            None => match gjk::nearest(&self.a, &self.b, &self.pose, reach, overlap.map_or(start, |axis| axis.start()))
            {
                Nearest::Apart(direction) => return Err(direction),
                Nearest::Found { on_a, on_b, normal, distance, corners } => {
                    Axis { nearest: Some((on_a, on_b)), corners, ..Axis::new(normal, distance) }
                }
                Nearest::Overlap => overlap.unwrap_or_else(|| self.least_overlap(start, scale)),
            },
        };
        let axis = self.snapped_to_face(found, tie);
        if axis.separation > reach { Err(axis.normal) } else { Ok(axis) }
    }

    /// Direction of least overlap.
    ///
    /// A guess is improved by moving the second core out along it and finding the closest points
    /// there. With the distance `D` along `n'` after a displacement `w` along `n`, the separation
    /// along `n'` is `D - w n.n'`. It is never less than that along `n`, since `D` is at least the
    /// separation left along `n` and `n.n'` at most one. The guesses are the last direction or that
    /// between the centres, then, if a deep overlap is left, the best face and the direction of an
    /// expanding polytope.
    fn least_overlap(&self, start: SearchStart, scale: Real) -> Axis {
        let guess = |normal: Vec3| Axis::new(normal, self.separation(normal));
        let SearchStart { direction, corners } = start;
        // The first guess has no history: the depth is measured by the thickness of the cores, not
        // by the length of their edges.
        let scale = if direction.is_none() { scale.min(self.a.thickness()).min(self.b.thickness()) } else { scale };
        // The cached direction was optimal when it was found.
        let shallow = -scale * if direction.is_some() { DEEP_OVERLAP_CACHED } else { GJK.deep_overlap };
        let between = self.pose.translation.try_normalize().unwrap_or(Vec3::Y);
        let first = guess(direction.filter(|s| s.is_normalized()).unwrap_or(between));
        let mut best = self.improved_overlap(Axis { corners, ..first }, scale);
        if best.separation < -GJK.deep_overlap * scale && direction.is_some() {
            // It may have been found while they were apart: a core that slid in over a face is deep
            // along the side where it came from.
            let face = self.best_face();
            if face.separation > best.separation {
                best = better(best, self.improved_overlap(face, scale));
            }
        }
        if best.separation < shallow && direction.is_some() {
            best = better(best, self.improved_overlap(guess(between), scale));
        }
        if best.separation < shallow {
            best = better(best, self.improved_overlap(self.best_face(), scale));
        }
        if best.separation < shallow {
            let difference = MinkowskiDifference::new(&self.a, &self.b, &self.pose);
            let (direction, _) = least_overlap(&difference, f64::from(GJK.deep_overlap * scale));
            best = better(best, self.improved_overlap(guess(from_f64(direction)), scale));
        }
        best
    }

    /// Improves a direction of overlap to a local optimum, and finds the deepest points.
    ///
    /// The closest points after a displacement lie opposite each other only for that displacement.
    /// The result therefore takes those of the last one, whose direction it finds again (where
    /// nothing is gained, `D = w + s` and `n.n' = 1`, in the terms of [`Self::least_overlap`]).
    fn improved_overlap(&self, guess: Axis, scale: Real) -> Axis {
        let mut best = guess;
        for _ in 0..MAX_MOVES {
            let displacement = best.normal * (scale - best.separation);
            let pose = Pose::from_parts(self.pose.translation + displacement, self.pose.rotation);
            let reach = 4.0 * (scale - best.separation) + pose.translation.length();
            let Nearest::Found { on_a, on_b, normal, distance, corners } =
                gjk::nearest(&self.a, &self.b, &pose, reach, best.start())
            else {
                break;
            };
            let separation = distance - displacement.dot(normal);
            let gain = separation - best.separation;
            let nearest = Some((on_a, on_b - displacement));
            let settled = gain <= GJK.depth_gain * scale;
            if gain > 0.0 || best.nearest.is_none() {
                best = Axis { nearest, corners, ..Axis::new(normal, separation.max(best.separation)) };
            } else if settled {
                best = Axis { nearest, corners, ..best };
            }
            if settled {
                break;
            }
        }
        best
    }

    /// `found`, or the normal of the support face of either core if it is as good up to a tie.
    fn snapped_to_face(&self, found: Axis, tie: Real) -> Axis {
        // Between separate cores the direction is sharp: only a face orthogonal to it can be meant.
        let cone = if found.separation > tie { 1.0 - NORMAL_CONE_SLACK } else { 0.5 };
        let facing = self.facing(found.normal);
        match self.face_along(found.normal, facing, cone, found.separation - tie, tie) {
            Some(face) => Axis { nearest: found.nearest, corners: found.corners, ..face },
            None => Axis { faces: numbers(facing), ..found },
        }
    }

    /// Support faces of both cores along a direction from the first to the second.
    pub fn facing(&self, direction: Vec3) -> [Option<SupportFace>; 2] {
        [self.a.support_face(direction), self.b.support_face(self.back * -direction)]
    }

    /// Normal of one of the support faces, if its cosine is at least `cone` and its separation at
    /// least `least`. Ties go to the first core.
    pub fn face_along(
        &self,
        direction: Vec3,
        facing: [Option<SupportFace>; 2],
        cone: Real,
        mut least: Real,
        tie: Real,
    ) -> Option<Axis> {
        let [of_a, of_b] = facing.map(|face| face.filter(|face| face.cosine >= cone));
        let of_a = of_a.map(|face| self.face_of_a(face.normal, face.point));
        let of_b = of_b.map(|face| self.face_of_b(face.normal, face.point));
        let mut best = None;
        for axis in [of_a, of_b].into_iter().flatten() {
            if axis.separation >= least {
                least = axis.separation + tie;
                best = Some(axis);
            }
        }
        let mut best = best?;
        if (best.normal - direction).length_squared() <= GEOMETRY.same_normal * GEOMETRY.same_normal {
            best.faces = numbers(facing);
        }
        Some(best)
    }

    /// Margin by which an axis must beat a preferred one (m). `scale` is the size of the smaller
    /// core (m).
    pub fn tie(&self, scale: Real) -> Real {
        SEPARATING_AXIS.hysteresis * scale + 8.0 * Real::EPSILON * self.pose.translation.length()
    }

    fn face_of_a(&self, normal: Vec3, point: Vec3) -> Axis {
        Axis::new(normal, self.height_of_b(normal) - point.dot(normal))
    }

    fn face_of_b(&self, outward: Vec3, point: Vec3) -> Axis {
        let normal = -(self.rotation * outward);
        let height = self.pose.translation.dot(normal) - point.dot(outward);
        Axis::new(normal, height - self.a.local_support_point(normal).dot(normal))
    }

    /// The best of all faces, or the direction between the centres if there is none.
    fn best_face(&self) -> Axis {
        let mut best: Option<Axis> = None;
        let mut consider = |axis: Axis| {
            if best.is_none_or(|b| axis.separation > b.separation) {
                best = Some(axis);
            }
        };
        self.a.faces(|normal, point| consider(self.face_of_a(normal, point)));
        self.b.faces(|normal, point| consider(self.face_of_b(normal, point)));
        best.unwrap_or_else(|| {
            let normal = self.pose.translation.try_normalize().unwrap_or(Vec3::Y);
            Axis::new(normal, self.separation(normal))
        })
    }

    /// Separating-axis test of two shapes with few edges.
    fn best_by_projection(
        &self,
        reach: Real,
        tie: Real,
        edges_a: &[Vec3; 3],
        edges_b: &[Vec3; 3],
    ) -> Result<Axis, Vec3> {
        let mut best = self.best_face();
        best = self.snapped_to_face(best, tie);
        if best.separation > reach {
            return Err(best.normal);
        }
        let mut edge: Option<Axis> = None;
        for &along_a in edges_a {
            for &local in edges_b {
                let along_b = self.rotation * local;
                let cross = along_a.cross(along_b);
                let squared = cross.length_squared();
                if squared
                    <= SEPARATING_AXIS.parallel_squared_sine * along_a.length_squared() * along_b.length_squared()
                {
                    continue;
                }
                let mut normal = cross / squared.sqrt();
                let (low_a, high_a) = extent(&self.a, normal);
                let (low_b, high_b) = extent(&self.b, self.back * normal);
                let between = self.pose.translation.dot(normal);
                let (ahead, behind) = (between + low_b - high_a, low_a - between - high_b);
                let separation = ahead.max(behind);
                if behind > ahead {
                    normal = -normal;
                }
                if separation > reach {
                    return Err(normal);
                }
                if separation > best.separation + tie && edge.is_none_or(|e| separation > e.separation) {
                    edge = Some(Axis::new(normal, separation));
                }
            }
        }
        if let Some(edge) = edge {
            best = edge;
        }
        Ok(best)
    }
}
