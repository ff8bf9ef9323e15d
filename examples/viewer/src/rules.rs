//! Gravity, accuracy and materials, as sliders change them.

use dolmen::prelude::*;
use hecs::World;

/// What a slider sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Acceleration along -y (m/s²).
    Gravity,
    /// Static and dynamic friction of all bodies.
    Friction,
    /// Restitution of all bodies.
    Restitution,
    /// `Game` at the left, `Exact` at the right.
    Accuracy,
}

impl Rule {
    pub const ALL: [Self; 4] = [Self::Gravity, Self::Friction, Self::Restitution, Self::Accuracy];

    /// Its name and the values at the ends of its slider.
    pub fn range(self) -> (&'static str, [Real; 2]) {
        match self {
            Self::Gravity => ("gravity", [0.0, 20.0]),
            Self::Friction => ("friction", [0.0, 1.5]),
            Self::Restitution => ("restitution", [0.0, 1.0]),
            Self::Accuracy => ("accuracy", [0.0, 1.0]),
        }
    }

    /// Its present value: of materials that of the first dynamic body that has one.
    pub fn value(self, physics: &Physics, world: &World) -> Real {
        let of_materials = |of: fn(&Material) -> Real| {
            let mut query = world.query::<(&RigidBody, &Material)>();
            query.iter().find(|(kind, _)| **kind == RigidBody::Dynamic).map_or(0.0, |(_, material)| of(material))
        };
        match self {
            Self::Gravity => physics.settings.gravity.length(),
            Self::Friction => of_materials(|material| material.static_friction),
            Self::Restitution => of_materials(|material| material.restitution),
            Self::Accuracy => Real::from(u8::from(physics.settings.accuracy == Accuracy::Exact)),
        }
    }

    /// Sets it.
    pub fn set(self, value: Real, physics: &mut Physics, world: &mut World) {
        let mut each_material = |change: &dyn Fn(&mut Material)| {
            world.query_mut::<&mut Material>().into_iter().for_each(change);
        };
        match self {
            Self::Gravity => physics.settings.gravity = Vec3::NEG_Y * value,
            Self::Friction => each_material(&|material| {
                (material.static_friction, material.dynamic_friction) = (value, value);
            }),
            Self::Restitution => each_material(&|material| material.restitution = value),
            Self::Accuracy => {
                physics.settings.accuracy = if value < 0.5 { Accuracy::Game } else { Accuracy::Exact };
            }
        }
    }
}

/// What [`Rule::set`] changes, to put it back.
#[derive(Clone)]
pub struct Rules {
    gravity: Vec3,
    accuracy: Accuracy,
    materials: Vec<(Entity, Material)>,
}

impl Rules {
    /// The present ones.
    pub fn of(physics: &Physics, world: &World) -> Self {
        let Settings { gravity, accuracy, .. } = physics.settings;
        let materials =
            world.query::<(Entity, &Material)>().iter().map(|(entity, material)| (entity, *material)).collect();
        Self { gravity, accuracy, materials }
    }

    /// Puts them back.
    pub fn restore(&self, physics: &mut Physics, world: &mut World) {
        (physics.settings.gravity, physics.settings.accuracy) = (self.gravity, self.accuracy);
        for (entity, material) in &self.materials {
            if let Ok(mut own) = world.get::<&mut Material>(*entity) {
                *own = *material;
            }
        }
    }
}
