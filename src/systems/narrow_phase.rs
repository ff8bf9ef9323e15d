//! Stage 3, **narrow phase**: which surfaces touch, and where.
//!
//! Three questions are asked of each pair, cheap ones first. Have the two bodies moved far enough, by their odometers, for the
//! last answer to be doubted? Have they moved against each other? Only then are the shapes collided. While a manifold is
//! kept, its separations follow the bodies along the kept normal. Pairs are independent of each other and run in parallel.

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::{FeaturePoint, Geometry, LocalManifold, Manifolds, collide, match_features};
use crate::contact::{Composite, MAX_POINTS, Manifold, ManifoldPoint, Pair, Record, Status};
use crate::math::{Real, Vec3};
use crate::parallel;
use crate::settings::Accuracy;
use crate::state::State;
use crate::tolerances::{INHERIT_DISTANCE, NEAR_SLACK, RECYCLE_PATH, RECYCLE_PATH_ROUND, SPECULATIVE_MARGIN, TOUCH};
use std::cell::RefCell;

thread_local! {
    /// Room for the kernels to work in. What is in it never shows in a result.
    static ROOM: RefCell<Manifolds> = RefCell::default();
}

/// What every pair needs to know of the step.
struct Context<'a> {
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    dt: Real,
    unit: Real,
    exact: bool,
}

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, colliders, contacts, settings, dt, counts, threads, .. } = state;
    let context =
        Context { bodies, colliders, dt: *dt, unit: settings.length_unit, exact: settings.accuracy == Accuracy::Exact };
    let pairs = contacts.pairs.len();
    contacts.manifolds.truncate(pairs);
    counts.collided = parallel::sum_over_4(
        (&mut contacts.pairs, &mut contacts.status, &mut contacts.records, &mut contacts.manifolds),
        *threads,
        LEAST_PIECE,
        |pair, status, record, manifold| usize::from(context.visit(pair, status, record, manifold)),
    );
    for composite in &mut contacts.composites {
        let pair = composite.pair as usize;
        let (pair, status, record) =
            (&mut contacts.pairs[pair], &mut contacts.status[pair], &mut contacts.records[pair]);
        counts.collided += usize::from(context.visit_composite(pair, status, record, composite));
        contacts.manifolds.extend(composite.parts.iter().copied());
    }
}

/// Fewer pairs than this are not worth handing to another thread.
const LEAST_PIECE: usize = 256;

/// The bodies of a pair and how they stand to each other.
struct Stand {
    a: usize,
    b: usize,
    odometers: f64,
    /// How far the two can close in on each other in this step (m).
    travel: Real,
    /// Distance within which a contact may matter in this step (m).
    prediction: Real,
}

impl Context<'_> {
    fn stand(&self, pair: &Pair, record: &Record) -> Stand {
        let bodies = self.bodies;
        let a = self.colliders.body[pair.a as usize] as usize;
        let b = self.colliders.body[pair.b as usize] as usize;
        let turning = bodies.angular_velocity[a].length() * bodies.radius[a]
            + bodies.angular_velocity[b].length() * bodies.radius[b];
        let closing = (bodies.linear_velocity[b] - bodies.linear_velocity[a]).length();
        let pull = (bodies.acceleration[b] - bodies.acceleration[a]).length();
        let travel = self.dt * (closing + turning + pull * self.dt);
        // Between two bodies that move and need not be exact, what lies farther off than half the smaller one is left to the next step.
        let unbounded = self.exact || record.ccd || bodies.kind[a] != Kind::Dynamic || bodies.kind[b] != Kind::Dynamic;
        let seen = if unbounded { travel } else { travel.min(0.5 * bodies.radius[a].min(bodies.radius[b])) };
        Stand {
            a,
            b,
            odometers: bodies.odometer[a] + bodies.odometer[b],
            travel,
            prediction: SPECULATIVE_MARGIN * self.unit + seen,
        }
    }

    fn is_still(&self, pair: &Pair) -> bool {
        [pair.a, pair.b].iter().all(|&collider| {
            let body = self.colliders.body[collider as usize] as usize;
            !self.bodies.is_moving(body) && !self.bodies.edited[body]
        })
    }

    /// Brings one pair up to date; tells whether its shapes were collided.
    fn visit(&self, pair: &mut Pair, status: &mut Status, record: &mut Record, manifold: &mut Manifold) -> bool {
        if pair.a == crate::bodies::NONE || status.has(Status::COMPOSITE) {
            return false;
        }
        let (a, b) = (self.colliders.body[pair.a as usize] as usize, self.colliders.body[pair.b as usize] as usize);
        let odometers = self.bodies.odometer[a] + self.bodies.odometer[b];
        let active = status.has(Status::ACTIVE);
        if !active {
            let reach = f64::from(self.bodies.reach[a] + self.bodies.reach[b]);
            if odometers + reach <= pair.valid_until {
                return false;
            }
        } else if odometers <= pair.valid_until {
            if !self.is_still(pair) {
                self.follow(a, b, record, manifold);
                status.set(Status::TOUCHING, self.touches(manifold));
            }
            return false;
        }
        let stand = self.stand(pair, record);
        let relative = self.bodies.pose(a).inv_mul(&self.bodies.pose(b));
        let moved = (relative.translation - record.relative.translation).length()
            + self.bodies.radius[b] * relative.rotation.angle_between(record.relative.rotation);
        if self.keeps(pair, status, record, &stand, moved) {
            if active {
                self.follow(a, b, record, manifold);
                status.set(Status::TOUCHING, self.touches(manifold));
            }
            return false;
        }
        let reach = if status.has(Status::SENSOR) { 0.0 } else { stand.prediction };
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let b_in_a = self.colliders.local[pair.a as usize].inv_mul(&(relative * self.colliders.local[pair.b as usize]));
        let slack = NEAR_SLACK * self.unit;
        let local = ROOM.with_borrow_mut(|room| {
            // Shapes that no kernel knows were refused when they were gathered.
            let known = collide(shape_a, shape_b, &b_in_a, reach + slack, &mut record.cache, room).is_ok();
            room.as_slice().first().filter(|_| known).copied().unwrap_or_default()
        });
        record.relative = relative;
        record.revision = record.revision.wrapping_add(1).max(1);
        let gap = if local.count == 0 { reach + slack } else { local.deepest() };
        let near = local.count > 0 && gap <= reach;
        if near {
            *manifold = self.manifold(pair, a, b, &local, reach, manifold);
            record.local_normal = self.bodies.orientation[a].inverse() * manifold.normal;
        } else {
            manifold.count = 0;
        }
        record.gap = gap;
        status.set(Status::TOUCHING, near && self.touches(manifold));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        pair.valid_until = stand.odometers + f64::from(self.validity(status, gap));
        true
    }

    /// How far the two bodies may move before the answer just found is doubted (m).
    fn validity(&self, status: &Status, gap: Real) -> Real {
        if !status.has(Status::ACTIVE) {
            // What lies inside a sensor stays there until it has moved by its depth.
            return if status.has(Status::SENSOR) { gap.abs() } else { gap - SPECULATIVE_MARGIN * self.unit };
        }
        match (self.exact, status.has(Status::ROUND)) {
            (true, _) => 0.0,
            (false, true) => RECYCLE_PATH_ROUND * self.unit,
            (false, false) => RECYCLE_PATH * self.unit,
        }
    }

    /// Whether the last answer still holds because the two bodies hardly moved against each other; then their odometers are
    /// given new credit.
    fn keeps(&self, pair: &mut Pair, status: &Status, record: &Record, stand: &Stand, moved: Real) -> bool {
        if pair.valid_until == f64::NEG_INFINITY {
            return false;
        }
        let credit = self.validity(status, record.gap) - moved;
        let needed = if status.has(Status::ACTIVE) { 0.0 } else { stand.travel };
        if credit <= needed {
            return false;
        }
        pair.valid_until = stand.odometers + f64::from(credit);
        true
    }

    fn geometry(&self, collider: u32) -> &Geometry {
        self.colliders.geometry[collider as usize].as_ref().expect("a live collider has a shape")
    }

    fn touches(&self, manifold: &Manifold) -> bool {
        manifold.points().iter().any(|p| p.separation <= TOUCH * self.unit)
    }

    /// Lets the separations of a kept manifold follow its bodies.
    fn follow(&self, a: usize, b: usize, record: &Record, manifold: &mut Manifold) {
        let bodies = self.bodies;
        let (qa, qb) = (bodies.orientation[a], bodies.orientation[b]);
        let between = bodies.center[b] - bodies.center[a];
        manifold.normal = qa * record.local_normal;
        let normal = manifold.normal;
        for p in manifold.points_mut() {
            p.separation = (between + qb * p.anchor_b - qa * p.anchor_a).dot(normal);
        }
    }

    /// The world's manifold of a kernel's answer, with the impulses of the points it goes on with.
    fn manifold(
        &self,
        pair: &Pair,
        a: usize,
        b: usize,
        local: &LocalManifold,
        reach: Real,
        old: &Manifold,
    ) -> Manifold {
        let bodies = self.bodies;
        let [pose_a, pose_b] = [pair.a, pair.b].map(|c| self.colliders.local[c as usize]);
        let mut new = Manifold {
            normal: bodies.orientation[a] * (pose_a.rotation * local.normal),
            friction_impulse: old.friction_impulse,
            twist_impulse: old.twist_impulse,
            rolling_impulse: old.rolling_impulse,
            sliding: old.sliding,
            ..Manifold::default()
        };
        for p in local.points().iter().filter(|p| p.separation <= reach) {
            new.points[new.count as usize] = ManifoldPoint {
                anchor_a: pose_a.transform_point(p.point_a) - bodies.local_center[a],
                anchor_b: pose_b.transform_point(p.point_b) - bodies.local_center[b],
                separation: p.separation,
                feature: p.feature,
                normal_impulse: 0.0,
            };
            new.count += 1;
        }
        inherit(old, &mut new, INHERIT_DISTANCE * self.unit);
        new
    }

    /// Brings a pair of several manifolds up to date.
    fn visit_composite(&self, pair: &mut Pair, status: &mut Status, record: &mut Record, all: &mut Composite) -> bool {
        if self.is_still(pair) && pair.valid_until > f64::NEG_INFINITY {
            return false;
        }
        let stand = self.stand(pair, record);
        let (a, b) = (stand.a, stand.b);
        let reach = if status.has(Status::SENSOR) { 0.0 } else { stand.prediction };
        let relative = self.bodies.pose(a).inv_mul(&self.bodies.pose(b));
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let b_in_a = self.colliders.local[pair.a as usize].inv_mul(&(relative * self.colliders.local[pair.b as usize]));
        let Composite { parts, before: old, .. } = all;
        std::mem::swap(parts, old);
        parts.clear();
        ROOM.with_borrow_mut(|room| {
            if collide(shape_a, shape_b, &b_in_a, reach, &mut record.cache, room).is_err() {
                return;
            }
            for local in room.as_slice().iter().filter(|local| local.deepest() <= reach) {
                let goes_on =
                    |m: &Manifold| m.points().iter().any(|p| local.points().iter().any(|n| n.feature == p.feature));
                let before = old.iter().find(|m| goes_on(m)).copied().unwrap_or_default();
                parts.push(self.manifold(pair, a, b, local, reach, &before));
            }
        });
        record.relative = relative;
        record.revision = record.revision.wrapping_add(1).max(1);
        let near = !parts.is_empty();
        status.set(Status::TOUCHING, near && parts.iter().any(|m| self.touches(m)));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        pair.valid_until = stand.odometers;
        true
    }
}

/// Hands the impulses of old points on to the new points that continue them.
fn inherit(old: &Manifold, new: &mut Manifold, tolerance: Real) {
    let points = |m: &Manifold| {
        let mut points = [FeaturePoint::default(); MAX_POINTS];
        for (point, p) in points.iter_mut().zip(m.points()) {
            *point = FeaturePoint { feature: p.feature, position: p.anchor_b };
        }
        points
    };
    let mut heirs = [None; MAX_POINTS];
    let (before, after) = (points(old), points(new));
    let count = new.count as usize;
    match_features(&before[..old.count as usize], &after[..count], tolerance, &mut heirs[..count]);
    for (p, heir) in new.points_mut().iter_mut().zip(heirs) {
        p.normal_impulse = heir.map_or(0.0, |old_point| old.points[old_point as usize].normal_impulse);
    }
}

/// A point of a body in its axes, from its centre of mass, in the world from that centre.
pub(crate) fn lever(bodies: &Bodies, slot: usize, anchor: Vec3) -> Vec3 {
    bodies.orientation[slot] * anchor
}

/// The contact point of a manifold's point in the world (m): half way between the two surfaces.
pub(crate) fn world_point(bodies: &Bodies, a: usize, b: usize, point: &ManifoldPoint) -> Vec3 {
    let on_a = bodies.center[a] + lever(bodies, a, point.anchor_a);
    let on_b = bodies.center[b] + lever(bodies, b, point.anchor_b);
    (on_a + on_b) * 0.5
}

const _: () = assert!(size_of::<Pair>() == 16);
