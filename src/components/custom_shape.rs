use super::Collider;
use crate::mass::MassProperties;
use crate::math::parry::bounding_volume::{Aabb, BoundingSphere};
use crate::math::parry::mass_properties::MassProperties as ParryMass;
use crate::math::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use crate::math::parry::shape::{FeatureId, Shape, ShapeType, SharedShape, TypedShape};
use crate::math::{Quat, Real, Vec3, consts::PI, from_f64};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::any::{Any, TypeId};
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

/// A user-defined shape for pair kernels. It must give its bounding box; mass properties, ray casts,
/// nearest points and a drawing are optional.
///
/// [`Collider::custom`] makes a [`Collider`] of it, with the shape type [`Custom<Self>`](Custom).
/// It collides with the shapes for which a kernel is registered in
/// [`Physics::kernels`](crate::Physics::kernels). A convex shape with a support function needs no
/// kernel: implement parry's `Shape` for it.
pub trait CustomShape: Send + Sync + 'static {
    /// The bounding box in the shape's own axes (m).
    fn bounds(&self) -> Aabb;

    /// Mass properties for a density (kg/m³), in the shape's own axes. With `None`, the default, a
    /// dynamic body of this shape needs `Mass` and `Inertia`.
    fn mass_properties(&self, _density: f64) -> Option<MassProperties> {
        None
    }

    /// The first hit of a ray: the parameter along `direction` (from 0 to `most`) and the outward
    /// unit normal, in the shape's own axes. With `None`, the default, rays pass through.
    fn cast_ray(&self, _origin: Vec3, _direction: Vec3, _most: Real) -> Option<(Real, Vec3)> {
        None
    }

    /// The point of the surface nearest to `point` (m), and whether `point` is inside. The default
    /// uses the bounding box.
    fn nearest(&self, point: Vec3) -> (Vec3, bool) {
        let on_box = self.bounds().project_local_point(point, false);
        (on_box.point, on_box.is_inside)
    }

    /// Draws the shape for [`debug`](crate::debug): calls `line` with the ends of lines on its
    /// surface, in the shape's own axes. With `false`, the default, its bounding box is drawn.
    fn draw(&self, _line: &mut dyn FnMut(Vec3, Vec3)) -> bool {
        false
    }
}

/// How to see a parry shape of one type as what it is.
type View = fn(&dyn Shape) -> Option<&dyn CustomShape>;

/// The views of all types of custom shapes so far: parry's trait has no way back to them. Only looked
/// up, never iterated.
static VIEWS: RwLock<FxHashMap<TypeId, View>> = RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

/// The custom shape in a parry shape, if it is one of [`Collider::custom`].
pub(crate) fn as_custom(shape: &dyn Shape) -> Option<&dyn CustomShape> {
    let any: &dyn Any = shape;
    let view = VIEWS.read().unwrap_or_else(PoisonError::into_inner).get(&any.type_id()).copied();
    view?(shape)
}

/// A [`CustomShape`] as a parry shape: the type that kernels are registered for.
#[derive(Debug)]
pub struct Custom<S>(Arc<S>);

impl<S> Clone for Custom<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Deref for Custom<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl Collider {
    /// A user-defined shape, handled by [pair kernels](crate::contact::kernels::PairKernels).
    pub fn custom<S: CustomShape>(shape: S) -> Self {
        let view: View = |shape| shape.as_shape::<Custom<S>>().map(|custom| &*custom.0 as &dyn CustomShape);
        VIEWS.write().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<Custom<S>>(), view);
        Self(SharedShape::new(Custom(Arc::new(shape))))
    }
}

impl<S: CustomShape> RayCast for Custom<S> {
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, most: Real, solid: bool) -> Option<RayIntersection> {
        if solid && self.0.nearest(ray.origin).1 && self.0.bounds().contains_local_point(ray.origin) {
            return Some(RayIntersection::new(0.0, Vec3::ZERO, FeatureId::Unknown));
        }
        let (time, normal) = self.0.cast_ray(ray.origin, ray.dir, most)?;
        Some(RayIntersection::new(time, normal, FeatureId::Unknown))
    }
}

impl<S: CustomShape> PointQuery for Custom<S> {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        let (nearest, inside) = self.0.nearest(point);
        PointProjection::new(inside, if inside && solid { point } else { nearest })
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }
}

impl<S: CustomShape> Shape for Custom<S> {
    fn compute_local_aabb(&self) -> Aabb {
        self.0.bounds()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        let bounds = self.0.bounds();
        BoundingSphere::new(bounds.center(), bounds.half_extents().length())
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _scale: Vec3, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: Real) -> ParryMass {
        let Some(own) = self.0.mass_properties(f64::from(density)) else { return ParryMass::default() };
        let q = own.frame;
        let frame = Quat::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real);
        ParryMass::with_principal_inertia_frame(from_f64(own.center), own.mass as Real, from_f64(own.principal), frame)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.0.bounds().half_extents().min_element()
    }

    fn ccd_angular_thickness(&self) -> Real {
        PI / 4.0
    }
}
