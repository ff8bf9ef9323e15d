//! Builds a scene in a hecs world.

use super::error::SceneError;
use super::format::{
    AxisSpec, BodySpec, JointKind, JointSpec, KindSpec, LengthSpec, Quaternion, Scene, ShapeSpec, SpringSpec, Vector,
    greatest,
};
use super::quat;
use super::validate::validate;
use crate::components::{
    self, AngularVelocity, Body, BodySlot, Collider, Inertia, Joint, JointAxis, JointFrame, JointSpring, JointState,
    LinearVelocity, LockedAxes, Material, Motor, Orientation, Position, RigidBody, SwingTwist,
};
use crate::error::ShapeError;
use crate::mass::{of_shape, principal_axes};
use crate::math::{Quat, Real, Vec3, from_f64};
use crate::settings::Settings;
use hecs::{Entity, World};

/// Number of recent distinct shapes that a new one is compared with, to share equal shapes. Scenes
/// use a few shapes or a different one for each body.
const SHARED_SHAPES: usize = 8;

/// The entities and settings of a scene.
#[derive(Clone, Debug)]
pub struct Built {
    /// The entities of the bodies, in the order of the file.
    pub entities: Vec<Entity>,
    /// The entities of the joints, in the order of the file.
    pub joints: Vec<Entity>,
    /// The settings of the scene.
    pub settings: Settings,
    /// The time step (s).
    pub dt: Real,
}

/// Spawns the bodies and joints of a scene. Equal shapes are shared.
///
/// # Errors
/// The errors of [`validate`], or a shape that is invalid or has no mass properties. Nothing is
/// spawned then.
pub fn build(scene: &Scene, world: &mut World) -> Result<Built, SceneError> {
    validate(scene)?;
    let mut shapes = Shapes::default();
    let mut colliders = Vec::with_capacity(scene.bodies.len());
    for (i, body) in scene.bodies.iter().enumerate() {
        let collider = shapes.collider(body).map_err(|e| e.within(&format!("bodies[{i}].shape")))?;
        if let Some(collider) = &collider {
            weigh(body, collider).map_err(|e| e.within(&format!("bodies[{i}]")))?;
        }
        colliders.push(collider);
    }
    let entities: Vec<_> =
        scene.bodies.iter().zip(colliders).map(|(body, collider)| spawn(body, collider, scene, world)).collect();
    let joints =
        scene.joints.iter().map(|joint| world.spawn((join(joint, &entities, scene), JointState::default()))).collect();
    let settings = Settings {
        gravity: real(scene.gravity),
        accuracy: scene.settings.accuracy.into(),
        sleep: scene.settings.sleep,
        threads: scene.settings.threads,
        resting_tolerance: scene.settings.resting_tolerance.map(|height| height as Real),
        ..Settings::default()
    };
    Ok(Built { entities, joints, settings, dt: scene.dt as Real })
}

fn real(v: Vector) -> Vec3 {
    from_f64(v.vec())
}

/// Normalises a nonzero quaternion, without overflow or underflow.
fn unit(q: Quaternion) -> Quat {
    let q = q.quat();
    let largest = q.to_array().into_iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    quat::from_f64((q / largest).normalize())
}

/// The joint of a validated spec.
fn join(spec: &JointSpec, entities: &[Entity], scene: &Scene) -> Joint {
    let [a, b] = spec.bodies.0.map(|body| entities[body]);
    let number = |x: Option<f64>| x.unwrap_or_default() as Real;
    let si = |stiffness, damping| JointSpring::Si { stiffness: number(stiffness), damping: number(damping) };
    let spring = |spec: Option<SpringSpec>| spec.map_or(si(None, None), JointSpring::from);
    let axis = |spec: Option<AxisSpec>| JointAxis::from(spec.unwrap_or_default());
    let joint = match spec.kind {
        JointKind::Fixed => Joint::fixed(a, b),
        JointKind::Spherical => Joint::spherical(a, b),
        JointKind::Revolute => Joint::revolute(a, b),
        JointKind::Prismatic => Joint::prismatic(a, b),
        JointKind::Distance => {
            let [least, greatest] = spec.length.map_or([0.0; 2], LengthSpec::range);
            Joint::distance(a, b, least as Real, greatest as Real)
        }
        JointKind::Spring => Joint::spring(a, b, number(spec.rest_length), si(spec.stiffness, spec.damping)),
        JointKind::SwingTwist => {
            let mut limits = SwingTwist::default();
            if let Some(cone) = spec.cone {
                limits.cone = cone.0.map(|half| half as Real);
            }
            limits.swing_motors = spec.swing_motors.unwrap_or_default().0.map(|motor| motor.map(Motor::from));
            Joint::swing_twist(a, b, limits)
        }
        JointKind::Gear => Joint::gear(a, b, number(spec.ratio)),
        JointKind::RackAndPinion => Joint::rack_and_pinion(a, b, number(spec.radius)),
        JointKind::Winch => {
            let [length, _] = spec.length.map_or([0.0; 2], LengthSpec::range);
            Joint::winch(a, b, number(spec.radius), length as Real)
        }
        JointKind::Pulley => {
            let points = spec.points.unwrap_or_default().0.map(real);
            let ratio = spec.ratio.map_or(1.0, |ratio| ratio as Real);
            let [least, greatest] = match spec.length {
                Some(LengthSpec::Exact(length)) => [0.0, length],
                range => range.map_or([0.0; 2], LengthSpec::range),
            };
            let (least, greatest) = (least as Real, greatest as Real);
            Joint::new(a, b, components::JointKind::Pulley { points, ratio, least, greatest })
        }
        JointKind::Wheel => {
            Joint::wheel(a, b, axis(spec.suspension), spec.steering.map(JointAxis::from), axis(spec.drive))
        }
        JointKind::Drag => Joint::drag(a, b, spring(spec.spring), greatest(spec.max_force)),
        JointKind::SoftWeld => Joint::soft_weld(a, b, spring(spec.linear), spring(spec.angular)),
    };
    let [on_a, on_b] = spec.anchors.0.map(real);
    let mut joint = joint.anchors(on_a, on_b).collide(spec.collide);
    if matches!(spec.kind, JointKind::Fixed | JointKind::SoftWeld) {
        let [on_a, on_b] = spec.bodies.0.map(|body| unit(scene.bodies[body].orientation));
        joint.frames[1].orientation = on_b.inverse() * on_a;
    }
    if let Some(axes) = spec.axes {
        let axes = axes.0.map(|axis| from_f64(axis.direction()));
        joint = joint.axes(axes[0], axes[1]);
        for (i, y) in spec.y_axes.iter().flat_map(|y_axes| y_axes.iter()).enumerate() {
            joint.frames[i].orientation = JointFrame::rotation_to(axes[i], from_f64(y.direction()));
        }
    }
    if let Some(limits) = &spec.limits {
        joint = joint.limits(limits.0[0] as Real, limits.0[1] as Real);
    }
    if let Some(motor) = spec.motor {
        joint = joint.motor(motor.into());
    }
    if let Some(friction) = spec.friction {
        joint = joint.friction(friction as Real);
    }
    joint
}

/// The recent colliders, for sharing.
#[derive(Default)]
struct Shapes<'a> {
    recent: Vec<(&'a ShapeSpec, Collider)>,
}

impl<'a> Shapes<'a> {
    /// The body's collider; `None` for the shape `none`.
    fn collider(&mut self, body: &'a BodySpec) -> Result<Option<Collider>, SceneError> {
        if body.shape == ShapeSpec::None {
            return Ok(None);
        }
        if let Some((_, collider)) = self.recent.iter().find(|(shape, _)| **shape == body.shape) {
            return Ok(Some(collider.clone()));
        }
        let collider = collider(&body.shape)?;
        if self.recent.len() == SHARED_SHAPES {
            self.recent.remove(0);
        }
        self.recent.push((&body.shape, collider.clone()));
        Ok(Some(collider))
    }
}

/// The collider of a validated shape other than `none`.
fn collider(shape: &ShapeSpec) -> Result<Collider, SceneError> {
    let fault = |path: &'static str| move |e: ShapeError| SceneError::new(path, e.to_string());
    let points = |points: &[Vector]| points.iter().map(|&p| real(p)).collect::<Vec<_>>();
    Ok(match shape {
        ShapeSpec::Ball { radius } => Collider::ball(*radius as Real),
        ShapeSpec::Cuboid { half_extents } => {
            let [x, y, z] = half_extents.0.map(|x| x as Real);
            Collider::cuboid(x, y, z)
        }
        ShapeSpec::Capsule { half_height, radius } => Collider::capsule(*half_height as Real, *radius as Real),
        ShapeSpec::Cylinder { half_height, radius } => Collider::cylinder(*half_height as Real, *radius as Real),
        ShapeSpec::Cone { half_height, radius } => Collider::cone(*half_height as Real, *radius as Real),
        ShapeSpec::ConvexHull { points: corners } => {
            Collider::convex_hull(&points(corners)).map_err(fault("points"))?
        }
        ShapeSpec::HalfSpace { normal } => Collider::half_space(from_f64(normal.direction())),
        ShapeSpec::Trimesh { vertices, indices } => {
            Collider::trimesh(points(vertices), indices.iter().map(|t| t.0).collect()).map_err(fault("indices"))?
        }
        ShapeSpec::Heightfield { rows, columns, heights, scale } => {
            let heights: Vec<Real> = heights.iter().map(|&h| h as Real).collect();
            Collider::heightfield(*rows, *columns, &heights, real(*scale)).map_err(fault("heights"))?
        }
        ShapeSpec::Compound(parts) => {
            let mut made = Vec::with_capacity(parts.len());
            for (i, part) in parts.iter().enumerate() {
                let shape = collider(&part.shape).map_err(|e| e.within(&format!("[{i}].shape")))?;
                made.push((real(part.position), unit(part.orientation), shape));
            }
            Collider::compound(made).map_err(fault(""))?
        }
        ShapeSpec::None => return Err(SceneError::new("", "none cannot be made into a collider")),
    })
}

/// Checks that a dynamic body without given mass and inertia gets valid ones from its shape.
fn weigh(body: &BodySpec, collider: &Collider) -> Result<(), SceneError> {
    if body.kind != KindSpec::Dynamic || (body.mass.is_some() && body.inertia.is_some()) {
        return Ok(());
    }
    let weight = of_shape(&**collider.shape(), body.density())
        .map_err(|e| SceneError::new("shape", format!("has no mass properties, give mass and inertia: {e}")))?;
    let (mass, principal) = match body.mass {
        Some(mass) => (mass, weight.principal * (mass / weight.mass)),
        None => (weight.mass, weight.principal),
    };
    let held = |x: f64| f64::from(x as Real);
    for (what, value) in [("mass", mass), ("inertia", principal.min_element()), ("inertia", principal.max_element())] {
        if !(held(value) > 0.0 && held(value).is_finite()) {
            let problem = format!("its {what} must be positive and finite in {}, got {value:e}", super::SCALAR);
            return Err(SceneError::new("shape", problem));
        }
    }
    Ok(())
}

fn spawn(spec: &BodySpec, collider: Option<Collider>, scene: &Scene, world: &mut World) -> Entity {
    let inertia = spec.inertia.map(|given| {
        let (principal, frame) = principal_axes(given.matrix());
        Inertia { principal: from_f64(principal), frame: quat::from_f64(frame) }
    });
    let (position, orientation) = (real(spec.position), unit(spec.orientation));
    let (linear, angular) = (real(spec.linear_velocity), real(spec.angular_velocity));
    let mut body = match (spec.kind, collider) {
        (KindSpec::Dynamic, Some(collider)) => Body::dynamic(collider),
        (KindSpec::Kinematic, Some(collider)) => Body::kinematic(collider),
        (KindSpec::Static, Some(collider)) => Body::fixed(collider),
        (KindSpec::Dynamic, None) => Body::default(),
        (kind @ (KindSpec::Kinematic | KindSpec::Static), None) => {
            let kind = if kind == KindSpec::Static { RigidBody::Static } else { RigidBody::Kinematic };
            return world.spawn((
                kind,
                Position(position),
                Orientation(orientation),
                LinearVelocity(linear),
                AngularVelocity(angular),
                BodySlot::UNASSIGNED,
            ));
        }
    };
    body = body.position(position).orientation(orientation).linear_velocity(linear).angular_velocity(angular);
    let surface = spec.surface().over(scene.materials.over(Default::default()));
    body = body.material(Material {
        static_friction: surface.static_friction as Real,
        dynamic_friction: surface.dynamic_friction as Real,
        restitution: surface.restitution as Real,
        ..Material::default()
    });
    body = body.density(spec.density() as Real);
    if let Some(mass) = spec.mass {
        body = body.mass(mass as Real);
    }
    if let Some(inertia) = inertia {
        body = body.inertia(inertia);
    }
    if let Some(center) = spec.center_of_mass {
        body = body.center_of_mass(real(center));
    }
    if spec.force != Vector::default() {
        body = body.force(real(spec.force));
    }
    if spec.torque != Vector::default() {
        body = body.torque(real(spec.torque));
    }
    if spec.gravity_scale != 1.0 {
        body = body.gravity_scale(spec.gravity_scale as Real);
    }
    if spec.ccd {
        body = body.ccd();
    }
    let locked = LockedAxes::from(&spec.locked);
    if locked != LockedAxes::NONE {
        body = body.locked(locked);
    }
    world.spawn(body)
}
