//! Update of a pair that may be invalid: its shapes are collided, or its kept manifold follows the
//! bodies.

use super::body_view::BodyView;
use super::context::{PairContext, PairMotion};
use super::manifold;
use crate::contact::kernels::{Manifolds, PairCache, PartCache, ball_ball, collide_cached};
use crate::contact::{ContactRecord, Manifold, NarrowPhaseCache, Pair, Status};
use crate::math::{Norm, Pose, Real, Vec3, turn};
use crate::tolerances::{CONTACT, JACOBIAN_REFRESH_PATH};
use std::cell::RefCell;

thread_local! {
    /// Buffers of the thread, without influence on results.
    pub(super) static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Buffers for one pair at a time.
#[derive(Default)]
pub(super) struct Buffers {
    pub found: Manifolds,
    /// The old manifolds of a composite pair, whose impulses the new ones inherit.
    pub before: Vec<Manifold>,
}

/// Results of the updates of neighbouring pairs, to be written to the contact graph in the order of
/// pairs.
#[derive(Default)]
pub(super) struct PairChanges {
    /// Number of pairs collided.
    pub collided: usize,
    /// Pairs that have become active.
    pub found: Vec<Found>,
    /// Pairs that own a manifold and have become inactive.
    pub lost: Vec<u32>,
}

pub(super) struct Found {
    pub pair: u32,
    pub manifold: Manifold,
    pub record: ContactRecord,
}

impl PairContext<'_> {
    /// Updates a pair that may be invalid, with its manifold and record.
    #[inline]
    pub fn update_pair(
        &self,
        number: u32,
        pair: &mut Pair,
        status: &mut Status,
        cached: &mut NarrowPhaseCache,
        own: Option<(&mut Manifold, &mut ContactRecord)>,
        changes: &mut PairChanges,
    ) {
        let at = self.bodies_of(pair);
        let odometers = self.odometers(at);
        let active = status.has(Status::ACTIVE);
        let (mut manifold, mut record) = own.unzip();
        if active
            && let (Some(manifold), Some(record)) = (&mut manifold, &record)
            && odometers <= record.valid_until
        {
            let [a, b] = at.map(|slot| &self.views[slot]);
            self.follow([a, b], odometers, pair, status, record, manifold);
            return;
        }
        let motion = self.motion(pair, at, *status);
        let PairMotion { a, b, .. } = motion;
        if !active
            && !status.has(Status::TOUCHING)
            && let Some(credit) = self.spheres_separate(&motion)
        {
            pair.valid_until = odometers + f64::from(credit);
            return;
        }
        let round = if status.has(Status::ROUND) { self.balls(pair) } else { None };
        let relative = if round.is_some() { Pose::IDENTITY } else { turn::pose_in(&a.pose(), &b.pose()) };
        if round.is_none()
            && let Some(credit) = self.remaining_path(pair, *status, cached, &motion, &relative)
        {
            let valid_until = odometers + f64::from(credit);
            match (&mut manifold, &mut record) {
                (Some(manifold), Some(record)) if active => {
                    record.valid_until = valid_until;
                    self.follow([a, b], odometers, pair, status, record, manifold);
                }
                _ => pair.valid_until = valid_until,
            }
            return;
        }
        changes.collided += 1;
        let mut fresh = None;
        let into = match &mut manifold {
            Some(manifold) => &mut **manifold,
            None => fresh.insert(Manifold::default()),
        };
        // A rolling surface is collided again and again, with changes far below what the solver's
        // rows tolerate.
        let before = status.has(Status::ROUND).then_some(*into);
        let (gap, local_normal) = match round {
            Some(radii) => collide_balls(&motion, radii, into),
            None => {
                let answer = self.collide_pair(pair, status, &motion, &relative, &mut cached.kernel, into);
                cached.relative = relative;
                answer
            }
        };
        cached.gap = gap;
        let rows_stay_valid =
            before.is_some_and(|before| manifold::rows_stay_valid(&before, into, JACOBIAN_REFRESH_PATH * self.unit));
        let near = into.count > 0;
        status.set(Status::TOUCHING, near && self.touches(into));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        let valid_until = odometers + f64::from(self.validity(*status, gap, &motion));
        pair.valid_until = self.next_check(*status, odometers, valid_until);
        if let Some(record) = &mut record {
            if !rows_stay_valid {
                record.bump_revision();
            }
            record.valid_until = valid_until;
            record.local_normal = local_normal.unwrap_or(record.local_normal);
        }
        match (status.has(Status::ACTIVE), fresh) {
            (true, Some(manifold)) => {
                let [p, q] = [pair.a, pair.b].map(|collider| &self.colliders.material[collider as usize]);
                let local_normal = local_normal.unwrap_or(Vec3::Y);
                let record = ContactRecord { local_normal, valid_until, ..ContactRecord::new(p.with(q)) };
                changes.found.push(Found { pair: number, manifold, record });
            }
            (false, None) => changes.lost.push(number),
            _ => {}
        }
    }

    /// Collides the shapes of a pair and rebuilds its manifold. Returns the least separation or a
    /// lower bound of it (m), and the normal in the first body's axes if there are points.
    #[inline]
    pub fn collide_pair(
        &self,
        pair: &Pair,
        status: &mut Status,
        motion: &PairMotion,
        relative: &Pose,
        cache: &mut PairCache,
        manifold: &mut Manifold,
    ) -> (Real, Option<Vec3>) {
        let distance = motion.reach + motion.margin;
        BUFFERS.with_borrow_mut(|Buffers { found, .. }| {
            // A pair with a pair kernel is composite.
            let known = self.collide(pair, relative, distance, (cache, None), found);
            status.set(Status::NOT_COLLIDED, !known);
            let Some(local) = found.as_slice().first().filter(|_| known) else {
                manifold.count = 0;
                return (if known { found.clearance() } else { distance }, None);
            };
            let gap = local.deepest();
            if gap > motion.limit {
                manifold.count = 0;
                return (gap, None);
            }
            let [a, b] = [pair.a, pair.b].map(|collider| self.placement(collider));
            let (orientation, tolerance) = (motion.a.orientation, CONTACT.speculative_margin * self.unit);
            (gap, Some(manifold::rebuild(manifold, local, [&a, &b], orientation, motion.reach, tolerance)))
        })
    }

    /// Runs the kernel of two colliders whose bodies have the pose `relative`; tells whether they
    /// are supported.
    #[inline]
    pub fn collide(
        &self,
        pair: &Pair,
        relative: &Pose,
        prediction: Real,
        caches: (&mut PairCache, Option<(&mut PartCache, Real)>),
        found: &mut Manifolds,
    ) -> bool {
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let b_in_a = self.between(pair, relative);
        let predicted = self.predicted_pose(pair);
        collide_cached(self.kernels, shape_a, shape_b, &b_in_a, prediction, caches, predicted, found).is_ok()
    }

    /// Updates the separations of a kept manifold.
    #[inline]
    pub fn follow(
        &self,
        [a, b]: [&BodyView; 2],
        odometers: f64,
        pair: &mut Pair,
        status: &mut Status,
        record: &ContactRecord,
        manifold: &mut Manifold,
    ) {
        manifold::follow(a, b, record.local_normal, manifold);
        status.set(Status::TOUCHING, self.touches(manifold));
        pair.valid_until = self.next_check(*status, odometers, record.valid_until);
    }
}

/// Rebuilds the manifold of two balls about their bodies' origins. Returns their separation (m),
/// and the normal in the first body's axes if there is a point. Only the centres matter, so there
/// is no cache.
fn collide_balls(motion: &PairMotion, radii: [Real; 2], manifold: &mut Manifold) -> (Real, Option<Vec3>) {
    let PairMotion { a, b, limit, .. } = *motion;
    let between = b.position - a.position;
    let local = ball_ball(radii[0], radii[1], &Pose::from_translation(between), limit);
    if local.count > 0 {
        return (local.points[0].separation, Some(manifold::rebuild_balls(manifold, &local, a, b)));
    }
    manifold.count = 0;
    (between.norm() - radii[0] - radii[1], None)
}
