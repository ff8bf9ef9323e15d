//! Invariants of the kernels on random blocks: momentum, cones, complementarity.

use super::*;
use crate::contact::{Manifold, ManifoldPoint};
use crate::math::{Mat3, Quat, Vec3, orthonormal_basis, rotated_diagonal};
use crate::solver::Parameters;
use crate::solver::body::{BodyState, SolverBody, SubstepStart, load};
use crate::solver::contact::{ContactRef, Surface};
use crate::solver::simd::SimdLevel;
use crate::solver::soft::SoftContact;
use crate::tolerances::CONTACT;
use proptest::prelude::*;

const H: Real = 1.0 / 480.0;

/// SIMD level of plain arrays.
fn portable() -> SimdLevel {
    SimdLevel::named("portable").expect("every processor has it")
}

fn real(low: f64, high: f64) -> impl Strategy<Value = Real> {
    (low..high).prop_map(|x| x as Real)
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    (real(-size, size), real(-size, size), real(-size, size)).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector(1.0).prop_filter("long enough to normalise", |v| v.length() > 0.1).prop_map(Vec3::normalize)
}

prop_compose! {
    fn body()(
        mass in real(0.2, 5.0), principal in vector(1.0), axis in direction(), angle in real(-3.0, 3.0),
        v in vector(2.0), w in vector(2.0), position in vector(1.0),
    ) -> SolverBody {
        let orientation = Quat::from_axis_angle(axis, angle);
        // Moments of inertia of a box of such extents.
        let e = principal.abs() + Vec3::splat(0.3);
        let s = e * e;
        let inertia = Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 12.0);
        let m = rotated_diagonal(inertia.recip(), orientation);
        SolverBody {
            position, orientation, linear_velocity: v, angular_velocity: w, inverse_mass: 1.0 / mass, radius: 1.0,
            inverse_inertia: [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z],
            ..SolverBody::FIXED
        }
    }
}

prop_compose! {
    /// Two bodies and a manifold of points in a plane between them.
    fn pair()(
        a in body(), b in body(), normal in direction(), centre in vector(1.0), count in 1_usize..=4,
        offsets in prop::array::uniform4((real(-0.5, 0.5), real(-0.5, 0.5), real(-0.02, 0.01), real(0.0, 0.1))),
        friction in vector(0.05), twist in real(-0.01, 0.01), rolling in real(0.0, 0.05),
    ) -> (SolverBody, SolverBody, Manifold, Surface) {
        let (t1, t2) = orthonormal_basis(normal);
        let mut manifold = Manifold { normal, count: count as u32, twist_impulse: twist, ..Manifold::default() };
        manifold.friction_impulse = friction - normal * normal.dot(friction);
        for (p, (u, v, separation, impulse)) in manifold.points.iter_mut().zip(offsets).take(count) {
            let at = centre + t1 * u + t2 * v;
            *p = ManifoldPoint {
                anchor_a: a.orientation.conjugate() * (at - normal * (0.5 * separation) - a.position),
                anchor_b: b.orientation.conjugate() * (at + normal * (0.5 * separation) - b.position),
                separation, normal_impulse: impulse, feature: 0,
            };
        }
        (a, b, manifold, Surface { static_friction: 0.6, dynamic_friction: 0.4, rolling_friction: rolling })
    }
}

/// A block with the pair in lane 5, and the states of its bodies.
fn block(
    a: &SolverBody,
    b: &SolverBody,
    manifold: &Manifold,
    surface: Surface,
) -> (ContactBlock, [BodyState; 3], [SubstepStart; 3]) {
    let (mut states, mut starts) = ([BodyState::default(); 3], [SubstepStart::default(); 3]);
    (states[1], starts[1]) = load(a, 1.0, H);
    (states[2], starts[2]) = load(b, 1.0, H);
    let mut block = ContactBlock { h: H, ..ContactBlock::default() };
    let contact = ContactRef { a: 1, b: 2, surface, ..ContactRef::default() };
    block.fill(5, &contact, manifold, ([a, b], [1.0; 2]), [1, 2], 1.0);
    (block, states, starts)
}

/// Linear and angular momentum about the origin.
fn momentum(bodies: [&SolverBody; 2], states: &[BodyState; 3]) -> (Vec3, Vec3) {
    let mut sum = (Vec3::ZERO, Vec3::ZERO);
    for (body, state) in bodies.into_iter().zip(&states[1..]) {
        let i = body.inverse_inertia;
        let inverse =
            Mat3::from_cols(Vec3::new(i[0], i[3], i[4]), Vec3::new(i[3], i[1], i[5]), Vec3::new(i[4], i[5], i[2]));
        let p = Vec3::from_slice(&state.velocity.0[..3]) / body.inverse_mass;
        sum.0 += p;
        sum.1 += inverse.inverse() * Vec3::from_slice(&state.velocity.0[4..7]) + body.position.cross(p);
    }
    sum
}

/// Normal velocity at each point of lane 5.
fn normal_velocities(
    block: &ContactBlock,
    bodies: [&SolverBody; 2],
    manifold: &Manifold,
    states: &[BodyState; 3],
) -> Vec<Real> {
    let points = manifold.points[..block.count as usize].iter();
    let at = points
        .map(|p| bodies[0].orientation * p.anchor_a + bodies[0].position + manifold.normal * (0.5 * p.separation));
    at.map(|at| {
        let velocity = |k: usize| {
            let velocity = &states[k].velocity.0;
            let r = at - bodies[k - 1].position;
            Vec3::from_slice(&velocity[..3]) + Vec3::from_slice(&velocity[4..7]).cross(r)
        };
        manifold.normal.dot(velocity(2) - velocity(1))
    })
    .collect()
}

proptest! {
    #[test]
    fn every_kernel_keeps_momentum_and_the_cones((a, b, manifold, surface) in pair()) {
        let (mut block, mut states, mut starts) = block(&a, &b, &manifold, surface);
        let before = momentum([&a, &b], &states);
        let scale = 10.0 + before.0.length() + before.1.length();
        let soft = SoftContact::new(H, Parameters::PUSH_OUT_SPEED);
        let base = states.as_mut_ptr().cast::<Real>();
        let run = |block: &mut ContactBlock, stage: usize| {
            // SAFETY: the block names states 0 to 2, and they are ours.
            unsafe {
                match stage {
                    0 => {
                        set_friction(block);
                        prepare(portable(), block, base, true);
                        stiffen(portable(), std::slice::from_mut(block), base, &soft);
                    }
                    1 => { pgs_sweep::<false>(portable(), std::slice::from_mut(block), base, &soft, 1); }
                    _ => { pgs_sweep::<true>(portable(), std::slice::from_mut(block), base, &soft, 2); }
                }
            }
        };
        let friction_is_within = |block: &ContactBlock| {
            let load: Real = block.points.iter().map(|p| p.impulse.0[5]).sum();
            let [f1, f2] = block.tangent_impulse.map(|velocity| velocity.0[5]);
            let most = surface.static_friction * load * 1.0001 + 1e-6;
            (f1 * f1 + f2 * f2).sqrt() <= most && block.twist_impulse.0[5].abs() <= most * block.twist_arm.0[5].max(1.0)
        };
        for stage in 0..3 {
            run(&mut block, stage);
            // The warm start has no more friction than the load of the last step allows.
            prop_assert!(stage > 0 || friction_is_within(&block));
            let after = momentum([&a, &b], &states);
            prop_assert!((after.0 - before.0).length() < 1e-5 * scale, "{stage}: {before:?} {after:?}");
            prop_assert!((after.1 - before.1).length() < 1e-4 * scale, "{stage}: {before:?} {after:?}");
        }
        let load: Real = block.points.iter().map(|p| p.impulse.0[5]).sum();
        prop_assert!(block.points.iter().all(|p| p.impulse.0[5] >= 0.0));
        let mut stored = manifold;
        block.store(5, &mut stored, 1.0);
        prop_assert!(stored.friction_impulse.length() <= surface.static_friction * load * CONTACT.max_reported_friction * 1.0001 + 1e-6);
        // Friction was clamped to the cone of the load it saw; normal impulses changed after it.
        // Another pass sees the last load.
        run(&mut block, 2);
        let friction = block.tangent_impulse.map(|velocity| velocity.0[5]);
        let f = (friction[0] * friction[0] + friction[1] * friction[1]).sqrt();
        prop_assert!(f <= surface.static_friction * load * 1.0001 + 1e-6, "{f} {load}");
        prop_assert!(block.twist_impulse.0[5].abs() <= surface.static_friction * load * block.twist_arm.0[5] * 1.0001 + 1e-6);
        // Empty lanes stay empty.
        prop_assert!(block.points.iter().all(|p| (0..WIDTH).all(|k| k == 5 || p.impulse.0[k] == 0.0)));
        prop_assert_eq!(states[0].velocity.0, [0.0; WIDTH]);
        // `begin_substep` repeats the change of the last substep.
        let then = states;
        begin_substep::<false>(portable(), &mut states, &mut starts);
        for (now, then) in states.iter().zip(&then) {
            prop_assert!((now.velocity.0[3] - then.velocity.0[3]).abs() < 1e-6, "inverse mass stays");
        }
    }

    #[test]
    fn relaxing_often_satisfies_complementarity((a, b, mut manifold, surface) in pair()) {
        for p in &mut manifold.points {
            p.separation = -0.01;
        }
        manifold.count = manifold.count.min(3);
        let surface = Surface { rolling_friction: 0.0, ..surface };
        let (mut block, mut states, _) = block(&a, &b, &manifold, surface);
        let base = states.as_mut_ptr().cast::<Real>();
        let soft = SoftContact::new(H, Parameters::PUSH_OUT_SPEED);
        // SAFETY: the block names states 0 to 2, and they are ours.
        unsafe {
            set_friction(&mut block);
            prepare(portable(), &mut block, base, true);
            for _ in 0..4000 {
                pgs_sweep::<true>(portable(), std::slice::from_mut(&mut block), base, &soft, 4);
            }
        }
        for (k, v) in normal_velocities(&block, [&a, &b], &manifold, &states).into_iter().enumerate() {
            let impulse = block.points[k].impulse.0[5];
            prop_assert!(v > -2e-3, "point {k} approaches at {v}");
            prop_assert!(impulse < 1e-4 || v < 2e-3, "point {k} leaves at {v} and carries {impulse}");
        }
    }

    #[test]
    fn bodies_without_contacts_begin_their_substeps_with_the_same_bits(
        bodies in prop::collection::vec((body(), vector(1e-3), vector(1e-3)), 1..20),
    ) {
        let begun = bodies.iter().map(|(body, change, spun)| {
            let (mut state, start) = load(body, 1.0, H);
            for k in 0..3 {
                state.velocity.0[k] += change[k];
                state.velocity.0[4 + k] = -state.velocity.0[4 + k] + spun[k];
            }
            (state, start)
        });
        let (mut states, mut starts): (Vec<BodyState>, Vec<SubstepStart>) = begun.unzip();
        let (mut free_states, mut free_starts) = (states.clone(), starts.clone());
        let change = begin_substep::<true>(portable(), &mut states, &mut starts);
        let free_change = begin_free_substep(portable(), &mut free_states, &mut free_starts);
        prop_assert_eq!(change, free_change);
        let bits = |states: &[BodyState], starts: &[SubstepStart]| {
            let rows = states.iter().map(|state| state.velocity).chain(starts.iter().map(|start| start.0));
            rows.flat_map(|velocity| velocity.0.map(Real::to_bits)).collect::<Vec<_>>()
        };
        prop_assert_eq!(bits(&states, &starts), bits(&free_states, &free_starts));
    }
}

#[test]
fn a_reversal_of_a_slow_body_is_replaced_by_its_mean_and_of_a_fast_one_is_not() {
    for (speed, flutters) in [(0.1, true), (1.0, false)] {
        let mut state = BodyState::default();
        let mut start = SubstepStart::default();
        state.velocity.0[0] = speed;
        start.0.0[0] = -0.5 * speed;
        begin_substep::<false>(portable(), std::slice::from_mut(&mut state), std::slice::from_mut(&mut start));
        let mean = if flutters { 0.25 * speed } else { speed };
        assert!((start.0.0[0] - mean).abs() < 1e-6);
        assert!((state.velocity.0[0] - (mean + 1.5 * speed)).abs() < 1e-6, "the change is kept");
    }
}
