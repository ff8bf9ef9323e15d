//! URDF: the links of a robot become bodies, and its joints joints.

use crate::{ImportError, Imported, Name};
use dolmen::mass::principal_axes;
use dolmen::math::consts::FRAC_PI_2;
use dolmen::math::{DMat3, DVec3, Pose};
use dolmen::prelude::*;
use hecs::{EntityBuilder, World};
use std::collections::HashMap;
use std::path::Path;
use urdf_rs::{Geometry, JointType, Link, Robot};

/// How a robot stands in the world.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    /// Position of the root link (m).
    pub position: Vec3,
    /// Orientation of the root link, after `z_up`.
    pub orientation: Quat,
    /// True if the file's z axis becomes the world's y axis, as most robots need.
    pub z_up: bool,
    /// True if the root link is static.
    pub fixed: bool,
}

impl Default for Stand {
    /// At the origin, z up, and fixed.
    fn default() -> Self {
        Self { position: Vec3::ZERO, orientation: Quat::IDENTITY, z_up: true, fixed: true }
    }
}

/// Imports a file.
///
/// # Errors
/// [`ImportError`], with the name of the link or joint; then nothing was spawned.
pub fn load(world: &mut World, path: &Path, stand: &Stand) -> Result<Imported, ImportError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| ImportError::Read { path: path.display().to_string(), error })?;
    load_str(world, &text, stand)
}

/// Imports the text of a file.
///
/// # Errors
/// As [`load`].
pub fn load_str(world: &mut World, text: &str, stand: &Stand) -> Result<Imported, ImportError> {
    let robot = urdf_rs::read_from_string(text).map_err(|error| ImportError::Urdf(error.to_string()))?;
    let poses = poses(&robot, stand)?;
    // Everything is checked before anything is spawned.
    let links: Vec<EntityBuilder> = robot
        .links
        .iter()
        .zip(&poses)
        .map(|(link, (pose, root))| body(link, pose, *root && stand.fixed))
        .collect::<Result<_, _>>()?;
    let joints = robot.joints.iter().map(joint).collect::<Result<Vec<_>, _>>()?;
    let mut imported = Imported::default();
    for mut link in links {
        imported.bodies.push(world.spawn(link.build()));
    }
    let entity = |name: &str| {
        let index = robot.links.iter().position(|link| link.name == name);
        imported.bodies[index.expect("the links of all joints were found before")]
    };
    let ends: Vec<[Entity; 2]> =
        robot.joints.iter().map(|joint| [entity(&joint.parent.link), entity(&joint.child.link)]).collect();
    for ((of, [a, b]), made) in robot.joints.iter().zip(ends).zip(joints) {
        if let Some(mut made) = made {
            made.bodies = [Some(a), Some(b)];
            imported.joints.push(world.spawn((Name(of.name.clone()), made, JointState::default())));
        }
    }
    Ok(imported)
}

fn link_error(name: &str, problem: impl Into<String>) -> ImportError {
    ImportError::Item { kind: "link", name: name.into(), problem: problem.into() }
}

fn joint_error(name: &str, problem: impl Into<String>) -> ImportError {
    ImportError::Item { kind: "joint", name: name.into(), problem: problem.into() }
}

fn vector([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x as Real, y as Real, z as Real)
}

/// A pose of a file: its angles are turns about the fixed x, y and z axes, in that order.
fn pose_of(pose: &urdf_rs::Pose) -> Pose {
    let [roll, pitch, yaw] = *pose.rpy;
    let turn = |axis: Vec3, angle: f64| Quat::from_axis_angle(axis, angle as Real);
    let q = turn(Vec3::Z, yaw) * turn(Vec3::Y, pitch) * turn(Vec3::X, roll);
    Pose::from_parts(vector(*pose.xyz), q.normalize())
}

/// The pose of each link with all joints at zero, and whether it is a root.
fn poses(robot: &Robot, stand: &Stand) -> Result<Vec<(Pose, bool)>, ImportError> {
    let mut index = HashMap::new();
    for (k, link) in robot.links.iter().enumerate() {
        if index.insert(link.name.as_str(), k).is_some() {
            return Err(link_error(&link.name, "there are two of this name"));
        }
    }
    let find = |joint: &urdf_rs::Joint, name: &str| {
        index.get(name).copied().ok_or_else(|| joint_error(&joint.name, format!("there is no link `{name}`")))
    };
    let mut parents: Vec<Option<(usize, Pose)>> = vec![None; robot.links.len()];
    for joint in &robot.joints {
        let (parent, child) = (find(joint, &joint.parent.link)?, find(joint, &joint.child.link)?);
        let origin = pose_of(&joint.origin);
        if !(origin.translation.is_finite() && origin.rotation.is_finite()) {
            return Err(joint_error(&joint.name, "its origin is not finite"));
        }
        if parents[child].replace((parent, origin)).is_some() {
            return Err(joint_error(&joint.name, format!("link `{}` has two parents", joint.child.link)));
        }
    }
    let up = if stand.z_up { Quat::from_rotation_x(-FRAC_PI_2) } else { Quat::IDENTITY };
    let root = Pose::from_parts(stand.position, (stand.orientation * up).normalize());
    let mut poses = Vec::new();
    for (k, link) in robot.links.iter().enumerate() {
        let (mut pose, mut at) = (Pose::from_parts(Vec3::ZERO, Quat::IDENTITY), k);
        for _ in 0..=robot.links.len() {
            let Some((parent, origin)) = parents[at] else { break };
            (pose, at) = (origin * pose, parent);
        }
        if parents[at].is_some() {
            return Err(link_error(&link.name, "it lies in a loop of joints"));
        }
        poses.push((root * pose, parents[k].is_none()));
    }
    Ok(poses)
}

/// The row of a link.
fn body(link: &Link, pose: &Pose, fixed: bool) -> Result<EntityBuilder, ImportError> {
    let mut row = EntityBuilder::new();
    let q = pose.rotation.normalize();
    row.add(Name(link.name.clone())).add(Position(pose.translation)).add(Orientation(q));
    row.add_bundle((LinearVelocity::default(), AngularVelocity::default(), BodySlot::UNASSIGNED));
    if let Some(collider) = collider(link)? {
        row.add(collider);
    }
    row.add(if fixed { RigidBody::Static } else { RigidBody::Dynamic });
    let inertial = &link.inertial;
    let mass = inertial.mass.value;
    if mass == 0.0 {
        if !fixed && link.collision.is_empty() {
            return Err(link_error(&link.name, "has neither a mass nor a collision shape"));
        }
        return Ok(row);
    }
    if !(mass > 0.0 && mass.is_finite()) {
        return Err(link_error(&link.name, format!("its mass must be positive and finite, got {mass}")));
    }
    let i = &inertial.inertia;
    let tensor = DMat3::from_cols(
        DVec3::new(i.ixx, i.ixy, i.ixz),
        DVec3::new(i.ixy, i.iyy, i.iyz),
        DVec3::new(i.ixz, i.iyz, i.izz),
    );
    let (principal, frame) = principal_axes(tensor);
    dolmen::mass::validate_inertia(principal).map_err(|error| link_error(&link.name, error.to_string()))?;
    let origin = pose_of(&inertial.origin);
    let frame = Quat::from_xyzw(frame.x as Real, frame.y as Real, frame.z as Real, frame.w as Real);
    let inertia = Inertia { principal: vector(principal.to_array()), frame: (origin.rotation * frame).normalize() };
    row.add(Mass(mass as Real)).add(CenterOfMass(origin.translation)).add(inertia);
    Ok(row)
}

/// The collision shapes of a link as one shape.
fn collider(link: &Link) -> Result<Option<Collider>, ImportError> {
    let mut parts = Vec::new();
    for collision in &link.collision {
        let place = pose_of(&collision.origin);
        let upright = Quat::from_rotation_x(FRAC_PI_2);
        let (shape, turn) = match &collision.geometry {
            Geometry::Box { size } => {
                let half = 0.5 * vector(**size);
                (Collider::cuboid(half.x, half.y, half.z), Quat::IDENTITY)
            }
            Geometry::Sphere { radius } => (Collider::ball(*radius as Real), Quat::IDENTITY),
            // Along z there, and along y here.
            Geometry::Cylinder { radius, length } => {
                (Collider::cylinder(0.5 * *length as Real, *radius as Real), upright)
            }
            Geometry::Capsule { radius, length } => {
                (Collider::capsule(0.5 * *length as Real, *radius as Real), upright)
            }
            Geometry::Mesh { filename, .. } => {
                return Err(link_error(&link.name, format!("its shape is the mesh `{filename}`: meshes are not read")));
            }
        };
        parts.push((place.translation, (place.rotation * turn).normalize(), shape));
    }
    let refused = |error| ImportError::Shape { kind: "link", name: link.name.clone(), error };
    match parts.as_slice() {
        [] => Ok(None),
        [(position, turn, shape)] if *position == Vec3::ZERO && *turn == Quat::IDENTITY => {
            shape.check().map_err(refused)?;
            Ok(Some(shape.clone()))
        }
        _ => Collider::compound(parts).map(Some).map_err(refused),
    }
}

/// A joint between bodies that are filled in later; `None` for a floating one.
fn joint(of: &urdf_rs::Joint) -> Result<Option<Joint>, ImportError> {
    if of.mimic.is_some() {
        return Err(joint_error(&of.name, "it mimics another: there are no gears"));
    }
    let axis = vector(*of.axis.xyz);
    let direction = axis.try_normalize().ok_or_else(|| joint_error(&of.name, format!("its axis is {axis}")))?;
    let origin = pose_of(&of.origin);
    let along = Quat::from_rotation_arc(Vec3::X, direction);
    let frames = [
        JointFrame { anchor: origin.translation, orientation: (origin.rotation * along).normalize() },
        JointFrame { anchor: Vec3::ZERO, orientation: along },
    ];
    let limited = matches!(of.joint_type, JointType::Revolute | JointType::Prismatic);
    let (lower, upper) = (of.limit.lower as Real, of.limit.upper as Real);
    if limited && (lower.is_nan() || upper.is_nan() || lower > upper) {
        return Err(joint_error(&of.name, format!("its limits are {lower} and {upper}")));
    }
    let dynamics = of.dynamics.as_ref();
    let [friction, damping] = [dynamics.map_or(0.0, |d| d.friction), dynamics.map_or(0.0, |d| d.damping)];
    for (name, value) in [("friction", friction), ("damping", damping)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(joint_error(&of.name, format!("its {name} must be at least 0 and finite, got {value}")));
        }
    }
    // A spring without stiffness is a damper.
    let damper = JointSpring::Si { stiffness: 0.0, damping: damping as Real };
    let axis = JointAxis {
        limits: limited.then_some([lower, upper]),
        motor: (damping > 0.0).then(|| Motor::position(0.0, damper, Real::INFINITY)),
        friction: friction as Real,
    };
    let kind = match of.joint_type {
        JointType::Fixed => JointKind::Fixed,
        JointType::Revolute | JointType::Continuous => JointKind::Revolute(axis),
        JointType::Prismatic => JointKind::Prismatic(axis),
        JointType::Spherical => JointKind::Spherical { friction: friction as Real },
        // In the plane across the axis, and about it.
        JointType::Planar => {
            let (free, locked) = (JointFreedom::FREE, JointFreedom::Locked);
            JointKind::Generic(Box::new([locked, free, free, free, locked, locked]))
        }
        JointType::Floating => return Ok(None),
    };
    Ok(Some(Joint::new(None, None, kind).frames(frames[0], frames[1])))
}
