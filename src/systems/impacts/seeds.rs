//! Selection of the contacts that start impacts.

use super::cluster::Workspace;
use super::context::Context;
use crate::math::Real;
use crate::parallel::{MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::prefetch;
use crate::tolerances::{IMPACTS, PILE_RESTITUTION};
use std::ops::Range;

/// Results of a share of the contacts.
#[derive(Clone, Default)]
pub(super) struct Found {
    /// Contacts that close fast enough within the step to be impacts.
    seeds: Vec<u32>,
    /// Islands whose size asks for the higher threshold of piles, but with a contact above the
    /// restitution limit.
    bouncy: Vec<u32>,
}

/// Gives each island with impacts a workspace with its seeds, in the order of islands. Returns
/// their number.
pub(super) fn find(
    context: &Context,
    helpers: &WorkerPool,
    found: &mut Vec<Found>,
    work: &mut Vec<Workspace>,
) -> usize {
    let (contacts, islands) = (&context.graph.contacts, &context.islands.islands);
    let shares = helpers.for_each_chunk_with(
        contacts.len(),
        found,
        MIN_CHUNK_ARITHMETIC,
        &|share, Found { seeds, bouncy }: &mut Found| {
            seeds.clear();
            bouncy.clear();
            context.find_seeds(share, true, seeds, bouncy);
        },
    );
    let found = &found[..shares];
    let island_of = |&seed: &u32| contacts[seed as usize].island;
    let mut seeds = found.iter().flat_map(|found| &found.seeds).copied().peekable();
    let mut bouncy = found.iter().flat_map(|found| &found.bouncy).copied().peekable();
    let mut used = 0;
    while let Some(island) = [seeds.peek().map(island_of), bouncy.peek().copied()].into_iter().flatten().min() {
        if used == work.len() {
            work.push(Workspace::default());
        }
        let workspace = &mut work[used];
        workspace.island = island;
        workspace.seeds.clear();
        let range = &islands[island as usize];
        if bouncy.peek() == Some(&island) {
            while bouncy.next_if_eq(&island).is_some() {}
            while seeds.next_if(|seed| island_of(seed) == island).is_some() {}
            workspace.rest_factor = 1.0;
            context.find_seeds(range.contact_range(), false, &mut workspace.seeds, &mut Vec::new());
        } else {
            workspace.rest_factor = context.settings.resting_speed_factor(range.points as usize);
            while let Some(seed) = seeds.next_if(|seed| island_of(seed) == island) {
                workspace.seeds.push(seed);
            }
        }
        used += usize::from(!workspace.seeds.is_empty());
    }
    used
}

impl Context<'_> {
    /// Finds the contacts of a range that close fast enough within the step to be impacts; with
    /// `piles` also the islands that must not use the threshold of piles because of one of these
    /// contacts.
    fn find_seeds(&self, contacts: Range<usize>, piles: bool, seeds: &mut Vec<u32>, bouncy: &mut Vec<u32>) {
        let mut last: Option<(u32, usize, Option<Real>, Real)> = None;
        for contact in contacts {
            self.graph.prefetch_record(contact + prefetch::DISTANCE);
            let c = &self.graph.contacts[contact];
            let (points, plastic, rest_factor) = match last {
                Some((island, points, plastic, rest_factor)) if island == c.island => (points, plastic, rest_factor),
                _ => {
                    let points = self.islands.islands[c.island as usize].points as usize;
                    let rest_factor = if piles { self.settings.resting_speed_factor(points) } else { 1.0 };
                    (points, self.settings.plastic_speed(points), rest_factor)
                }
            };
            last = Some((c.island, points, plastic, rest_factor));
            let restitution = self.graph.records[c.record as usize].material.restitution;
            if rest_factor > 1.0 && restitution > PILE_RESTITUTION && bouncy.last() != Some(&c.island) {
                bouncy.push(c.island);
            }
            let bounces = restitution > 0.0;
            // Plastic contacts of jointed bodies are impacts too: the solve stage alternates
            // between contacts and joints, and would let every link be hit by itself.
            let held = || [c.a, c.b].iter().any(|&slot| self.bodies.jointed[slot as usize]);
            let rest = match plastic {
                _ if bounces => 0.0,
                Some(rest) if points <= IMPACTS.plastic_points || held() => rest,
                _ => continue,
            };
            let manifold = &self.graph.manifolds[c.manifold as usize];
            // A gap that closes by acceleration alone, without a bounce, is left to the solve
            // stage.
            if self.may_collide(c, manifold, rest_factor, rest)
                && (bounces || self.closes(c, manifold, rest_factor, rest))
            {
                seeds.push(contact as u32);
            }
        }
    }
}
