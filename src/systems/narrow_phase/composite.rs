//! Composite pairs, of several manifolds: meshes, height fields and compounds.

use super::context::PairContext;
use super::manifold::{follow, rebuild};
use super::pair_update::{BUFFERS, Buffers};
use crate::contact::kernels::PairCache;
use crate::contact::{
    CompositeContacts, CompositeUpdate, ContactGraph, ContactRecord, Manifold, NarrowPhaseCache, Pair, Status,
};
use crate::math::Real;
use crate::parallel::WorkerPool;
use crate::tolerances::{CONTACT, MANIFOLD, RECYCLE_PART};

/// Least number of pairs for another thread.
const MIN_SHARED: usize = 32;

/// Updates all composite pairs and appends their manifolds to the pool. Returns the number of pairs
/// collided.
pub(super) fn run(context: &PairContext, contacts: &mut ContactGraph, helpers: &WorkerPool) -> usize {
    let ContactGraph { composites, pairs, status, manifold_index, caches, records, manifolds, .. } = contacts;
    let worth = composites.len() >= MIN_SHARED;
    helpers.for_each(composites, worth, |composite| {
        let pair = composite.pair as usize;
        let record = &records[manifold_index[pair] as usize];
        composite.update = context.update_composite(&pairs[pair], status[pair], &caches[pair], record, composite);
    });
    let mut collided = 0;
    for composite in composites {
        let number = composite.pair as usize;
        let status = &mut status[number];
        match std::mem::take(&mut composite.update) {
            CompositeUpdate::Unchanged => {}
            CompositeUpdate::Separated { valid_until } => pairs[number].valid_until = valid_until,
            CompositeUpdate::Followed { touching, valid_until } => {
                records[manifold_index[number] as usize].valid_until = valid_until;
                status.set(Status::TOUCHING, touching);
            }
            CompositeUpdate::Collided { known, touching, relative, gap, valid_until } => {
                collided += 1;
                (caches[number].relative, caches[number].gap) = (relative, gap);
                let record = &mut records[manifold_index[number] as usize];
                record.bump_revision();
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

impl PairContext<'_> {
    fn update_composite(
        &self,
        pair: &Pair,
        status: Status,
        cached: &NarrowPhaseCache,
        record: &ContactRecord,
        all: &mut CompositeContacts,
    ) -> CompositeUpdate {
        let active = status.has(Status::ACTIVE);
        let known = pair.valid_until > f64::NEG_INFINITY;
        let open = all.parts.is_empty();
        if open {
            let [path_a, path_b] = [pair.a, pair.b].map(|collider| &self.path_bounds[collider as usize]);
            if known && path_a.with_step + path_b.with_step <= pair.valid_until {
                return CompositeUpdate::Unchanged;
            }
        }
        let at = self.bodies_of(pair);
        if known && at.iter().all(|&slot| !self.bodies.is_moving(slot) && !self.bodies.edited[slot]) {
            return CompositeUpdate::Unchanged;
        }
        let motion = self.motion(pair, at, status);
        let followed = |all: &mut CompositeContacts, valid_until: f64| {
            for (part, normal) in all.parts.iter_mut().zip(&all.normals) {
                follow(motion.a, motion.b, *normal, part);
            }
            CompositeUpdate::Followed { touching: self.any_touches(&all.parts), valid_until }
        };
        if known && active && motion.odometers <= record.valid_until {
            return followed(all, record.valid_until);
        }
        // A pair kernel may extend a shape beyond its bounding sphere.
        if open
            && self.kernels.is_empty()
            && let Some(credit) = self.spheres_separate(&motion)
        {
            return CompositeUpdate::Separated { valid_until: motion.odometers + f64::from(credit) };
        }
        let relative = motion.a.pose().inv_mul(&motion.b.pose());
        let moved = if known { motion.moved(&cached.relative, &relative) } else { 0.0 };
        if known && (active || open) {
            let credit = self.composite_validity(pair, active, cached.gap, motion.margin) - moved;
            let needed = if active { 0.0 } else { motion.travel };
            if credit > needed {
                let valid_until = motion.odometers + f64::from(credit);
                return if active { followed(all, valid_until) } else { CompositeUpdate::Separated { valid_until } };
            }
        }
        let CompositeContacts { parts, normals, part_cache, .. } = all;
        if !known {
            part_cache.clear();
        }
        let [a, b] = [pair.a, pair.b].map(|collider| self.placement(collider));
        let limit = motion.limit;
        let (known, gap) = BUFFERS.with_borrow_mut(|Buffers { found, before }| {
            before.clear();
            before.append(parts);
            normals.clear();
            // Pairs without contact are collided a little further out, so that the result stays
            // valid longer.
            let distance = if active { motion.reach } else { motion.reach + motion.margin };
            let mut cache = PairCache::default();
            let mut known = self.collide(pair, &relative, distance, (&mut cache, Some((part_cache, moved))), found);
            if distance > motion.reach && found.as_slice().iter().any(|local| local.deepest() <= limit) {
                // There is a contact after all: distant points must not take the place of those
                // that count.
                known = self.collide(pair, &relative, motion.reach, (&mut cache, Some((part_cache, 0.0))), found);
            }
            for local in found.as_slice().iter().filter(|local| local.deepest() <= limit) {
                let continues =
                    |m: &Manifold| m.points().iter().any(|p| local.points().iter().any(|n| n.feature == p.feature));
                let mut part = before.iter().find(|m| continues(m)).copied().unwrap_or_default();
                let (orientation, tolerance) = (motion.a.orientation, CONTACT.speculative_margin * self.unit);
                normals.push(rebuild(&mut part, local, [&a, &b], orientation, motion.reach, tolerance));
                parts.push(part);
            }
            (known, if known { found.clearance() } else { 0.0 })
        });
        let touching = self.any_touches(parts);
        let active = !parts.is_empty() && !status.has(Status::SENSOR);
        let valid_until = motion.odometers + f64::from(self.composite_validity(pair, active, gap, motion.margin));
        CompositeUpdate::Collided { known, touching, relative, gap, valid_until }
    }

    fn any_touches(&self, parts: &[Manifold]) -> bool {
        parts.iter().any(|m| self.touches(m))
    }

    /// Relative path of the bodies for which the result just found, of least separation `gap` (m),
    /// stays valid (m).
    fn composite_validity(&self, pair: &Pair, active: bool, gap: Real, margin: Real) -> Real {
        if !active {
            return gap - margin;
        }
        let shapes = [pair.a, pair.b].map(|collider| self.geometry(collider));
        let (round, flat) = (shapes.iter().any(|s| s.is_round()), shapes.iter().all(|s| s.is_flat_faced()));
        match (self.exact, round, flat) {
            (true, ..) => 0.0,
            (false, true, _) => MANIFOLD.clip_slack * self.unit,
            (false, false, false) => CONTACT.recycle_path_bent * self.unit,
            (false, false, true) => RECYCLE_PART * margin,
        }
    }
}
