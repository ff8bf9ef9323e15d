//! Mass, centre and inertia of bodies from their colliders and densities, or from components.

use super::scratch::Edit;
use crate::bodies::{Bodies, Kind};
use crate::error::StepError;
use crate::ids::NONE;
use crate::inputs::Inputs;
use crate::mass::{self, MassProperties};
use crate::math::{DQuat, DVec3, Quat, Real, Vec3, from_f64, to_f64};
use crate::tolerances::LEAST_MOMENT;
use hecs::Entity;
use rustc_hash::FxHashSet;

/// The body of a mass: a newcomer has no slot yet when its mass is derived.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Edit(usize),
    Slot(usize),
}

/// The mass of one body, to be set when all edits have passed.
pub(super) struct BodyMass {
    pub target: Target,
    pub mass: Real,
    pub center: Vec3,
    pub principal: Vec3,
    pub frame: Quat,
}

/// An extra collider as part of its body.
struct Part<'a> {
    body: Entity,
    entity: Entity,
    inputs: &'a Inputs,
}

/// The masses of all bodies whose mass may have changed.
///
/// # Errors
/// [`StepError::Component`] for a dynamic body without a valid mass or inertia.
pub(super) fn derive_masses(bodies: &Bodies, edits: &[Edit], removed: &[u32]) -> Result<Vec<BodyMass>, StepError> {
    let mut gone_or_edited = vec![false; bodies.slots()];
    let edited_slots = edits.iter().map(|e| e.slot).filter(|&slot| slot != NONE);
    for slot in edited_slots.chain(removed.iter().copied()) {
        gone_or_edited[slot as usize] = true;
    }
    let owners = owners(bodies, edits, removed);
    let parts = parts(bodies, edits, &gone_or_edited);
    let mut masses = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let Some(kind) = edit.inputs.kind else { continue };
        let differs = former_inputs(bodies, edit).is_none_or(|known| known.mass_differs(&edit.inputs));
        if differs || owners.contains(&edit.entity) {
            masses.push(body(edit.entity, Target::Edit(index), Kind::from(kind), &edit.inputs, &parts)?);
        }
    }
    // Bodies that were not edited themselves, but whose parts were.
    if !owners.is_empty() {
        let alike = |&slot: &usize| bodies.kind[slot].is_body() && !gone_or_edited[slot];
        for slot in (0..bodies.slots()).filter(alike).filter(|&slot| owners.contains(&bodies.entity[slot])) {
            masses.push(body(
                bodies.entity[slot],
                Target::Slot(slot),
                bodies.kind[slot],
                &bodies.inputs[slot],
                &parts,
            )?);
        }
    }
    Ok(masses)
}

/// The former inputs of an edited entity, unless it is new.
fn former_inputs<'a>(bodies: &'a Bodies, edit: &Edit) -> Option<&'a Inputs> {
    bodies.inputs.get(edit.slot as usize)
}

/// The bodies, old and new, of every edited or removed part.
fn owners(bodies: &Bodies, edits: &[Edit], removed: &[u32]) -> FxHashSet<Entity> {
    let gone = removed.iter().filter_map(|&slot| bodies.inputs[slot as usize].collider_of);
    let edited = edits.iter().flat_map(|edit| {
        let known = former_inputs(bodies, edit);
        let differs = known.is_none_or(|known| known.mass_differs(&edit.inputs));
        let both = [edit.inputs.collider_of, known.and_then(|known| known.collider_of)];
        both.into_iter().flatten().filter(move |_| differs)
    });
    gone.chain(edited).map(|of| of.body).collect()
}

/// All extra colliders after the edits, by body, and for each body in the order of slots and edits.
fn parts<'a>(bodies: &'a Bodies, edits: &'a [Edit], gone_or_edited: &[bool]) -> Vec<Part<'a>> {
    let part = |entity, inputs: &'a Inputs| inputs.collider_of.map(|of| Part { body: of.body, entity, inputs });
    let stored = (0..bodies.slots())
        .filter(|&slot| bodies.kind[slot] == Kind::Collider && !gone_or_edited[slot])
        .filter_map(|slot| part(bodies.entity[slot], &bodies.inputs[slot]));
    let mut parts: Vec<Part<'a>> =
        stored.chain(edits.iter().filter_map(|edit| part(edit.entity, &edit.inputs))).collect();
    parts.sort_by_key(|part| part.body);
    parts
}

/// The parts of one body.
fn parts_of<'a>(parts: &'a [Part<'a>], body: Entity) -> &'a [Part<'a>] {
    let first = parts.partition_point(|part| part.body < body);
    let count = parts[first..].partition_point(|part| part.body == body);
    &parts[first..first + count]
}

fn body(
    entity: Entity,
    target: Target,
    kind: Kind,
    inputs: &Inputs,
    parts: &[Part<'_>],
) -> Result<BodyMass, StepError> {
    let own = parts_of(parts, entity);
    let center = inputs.center.map(|c| to_f64(c.0));
    if kind != Kind::Dynamic {
        return Ok(BodyMass {
            target,
            mass: 0.0,
            center: from_f64(center.unwrap_or_default()),
            principal: Vec3::ZERO,
            frame: Quat::IDENTITY,
        });
    }
    let found = match (inputs.mass, inputs.inertia) {
        (Some(mass), Some(_)) => Ok(MassProperties {
            mass: f64::from(mass.0),
            center: combined_properties(inputs, own).map_or(DVec3::ZERO, |p| p.center),
            principal: DVec3::ONE,
            frame: DQuat::IDENTITY,
        }),
        (Some(mass), None) => combined_properties(inputs, own)
            .and_then(|p| p.with_mass(f64::from(mass.0)).map_err(|e| ("Mass", e.to_string()))),
        (None, _) => combined_properties(inputs, own),
    };
    let mut all = found.map_err(|(component, problem)| StepError::Component { entity, component, problem })?;
    if let Some(inertia) = inputs.inertia {
        all.principal = to_f64(inertia.principal);
        let q = inertia.frame.normalize();
        all.frame = DQuat::from_xyzw(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w));
    }
    check_range(&all).map_err(|(component, problem)| StepError::Component { entity, component, problem })?;
    Ok(BodyMass {
        target,
        mass: all.mass as Real,
        center: from_f64(center.unwrap_or(all.center)),
        principal: from_f64(all.principal.max(DVec3::splat(all.principal.max_element() * f64::from(LEAST_MOMENT)))),
        frame: Quat::from_xyzw(all.frame.x as Real, all.frame.y as Real, all.frame.z as Real, all.frame.w as Real),
    })
}

/// Checks that a mass and its moments and their inverses are finite and positive.
fn check_range(all: &MassProperties) -> Result<(), (&'static str, String)> {
    let can_be = |value: f64| {
        let value = value as Real;
        value.is_finite() && value > 0.0 && (1.0 / value).is_finite()
    };
    if !can_be(all.mass) {
        return Err((
            "Mass",
            format!("{:e} kg is outside the range of numbers: choose other units, or give Mass", all.mass),
        ));
    }
    let moments = all.principal;
    if !moments.to_array().into_iter().all(can_be) {
        let problem = format!(
            "principal moments of {:e}, {:e} and {:e} kg m² are outside the range of numbers: choose other units, or give Inertia",
            moments.x, moments.y, moments.z
        );
        return Err(("Inertia", problem));
    }
    Ok(())
}

/// The properties of a body's own collider and its extra ones together.
fn combined_properties(inputs: &Inputs, parts: &[Part<'_>]) -> Result<MassProperties, (&'static str, String)> {
    let of = |inputs: &Inputs| -> Result<Option<MassProperties>, (&'static str, String)> {
        let Some(collider) = &inputs.collider else { return Ok(None) };
        let density = f64::from(inputs.density.unwrap_or_default().0);
        mass::of_shape(&*collider.0.0, density)
            .map(Some)
            .map_err(|e| ("Collider", format!("no mass follows from it: {e}")))
    };
    let mut all = Vec::new();
    all.extend(of(inputs)?);
    for part in parts {
        let pose = part.inputs.collider_of.expect("a part is an extra collider");
        let q = pose.orientation.normalize();
        let rotation = DQuat::from_xyzw(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w));
        let properties =
            of(part.inputs).map_err(|(c, problem)| (c, format!("extra collider {:?}: {problem}", part.entity)))?;
        all.extend(properties.map(|p| p.moved(rotation, to_f64(pose.position))));
    }
    match all.as_slice() {
        [] => Err(("Mass", "a dynamic body needs a Collider, or both Mass and Inertia".to_string())),
        [one] => Ok(*one),
        several => mass::combine(several).map_err(|e| ("Collider", e.to_string())),
    }
}
