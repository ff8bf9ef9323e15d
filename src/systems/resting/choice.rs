//! Which islands go to the exact laws of rest.

use super::Resting;
use super::knots::are_rigid;
use crate::ahead;
use crate::bodies::{Bodies, Kind};
use crate::contact::{Contact, ContactGraph};
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{Real, Vec3};
use crate::resting::Law;
use crate::settings::{Accuracy, Settings};
use crate::tolerances::*;

/// For how many steps more an island is kept from the exact laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Wait {
    /// Whatever it does.
    always: u8,
    /// While it moves.
    moving: u8,
}

impl Wait {
    /// That of an island on which the exact laws failed.
    pub const FAILED: Self = Self { always: EXACT_WAIT, moving: 0 };

    /// That of an island whose searches take longer than a game has time for. What they found is good, but not worth its time
    /// in each step; those of an island that was not `steady` begin from another place once it has come to stand.
    pub fn tired(steady: bool) -> Self {
        if steady { Self { always: TEDIOUS_WAIT, moving: 0 } } else { Self { always: 0, moving: TEDIOUS_MOVING_WAIT } }
    }

    /// Whether the wait of an island that is `quiet` or moves goes on for another step.
    fn goes_on(&mut self, quiet: bool) -> bool {
        self.always = self.always.saturating_sub(1);
        self.moving = self.moving.saturating_sub(1);
        self.always > 0 || !quiet && self.moving > 0
    }
}

/// What the choice asks of an island.
#[derive(Clone, Copy)]
pub(super) struct Traits {
    points: usize,
    quiet: bool,
}

/// Lists the islands for the exact laws in `resting.works`, by name, each with what its last search left. Returns their
/// contact points.
pub(super) fn choose(
    (bodies, graph, joints): (&Bodies, &ContactGraph, &Joints),
    islands: &Islands,
    settings: &Settings,
    dt: Real,
    resting: &mut Resting,
) -> usize {
    let Resting { works, before, spare, place, wait, traits, rows, .. } = resting;
    std::mem::swap(works, before);
    place.resize(bodies.slots(), 0);
    traits.clear();
    traits.extend(
        islands.islands.iter().map(|island| look(bodies, island, &islands.bodies[island.body_range()], settings)),
    );
    let loose = traits.iter().filter(|traits| !traits.quiet && traits.points <= GAME_MOVING_POINTS);
    let crowded = loose.map(|traits| traits.points).sum::<usize>() > GAME_MOVING_BUDGET;
    let mut points = 0;
    let mut kept = before.drain(..).peekable();
    for (number, island) in islands.islands.iter().enumerate() {
        let members = &islands.bodies[island.body_range()];
        let name = members[0];
        let traits = &traits[number];
        let waits = wait[name as usize].goes_on(traits.quiet);
        let mut fits = || match &joints.acting[island.joint_range()] {
            [] => fits(bodies, graph, island, members, settings, traits, crowded),
            list => {
                fits_tied(graph, island, settings, traits)
                    && are_rigid(bodies, joints, list, (dt, settings.length_unit), rows)
            }
        };
        if waits || !fits() || has_rolling_friction(graph, island) {
            continue;
        }
        // Both lists are in order of names.
        while kept.peek().is_some_and(|work| work.name < name) {
            spare.extend(kept.next());
        }
        let same = kept.next_if(|work| work.name == name);
        let mut work = same.unwrap_or_else(|| {
            let mut work = spare.pop().unwrap_or_default();
            work.forget();
            work
        });
        (work.name, work.island, work.quiet) = (name, number as u32, traits.quiet);
        work.steady = traits.quiet || is_carried(bodies, graph, island);
        works.push(work);
        points += traits.points;
        for (k, &slot) in members.iter().enumerate() {
            place[slot as usize] = k as u32;
        }
    }
    spare.extend(kept);
    spare.truncate(works.len() + SPARE_SEARCHES);
    points
}

fn look(bodies: &Bodies, island: &Island, members: &[u32], settings: &Settings) -> Traits {
    let quiet = QUIET_SPEED * settings.length_unit;
    let is_slow = |&slot: &u32| {
        let slot = slot as usize;
        bodies.linear_velocity[slot].length() + bodies.angular_velocity[slot].length() * bodies.radius[slot] <= quiet
    };
    Traits { points: island.points as usize, quiet: members.iter().all(is_slow) }
}

/// Whether some contact has what only the scalable solver knows.
fn has_rolling_friction(graph: &ContactGraph, island: &Island) -> bool {
    island.contact_range().any(|k| {
        graph.call_record(k + ahead::ROUNDS);
        graph.records[graph.contacts[k].record as usize].material.rolling_friction > 0.0
    })
}

fn fits(
    bodies: &Bodies,
    graph: &ContactGraph,
    island: &Island,
    members: &[u32],
    settings: &Settings,
    traits: &Traits,
    crowded: bool,
) -> bool {
    let &Traits { points, quiet, .. } = traits;
    match (settings.resting_law, settings.accuracy) {
        (Law::Iterative, _) => false,
        (Law::ShockPropagation, _) => true,
        (Law::Newton | Law::LinearProgram, _) => points <= NEWTON_CONTACTS,
        (Law::Auto, Accuracy::Exact) => points <= if quiet { EXACT_POINTS } else { EXACT_MOVING_POINTS },
        (Law::Auto, Accuracy::Game) if points > EXACT_CONTACTS => false,
        (Law::Auto, Accuracy::Game) if quiet => true,
        (Law::Auto, Accuracy::Game) => {
            is_slender(bodies, members, settings)
                || is_uneven(bodies, graph, island)
                || points <= GAME_MOVING_POINTS && !crowded
        }
    }
}

/// Whether an island with joints is one for the exact laws, if these know what its joints ask: once it is quiet, and something
/// carries something. What moves is followed better by substeps, and where nothing presses trees of joints are solved exactly
/// anyway. In `Game` it is for parking that they are asked: a search takes as long as many steps of the joints' own solver.
fn fits_tied(graph: &ContactGraph, island: &Island, settings: &Settings, traits: &Traits) -> bool {
    let most = match settings.accuracy {
        Accuracy::Exact => EXACT_POINTS,
        Accuracy::Game if settings.rest => EXACT_CONTACTS,
        Accuracy::Game => return false,
    };
    let presses = |c: &Contact| graph.manifolds[c.manifold as usize].points().iter().any(|p| p.normal_impulse > 0.0);
    matches!(settings.resting_law, Law::Auto | Law::Newton | Law::LinearProgram)
        && traits.quiet
        && traits.points + 2 * island.joint_range().len() <= most
        && graph.contacts[island.contact_range()].iter().any(presses)
}

/// Whether an island may move only because what it lies on carries it along: a body that moves by itself, or a running surface.
fn is_carried(bodies: &Bodies, graph: &ContactGraph, island: &Island) -> bool {
    graph.contacts[island.contact_range()].iter().any(|c| {
        let moves_it = |slot: u32| bodies.kind[slot as usize] == Kind::Kinematic && bodies.is_moving(slot as usize);
        moves_it(c.a) || moves_it(c.b) || graph.records[c.record as usize].surface_velocity != Vec3::ZERO
    })
}

/// Whether a body rests on, or touches, one that is many times lighter.
fn is_uneven(bodies: &Bodies, graph: &ContactGraph, island: &Island) -> bool {
    graph.contacts[island.contact_range()].iter().any(|c| {
        let (a, b) = (c.a as usize, c.b as usize);
        let both = bodies.kind[a] == Kind::Dynamic && bodies.kind[b] == Kind::Dynamic;
        both && bodies.mass[a].max(bodies.mass[b]) > HEAVY_RATIO * bodies.mass[a].min(bodies.mass[b])
    })
}

/// Whether an island is a tower: tall along gravity, with few bodies to a level.
fn is_slender(bodies: &Bodies, members: &[u32], settings: &Settings) -> bool {
    if members.len() < TALL_CHAIN as usize {
        return false;
    }
    let up = settings.gravity.normalize_or_zero();
    let heights = members.iter().map(|&slot| bodies.center[slot as usize].dot(up));
    let (low, high) = heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(low, high), h| (h.min(low), h.max(high)));
    let across: Real = members.iter().map(|&slot| 2.0 * bodies.radius[slot as usize]).sum();
    // Of bodies laid one on another at their widest, `across` would be the height.
    (high - low) * SLENDER_WIDTH as Real > across
}
