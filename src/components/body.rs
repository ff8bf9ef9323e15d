use super::*;
use crate::math::{Quat, Real, Vec3};
use hecs::{Component, DynamicBundle, TypeInfo};
use std::any::TypeId;
use std::mem::ManuallyDrop;

/// A bundle for [`hecs::World::spawn`] with all components of a body.
///
/// ```
/// use dolmen::prelude::*;
/// let mut world = hecs::World::new();
/// let crate_ = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 5.0, 0.0).density(600.0));
/// let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// assert_eq!(world.get::<&Position>(crate_).unwrap().0, Vec3::new(0.0, 5.0, 0.0));
/// # let _ = floor;
/// ```
///
/// Every body gets [`RigidBody`], [`Position`], [`Orientation`], [`LinearVelocity`],
/// [`AngularVelocity`] and [`BodySlot`], so that the step need not add them. Other components are
/// spawned only if they are set here.
#[derive(Clone, Debug, Default)]
pub struct Body {
    kind: RigidBody,
    position: Position,
    orientation: Orientation,
    linear_velocity: LinearVelocity,
    angular_velocity: AngularVelocity,
    slot: BodySlot,
    collider: Option<Collider>,
    material: Option<Material>,
    density: Option<Density>,
    mass: Option<Mass>,
    inertia: Option<Inertia>,
    center: Option<CenterOfMass>,
    force: Option<ExternalForce>,
    torque: Option<ExternalTorque>,
    impulse: Option<ExternalImpulse>,
    gravity_scale: Option<GravityScale>,
    damping: Option<Damping>,
    locked: Option<LockedAxes>,
    layers: Option<CollisionLayers>,
    sensor: Option<Sensor>,
    ccd: Option<Ccd>,
    surface_velocity: Option<SurfaceVelocity>,
    force_threshold: Option<ContactForceThreshold>,
}

impl Body {
    /// A dynamic body with a collider.
    pub fn dynamic(collider: Collider) -> Self {
        Self { collider: Some(collider), ..Self::default() }
    }

    /// A dynamic body without a collider, by its mass (kg) and inertia.
    pub fn free(mass: Real, inertia: Inertia) -> Self {
        Self { mass: Some(Mass(mass)), inertia: Some(inertia), ..Self::default() }
    }

    /// A static body (`static` is a keyword).
    pub fn fixed(collider: Collider) -> Self {
        Self { kind: RigidBody::Static, ..Self::dynamic(collider) }
    }

    /// A kinematic body.
    pub fn kinematic(collider: Collider) -> Self {
        Self { kind: RigidBody::Kinematic, ..Self::dynamic(collider) }
    }

    /// At the position (x, y, z) (m).
    pub fn at(self, x: Real, y: Real, z: Real) -> Self {
        self.position(Vec3::new(x, y, z))
    }

    /// At a position (m).
    pub fn position(mut self, position: Vec3) -> Self {
        self.position = Position(position);
        self
    }

    /// With an orientation.
    pub fn orientation(mut self, orientation: Quat) -> Self {
        self.orientation = Orientation(orientation);
        self
    }

    /// With a velocity of its centre of mass (m/s).
    pub fn linear_velocity(mut self, velocity: Vec3) -> Self {
        self.linear_velocity = LinearVelocity(velocity);
        self
    }

    /// With an angular velocity in world axes (rad/s).
    pub fn angular_velocity(mut self, velocity: Vec3) -> Self {
        self.angular_velocity = AngularVelocity(velocity);
        self
    }

    /// With a material.
    pub fn material(mut self, material: Material) -> Self {
        self.material = Some(material);
        self
    }

    /// With a density (kg/m³) instead of [`Density::default`].
    pub fn density(mut self, density: Real) -> Self {
        self.density = Some(Density(density));
        self
    }

    /// With a mass (kg) instead of the collider's.
    pub fn mass(mut self, mass: Real) -> Self {
        self.mass = Some(Mass(mass));
        self
    }

    /// With an inertia instead of the collider's.
    pub fn inertia(mut self, inertia: Inertia) -> Self {
        self.inertia = Some(inertia);
        self
    }

    /// With a centre of mass in its own axes (m) instead of the collider's.
    pub fn center_of_mass(mut self, center: Vec3) -> Self {
        self.center = Some(CenterOfMass(center));
        self
    }

    /// Under a constant force (N, world axes).
    pub fn force(mut self, force: Vec3) -> Self {
        self.force = Some(ExternalForce(force));
        self
    }

    /// Under a constant torque (N m, world axes).
    pub fn torque(mut self, torque: Vec3) -> Self {
        self.torque = Some(ExternalTorque(torque));
        self
    }

    /// With an impulse at the start of the first step.
    pub fn impulse(mut self, impulse: ExternalImpulse) -> Self {
        self.impulse = Some(impulse);
        self
    }

    /// With a factor on gravity.
    pub fn gravity_scale(mut self, factor: Real) -> Self {
        self.gravity_scale = Some(GravityScale(factor));
        self
    }

    /// With damping rates (1/s).
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        self.damping = Some(Damping { linear, angular });
        self
    }

    /// With locked axes.
    pub fn locked(mut self, locked: LockedAxes) -> Self {
        self.locked = Some(locked);
        self
    }

    /// In collision layers.
    pub fn layers(mut self, layers: CollisionLayers) -> Self {
        self.layers = Some(layers);
        self
    }

    /// As a sensor.
    pub fn sensor(mut self) -> Self {
        self.sensor = Some(Sensor);
        self
    }

    /// With continuous collision detection against dynamic bodies too.
    pub fn ccd(mut self) -> Self {
        self.ccd = Some(Ccd);
        self
    }

    /// With a surface velocity in the collider's axes (m/s).
    pub fn surface_velocity(mut self, velocity: Vec3) -> Self {
        self.surface_velocity = Some(SurfaceVelocity(velocity));
        self
    }

    /// With events for contacts of at least `force` (N).
    pub fn force_threshold(mut self, force: Real) -> Self {
        self.force_threshold = Some(ContactForceThreshold(force));
        self
    }
}

/// Calls `$visit` with every component that `$body` has.
macro_rules! each_component {
    ($body:expr, $visit:ident) => {
        $visit!($body.kind);
        $visit!($body.position);
        $visit!($body.orientation);
        $visit!($body.linear_velocity);
        $visit!($body.angular_velocity);
        $visit!($body.slot);
        each_component!(@optional $body, $visit, collider, material, density, mass, inertia, center, force, torque,
            impulse, gravity_scale, damping, locked, layers, sensor, ccd,
            surface_velocity, force_threshold);
    };
    (@optional $body:expr, $visit:ident, $($field:ident),*) => {
        $(if let Some(component) = $body.$field { $visit!(component); })*
    };
}

fn info_of<T: Component>(_: &T) -> TypeInfo {
    TypeInfo::of::<T>()
}

// SAFETY: `with_ids` and `type_info` list exactly the components that `put` moves out, sorted as
// hecs requires (in the order of `TypeInfo`); `put` calls `f` once for each, with a pointer to a
// live value of that type, which it does not drop.
unsafe impl DynamicBundle for Body {
    fn with_ids<T>(&self, f: impl FnOnce(&[TypeId]) -> T) -> T {
        let ids: Vec<TypeId> = self.type_info().iter().map(TypeInfo::id).collect();
        f(&ids)
    }

    fn type_info(&self) -> Vec<TypeInfo> {
        let mut infos = Vec::with_capacity(12);
        macro_rules! push {
            ($component:expr) => {
                infos.push(info_of(&$component))
            };
        }
        let body = self.clone();
        each_component!(body, push);
        infos.sort_unstable();
        infos
    }

    unsafe fn put(self, mut f: impl FnMut(*mut u8, TypeInfo)) {
        macro_rules! move_out {
            ($component:expr) => {{
                let mut component = ManuallyDrop::new($component);
                f((&raw mut *component).cast::<u8>(), info_of(&*component));
            }};
        }
        each_component!(self, move_out);
    }
}
