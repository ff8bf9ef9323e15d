//! A visit to a pair that is in doubt: its shapes are collided, or what is known of them follows its bodies.

use super::context::{Context, Stand};
use super::manifold;
use super::stance::Stance;
use crate::contact::kernels::{Manifolds, PairCache, PartsMemory, ball_ball, collide_remembering};
use crate::contact::{Look, Manifold, Pair, Record, Status};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{INHERIT_DISTANCE, ROWS_TRAVEL};
use std::cell::RefCell;

thread_local! {
    /// Room to work in. What is in it never shows in a result.
    pub(super) static ROOM: RefCell<Room> = RefCell::default();
}

/// Room for one pair at a time.
#[derive(Default)]
pub(super) struct Room {
    pub found: Manifolds,
    /// The manifolds of a composite pair in the step before, while the new ones take up their impulses.
    pub before: Vec<Manifold>,
}

/// What visits to neighbouring pairs came to, until it is written into the contact graph in the order of pairs.
#[derive(Default)]
pub(super) struct Book {
    /// Pairs whose shapes were collided.
    pub collided: usize,
    /// Pairs that touch now or may within the step, and did not before.
    pub found: Vec<Found>,
    /// Pairs that own a manifold and need none any more.
    pub lost: Vec<u32>,
}

pub(super) struct Found {
    pub pair: u32,
    pub manifold: Manifold,
    pub record: Record,
}

impl Context<'_> {
    /// Brings one pair that is in doubt up to date, and what it owns.
    #[inline]
    pub fn visit(
        &self,
        number: u32,
        pair: &mut Pair,
        status: &mut Status,
        look: &mut Look,
        own: Option<(&mut Manifold, &mut Record)>,
        book: &mut Book,
    ) {
        let at = self.bodies_of(pair);
        let odometers = self.odometers(at);
        let active = status.has(Status::ACTIVE);
        let (mut manifold, mut record) = own.unzip();
        if active
            && let (Some(manifold), Some(record)) = (&mut manifold, &record)
            && odometers <= record.valid_until
        {
            let [a, b] = at.map(|slot| &self.stances[slot]);
            self.follow([a, b], odometers, pair, status, record, manifold);
            return;
        }
        let stand = self.stand(pair, at, *status);
        let Stand { a, b, .. } = stand;
        if !active
            && !status.has(Status::TOUCHING)
            && let Some(credit) = self.spheres_apart(&stand)
        {
            pair.valid_until = odometers + f64::from(credit);
            return;
        }
        let round = if status.has(Status::ROUND) { self.balls(pair) } else { None };
        let relative = if round.is_some() { Pose::IDENTITY } else { a.pose().inv_mul(&b.pose()) };
        if round.is_none()
            && let Some(credit) = self.credit_left(pair, *status, look, &stand, &relative)
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
        book.collided += 1;
        let mut fresh = None;
        let into = match &mut manifold {
            Some(manifold) => &mut **manifold,
            None => fresh.insert(Manifold::default()),
        };
        // What is round is collided again and again as it rolls, by far less than the solver's rows bear.
        let before = status.has(Status::ROUND).then_some(*into);
        let (gap, local_normal) = match round {
            Some(radii) => collide_balls(&stand, radii, into),
            None => {
                let answer = self.collide_pair(pair, status, &stand, &relative, &mut look.cache, into);
                look.relative = relative;
                answer
            }
        };
        look.gap = gap;
        let goes_on = before.is_some_and(|before| manifold::goes_on(&before, into, ROWS_TRAVEL * self.unit));
        let near = into.count > 0;
        status.set(Status::TOUCHING, near && self.touches(into));
        status.set(Status::ACTIVE, near && !status.has(Status::SENSOR));
        let valid_until = odometers + f64::from(self.validity(*status, gap, stand.margin));
        pair.valid_until = self.look_again(*status, odometers, valid_until);
        if let Some(record) = &mut record {
            if !goes_on {
                record.renew();
            }
            record.valid_until = valid_until;
            record.local_normal = local_normal.unwrap_or(record.local_normal);
        }
        match (status.has(Status::ACTIVE), fresh) {
            (true, Some(manifold)) => {
                let [p, q] = [pair.a, pair.b].map(|collider| &self.colliders.material[collider as usize]);
                let local_normal = local_normal.unwrap_or(Vec3::Y);
                let record = Record { local_normal, valid_until, ..Record::new(p.with(q)) };
                book.found.push(Found { pair: number, manifold, record });
            }
            (false, None) => book.lost.push(number),
            _ => {}
        }
    }

    /// Collides the shapes of a pair and makes its manifold anew; returns the least separation, or how far apart they are at
    /// least (m), and the normal in the first body's axes if there are points.
    #[inline]
    pub fn collide_pair(
        &self,
        pair: &Pair,
        status: &mut Status,
        stand: &Stand,
        relative: &Pose,
        cache: &mut PairCache,
        manifold: &mut Manifold,
    ) -> (Real, Option<Vec3>) {
        let asked = stand.reach + stand.slack;
        ROOM.with_borrow_mut(|Room { found: room, .. }| {
            // A pair with a kernel of the game's own is a composite one.
            let known = self.collide(pair, relative, asked, (cache, None), room);
            status.set(Status::NOT_COLLIDED, !known);
            let Some(local) = room.as_slice().first().filter(|_| known) else {
                manifold.count = 0;
                return (if known { room.clearance() } else { asked }, None);
            };
            let gap = local.deepest();
            if gap > stand.limit {
                manifold.count = 0;
                return (gap, None);
            }
            let [a, b] = [pair.a, pair.b].map(|collider| self.mount(collider));
            let (orientation, tolerance) = (stand.a.orientation, INHERIT_DISTANCE * self.unit);
            (gap, Some(manifold::renew(manifold, local, [&a, &b], orientation, stand.reach, tolerance)))
        })
    }

    /// Asks the kernels for two colliders on bodies that stand `relative` to each other; tells whether one knows them.
    #[inline]
    pub fn collide(
        &self,
        pair: &Pair,
        relative: &Pose,
        prediction: Real,
        remembered: (&mut PairCache, Option<(&mut PartsMemory, Real)>),
        room: &mut Manifolds,
    ) -> bool {
        let [shape_a, shape_b] = [pair.a, pair.b].map(|c| self.geometry(c));
        let b_in_a = self.between(pair, relative);
        let ahead = self.ahead(pair);
        collide_remembering(self.kernels, shape_a, shape_b, &b_in_a, prediction, remembered, ahead, room).is_ok()
    }

    /// Lets the separations of a kept manifold follow its bodies.
    #[inline]
    pub fn follow(
        &self,
        [a, b]: [&Stance; 2],
        odometers: f64,
        pair: &mut Pair,
        status: &mut Status,
        record: &Record,
        manifold: &mut Manifold,
    ) {
        manifold::follow(a, b, record.local_normal, manifold);
        status.set(Status::TOUCHING, self.touches(manifold));
        pair.valid_until = self.look_again(*status, odometers, record.valid_until);
    }
}

/// Makes the manifold of two balls about their bodies' origins anew; returns their separation (m), and the normal in the first
/// body's axes if there is a point. No pose but the centres counts, so nothing is kept from step to step.
fn collide_balls(stand: &Stand, radii: [Real; 2], manifold: &mut Manifold) -> (Real, Option<Vec3>) {
    let Stand { a, b, limit, .. } = *stand;
    let between = b.position - a.position;
    let local = ball_ball(radii[0], radii[1], &Pose::from_translation(between), limit);
    if local.count > 0 {
        return (local.points[0].separation, Some(manifold::renew_balls(manifold, &local, a, b)));
    }
    manifold.count = 0;
    (between.length() - radii[0] - radii[1], None)
}
