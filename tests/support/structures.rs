//! Structures in a world, y up, and how far what the step did to them is from the laws of rest.

use dolmen::math::{DVec3, Quat, Real, Vec3, from_f64, to_f64};
use dolmen::prelude::*;
use dolmen::scene::{build, generators};
use hecs::{Entity, World};

pub const G: f64 = 9.81;

/// A structure and the world it stands in.
pub struct Built {
    pub world: World,
    pub physics: Physics,
    /// Its dynamic bodies, from the ground up.
    pub bodies: Vec<Entity>,
    pub start: Vec<DVec3>,
    pub dt: Real,
    /// The coefficient of friction, the same everywhere but where none is.
    pub friction: f64,
}

pub fn v(x: f64, y: f64, z: f64) -> Vec3 {
    from_f64(DVec3::new(x, y, z))
}

fn cuboid(half: DVec3) -> Collider {
    let [x, y, z] = half.to_array().map(|h| h as Real);
    Collider::cuboid(x, y, z)
}

impl Built {
    /// A floor at y = 0 with this coefficient of friction.
    fn on_floor(friction: f64) -> Self {
        let mut built = Self::nowhere(friction);
        built.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(built.material()));
        built
    }

    pub fn nowhere(friction: f64) -> Self {
        let (world, physics) = (World::new(), Physics::default());
        Self { world, physics, bodies: Vec::new(), start: Vec::new(), dt: 1.0 / 60.0, friction }
    }

    fn material(&self) -> Material {
        Material::new(self.friction as Real, 0.0)
    }

    pub fn add(&mut self, body: Body) -> Entity {
        let entity = self.world.spawn(body);
        self.bodies.push(entity);
        self.start.push(self.position(entity));
        entity
    }

    fn block(&mut self, half: DVec3, place: DVec3, mass: f64) -> Entity {
        let material = self.material();
        self.add(Body::dynamic(cuboid(half)).position(from_f64(place)).mass(mass as Real).material(material))
    }

    fn support(&mut self, half: DVec3, place: DVec3) -> Entity {
        self.world.spawn(Body::fixed(cuboid(half)).position(from_f64(place)).material(self.material()))
    }

    /// Lets no island fall asleep.
    pub fn awake(mut self) -> Self {
        self.physics.settings.sleep = false;
        self
    }

    pub fn exact(mut self) -> Self {
        self.physics.settings.accuracy = Accuracy::Exact;
        self
    }

    /// With friction of every surface against rolling (m).
    pub fn rolling(mut self, friction: Real) -> Self {
        for material in self.world.query_mut::<&mut Material>() {
            material.rolling_friction = friction;
        }
        self
    }

    pub fn position(&self, entity: Entity) -> DVec3 {
        to_f64(self.world.get::<&Position>(entity).unwrap().0)
    }

    /// Greatest displacement of a body from its start (m).
    pub fn moved(&self) -> DVec3 {
        let moves = self.bodies.iter().zip(&self.start).map(|(&body, &from)| self.position(body) - from);
        moves.fold(DVec3::ZERO, |most, moved| most.max(moved.abs()))
    }

    pub fn step(&mut self) -> dolmen::StepReport {
        self.physics.step(&mut self.world, self.dt).expect("the structure is sound")
    }

    /// Steps for so many seconds, and returns the worst residuals after every step.
    pub fn run(&mut self, seconds: f64) -> Residuals {
        let mut worst = Residuals::default();
        for _ in 0..(seconds / f64::from(self.dt)).round() as usize {
            self.step();
            worst.take(&self.residuals());
        }
        worst
    }

    /// Residual of the last step in the laws of rest: what its contacts carried, and the
    /// velocities it left.
    pub fn residuals(&self) -> Residuals {
        let mut worst = Residuals::default();
        let h = f64::from(self.dt);
        let velocity = |entity: Entity, point: DVec3| {
            let body = self.world.entity(entity).unwrap();
            let Some(linear) = body.get::<&LinearVelocity>() else { return DVec3::ZERO };
            let spin = to_f64(body.get::<&AngularVelocity>().unwrap().0);
            to_f64(linear.0) + spin.cross(point - to_f64(body.get::<&Position>().unwrap().0))
        };
        for contact in self.physics.contacts() {
            let [a, b] = contact.entities;
            let (point, normal, force) = (to_f64(contact.point), to_f64(contact.normal), to_f64(contact.force));
            let mass = [a, b].map(|e| self.world.get::<&Mass>(e).map_or(f64::INFINITY, |m| f64::from(m.0)));
            let weight = mass[0].min(mass[1]) * G;
            let presses = force.dot(normal);
            let opens = (velocity(b, point) - velocity(a, point)).dot(normal) / h
                + f64::from(contact.separation.max(0.0)) / (h * h);
            let slides = (force - normal * presses).length() - self.friction * presses;
            worst.approach = worst.approach.max(-opens / G);
            worst.pull = worst.pull.max(-presses / weight).max(slides / weight);
            worst.both = worst.both.max((opens / G).min(presses / weight));
        }
        for (&body, net) in self.bodies.iter().zip(self.net_accelerations()) {
            let before = to_f64(self.world.get::<&LinearVelocity>(body).unwrap().0);
            worst.unbalanced = worst.unbalanced.max(net.length() / G);
            worst.speed = worst.speed.max(before.length());
        }
        worst
    }

    /// Acceleration of each body by gravity and the contacts (m/s²).
    fn net_accelerations(&self) -> Vec<DVec3> {
        let mut net = vec![DVec3::NEG_Y * G; self.bodies.len()];
        for pair in self.physics.pair_forces() {
            for (entity, sign) in pair.entities.into_iter().zip([-1.0, 1.0]) {
                if let Some(k) = self.bodies.iter().position(|&body| body == entity) {
                    let mass = f64::from(self.world.get::<&Mass>(entity).unwrap().0);
                    net[k] += to_f64(pair.force) * (sign / mass);
                }
            }
        }
        net
    }
}

/// Residual of a step in the laws of rest; the tests (a), (b) and (c) of Baber 2006, section 3.4.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residuals {
    /// (a) How fast closed contacts approach after it (in g, over the step).
    pub approach: f64,
    /// (b) How far forces pull, or leave their cones (in weights of the lighter body).
    pub pull: f64,
    /// (c) How much of both a contact does, to open and to press (in g and weights, the lesser of
    /// the two).
    pub both: f64,
    /// The acceleration of the worst body under its own weight and the contacts' forces (in g).
    pub unbalanced: f64,
    /// The speed of the fastest body (m/s).
    pub speed: f64,
}

impl Residuals {
    fn take(&mut self, other: &Self) {
        self.approach = self.approach.max(other.approach);
        self.pull = self.pull.max(other.pull);
        self.both = self.both.max(other.both);
        self.unbalanced = self.unbalanced.max(other.unbalanced);
        self.speed = self.speed.max(other.speed);
    }
}

/// Cubes of 1 m and 1 kg, the topmost of `top` kg.
pub fn tower(cubes: usize, top: f64) -> Built {
    let mut built = Built::on_floor(0.5);
    for i in 0..cubes {
        let mass = if i + 1 == cubes { top } else { 1.0 };
        built.block(DVec3::splat(0.5), DVec3::new(0.0, i as f64 + 0.5, 0.0), mass);
    }
    built
}

/// A diamond of frictionless bricks of 1 m by 0.2 m, with the row and place of each. Bricks of a
/// row do not touch.
pub fn diamond(rows: usize) -> (Built, Vec<(usize, f64)>) {
    let mut built = Built::on_floor(0.0);
    let mut places = Vec::new();
    for row in 0..2 * rows - 1 {
        let count = if row < rows { row + 1 } else { 2 * rows - 1 - row };
        for k in 0..count {
            let x = k as f64 - 0.5 * (count as f64 - 1.0);
            let layers = CollisionLayers { layers: 1 << (row + 1), mask: 1 | 1 << row | 1 << (row + 2) };
            let body = Body::dynamic(Collider::cuboid(0.5, 0.1, 0.5)).mass(1.0).material(built.material());
            built.add(body.layers(layers).position(v(x, 0.2 * row as f64 + 0.1, 0.0)));
            places.push((row, x));
        }
    }
    (built, places)
}

/// A plank of 5 m on three supports.
pub fn plank() -> Built {
    let mut built = Built::nowhere(0.5);
    for x in [-2.0, 0.0, 2.0] {
        built.support(DVec3::new(0.1, 0.5, 0.5), DVec3::new(x, 0.5, 0.0));
    }
    built.block(DVec3::new(2.5, 0.1, 0.3), DVec3::new(0.0, 1.1, 0.0), 10.0);
    built
}

/// A cube of 1 m on a table whose edge is at x = 0, with its centre this far over the edge.
pub fn over_the_edge(by: f64) -> Built {
    let mut built = Built::nowhere(0.5);
    built.support(DVec3::new(5.0, 0.5, 5.0), DVec3::new(-5.0, 0.5, 0.0));
    built.block(DVec3::splat(0.5), DVec3::new(by, 1.5, 0.0), 1.0);
    built
}

/// A semicircle of 21 wedges.
pub fn arch() -> Built {
    generated("arch", 21)
}

/// One of the crate's own scenes, with bodies of a tonne each.
pub fn generated(name: &str, size: usize) -> Built {
    let scene = generators::make(name, Some(size)).unwrap().scene;
    let mut built = Built::nowhere(scene.materials.static_friction.unwrap());
    let entities = build(&scene, &mut built.world).unwrap().entities;
    for entity in entities {
        if *built.world.get::<&RigidBody>(entity).unwrap() == RigidBody::Dynamic {
            let start = built.position(entity);
            built.world.insert_one(entity, Mass(1000.0)).unwrap();
            built.bodies.push(entity);
            built.start.push(start);
        }
    }
    built
}

/// A ladder of 2 m and 10 kg leans against a smooth wall at 60 degrees. Returns the friction at
/// which it begins to slip: the wall's push `W (L/2 cos a - d/2 sin a) / (L sin a)` over the weight
/// `W`, with its thickness `d`.
pub fn ladder(part_of_limit: f64) -> Built {
    let (length, thick) = (2.0, 0.04);
    let (sin, cos) = 60.0_f64.to_radians().sin_cos();
    let limit = 0.5 * cos / sin - 0.5 * thick / length;
    let mut built = Built::on_floor(part_of_limit * limit);
    let (along, over) = (DVec3::new(cos, sin, 0.0), DVec3::new(-sin, cos, 0.0));
    let place = 0.5 * length * along + 0.5 * thick * over;
    let wall = Body::fixed(cuboid(DVec3::new(0.5, 3.0, 3.0))).material(Material::new(0.0, 0.0));
    built.world.spawn(wall.position(v(length * cos + 0.5, 3.0, 0.0)));
    let body = Body::dynamic(cuboid(DVec3::new(0.5 * length, 0.5 * thick, 0.2))).material(built.material());
    let turn = Quat::from_rotation_z(60.0_f64.to_radians() as Real);
    built.add(body.mass(10.0).position(from_f64(place)).orientation(turn));
    built
}

/// Two tents of two cards each, a flat card on them, and a third tent on that.
pub fn card_house(friction: f64) -> Built {
    let mut built = Built::on_floor(friction);
    let (length, thick, depth) = (1.0, 0.01, 0.35);
    let angle = 70.0_f64.to_radians();
    let (sin, cos) = angle.sin_cos();
    let half = DVec3::new(0.5 * length, 0.5 * thick, depth);
    // The cards touch along the lower edges of their upper ends.
    let tent = |built: &mut Built, x: f64, y: f64| {
        for side in [1.0, -1.0] {
            let (along, over) = (DVec3::new(side * cos, sin, 0.0), DVec3::new(-side * sin, cos, 0.0));
            let place = DVec3::new(x, y + length * sin, 0.0) - 0.5 * length * along + 0.5 * thick * over;
            let turn = if side > 0.0 { angle } else { std::f64::consts::PI - angle };
            let card = Body::dynamic(cuboid(half)).mass(0.1).material(built.material());
            let turn = Quat::from_rotation_z(turn as Real);
            built.add(card.position(from_f64(place)).orientation(turn));
        }
    };
    let spread = length * cos;
    // The feet of neighbours do not touch.
    tent(&mut built, -spread - 2.0 * thick, 0.0);
    tent(&mut built, spread + 2.0 * thick, 0.0);
    let top = length * sin + thick * cos;
    built.block(DVec3::new(2.0 * spread, 0.5 * thick, depth), DVec3::new(0.0, top + 0.5 * thick, 0.0), 0.1);
    tent(&mut built, 0.0, top + thick);
    built
}
