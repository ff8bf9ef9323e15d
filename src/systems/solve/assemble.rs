//! Assembly of an island for the direct solver: bodies and contacts in `f64`, with the biases of
//! the contacts.

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::{Geometry, meets_tangent_plane};
use crate::contact::{Contact, ContactGraph, MAX_POINTS, Manifold, Pair, Status};
use crate::ids::NONE;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{DMat3, DQuat, DVec3, Real, Vec3, quat_to_f64, to_f64};
use crate::motion;
use crate::resting::patch_wrench::{Friction, distribute};
use crate::resting::{self, Body, NormalCarrier, WORLD};
use crate::settings::Settings;
use crate::state::State;
use crate::systems::fast_bodies::is_spinning;
use crate::tolerances::{EFFECTIVE_MASS, IMPACTS, SLOW_ROTATION};

/// Rotation in a step (rad) beyond which surfaces that meet are others at its start and at its end.
pub(super) const QUARTER_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// Data that the direct solver reads.
pub(super) struct SolveContext<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub graph: &'a ContactGraph,
    pub joints: &'a Joints,
    pub islands: &'a Islands,
    /// Index of each slot in its island.
    pub index: &'a [u32],
    pub settings: &'a Settings,
    pub dt: Real,
    /// Number of the step.
    pub step: u32,
    /// Factor from the impulses of the last step to those of this one: the ratio of the lengths.
    pub impulse_scale: f64,
}

/// Centre of mass (m) and orientation of a body.
#[derive(Clone, Copy)]
pub(super) struct BodyPose {
    pub center: DVec3,
    pub orientation: DQuat,
}

/// One side of a contact.
struct ContactSide {
    /// Index of its body in the island, or [`WORLD`].
    number: u32,
    pose: BodyPose,
    /// Velocities at the step's start.
    velocity: DVec3,
    angular_velocity: DVec3,
}

/// Separations of the contact points of an island (m).
#[derive(Default)]
pub(super) struct Separations {
    /// For forces: contacts that are left to continuous collision detection are out of reach.
    pub forces: Vec<f64>,
    /// The overlaps of those contacts, as negative numbers; else 0.
    pub overlaps: Vec<f64>,
}

impl SolveContext<'_> {
    /// The bodies of an island, in order of slots.
    pub fn bodies(&self, island: &Island, out: &mut Vec<Body>) {
        out.clear();
        let members = &self.islands.bodies[island.body_range()];
        out.extend(members.iter().map(|&slot| body(self.bodies, slot as usize, self.dt)));
    }

    /// The contact points of an island, in order of contacts, with their separations and the impulses of
    /// the last step.
    pub fn contacts(&self, island: &Island, out: &mut Vec<resting::Contact>, gaps: &mut Separations) {
        let contacts = &self.graph.contacts[island.contact_range()];
        let points = contacts.iter().map(|c| self.graph.manifolds[c.manifold as usize].points().len()).sum();
        out.clear();
        out.reserve(points);
        for list in [&mut gaps.forces, &mut gaps.overlaps] {
            list.clear();
            list.reserve(points);
        }
        for c in contacts {
            self.patch(c, &self.graph.manifolds[c.manifold as usize], out, gaps);
        }
    }

    fn patch(&self, c: &Contact, manifold: &Manifold, out: &mut Vec<resting::Contact>, gaps: &mut Separations) {
        let record = &self.graph.records[c.record as usize];
        let (material, pair) = (&record.material, self.graph.pairs[c.pair as usize]);
        let runs = to_f64(record.surface_velocity);
        let status = self.graph.status[c.pair as usize];
        let keeps_normal = !status.has(Status::COMPOSITE) && !status.has(Status::SOURCE);
        let normal = match [pair.a, pair.b].map(|collider| self.ball(collider).is_some()) {
            // A persistent normal turns with the first body. Against a ball it is that of the other
            // body. Sources and composites keep none.
            [true, false] if keeps_normal => {
                let relative = &self.graph.caches[c.pair as usize].relative;
                let in_b = quat_to_f64(relative.rotation).inverse() * to_f64(record.local_normal);
                quat_to_f64(self.bodies.orientation[c.b as usize]) * in_b
            }
            _ => to_f64(manifold.normal),
        }
        .normalize();
        let count = manifold.points().len();
        let first = out.len();
        let (mut points, mut pressing, mut impulses) =
            ([DVec3::ZERO; MAX_POINTS], [0.0; MAX_POINTS], [DVec3::ZERO; MAX_POINTS]);
        let (a, b) = (self.side(c.a as usize), self.side(c.b as usize));
        let normal = self.along_free_axes(normal, [(&a, c.a), (&b, c.b)]);
        let left_to_ccd = self.is_left_to_ccd(c, status);
        let beyond = if left_to_ccd { self.reach(c.a) + self.reach(c.b) } else { f64::MIN };
        for (k, p) in manifold.points().iter().enumerate() {
            let anchors = [p.anchor_a, p.anchor_b];
            let point = self.touch_point(&pair, [&a.pose, &b.pose], [a.number, b.number], anchors, normal);
            let moves = |side: &ContactSide| side.velocity + side.angular_velocity.cross(point - side.pose.center);
            let drives = |side: &ContactSide| {
                if side.number == WORLD { self.platform_velocity(side, point, normal) } else { DVec3::ZERO }
            };
            (points[k], pressing[k]) = (point, f64::from(p.normal_impulse) * self.impulse_scale);
            out.push(resting::Contact {
                first: a.number,
                second: b.number,
                point,
                normal,
                static_friction: f64::from(material.static_friction),
                dynamic_friction: f64::from(material.dynamic_friction),
                sticking: !manifold.sliding,
                // Opening speed at the step's start; `set_biases` turns it into the bias.
                bias: (moves(&b) - moves(&a)).dot(normal),
                surface_velocity: drives(&b) - drives(&a) + (runs - normal * normal.dot(runs)),
                impulse: DVec3::ZERO,
                carrier: NormalCarrier::FirstFace,
            });
            let rounding = f64::from(Real::EPSILON)
                * 2.0
                * (a.pose.center.abs().max_element() + b.pose.center.abs().max_element());
            let closed = f64::from(IMPACTS.resolution * self.settings.length_unit) + rounding;
            let gap = f64::from(p.separation).max(beyond);
            gaps.forces.push(if gap.abs() <= closed { 0.0 } else { gap });
            gaps.overlaps.push(if left_to_ccd { f64::from(p.separation.min(0.0)) } else { 0.0 });
        }
        let friction = Friction {
            force: to_f64(manifold.friction_impulse) * self.impulse_scale,
            twist: f64::from(manifold.twist_impulse) * self.impulse_scale,
        };
        distribute(normal, &points[..count], &pressing[..count], friction, &mut impulses[..count]);
        for (contact, j) in out[first..].iter_mut().zip(impulses) {
            contact.impulse = j;
        }
    }

    /// True if continuous collision detection looks for a contact instead: one with an immovable body
    /// of a body that was struck in this step, and now turns by more than a quarter of a turn in it.
    /// Its points and normal are no longer those of the step's start, and impulses there would
    /// multiply its energy. Overlaps are kept from growing: detection finds no time at which they
    /// began.
    fn is_left_to_ccd(&self, c: &Contact, status: Status) -> bool {
        let immovable = |slot: u32| self.bodies.kind[slot as usize] != Kind::Dynamic;
        let leaves = |slot: u32| {
            let (bodies, slot) = (self.bodies, slot as usize);
            !bodies.jointed[slot]
                && f64::from(bodies.angular_velocity[slot].length() * self.dt) > QUARTER_TURN
                && is_spinning(bodies, slot, self.dt)
        };
        !status.has(Status::SOURCE) && (immovable(c.a) && leaves(c.b) || immovable(c.b) && leaves(c.a))
    }

    /// Bound on the distance (m) that points of a body move in the step.
    fn reach(&self, slot: u32) -> f64 {
        let (bodies, slot) = (self.bodies, slot as usize);
        let speed =
            bodies.linear_velocity[slot].length() + bodies.angular_velocity[slot].length() * bodies.radius[slot];
        f64::from((speed + bodies.free_acceleration(slot).length() * self.dt) * self.dt)
    }

    /// Removes the components of a normal along the free axes if they are only rounding. Otherwise
    /// a separation that only locked axes could close would throw a body off along the floor.
    fn along_free_axes(&self, normal: DVec3, sides: [(&ContactSide, u32); 2]) -> DVec3 {
        let mut free = DVec3::ZERO;
        for (side, slot) in sides {
            if side.number != WORLD {
                free = free.max(to_f64(self.bodies.free_axes(slot as usize)));
            }
        }
        if (normal * free).length() < f64::from(EFFECTIVE_MASS.locked_direction) {
            (normal * (DVec3::ONE - free)).normalize()
        } else {
            normal
        }
    }

    /// Velocity of the surface of a body outside the island, at the place of `point` at the step's
    /// end after the body's rotation about the normal: a turntable carries bodies along an arc.
    /// Rotation about other axes brings other points under the contact.
    fn platform_velocity(&self, side: &ContactSide, point: DVec3, normal: DVec3) -> DVec3 {
        let turned = DQuat::from_axis_angle(normal, side.angular_velocity.dot(normal) * f64::from(self.dt));
        side.velocity + side.angular_velocity.cross(turned * (point - side.pose.center))
    }

    /// Contact point of two bodies at these poses, from anchors on their surfaces (relative to the
    /// centres, in body axes): on the surface of the moving body; the mean if both move.
    pub fn touch_point(
        &self,
        pair: &Pair,
        poses: [&BodyPose; 2],
        numbers: [u32; 2],
        anchors: [Vec3; 2],
        normal: DVec3,
    ) -> DVec3 {
        let balls = [self.touch_ball(pair.a, poses[0], normal), self.touch_ball(pair.b, poses[1], -normal)];
        let surface = |side: usize| poses[side].center + poses[side].orientation * to_f64(anchors[side]);
        let on_plane = || {
            let shapes = [pair.a, pair.b].map(|collider| self.colliders.geometry[collider as usize].as_ref());
            matches!(shapes, [Some(a), Some(b)] if meets_tangent_plane(a, b))
        };
        let [on_a, on_b] = match balls {
            [Some(on_a), Some(on_b)] => [on_a, on_b],
            // What meets a ball's tangent plane touches it beside the ball's support point.
            [Some(_), None] if on_plane() => [surface(1); 2],
            [None, Some(_)] if on_plane() => [surface(0); 2],
            [Some(one), None] | [None, Some(one)] => [one, one],
            [None, None] => [surface(0), surface(1)],
        };
        match numbers {
            [WORLD, _] => on_b,
            [_, WORLD] => on_a,
            _ => 0.5 * (on_a + on_b),
        }
    }

    /// Support point of a ball along `normal`, if the collider is one. The anchor of a persistent
    /// manifold turns with the ball, and would move along the normal as the ball rolls.
    fn touch_ball(&self, collider: u32, pose: &BodyPose, normal: DVec3) -> Option<DVec3> {
        let radius = self.ball(collider)?;
        Some(pose.center + pose.orientation * to_f64(self.anchor(collider, Vec3::ZERO)) + normal * radius)
    }

    /// A point of a collider relative to its body's centre of mass, in body axes.
    pub fn anchor(&self, collider: u32, point: Vec3) -> Vec3 {
        let slot = self.colliders.body[collider as usize] as usize;
        self.colliders.local[collider as usize].transform_point(point) - self.bodies.local_center[slot]
    }

    /// Centre of the second body of a contact relative to that of the first, in the axes of the
    /// first, when the pair was last collided (m).
    pub fn relative_center(&self, c: &Contact) -> DVec3 {
        let relative = &self.graph.caches[c.pair as usize].relative;
        let [a, b] = [c.a, c.b].map(|slot| self.bodies.local_center[slot as usize]);
        to_f64(relative.transform_point(b)) - to_f64(a)
    }

    /// The radius of a ball (m), if the collider is one.
    fn ball(&self, collider: u32) -> Option<f64> {
        match self.colliders.geometry[collider as usize] {
            Some(Geometry::Ball { radius }) => Some(f64::from(radius)),
            _ => None,
        }
    }

    /// Pose of a body at the step's start.
    pub fn pose(&self, slot: usize) -> BodyPose {
        BodyPose { center: center(self.bodies, slot), orientation: quat_to_f64(self.bodies.orientation[slot]) }
    }

    fn side(&self, slot: usize) -> ContactSide {
        let bodies = self.bodies;
        let moving = bodies.is_moving(slot);
        let of = |v: Vec3| if moving { to_f64(v) } else { DVec3::ZERO };
        ContactSide {
            number: if bodies.is_active(slot) { self.index[slot] } else { WORLD },
            pose: self.pose(slot),
            velocity: of(bodies.linear_velocity[slot]),
            angular_velocity: of(bodies.angular_velocity[slot]),
        }
    }
}

/// An island as the direct solver sees it.
pub(crate) struct AssembledIsland {
    /// The slots of its bodies, in order.
    pub slots: Vec<u32>,
    pub bodies: Vec<Body>,
    pub contacts: Vec<resting::Contact>,
    /// The slots of each contact's colliders.
    pub colliders: Vec<[u32; 2]>,
    /// Separation of each contact (m).
    pub gaps: Vec<f64>,
}

/// Assembles the island of a body, or the body alone if it is in none.
pub(crate) fn assemble(state: &State, slot: u32) -> AssembledIsland {
    let State { bodies, colliders, contacts: graph, islands, joints, settings, dt, .. } = state;
    let number = islands.island_of.get(slot as usize).filter(|&&island| island != NONE);
    let island = number.map_or(Island::default(), |&island| islands.islands[island as usize]);
    let slots = if number.is_some() { islands.bodies[island.body_range()].to_vec() } else { vec![slot] };
    let mut index = vec![0; bodies.slots()];
    for (k, &slot) in slots.iter().enumerate() {
        index[slot as usize] = k as u32;
    }
    let context = SolveContext {
        bodies,
        colliders,
        graph,
        joints,
        islands,
        index: &index,
        settings,
        dt: *dt,
        step: 0,
        impulse_scale: 1.0,
    };
    let (mut contacts, mut gaps) = (Vec::new(), Separations::default());
    context.contacts(&island, &mut contacts, &mut gaps);
    let pairs = graph.contacts[island.contact_range()].iter().flat_map(|c| {
        let pair = graph.pairs[c.pair as usize];
        std::iter::repeat_n([pair.a, pair.b], graph.manifolds[c.manifold as usize].count as usize)
    });
    let colliders = pairs.collect();
    let members = slots.iter().map(|&slot| body(bodies, slot as usize, *dt)).collect();
    AssembledIsland { slots, bodies: members, contacts, colliders, gaps: gaps.forces }
}

/// Trajectory of the bodies over the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trajectory {
    /// Constant forces: mean of the velocities before and after.
    Parabola,
    /// The final velocities for the whole step: surfaces that meet within it stop each other.
    Straight,
}

/// Replaces the opening speeds of the contacts by biases that keep the separations from being
/// negative at the step's end.
///
/// On a parabola the separation at the end is `gap + h (u0 + u1) / 2`, so `u1 + u0 + 2 gap / h >=
/// 0`; on a straight trajectory `u1 + gap / h >= 0`. The parabola is taken unless some surfaces
/// would meet by more than `meeting` (m), which would throw them back. A closed contact that opens
/// slower than `hop` (m/s) gets no term for it: such a hop lands within the step.
pub(super) fn set_biases(
    contacts: &mut [resting::Contact],
    gaps: &[f64],
    h: f64,
    meeting: f64,
    hop: f64,
) -> Trajectory {
    let meets = contacts.iter().zip(gaps).any(|(c, gap)| c.bias * h + gap.max(0.0) < -meeting);
    for (c, gap) in contacts.iter_mut().zip(gaps) {
        let (opens, closes_at) = (c.bias, gap.max(0.0) / h);
        let further = if *gap > 0.0 || opens > hop { (closes_at + opens).max(0.0) } else { 0.0 };
        c.bias = closes_at + if meets { 0.0 } else { further };
    }
    if meets { Trajectory::Straight } else { Trajectory::Parabola }
}

/// Centre of mass with its rounding remainder.
fn center(bodies: &Bodies, slot: usize) -> DVec3 {
    to_f64(bodies.center[slot]) + to_f64(bodies.center_compensation[slot])
}

fn body(bodies: &Bodies, slot: usize, dt: Real) -> Body {
    let (principal_axes, inverse_inertia) = if bodies.is_rotation_locked(slot) {
        locked_inertia(bodies, slot)
    } else {
        let orientation = quat_to_f64(bodies.orientation[slot]);
        let turn = if bodies.turned[slot] { to_f64(bodies.rotation[slot]) } else { DVec3::ZERO };
        let axes = DMat3::from_quat(DQuat::from_scaled_axis(turn) * orientation * quat_to_f64(bodies.frame[slot]));
        (axes, to_f64(bodies.principal[slot]).recip())
    };
    Body {
        position: center(bodies, slot),
        inverse_mass: to_f64(bodies.inverse_mass[slot]),
        inverse_inertia,
        principal_axes,
        velocity: to_f64(bodies.linear_velocity[slot]),
        angular_velocity: to_f64(bodies.angular_velocity[slot]),
        acceleration: to_f64(bodies.acceleration[slot]),
        angular_acceleration: to_f64(mean_angular_acceleration(bodies, slot, dt)),
    }
}

/// Principal axes and values of the inverse inertia of a body with locked rotations: a block of one
/// or two world axes, and zero along the others.
fn locked_inertia(bodies: &Bodies, slot: usize) -> (DMat3, DVec3) {
    let m = &bodies.inverse_inertia[slot];
    let columns = [m.x_axis, m.y_axis, m.z_axis].map(to_f64);
    let locked = bodies.inputs[slot].locked.unwrap_or_default().rotations();
    // Rotates the two axes after a locked one into the principal axes of their block. If one of
    // them is locked too, the block is diagonal already.
    let i = locked.iter().position(|l| *l).unwrap_or(0);
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let angle = 0.5 * libm::atan2(2.0 * columns[j][k], columns[j][j] - columns[k][k]);
    let (sin, cos) = libm::sincos(angle);
    let (ej, ek) = (DVec3::AXES[j], DVec3::AXES[k]);
    let (p, q) = (ej * cos + ek * sin, ek * cos - ej * sin);
    let along = |d: DVec3| (columns[0] * d.x + columns[1] * d.y + columns[2] * d.z).dot(d).max(0.0);
    let values = [0.0, along(p), along(q)];
    (DMat3::from_cols(DVec3::AXES[i], p, q), DVec3::from_array(values))
}

/// Mean angular acceleration of free motion over the step, from the torque and the gyroscopic term.
pub(super) fn mean_angular_acceleration(bodies: &Bodies, slot: usize, dt: Real) -> Vec3 {
    let (torque, velocity) = (bodies.torque[slot], bodies.angular_velocity[slot]);
    if torque == Vec3::ZERO && velocity == Vec3::ZERO {
        return Vec3::ZERO;
    }
    let principal = bodies.principal[slot];
    let isotropic = principal.x == principal.y && principal.y == principal.z;
    if isotropic || bodies.is_rotation_locked(slot) {
        return bodies.inverse_inertia[slot] * torque;
    }
    if velocity.length() * dt <= SLOW_ROTATION {
        // At small rotations the gyroscopic term is constant over the step: Euler's equations at
        // its start.
        let axes = bodies.orientation[slot] * bodies.frame[slot];
        let (omega, torque) = (axes.inverse() * velocity, axes.inverse() * torque);
        return axes * ((torque - omega.cross(principal * omega)) / principal);
    }
    let inertia = motion::rotation::PrincipalInertia::new(principal, bodies.frame[slot]);
    let before = motion::rotation::RotationState::new(bodies.orientation[slot], velocity);
    let after = motion::rotation::rotate(motion::rotation::RotationLaw::Strang, before, &inertia, torque, dt);
    (after.velocity - velocity) / dt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Collider, ExternalTorque};
    use crate::physics::Physics;
    use crate::{components, math::Quat};
    use hecs::World;

    #[test]
    fn both_formulas_of_the_angular_acceleration_agree_at_their_bound() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let omega = Vec3::new(0.3, -0.2, 0.5);
        let turned = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1);
        let brick =
            components::Body::dynamic(Collider::cuboid(0.2, 0.5, 0.9)).angular_velocity(omega).orientation(turned);
        let entity = world.spawn(brick);
        world.insert_one(entity, ExternalTorque(Vec3::new(20.0, -30.0, 5.0))).unwrap();
        physics.step(&mut world, 1e-3).unwrap();
        let bodies = &physics.state().bodies;
        // Either side of the bound.
        let dt = SLOW_ROTATION / bodies.angular_velocity[0].length();
        let [slow, fast] = [0.999, 1.001].map(|part| mean_angular_acceleration(bodies, 0, part * dt));
        assert!(slow.length() > 0.05, "{slow}");
        // The integrator gives a difference of velocities, with their rounding.
        let rounding = 8.0 * Real::EPSILON * omega.length() / dt;
        assert!((slow - fast).length() < SLOW_ROTATION * slow.length() + rounding, "{slow} {fast}");
    }
}
