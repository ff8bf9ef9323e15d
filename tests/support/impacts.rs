//! Random impacts for tests and benches: the same ones in every run.

use dolmen::impact::collision_matrix::{BodyAtContact, collision_matrix, contact_frame, in_contact_frame};
use dolmen::impact::frictional::Impact;
use dolmen::math::{DMat3, DQuat, DVec3};

/// A small random generator (SplitMix64, Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between `low` and `high`.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each part uniform in `-1..1`.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0))
    }

    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector();
            let length = v.length();
            if (1e-3..1.0).contains(&length) {
                return v / length;
            }
        }
    }

    pub fn orientation(&mut self) -> DMat3 {
        DMat3::from_quat(DQuat::from_axis_angle(self.direction(), self.within(0.0, std::f64::consts::TAU)))
    }
}

/// A random box, capsule or solid ball, touched at a point of its surface, with the outward normal
/// there.
fn body(random: &mut Random) -> (BodyAtContact, DVec3) {
    let axes = random.orientation();
    let mass = 10f64.powf(random.within(-1.0, 1.0));
    let (principal, point, normal) = match random.bits() % 3 {
        0 => {
            // A corner; any direction between the three faces is a normal.
            let half = DVec3::new(random.within(0.1, 1.0), random.within(0.1, 1.0), random.within(0.1, 1.0));
            let square = half * half;
            let sum = DVec3::splat(square.element_sum()) - square;
            let side = |r: &mut Random| if r.bits().is_multiple_of(2) { 1.0 } else { -1.0 };
            let corner = DVec3::new(side(random), side(random), side(random));
            (sum * (mass / 3.0), half * corner, random.direction().abs() * corner)
        }
        1 => {
            let (radius, half) = (random.within(0.1, 0.5), random.within(0.1, 1.0));
            let normal = random.direction();
            let end = DVec3::Z * half.copysign(normal.z);
            // A cylinder and two half balls of one density.
            let (barrel, caps) = (2.0 * half, 4.0 / 3.0 * radius);
            let (barrel, caps) = (mass * barrel / (barrel + caps), mass * caps / (barrel + caps));
            let r2 = radius * radius;
            let along = barrel * r2 / 2.0 + caps * 0.4 * r2;
            let across =
                barrel * (r2 / 4.0 + half * half / 3.0) + caps * (0.4 * r2 + half * half + 0.75 * half * radius);
            (DVec3::new(across, across, along), end + normal * radius, normal)
        }
        _ => {
            let radius = random.within(0.1, 1.0);
            let normal = random.direction();
            (DVec3::splat(0.4 * mass * radius * radius), normal * radius, normal)
        }
    };
    let inverse_inertia = axes * DMat3::from_diagonal(principal.recip()) * axes.transpose();
    (BodyAtContact { inverse_mass: 1.0 / mass, inverse_inertia, arm: axes * point }, axes * normal)
}

/// A random impact of two bodies; every second one against an immovable body.
pub fn ordinary(random: &mut Random) -> Impact {
    let (a, outward) = body(random);
    let mut b = BodyAtContact::IMMOVABLE;
    if random.bits().is_multiple_of(2) {
        let (other, other_outward) = body(random);
        // Turned so that the two outward normals oppose.
        let turn = DMat3::from_quat(DQuat::from_rotation_arc(other_outward, -outward));
        b = BodyAtContact {
            inverse_inertia: turn * other.inverse_inertia * turn.transpose(),
            arm: turn * other.arm,
            ..other
        };
    }
    let frame = contact_frame(-outward);
    let velocity_of = |lever: &BodyAtContact, random: &mut Random| {
        if lever.inverse_mass == 0.0 {
            return DVec3::ZERO;
        }
        random.vector() * 3.0 + (random.vector() * 5.0).cross(lever.arm)
    };
    let mut velocity = frame.transpose() * (velocity_of(&a, random) - velocity_of(&b, random));
    velocity.z = -velocity.z.abs();
    Impact {
        k: in_contact_frame(collision_matrix(&a, &b), frame),
        velocity,
        friction: random.within(0.0, 1.2),
        restitution: random.within(0.0, 1.0),
    }
}
