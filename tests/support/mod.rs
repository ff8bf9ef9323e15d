//! A small world of boxes and balls that drives the contact solver by itself: it knows which pairs
//! can touch, measures their separations from anchors, and integrates what the solver hands back.

#![allow(dead_code)] // each test and bench uses its own part

use dolmen::contact::{Manifold, ManifoldPoint};
use dolmen::math::{Mat3, Quat, Real, Vec3, rotated_diagonal};
use dolmen::solver::{ContactRef, Parameters, Solver, SolverBody, Surface};

pub mod scenes;

/// Pairs farther apart than this are not given to the solver (m).
pub const MARGIN: Real = 0.02;

/// A rigid body of the test world.
#[derive(Clone, Debug)]
pub struct Rigid {
    pub position: Vec3,
    pub orientation: Quat,
    pub velocity: Vec3,
    pub spin: Vec3,
    pub acceleration: Vec3,
    pub inverse_mass: Real,
    /// Principal inverse inertia, body axes.
    pub inverse_inertia: Vec3,
    pub radius: Real,
}

impl Rigid {
    /// A box of half extents `half`; mass 0 for one that nothing moves.
    pub fn cuboid(half: Vec3, mass: Real, position: Vec3) -> Self {
        let inverse_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        let s = half * half;
        let inertia = Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
        let inverse_inertia = if mass > 0.0 { inertia.recip() } else { Vec3::ZERO };
        Self {
            position,
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            inverse_mass,
            inverse_inertia,
            radius: half.length(),
        }
    }

    /// A solid ball.
    pub fn ball(radius: Real, mass: Real, position: Vec3) -> Self {
        let inverse_inertia = Vec3::splat(1.0 / (0.4 * mass * radius * radius));
        Self { inverse_inertia, radius, ..Self::cuboid(Vec3::ONE, mass, position) }
    }

    pub fn inverse_inertia_world(&self) -> Mat3 {
        rotated_diagonal(self.inverse_inertia, self.orientation)
    }

    pub fn momentum(&self) -> Vec3 {
        self.velocity / self.inverse_mass
    }

    /// Angular momentum about the origin.
    pub fn angular_momentum(&self) -> Vec3 {
        let own = rotated_diagonal(self.inverse_inertia.recip(), self.orientation) * self.spin;
        own + self.position.cross(self.momentum())
    }

    pub fn kinetic_energy(&self) -> Real {
        let own = rotated_diagonal(self.inverse_inertia.recip(), self.orientation) * self.spin;
        0.5 * (self.velocity.dot(self.momentum()) + self.spin.dot(own))
    }
}

/// Form of the contact between two bodies.
#[derive(Clone, Debug)]
pub enum Touch {
    /// Points of the second body on a plane of the first, all in body axes.
    Plane { normal: Vec3, offset: Real, corners: Vec<Vec3> },
    /// A ball, the second body, on a plane of the first.
    BallOnPlane { normal: Vec3, offset: Real, radius: Real },
    /// Two balls.
    Balls { radii: [Real; 2] },
}

/// A pair that can touch.
#[derive(Clone, Debug)]
pub struct Pair {
    pub a: usize,
    pub b: usize,
    pub touch: Touch,
    pub surface: Surface,
}

/// The world: body 0 is fixed.
#[derive(Clone)]
pub struct World {
    pub bodies: Vec<Rigid>,
    pub pairs: Vec<Pair>,
    pub pool: Vec<Manifold>,
    pub contacts: Vec<ContactRef>,
    pub solver: Solver,
    pub parameters: Parameters,
    pub gravity: Vec3,
    /// Measures a pair anew only once it has moved by a centimetre, and lets the solver carry
    /// separations on until then.
    pub keep: bool,
    revisions: Vec<Kept>,
}

/// When a pair was last measured.
#[derive(Clone, Copy, Default)]
struct Kept {
    revision: u32,
    /// Former centre of the second body in the first body's axes, and its rotation.
    place: Vec3,
    turn: Quat,
}

/// Friction alike at rest and in motion.
pub fn friction(mu: Real) -> Surface {
    Surface { static_friction: mu, dynamic_friction: mu, rolling_friction: 0.0 }
}

impl World {
    pub fn new() -> Self {
        let fixed = Rigid::cuboid(Vec3::ONE, 0.0, Vec3::ZERO);
        Self {
            bodies: vec![fixed],
            pairs: Vec::new(),
            pool: Vec::new(),
            contacts: Vec::new(),
            solver: Solver::default(),
            parameters: Parameters::new(1.0 / 60.0),
            gravity: Vec3::new(0.0, -9.81, 0.0),
            keep: false,
            revisions: Vec::new(),
        }
    }

    pub fn add(&mut self, body: Rigid) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    pub fn pair(&mut self, a: usize, b: usize, touch: Touch, surface: Surface) {
        self.pairs.push(Pair { a, b, touch, surface });
        self.pool.push(Manifold::default());
        self.revisions.push(Kept::default());
    }

    /// Lets the box `upper` stand on the top of the box `lower`, touching in the rectangle between
    /// two corners in world x and z, at the height `y`. Both must be upright.
    pub fn stack(&mut self, lower: usize, upper: usize, low: [Real; 2], high: [Real; 2], y: Real, surface: Surface) {
        let place = self.bodies[upper].position;
        let corners = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]]
            .map(|[x, z]| Vec3::new(x, y, z) - place)
            .to_vec();
        let offset = y - self.bodies[lower].position.y;
        self.pair(lower, upper, Touch::Plane { normal: Vec3::Y, offset, corners }, surface);
    }

    /// Measures all pairs, and lists those near enough, by island.
    pub fn collide(&mut self) {
        let (bodies, pool) = (&self.bodies, &mut self.pool);
        let mut root: Vec<usize> = (0..bodies.len()).collect();
        fn find(root: &[usize], mut k: usize) -> usize {
            while root[k] != k {
                k = root[k];
            }
            k
        }
        let mut near = Vec::new();
        for (k, pair) in self.pairs.iter().enumerate() {
            let (a, b) = (&bodies[pair.a], &bodies[pair.b]);
            let manifold = &mut pool[k];
            let to_a = a.orientation.conjugate();
            let to_b = b.orientation.conjugate();
            let kept = &mut self.revisions[k];
            let now = Kept {
                revision: kept.revision + 1,
                place: to_a * (b.position - a.position),
                turn: to_a * b.orientation,
            };
            let reach = b.radius.max(if pair.a == 0 { 0.0 } else { a.radius });
            let moved = (now.place - kept.place).length() + now.turn.angle_between(kept.turn) * reach;
            let measure = !self.keep || kept.revision == 0 || moved > 0.01;
            if measure {
                *kept = now;
            }
            let place = |manifold: &mut Manifold, i: usize, at_b: Vec3, separation: Real| {
                let n = manifold.normal;
                let p = &mut manifold.points[i];
                *p = ManifoldPoint {
                    anchor_a: to_a * (at_b - n * separation - a.position),
                    anchor_b: to_b * (at_b - b.position),
                    separation,
                    feature: i as u32,
                    ..*p
                };
            };
            match &pair.touch {
                _ if !measure => {}
                Touch::Plane { normal, offset, corners } => {
                    manifold.normal = a.orientation * *normal;
                    manifold.count = corners.len() as u32;
                    let on_plane = a.position + manifold.normal * *offset;
                    for (i, &corner) in corners.iter().enumerate() {
                        let at = b.position + b.orientation * corner;
                        place(manifold, i, at, manifold.normal.dot(at - on_plane));
                    }
                }
                Touch::BallOnPlane { normal, offset, radius } => {
                    manifold.normal = a.orientation * *normal;
                    manifold.count = 1;
                    let on_plane = a.position + manifold.normal * *offset;
                    let at = b.position - manifold.normal * *radius;
                    place(manifold, 0, at, manifold.normal.dot(at - on_plane));
                }
                Touch::Balls { radii } => {
                    let d = b.position - a.position;
                    manifold.normal = d.normalize();
                    manifold.count = 1;
                    place(manifold, 0, b.position - manifold.normal * radii[1], d.length() - radii[0] - radii[1]);
                }
            }
            let nearest = manifold.points().iter().fold(Real::INFINITY, |s, p| s.min(p.separation));
            let approach = (b.velocity - a.velocity).length() * self.parameters.dt;
            if nearest < MARGIN + approach {
                near.push(k);
                if a.inverse_mass > 0.0 && b.inverse_mass > 0.0 {
                    let (ra, rb) = (find(&root, pair.a), find(&root, pair.b));
                    root[ra.max(rb)] = ra.min(rb);
                }
            } else {
                *manifold = Manifold::default();
                self.revisions[k].revision = 0;
            }
        }
        self.contacts.clear();
        for k in near {
            let pair = &self.pairs[k];
            let anchor = if bodies[pair.b].inverse_mass > 0.0 { pair.b } else { pair.a };
            self.contacts.push(ContactRef {
                a: pair.a as u32,
                b: pair.b as u32,
                manifold: k as u32,
                island: find(&root, anchor) as u32,
                revision: if self.keep { self.revisions[k].revision } else { 0 },
                surface: pair.surface,
                surface_velocity: Vec3::ZERO,
                extrapolated: false,
            });
        }
        self.contacts.sort_by_key(|c| (c.island, c.manifold));
    }

    /// Hands the bodies to the solver.
    pub fn fill(&mut self) {
        let gravity = self.gravity;
        self.solver.bodies.clear();
        self.solver.bodies.extend(self.bodies.iter().enumerate().map(|(k, body)| {
            if k == 0 {
                return SolverBody::FIXED;
            }
            let m = body.inverse_inertia_world();
            SolverBody {
                position: body.position,
                orientation: body.orientation,
                linear_velocity: body.velocity,
                angular_velocity: body.spin,
                inverse_mass: body.inverse_mass,
                locked: [false; 3],
                inverse_inertia: [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z],
                linear_acceleration: body.acceleration + if body.inverse_mass > 0.0 { gravity } else { Vec3::ZERO },
                angular_acceleration: Vec3::ZERO,
                radius: body.radius,
            }
        }));
    }

    /// Moves the bodies as the solver says.
    pub fn integrate(&mut self) {
        for (body, motion) in self.bodies.iter_mut().zip(self.solver.motions()).skip(1) {
            body.position += motion.displacement;
            body.orientation = (Quat::from_scaled_axis(motion.rotation) * body.orientation).normalize();
            body.velocity = motion.linear_velocity;
            body.spin = motion.angular_velocity;
        }
    }

    pub fn step(&mut self) {
        self.collide();
        self.fill();
        self.solver.step(&self.parameters, &self.contacts, &mut self.pool);
        self.integrate();
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    /// Kinetic energy of what can move (J).
    pub fn kinetic_energy(&self) -> Real {
        self.bodies.iter().filter(|b| b.inverse_mass > 0.0).map(Rigid::kinetic_energy).sum()
    }

    /// The greatest residual acceleration of a body in the last step (m/s²).
    pub fn residual(&self) -> Real {
        self.solver.motions().iter().fold(0.0, |most, m| most.max(m.residual))
    }

    /// Every bit of the state, for comparisons.
    pub fn bits(&self) -> Vec<u64> {
        let mut out = Vec::new();
        let mut push = |v: Vec3| out.extend(v.to_array().map(bits));
        for body in &self.bodies {
            push(body.position);
            push(body.velocity);
            push(body.spin);
            push(Vec3::new(body.orientation.x, body.orientation.y, body.orientation.z));
        }
        for manifold in &self.pool {
            push(manifold.friction_impulse);
            push(manifold.rolling_impulse);
            for p in &manifold.points {
                push(Vec3::new(p.normal_impulse, p.separation, manifold.twist_impulse));
            }
        }
        out
    }
}

#[cfg(not(feature = "f64"))]
fn bits(x: Real) -> u64 {
    u64::from(x.to_bits())
}
#[cfg(feature = "f64")]
fn bits(x: Real) -> u64 {
    x.to_bits()
}
