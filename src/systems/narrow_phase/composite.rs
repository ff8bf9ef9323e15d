//! Pairs of several manifolds: meshes, height fields and compounds.

use super::manifold::{follow, renew};
use super::{Context, ROOM};
use crate::contact::kernels::PairCache;
use crate::contact::{Composite, ContactGraph, Manifold, Pair, Record, Status, Visit};
use crate::math::Real;
use crate::parallel::Helpers;
use crate::tolerances::{INHERIT_DISTANCE, RECYCLE_PATH_COMPOSITE, RECYCLE_PATH_ROUND};

/// Fewer pairs than this are not worth calling another thread for.
const LEAST_SHARED: usize = 32;

/// Brings all composite pairs up to date and lays their manifolds behind those of the pairs; returns how many were collided.
pub(super) fn run(context: &Context, contacts: &mut ContactGraph, helpers: &Helpers) -> usize {
    let ContactGraph { composites, pairs, status, places, looks, records, manifolds, .. } = contacts;
    let worth = composites.len() >= LEAST_SHARED;
    helpers.for_each(composites, worth, |composite| {
        let pair = composite.pair as usize;
        composite.visit =
            context.visit_composite(&pairs[pair], status[pair], &records[places[pair] as usize], composite);
    });
    let mut collided = 0;
    for composite in composites {
        let number = composite.pair as usize;
        let status = &mut status[number];
        match std::mem::take(&mut composite.visit) {
            Visit::Same => {}
            Visit::Followed { touching } => status.set(Status::TOUCHING, touching),
            Visit::Collided { known, touching, relative, valid_until } => {
                collided += 1;
                looks[number].relative = relative;
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
    fn visit_composite(&self, pair: &Pair, status: Status, record: &Record, all: &mut Composite) -> Visit {
        let at = self.bodies_of(pair);
        let known = pair.valid_until > f64::NEG_INFINITY;
        if known && at.iter().all(|&slot| !self.bodies.is_moving(slot) && !self.bodies.edited[slot]) {
            return Visit::Same;
        }
        let stand = self.stand(pair, at, status);
        if known && status.has(Status::ACTIVE) && stand.odometers <= record.valid_until {
            for (part, normal) in all.parts.iter_mut().zip(&all.normals) {
                follow(stand.a, stand.b, *normal, part);
            }
            return Visit::Followed { touching: self.any_touches(&all.parts) };
        }
        let relative = stand.a.pose().inv_mul(&stand.b.pose());
        let Composite { parts, before: old, normals, .. } = all;
        std::mem::swap(parts, old);
        parts.clear();
        normals.clear();
        let [a, b] = [pair.a, pair.b].map(|collider| self.mount(collider));
        let known = ROOM.with_borrow_mut(|room| {
            // Composites remember nothing from call to call but their manifolds.
            let known = self.collide(pair, &relative, stand.reach, &mut PairCache::default(), room);
            for local in room.as_slice().iter().filter(|local| local.deepest() <= stand.limit) {
                let goes_on =
                    |m: &Manifold| m.points().iter().any(|p| local.points().iter().any(|n| n.feature == p.feature));
                let mut part = old.iter().find(|m| goes_on(m)).copied().unwrap_or_default();
                normals.push(renew(
                    &mut part,
                    local,
                    [&a, &b],
                    stand.a.orientation,
                    stand.reach,
                    INHERIT_DISTANCE * self.unit,
                ));
                parts.push(part);
            }
            known
        });
        let touching = self.any_touches(parts);
        let valid_until = stand.odometers + f64::from(self.composite_validity(pair));
        Visit::Collided { known, touching, relative, valid_until }
    }

    fn any_touches(&self, parts: &[Manifold]) -> bool {
        parts.iter().any(|m| self.touches(m))
    }

    /// How far the bodies may move before the manifolds just found are doubted (m).
    fn composite_validity(&self, pair: &Pair) -> Real {
        let round = [pair.a, pair.b].iter().any(|&collider| self.geometry(collider).is_round());
        match (self.exact, round) {
            (true, _) => 0.0,
            (false, true) => RECYCLE_PATH_ROUND * self.unit,
            (false, false) => RECYCLE_PATH_COMPOSITE * self.unit,
        }
    }
}
