//! Components of a body besides its kind, shape and motion.

use dolmen::components::*;
use hecs::{Entity, World};
use serde::{Deserialize, Serialize};

macro_rules! parts {
    ($($name:ident),*) => {
        /// A component that a body may have.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Part {
            $($name($name),)*
        }

        impl Part {
            /// Gives it to an entity that exists.
            pub fn insert(self, world: &mut World, entity: Entity) {
                match self {
                    $(Self::$name(part) => world.insert_one(entity, part),)*
                }
                .expect("the entity exists");
            }

            /// Takes the component of its type away, if there is one.
            pub fn remove(self, world: &mut World, entity: Entity) {
                match self {
                    $(Self::$name(_) => _ = world.remove_one::<$name>(entity),)*
                }
            }
        }
    };
}

parts!(
    Material,
    Density,
    Mass,
    Inertia,
    CenterOfMass,
    ExternalForce,
    ExternalTorque,
    ExternalImpulse,
    GravityScale,
    Damping,
    LockedAxes,
    CollisionLayers,
    Sensor,
    Ccd,
    SurfaceVelocity,
    ContactForceThreshold,
    VelocityLimit,
    KinematicTarget,
    SleepControl,
    SolverLayers,
    Disabled
);
