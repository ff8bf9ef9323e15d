//! A block of constraints: eight manifolds side by side, in reduced manifold space.
//!
//! All points of a manifold share its normal, so the row of a point is the row of the manifold's centre plus a turn
//! about the tangents: with `u`, `v` the point's offsets along `t1`, `t2` from the centre, its normal velocity is
//! `y0 + v y1 - u y2`, where `y0` is the normal velocity at the centre and `y1`, `y2` the relative angular velocity
//! about `t1`, `t2`. A 3 x 3 matrix K says what impulses do to `y`. Four points cost little more than one, and going
//! over them again touches no memory but their own.

use super::body::{LINE, SolverBody};
use super::contact::{ContactRef, Surface};
use super::lanes::{Row, WIDTH};
use crate::contact::{MAX_POINTS, Manifold};
use crate::math::{Mat3, Real, Vec3, orthonormal_basis};
use crate::tolerances::{ROWS_TRAVEL, RUBBED, SLIDING_SPEED, SPOT, SPOT_GRIP, TOUCHING};

/// One contact point in every lane.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PointRows {
    /// Offset from the manifold's centre along the first tangent (m).
    pub u: Row,
    /// Offset along the second tangent (m).
    pub v: Row,
    /// Separation at the start of the step (m).
    pub separation: Row,
    /// Separation by now (m): what the relaxation found, which the solve after it meets again.
    pub gap: Row,
    /// Effective mass (kg); 0 for a point that is not there.
    pub mass: Row,
    /// Normal impulse of a substep (N s).
    pub impulse: Row,
}

/// Eight manifolds. A lane that holds none is all zeros: it names the fixed world twice and moves nothing. Each lane is
/// filled and emptied by itself.
///
/// The blocks of a large heap do not stay in the nearer caches from one sweep to the next, so the fields lie in the order of how
/// often they are read: what each sweep does, to where a single point ends; then what patches and oblong bodies add; what a step
/// reads once; and what only some surfaces and bodies have.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Block {
    /// Where the lines of the first and of the second body begin, in scalars.
    pub a: [u32; WIDTH],
    pub b: [u32; WIDTH],
    /// Lanes whose first, second body is moved by impulses, one bit a lane.
    pub write_a: u32,
    pub write_b: u32,
    /// Lanes that slid in the last relaxation, one bit a lane.
    pub sliding: u32,
    /// Lanes with rolling friction, and lanes with a body that cannot move along some axis of the world, one bit a lane.
    pub rolling: u32,
    pub locked: u32,
    /// Lanes with a body that does not turn alike about all axes, one bit a lane.
    pub oblong: u32,
    /// Lanes with a surface that runs, one bit a lane.
    pub driven: u32,
    /// The most points of a lane.
    pub count: u32,
    /// Unit normal from the first body to the second.
    pub normal: [Row; 3],
    /// The manifold's centre from the centre of mass of the first and the second body (m).
    pub lever_a: [Row; 3],
    pub lever_b: [Row; 3],
    /// The contact's spring: see `super::soft`.
    pub rate: Row,
    pub mass_scale: Row,
    pub impulse_scale: Row,
    /// First tangent.
    pub tangent: [Row; 3],
    /// Coefficient of friction in force.
    pub friction: Row,
    /// Inverse of the 2 x 2 matrix of friction at the centre (kg): 11, 22, 12.
    pub friction_mass: [Row; 3],
    /// Effective inertia about the normal (kg m²).
    pub twist_mass: Row,
    /// Mean distance of the load from the centre (m): the arm of friction about the normal.
    pub arm: Row,
    /// How long that friction takes to stop a turn (s): see [`grip`].
    pub grip: Row,
    /// Friction impulse along the tangents (N s), about the normal (N m s).
    pub tangent_impulse: [Row; 2],
    pub twist_impulse: Row,
    pub points: [PointRows; MAX_POINTS],
    /// K: 00, 11, 22, 01, 02, 12.
    pub coupling: [Row; 6],
    /// Inverse inertias in world axes.
    pub inertia_a: [Row; 6],
    pub inertia_b: [Row; 6],
    /// How much the touching points stiffen the first and the second body: see `kernels::stiffen`.
    pub stiffness_a: Row,
    pub stiffness_b: Row,
    pub static_friction: Row,
    pub dynamic_friction: Row,
    /// Rolling friction (m).
    pub rolling_friction: Row,
    /// How far the surfaces moved, at most, since each lane was filled (m).
    pub travel: Row,
    /// The revision of the contact that each lane was filled from, and which lanes were, one bit a lane.
    pub revisions: [u32; WIDTH],
    pub filled: u32,
    /// The substep that the impulses belong to (s).
    pub h: Real,
    /// Points of each lane.
    pub counts: [u8; WIDTH],
    /// Impulse of rolling friction about the tangents (N m s).
    pub rolling_impulse: [Row; 2],
    /// Where some lane is `driven`: the running of the surfaces along the tangents (m/s).
    pub drive: [Row; 2],
    /// Where some lane is `locked`: 1 for the axes along which each body can move, 0 for the others.
    pub free_a: [Row; 3],
    pub free_b: [Row; 3],
}

/// Writes a vector into a lane of three rows.
#[inline(always)]
fn put(rows: &mut [Row; 3], lane: usize, v: Vec3) {
    for (row, x) in rows.iter_mut().zip(v.to_array()) {
        row.0[lane] = x;
    }
}

/// Reads a vector from a lane of three rows.
#[inline(always)]
fn take(rows: &[Row; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0].0[lane], rows[1].0[lane], rows[2].0[lane])
}

/// The arm (m) of friction about the normal of a patch whose load is this far from its centre in the mean, and how long it
/// takes to stop a slow turn (s).
///
/// A point of contact is a spot in truth. Where surfaces are pressed together at a point, friction resists a turn with `3 pi / 16` of
/// the spot's radius as its arm (Johnson, "Contact Mechanics", 1985, section 7.4), and the radius grows with those of the bodies:
/// [`SPOT`] takes the distance to the nearer centre of mass. Of a slow turn the rim of the spot slips and its middle does
/// not, and so it gives way little by little: what swings on a spot comes to hang as if there were none.
fn grip(arm: Real, bodies: [&SolverBody; 2], levers: [Vec3; 2]) -> (Real, Real) {
    let sizes = bodies.iter().zip(levers).filter(|(body, _)| body.movable()).map(|(_, lever)| lever.length());
    let spot = SPOT * sizes.reduce(Real::min).unwrap_or(0.0);
    if arm < spot { (spot, SPOT_GRIP) } else { (arm, 0.0) }
}

/// Sets or clears the bit of a lane.
#[inline(always)]
fn mark(bits: &mut u32, lane: usize, on: bool) {
    *bits = *bits & !(1 << lane) | u32::from(on) << lane;
}

impl Block {
    /// Whether the rows of a lane are not, or no longer, those of its contact: it was never filled, its manifold was
    /// written anew, or its surfaces changed or moved too far.
    #[inline]
    pub fn is_stale(&self, lane: usize, contact: &ContactRef) -> bool {
        assert!(lane < WIDTH);
        let Surface { static_friction, dynamic_friction, rolling_friction } = contact.surface;
        self.filled >> lane & 1 == 0
            || contact.revision == 0
            || contact.revision != self.revisions[lane]
            || self.travel.0[lane] > ROWS_TRAVEL
            || static_friction != self.static_friction.0[lane]
            || dynamic_friction != self.dynamic_friction.0[lane]
            || rolling_friction != self.rolling_friction.0[lane]
    }

    /// Whether it names what its seats in a layout do, and moves only what can be moved.
    #[cfg(feature = "serialize")]
    pub fn fits(&self, layout: &super::layout::Layout, number: usize) -> bool {
        let seats = &layout.seats;
        let lane_fits = |lane: usize| {
            let movable = seats.lines[number][lane].map(|line| layout.moves(line));
            let writes = [self.write_a, self.write_b].map(|bits| bits >> lane & 1 == 1);
            [self.a[lane], self.b[lane]] == seats.lines[number][lane].map(|line| line * LINE as u32)
                && usize::from(self.counts[lane]) <= MAX_POINTS
                && (!writes[0] || movable[0])
                && (!writes[1] || movable[1])
        };
        self.count as usize <= MAX_POINTS && (0..WIDTH).all(lane_fits)
    }

    /// Whether all its bodies turn alike about all axes, as balls and cubes do: then one row of an inverse inertia tells it all.
    #[inline(always)]
    pub fn is_round(&self) -> bool {
        self.oblong == 0
    }

    /// Empties a lane.
    pub fn vacate(&mut self, lane: usize) {
        let nobody = ContactRef::default();
        let nothing = Manifold { normal: Vec3::Y, ..Manifold::default() };
        self.fill(lane, &nobody, &nothing, [&SolverBody::FIXED; 2], [0; 2], 0.0);
        mark(&mut self.filled, lane, false);
        let frame = self.normal.iter_mut().chain(&mut self.tangent);
        let masses = self.coupling.iter_mut().chain(&mut self.friction_mass);
        let sums = [&mut self.twist_mass, &mut self.stiffness_a, &mut self.stiffness_b];
        for row in frame.chain(masses).chain(sums) {
            row.0[lane] = 0.0;
        }
    }

    /// Fills one lane from a manifold. `lines` are the lines of its bodies; impulses are scaled by `scale` on the way
    /// in, from a whole step to a substep.
    ///
    /// The centre of the manifold is its centre of pressure, where the friction of a sliding patch has its resultant;
    /// a manifold that carries nothing yet, or no more than what has decayed to a number without a reciprocal, takes the mean of its
    /// deepest points. Levers go to the points midway
    /// between the two surfaces, the same in the world for both bodies, so that angular momentum is kept.
    pub fn fill(
        &mut self,
        lane: usize,
        contact: &ContactRef,
        manifold: &Manifold,
        bodies: [&SolverBody; 2],
        lines: [u32; 2],
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
        let (mut levers_a, mut levers_b) = ([Vec3::ZERO; MAX_POINTS], [Vec3::ZERO; MAX_POINTS]);
        let (mut centre_a, mut centre_b, mut total) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for (k, p) in points.iter().enumerate() {
            let half = n * (0.5 * p.separation);
            levers_a[k] = to_world_a * p.anchor_a + half;
            levers_b[k] = to_world_b * p.anchor_b - half;
            weights[k] = if count == 1 {
                // Its own centre to the last bit, as the kernel of single points takes it to be.
                1.0
            } else if load >= Real::MIN_POSITIVE {
                p.normal_impulse
            } else if p.separation <= deepest.max(0.0) + TOUCHING {
                1.0
            } else {
                0.0
            };
            total += weights[k];
            centre_a += levers_a[k] * weights[k];
            centre_b += levers_b[k] * weights[k];
        }
        let share = if total > 0.0 { 1.0 / total } else { 0.0 };
        centre_a *= share;
        centre_b *= share;

        let mut arm = 0.0;
        for (k, p) in points.iter().enumerate() {
            let offset = 0.5 * ((levers_a[k] - centre_a) + (levers_b[k] - centre_b));
            let (u, v) = (offset.dot(t1), offset.dot(t2));
            arm += weights[k] * share * (u * u + v * v).sqrt();
            let rows = &mut self.points[k];
            rows.u.0[lane] = u;
            rows.v.0[lane] = v;
            rows.separation.0[lane] = p.separation;
            // Tells `finish` that the point is there.
            rows.mass.0[lane] = 1.0;
            rows.impulse.0[lane] = p.normal_impulse * scale;
        }
        // Whatever lies behind the points that were there before has no mass and carries nothing.
        for rows in self.points[..usize::from(self.counts[lane])].iter_mut().skip(count) {
            let PointRows { u, v, separation, gap, mass, impulse } = rows;
            for row in [u, v, separation, gap, mass, impulse] {
                row.0[lane] = 0.0;
            }
        }

        [self.a[lane], self.b[lane]] = lines.map(|line| line * LINE as u32);
        put(&mut self.normal, lane, n);
        put(&mut self.tangent, lane, t1);
        put(&mut self.lever_a, lane, centre_a);
        put(&mut self.lever_b, lane, centre_b);
        for k in 0..6 {
            self.inertia_a[k].0[lane] = bodies[0].inverse_inertia[k];
            self.inertia_b[k].0[lane] = bodies[1].inverse_inertia[k];
        }
        mark(&mut self.oblong, lane, !bodies.iter().all(|body| body.is_round()));
        let locked = bodies.iter().any(|body| body.locked != [false; 3]);
        if locked && self.locked == 0 {
            // Nobody has asked until now.
            (self.free_a, self.free_b) = ([Row([1.0; WIDTH]); 3], [Row([1.0; WIDTH]); 3]);
        }
        if locked || self.locked != 0 {
            put(&mut self.free_a, lane, bodies[0].free());
            put(&mut self.free_b, lane, bodies[1].free());
        }
        mark(&mut self.locked, lane, locked);
        let (arm, grip) = grip(arm, bodies, [centre_a, centre_b]);
        self.arm.0[lane] = arm;
        self.grip.0[lane] = grip;
        self.tangent_impulse[0].0[lane] = manifold.friction_impulse.dot(t1) * scale;
        self.tangent_impulse[1].0[lane] = manifold.friction_impulse.dot(t2) * scale;
        self.twist_impulse.0[lane] = manifold.twist_impulse * scale;
        self.rolling_impulse[0].0[lane] = manifold.rolling_impulse.dot(t1) * scale;
        self.rolling_impulse[1].0[lane] = manifold.rolling_impulse.dot(t2) * scale;
        self.static_friction.0[lane] = contact.surface.static_friction;
        self.dynamic_friction.0[lane] = contact.surface.dynamic_friction;
        self.rolling_friction.0[lane] = contact.surface.rolling_friction;
        mark(&mut self.rolling, lane, contact.surface.rolling_friction > 0.0);
        self.counts[lane] = count as u8;
        self.count = self.counts.iter().fold(0, |most, &count| most.max(u32::from(count)));
        mark(&mut self.write_a, lane, bodies[0].movable());
        mark(&mut self.write_b, lane, bodies[1].movable());
        let drive = contact.surface_velocity;
        self.drive[0].0[lane] = drive.dot(t1);
        self.drive[1].0[lane] = drive.dot(t2);
        mark(&mut self.driven, lane, drive != Vec3::ZERO);
        let sliding = if load > 0.0 {
            manifold.sliding
        } else {
            let at = |body: &SolverBody, r: Vec3| body.linear_velocity + body.angular_velocity.cross(r);
            let slip = at(bodies[1], centre_b) - at(bodies[0], centre_a) + drive;
            (slip - n * n.dot(slip)).length() > SLIDING_SPEED
        };
        mark(&mut self.sliding, lane, sliding);
        mark(&mut self.filled, lane, true);
        self.revisions[lane] = contact.revision;
        self.travel.0[lane] = 0.0;
    }

    /// Scales all impulses, for a substep of another length.
    pub fn rescale(&mut self, factor: Real) {
        let points = self.points.iter_mut().map(|rows| &mut rows.impulse);
        let rows = points.chain(&mut self.tangent_impulse).chain(&mut self.rolling_impulse);
        for row in rows.chain([&mut self.twist_impulse]) {
            for x in &mut row.0 {
                *x *= factor;
            }
        }
    }

    /// Writes the impulses of one lane back to its manifold, scaled by `scale` from a substep to a whole step, and
    /// the separations, which the kernels have advanced.
    pub fn store(&self, lane: usize, manifold: &mut Manifold, scale: Real) {
        assert!(lane < WIDTH);
        for (p, rows) in manifold.points_mut().iter_mut().zip(&self.points) {
            p.normal_impulse = rows.impulse.0[lane] * scale;
            p.separation = rows.separation.0[lane];
        }
        let (n, t1) = (take(&self.normal, lane), take(&self.tangent, lane));
        let t2 = n.cross(t1);
        let (f, r) = (&self.tangent_impulse, &self.rolling_impulse);
        let friction = t1 * f[0].0[lane] + t2 * f[1].0[lane];
        // The last relaxation found it under the load before: what was left by then is not rubbed.
        let load = self.points[..usize::from(self.counts[lane])].iter().map(|rows| rows.impulse.0[lane]).sum::<Real>();
        manifold.friction_impulse = friction.clamp_length_max(RUBBED * self.friction.0[lane] * load.max(0.0)) * scale;
        manifold.twist_impulse = self.twist_impulse.0[lane] * scale;
        manifold.rolling_impulse = (t1 * r[0].0[lane] + t2 * r[1].0[lane]) * scale;
        manifold.sliding = self.sliding >> lane & 1 == 1;
    }
}
