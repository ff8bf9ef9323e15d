//! A step of many bodies at once: flight, rotation, and what follows from where they come to be.
//!
//! Every scalar of a [`BodyBlock`] lies in a row of its own, as in a [`SpinBlock`], and the loops over the lanes become
//! vector instructions of whatever set the caller is compiled for. The bits are those of the laws for one body.

use super::ballistic::fly_damped;
use super::carried::Carried;
use super::damping::Decay;
use super::elementary::SMALL;
use super::rotation::rows::{put3, put4, unit, vector};
use super::rotation::unit::Unit;
use super::rotation::unit::select;
use super::rotation::{LANES, Row, SpinBlock, isotropic_lanes, strang_lanes};
use crate::math::{Mat3, Quat, Real, Vec3};

/// [`LANES`] bodies, scalar by scalar, in world axes where nothing is said.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct BodyBlock {
    /// Orientations, spins and moments of inertia.
    pub spin: SpinBlock,
    /// Centres of mass (m), and what rounding has left of them.
    pub center: [[Row; 3]; 2],
    /// Their velocities (m/s), and what rounding has left of them.
    pub velocity: [[Row; 3]; 2],
    /// Accelerations (m/s²).
    pub acceleration: [Row; 3],
    /// Centres of mass in the bodies' own axes, from their origins (m).
    pub local_center: [Row; 3],
    /// How far any point can be from the centre (m).
    pub radius: Row,
    /// Displacements (m) of bodies that contacts move.
    pub displacement: [Row; 3],
    /// Their rotation vectors (rad).
    pub rotation: [Row; 3],
    /// How far any point has moved by turning and by travelling, at the most (m): in this order.
    pub path: [Row; 2],
    /// Where the origins are after the step (m).
    pub position: [Row; 3],
    /// Inverse inertias after it (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [Row; 6],
}

/// Moves bodies for `h` seconds that nothing touches: as [`fly_damped`] and [`rotate`](super::rotation::rotate) with the splitting
/// do.
#[inline(always)]
pub(crate) fn fly_lanes(block: &mut BodyBlock, h: Real) {
    for lane in 0..LANES {
        let start = vector(&block.velocity[0], lane);
        let (moved, faster) = fly_damped(start, vector(&block.acceleration, lane), h, Decay::NONE);
        let velocity = Carried::read(start, vector(&block.velocity[1], lane)).plus(faster);
        put3(&mut block.velocity[0], lane, velocity.value);
        put3(&mut block.velocity[1], lane, velocity.rest);
        block.path[1][lane] = moved.length();
        shift(&mut block.center, lane, moved);
    }
    spin_lanes(block, h);
    settle_lanes(block);
}

/// Moves bodies by their displacements and turns them by their rotation vectors.
#[inline(always)]
pub(crate) fn shift_lanes(block: &mut BodyBlock) {
    let (mut small, mut turns) = (true, false);
    for lane in 0..LANES {
        let (moved, turned) = (vector(&block.displacement, lane), vector(&block.rotation, lane));
        shift(&mut block.center, lane, moved);
        let angle = turned.length();
        block.path[0][lane] = 0.0;
        block.path[1][lane] = moved.length() + angle * block.radius[lane];
        small &= (turned * 0.5).length_squared() <= SMALL * SMALL;
        turns |= angle > 0.0;
    }
    match (turns, small) {
        (false, _) => {}
        (true, true) => turn_lanes::<true>(block),
        (true, false) => turn_lanes::<false>(block),
    }
    settle_lanes(block);
}

#[inline(always)]
fn shift(center: &mut [[Row; 3]; 2], lane: usize, moved: Vec3) {
    let after = Carried::read(vector(&center[0], lane), vector(&center[1], lane)).plus(moved);
    put3(&mut center[0], lane, after.value);
    put3(&mut center[1], lane, after.rest);
}

#[inline(always)]
fn turn_lanes<const SMALL: bool>(block: &mut BodyBlock) {
    for lane in 0..LANES {
        let (half, before) = (vector(&block.rotation, lane) * 0.5, unit(&block.spin.orientation, lane));
        let turn = if SMALL { Unit::exp_small(half) } else { Unit::exp(half) };
        let turns = (half.x != 0.0) | (half.y != 0.0) | (half.z != 0.0);
        let after = Unit::select(turns, turn.times(before).normalized(), before);
        put4(&mut block.spin.orientation, lane, after);
    }
}

/// Free rotation.
#[inline(always)]
fn spin_lanes(block: &mut BodyBlock, h: Real) {
    let spin = &mut block.spin;
    let (mut round, mut tumbles) = ([false; LANES], [false; LANES]);
    // Squares of angular speeds.
    let mut fastest = [0.0; LANES];
    for (lane, fastest) in fastest.iter_mut().enumerate() {
        let (turning, torque) = (vector(&spin.velocity, lane), vector(&spin.torque, lane));
        let p = vector(&spin.principal, lane);
        let is_round = (p.x == p.y) & (p.y == p.z);
        let turns = (turning.abs() + torque.abs()).max_element() != 0.0;
        round[lane] = is_round & turns;
        tumbles[lane] = !is_round & turns;
        *fastest = turning.length_squared();
    }
    let any = |lanes: &[bool; LANES]| lanes.iter().fold(false, |any, &lane| any | lane);
    if any(&tumbles) {
        let others = tumbles.iter().fold(false, |any, &tumbles| any | !tumbles);
        let before = others.then_some((spin.orientation, spin.velocity, spin.residual));
        strang_lanes(spin, h);
        if let Some((orientation, velocity, residual)) = &before {
            for (lane, &tumbles) in tumbles.iter().enumerate() {
                let after = Unit::select(tumbles, unit(&spin.orientation, lane), unit(orientation, lane));
                let velocity = select(tumbles, vector(&spin.velocity, lane), vector(velocity, lane));
                let residual = select(tumbles, vector(&spin.residual, lane), vector(residual, lane));
                put4(&mut spin.orientation, lane, after);
                put3(&mut spin.velocity, lane, velocity);
                put3(&mut spin.residual, lane, residual);
            }
        }
    }
    if any(&round) {
        isotropic_lanes(spin, &round, h);
    }
    for (lane, &before) in fastest.iter().enumerate() {
        let after = vector(&spin.velocity, lane).length_squared();
        let most = if after > before { after } else { before };
        block.path[0][lane] = most.sqrt() * h * block.radius[lane];
    }
}

/// What follows from where bodies are.
#[inline(always)]
fn settle_lanes(block: &mut BodyBlock) {
    if block.spin.is_framed() { settle::<true>(block) } else { settle::<false>(block) }
}

#[inline(always)]
fn settle<const FRAMED: bool>(block: &mut BodyBlock) {
    for lane in 0..LANES {
        let q = unit(&block.spin.orientation, lane);
        let at = origin_of(vector(&block.center[0], lane), q, vector(&block.local_center, lane));
        put3(&mut block.position, lane, at);
        let frame = unit(&block.spin.frame, lane);
        let axes = if FRAMED { q.times(frame) } else { q };
        let inverse = vector(&block.spin.inverse, lane);
        let round = (inverse.x == inverse.y) & (inverse.y == inverse.z);
        let diagonal = [inverse.x, inverse.x, inverse.x, 0.0, 0.0, 0.0];
        for (k, entry) in axes.axes().tensor(inverse).into_iter().enumerate() {
            block.inverse_inertia[k][lane] = if round { diagonal[k] } else { entry };
        }
    }
}

#[inline(always)]
fn origin_of(center: Vec3, orientation: Unit, local_center: Vec3) -> Vec3 {
    center - orientation.axes().to_world(local_center)
}

/// The origin (m) of a body whose centre of mass is at `center`, and at `local_center` in its own axes.
#[inline]
pub(crate) fn origin(center: Vec3, orientation: Quat, local_center: Vec3) -> Vec3 {
    origin_of(center, Unit::from_quat(orientation), local_center)
}

/// The inverse inertia in the world (1/(kg m²)) of a body with these principal moments (kg m²), along axes that `frame` turns into
/// its own.
#[inline]
pub(crate) fn inverse_inertia(principal: Vec3, frame: Quat, orientation: Quat) -> Mat3 {
    let inverse = Vec3::ONE / principal;
    if inverse.x == inverse.y && inverse.y == inverse.z {
        return Mat3::from_diagonal(inverse);
    }
    let axes = Unit::from_quat(orientation).times(Unit::from_quat(frame)).axes();
    symmetric(axes.tensor(inverse))
}

/// The matrix with these entries: xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn symmetric([xx, yy, zz, xy, xz, yz]: [Real; 6]) -> Mat3 {
    Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
}
