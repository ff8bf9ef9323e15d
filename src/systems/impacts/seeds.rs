//! Which contacts collide by themselves.

use super::Context;
use super::cluster::Workspace;
use crate::ahead;
use crate::math::Real;
use crate::parallel::{Helpers, WORKED_ON};
use crate::tolerances::{HEAP_RESTITUTION, PLASTIC_POINTS};
use std::ops::Range;

/// What a share of the contacts came to.
#[derive(Clone, Default)]
pub(super) struct Found {
    /// Those that close fast enough within the step to be impacts.
    seeds: Vec<u32>,
    /// Islands that would be heaps, but that one of their contacts is too lively.
    lively: Vec<u32>,
}

/// Gives each island with impacts a workspace with its seeds, in the order of islands; returns how many there are.
pub(super) fn find(context: &Context, helpers: &Helpers, found: &mut Vec<Found>, work: &mut Vec<Workspace>) -> usize {
    let (contacts, islands) = (&context.graph.contacts, &context.islands.islands);
    let shares = helpers.in_shares(contacts.len(), found, WORKED_ON, &|share, Found { seeds, lively }: &mut Found| {
        seeds.clear();
        lively.clear();
        context.find_seeds(share, true, seeds, lively);
    });
    let found = &found[..shares];
    let island_of = |&seed: &u32| contacts[seed as usize].island;
    let mut seeds = found.iter().flat_map(|found| &found.seeds).copied().peekable();
    let mut lively = found.iter().flat_map(|found| &found.lively).copied().peekable();
    let mut used = 0;
    while let Some(island) = [seeds.peek().map(island_of), lively.peek().copied()].into_iter().flatten().min() {
        if used == work.len() {
            work.push(Workspace::default());
        }
        let workspace = &mut work[used];
        workspace.island = island;
        workspace.seeds.clear();
        let range = &islands[island as usize];
        if lively.peek() == Some(&island) {
            while lively.next_if_eq(&island).is_some() {}
            while seeds.next_if(|seed| island_of(seed) == island).is_some() {}
            workspace.heap = 1.0;
            context.find_seeds(range.contact_range(), false, &mut workspace.seeds, &mut Vec::new());
        } else {
            workspace.heap = context.settings.heap_speed(range.points as usize);
            while let Some(seed) = seeds.next_if(|seed| island_of(seed) == island) {
                workspace.seeds.push(seed);
            }
        }
        used += usize::from(!workspace.seeds.is_empty());
    }
    used
}

impl Context<'_> {
    /// Those of some contacts that close fast enough within the step to be impacts; where there may be `heaps`, also the islands that
    /// are none because of one of these contacts.
    fn find_seeds(&self, contacts: Range<usize>, heaps: bool, seeds: &mut Vec<u32>, lively: &mut Vec<u32>) {
        let mut last: Option<(u32, usize, Option<Real>, Real)> = None;
        for contact in contacts {
            self.graph.call_record(contact + ahead::ROUNDS);
            let c = &self.graph.contacts[contact];
            let (points, plastic, heap) = match last {
                Some((island, points, plastic, heap)) if island == c.island => (points, plastic, heap),
                _ => {
                    let points = self.islands.islands[c.island as usize].points as usize;
                    let heap = if heaps { self.settings.heap_speed(points) } else { 1.0 };
                    (points, self.settings.plastic_speed(points), heap)
                }
            };
            last = Some((c.island, points, plastic, heap));
            let restitution = self.graph.records[c.record as usize].material.restitution;
            if heap > 1.0 && restitution > HEAP_RESTITUTION && lively.last() != Some(&c.island) {
                lively.push(c.island);
            }
            let bounces = restitution > 0.0;
            // The resting stage takes contacts and joints in turns, and has every link struck by itself.
            let held = || [c.a, c.b].iter().any(|&slot| self.bodies.jointed[slot as usize]);
            let rest = match plastic {
                _ if bounces => 0.0,
                Some(rest) if points <= PLASTIC_POINTS || held() => rest,
                _ => continue,
            };
            let manifold = &self.graph.manifolds[c.manifold as usize];
            // What a pull alone closes within the step goes on being pulled: without a bounce, that is the resting stage's.
            if self.may_collide(c, manifold, heap, rest) && (bounces || self.closes(c, manifold, heap, rest)) {
                seeds.push(contact as u32);
            }
        }
    }
}
