//! Rigid bodies on ball joints, without contacts: what every method moves.

use glam::{DMat3, DQuat, DVec3};

/// Gravity (m/s²).
pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A rigid body. Vectors are in world coordinates, about its centre of mass.
#[derive(Clone, Copy)]
pub struct Body {
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia (kg m²), along the body's own axes.
    pub principal: DVec3,
    /// Centre of mass (m).
    pub position: DVec3,
    /// Rotation from the body's axes to the world's.
    pub orientation: DQuat,
    /// Linear and angular velocity (m/s, rad/s).
    pub velocity: DVec3,
    pub spin: DVec3,
}

impl Body {
    /// A cuboid at rest.
    pub fn cuboid(mass: f64, half: DVec3, position: DVec3) -> Self {
        let square = half * half;
        let principal = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
        let (orientation, velocity, spin) = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        Self { mass, principal, position, orientation, velocity, spin }
    }

    /// Inertia in world axes (kg m²).
    pub fn inertia(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.orientation);
        rotation * DMat3::from_diagonal(self.principal) * rotation.transpose()
    }

    /// Inverse inertia in world axes.
    pub fn inverse_inertia(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.orientation);
        rotation * DMat3::from_diagonal(self.principal.recip()) * rotation.transpose()
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self) -> f64 {
        let own = self.orientation.inverse() * self.spin;
        0.5 * (self.mass * self.velocity.length_squared() + (self.principal * own).dot(own))
    }

    /// Kinetic and potential energy (J).
    pub fn energy(&self) -> f64 {
        self.kinetic_energy() - self.mass * GRAVITY.dot(self.position)
    }

    /// Advances the angular velocity of torque-free rotation by the implicit midpoint rule, which
    /// keeps the energy and the length of the angular momentum.
    pub fn rotate_inertia(&mut self, h: f64) {
        let inertia = DMat3::from_diagonal(self.principal);
        let start = self.orientation.inverse() * self.spin;
        let mut spin = start;
        for _ in 0..6 {
            let mean = 0.5 * (start + spin);
            let residual = inertia * (spin - start) + h * mean.cross(self.principal * mean);
            let derivative = inertia + 0.5 * h * (skew(mean) * inertia - skew(self.principal * mean));
            spin -= derivative.inverse() * residual;
        }
        self.spin = self.orientation * spin;
    }

    /// Moves the pose along velocities.
    pub fn drift(&mut self, h: f64) {
        self.displace([h * self.velocity, h * self.spin]);
    }

    /// Moves the pose by a displacement (m) and a rotation vector (rad).
    pub fn displace(&mut self, [shift, turn]: [DVec3; 2]) {
        self.position += shift;
        self.orientation = (DQuat::from_scaled_axis(turn) * self.orientation).normalize();
    }

    /// Takes the pose of a start, moved by a displacement and a rotation vector.
    pub fn displace_from(&mut self, start: &Self, moved: [DVec3; 2]) {
        (self.position, self.orientation) = (start.position, start.orientation);
        self.displace(moved);
    }
}

/// A ball joint: an anchor of each body, or of the world, that coincide.
#[derive(Clone, Copy)]
pub struct Joint {
    pub bodies: [Option<usize>; 2],
    /// Anchors in the axes of their bodies, or in the world.
    pub anchors: [DVec3; 2],
}

/// Bodies and their joints.
#[derive(Clone, Default)]
pub struct Mechanism {
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
}

impl Mechanism {
    /// Joins two bodies, or one and the world, at a place in the world.
    pub fn join(&mut self, bodies: [Option<usize>; 2], place: DVec3) {
        let anchors = bodies.map(|body| match body {
            Some(body) => {
                let body = &self.bodies[body];
                body.orientation.inverse() * (place - body.position)
            }
            None => place,
        });
        self.joints.push(Joint { bodies, anchors });
    }

    /// Lever arms of a joint's anchors about the centres of mass (m); zero at the world's end.
    pub fn levers(&self, joint: &Joint) -> [DVec3; 2] {
        [0, 1].map(|end| joint.bodies[end].map_or(DVec3::ZERO, |b| self.bodies[b].orientation * joint.anchors[end]))
    }

    /// From the first anchor to the second (m).
    pub fn error(&self, joint: &Joint) -> DVec3 {
        let levers = self.levers(joint);
        let [a, b] =
            [0, 1].map(|end| joint.bodies[end].map_or(joint.anchors[end], |b| self.bodies[b].position + levers[end]));
        b - a
    }

    /// Velocity of the second anchor relative to the first (m/s).
    pub fn relative_velocity(&self, joint: &Joint, levers: [DVec3; 2]) -> DVec3 {
        let [a, b] = [0, 1].map(|end| {
            joint.bodies[end].map_or(DVec3::ZERO, |b| {
                let body = &self.bodies[b];
                body.velocity + body.spin.cross(levers[end])
            })
        });
        b - a
    }

    /// Inverse of the effective mass of a joint by itself.
    pub fn inverse_effective_mass(&self, joint: &Joint, levers: [DVec3; 2]) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for (body, lever) in joint.bodies.into_iter().zip(levers) {
            if let Some(body) = body {
                let (body, lever) = (&self.bodies[body], skew(lever));
                sum += DMat3::from_diagonal(DVec3::splat(body.mass.recip())) - lever * body.inverse_inertia() * lever;
            }
        }
        sum
    }

    /// Weights of all rows by joint: so many effective masses of each joint by itself.
    pub fn row_weights(&self, effective_masses: f64) -> Vec<DMat3> {
        let weight = |joint| effective_masses * self.inverse_effective_mass(joint, self.levers(joint)).inverse();
        self.joints.iter().map(weight).collect()
    }

    /// Applies an impulse to the second body, and its opposite to the first.
    pub fn apply(&mut self, joint: &Joint, levers: [DVec3; 2], impulse: DVec3) {
        for (body, (lever, impulse)) in joint.bodies.into_iter().zip(levers.into_iter().zip([-impulse, impulse])) {
            if let Some(body) = body {
                let body = &mut self.bodies[body];
                body.velocity += impulse / body.mass;
                body.spin += body.inverse_inertia() * lever.cross(impulse);
            }
        }
    }

    /// Kinetic and potential energy (J).
    pub fn energy(&self) -> f64 {
        self.bodies.iter().map(Body::energy).sum()
    }

    /// The largest distance of two anchors that should coincide (m).
    pub fn gap(&self) -> f64 {
        self.joints.iter().map(|joint| self.error(joint).length()).fold(0.0, f64::max)
    }

    /// Gravity and the gyroscopic term for a substep.
    pub fn kick(&mut self, h: f64) {
        for body in &mut self.bodies {
            body.velocity += h * GRAVITY;
            body.rotate_inertia(h);
        }
    }

    /// Moves all poses along their velocities.
    pub fn drift(&mut self, h: f64) {
        self.bodies.iter_mut().for_each(|body| body.drift(h));
    }
}

/// The matrix of a cross product.
pub fn skew(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
