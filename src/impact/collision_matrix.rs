//! The collision matrix: the velocity change at a contact per impulse.

use crate::math::{DMat3, DVec3};

/// The data of one body at a contact: inverse mass, inverse inertia and the arm from its centre of
/// mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyAtContact {
    /// Inverse mass, in 1/kg; zero for an immovable body.
    pub inverse_mass: f64,
    /// Inverse inertia tensor about the centre of mass, in the frame of `arm`, in 1/(kg m²); zero
    /// for a body that cannot turn.
    pub inverse_inertia: DMat3,
    /// From the centre of mass to the contact, in m.
    pub arm: DVec3,
}

impl BodyAtContact {
    /// A body that no impulse moves.
    pub const IMMOVABLE: Self = Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, arm: DVec3::ZERO };

    /// The change of velocity at this body's contact, per impulse applied to the same body at
    /// `other`'s contact: the matrix `K_xy` of Bender and Schmitt 2006, section 3.1.
    ///
    /// With `other = self` it is the body's part of the collision matrix, with two contacts of one
    /// body their coupling. Mass and inertia are taken from `self`.
    #[inline]
    pub fn response_to(&self, other: &Self) -> DMat3 {
        let turning = |axis: DVec3| (self.inverse_inertia * other.arm.cross(axis)).cross(self.arm);
        DMat3::from_cols(turning(DVec3::X), turning(DVec3::Y), turning(DVec3::Z))
            + DMat3::from_diagonal(DVec3::splat(self.inverse_mass))
    }
}

/// The collision matrix `K` of two bodies that touch, in the frame of their arms: `u = u_0 + K p`
/// (Baber 2011, section 3.2). Unit: 1/kg.
///
/// Symmetric and positive semidefinite; positive definite if one body can move freely. Either body
/// may be [`BodyAtContact::IMMOVABLE`].
///
/// ```
/// use dolmen::impact::collision_matrix::{BodyAtContact, collision_matrix};
/// use dolmen::math::{DMat3, DVec3};
/// // A solid ball of 2 kg and radius 1 m, touched at its lowest point.
/// let ball = BodyAtContact {
///     inverse_mass: 0.5,
///     inverse_inertia: DMat3::from_diagonal(DVec3::splat(1.0 / 0.8)),
///     arm: -DVec3::Z,
/// };
/// let k = collision_matrix(&ball, &BodyAtContact::IMMOVABLE);
/// assert!((k.x_axis.x - 3.5 * 0.5).abs() < 1e-15 && (k.z_axis.z - 0.5).abs() < 1e-15);
/// ```
#[inline]
pub fn collision_matrix(a: &BodyAtContact, b: &BodyAtContact) -> DMat3 {
    symmetrised(a.response_to(a) + b.response_to(b))
}

/// The matrix in the contact's frame, whose axes are the columns `tangent, tangent, normal` of
/// `frame`.
#[inline]
pub fn in_contact_frame(matrix: DMat3, frame: DMat3) -> DMat3 {
    frame.transpose() * matrix * frame
}

/// The contact's frame for the unit normal `normal`: columns `tangent, tangent, normal`,
/// right-handed.
///
/// The same construction as [`crate::math::orthonormal_basis`], in `f64`.
#[inline]
pub fn contact_frame(normal: DVec3) -> DMat3 {
    let (a, b) = normal.any_orthonormal_pair();
    DMat3::from_cols(a, b, normal)
}

/// The symmetric part of a matrix.
#[inline]
pub fn symmetrised(matrix: DMat3) -> DMat3 {
    (matrix + matrix.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_at_contact(seed: f64) -> BodyAtContact {
        let axes = DMat3::from_rotation_y(seed) * DMat3::from_rotation_x(2.0 * seed);
        let principal = DMat3::from_diagonal(DVec3::new(1.0, 0.5 + seed, 2.0));
        BodyAtContact {
            inverse_mass: 0.3 + seed,
            inverse_inertia: axes * principal * axes.transpose(),
            arm: DVec3::new(seed, -0.7, 1.0 - seed),
        }
    }

    #[test]
    fn an_impulse_changes_the_velocity_at_the_contact_by_k_p() {
        let (a, b) = (body_at_contact(0.4), body_at_contact(1.1));
        let p = DVec3::new(0.3, -2.0, 1.5);
        let at_contact =
            |l: &BodyAtContact, p: DVec3| p * l.inverse_mass + (l.inverse_inertia * l.arm.cross(p)).cross(l.arm);
        let change = at_contact(&a, p) - at_contact(&b, -p);
        assert!((collision_matrix(&a, &b) * p - change).length() < 1e-14);
    }

    #[test]
    fn two_immovable_bodies_have_a_zero_matrix() {
        assert_eq!(collision_matrix(&BodyAtContact::IMMOVABLE, &BodyAtContact::IMMOVABLE), DMat3::ZERO);
    }

    #[test]
    fn contacts_of_one_body_couple_through_the_transposed_response() {
        let near = body_at_contact(0.4);
        let far = BodyAtContact { arm: DVec3::new(-1.0, 0.2, 0.4), ..near };
        let difference = near.response_to(&far) - far.response_to(&near).transpose();
        assert!(difference.abs_diff_eq(DMat3::ZERO, 1e-14));
    }

    #[test]
    fn the_contact_frame_is_a_rotation_that_keeps_energy() {
        let k = collision_matrix(&body_at_contact(0.2), &body_at_contact(0.9));
        for n in [DVec3::Z, -DVec3::Z, DVec3::X, DVec3::new(0.48, -0.6, 0.64)] {
            let frame = contact_frame(n.normalize());
            assert!((frame.determinant() - 1.0).abs() < 1e-14);
            let p = DVec3::new(0.1, 0.2, 0.9);
            let world = frame * p;
            assert!((p.dot(in_contact_frame(k, frame) * p) - world.dot(k * world)).abs() < 1e-13);
        }
    }
}
