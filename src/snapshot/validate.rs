//! Validation of a state from a file: ranges of numbers, and lengths of lists.

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::{ContactGraph, MAX_POINTS, Manifold, Status};
use crate::ids::NONE;
use crate::math::{Quat, Real, Vec3};
use crate::pipeline::Pipeline;
use crate::state::State;

type Checked = Result<(), &'static str>;

fn require(holds: bool, problem: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(problem) }
}

/// Checks a state; `shaped` marks the slots with a shape (shapes are not stored in files).
///
/// # Errors
/// The invalid part.
pub(super) fn check(state: &State, pipeline: &mut Pipeline, shaped: &[bool]) -> Checked {
    let slots = state.bodies.slots();
    require(shaped.len() == slots, "the list of shapes")?;
    bodies(&state.bodies)?;
    colliders(&state.bodies, &state.colliders, shaped)?;
    contacts(&state.contacts, slots, shaped)?;
    let joint = |ends: &[u32; 2]| ends.iter().all(|&slot| slot == NONE || (slot as usize) < slots);
    require(state.joints.is_sound() && state.joints.bodies.iter().all(joint), "the joints")?;
    state.sleep.check_sound(&state.bodies)?;
    pipeline.sources.check_consistency(&state.contacts, &state.bodies)?;
    pipeline.solvers.check_sound(slots)?;
    require(state.dt >= 0.0 && state.dt.is_finite() && state.gravity_applied.is_finite(), "the step or gravity")?;
    require(state.settings.validate().is_ok(), "the settings")?;
    pipeline.solvers.admit()
}

fn bodies(bodies: &Bodies) -> Checked {
    require(bodies.is_sound(), "the lists of bodies")?;
    let finite = |list: &[Vec3]| list.iter().all(|v| v.is_finite());
    let lists =
        [&bodies.position, &bodies.linear_velocity, &bodies.angular_velocity, &bodies.center, &bodies.local_center];
    require(lists.into_iter().all(|list| finite(list)), "a body's place or velocity")?;
    // Forces may be any: each step holds the bodies that they drive out of range.
    let lists = [&bodies.inverse_mass, &bodies.principal, &bodies.round_axis];
    require(lists.into_iter().all(|list| finite(list)), "a body's mass")?;
    let unit = |q: &Quat| q.is_finite() && (q.length_squared() - 1.0).abs() < 0.01;
    require(bodies.orientation.iter().chain(&bodies.frame).all(unit), "an orientation")?;
    let dynamic = (0..bodies.slots()).filter(|&slot| bodies.kind[slot] == Kind::Dynamic);
    let heavy = |slot: usize| {
        let inertia = &bodies.inverse_inertia[slot];
        bodies.mass[slot] > 0.0 && bodies.mass[slot].is_finite() && inertia.is_finite()
    };
    require(dynamic.into_iter().all(heavy), "a body's mass")?;
    let reach = |x: &Real| *x >= 0.0 && x.is_finite();
    require(bodies.radius.iter().chain(&bodies.core_radius).all(reach), "a body's size")?;
    require(bodies.odometer.iter().all(|path| *path >= 0.0 && path.is_finite()), "a body's path")
}

fn colliders(bodies: &Bodies, colliders: &Colliders, shaped: &[bool]) -> Checked {
    let slots = bodies.slots();
    require(colliders.is_sound(slots), "the lists of colliders")?;
    for (slot, &shaped) in shaped.iter().enumerate() {
        let body = colliders.body[slot];
        let known = body == NONE || bodies.kind.get(body as usize).is_some_and(|k| k.is_body() || *k == Kind::World);
        require(known, "the body of a collider")?;
        let boxed = colliders.fat_until[slot] > f64::NEG_INFINITY;
        let fat = &colliders.fat[slot];
        require(!boxed || fat.mins.cmple(fat.maxs).all() && shaped, "the box of a collider")?;
        require(colliders.local[slot].translation.is_finite(), "the place of a collider")?;
    }
    Ok(())
}

fn contacts(graph: &ContactGraph, slots: usize, shaped: &[bool]) -> Checked {
    require(graph.is_consistent(), "the lists of contacts")?;
    for (pair, status) in graph.pairs.iter().zip(&graph.status).filter(|(pair, _)| pair.a != NONE) {
        let [a, b] = [pair.a as usize, pair.b as usize];
        require(a < b && b < slots && (status.has(Status::SOURCE) || shaped[a] && shaped[b]), "a pair of colliders")?;
    }
    let sound = |manifold: &Manifold| {
        let finite = |p: &crate::contact::ManifoldPoint| {
            p.anchor_a.is_finite() && p.anchor_b.is_finite() && p.separation.is_finite() && p.normal_impulse.is_finite()
        };
        manifold.count as usize <= MAX_POINTS
            && manifold.normal.is_finite()
            && manifold.friction_impulse.is_finite()
            && manifold.points().iter().all(finite)
    };
    let parts = graph.composites.iter().flat_map(|composite| &composite.parts);
    require(graph.manifolds.iter().chain(parts).all(sound), "a contact's points")
}
