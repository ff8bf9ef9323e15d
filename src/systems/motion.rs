//! Stage 9, **motion**: new positions and orientations.
//!
//! What nothing pushed moves by the exact law: translation in closed form, rotation with its world angular momentum kept.
//! What was pushed moves as the solver says. Impacts within the step have left a displacement of their own.

mod lanes;

use crate::bodies::{Bodies, Kind};
use crate::components::LockedAxes;
use crate::index::NONE;
use crate::math::{Real, Vec3};
use crate::motion::Carried;
use crate::motion::ballistic::fly_damped;
use crate::motion::block::{BodyBlock, origin};
use crate::motion::damping::Decay;
use crate::motion::rotation::{LANES, PrincipalInertia, RotationLaw, Spin, integrate_orientation, rotate};
use crate::parallel::{Apart, Helpers, WORKED_ON};
use crate::solver::Path;
use crate::systems::pace::is_fast;
use crate::systems::state::State;
use crate::systems::sweep::{self, Moved, Rules, Start, Way};
use lanes::{ALL, Columns, Lanes};

/// How a slot's body moves in this step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Not at all.
    Stays,
    /// As nothing touches it, by a law that has lanes.
    Flies,
    /// As the solver says.
    Shifts,
    /// As its [`Inputs`](crate::inputs::Inputs) or its impacts ask, by itself.
    Alone,
    /// By itself, and so far that the sweep goes along.
    Travels,
}

/// Fewer blocks of bodies than this are not worth handing to another thread.
const LEAST_SHARE: usize = WORKED_ON / LANES;

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct Motion {
    /// By block: which of its bodies fly, and which shift.
    lanes: Vec<[Lanes; 2]>,
    /// The bodies that go alone, in order of slots, and whether they travel.
    books: Vec<Vec<(u32, bool)>>,
}

/// Runs the stage.
pub(crate) fn run(state: &mut State, rules: &Rules) {
    let law = state.settings.accuracy.rotation_law();
    state.sweep.begin(&state.bodies, &state.colliders, state.dt);
    let mut motion = std::mem::take(&mut state.motion);
    let Motion { lanes, books } = &mut motion;
    lanes.clear();
    lanes.resize(state.bodies.slots().div_ceil(LANES), [0; 2]);
    let used = sort(state, law, lanes, books);
    move_lanes(&mut state.bodies, &state.helpers, lanes, state.dt);
    for &(slot, travels) in books[..used].iter().flatten() {
        alone(state, slot as usize, law, travels);
    }
    state.motion = motion;
    sweep::run(state, rules);
}

/// Tells how each body moves; returns how many books were used.
fn sort(state: &State, law: RotationLaw, lanes: &mut [[Lanes; 2]], books: &mut Vec<Vec<(u32, bool)>>) -> usize {
    let (slots, blocks) = (state.bodies.slots(), lanes.len());
    let lanes = Apart::new(lanes);
    state.helpers.in_shares(blocks, books, LEAST_SHARE, &|share, book| {
        book.clear();
        // SAFETY: shares are apart.
        let lanes = unsafe { lanes.range(share.clone()) };
        for (block, [flies, shifts]) in share.zip(lanes) {
            let first = block * LANES;
            // What does not fill a block goes alone: its bits are the same.
            let full = first + LANES <= slots;
            if full && law == RotationLaw::Strang && all_fly(state, first) {
                *flies = ALL;
                continue;
            }
            for slot in first..slots.min(first + LANES) {
                let lane = 1 << (slot - first);
                match manner(state, slot, law) {
                    Manner::Stays => {}
                    Manner::Flies if full => *flies |= lane,
                    Manner::Shifts if full => *shifts |= lane,
                    manner => book.push((slot as u32, manner == Manner::Travels)),
                }
            }
        }
    })
}

/// Moves the bodies that fly or shift among others.
fn move_lanes(bodies: &mut Bodies, helpers: &Helpers, lanes: &[[Lanes; 2]], dt: Real) {
    let (columns, path) = (Columns::new(bodies), Path::best());
    helpers.shares(lanes.len(), LEAST_SHARE, &|share| {
        let mut block = BodyBlock::default();
        for (k, &[flies, shifts]) in share.clone().zip(&lanes[share]) {
            if flies | shifts == 0 {
                continue;
            }
            // SAFETY: shares are apart, and so are the bodies of blocks.
            let mut group = unsafe { columns.group(k * LANES, dt, path) };
            if flies != 0 {
                group.fly(flies, &mut block);
            }
            if shifts != 0 {
                group.shift(shifts, &mut block);
            }
        }
    });
}

/// Whether all bodies of a block [fly](Manner::Flies): asked of all at once, for it is the most frequent of answers in flight.
fn all_fly(state: &State, first: usize) -> bool {
    let State { bodies, islands, sweep, .. } = state;
    let range = first..first + LANES;
    let (kinds, parked, islands) =
        (&bodies.kind[range.clone()], &bodies.parked[range.clone()], &islands.of[range.clone()]);
    let (fast, special) = (&bodies.fast[range.clone()], &bodies.special[range]);
    let flies = |lane: usize| {
        (kinds[lane] == Kind::Dynamic) & (parked[lane] == NONE) & (islands[lane] == NONE) & !fast[lane] & !special[lane]
    };
    !sweep.follows_all() && (0..LANES).fold(true, |all, lane| all & flies(lane))
}

fn manner(state: &State, slot: usize, law: RotationLaw) -> Manner {
    let State { bodies, islands, resting, dt, sweep, .. } = state;
    if !bodies.is_active(slot) {
        let drives = bodies.kind[slot] == Kind::Kinematic && bodies.is_moving(slot);
        let waits = bodies.kind[slot] == Kind::Dynamic && sweep.follows_all();
        return if drives || waits { Manner::Alone } else { Manner::Stays };
    }
    let touches = islands.of[slot] != NONE;
    let travels = bodies.fast[slot] || touches && is_fast(bodies, slot, *dt);
    if travels {
        return Manner::Travels;
    }
    if sweep.follows_all() || bodies.special[slot] {
        return Manner::Alone;
    }
    if touches && resting.pushed[slot] {
        return Manner::Shifts;
    }
    let struck = touches && (bodies.displacement[slot] != Vec3::ZERO || bodies.rotation[slot] != Vec3::ZERO);
    let has_lanes = law == RotationLaw::Strang || bodies.is_isotropic(slot);
    if !struck && has_lanes { Manner::Flies } else { Manner::Alone }
}

/// Moves one body, and takes down its way where it is followed.
fn alone(state: &mut State, slot: usize, law: RotationLaw, travels: bool) {
    let State { bodies, colliders, islands, resting, dt, sweep, .. } = state;
    if !bodies.is_active(slot) {
        let start = Start::of(bodies, slot);
        if bodies.kind[slot] == Kind::Kinematic {
            bodies.displacement[slot] = bodies.linear_velocity[slot] * *dt;
            bodies.rotation[slot] = bodies.angular_velocity[slot] * *dt;
            turn_by(bodies, slot);
            advance(bodies, slot);
            let way = Way::new(bodies, slot, &start, Moved::Straight(bodies.rotation[slot]), law, *dt);
            sweep.add(Way { travels: bodies.fast[slot], ..way });
        } else {
            // Parked: it may be hit.
            (bodies.displacement[slot], bodies.rotation[slot]) = (Vec3::ZERO, Vec3::ZERO);
            sweep.add(Way::new(bodies, slot, &start, Moved::Straight(Vec3::ZERO), law, *dt));
        }
        return;
    }
    let (linear, angular) = match bodies.inputs[slot].damping.filter(|_| bodies.special[slot]) {
        Some(damping) => (Decay::over(damping.linear, *dt), Decay::over(damping.angular, *dt)),
        None => (Decay::NONE, Decay::NONE),
    };
    let touches = islands.of[slot] != NONE;
    let start = (travels || sweep.follows_all()).then(|| Start::of(bodies, slot));
    if !touches {
        bodies.displacement[slot] = Vec3::ZERO;
        bodies.rotation[slot] = Vec3::ZERO;
    }
    let pushed = touches && resting.pushed[slot];
    let straight = pushed
        || bodies.special[slot]
        || bodies.displacement[slot] != Vec3::ZERO
        || bodies.rotation[slot] != Vec3::ZERO;
    if pushed {
        bodies.linear_velocity[slot] *= linear.left();
        bodies.angular_velocity[slot] *= angular.left();
        (bodies.velocity_rest[slot], bodies.momentum_rest[slot]) = (Vec3::ZERO, Vec3::ZERO);
    } else {
        fly(bodies, slot, *dt, linear);
        // Flight begins where impacts within the step have put the body.
        if !bodies.is_rotation_locked(slot) {
            turn_by(bodies, slot);
        }
        turn(bodies, slot, *dt, law, angular);
    }
    if bodies.special[slot]
        && let Some(locked) = bodies.inputs[slot].locked
    {
        hold(bodies, slot, locked);
    }
    if pushed || bodies.is_rotation_locked(slot) {
        turn_by(bodies, slot);
    }
    advance(bodies, slot);
    if let Some(start) = start {
        let freely = bodies.angular_velocity[slot] * *dt;
        let turns = if pushed || bodies.is_rotation_locked(slot) { Vec3::ZERO } else { freely };
        let moved = if straight { Moved::Straight(bodies.rotation[slot] + turns) } else { Moved::Freely };
        let way = Way::new(bodies, slot, &start, moved, law, *dt);
        sweep.add(Way { travels, everything: colliders.ccd[slot], ..way });
    }
}

/// Flight of the centre of mass over the step: adds to the displacement.
fn fly(bodies: &mut Bodies, slot: usize, dt: Real, decay: Decay) {
    let (moved, faster) = fly_damped(bodies.linear_velocity[slot], bodies.acceleration[slot], dt, decay);
    let velocity = Carried::read(bodies.linear_velocity[slot], bodies.velocity_rest[slot]).plus(faster);
    bodies.displacement[slot] += moved;
    bodies.linear_velocity[slot] = velocity.value;
    bodies.velocity_rest[slot] = velocity.rest;
}

/// Rotation over the step: turns the body itself, unless axes are locked; then it adds to the rotation.
fn turn(bodies: &mut Bodies, slot: usize, dt: Real, law: RotationLaw, decay: Decay) {
    let (turning, torque) = (bodies.angular_velocity[slot], bodies.torque[slot]);
    if turning == Vec3::ZERO && torque == Vec3::ZERO {
        return;
    }
    if bodies.is_rotation_locked(slot) {
        let (turned, faster) = fly_damped(turning, bodies.inverse_inertia[slot] * torque, dt, decay);
        bodies.rotation[slot] += turned;
        bodies.angular_velocity[slot] += faster;
        return;
    }
    let inertia = PrincipalInertia::new(bodies.principal[slot], bodies.frame[slot]);
    let residual = bodies.momentum_rest[slot];
    let spin = Spin { orientation: bodies.orientation[slot], velocity: turning, residual };
    let after = rotate(law, spin, &inertia, torque, dt * decay.mean).scaled(decay.left());
    bodies.odometer[slot] += f64::from(turning.length().max(after.velocity.length()) * dt * bodies.radius[slot]);
    bodies.orientation[slot] = after.orientation;
    bodies.angular_velocity[slot] = after.velocity;
    bodies.momentum_rest[slot] = after.residual;
}

/// Takes the rest of motion along and about locked axes away: what impacts and forces left there, and rounding.
fn hold(bodies: &mut Bodies, slot: usize, locked: LockedAxes) {
    let (along, about) = (locked.free_translations(), locked.free_rotations());
    bodies.displacement[slot] *= along;
    bodies.linear_velocity[slot] *= along;
    bodies.rotation[slot] *= about;
    bodies.angular_velocity[slot] *= about;
    bodies.center_rest[slot] *= along;
    bodies.velocity_rest[slot] *= along;
}

/// Turns a body by its rotation.
fn turn_by(bodies: &mut Bodies, slot: usize) {
    let rotation = bodies.rotation[slot];
    if rotation != Vec3::ZERO {
        bodies.orientation[slot] = integrate_orientation(bodies.orientation[slot], rotation);
    }
}

/// Moves a body that has been turned by its displacement.
fn advance(bodies: &mut Bodies, slot: usize) {
    let (displacement, rotation) = (bodies.displacement[slot], bodies.rotation[slot]);
    bodies.odometer[slot] += f64::from(displacement.length() + rotation.length() * bodies.radius[slot]);
    let center = Carried::read(bodies.center[slot], bodies.center_rest[slot]).plus(displacement);
    bodies.center[slot] = center.value;
    bodies.center_rest[slot] = center.rest;
    bodies.position[slot] = origin(center.value, bodies.orientation[slot], bodies.local_center[slot]);
    bodies.refresh_inertia(slot);
    bodies.dirty[slot] = true;
}
