//! Pairs of several manifolds: meshes, height fields and compounds.

use super::context::Context;
use super::manifold::{follow, renew};
use super::visit::{ROOM, Room};
use crate::contact::kernels::PairCache;
use crate::contact::{Composite, ContactGraph, Look, Manifold, Pair, Record, Status, Visit};
use crate::math::Real;
use crate::parallel::Helpers;
use crate::tolerances::{INHERIT_DISTANCE, RECYCLE_PATH, RECYCLE_PATH_COMPOSITE, RECYCLE_PATH_ROUND};

/// Fewer pairs than this are not worth calling another thread for.
const LEAST_SHARED: usize = 32;

/// Brings all composite pairs up to date and lays their manifolds behind those of the pairs; returns how many were collided.
pub(super) fn run(context: &Context, contacts: &mut ContactGraph, helpers: &Helpers) -> usize {
    let ContactGraph { composites, pairs, status, places, looks, records, manifolds, .. } = contacts;
    let worth = composites.len() >= LEAST_SHARED;
    helpers.for_each(composites, worth, |composite| {
        let pair = composite.pair as usize;
        let record = &records[places[pair] as usize];
        composite.visit = context.visit_composite(&pairs[pair], status[pair], &looks[pair], record, composite);
    });
    let mut collided = 0;
    for composite in composites {
        let number = composite.pair as usize;
        let status = &mut status[number];
        match std::mem::take(&mut composite.visit) {
            Visit::Same => {}
            Visit::Apart { valid_until } => pairs[number].valid_until = valid_until,
            Visit::Followed { touching, valid_until } => {
                records[places[number] as usize].valid_until = valid_until;
                status.set(Status::TOUCHING, touching);
            }
            Visit::Collided { known, touching, relative, gap, valid_until } => {
                collided += 1;
                (looks[number].relative, looks[number].gap) = (relative, gap);
                let record = &mut records[places[number] as usize];
                record.renew();
                record.valid_until = valid_until;
                pairs[number].valid_until = valid_until;
                status.set(Status::NOT_COLLIDED, !known);
                status.set(Status::TOUCHING, touching);
                status.set(Status::ACTIVE, !composite.parts.is_empty() && !status.has(Status::SENSOR));
            }
        }
        manifolds.extend_from_slice(&composite.parts);
    }
    collided
}

impl Context<'_> {
    fn visit_composite(&self, pair: &Pair, status: Status, look: &Look, record: &Record, all: &mut Composite) -> Visit {
        let active = status.has(Status::ACTIVE);
        let known = pair.valid_until > f64::NEG_INFINITY;
        let open = all.parts.is_empty();
        if open {
            let [path_a, path_b] = [pair.a, pair.b].map(|collider| &self.paths[collider as usize]);
            if known && path_a.with_step + path_b.with_step <= pair.valid_until {
                return Visit::Same;
            }
        }
        let at = self.bodies_of(pair);
        if known && at.iter().all(|&slot| !self.bodies.is_moving(slot) && !self.bodies.edited[slot]) {
            return Visit::Same;
        }
        let stand = self.stand(pair, at, status);
        let followed = |all: &mut Composite, valid_until: f64| {
            for (part, normal) in all.parts.iter_mut().zip(&all.normals) {
                follow(stand.a, stand.b, *normal, part);
            }
            Visit::Followed { touching: self.any_touches(&all.parts), valid_until }
        };
        if known && active && stand.odometers <= record.valid_until {
            return followed(all, record.valid_until);
        }
        // A kernel of the game's own may have its own mind about where shapes end.
        if open
            && self.kernels.is_empty()
            && let Some(credit) = self.spheres_apart(&stand)
        {
            return Visit::Apart { valid_until: stand.odometers + f64::from(credit) };
        }
        let relative = stand.a.pose().inv_mul(&stand.b.pose());
        let moved = if known { stand.moved(&look.relative, &relative) } else { 0.0 };
        if known && (active || open) {
            let credit = self.composite_validity(pair, active, look.gap, stand.margin) - moved;
            let needed = if active { 0.0 } else { stand.travel };
            if credit > needed {
                let valid_until = stand.odometers + f64::from(credit);
                return if active { followed(all, valid_until) } else { Visit::Apart { valid_until } };
            }
        }
        let Composite { parts, normals, memory, .. } = all;
        if !known {
            memory.clear();
        }
        let [a, b] = [pair.a, pair.b].map(|collider| self.mount(collider));
        let limit = stand.limit;
        let (known, gap) = ROOM.with_borrow_mut(|Room { found: room, before }| {
            before.clear();
            before.append(parts);
            normals.clear();
            // What does not touch is asked a little farther out, so that the answer lasts.
            let asked = if active { stand.reach } else { stand.reach + stand.slack };
            let mut cache = PairCache::default();
            let mut known = self.collide(pair, &relative, asked, (&mut cache, Some((memory, moved))), room);
            if asked > stand.reach && room.as_slice().iter().any(|local| local.deepest() <= limit) {
                // It does after all: points far off must not take the place of those that count.
                known = self.collide(pair, &relative, stand.reach, (&mut cache, Some((memory, 0.0))), room);
            }
            for local in room.as_slice().iter().filter(|local| local.deepest() <= limit) {
                let goes_on =
                    |m: &Manifold| m.points().iter().any(|p| local.points().iter().any(|n| n.feature == p.feature));
                let mut part = before.iter().find(|m| goes_on(m)).copied().unwrap_or_default();
                let (orientation, tolerance) = (stand.a.orientation, INHERIT_DISTANCE * self.unit);
                normals.push(renew(&mut part, local, [&a, &b], orientation, stand.reach, tolerance));
                parts.push(part);
            }
            (known, if known { room.clearance() } else { 0.0 })
        });
        let touching = self.any_touches(parts);
        let active = !parts.is_empty() && !status.has(Status::SENSOR);
        let valid_until = stand.odometers + f64::from(self.composite_validity(pair, active, gap, stand.margin));
        Visit::Collided { known, touching, relative, gap, valid_until }
    }

    fn any_touches(&self, parts: &[Manifold]) -> bool {
        parts.iter().any(|m| self.touches(m))
    }

    /// How far the bodies may move before the answer just found, whose least separation is `gap` (m), is doubted (m).
    fn composite_validity(&self, pair: &Pair, active: bool, gap: Real, margin: Real) -> Real {
        if !active {
            return gap - margin;
        }
        let shapes = [pair.a, pair.b].map(|collider| self.geometry(collider));
        let (round, flat) = (shapes.iter().any(|s| s.is_round()), shapes.iter().all(|s| s.is_flat_faced()));
        match (self.exact, round, flat) {
            (true, ..) => 0.0,
            (false, true, _) => RECYCLE_PATH_ROUND * self.unit,
            (false, false, false) => RECYCLE_PATH_COMPOSITE * self.unit,
            (false, false, true) => RECYCLE_PATH * self.unit,
        }
    }
}
