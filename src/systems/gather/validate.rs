//! Validation of components: every impossible value is an error that names the entity, the
//! component and the value.

use super::columns::Motion;
use crate::components::*;
use crate::contact::kernels::{Geometry, PairKernels, RoundedConvex};
use crate::error::StepError;
use crate::inputs::Inputs;
use crate::mass;
use crate::math::parry::shape::{Shape, SharedShape, TypedShape};
use crate::math::{Real, Vec3, is_direction};
use crate::ranges::{FARTHEST, at_least_zero};
use hecs::{Entity, World};

pub(crate) type Checked = Result<(), (&'static str, String)>;

/// Checks all components of an entity; `known` are its former inputs, unless it is new.
pub(super) fn entity(
    world: &World,
    entity: Entity,
    motion: &Motion,
    inputs: &Inputs,
    known: Option<&Inputs>,
    kernels: &PairKernels,
) -> Result<(), StepError> {
    // One that was checked is not checked again.
    if let Some(collider) = &inputs.collider
        && known.is_none_or(|known| known.collider.as_ref() != Some(collider))
    {
        collider.check().map_err(|error| StepError::Shape { entity, error })?;
    }
    check(motion, inputs, kernels)
        .and_then(|()| collider_of(world, entity, inputs, known.and_then(|known| known.collider_of)))
        .map_err(|(component, problem)| StepError::Component { entity, component, problem })
}

fn check(motion: &Motion, inputs: &Inputs, kernels: &PairKernels) -> Checked {
    in_range("Position", motion.position)?;
    in_range("LinearVelocity", motion.linear)?;
    in_range("AngularVelocity", motion.angular)?;
    if let Some(q) = motion.orientation
        && !is_direction(q)
    {
        return Err(("Orientation", format!("must be a finite quaternion of non-zero length, got {q}")));
    }
    if let Some(collider) = &inputs.collider {
        collides(&collider.0, kernels).map_err(|problem| ("Collider", problem))?;
        if inputs.kind == Some(RigidBody::Dynamic) && collider.0.as_halfspace().is_some() {
            return Err(("Collider", "a half-space is without end and cannot be dynamic".into()));
        }
    }
    if let Some(m) = inputs.material {
        material(&m)?;
    }
    in_range("SurfaceVelocity", inputs.surface_velocity.map(|v| v.0))?;
    if let Some(threshold) = inputs.force_threshold {
        at_least_zero("the force", threshold.0).map_err(|problem| ("ContactForceThreshold", problem))?;
    }
    positive("Density", inputs.density.map(|d| d.0))?;
    positive("Mass", inputs.mass.map(|m| m.0))?;
    in_range("CenterOfMass", inputs.center.map(|c| c.0))?;
    if let Some(i) = inputs.inertia {
        inertia(&i)?;
    }
    finite("ExternalForce", inputs.force.map(|f| f.0))?;
    finite("ExternalTorque", inputs.torque.map(|t| t.0))?;
    finite("ExternalImpulse", inputs.impulse.map(|i| i.linear))?;
    finite("ExternalImpulse", inputs.impulse.map(|i| i.angular))?;
    if let Some(GravityScale(s)) = inputs.gravity_scale
        && !s.is_finite()
    {
        return Err(("GravityScale", format!("must be finite, got {s}")));
    }
    if let Some(d) = inputs.damping {
        let rates = at_least_zero("linear", d.linear).and(at_least_zero("angular", d.angular));
        rates.map_err(|problem| ("Damping", problem))?;
    }
    Ok(())
}

/// True if no coordinate is larger than `FARTHEST`, or not a number.
pub(in crate::systems) fn is_near(v: Vec3) -> bool {
    (v.x.abs() <= FARTHEST) & (v.y.abs() <= FARTHEST) & (v.z.abs() <= FARTHEST)
}

fn finite(component: &'static str, value: Option<Vec3>) -> Checked {
    match value {
        Some(v) if !v.is_finite() => Err((component, format!("must be finite, got {v}"))),
        _ => Ok(()),
    }
}

fn in_range(component: &'static str, value: Option<Vec3>) -> Checked {
    finite(component, value)?;
    match value {
        Some(v) if !is_near(v) => Err((component, format!("no coordinate may be larger than {FARTHEST:e}, got {v}"))),
        _ => Ok(()),
    }
}

fn positive(component: &'static str, value: Option<Real>) -> Checked {
    match value {
        Some(v) if !(v > 0.0 && v.is_finite()) => Err((component, format!("must be positive and finite, got {v}"))),
        _ => Ok(()),
    }
}

/// Checks a surface material.
pub(crate) fn material(m: &Material) -> Checked {
    m.problem().map_or(Ok(()), |problem| Err(("Material", problem)))
}

fn inertia(i: &Inertia) -> Checked {
    let q = i.frame;
    if !is_direction(q) {
        return Err(("Inertia", format!("frame must be a finite quaternion of non-zero length, got {q}")));
    }
    mass::validate_inertia(crate::math::to_f64(i.principal)).map_err(|e| ("Inertia", e.to_string()))
}

fn collider_of(world: &World, entity: Entity, inputs: &Inputs, known: Option<ColliderOf>) -> Checked {
    let Some(of) = inputs.collider_of else { return Ok(()) };
    let bad = |problem: String| Err(("ColliderOf", problem));
    if inputs.kind.is_some() {
        return bad("the entity is a body itself: put RigidBody or ColliderOf on it, not both".into());
    }
    if inputs.collider.is_none() {
        return bad("the entity has no Collider".into());
    }
    // A collider whose body is gone may be edited: the body was valid when the collider was added.
    let orphan = known.is_some_and(|known| known.body == of.body);
    if of.body == entity || !orphan && !world.satisfies::<&RigidBody>(of.body) {
        return bad(format!("{:?} is not a body", of.body));
    }
    let dynamic = world.get::<&RigidBody>(of.body).is_ok_and(|kind| *kind == RigidBody::Dynamic);
    if dynamic && inputs.collider.as_ref().is_some_and(|collider| collider.0.as_halfspace().is_some()) {
        return bad("a half-space is without end and cannot be part of a dynamic body".into());
    }
    let q = of.orientation;
    if !(is_near(of.position) && is_direction(q)) {
        return bad(format!("the pose must be finite, and within {FARTHEST:e} m, got {} and {q}", of.position));
    }
    Ok(())
}

/// Checks that some kernel collides a shape, and every part of a compound.
fn collides(shape: &SharedShape, kernels: &PairKernels) -> Result<(), String> {
    let missing = |shape: &dyn Shape| {
        match shape.as_typed_shape() {
        _ if kernels.knows(shape) => None,
        TypedShape::Custom(_) => Some(
            "the custom shape has neither a support map nor polygonal features, and no pair kernel is registered for its kind"
                .to_string(),
        ),
        _ => Some(format!("nothing collides with shapes of kind {:?}", shape.shape_type())),
    }
    };
    if let TypedShape::Compound(compound) = shape.as_typed_shape() {
        let mut parts = compound.shapes().iter().enumerate();
        let problem = parts.find_map(|(i, (_, part))| {
            let known = RoundedConvex::of(&**part).is_some();
            missing(&**part).filter(|_| !known).map(|problem| format!("part {i}: {problem}"))
        });
        return problem.map_or(Ok(()), Err);
    }
    match Geometry::from(shape) {
        Geometry::Other(shape) => missing(&*shape.0).map_or(Ok(()), Err),
        _ => Ok(()),
    }
}
