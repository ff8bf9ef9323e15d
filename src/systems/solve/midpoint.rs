//! Re-linearisation of an island at the midpoint of the step.
//!
//! Contact points and normals turn with bodies that turn while they touch: a spinning top's tip, a
//! face tipping over an edge. Forces along the normals of the step's start, at the points of its
//! start, are late by half a step. So an island that turns is solved twice: at the start, and at
//! the midpoint of the first solution. Its shapes are collided again at the end of that solution.
//! Impulses act along the mean of both normals, at the mean of both arms; non-penetration and
//! sticking are asked of the velocities at the end. The motion is then of second order, and errors
//! of the start are not carried on (compare the last term of `b` in Baber 2006, section 3.4, for
//! rotating contacts).

use super::assemble::{BodyPose, SolveContext};
use super::body_step::BodyStep;
use crate::contact::kernels::{LocalManifold, LocalPoint, Manifolds, PairCache, PairKernels, collide_with};
use crate::contact::{Contact, Pair, Status};
use crate::islands::Island;
use crate::math::{DMat3, DQuat, DVec3, Pose, Quat, Real, from_f64, to_f64};
use crate::resting::{self, Body, WORLD};
use crate::tolerances::{CONTACT, GEOMETRY, MIDPOINT, MIDPOINT_ERP};
use std::cell::RefCell;

/// Bisections for the time at which a loaded contact ends within the step. Fewer: the impulse of a
/// face that slides off an edge acts for too long. More: time.
const MIDPOINT_BISECTIONS: u32 = 6;

thread_local! {
    /// Buffer of the kernels; overwritten before each use.
    static MANIFOLDS: RefCell<Manifolds> = RefCell::default();
}

/// The narrow phase of the midpoint.
pub(super) struct Midpoint<'a> {
    pub kernels: &'a PairKernels,
    /// Whether the game edits contacts: then none is collided again.
    pub edits: bool,
}

impl Midpoint<'_> {
    /// Takes the bodies of an island half-way along their `steps`, with their contacts, whose
    /// biases then are those of the step's end. Contacts that change their features on the way,
    /// come from a source, or are edited by the game keep their biases.
    pub fn advance(
        &self,
        context: &SolveContext,
        island: &Island,
        steps: &[BodyStep],
        bodies: &mut [Body],
        (contacts, gaps, impulses): (&mut [resting::Contact], &[f64], &[DVec3]),
    ) {
        for (body, step) in bodies.iter_mut().zip(steps) {
            body.position += 0.5 * step.displacement;
            body.principal_axes = DMat3::from_quat(DQuat::from_scaled_axis(0.5 * step.rotation)) * body.principal_axes;
        }
        MANIFOLDS.with_borrow_mut(|manifolds| {
            let mut next = 0;
            for c in &context.graph.contacts[island.contact_range()] {
                let manifold = &context.graph.manifolds[c.manifold as usize];
                let range = next..next + manifold.count as usize;
                next = range.end;
                let (points, gaps) = (&mut contacts[range.clone()], &gaps[range.clone()]);
                let Some(normal) = points.first().map(|contact| contact.normal) else { continue };
                let (sides, found) =
                    self.end_of_contact(context, c, (normal, &impulses[range]), (steps, bodies), manifolds);
                let status = context.graph.status[c.pair as usize];
                let (is_round, composite) = (status.has(Status::ROUND), status.has(Status::COMPOSITE));
                let follow = |contact: &mut _| if is_round { roll(contact, &sides) } else { advect(contact, &sides) };
                for ((contact, &gap), p) in points.iter_mut().zip(gaps).zip(manifold.points()) {
                    contact.bias -= residual_gap_bias(gap, context);
                    let at_end = |found: &Found| {
                        let rolled_on = || composite.then(|| found.nearest(context, c, contact, &sides)).flatten();
                        let point = found.point(context, c, contact, p.feature).or_else(rolled_on);
                        Some((point?, found.normal))
                    };
                    match found.as_ref().and_then(at_end) {
                        Some((point, normal)) => linearise_between(contact, &sides, point, normal),
                        None => follow(contact),
                    }
                }
            }
        });
    }

    /// Collides persistent manifolds again whose bodies have moved since: the points of a manifold
    /// move with the bodies, and lag behind when a face slides over an edge.
    pub fn refresh_points(&self, context: &SolveContext, island: &Island, contacts: &mut [resting::Contact]) {
        let bodies = context.bodies;
        let least = f64::from(GEOMETRY.same_point * context.settings.length_unit);
        MANIFOLDS.with_borrow_mut(|manifolds| {
            let mut next = 0;
            for c in &context.graph.contacts[island.contact_range()] {
                let manifold = &context.graph.manifolds[c.manifold as usize];
                let points = &mut contacts[next..next + manifold.count as usize];
                next += points.len();
                let poses = [c.a, c.b].map(|slot| context.pose(slot as usize));
                let now = poses[0].orientation.inverse() * (poses[1].center - poses[0].center);
                let then = context.relative_center(c);
                if context.graph.status[c.pair as usize].has(Status::ROUND) || (now - then).length() <= least {
                    continue;
                }
                let Some(normal_then) = points.first().map(|contact| contact.normal) else { continue };
                let Some((local, normal)) = self.collide(context, c, (&poses, normal_then), 0.0, manifolds) else {
                    continue;
                };
                if points.iter().any(|contact| (normal - contact.normal).length() > MIDPOINT.same_contact_normal) {
                    continue;
                }
                let angular_velocity = |slot: u32| match bodies.is_moving(slot as usize) {
                    true => to_f64(bodies.angular_velocity[slot as usize]),
                    false => DVec3::ZERO,
                };
                let (turning, found) = (angular_velocity(c.b) - angular_velocity(c.a), Found { poses, local, normal });
                for (contact, p) in points.iter_mut().zip(manifold.points()) {
                    if let Some(point) = found.point(context, c, contact, p.feature) {
                        contact.bias += turning.cross(point - contact.point).dot(contact.normal);
                        contact.point = point;
                    }
                }
            }
        });
    }

    /// The bodies of a contact at the step's end, and the contact found there. If a loaded point is
    /// gone by then, a face has slid off an edge: then both at the last moment at which the point
    /// is found, by bisection, because the impulse acts until then.
    fn end_of_contact(
        &self,
        context: &SolveContext,
        c: &Contact,
        (normal, impulses): (DVec3, &[DVec3]),
        (steps, bodies): (&[BodyStep], &[Body]),
        manifolds: &mut Manifolds,
    ) -> ([SideMotion; 2], Option<Found>) {
        let points = context.graph.manifolds[c.manifold as usize].points();
        let presses =
            || impulses.iter().zip(points).filter(|(j, _)| **j != DVec3::ZERO).map(|(_, point)| point.feature);
        let mut at = |part: f64| {
            let sides = [c.a, c.b].map(|slot| SideMotion::new(context, slot, (steps, bodies), part));
            let found = self.collide_at_end(context, c, &sides, normal, manifolds);
            let holds = found.as_ref().is_some_and(|found| presses().all(|feature| found.has(feature)));
            (holds, (sides, found))
        };
        let (holds, mut end_of_contact) = at(1.0);
        // Features of different parts of a composite are not comparable.
        let composite = context.graph.status[c.pair as usize].has(Status::COMPOSITE);
        if holds || composite || presses().next().is_none() {
            return end_of_contact;
        }
        let (mut there, mut gone) = (0.0, 1.0);
        for _ in 0..MIDPOINT_BISECTIONS {
            let between = 0.5 * (there + gone);
            match at(between) {
                (true, found) => (there, end_of_contact) = (between, found),
                (false, _) => gone = between,
            }
        }
        end_of_contact
    }

    /// The contact at the end, unless its normal has turned further than the bodies can explain.
    fn collide_at_end(
        &self,
        context: &SolveContext,
        c: &Contact,
        sides: &[SideMotion; 2],
        normal: DVec3,
        manifolds: &mut Manifolds,
    ) -> Option<Found> {
        let [a, b] = sides;
        let poses = [a.end, b.end];
        let way = (a.end.center - a.start.center).length() + (b.end.center - b.start.center).length();
        let (local, there) = self.collide(context, c, (&poses, normal), way, manifolds)?;
        ((there - normal).length() <= MIDPOINT.same_contact_turns * (a.turn() + b.turn())).then_some(Found {
            poses,
            local,
            normal: there,
        })
    }

    /// Collides the shapes of a contact at these poses. Returns the manifold whose normal is
    /// closest to `normal`, and its normal in world axes. `way` (m) extends the distance of
    /// detection.
    fn collide(
        &self,
        context: &SolveContext,
        c: &Contact,
        (poses, normal): (&[BodyPose; 2], DVec3),
        way: f64,
        manifolds: &mut Manifolds,
    ) -> Option<(LocalManifold, DVec3)> {
        let status = context.graph.status[c.pair as usize];
        // A round body rolls from part to part of a composite, where the same pair has other
        // points; see `roll`.
        let rolls_on = status.has(Status::ROUND) && status.has(Status::COMPOSITE);
        if self.edits || status.has(Status::SOURCE) || rolls_on {
            return None;
        }
        let pair = &context.graph.pairs[c.pair as usize];
        let [origin_a, origin_b] = [(&poses[0], c.a), (&poses[1], c.b)]
            .map(|(pose, slot)| pose.center - pose.orientation * to_f64(context.bodies.local_center[slot as usize]));
        let into_a = poses[0].orientation.inverse();
        let q = into_a * poses[1].orientation;
        let rotation = Quat::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real).normalize();
        let relative = Pose::from_parts(from_f64(into_a * (origin_b - origin_a)), rotation);
        let [local_a, local_b] = [pair.a, pair.b].map(|collider| &context.colliders.local[collider as usize]);
        let b_in_a = local_a.inv_mul(&(relative * *local_b));
        let [shape_a, shape_b] =
            [pair.a, pair.b].map(|collider| context.colliders.geometry[collider as usize].as_ref());
        let manifold = &context.graph.manifolds[c.manifold as usize];
        let farthest = manifold.points().iter().map(|p| p.separation).fold(0.0, Real::max);
        let asked = farthest + way as Real + CONTACT.speculative_margin * context.settings.length_unit;
        // A new cache: the result depends on the poses only.
        let mut cache = PairCache::default();
        collide_with(self.kernels, shape_a?, shape_b?, &b_in_a, asked, &mut cache, manifolds).ok()?;
        let found = manifolds.as_slice().iter().map(|local| (*local, direction(context, pair, &poses[0], local)));
        found.max_by(|(_, one), (_, other)| one.dot(normal).total_cmp(&other.dot(normal)))
    }
}

/// Largest rotation of a body in the step (rad).
pub(super) fn rotation(steps: &[BodyStep]) -> f64 {
    steps.iter().map(|step| step.rotation.length()).fold(0.0, f64::max)
}

/// A contact that was collided again.
struct Found {
    /// Poses of its bodies.
    poses: [BodyPose; 2],
    local: LocalManifold,
    /// Its normal in world axes.
    normal: DVec3,
}

impl Found {
    /// Whether it has a point of this feature.
    fn has(&self, feature: u32) -> bool {
        self.local.points().iter().any(|point| point.feature == feature)
    }

    /// The point of this feature, if it is still there.
    fn point(&self, context: &SolveContext, c: &Contact, contact: &resting::Contact, feature: u32) -> Option<DVec3> {
        let pair = &context.graph.pairs[c.pair as usize];
        let found = self.local.points().iter().find(|point| point.feature == feature)?;
        Some(self.place(context, pair, contact, found))
    }

    /// The successor of a point on another part. Of the points within reach of the place where it
    /// would be if it rolled and where it would be if it stayed with the bodies, it is the one
    /// closest to their mean; the reach is the distance of the two.
    fn nearest(
        &self,
        context: &SolveContext,
        c: &Contact,
        contact: &resting::Contact,
        sides: &[SideMotion; 2],
    ) -> Option<DVec3> {
        let pair = &context.graph.pairs[c.pair as usize];
        let mut ends = [*contact; 2];
        roll(&mut ends[0], sides);
        advect(&mut ends[1], sides);
        // Both are midpoints.
        let [rolled, advected] = ends.map(|end| 2.0 * end.point - contact.point);
        let reach = (rolled - advected).length();
        let between = 0.5 * (rolled + advected);
        let places = self.local.points().iter().map(|found| self.place(context, pair, contact, found));
        let near = places.map(|place| ((place - between).length(), place)).filter(|(far, _)| *far <= reach);
        near.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, place)| place)
    }

    /// World position of a point that was found.
    fn place(&self, context: &SolveContext, pair: &Pair, contact: &resting::Contact, found: &LocalPoint) -> DVec3 {
        let anchors =
            [(pair.a, found.point_a), (pair.b, found.point_b)].map(|(collider, point)| context.anchor(collider, point));
        let numbers = [contact.first, contact.second];
        context.touch_point(pair, [&self.poses[0], &self.poses[1]], numbers, anchors, self.normal)
    }
}

/// A body of a contact at the start and the end of the step, or of the contact.
struct SideMotion {
    start: BodyPose,
    end: BodyPose,
    /// Velocities at the step's end.
    velocity: DVec3,
    angular_velocity: DVec3,
    /// Velocities that other forces add after the end of the contact.
    later: [DVec3; 2],
    /// Rotation vector from start to end (rad).
    rotation: DVec3,
}

impl SideMotion {
    /// A body after a part of its step, at the end of the contact.
    fn new(context: &SolveContext, slot: u32, (steps, bodies): (&[BodyStep], &[Body]), part: f64) -> Self {
        let (all, at, h) = (context.bodies, slot as usize, f64::from(context.dt));
        let start = context.pose(at);
        let (mut velocity, mut angular_velocity, mut later) = (DVec3::ZERO, DVec3::ZERO, [DVec3::ZERO; 2]);
        let (displacement, rotation);
        if all.is_active(at) {
            let place = context.index[at] as usize;
            let (step, body) = (&steps[place], &bodies[place]);
            (velocity, angular_velocity) = (step.velocity, step.angular_velocity);
            (displacement, rotation) = (step.displacement, step.rotation);
            later = [body.acceleration, body.angular_acceleration].map(|faster| faster * ((1.0 - part) * h));
        } else {
            if all.is_moving(at) {
                (velocity, angular_velocity) = (to_f64(all.linear_velocity[at]), to_f64(all.angular_velocity[at]));
            }
            (displacement, rotation) = (velocity * h, angular_velocity * h);
        }
        let (displacement, rotation) = (displacement * part, rotation * part);
        let orientation = DQuat::from_scaled_axis(rotation) * start.orientation;
        let end = BodyPose { center: start.center + displacement, orientation };
        Self { start, end, velocity, angular_velocity, later, rotation }
    }

    /// Angle between start and end (rad).
    fn turn(&self) -> f64 {
        self.rotation.length()
    }

    /// Position at the end of a point fixed to the body.
    fn advected(&self, point: DVec3) -> DVec3 {
        self.end.center + self.end.orientation * (self.start.orientation.inverse() * (point - self.start.center))
    }

    /// Velocity at the end of a point that moves from `start` to `end`, and the same with the mean
    /// arm.
    fn velocities(&self, start: DVec3, end: DVec3) -> [DVec3; 2] {
        let arm = end - self.end.center;
        let mean = 0.5 * (arm + (start - self.start.center));
        let [slower, turns_slower] = self.later;
        let there = (self.velocity - slower) + (self.angular_velocity - turns_slower).cross(arm);
        [there, self.velocity + self.angular_velocity.cross(mean)]
    }
}

/// Normal of a manifold in world axes.
fn direction(context: &SolveContext, pair: &Pair, a: &BodyPose, local: &LocalManifold) -> DVec3 {
    let mount = &context.colliders.local[pair.a as usize];
    (a.orientation * to_f64(mount.rotation * local.normal)).normalize()
}

/// Bias (m/s) that slows the closing of a separation as small as the error of a step, so that
/// closing it adds no motion.
fn residual_gap_bias(gap: f64, context: &SolveContext) -> f64 {
    let error = f64::from(MIDPOINT.gap * context.settings.length_unit);
    if gap > 0.0 && gap <= error { (1.0 - MIDPOINT_ERP) * gap / f64::from(context.dt) } else { 0.0 }
}

/// Moves a contact half-way to its position at the end, with the bias and surface velocity that ask
/// the same of the velocities as there. Kinematic bodies have their velocity of the end already.
fn linearise_between(contact: &mut resting::Contact, [a, b]: &[SideMotion; 2], point: DVec3, normal: DVec3) {
    let velocities = |number: u32, side: &SideMotion| {
        if number == WORLD { [DVec3::ZERO; 2] } else { side.velocities(contact.point, point) }
    };
    let (on_a, on_b) = (velocities(contact.first, a), velocities(contact.second, b));
    let (end, mean) = (on_b[0] - on_a[0], on_b[1] - on_a[1]);
    let between = (contact.normal + normal).normalize();
    let driven = contact.surface_velocity;
    contact.bias += (end + driven).dot(normal) - (mean + driven).dot(between);
    let slides = end - mean;
    contact.surface_velocity += slides - between * between.dot(slides);
    (contact.point, contact.normal) = (0.5 * (contact.point + point), between);
}

/// Moves the contact of a round body half-way: it moves with the centre and turns about the normal
/// only, as the surface rolls on under it. The points under the ends of a capsule have to turn with
/// it about the normal, or it would tip and sink in with one end.
fn roll(contact: &mut resting::Contact, sides: &[SideMotion; 2]) {
    let [a, b] = sides;
    let end = |side: &SideMotion| {
        let turned = DQuat::from_scaled_axis(contact.normal * side.rotation.dot(contact.normal));
        side.end.center + turned * (contact.point - side.start.center)
    };
    match (contact.first, contact.second) {
        (WORLD, _) => linearise_between(contact, sides, end(b), contact.normal),
        (_, WORLD) => linearise_between(contact, sides, end(a), contact.normal),
        _ => {
            let way = (a.end.center - a.start.center) + (b.end.center - b.start.center);
            contact.point += 0.25 * way;
        }
    }
}

/// Moves a contact half-way that is fixed to its bodies.
fn advect(contact: &mut resting::Contact, [a, b]: &[SideMotion; 2]) {
    let end = match (contact.first, contact.second) {
        (WORLD, _) => b.advected(contact.point),
        (_, WORLD) => a.advected(contact.point),
        _ => 0.5 * (a.advected(contact.point) + b.advected(contact.point)),
    };
    contact.point = 0.5 * (contact.point + end);
}
