//! The row of an entity: clones of the components that physics reads, to spawn it once more.

use dolmen::prelude::*;
use hecs::{BuiltEntityClone, DynamicBundle, Entity, EntityBuilderClone, World};

/// The components of a body, a further collider or a joint.
#[derive(Clone)]
pub struct Row(BuiltEntityClone);

/// Calls a macro with each type of component that a game writes.
macro_rules! components {
    ($each:ident) => {
        $each!(
            RigidBody,
            Position,
            Orientation,
            LinearVelocity,
            AngularVelocity,
            Collider,
            ColliderOf,
            Material,
            Density,
            Mass,
            Inertia,
            CenterOfMass,
            ExternalForce,
            ExternalTorque,
            GravityScale,
            Damping,
            LockedAxes,
            VelocityLimit,
            KinematicTarget,
            CollisionLayers,
            Sensor,
            Ccd,
            SurfaceVelocity,
            ContactForceThreshold,
            SolverLayers,
            IgnoreContactsWith,
            SleepControl,
            Disabled,
            Joint
        )
    };
}

impl Row {
    /// The row of an entity as it is now; without components if there is no such entity.
    pub fn of(world: &World, entity: Entity) -> Self {
        let mut row = EntityBuilderClone::new();
        macro_rules! add {
            ($($component:ty),*) => {
                $(if let Ok(value) = world.get::<&$component>(entity) {
                    row.add(<$component>::clone(&value));
                })*
            };
        }
        components!(add);
        if row.has::<RigidBody>() {
            row.add(BodySlot::UNASSIGNED);
        }
        if row.has::<Joint>() {
            row.add(JointState::default());
        }
        Self(row.build())
    }

    /// The row of a new body.
    pub fn new(body: impl DynamicBundle) -> Self {
        let mut world = World::new();
        let entity = world.spawn(body);
        Self::of(&world, entity)
    }

    /// Spawns it under an entity's old number.
    pub fn spawn_at(&self, world: &mut World, entity: Entity) {
        world.spawn_at(entity, &self.0);
    }
}
