//! What makes it safe to run a layout: nobody meets anybody at a line.

use super::*;
use crate::math::{Real, Vec3};
use crate::solver::lanes::WIDTH;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A world of bodies on a line, some immovable, and pairs among neighbours and a few across.
fn world() -> impl Strategy<Value = (Vec<SolverBody>, Vec<(u32, u32, u32)>)> {
    let body = (any::<bool>(), any::<bool>(), -1.0..1.0_f64);
    let pair = (1_u32..700, prop_oneof![9 => 1_u32..4, 1 => 1_u32..600], 0_u32..=4);
    (prop::collection::vec(body, 700), prop::collection::vec(pair, 0..2500)).prop_map(|(bodies, pairs)| {
        let mut out = vec![SolverBody::FIXED];
        out.extend(bodies.iter().enumerate().map(|(k, &(a, b, x))| SolverBody {
            position: Vec3::new((k as f64 + x) as Real, x as Real, 0.0),
            linear_acceleration: Vec3::NEG_Y,
            inverse_mass: if a || b { 1.0 } else { 0.0 },
            radius: 0.5,
            ..SolverBody::FIXED
        }));
        let pairs = pairs.iter().map(|&(a, step, count)| (a, if a + step > 700 { 0 } else { a + step }, count));
        (out, pairs.collect())
    })
}

/// Contacts by island, the way a caller sorts them.
fn contacts(bodies: &[SolverBody], pairs: &[(u32, u32, u32)]) -> (Vec<ContactRef>, Vec<Manifold>) {
    let mut root: Vec<u32> = (0..bodies.len() as u32).collect();
    let find = |root: &[u32], mut k: u32| {
        while root[k as usize] != k {
            k = root[k as usize];
        }
        k
    };
    let movable = |b: u32| bodies[b as usize].movable();
    for &(a, b, _) in pairs {
        if movable(a) && movable(b) {
            let (a, b) = (find(&root, a), find(&root, b));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut refs: Vec<_> = (0..)
        .zip(pairs)
        .map(|(k, &(a, b, _))| ContactRef {
            a,
            b,
            manifold: k,
            island: find(&root, if movable(a) { a } else { b }),
            ..ContactRef::default()
        })
        .collect();
    refs.sort_by_key(|c| (c.island, c.manifold));
    let pool = pairs.iter().map(|&(_, _, count)| Manifold { count, ..Manifold::default() }).collect();
    (refs, pool)
}

/// The lines of a block's lanes that somebody writes.
fn written<'a>(layout: &'a Layout, bodies: &'a [SolverBody], block: usize) -> impl Iterator<Item = u32> + 'a {
    layout.seats.contacts[block]
        .iter()
        .zip(&layout.seats.lines[block])
        .filter(|(contact, _)| **contact != NONE)
        .flat_map(|(_, lines)| *lines)
        .filter(|&line| bodies[layout.bodies[line as usize] as usize].movable())
}

/// Blocks that some item works on.
fn blocks(layout: &Layout) -> usize {
    layout.items.iter().map(|item| item.blocks.len()).sum()
}

fn check(bodies: &[SolverBody], pairs: &[(u32, u32, u32)]) -> Layout {
    let (refs, pool) = contacts(bodies, pairs);
    let mut layout = Layout::default();
    layout.build(bodies, &refs, &pool, None);
    check_layout(&layout, bodies, &refs);
    layout
}

fn check_layout(layout: &Layout, bodies: &[SolverBody], refs: &[ContactRef]) {
    // Every contact that can do anything has one lane, with the lines of its bodies.
    let mut seen = BTreeSet::new();
    for (lanes, lines) in layout.seats.contacts.iter().zip(&layout.seats.lines) {
        for (&c, lines) in lanes.iter().zip(lines).filter(|(c, _)| **c != NONE) {
            assert!(seen.insert(c), "contact {c} has two lanes");
            let contact = &refs[c as usize];
            assert_eq!(lines.map(|line| layout.bodies[line as usize]), [contact.a, contact.b]);
        }
    }
    let live = |c: &ContactRef| bodies[c.a as usize].movable() || bodies[c.b as usize].movable();
    assert_eq!(seen.len(), refs.iter().filter(|c| live(c)).count());

    // No block moves a body twice, and every movable body has one line or is loose.
    for block in 0..layout.seats.blocks() {
        let lines: Vec<_> = written(layout, bodies, block).collect();
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "block {block}");
    }
    let mut placed: Vec<u32> = layout.bodies[1..].to_vec();
    placed.retain(|&b| bodies[b as usize].movable());
    placed.extend(layout.loose().filter(|&b| bodies[b].movable()).map(|b| b as u32));
    placed.sort_unstable();
    let movable: Vec<u32> = (0..bodies.len() as u32).filter(|&b| bodies[b as usize].movable()).collect();
    assert_eq!(placed, movable);

    // Items of a phase share no line that one of them writes or moves.
    let mut owner = vec![NONE; layout.bodies.len()];
    for (g, group) in layout.groups.iter().enumerate() {
        for phase in &group.phases {
            let mut touched = BTreeSet::new();
            for item in &layout.items[phase.clone()] {
                let mut mine: BTreeSet<u32> = item.lines.clone().chain(item.moves.clone()).map(|l| l as u32).collect();
                for block in item.blocks.clone() {
                    mine.extend(layout.seats.lines[block].iter().flatten().filter(|&&line| line != 0));
                }
                for line in mine {
                    assert!(touched.insert(line), "line {line} is in two hands");
                    let before = std::mem::replace(&mut owner[line as usize], g as u32);
                    assert!(before == NONE || before == g as u32, "line {line} is in two groups");
                }
            }
        }
        // A large island moves each of its lines once a substep.
        if group.is_large() {
            let items = &layout.items[group.items()];
            let mut moved: Vec<usize> = items.iter().flat_map(|item| item.moves.clone()).collect();
            let lines: Vec<usize> = items.iter().flat_map(|item| item.lines.clone()).collect();
            moved.sort_unstable();
            assert_eq!(moved, lines);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn nobody_meets_anybody_at_a_line((bodies, pairs) in world()) {
        check(&bodies, &pairs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn nor_while_contacts_come_and_go((mut bodies, pairs) in world(), seed in any::<u64>()) {
        // Each pair is there for a while; a body that nothing touches may be taken for a fixed one, as callers do.
        let whole = bodies.clone();
        let mut layout = Layout::default();
        let mut patched = 0;
        for step in 0..40_u64 {
            let here = |k: usize| {
                let hash = (k as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                let (from, length) = (hash % 30, 1 + hash / 64 % 40);
                (from..from + length).contains(&step)
            };
            let (all, pool) = contacts(&whole, &pairs);
            let mut refs: Vec<ContactRef> = all.into_iter().filter(|c| here(c.manifold as usize)).collect();
            let touched: BTreeSet<u32> = refs.iter().flat_map(Link::bodies).collect();
            for b in 1..bodies.len() {
                bodies[b] = if touched.contains(&(b as u32)) { whole[b] } else { SolverBody::FIXED };
            }
            let live: Vec<(u32, u32, u32)> = refs.iter().map(|c| (c.a, c.b, 1)).collect();
            let names: Vec<u32> = refs.iter().map(|c| c.manifold).collect();
            refs = contacts(&bodies, &live).0;
            for c in &mut refs {
                c.manifold = names[c.manifold as usize];
            }
            patched += u32::from(layout.fit(&bodies, &refs, &pool, None) == Fit::Patched);
            check_layout(&layout, &bodies, &refs);
            prop_assert_ne!(layout.fit(&bodies, &refs, &pool, None), Fit::Patched);
        }
        prop_assert!(patched > 0 || pairs.len() < 40);
    }
}

#[test]
fn a_long_row_is_cut_into_slabs_with_two_colours() {
    let bodies: Vec<SolverBody> = (0..2001)
        .map(|k| SolverBody {
            position: Vec3::X * k as Real,
            inverse_mass: if k == 0 { 0.0 } else { 1.0 },
            radius: 0.5,
            ..SolverBody::FIXED
        })
        .collect();
    let pairs: Vec<_> = (1..2000).map(|k| (k, k + 1, 1)).collect();
    let layout = check(&bodies, &pairs);
    assert_eq!(layout.groups.len(), 1);
    let slabs = layout.groups[0].phases[0].len();
    assert!(slabs >= 8, "{slabs}");
    assert!(!layout.groups[0].has_rest());
    // Two colours of a chain fill their blocks but for the ends.
    assert!(blocks(&layout) < 1999 / WIDTH + 4 * slabs, "{}", blocks(&layout));
}

#[test]
fn small_islands_share_blocks() {
    let bodies: Vec<_> =
        (0..1001).map(|k| SolverBody { inverse_mass: if k == 0 { 0.0 } else { 1.0 }, ..SolverBody::FIXED }).collect();
    let pairs: Vec<_> = (1..=1000).map(|k| (0, k, 1)).collect();
    let layout = check(&bodies, &pairs);
    assert_eq!(blocks(&layout), 125);
    assert_eq!(layout.groups.len(), 1000_usize.div_ceil(BUNDLE));
}
