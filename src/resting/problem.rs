//! The contact problem of an island: bodies, contacts and their Jacobians.
//!
//! A contact's unknown is the impulse on its second body, in contact axes: `x` along the normal
//! from the first body to the second, `y` and `z` along two tangents. Bodies move in a scaled space
//! of six coordinates each, `S^-1 (v; R^T w)` with `S = diag(sqrt(1/m) x3, sqrt(1/I_k))` and `R`
//! the principal axes, so that kinetic energy is half the square of the length for any masses. With
//! `x = sum J^T j` the velocity change by the impulses, the relative velocity of contact `i` is
//! `u_i = J_i x + b_i`, and the contact laws are `u_n >= 0`, `j_n >= 0`, `u_n j_n = 0`, `|j_t| <=
//! mu j_n`, and `j_t` against `u_t`.
//!
//! At the velocity level (used in steps) `b` holds the free velocities at the end of the step and
//! the biases. At the acceleration level (Baber 2006, section 3.4, equations 15 to 18) `u` is the
//! acceleration of the gap, `j` a force, and `b` holds the accelerations without contact forces and
//! the terms of motion.

use super::block::{JacobianBlock, Vec6, dot};
use super::input::{Body, Contact, FormulationLevel, NormalCarrier, ProblemError, WORLD};
use super::jacobian::{ConstraintSlot, Jacobian};
use crate::math::{DMat3, DVec3};

/// Data of a contact or joint block besides its Jacobian.
#[derive(Clone, Debug)]
pub(super) struct RowData {
    /// Columns: normal and tangents in world axes.
    pub axes: DMat3,
    /// The part of `b` independent of the bodies' motion: biases and surface velocities.
    pub bias: DVec3,
    /// The bias along the normal that separates an overlap: given up first if the biases are
    /// infeasible.
    pub push_out: f64,
    pub static_friction: f64,
    pub dynamic_friction: f64,
    pub sticking: bool,
    /// The last impulse in contact axes.
    pub last: DVec3,
}

/// The contact problem of one island, in buffers that are used again by each build.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub(super) step: f64,
    acceleration_level: bool,
    pub(super) gravity: f64,
    pub(super) bodies: Vec<Body>,
    /// The diagonal of `S`.
    pub(super) scales: Vec<Vec6>,
    contacts: usize,
    pub(super) jacobians: Vec<Jacobian>,
    pub(super) row_data: Vec<RowData>,
    /// `J_i J_i^T`: the diagonal blocks of the Delassus matrix.
    pub(super) grams: Vec<DMat3>,
    /// A third of the trace of the above: the inverse effective mass of the contact.
    pub(super) compliance: Vec<f64>,
    /// `b_i`, contact axes.
    pub(super) offsets: Vec<DVec3>,
    /// The speed (m/s, or m/s²) that residuals are measured by: `max(g h, max |b_i|)`.
    pub(super) speed: f64,
    pub(super) largest_compliance: f64,
    pub(super) frictionless: bool,
    /// Joint constraints, whose rows follow those of the contacts.
    pub(super) constraints: Vec<ConstraintSlot>,
}

impl Problem {
    /// An empty problem.
    pub fn new() -> Self {
        Self::default()
    }

    /// Assembles the problem of these bodies and contacts. `gravity` (m/s², its magnitude) is the
    /// unit of residuals and of the certificate. A contact between immovable sides is kept, and
    /// never carries anything.
    ///
    /// # Errors
    /// Names the first body or contact that is not possible. The problem is then empty.
    pub fn build(
        &mut self,
        level: FormulationLevel,
        gravity: f64,
        bodies: &[Body],
        contacts: &[Contact],
    ) -> Result<(), ProblemError> {
        self.clear();
        self.acceleration_level = level == FormulationLevel::Acceleration;
        self.step = match level {
            FormulationLevel::Velocity { step } => step,
            FormulationLevel::Acceleration => 1.0,
        };
        if !(self.step > 0.0 && self.step.is_finite() && gravity.is_finite()) {
            return Err(ProblemError::Step);
        }
        self.gravity = gravity.abs();
        let result = self.add_bodies(bodies).and_then(|()| self.add_contacts(level, contacts));
        if result.is_err() {
            self.clear();
        }
        result
    }

    pub(super) fn clear(&mut self) {
        self.bodies.clear();
        self.scales.clear();
        self.jacobians.clear();
        self.row_data.clear();
        self.grams.clear();
        self.compliance.clear();
        self.offsets.clear();
        self.constraints.clear();
        self.contacts = 0;
        self.speed = 0.0;
        self.largest_compliance = 0.0;
        self.frictionless = true;
    }

    fn add_bodies(&mut self, bodies: &[Body]) -> Result<(), ProblemError> {
        for (i, body) in bodies.iter().enumerate() {
            let finite = body.position.is_finite()
                && body.principal_axes.is_finite()
                && body.velocity.is_finite()
                && body.angular_velocity.is_finite()
                && body.acceleration.is_finite()
                && body.angular_acceleration.is_finite()
                && body.inverse_mass.is_finite()
                && body.inverse_inertia.is_finite();
            if !finite || body.inverse_mass.min_element() < 0.0 || body.inverse_inertia.min_element() < 0.0 {
                return Err(ProblemError::Body(i));
            }
            let (m, k) = (body.inverse_mass, body.inverse_inertia);
            self.scales.push([m.x.sqrt(), m.y.sqrt(), m.z.sqrt(), k.x.sqrt(), k.y.sqrt(), k.z.sqrt()]);
        }
        self.bodies.extend_from_slice(bodies);
        Ok(())
    }

    fn add_contacts(&mut self, level: FormulationLevel, contacts: &[Contact]) -> Result<(), ProblemError> {
        let count = self.bodies.len() as u32;
        self.speed = self.gravity * self.step;
        // In advance: a world is loaded with all its islands in one step, and growing lists are
        // copied again and again.
        self.jacobians.reserve(contacts.len());
        self.row_data.reserve(contacts.len());
        self.grams.reserve(contacts.len());
        self.compliance.reserve(contacts.len());
        self.offsets.reserve(contacts.len());
        for (i, contact) in contacts.iter().enumerate() {
            let known = |body: u32| body == WORLD || body < count;
            let finite = contact.point.is_finite()
                && (contact.normal.length_squared() - 1.0).abs() < f64::from(crate::tolerances::UNIT_NORMAL)
                && contact.bias.is_finite()
                && contact.surface_velocity.is_finite()
                && contact.impulse.is_finite()
                && (0.0..f64::INFINITY).contains(&contact.dynamic_friction)
                && (0.0..f64::INFINITY).contains(&contact.static_friction);
            if !finite || !known(contact.first) || !known(contact.second) || contact.first == contact.second {
                return Err(ProblemError::Contact(i));
            }
            self.add_contact(level, contact);
        }
        self.contacts = contacts.len();
        if self.speed <= 0.0 {
            // Nothing moves and no force acts: any unit serves.
            self.speed = 1.0;
        }
        Ok(())
    }

    fn add_contact(&mut self, level: FormulationLevel, contact: &Contact) {
        let axes = contact_axes(contact.normal);
        let first = self.side(contact.first, contact.point, &axes, -1.0);
        let second = self.side(contact.second, contact.point, &axes, 1.0);
        let row = Jacobian {
            first: contact.first.min(self.bodies.len() as u32),
            second: contact.second.min(self.bodies.len() as u32),
            on_first: first,
            on_second: second,
        };
        let mut gram = DMat3::ZERO;
        for c in 0..3 {
            for r in c..3 {
                let value = dot(&row.on_first[r], &row.on_first[c]) + dot(&row.on_second[r], &row.on_second[c]);
                gram.col_mut(c)[r] = value;
                gram.col_mut(r)[c] = value;
            }
        }
        let compliance = (gram.x_axis.x + gram.y_axis.y + gram.z_axis.z) / 3.0;
        let movable = compliance > 0.0;
        let velocity_level = matches!(level, FormulationLevel::Velocity { .. });
        let bias = if velocity_level && movable {
            axes.transpose() * contact.surface_velocity + DVec3::new(contact.bias, 0.0, 0.0)
        } else {
            DVec3::ZERO
        };
        let offset = if !movable {
            DVec3::ZERO
        } else if velocity_level {
            axes.transpose() * self.free_velocity(contact) + bias
        } else {
            self.free_acceleration(contact, &axes)
        };
        let scale = if velocity_level { 1.0 } else { 0.0 };
        let dynamic_friction = scale * contact.dynamic_friction;
        let static_friction = scale * contact.static_friction.max(contact.dynamic_friction);
        self.frictionless &= static_friction == 0.0;
        self.speed = self.speed.max(offset.length());
        self.largest_compliance = self.largest_compliance.max(compliance);
        self.jacobians.push(row);
        self.grams.push(if movable { gram } else { DMat3::IDENTITY });
        self.compliance.push(if movable { compliance } else { 1.0 });
        self.offsets.push(offset);
        self.row_data.push(RowData {
            axes,
            bias,
            push_out: if velocity_level { contact.bias.min(0.0) } else { 0.0 },
            static_friction,
            dynamic_friction,
            sticking: contact.sticking,
            last: axes.transpose() * contact.impulse,
        });
    }

    /// The rows of one body: `sign (d S; R^T (r x d) S)` for each of the three directions `d`.
    fn side(&self, body: u32, point: DVec3, axes: &DMat3, sign: f64) -> JacobianBlock {
        if body == WORLD {
            return [[0.0; 6]; 3];
        }
        let scales = &self.scales[body as usize];
        let body = &self.bodies[body as usize];
        let arm = point - body.position;
        let to_principal = body.principal_axes.transpose();
        [axes.x_axis, axes.y_axis, axes.z_axis].map(|d| {
            let turn = to_principal * arm.cross(d);
            [
                sign * d.x * scales[0],
                sign * d.y * scales[1],
                sign * d.z * scales[2],
                sign * turn.x * scales[3],
                sign * turn.y * scales[4],
                sign * turn.z * scales[5],
            ]
        })
    }

    /// The relative velocity at the end of the step without this contact, world axes.
    fn free_velocity(&self, contact: &Contact) -> DVec3 {
        let of = |body: u32| {
            if body == WORLD {
                return DVec3::ZERO;
            }
            let body = &self.bodies[body as usize];
            let (velocity, spin) = self.free_motion(body);
            velocity + spin.cross(contact.point - body.position)
        };
        of(contact.second) - of(contact.first)
    }

    /// The acceleration of the gap without this contact (Baber 2006, equation 18), in the place of
    /// the normal.
    fn free_acceleration(&self, contact: &Contact, axes: &DMat3) -> DVec3 {
        let motion = |body: u32| {
            if body == WORLD {
                return (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            }
            let body = &self.bodies[body as usize];
            let (w, arm) = (body.angular_velocity, contact.point - body.position);
            let acceleration = body.acceleration + body.angular_acceleration.cross(arm) + w.cross(w.cross(arm));
            (acceleration, body.velocity + w.cross(arm), w)
        };
        let (first, second) = (motion(contact.first), motion(contact.second));
        let normal = axes.x_axis;
        let normal_rate = match contact.carrier {
            NormalCarrier::FirstFace => first.2.cross(normal),
            NormalCarrier::SecondFace => second.2.cross(normal),
            NormalCarrier::Edges { first: e, second: f } => {
                // The rate of e x f, over the length of e x f. Its part along the normal does not
                // matter, as the contact neither approaches nor separates.
                let length = e.cross(f).dot(normal);
                if length == 0.0 {
                    DVec3::ZERO
                } else {
                    (first.2.cross(e).cross(f) + e.cross(second.2.cross(f))) / length
                }
            }
        };
        let gap = (second.0 - first.0).dot(normal) + 2.0 * (second.1 - first.1).dot(normal_rate);
        DVec3::new(gap, 0.0, 0.0)
    }

    /// The number of bodies.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// A body, as given.
    pub fn body(&self, body: usize) -> &Body {
        &self.bodies[body]
    }

    /// The number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts
    }

    /// True if no contact has friction, and there are no joint constraints.
    pub fn is_frictionless(&self) -> bool {
        self.frictionless
    }

    /// The speed (m/s; m/s² at the acceleration level) that residuals are measured by: the larger
    /// of gravity times the step and the fastest free velocity at a contact.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The bodies of a contact, as indices, [`WORLD`] for the world.
    pub fn bodies_of(&self, contact: usize) -> (u32, u32) {
        let named = |body: u32| if body as usize == self.bodies.len() { WORLD } else { body };
        (named(self.jacobians[contact].first), named(self.jacobians[contact].second))
    }

    /// A contact's normal and tangents in world axes, as columns: takes contact axes to world axes.
    pub fn axes(&self, contact: usize) -> DMat3 {
        self.row_data[contact].axes
    }

    /// `M_ij`: the normal acceleration at contact `i` for a unit of normal force at contact `j`.
    pub fn influence(&self, i: usize, j: usize) -> f64 {
        let (r, s) = (&self.jacobians[i], &self.jacobians[j]);
        let world = self.bodies.len() as u32;
        let mut sum = 0.0;
        for (p, left) in [(r.first, &r.on_first[0]), (r.second, &r.on_second[0])] {
            for (q, right) in [(s.first, &s.on_first[0]), (s.second, &s.on_second[0])] {
                if p == q && p != world {
                    sum += dot(left, right);
                }
            }
        }
        sum
    }

    /// `b_i`: the relative velocity without contact impulses, in contact axes (m/s, or m/s²).
    pub fn offset(&self, contact: usize) -> DVec3 {
        self.offsets[contact]
    }

    /// `sum J^T j` in the scaled body space, with one more entry for the world.
    pub(super) fn response(&self, impulses: &[DVec3], x: &mut Vec<Vec6>) {
        x.clear();
        x.resize(self.bodies.len() + 1, [0.0; 6]);
        for (row, &j) in self.jacobians.iter().zip(impulses) {
            row.add_transposed(j, x);
        }
    }

    /// The velocity and angular velocity of a body at the end of the step without contacts; at the
    /// acceleration level, its accelerations.
    pub(super) fn free_motion(&self, body: &Body) -> (DVec3, DVec3) {
        if self.acceleration_level {
            (body.acceleration, body.angular_acceleration)
        } else {
            (
                body.velocity + body.acceleration * self.step,
                body.angular_velocity + body.angular_acceleration * self.step,
            )
        }
    }

    /// The velocity change of a body by its own acceleration over the step, in the scaled body
    /// space.
    pub(super) fn free_change(&self, body: usize) -> Vec6 {
        let (of, scales) = (&self.bodies[body], &self.scales[body]);
        let turning = of.principal_axes.transpose() * of.angular_acceleration;
        let change = [of.acceleration.x, of.acceleration.y, of.acceleration.z, turning.x, turning.y, turning.z];
        std::array::from_fn(|k| if scales[k] > 0.0 { change[k] * self.step / scales[k] } else { 0.0 })
    }

    /// The velocity and angular velocity (world axes) of a point of the scaled body space.
    pub(super) fn unscale(&self, body: usize, x: &Vec6) -> (DVec3, DVec3) {
        let s = &self.scales[body];
        let linear = DVec3::new(x[0] * s[0], x[1] * s[1], x[2] * s[2]);
        let angular = self.bodies[body].principal_axes * DVec3::new(x[3] * s[3], x[4] * s[4], x[5] * s[5]);
        (linear, angular)
    }
}

/// The normal and two tangents that complete it to a right-handed orthonormal basis, as columns
/// (Duff et al., "Building an orthonormal basis, revisited", 2017).
pub(super) fn contact_axes(n: DVec3) -> DMat3 {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    DMat3::from_cols(
        n,
        DVec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x),
        DVec3::new(b, sign + n.y * n.y * a, -n.y),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_input_is_named() {
        let mut problem = Problem::new();
        let body = Body::at_rest(DVec3::ZERO, 1.0, DVec3::ONE, DVec3::ZERO);
        let contact = Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5);
        let level = FormulationLevel::Velocity { step: 0.01 };
        assert_eq!(problem.build(level, 9.81, &[body], &[contact]), Ok(()));
        let mut bad = body;
        bad.velocity.x = f64::NAN;
        assert_eq!(problem.build(level, 9.81, &[body, bad], &[contact]), Err(ProblemError::Body(1)));
        let mut bad = contact;
        bad.second = 7;
        assert_eq!(problem.build(level, 9.81, &[body], &[contact, bad]), Err(ProblemError::Contact(1)));
        assert_eq!(problem.contact_count(), 0);
        assert_eq!(problem.build(FormulationLevel::Velocity { step: 0.0 }, 9.81, &[], &[]), Err(ProblemError::Step));
    }

    /// The gap of a vertex over a turning face and of two turning edges, followed exactly by the
    /// bodies' motion, has the second derivative that the problem puts in `b`.
    #[test]
    fn the_gap_accelerates_as_the_offset_says() {
        let spin = |w: DVec3, alpha: DVec3, t: f64, v: DVec3| {
            // The Taylor series of a turning vector, exact to t³.
            v + t * w.cross(v) + 0.5 * t * t * (alpha.cross(v) + w.cross(w.cross(v)))
        };
        let mut body = [Body::at_rest(DVec3::new(0.3, -0.2, -1.0), 2.0, DVec3::ONE, DVec3::new(0.0, 0.1, -9.81)); 2];
        body[1].position = DVec3::new(-0.1, 0.4, 0.9);
        body[0].angular_velocity = DVec3::new(0.7, -0.4, 0.9);
        body[1].angular_velocity = DVec3::new(-0.2, 1.1, 0.5);
        body[0].angular_acceleration = DVec3::new(0.3, 0.2, -0.6);
        body[1].acceleration = DVec3::new(0.2, 0.0, 3.0);
        let point = DVec3::new(0.05, 0.1, 0.02);
        let (e, f) = (DVec3::new(1.0, 0.2, 0.1), DVec3::new(-0.3, 1.5, 0.2));
        let normal = e.cross(f).normalize();
        // The contact neither approaches nor separates.
        let at = |b: &Body| b.velocity + b.angular_velocity.cross(point - b.position);
        let approach = (at(&body[1]) - at(&body[0])).dot(normal);
        body[1].velocity = -approach * normal + DVec3::new(0.4, 0.3, 0.0).reject_from(normal);
        let gap = |t: f64, carrier: NormalCarrier| {
            let place = |b: &Body| {
                b.position
                    + b.velocity * t
                    + 0.5 * t * t * b.acceleration
                    + spin(b.angular_velocity, b.angular_acceleration, t, point - b.position)
            };
            let turned = |b: &Body, v| spin(b.angular_velocity, b.angular_acceleration, t, v);
            let n = match carrier {
                NormalCarrier::FirstFace => turned(&body[0], normal),
                NormalCarrier::SecondFace => turned(&body[1], normal),
                NormalCarrier::Edges { .. } => turned(&body[0], e).cross(turned(&body[1], f)) / e.cross(f).length(),
            };
            (place(&body[1]) - place(&body[0])).dot(n)
        };
        for carrier in
            [NormalCarrier::FirstFace, NormalCarrier::SecondFace, NormalCarrier::Edges { first: e, second: f }]
        {
            let mut contact = Contact::new(0, 1, point, normal, 0.3);
            contact.carrier = carrier;
            let mut problem = Problem::new();
            problem.build(FormulationLevel::Acceleration, 9.81, &body, &[contact]).unwrap();
            let t = 1e-4;
            let measured = (gap(t, carrier) - 2.0 * gap(0.0, carrier) + gap(-t, carrier)) / (t * t);
            assert!((measured - problem.offset(0).x).abs() < 1e-5, "{measured} {}", problem.offset(0).x);
        }
    }
}
