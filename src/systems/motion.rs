//! Stage 9, **motion**: new positions and orientations.
//!
//! Bodies without contact forces move by the exact law: translation in closed form, rotation with
//! its angular momentum in world axes conserved. Other bodies move as the solver says. Impacts
//! within the step have left a displacement of their own.

mod lanes;

use crate::bodies::{Bodies, Kind};
use crate::components::LockedAxes;
use crate::ids::NONE;
use crate::math::parry::partitioning::Bvh;
use crate::math::{Norm, Real, Vec3};
use crate::motion::CompensatedSum;
use crate::motion::ballistic::fly_damped;
use crate::motion::block::{BodyBlock, origin};
use crate::motion::damping::Decay;
use crate::motion::rotation::{LANES, PrincipalInertia, RotationLaw, RotationState, integrate_orientation, rotate};
use crate::parallel::{MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::solver::SimdLevel;
use crate::state::State;
use crate::systems::ccd::{self, CcdStage, CollisionRules, StepMotion, StepStart, SweptBody};
use crate::systems::fast_bodies::is_fast;
use crate::systems::out_of_range;
use crate::systems::solve::Solved;
use lanes::{ALL, Columns, Lanes};

/// The motion of a slot's body in this step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MotionKind {
    /// None.
    Still,
    /// Free flight by a law with lanes.
    FreeFlight,
    /// By the solver's displacement.
    Displaced,
    /// A single body with special inputs or impacts.
    Single,
    /// A single body, and so fast that CCD is needed.
    Continuous,
}

/// Minimum number of blocks of bodies for another thread.
const MIN_BLOCKS: usize = MIN_CHUNK_ARITHMETIC / LANES;

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct Motion {
    /// The blocks of bodies that may move, in order.
    blocks: Vec<u32>,
    /// By such block: masks of the bodies in free flight and of those moved by the solver.
    lanes: Vec<[Lanes; 2]>,
    /// The bodies moved one by one, in order of slots, and whether they need CCD.
    singles: Vec<Vec<(u32, bool)>>,
}

/// Runs the stage.
pub(crate) fn run(
    state: &mut State,
    motion: &mut Motion,
    ccd: &mut CcdStage,
    solved: &mut Solved,
    tree: &Bvh,
    rules: &CollisionRules,
) {
    let law = state.settings.accuracy.rotation_law();
    ccd.begin(&state.bodies, &state.active_set.bodies, &state.colliders, state.dt);
    let Motion { blocks, lanes, singles } = motion;
    blocks.clear();
    if ccd.sweeps_all() {
        blocks.extend(0..state.bodies.slots().div_ceil(LANES) as u32);
    } else {
        blocks.extend(state.active_set.bodies.iter().map(|slot| slot / LANES as u32));
        blocks.dedup();
    }
    lanes.clear();
    lanes.resize(blocks.len(), [0; 2]);
    let used = classify(state, (ccd, &solved.pushed), law, (blocks, lanes), singles);
    move_lanes(&mut state.bodies, (&state.helpers, state.simd), (blocks, lanes), state.dt);
    for &(slot, continuous) in singles[..used].iter().flatten() {
        move_single(state, (ccd, &solved.pushed), slot as usize, law, continuous);
    }
    if ccd.is_needed() {
        out_of_range::hold_moved(&mut state.bodies, &state.active_set.bodies, &mut state.quarantine);
    }
    ccd::run(state, ccd, &mut solved.residual, tree, rules);
}

/// Classifies the bodies of these blocks. Returns the number of lists used.
fn classify(
    state: &State,
    (ccd, pushed): (&CcdStage, &[bool]),
    law: RotationLaw,
    (blocks, lanes): (&[u32], &mut [[Lanes; 2]]),
    singles: &mut Vec<Vec<(u32, bool)>>,
) -> usize {
    let slots = state.bodies.slots();
    state.helpers.for_each_chunk_of_with(lanes, singles, MIN_BLOCKS, &|share, lanes, single: &mut Vec<_>| {
        single.clear();
        for (&block, [flies, shifts]) in blocks[share].iter().zip(lanes) {
            let first = block as usize * LANES;
            // Bodies of an incomplete block are moved one by one, with the same bits.
            let full = first + LANES <= slots;
            if full && law == RotationLaw::Strang && all_in_free_flight(state, ccd, first) {
                *flies = ALL;
                continue;
            }
            for slot in first..slots.min(first + LANES) {
                let lane = 1 << (slot - first);
                match motion_kind(state, (ccd, pushed), slot, law) {
                    MotionKind::Still => {}
                    MotionKind::FreeFlight if full => *flies |= lane,
                    MotionKind::Displaced if full => *shifts |= lane,
                    kind => single.push((slot as u32, kind == MotionKind::Continuous)),
                }
            }
        }
    })
}

/// Moves the bodies in blocks.
fn move_lanes(
    bodies: &mut Bodies,
    (helpers, simd): (&WorkerPool, SimdLevel),
    (blocks, lanes): (&[u32], &[[Lanes; 2]]),
    dt: Real,
) {
    let columns = Columns::new(bodies);
    helpers.for_each_chunk(blocks.len(), MIN_BLOCKS, &|share| {
        let mut block = BodyBlock::default();
        for (&at, &[flies, shifts]) in blocks[share.clone()].iter().zip(&lanes[share]) {
            if flies | shifts == 0 {
                continue;
            }
            // SAFETY: no block is listed twice, shares do not overlap, and neither do the bodies of blocks.
            let mut group = unsafe { columns.group(at as usize * LANES, dt, simd) };
            if flies != 0 {
                group.fly(flies, &mut block);
            }
            if shifts != 0 {
                group.shift(shifts, &mut block);
            }
        }
    });
}

/// True if all bodies of a block are in [free flight](MotionKind::FreeFlight): tested for all at
/// once, the most frequent case in flight.
fn all_in_free_flight(state: &State, ccd: &CcdStage, first: usize) -> bool {
    let State { bodies, islands, .. } = state;
    let range = first..first + LANES;
    let (kinds, parked, islands) =
        (&bodies.kind[range.clone()], &bodies.sleeping_island[range.clone()], &islands.island_of[range.clone()]);
    let (fast, special) = (&bodies.fast[range.clone()], &bodies.special[range]);
    let flies = |lane: usize| {
        (kinds[lane] == Kind::Dynamic) & (parked[lane] == NONE) & (islands[lane] == NONE) & !fast[lane] & !special[lane]
    };
    !ccd.sweeps_all() && (0..LANES).fold(true, |all, lane| all & flies(lane))
}

fn motion_kind(state: &State, (ccd, pushed): (&CcdStage, &[bool]), slot: usize, law: RotationLaw) -> MotionKind {
    let State { bodies, islands, dt, .. } = state;
    if !bodies.is_active(slot) {
        let drives = bodies.is_moving_kinematic(slot);
        let waits = bodies.kind[slot] == Kind::Dynamic && ccd.sweeps_all();
        return if drives || waits { MotionKind::Single } else { MotionKind::Still };
    }
    let touches = islands.island_of[slot] != NONE;
    let continuous = bodies.fast[slot] || touches && is_fast(bodies, slot, *dt);
    if continuous {
        return MotionKind::Continuous;
    }
    if ccd.sweeps_all() || bodies.special[slot] {
        return MotionKind::Single;
    }
    if touches && pushed[slot] {
        return MotionKind::Displaced;
    }
    let struck = touches && (bodies.displacement[slot] != Vec3::ZERO || bodies.rotation[slot] != Vec3::ZERO);
    let has_lanes = law == RotationLaw::Strang || bodies.is_isotropic(slot);
    if !struck && has_lanes { MotionKind::FreeFlight } else { MotionKind::Single }
}

/// Moves one body, and adds it to CCD if needed.
fn move_single(
    state: &mut State,
    (ccd, pushed): (&mut CcdStage, &[bool]),
    slot: usize,
    law: RotationLaw,
    continuous: bool,
) {
    let State { bodies, colliders, islands, dt, .. } = state;
    if !bodies.is_active(slot) {
        let start = StepStart::of(bodies, slot);
        if bodies.kind[slot] == Kind::Kinematic {
            bodies.displacement[slot] = bodies.linear_velocity[slot] * *dt;
            bodies.rotation[slot] = bodies.angular_velocity[slot] * *dt;
            apply_rotation(bodies, slot);
            apply_displacement(bodies, slot);
            let swept = SweptBody::new(bodies, slot, &start, StepMotion::Straight(bodies.rotation[slot]), law, *dt);
            ccd.add(SweptBody { continuous: bodies.fast[slot], ..swept });
        } else {
            // Asleep: it may be hit.
            (bodies.displacement[slot], bodies.rotation[slot]) = (Vec3::ZERO, Vec3::ZERO);
            ccd.add(SweptBody::new(bodies, slot, &start, StepMotion::Straight(Vec3::ZERO), law, *dt));
        }
        return;
    }
    let (linear, angular) = match bodies.inputs[slot].damping.filter(|_| bodies.special[slot]) {
        Some(damping) => (Decay::over(damping.linear, *dt), Decay::over(damping.angular, *dt)),
        None => (Decay::NONE, Decay::NONE),
    };
    let touches = islands.island_of[slot] != NONE;
    let start = (continuous || ccd.sweeps_all()).then(|| StepStart::of(bodies, slot));
    if !touches {
        bodies.displacement[slot] = Vec3::ZERO;
        bodies.rotation[slot] = Vec3::ZERO;
    }
    let pushed = touches && pushed[slot];
    let straight = pushed
        || bodies.special[slot]
        || bodies.displacement[slot] != Vec3::ZERO
        || bodies.rotation[slot] != Vec3::ZERO;
    if pushed {
        bodies.linear_velocity[slot] *= linear.left();
        bodies.angular_velocity[slot] *= angular.left();
        (bodies.velocity_compensation[slot], bodies.momentum_compensation[slot]) = (Vec3::ZERO, Vec3::ZERO);
    } else {
        fly(bodies, slot, *dt, linear);
        // Flight begins at the extrapolated start that impacts within the step have left.
        if !bodies.is_rotation_locked(slot) {
            apply_rotation(bodies, slot);
        }
        rotate_freely(bodies, slot, *dt, law, angular);
    }
    if bodies.special[slot]
        && let Some(locked) = bodies.inputs[slot].locked
    {
        apply_locks(bodies, slot, locked);
    }
    if pushed || bodies.is_rotation_locked(slot) {
        apply_rotation(bodies, slot);
    }
    apply_displacement(bodies, slot);
    if let Some(start) = start {
        let freely = bodies.angular_velocity[slot] * *dt;
        let turns = if pushed || bodies.is_rotation_locked(slot) { Vec3::ZERO } else { freely };
        let moved = if straight { StepMotion::Straight(bodies.rotation[slot] + turns) } else { StepMotion::FreeFlight };
        let swept = SweptBody::new(bodies, slot, &start, moved, law, *dt);
        ccd.add(SweptBody { continuous, bullet: colliders.ccd[slot], ..swept });
    }
}

/// Free flight of the centre of mass over the step: adds to the displacement.
fn fly(bodies: &mut Bodies, slot: usize, dt: Real, decay: Decay) {
    let (moved, faster) = fly_damped(bodies.linear_velocity[slot], bodies.acceleration[slot], dt, decay);
    let velocity = CompensatedSum::read(bodies.linear_velocity[slot], bodies.velocity_compensation[slot]).plus(faster);
    bodies.displacement[slot] += moved;
    bodies.linear_velocity[slot] = velocity.value;
    bodies.velocity_compensation[slot] = velocity.remainder;
}

/// Free rotation over the step: rotates the body itself, or adds to the rotation vector if axes are
/// locked.
fn rotate_freely(bodies: &mut Bodies, slot: usize, dt: Real, law: RotationLaw, decay: Decay) {
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
    let residual = bodies.momentum_compensation[slot];
    let spin = RotationState { orientation: bodies.orientation[slot], velocity: turning, residual };
    let after = rotate(law, spin, &inertia, torque, dt * decay.mean).scaled(decay.left());
    bodies.odometer[slot] += f64::from(turning.norm().max(after.velocity.norm()) * dt * bodies.radius[slot]);
    bodies.orientation[slot] = after.orientation;
    bodies.angular_velocity[slot] = after.velocity;
    bodies.momentum_compensation[slot] = after.residual;
}

/// Removes motion along and about locked axes: by impacts, forces and rounding.
fn apply_locks(bodies: &mut Bodies, slot: usize, locked: LockedAxes) {
    let (along, about) = (locked.free_translations(), locked.free_rotations());
    bodies.displacement[slot] *= along;
    bodies.linear_velocity[slot] *= along;
    bodies.rotation[slot] *= about;
    bodies.angular_velocity[slot] *= about;
    bodies.center_compensation[slot] *= along;
    bodies.velocity_compensation[slot] *= along;
}

/// Rotates a body by its rotation vector.
fn apply_rotation(bodies: &mut Bodies, slot: usize) {
    let rotation = bodies.rotation[slot];
    if rotation != Vec3::ZERO {
        bodies.orientation[slot] = integrate_orientation(bodies.orientation[slot], rotation);
    }
}

/// Moves a rotated body by its displacement.
fn apply_displacement(bodies: &mut Bodies, slot: usize) {
    let (displacement, rotation) = (bodies.displacement[slot], bodies.rotation[slot]);
    bodies.odometer[slot] += f64::from(displacement.norm() + rotation.norm() * bodies.radius[slot]);
    let center = CompensatedSum::read(bodies.center[slot], bodies.center_compensation[slot]).plus(displacement);
    bodies.center[slot] = center.value;
    bodies.center_compensation[slot] = center.remainder;
    bodies.position[slot] = origin(center.value, bodies.orientation[slot], bodies.local_center[slot]);
    bodies.refresh_inertia(slot);
    bodies.dirty[slot] = true;
}
