//! Safety of a layout: no two workers share a body state.

use super::lane_slots::LaneSlots;
use super::*;
use crate::math::{Real, Vec3};
use crate::solver::simd::WIDTH;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bodies on a line, some immovable, and pairs among neighbours and a few across.
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

/// Contacts by island, as a caller sorts them.
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

/// The states that the lanes of a block write.
fn written<'a>(layout: &'a Layout, bodies: &'a [SolverBody], block: usize) -> impl Iterator<Item = u32> + 'a {
    layout.lane_slots.contacts[block]
        .iter()
        .zip(&layout.lane_slots.states[block])
        .filter(|(contact, _)| **contact != NONE)
        .flat_map(|(_, states)| *states)
        .filter(|&state| bodies[layout.bodies[state as usize] as usize].movable())
}

/// Number of blocks of all items.
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
    // Every contact with a movable body has one lane, with the states of its bodies.
    let mut seen = BTreeSet::new();
    for (lanes, states) in layout.lane_slots.contacts.iter().zip(&layout.lane_slots.states) {
        for (&c, states) in lanes.iter().zip(states).filter(|(c, _)| **c != NONE) {
            assert!(seen.insert(c), "contact {c} has two lanes");
            let contact = &refs[c as usize];
            assert_eq!(states.map(|state| layout.bodies[state as usize]), [contact.a, contact.b]);
        }
    }
    let is_active = |c: &ContactRef| bodies[c.a as usize].movable() || bodies[c.b as usize].movable();
    assert_eq!(seen.len(), refs.iter().filter(|c| is_active(c)).count());

    // No block moves a body twice, and every movable body has one state or is unconstrained.
    for block in 0..layout.lane_slots.blocks() {
        let states: Vec<_> = written(layout, bodies, block).collect();
        assert_eq!(states.iter().collect::<BTreeSet<_>>().len(), states.len(), "block {block}");
    }
    let mut placed: Vec<u32> = layout.bodies[1..].to_vec();
    placed.retain(|&b| bodies[b as usize].movable());
    placed.extend(layout.unconstrained().filter(|&b| bodies[b].movable()).map(|b| b as u32));
    placed.sort_unstable();
    let movable: Vec<u32> = (0..bodies.len() as u32).filter(|&b| bodies[b as usize].movable()).collect();
    assert_eq!(placed, movable);

    // Items of a phase share no state that one of them writes or advances.
    let mut owner = vec![NONE; layout.bodies.len()];
    for (g, group) in layout.groups.iter().enumerate() {
        for phase in &group.phases {
            let mut touched = BTreeSet::new();
            for item in &layout.items[phase.clone()] {
                let mut mine: BTreeSet<u32> = item.states.clone().chain(item.drift.clone()).map(|l| l as u32).collect();
                for block in item.blocks.clone() {
                    mine.extend(layout.lane_slots.states[block].iter().flatten().filter(|&&state| state != 0));
                }
                for state in mine {
                    assert!(touched.insert(state), "state {state} is used by two items");
                    let before = std::mem::replace(&mut owner[state as usize], g as u32);
                    assert!(before == NONE || before == g as u32, "state {state} is in two groups");
                }
            }
        }
        // A large island advances each of its states once a substep.
        if group.is_large() {
            let items = &layout.items[group.items()];
            let mut drifted: Vec<usize> = items.iter().flat_map(|item| item.drift.clone()).collect();
            drifted.sort_unstable();
            assert!(drifted.is_sorted_by(|a, b| a < b), "a state is advanced twice");
            let mut states = items.iter().flat_map(|item| item.states.clone());
            assert!(states.all(|state| drifted.binary_search(&state).is_ok()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn no_two_workers_share_a_body_state((bodies, pairs) in world()) {
        check(&bodies, &pairs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn no_two_workers_share_a_body_state_while_contacts_come_and_go((mut bodies, pairs) in world(), seed in any::<u64>()) {
        // Each pair exists for a while; a body without contacts may be taken for a fixed one, as
        // callers do.
        let whole = bodies.clone();
        let mut layout = Layout::default();
        let mut updated = 0;
        for step in 0..40_u64 {
            let here = |k: usize| {
                let hash = (k as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                let (from, length) = (hash % 30, 1 + hash / 64 % 40);
                (from..from + length).contains(&step)
            };
            let (all, pool) = contacts(&whole, &pairs);
            let mut refs: Vec<ContactRef> = all.into_iter().filter(|c| here(c.manifold as usize)).collect();
            let touched: BTreeSet<u32> = refs.iter().flat_map(Edge::bodies).collect();
            for b in 1..bodies.len() {
                bodies[b] = if touched.contains(&(b as u32)) { whole[b] } else { SolverBody::FIXED };
            }
            let is_active: Vec<(u32, u32, u32)> = refs.iter().map(|c| (c.a, c.b, 1)).collect();
            let keys: Vec<u32> = refs.iter().map(|c| c.manifold).collect();
            refs = contacts(&bodies, &is_active).0;
            for c in &mut refs {
                c.manifold = keys[c.manifold as usize];
            }
            updated += u32::from(layout.fit(&bodies, &refs, &pool, None) == Fit::Updated);
            check_layout(&layout, &bodies, &refs);
            prop_assert_ne!(layout.fit(&bodies, &refs, &pool, None), Fit::Updated);
        }
        prop_assert!(updated > 0 || pairs.len() < 40);
    }
}

#[test]
fn a_long_row_is_cut_into_subdomains_with_two_colours() {
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
    let subdomains = layout.groups[0].phases[0].len();
    assert!(subdomains >= 8, "{subdomains}");
    assert!(!layout.groups[0].has_remainder());
    // Two colours of a chain fill their blocks but for the ends.
    assert!(blocks(&layout) < 1999 / WIDTH + 4 * subdomains, "{}", blocks(&layout));
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

/// Balls that each lie on the ground, an island each, with one more than a bundle holds; the last of them touches it
/// twice.
fn balls_on_the_ground() -> (Vec<SolverBody>, Vec<ContactRef>, Vec<Manifold>) {
    let count = BUNDLE as u32 + 1;
    let bodies =
        (0..=count).map(|k| SolverBody { inverse_mass: if k == 0 { 0.0 } else { 1.0 }, ..SolverBody::FIXED }).collect();
    let ground = |b: u32, manifold: u32| ContactRef { b, manifold, island: b, ..ContactRef::default() };
    let refs = (1..=count).map(|b| ground(b, b - 1)).chain([ground(count, count)]).collect();
    (bodies, refs, vec![Manifold { count: 1, ..Manifold::default() }; count as usize + 2])
}

/// Text of a panic, and the change of bodies and contacts that it names.
type Defect = (&'static str, fn(&mut Vec<SolverBody>, &mut Vec<ContactRef>));

const DEFECTS: [Defect; 8] = [
    ("index out of bounds", |bodies, refs| refs[3].b = bodies.len() as u32),
    ("index out of bounds", |bodies, refs| refs[3].a = bodies.len() as u32),
    ("index out of bounds", |_, refs| refs[3].manifold = refs.len() as u32 + 1),
    ("is in use by another contact", |_, refs| refs[3].manifold = 0),
    ("touches itself", |_, refs| refs[3].a = refs[3].b),
    ("cannot be movable", |bodies, _| bodies[0].inverse_mass = 1.0),
    ("must be sorted by island", |_, refs| refs.swap(3, 4)),
    // The last ball is in the island of the first and in its own.
    ("is in two islands", |_, refs| {
        let last = refs.len() - 2;
        let mut moved = refs.remove(last);
        moved.island = 1;
        refs.insert(1, moved);
        refs.insert(2, ContactRef { a: 1, manifold: refs.len() as u32, ..moved });
    }),
];

#[test]
fn every_defect_of_bodies_and_contacts_is_named_by_a_panic() {
    let (sound, sound_refs, pool) = balls_on_the_ground();
    for (k, (expected, spoil)) in DEFECTS.into_iter().enumerate() {
        let (mut bodies, mut refs) = (sound.clone(), sound_refs.clone());
        spoil(&mut bodies, &mut refs);
        let mut layout = Layout::default();
        layout.build(&sound, &sound_refs, &pool, None);
        // A layout from scratch, and one that fits the sound contacts.
        let mut built = Layout::default();
        let built = catch_unwind(AssertUnwindSafe(|| built.build(&bodies, &refs, &pool, None)));
        let fitted = catch_unwind(AssertUnwindSafe(|| _ = layout.fit(&bodies, &refs, &pool, None)));
        for (call, caught) in [("build", built), ("fit", fitted)] {
            let panic = caught.expect_err(&format!("defect {k} is not noticed by {call}"));
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref().copied());
            let text = text.unwrap_or_default();
            assert!(text.contains(expected), "defect {k}, {call}: {text}");
        }
        // What was left half done is not used.
        assert!(!layout.is_built());
        layout.fit(&sound, &sound_refs, &pool, None);
        check_layout(&layout, &sound, &sound_refs);
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_key_beyond_those_of_the_step_is_a_defect() {
    let mut slots = LaneSlots::default();
    slots.begin_step(4);
    assert_eq!(slots.slot_of(3), None);
    slots.slot_of(4);
}
