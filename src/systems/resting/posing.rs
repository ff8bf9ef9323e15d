//! An island as the exact laws see it: bodies and contacts in `f64`, with what the step asks of each contact.

use crate::bodies::Bodies;
use crate::contact::{Contact, ContactGraph, MAX_POINTS, Manifold};
use crate::islands::{Island, Islands};
use crate::math::{DMat3, DQuat, DVec3, Quat, Real, Vec3, to_f64};
use crate::motion;
use crate::resting::patch::{Friction, share};
use crate::resting::{self, Body, NormalCarrier, WORLD};
use crate::settings::Settings;
use crate::tolerances::IMPACT_TOUCH;

/// What the islands read.
pub(super) struct Context<'a> {
    pub bodies: &'a Bodies,
    pub graph: &'a ContactGraph,
    pub islands: &'a Islands,
    /// The place of each slot in its island.
    pub place: &'a [u32],
    pub settings: &'a Settings,
    pub dt: Real,
    /// From the impulses of the last step to those of this one.
    pub scale: f64,
}

/// One side of a contact.
struct Side {
    /// Its number in the island, or [`WORLD`].
    number: u32,
    center: DVec3,
    /// The point of its surface, in the world.
    surface: DVec3,
    /// Velocities at the step's start.
    velocity: DVec3,
    spin: DVec3,
}

impl Context<'_> {
    /// The bodies of an island, in order of slots.
    pub fn bodies(&self, island: &Island, out: &mut Vec<Body>) {
        out.clear();
        let members = &self.islands.bodies[island.body_range()];
        out.extend(members.iter().map(|&slot| body(self.bodies, slot as usize, self.dt)));
    }

    /// The contact points of an island, in order of contacts, each with its gap (m). Impulses are those of the last step.
    pub fn contacts(&self, island: &Island, out: &mut Vec<resting::Contact>, gaps: &mut Vec<f64>) {
        out.clear();
        gaps.clear();
        for c in &self.graph.contacts[island.contact_range()] {
            self.patch(c, &self.graph.manifolds[c.manifold as usize], out, gaps);
        }
    }

    fn patch(&self, c: &Contact, manifold: &Manifold, out: &mut Vec<resting::Contact>, gaps: &mut Vec<f64>) {
        let record = &self.graph.records[c.pair as usize];
        let material = &record.material;
        let runs = to_f64(record.surface_velocity);
        let normal = to_f64(manifold.normal).normalize();
        let count = manifold.points().len();
        let first = out.len();
        let (mut points, mut pressing, mut impulses) =
            ([DVec3::ZERO; MAX_POINTS], [0.0; MAX_POINTS], [DVec3::ZERO; MAX_POINTS]);
        for (k, p) in manifold.points().iter().enumerate() {
            let (a, b) = (self.side(c.a as usize, p.anchor_a), self.side(c.b as usize, p.anchor_b));
            // On the surface of what rolls; where both do, half way between them.
            let point = match (a.number, b.number) {
                (WORLD, _) => b.surface,
                (_, WORLD) => a.surface,
                _ => 0.5 * (a.surface + b.surface),
            };
            let moves = |side: &Side| side.velocity + side.spin.cross(point - side.center);
            let drives = |side: &Side| if side.number == WORLD { moves(side) } else { DVec3::ZERO };
            (points[k], pressing[k]) = (point, f64::from(p.normal_impulse) * self.scale);
            out.push(resting::Contact {
                first: a.number,
                second: b.number,
                point,
                normal,
                static_friction: f64::from(material.static_friction),
                dynamic_friction: f64::from(material.dynamic_friction),
                sticking: !manifold.sliding,
                // The speed at which the gap opens at the step's start; `bias` makes of it what the contact asks for.
                bias: (moves(&b) - moves(&a)).dot(normal),
                surface_velocity: drives(&b) - drives(&a) + (runs - normal * normal.dot(runs)),
                impulse: DVec3::ZERO,
                carrier: NormalCarrier::FirstFace,
            });
            let rounding =
                f64::from(Real::EPSILON) * 2.0 * (a.center.abs().max_element() + b.center.abs().max_element());
            let closed = f64::from(IMPACT_TOUCH * self.settings.length_unit) + rounding;
            let gap = f64::from(p.separation);
            gaps.push(if gap.abs() <= closed { 0.0 } else { gap });
        }
        let friction = Friction {
            force: to_f64(manifold.friction_impulse) * self.scale,
            twist: f64::from(manifold.twist_impulse) * self.scale,
        };
        share(normal, &points[..count], &pressing[..count], friction, &mut impulses[..count]);
        for (contact, j) in out[first..].iter_mut().zip(impulses) {
            contact.impulse = j;
        }
    }

    fn side(&self, slot: usize, anchor: Vec3) -> Side {
        let bodies = self.bodies;
        let center = center(bodies, slot);
        let moving = bodies.is_moving(slot);
        let of = |v: Vec3| if moving { to_f64(v) } else { DVec3::ZERO };
        Side {
            number: if bodies.is_active(slot) { self.place[slot] } else { WORLD },
            center,
            surface: center + quat(bodies.orientation[slot]) * to_f64(anchor),
            velocity: of(bodies.linear_velocity[slot]),
            spin: of(bodies.angular_velocity[slot]),
        }
    }
}

/// The path of the bodies over the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// That of constant forces: the mean of the velocities before and after.
    Parabola,
    /// With the velocities after the step from its start on: surfaces meet within it, and stop each other where they do.
    Straight,
}

/// Replaces the opening speeds of the contacts by what each asks for: that its gap be not negative at the step's end.
///
/// On a parabola the gap at the end is `gap + h (u0 + u1) / 2`, so that `u1 + u0 + 2 gap / h >= 0`; on a straight path
/// `u1 + gap / h >= 0`. The parabola is taken unless some surfaces meet faster than it could stop them without throwing them
/// back. What closes now opens no further than a contact at rest may (`hop`, m/s): a real hop lands within the step.
pub(super) fn ask(contacts: &mut [resting::Contact], gaps: &[f64], h: f64, meeting: f64, hop: f64) -> Path {
    let meets = contacts.iter().zip(gaps).any(|(c, gap)| c.bias * h + gap.max(0.0) < -meeting);
    for (c, gap) in contacts.iter_mut().zip(gaps) {
        let (opens, closes_at) = (c.bias, gap.max(0.0) / h);
        let further = if *gap > 0.0 || opens > hop { (closes_at + opens).max(0.0) } else { 0.0 };
        c.bias = closes_at + if meets { 0.0 } else { further };
    }
    if meets { Path::Straight } else { Path::Parabola }
}

fn quat(q: Quat) -> DQuat {
    DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize()
}

/// The centre of mass with what rounding has left of it.
fn center(bodies: &Bodies, slot: usize) -> DVec3 {
    to_f64(bodies.center[slot]) + to_f64(bodies.rests[slot].center)
}

fn body(bodies: &Bodies, slot: usize, dt: Real) -> Body {
    let (principal_axes, inverse_inertia) = if bodies.is_rotation_locked(slot) {
        locked_inertia(bodies, slot)
    } else {
        let axes = DMat3::from_quat(quat(bodies.orientation[slot]) * quat(bodies.frame[slot]));
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

/// The axes of the inverse inertia that the locks of a body leave, and its values along them: a block of one or two of the
/// world's axes, and zero along the others.
fn locked_inertia(bodies: &Bodies, slot: usize) -> (DMat3, DVec3) {
    let m = &bodies.inverse_inertia[slot];
    let columns = [m.x_axis, m.y_axis, m.z_axis].map(to_f64);
    let locked = bodies.inputs[slot].locked.unwrap_or_default().rotations();
    // Turn the two axes after a locked one into the principal axes of their block; where one of them is locked too, or
    // all are, the block is diagonal already.
    let i = locked.iter().position(|l| *l).unwrap_or(0);
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let angle = 0.5 * (2.0 * columns[j][k]).atan2(columns[j][j] - columns[k][k]);
    let (sin, cos) = angle.sin_cos();
    let (ej, ek) = (DVec3::AXES[j], DVec3::AXES[k]);
    let (p, q) = (ej * cos + ek * sin, ek * cos - ej * sin);
    let along = |d: DVec3| (columns[0] * d.x + columns[1] * d.y + columns[2] * d.z).dot(d).max(0.0);
    let values = [0.0, along(p), along(q)];
    (DMat3::from_cols(DVec3::AXES[i], p, q), DVec3::from_array(values))
}

/// The mean angular acceleration of free motion over the step: torque and the gyroscopic term together.
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
    let inertia = motion::rotation::PrincipalInertia::new(principal, bodies.frame[slot]);
    let spin = motion::rotation::Spin::new(bodies.orientation[slot], velocity);
    let after = motion::rotation::rotate(motion::rotation::RotationLaw::Strang, spin, &inertia, torque, dt);
    (after.velocity - velocity) / dt
}
