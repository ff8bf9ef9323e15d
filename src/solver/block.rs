//! A contact block: eight manifolds side by side, in reduced manifold space.
//!
//! All points of a manifold share its normal, so the row of a point is the row of the manifold's
//! centre plus a rotation about the tangents: with `u`, `v` the offsets of the point along `t1`,
//! `t2` from the centre, its normal velocity is `y0 + v y1 - u y2`, where `y0` is the normal
//! velocity at the centre and `y1`, `y2` the relative angular velocity about `t1`, `t2`. A 3 x 3
//! matrix K maps impulses to changes of `y`. Four points cost little more than one, and iterating
//! over them touches no memory but their own.

use super::body::{BODY_STATE_LEN, SolverBody};
use super::contact::{ContactRef, Surface};
use super::simd::{WIDTH, Wide};
use crate::contact::{MAX_POINTS, Manifold};
use crate::math::{Mat3, Norm, Real, Vec3, orthonormal_basis};
use crate::tolerances::{CONTACT, JACOBIAN_REFRESH_PATH};

/// One contact point in every lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PointLanes {
    /// Offset from the centre of the manifold along the first tangent (m).
    pub u: Wide,
    /// Offset along the second tangent (m).
    pub v: Wide,
    /// Separation at the start of the step (m).
    pub separation: Wide,
    /// Separation found by the last relaxation (m), which the next solve uses.
    pub gap: Wide,
    /// Effective mass (kg); 0 for an absent point.
    pub mass: Wide,
    /// Normal impulse of a substep (N s).
    pub impulse: Wide,
}

/// Eight manifolds. An empty lane is all zeros: it names the fixed world twice and moves nothing.
/// Each lane is filled and cleared by itself.
///
/// The blocks of a large island do not stay in the nearer caches from one sweep to the next, so the
/// fields are ordered by how often they are read: first those of each sweep, up to the end of a
/// single point; then those of manifolds with several points and of anisotropic bodies; then those
/// read once a step; then those of some surfaces and bodies only.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ContactBlock {
    /// Offsets of the states of the first and of the second body, in scalars.
    pub a: [u32; WIDTH],
    pub b: [u32; WIDTH],
    /// Lanes whose first, second body is moved by impulses, one bit each.
    pub write_a: u32,
    pub write_b: u32,
    /// Lanes that slid in the last relaxation, one bit each.
    pub sliding: u32,
    /// Lanes with rolling friction, and lanes with a body with locked axes, one bit each.
    pub rolling: u32,
    pub locked: u32,
    /// Lanes with a body whose inertia is anisotropic, one bit each.
    pub anisotropic: u32,
    /// Lanes with a surface velocity, one bit each.
    pub moving_surface: u32,
    /// Greatest number of points of a lane.
    pub count: u32,
    /// Unit normal from the first body to the second.
    pub normal: [Wide; 3],
    /// Lever arms: the centre of the manifold from the centre of mass of the first and second body
    /// (m).
    pub arm_a: [Wide; 3],
    pub arm_b: [Wide; 3],
    /// Spring of the contact: see `super::soft`.
    pub rate: Wide,
    pub mass_scale: Wide,
    pub impulse_scale: Wide,
    /// First tangent.
    pub tangent: [Wide; 3],
    /// Friction coefficient of this step.
    pub friction: Wide,
    /// Inverse of the 2 x 2 matrix of friction at the centre (kg): 11, 22, 12.
    pub friction_mass: [Wide; 3],
    /// Effective inertia about the normal (kg m²).
    pub twist_mass: Wide,
    /// Lever arm of friction about the normal: mean distance of the load from the centre (m).
    pub twist_arm: Wide,
    /// Time constant of that friction (s): see [`twist_friction`].
    pub twist_stop_time: Wide,
    /// Friction impulse along the tangents (N s), about the normal (N m s).
    pub tangent_impulse: [Wide; 2],
    pub twist_impulse: Wide,
    pub points: [PointLanes; MAX_POINTS],
    /// K: 00, 11, 22, 01, 02, 12.
    pub normal_matrix: [Wide; 6],
    /// Inverse inertias in world axes.
    pub inertia_a: [Wide; 6],
    pub inertia_b: [Wide; 6],
    /// Contributions of the touching points to the stiffness of the first and second body: see
    /// `kernels::stiffen`.
    pub stiffness_a: Wide,
    pub stiffness_b: Wide,
    pub static_friction: Wide,
    pub dynamic_friction: Wide,
    /// Rolling friction (m).
    pub rolling_friction: Wide,
    /// Upper bound of the travel of the surfaces since each lane was filled (m).
    pub travel: Wide,
    /// Revision of the contact that each lane was filled from, and the filled lanes, one bit each.
    pub revisions: [u32; WIDTH],
    pub filled: u32,
    /// Lanes whose overlap is not pushed out, one bit each: see [`ContactRef::extrapolated`].
    pub extrapolated: u32,
    /// Length of the substep that the impulses belong to (s).
    pub h: Real,
    /// Points of each lane.
    pub counts: [u8; WIDTH],
    /// Impulse of rolling friction about the tangents (N m s).
    pub rolling_impulse: [Wide; 2],
    /// Relative surface velocity along the tangents (m/s); valid if some lane has `moving_surface`.
    pub surface_velocity: [Wide; 2],
    /// Free axes of each body: 1 if free, 0 if locked; valid if some lane has `locked`.
    pub free_a: [Wide; 3],
    pub free_b: [Wide; 3],
}

/// Writes a vector into one lane.
#[inline(always)]
fn write_lane(lanes: &mut [Wide; 3], lane: usize, v: Vec3) {
    for (row, x) in lanes.iter_mut().zip(v.to_array()) {
        row.0[lane] = x;
    }
}

/// Reads a vector from one lane.
#[inline(always)]
fn read_lane(lanes: &[Wide; 3], lane: usize) -> Vec3 {
    Vec3::new(lanes[0].0[lane], lanes[1].0[lane], lanes[2].0[lane])
}

/// Lever arm (m) and time constant (s) of friction about the normal, for a manifold whose load is
/// at distance `arm` from its centre in the mean.
///
/// A contact point is a small area in truth: its friction resists rotation with `3 pi / 16` of its
/// radius as lever arm (Johnson, "Contact Mechanics", 1985, section 7.4), and the radius grows with
/// those of the bodies, for which `CONTACT.point_torsion_radius` takes the distance to the nearer
/// centre of mass. In slow rotation the rim of the area slips and its middle does not, so it
/// creeps: bodies that swing on a point come to hang as if there were no such friction.
fn twist_friction(arm: Real, bodies: [&SolverBody; 2], arms: [Vec3; 2]) -> (Real, Real) {
    let sizes = bodies.iter().zip(arms).filter(|(body, _)| body.movable()).map(|(_, arm)| arm.norm());
    let spot_radius = CONTACT.point_torsion_radius * sizes.reduce(Real::min).unwrap_or(0.0);
    if arm < spot_radius { (spot_radius, CONTACT.point_torsion_time) } else { (arm, 0.0) }
}

/// Sets or clears the bit of a lane.
#[inline(always)]
fn set_bit(bits: &mut u32, lane: usize, on: bool) {
    *bits = *bits & !(1 << lane) | u32::from(on) << lane;
}

impl ContactBlock {
    /// True if the rows of a lane must be filled from its contact: it was never filled, its
    /// manifold was rewritten, or its surfaces changed or travelled too far.
    #[inline]
    pub fn is_stale(&self, lane: usize, contact: &ContactRef) -> bool {
        assert!(lane < WIDTH);
        let Surface { static_friction, dynamic_friction, rolling_friction } = contact.surface;
        self.filled >> lane & 1 == 0
            || contact.revision == 0
            || contact.revision != self.revisions[lane]
            || self.travel.0[lane] > JACOBIAN_REFRESH_PATH
            || static_friction != self.static_friction.0[lane]
            || dynamic_friction != self.dynamic_friction.0[lane]
            || rolling_friction != self.rolling_friction.0[lane]
    }

    /// True if the block names the bodies of its lane slots and moves only movable ones.
    #[cfg(feature = "serialize")]
    pub fn fits(&self, layout: &super::layout::Layout, number: usize) -> bool {
        let slots = &layout.lane_slots;
        let lane_fits = |lane: usize| {
            let movable = slots.states[number][lane].map(|state| layout.is_movable(state));
            let writes = [self.write_a, self.write_b].map(|bits| bits >> lane & 1 == 1);
            [self.a[lane], self.b[lane]] == slots.states[number][lane].map(|state| state * BODY_STATE_LEN as u32)
                && usize::from(self.counts[lane]) <= MAX_POINTS
                && (!writes[0] || movable[0])
                && (!writes[1] || movable[1])
        };
        self.count as usize <= MAX_POINTS && (0..WIDTH).all(lane_fits)
    }

    /// True if the inertia of all its bodies is isotropic, as for balls and cubes: then one scalar
    /// is a whole inverse inertia.
    #[inline(always)]
    pub fn is_isotropic(&self) -> bool {
        self.anisotropic == 0
    }

    /// Clears the impulses of a lane.
    pub fn clear_impulses(&mut self, lane: usize) {
        let Self { tangent_impulse, twist_impulse, rolling_impulse, points, .. } = self;
        let rows = points.iter_mut().map(|rows| &mut rows.impulse);
        for row in tangent_impulse.iter_mut().chain(rolling_impulse).chain([twist_impulse]).chain(rows) {
            row.0[lane] = 0.0;
        }
    }

    /// Clears a lane.
    pub fn clear_lane(&mut self, lane: usize) {
        let none = ContactRef::default();
        let empty = Manifold { normal: Vec3::Y, ..Manifold::default() };
        self.fill(lane, &none, &empty, ([&SolverBody::FIXED; 2], [1.0; 2]), [0; 2], 0.0);
        set_bit(&mut self.filled, lane, false);
        let frame = self.normal.iter_mut().chain(&mut self.tangent);
        let masses = self.normal_matrix.iter_mut().chain(&mut self.friction_mass);
        let sums = [&mut self.twist_mass, &mut self.stiffness_a, &mut self.stiffness_b];
        for row in frame.chain(masses).chain(sums) {
            row.0[lane] = 0.0;
        }
    }

    /// Fills one lane from a manifold. `scales` multiply the inverse inertias of its bodies, and
    /// `states` are their state indices; impulses are multiplied by `scale`, from a whole step to a
    /// substep. With a scale below 1 the lane is filled again in the next step.
    ///
    /// The centre of the manifold is its centre of pressure, where the friction of a sliding face
    /// has its resultant. A manifold without impulses, or with impulses too small to have a
    /// reciprocal, takes the mean of its deepest points. Lever arms lead to the points midway
    /// between the two surfaces, the same in the world for both bodies, so that angular momentum is
    /// conserved.
    pub fn fill(
        &mut self,
        lane: usize,
        contact: &ContactRef,
        manifold: &Manifold,
        (bodies, scales): ([&SolverBody; 2], [Real; 2]),
        states: [u32; 2],
        scale: Real,
    ) {
        assert!(lane < WIDTH);
        let n = manifold.normal;
        let (t1, _) = orthonormal_basis(n);
        let t2 = n.cross(t1);
        let [to_world_a, to_world_b] = bodies.map(|body| Mat3::from_quat(body.orientation));
        let count = (manifold.count as usize).min(MAX_POINTS);
        let points = &manifold.points[..count];

        let load: Real = points.iter().map(|p| p.normal_impulse).sum();
        let deepest = points.iter().fold(Real::INFINITY, |s, p| s.min(p.separation));
        let mut weights = [0.0; MAX_POINTS];
        let (mut arms_a, mut arms_b) = ([Vec3::ZERO; MAX_POINTS], [Vec3::ZERO; MAX_POINTS]);
        let (mut centre_a, mut centre_b, mut total) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for (k, p) in points.iter().enumerate() {
            let half = n * (0.5 * p.separation);
            arms_a[k] = to_world_a * p.anchor_a + half;
            arms_b[k] = to_world_b * p.anchor_b - half;
            weights[k] = if count == 1 {
                // Its own centre to the last bit, as the kernel of single points assumes.
                1.0
            } else if load >= Real::MIN_POSITIVE {
                p.normal_impulse
            } else if p.separation <= deepest.max(0.0) + CONTACT.touching {
                1.0
            } else {
                0.0
            };
            total += weights[k];
            centre_a += arms_a[k] * weights[k];
            centre_b += arms_b[k] * weights[k];
        }
        let inverse_total = if total > 0.0 { 1.0 / total } else { 0.0 };
        centre_a *= inverse_total;
        centre_b *= inverse_total;

        let mut twist_arm = 0.0;
        for (k, p) in points.iter().enumerate() {
            let offset = 0.5 * ((arms_a[k] - centre_a) + (arms_b[k] - centre_b));
            let (u, v) = (offset.dot(t1), offset.dot(t2));
            twist_arm += weights[k] * inverse_total * (u * u + v * v).sqrt();
            let lanes = &mut self.points[k];
            lanes.u.0[lane] = u;
            lanes.v.0[lane] = v;
            lanes.separation.0[lane] = p.separation;
            // Marks the point as present for `prepare`.
            lanes.mass.0[lane] = 1.0;
            lanes.impulse.0[lane] = p.normal_impulse * scale;
        }
        // Former points beyond the new count have neither mass nor impulse.
        for lanes in self.points[..usize::from(self.counts[lane])].iter_mut().skip(count) {
            let PointLanes { u, v, separation, gap, mass, impulse } = lanes;
            for row in [u, v, separation, gap, mass, impulse] {
                row.0[lane] = 0.0;
            }
        }

        [self.a[lane], self.b[lane]] = states.map(|line| line * BODY_STATE_LEN as u32);
        write_lane(&mut self.normal, lane, n);
        write_lane(&mut self.tangent, lane, t1);
        write_lane(&mut self.arm_a, lane, centre_a);
        write_lane(&mut self.arm_b, lane, centre_b);
        for k in 0..6 {
            self.inertia_a[k].0[lane] = bodies[0].inverse_inertia[k] * scales[0];
            self.inertia_b[k].0[lane] = bodies[1].inverse_inertia[k] * scales[1];
        }
        set_bit(&mut self.anisotropic, lane, !bodies.iter().all(|body| body.is_isotropic()));
        let locked = bodies.iter().any(|body| body.locked != [false; 3]);
        if locked && self.locked == 0 {
            // The first lane with locked axes: the arrays were not set before.
            (self.free_a, self.free_b) = ([Wide([1.0; WIDTH]); 3], [Wide([1.0; WIDTH]); 3]);
        }
        if locked || self.locked != 0 {
            write_lane(&mut self.free_a, lane, bodies[0].free_axes());
            write_lane(&mut self.free_b, lane, bodies[1].free_axes());
        }
        set_bit(&mut self.locked, lane, locked);
        let (twist_arm, stop_time) = twist_friction(twist_arm, bodies, [centre_a, centre_b]);
        self.twist_arm.0[lane] = twist_arm;
        self.twist_stop_time.0[lane] = stop_time;
        self.tangent_impulse[0].0[lane] = manifold.friction_impulse.dot(t1) * scale;
        self.tangent_impulse[1].0[lane] = manifold.friction_impulse.dot(t2) * scale;
        self.twist_impulse.0[lane] = manifold.twist_impulse * scale;
        self.rolling_impulse[0].0[lane] = manifold.rolling_impulse.dot(t1) * scale;
        self.rolling_impulse[1].0[lane] = manifold.rolling_impulse.dot(t2) * scale;
        self.static_friction.0[lane] = contact.surface.static_friction;
        self.dynamic_friction.0[lane] = contact.surface.dynamic_friction;
        self.rolling_friction.0[lane] = contact.surface.rolling_friction;
        set_bit(&mut self.rolling, lane, contact.surface.rolling_friction > 0.0);
        self.counts[lane] = count as u8;
        self.count = self.counts.iter().fold(0, |most, &count| most.max(u32::from(count)));
        set_bit(&mut self.write_a, lane, bodies[0].movable());
        set_bit(&mut self.write_b, lane, bodies[1].movable());
        let drive = contact.surface_velocity;
        self.surface_velocity[0].0[lane] = drive.dot(t1);
        self.surface_velocity[1].0[lane] = drive.dot(t2);
        set_bit(&mut self.moving_surface, lane, drive != Vec3::ZERO);
        let sliding = if load > 0.0 {
            manifold.sliding
        } else {
            let at = |body: &SolverBody, r: Vec3| body.linear_velocity + body.angular_velocity.cross(r);
            let slip = at(bodies[1], centre_b) - at(bodies[0], centre_a) + drive;
            (slip - n * n.dot(slip)).norm() > CONTACT.sliding_speed
        };
        set_bit(&mut self.sliding, lane, sliding);
        set_bit(&mut self.extrapolated, lane, contact.extrapolated);
        set_bit(&mut self.filled, lane, true);
        self.revisions[lane] = if scales == [1.0; 2] { contact.revision } else { 0 };
        self.travel.0[lane] = 0.0;
    }

    /// Scales all impulses, for a substep of another length.
    pub fn rescale(&mut self, factor: Real) {
        let points = self.points.iter_mut().map(|lanes| &mut lanes.impulse);
        let wides = points.chain(&mut self.tangent_impulse).chain(&mut self.rolling_impulse);
        for wide in wides.chain([&mut self.twist_impulse]) {
            for x in &mut wide.0 {
                *x *= factor;
            }
        }
    }

    /// Change of the normal velocity of one lane by its load of a substep (m/s).
    pub fn load_velocity(&self, lane: usize) -> Real {
        let load: Real = self.points[..usize::from(self.counts[lane])].iter().map(|p| p.impulse.0[lane]).sum();
        load * self.normal_matrix[0].0[lane]
    }

    /// Writes the impulses of one lane to its manifold, multiplied by `scale` from a substep to a
    /// whole step, and the separations, which the kernels have advanced.
    pub fn store(&self, lane: usize, manifold: &mut Manifold, scale: Real) {
        assert!(lane < WIDTH);
        for (p, lanes) in manifold.points_mut().iter_mut().zip(&self.points) {
            // What has overflowed tells nothing about the next step, and must not be saved.
            p.normal_impulse = finite(lanes.impulse.0[lane] * scale).unwrap_or(0.0);
            p.separation = finite(lanes.separation.0[lane]).unwrap_or(p.separation);
        }
        let (n, t1) = (read_lane(&self.normal, lane), read_lane(&self.tangent, lane));
        let t2 = n.cross(t1);
        let (f, r) = (&self.tangent_impulse, &self.rolling_impulse);
        let friction = t1 * f[0].0[lane] + t2 * f[1].0[lane];
        // The last relaxation found the friction under the load before: the final load may allow
        // less.
        let load =
            self.points[..usize::from(self.counts[lane])].iter().map(|lanes| lanes.impulse.0[lane]).sum::<Real>();
        let most = CONTACT.max_reported_friction * self.friction.0[lane] * load.max(0.0);
        let friction = friction.clamp_length_max(most) * scale;
        manifold.friction_impulse = if friction.is_finite() { friction } else { Vec3::ZERO };
        manifold.twist_impulse = self.twist_impulse.0[lane] * scale;
        manifold.rolling_impulse = (t1 * r[0].0[lane] + t2 * r[1].0[lane]) * scale;
        manifold.sliding = self.sliding >> lane & 1 == 1;
    }
}

/// A number, unless it is infinite or none.
fn finite(x: Real) -> Option<Real> {
    x.is_finite().then_some(x)
}
