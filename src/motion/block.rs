//! A step of many bodies at once: flight, rotation, and the resulting positions and inertias.
//!
//! Every scalar of a [`BodyBlock`] has a row of its own, as in a [`RotationBlock`], and the
//! compiler vectorises the loops over the lanes for the caller's instruction set. The bits are
//! those of the laws for one body.

use super::ballistic::fly_damped;
use super::compensated::CompensatedSum;
use super::damping::Decay;
use super::rotation::lane_rows::{put3, put4, unit, vector};
use super::rotation::unit_quat::UnitQuat;
use super::rotation::unit_quat::select;
use super::rotation::{
    LANES, LaneRow, PrincipalInertia, RotationBlock, RotationLaw, is_coarse, isotropic_lanes, rotate, strang_lanes,
};
use super::trig::SMALL;
use crate::math::{Mat3, Norm, Quat, Real, Vec3};

/// [`LANES`] bodies, scalar by scalar, in world axes unless stated otherwise.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct BodyBlock {
    /// Orientations, angular velocities and moments of inertia.
    pub rotation_state: RotationBlock,
    /// Centres of mass (m), and their rounding remainders.
    pub center: [[LaneRow; 3]; 2],
    /// Their velocities (m/s), and the rounding remainders.
    pub velocity: [[LaneRow; 3]; 2],
    /// Accelerations (m/s²).
    pub acceleration: [LaneRow; 3],
    /// Centres of mass in the bodies' own axes, from their origins (m).
    pub local_center: [LaneRow; 3],
    /// Maximum distance of a point from the centre of mass (m).
    pub radius: LaneRow,
    /// Displacements (m) by the solver.
    pub displacement: [LaneRow; 3],
    /// Rotation vectors (rad) by the solver.
    pub rotation: [LaneRow; 3],
    /// Bounds on the path of any point by rotation and by translation (m), in this order.
    pub path: [LaneRow; 2],
    /// Origins after the step (m).
    pub position: [LaneRow; 3],
    /// Inverse inertias after it (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [LaneRow; 6],
}

/// Free flight of bodies for `h` seconds: as [`fly_damped`] and [`rotate`](super::rotation::rotate)
/// with the splitting do.
#[inline(always)]
pub(crate) fn fly_lanes(block: &mut BodyBlock, h: Real) {
    for lane in 0..LANES {
        let start = vector(&block.velocity[0], lane);
        let (moved, faster) = fly_damped(start, vector(&block.acceleration, lane), h, Decay::NONE);
        let velocity = CompensatedSum::read(start, vector(&block.velocity[1], lane)).plus(faster);
        put3(&mut block.velocity[0], lane, velocity.value);
        put3(&mut block.velocity[1], lane, velocity.remainder);
        block.path[1][lane] = moved.norm();
        add_displacement(&mut block.center, lane, moved);
    }
    rotate_lanes(block, h);
    update_pose_lanes(block);
}

/// Moves bodies by their displacements and turns them by their rotation vectors.
#[inline(always)]
pub(crate) fn displace_lanes(block: &mut BodyBlock) {
    let (mut small, mut turns) = (true, false);
    for lane in 0..LANES {
        let (moved, turned) = (vector(&block.displacement, lane), vector(&block.rotation, lane));
        add_displacement(&mut block.center, lane, moved);
        let angle = turned.norm();
        block.path[0][lane] = 0.0;
        block.path[1][lane] = moved.norm() + angle * block.radius[lane];
        small &= (turned * 0.5).length_squared() <= SMALL * SMALL;
        turns |= angle > 0.0;
    }
    match (turns, small) {
        (false, _) => {}
        (true, true) => turn_lanes::<true>(block),
        (true, false) => turn_lanes::<false>(block),
    }
    update_pose_lanes(block);
}

#[inline(always)]
fn add_displacement(center: &mut [[LaneRow; 3]; 2], lane: usize, moved: Vec3) {
    let after = CompensatedSum::read(vector(&center[0], lane), vector(&center[1], lane)).plus(moved);
    put3(&mut center[0], lane, after.value);
    put3(&mut center[1], lane, after.remainder);
}

#[inline(always)]
fn turn_lanes<const SMALL: bool>(block: &mut BodyBlock) {
    for lane in 0..LANES {
        let (half, before) = (vector(&block.rotation, lane) * 0.5, unit(&block.rotation_state.orientation, lane));
        let turn = if SMALL { UnitQuat::exp_small(half) } else { UnitQuat::exp(half) };
        let turns = (half.x != 0.0) | (half.y != 0.0) | (half.z != 0.0);
        let after = UnitQuat::select(turns, turn.times(before).normalized(), before);
        put4(&mut block.rotation_state.orientation, lane, after);
    }
}

/// Free rotation.
#[inline(always)]
fn rotate_lanes(block: &mut BodyBlock, h: Real) {
    let spin = &mut block.rotation_state;
    let (mut round, mut tumbles, mut fast) = ([false; LANES], [false; LANES], [false; LANES]);
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
        let momentum = turning * p.max_element();
        // The factor outweighs the rounding of the exact test.
        fast[lane] = tumbles[lane] & is_coarse(momentum * 1.01, vector(&spin.inverse, lane), torque, h);
    }
    let any = |lanes: &[bool; LANES]| lanes.iter().fold(false, |any, &lane| any | lane);
    if any(&tumbles) {
        let others = tumbles.iter().fold(false, |any, &tumbles| any | !tumbles);
        let before = others.then_some((spin.orientation, spin.velocity, spin.residual));
        let fast_before = any(&fast).then(|| spin.clone());
        strang_lanes(spin, h);
        if let Some(before) = &fast_before {
            rotate_fast(spin, before, &fast, h);
        }
        if let Some((orientation, velocity, residual)) = &before {
            for (lane, &tumbles) in tumbles.iter().enumerate() {
                let after = UnitQuat::select(tumbles, unit(&spin.orientation, lane), unit(orientation, lane));
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

/// The rotation of some bodies alone.
#[cold]
fn rotate_fast(block: &mut RotationBlock, before: &RotationBlock, chosen: &[bool; LANES], h: Real) {
    for lane in (0..LANES).filter(|&lane| chosen[lane]) {
        let frame = unit(&before.frame, lane).to_quat();
        let inertia = PrincipalInertia::new(vector(&before.principal, lane), frame);
        let torque = vector(&before.torque, lane);
        let after = rotate(RotationLaw::Strang, before.get(lane), &inertia, torque, h);
        block.set(lane, &after, &inertia, torque);
    }
}

/// Origins and world inertias from the centres of mass and orientations.
#[inline(always)]
fn update_pose_lanes(block: &mut BodyBlock) {
    if block.rotation_state.is_framed() { update_poses::<true>(block) } else { update_poses::<false>(block) }
}

#[inline(always)]
fn update_poses<const FRAMED: bool>(block: &mut BodyBlock) {
    for lane in 0..LANES {
        let q = unit(&block.rotation_state.orientation, lane);
        let at = origin_of(vector(&block.center[0], lane), q, vector(&block.local_center, lane));
        put3(&mut block.position, lane, at);
        let frame = unit(&block.rotation_state.frame, lane);
        let axes = if FRAMED { q.times(frame) } else { q };
        let inverse = vector(&block.rotation_state.inverse, lane);
        let round = (inverse.x == inverse.y) & (inverse.y == inverse.z);
        let diagonal = [inverse.x, inverse.x, inverse.x, 0.0, 0.0, 0.0];
        for (k, entry) in axes.axes().tensor(inverse).into_iter().enumerate() {
            block.inverse_inertia[k][lane] = if round { diagonal[k] } else { entry };
        }
    }
}

#[inline(always)]
fn origin_of(center: Vec3, orientation: UnitQuat, local_center: Vec3) -> Vec3 {
    center - orientation.axes().to_world(local_center)
}

/// The origin (m) of a body with its centre of mass at `center`, and at `local_center` in its own
/// axes.
#[inline]
pub(crate) fn origin(center: Vec3, orientation: Quat, local_center: Vec3) -> Vec3 {
    origin_of(center, UnitQuat::from_quat(orientation), local_center)
}

/// The inverse inertia in world axes (1/(kg m²)) of a body with these principal moments (kg m²);
/// `frame` is the rotation from principal to body axes.
#[inline]
pub(crate) fn inverse_inertia(principal: Vec3, frame: Quat, orientation: Quat) -> Mat3 {
    let inverse = Vec3::ONE / principal;
    if inverse.x == inverse.y && inverse.y == inverse.z {
        return Mat3::from_diagonal(inverse);
    }
    let axes = UnitQuat::from_quat(orientation).times(UnitQuat::from_quat(frame)).axes();
    symmetric(axes.tensor(inverse))
}

/// The matrix with these entries: xx, yy, zz, xy, xz, yz.
#[inline(always)]
fn symmetric([xx, yy, zz, xy, xz, yz]: [Real; 6]) -> Mat3 {
    Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz))
}
