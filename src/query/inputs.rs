//! Inputs of queries: rays and shapes, validated by their constructors.

use super::error::QueryError;
use crate::components::Collider;
use crate::contact::kernels::Geometry;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Pose, Quat, Real, Vec3, is_direction};

/// Ray: an origin, a direction and a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
    pub(super) length: Real,
    pub(super) hollow: bool,
}

impl Ray {
    /// A ray from `origin` (m) along `direction`, of any length but zero, up to `length` (m; may be
    /// infinite).
    ///
    /// # Errors
    /// [`QueryError`] if the origin or the direction is not finite, the direction is zero, or the
    /// length is negative or NaN.
    pub fn new(origin: Vec3, direction: Vec3, length: Real) -> Result<Self, QueryError> {
        Ok(Self {
            origin: finite("origin", origin)?,
            direction: unit(direction)?,
            length: reach(length)?,
            hollow: false,
        })
    }

    /// The ray from one point (m) to another.
    ///
    /// # Errors
    /// [`QueryError`] if a coordinate is not finite or the points coincide.
    pub fn between(from: Vec3, to: Vec3) -> Result<Self, QueryError> {
        finite("point", to)?;
        Self::new(from, to - from, from.distance(to))
    }

    /// Treats shapes as hollow: a ray that starts inside one hits its surface from within, and not
    /// its own origin.
    pub fn hollow(mut self) -> Self {
        self.hollow = true;
        self
    }

    /// The point at a distance from the origin (m).
    pub fn at(&self, distance: Real) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// The unit direction.
    pub fn direction(&self) -> Vec3 {
        self.direction
    }

    /// The length (m); may be infinite.
    pub fn length(&self) -> Real {
        self.length
    }
}

/// Shape at a pose in the world: input of overlap queries and shape casts.
#[derive(Clone)]
pub struct Probe {
    pub(super) geometry: Geometry,
    pub(super) pose: Pose,
}

impl Probe {
    /// The shape of a collider at a position (m) and orientation, which is normalised. It need not
    /// belong to an entity.
    ///
    /// # Errors
    /// [`QueryError`] if the pose is not finite, or the shape is a half-space, a height field,
    /// unsupported by the kernels, or impossible ([`Collider::check`]).
    pub fn new(collider: &Collider, position: Vec3, orientation: Quat) -> Result<Self, QueryError> {
        let geometry = Geometry::from(&collider.0);
        let kind = geometry.shape_type();
        let known = match &geometry {
            Geometry::HalfSpace { .. } | Geometry::Other(_) => false,
            Geometry::Composite(shape) => shape.as_composite_shape().is_some(),
            _ => true,
        };
        if !known {
            return Err(QueryError::Shape { kind });
        }
        collider.check().map_err(QueryError::Collider)?;
        finite("position", position)?;
        if !orientation.is_finite() {
            return Err(QueryError::NotFinite { argument: "orientation", value: orientation.to_string() });
        }
        if !is_direction(orientation) {
            return Err(QueryError::ZeroLength { argument: "orientation" });
        }
        Ok(Self { geometry, pose: Pose::from_parts(position, orientation.normalize()) })
    }

    /// The same shape and orientation at a finite position (m).
    pub(crate) fn moved_to(&self, position: Vec3) -> Self {
        Self { geometry: self.geometry.clone(), pose: Pose::from_parts(position, self.pose.rotation) }
    }

    /// Its orientation.
    pub(crate) fn orientation(&self) -> Quat {
        self.pose.rotation
    }

    /// Bounding box of the shape at a pose (m).
    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        self.geometry.aabb(pose)
    }
}

/// Shape cast: a straight motion of a shape without rotation.
#[derive(Clone)]
pub struct ShapeCast {
    pub(super) probe: Probe,
    pub(super) direction: Vec3,
    pub(super) length: Real,
}

impl ShapeCast {
    /// The motion of a shape along `direction`, of any length but zero, over `length` (m; may be
    /// infinite).
    ///
    /// # Errors
    /// [`QueryError`] if the direction is zero or not finite, or the length is negative or NaN.
    pub fn new(probe: Probe, direction: Vec3, length: Real) -> Result<Self, QueryError> {
        Ok(Self { probe, direction: unit(direction)?, length: reach(length)? })
    }

    /// The shape at the start.
    pub(crate) fn probe(&self) -> &Probe {
        &self.probe
    }

    /// Unit vector of the motion.
    pub(crate) fn direction(&self) -> Vec3 {
        self.direction
    }
}

pub(super) fn finite(argument: &'static str, value: Vec3) -> Result<Vec3, QueryError> {
    if value.is_finite() { Ok(value) } else { Err(QueryError::NotFinite { argument, value: value.to_string() }) }
}

/// Unit vector of a direction, without underflow or overflow.
fn unit(direction: Vec3) -> Result<Vec3, QueryError> {
    let largest = finite("direction", direction)?.abs().max_element();
    if largest == 0.0 {
        return Err(QueryError::ZeroLength { argument: "direction" });
    }
    Ok((direction / largest).normalize())
}

/// Validates a reach; infinite ones become the largest number.
pub(super) fn reach(value: Real) -> Result<Real, QueryError> {
    if value >= 0.0 { Ok(value.min(Real::MAX)) } else { Err(QueryError::Reach { value: f64::from(value) }) }
}
