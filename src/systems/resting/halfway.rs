//! Contacts as they will be half-way through the step.
//!
//! Where bodies turn while they touch, the points that touch and the normals turn with them: a tip goes round with its top, a
//! face tips over an edge. Forces along the normals of the step's start, at the points of its start, are late by half a step.
//! So an island that turns is solved twice: once as it stands, and once as it is between there and where that answer takes it.
//! At the step's end its shapes are collided anew. Impulses act along the mean of both normals, at the mean of both arms; that
//! contacts neither part nor slide is asked of the end. So the motion is right to second order, and what is left at the start
//! is not carried on (compare the last term of `b` in Baber 2006, section 3.4, for what turns there).

use super::moved::Moved;
use super::posing::{Context, Stand};
use crate::contact::kernels::{LocalManifold, LocalPoint, Manifolds, PairCache, PairKernels, collide_with};
use crate::contact::{Contact, Pair, Status};
use crate::islands::Island;
use crate::math::{DMat3, DQuat, DVec3, Pose, Quat, Real, from_f64, to_f64};
use crate::resting::{self, Body, WORLD};
use crate::tolerances::{
    FRESH_PATH, FRESH_SWERVE, HALFWAY_CLOSING, HALFWAY_GAP, HALFWAY_LOOKS, HALFWAY_SWERVE, SPECULATIVE_MARGIN,
};
use std::cell::RefCell;

thread_local! {
    /// Room for the kernels to work in. What is in it never shows in a result.
    static ROOM: RefCell<Manifolds> = RefCell::default();
}

/// What the shapes are collided with.
pub(super) struct Halfway<'a> {
    pub kernels: &'a PairKernels,
    /// Whether the game has a say in every contact.
    pub edits: bool,
}

impl Halfway<'_> {
    /// Takes the bodies of an island half-way along what `moved` them, and their contacts with them; these ask of the velocities
    /// what they would ask at the end. Contacts that change their kind on the way, that a source gives, or that the game edits,
    /// keep what they ask.
    pub fn advance(
        &self,
        context: &Context,
        island: &Island,
        moved: &[Moved],
        bodies: &mut [Body],
        (contacts, gaps, impulses): (&mut [resting::Contact], &[f64], &[DVec3]),
    ) {
        for (body, moved) in bodies.iter_mut().zip(moved) {
            body.position += 0.5 * moved.displacement;
            body.principal_axes = DMat3::from_quat(DQuat::from_scaled_axis(0.5 * moved.rotation)) * body.principal_axes;
        }
        ROOM.with_borrow_mut(|room| {
            let mut next = 0;
            for c in &context.graph.contacts[island.contact_range()] {
                let manifold = &context.graph.manifolds[c.manifold as usize];
                let range = next..next + manifold.count as usize;
                next = range.end;
                let (points, gaps) = (&mut contacts[range.clone()], &gaps[range.clone()]);
                let Some(normal) = points.first().map(|contact| contact.normal) else { continue };
                let (sides, found) = self.last(context, c, (normal, &impulses[range]), (moved, bodies), room);
                let status = context.graph.status[c.pair as usize];
                let (round, parted) = (status.has(Status::ROUND), status.has(Status::COMPOSITE));
                let along = |contact: &mut _| if round { glide(contact, &sides) } else { carry(contact, &sides) };
                for ((contact, &gap), p) in points.iter_mut().zip(gaps).zip(manifold.points()) {
                    contact.bias -= held_back(gap, context);
                    let again = |found: &Found| {
                        let rolled_on = || parted.then(|| found.nearest(context, c, contact, &sides)).flatten();
                        let point = found.point(context, c, contact, p.feature).or_else(rolled_on);
                        Some((point?, found.normal))
                    };
                    match found.as_ref().and_then(again) {
                        Some((point, normal)) => change(contact, &sides, point, normal),
                        None => along(contact),
                    }
                }
            }
        });
    }

    /// Takes the points of contacts that were collided a while ago to where they are now: a manifold that is kept goes with its
    /// bodies, and where a face slides over an edge its points lag behind.
    pub fn freshen(&self, context: &Context, island: &Island, contacts: &mut [resting::Contact]) {
        let bodies = context.bodies;
        let least = f64::from(FRESH_PATH * context.settings.length_unit);
        ROOM.with_borrow_mut(|room| {
            let mut next = 0;
            for c in &context.graph.contacts[island.contact_range()] {
                let manifold = &context.graph.manifolds[c.manifold as usize];
                let points = &mut contacts[next..next + manifold.count as usize];
                next += points.len();
                let stands = [c.a, c.b].map(|slot| context.stand(slot as usize));
                let place = stands[0].orientation.inverse() * (stands[1].center - stands[0].center);
                let kept = context.relative_center(c);
                if context.graph.status[c.pair as usize].has(Status::ROUND) || (place - kept).length() <= least {
                    continue;
                }
                let Some(last) = points.first().map(|contact| contact.normal) else { continue };
                let Some((local, normal)) = self.collide(context, c, (&stands, last), 0.0, room) else { continue };
                if points.iter().any(|contact| (normal - contact.normal).length() > FRESH_SWERVE) {
                    continue;
                }
                let spin = |slot: u32| match bodies.is_moving(slot as usize) {
                    true => to_f64(bodies.angular_velocity[slot as usize]),
                    false => DVec3::ZERO,
                };
                let (turning, found) = (spin(c.b) - spin(c.a), Found { stands, local, normal });
                for (contact, p) in points.iter_mut().zip(manifold.points()) {
                    if let Some(point) = found.point(context, c, contact, p.feature) {
                        contact.bias += turning.cross(point - contact.point).dot(contact.normal);
                        contact.point = point;
                    }
                }
            }
        });
    }

    /// The bodies of a contact at the step's end, and what the kernels find there. Where a point that presses is gone by then, a
    /// face slides off an edge: then both at the last moment at which it is there, for
    /// the impulse is one of the time until then.
    fn last(
        &self,
        context: &Context,
        c: &Contact,
        (normal, impulses): (DVec3, &[DVec3]),
        (moved, bodies): (&[Moved], &[Body]),
        room: &mut Manifolds,
    ) -> ([Side; 2], Option<Found>) {
        let points = context.graph.manifolds[c.manifold as usize].points();
        let presses =
            || impulses.iter().zip(points).filter(|(j, _)| **j != DVec3::ZERO).map(|(_, point)| point.feature);
        let mut at = |part: f64| {
            let sides = [c.a, c.b].map(|slot| Side::new(context, slot, (moved, bodies), part));
            let found = self.find(context, c, &sides, normal, room);
            let holds = found.as_ref().is_some_and(|found| presses().all(|feature| found.has(feature)));
            (holds, (sides, found))
        };
        let (holds, mut last) = at(1.0);
        // On another part a point has another name.
        let parted = context.graph.status[c.pair as usize].has(Status::COMPOSITE);
        if holds || parted || presses().next().is_none() {
            return last;
        }
        let (mut there, mut gone) = (0.0, 1.0);
        for _ in 0..HALFWAY_LOOKS {
            let between = 0.5 * (there + gone);
            match at(between) {
                (true, found) => (there, last) = (between, found),
                (false, _) => gone = between,
            }
        }
        last
    }

    /// What the kernels find at the end, if it is the contact that had this normal at the start.
    fn find(
        &self,
        context: &Context,
        c: &Contact,
        sides: &[Side; 2],
        normal: DVec3,
        room: &mut Manifolds,
    ) -> Option<Found> {
        let [a, b] = sides;
        let stands = [a.end, b.end];
        let way = (a.end.center - a.start.center).length() + (b.end.center - b.start.center).length();
        let (local, there) = self.collide(context, c, (&stands, normal), way, room)?;
        ((there - normal).length() <= HALFWAY_SWERVE * (a.turn() + b.turn())).then_some(Found {
            stands,
            local,
            normal: there,
        })
    }

    /// What the kernels find where the bodies stand so, and its normal in the world: of several manifolds the one whose normal is
    /// the nearest to what it was.
    fn collide(
        &self,
        context: &Context,
        c: &Contact,
        (stands, normal): (&[Stand; 2], DVec3),
        way: f64,
        room: &mut Manifolds,
    ) -> Option<(LocalManifold, DVec3)> {
        let status = context.graph.status[c.pair as usize];
        // A round body rolls on from part to part: the same two have another point then, and `glide` knows where.
        let rolls_on = status.has(Status::ROUND) && status.has(Status::COMPOSITE);
        if self.edits || status.has(Status::SOURCE) || rolls_on {
            return None;
        }
        let pair = &context.graph.pairs[c.pair as usize];
        let [origin_a, origin_b] = [(&stands[0], c.a), (&stands[1], c.b)]
            .map(|(stand, slot)| stand.center - stand.orientation * to_f64(context.bodies.local_center[slot as usize]));
        let into_a = stands[0].orientation.inverse();
        let q = into_a * stands[1].orientation;
        let rotation = Quat::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real).normalize();
        let relative = Pose::from_parts(from_f64(into_a * (origin_b - origin_a)), rotation);
        let [local_a, local_b] = [pair.a, pair.b].map(|collider| &context.colliders.local[collider as usize]);
        let b_in_a = local_a.inv_mul(&(relative * *local_b));
        let [shape_a, shape_b] =
            [pair.a, pair.b].map(|collider| context.colliders.geometry[collider as usize].as_ref());
        let manifold = &context.graph.manifolds[c.manifold as usize];
        let farthest = manifold.points().iter().map(|p| p.separation).fold(0.0, Real::max);
        let asked = farthest + way as Real + SPECULATIVE_MARGIN * context.settings.length_unit;
        // The search begins where the step's own began: what it finds depends on nothing else.
        let mut cache = PairCache::default();
        collide_with(self.kernels, shape_a?, shape_b?, &b_in_a, asked, &mut cache, room).ok()?;
        let found = room.as_slice().iter().map(|local| (*local, direction(context, pair, &stands[0], local)));
        found.max_by(|(_, one), (_, other)| one.dot(normal).total_cmp(&other.dot(normal)))
    }
}

/// The larger angle (rad) by which a body turns in the step, of all that is `moved`.
pub(super) fn turn(moved: &[Moved]) -> f64 {
    moved.iter().map(|moved| moved.rotation.length()).fold(0.0, f64::max)
}

/// A contact that was found again.
struct Found {
    /// Where its bodies stand.
    stands: [Stand; 2],
    local: LocalManifold,
    /// Its normal in the world.
    normal: DVec3,
}

impl Found {
    /// Whether there is a point of this feature.
    fn has(&self, feature: u32) -> bool {
        self.local.points().iter().any(|point| point.feature == feature)
    }

    /// Where the point of this feature is, if it is still there.
    fn point(&self, context: &Context, c: &Contact, contact: &resting::Contact, feature: u32) -> Option<DVec3> {
        let pair = &context.graph.pairs[c.pair as usize];
        let found = self.local.points().iter().find(|point| point.feature == feature)?;
        Some(self.place(context, pair, contact, found))
    }

    /// The point that this one has become on another part: of those that are no farther from where it would be if it stayed with the
    /// bodies, or if these rolled on over it, than the two are from each other, the one nearest to both.
    fn nearest(&self, context: &Context, c: &Contact, contact: &resting::Contact, sides: &[Side; 2]) -> Option<DVec3> {
        let pair = &context.graph.pairs[c.pair as usize];
        let mut ends = [*contact; 2];
        glide(&mut ends[0], sides);
        carry(&mut ends[1], sides);
        // Both are half-way.
        let [rolled, carried] = ends.map(|end| 2.0 * end.point - contact.point);
        let reach = (rolled - carried).length();
        let between = 0.5 * (rolled + carried);
        let places = self.local.points().iter().map(|found| self.place(context, pair, contact, found));
        let near = places.map(|place| ((place - between).length(), place)).filter(|(far, _)| *far <= reach);
        near.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, place)| place)
    }

    /// Where a point is.
    fn place(&self, context: &Context, pair: &Pair, contact: &resting::Contact, found: &LocalPoint) -> DVec3 {
        let anchors =
            [(pair.a, found.point_a), (pair.b, found.point_b)].map(|(collider, point)| context.anchor(collider, point));
        let numbers = [contact.first, contact.second];
        context.touch_point(pair, [&self.stands[0], &self.stands[1]], numbers, anchors, self.normal)
    }
}

/// A body at the step's start and end, or as far as a contact lasts.
struct Side {
    start: Stand,
    end: Stand,
    /// Velocities at the step's end.
    velocity: DVec3,
    spin: DVec3,
    /// How much forces other than those of contacts still add to them after the contact has ended.
    later: [DVec3; 2],
    /// The rotation from start to end (rad).
    about: DVec3,
}

impl Side {
    /// A body that has gone a part of its way, where what pushes it lets go of it.
    fn new(context: &Context, slot: u32, (moved, bodies): (&[Moved], &[Body]), part: f64) -> Self {
        let (all, at, h) = (context.bodies, slot as usize, f64::from(context.dt));
        let start = context.stand(at);
        let (mut velocity, mut spin, mut later) = (DVec3::ZERO, DVec3::ZERO, [DVec3::ZERO; 2]);
        let (along, about);
        if all.is_active(at) {
            let place = context.place[at] as usize;
            let (moved, body) = (&moved[place], &bodies[place]);
            (velocity, spin) = (moved.velocity, moved.spin);
            (along, about) = (moved.displacement, moved.rotation);
            later = [body.acceleration, body.angular_acceleration].map(|faster| faster * ((1.0 - part) * h));
        } else {
            if all.is_moving(at) {
                (velocity, spin) = (to_f64(all.linear_velocity[at]), to_f64(all.angular_velocity[at]));
            }
            (along, about) = (velocity * h, spin * h);
        }
        let (along, about) = (along * part, about * part);
        let orientation = DQuat::from_scaled_axis(about) * start.orientation;
        let end = Stand { center: start.center + along, orientation };
        Self { start, end, velocity, spin, later, about }
    }

    /// The angle between start and end (rad).
    fn turn(&self) -> f64 {
        self.about.length()
    }

    /// Where a point of this body is at the end.
    fn carried(&self, point: DVec3) -> DVec3 {
        self.end.center + self.end.orientation * (self.start.orientation.inverse() * (point - self.start.center))
    }

    /// The velocity of the point `start`, which comes to be `end`, at the end, and what it would be with the mean arm.
    fn velocities(&self, start: DVec3, end: DVec3) -> [DVec3; 2] {
        let arm = end - self.end.center;
        let mean = 0.5 * (arm + (start - self.start.center));
        let [slower, turns_slower] = self.later;
        let there = (self.velocity - slower) + (self.spin - turns_slower).cross(arm);
        [there, self.velocity + self.spin.cross(mean)]
    }
}

/// The normal in the world.
fn direction(context: &Context, pair: &Pair, a: &Stand, local: &LocalManifold) -> DVec3 {
    let mount = &context.colliders.local[pair.a as usize];
    (a.orientation * to_f64(mount.rotation * local.normal)).normalize()
}

/// How much slower than at once a gap closes that the step's own error has left (m/s): gently, so that closing it is no motion
/// of its own.
fn held_back(gap: f64, context: &Context) -> f64 {
    let left_over = f64::from(HALFWAY_GAP * context.settings.length_unit);
    if gap > 0.0 && gap <= left_over { (1.0 - HALFWAY_CLOSING) * gap / f64::from(context.dt) } else { 0.0 }
}

/// Moves a contact half-way to where it is at the end, and has it ask for what it would ask for there. What nothing stops moves
/// as it does at the end already.
fn change(contact: &mut resting::Contact, [a, b]: &[Side; 2], point: DVec3, normal: DVec3) {
    let velocities = |number: u32, side: &Side| {
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

/// Moves a contact half-way that goes along with its bodies' centres and turns with them about its normal only: a round surface
/// rolls on under the point where it touches. A capsule that swings round as it rolls takes the points under its ends with it:
/// were they left behind, it would tip, and sink in with one end.
fn glide(contact: &mut resting::Contact, sides: &[Side; 2]) {
    let [a, b] = sides;
    let end = |side: &Side| {
        let turned = DQuat::from_scaled_axis(contact.normal * side.about.dot(contact.normal));
        side.end.center + turned * (contact.point - side.start.center)
    };
    match (contact.first, contact.second) {
        (WORLD, _) => change(contact, sides, end(b), contact.normal),
        (_, WORLD) => change(contact, sides, end(a), contact.normal),
        _ => {
            let way = (a.end.center - a.start.center) + (b.end.center - b.start.center);
            contact.point += 0.25 * way;
        }
    }
}

/// Moves a contact half-way that goes along with its bodies.
fn carry(contact: &mut resting::Contact, [a, b]: &[Side; 2]) {
    let end = match (contact.first, contact.second) {
        (WORLD, _) => b.carried(contact.point),
        (_, WORLD) => a.carried(contact.point),
        _ => 0.5 * (a.carried(contact.point) + b.carried(contact.point)),
    };
    contact.point = 0.5 * (contact.point + end);
}
