//! The contacts of one manifold side by side: their approach rates are computed together.

use super::body::ClusterBody;
use super::gap_function::{ClusterContact, Window};
use crate::math::DVec3;
use std::ops::Range;

/// Maximum number of contacts in one entry.
const POINTS: usize = 4;

/// Up to this number of contacts half the work suffices.
const FEW: usize = 2;

/// Consecutive contacts between the same two bodies with the same normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct ManifoldPoints {
    pub a: u32,
    pub b: u32,
    first: u32,
    count: u32,
    /// Bit mask of the contacts that may have an event in the queue.
    pub queued: u32,
    /// True if it is a contact between balls, whose normal changes with time.
    balls: bool,
    normal: DVec3,
    /// `arm x normal` of each body, axis by axis for all contacts. Entries behind the last contact
    /// are unused.
    arm_normals: [[[f64; POINTS]; 3]; 2],
}

impl ManifoldPoints {
    /// An entry with one contact of this number.
    pub fn new(number: usize, c: &ClusterContact) -> Self {
        let mut patch = Self {
            a: c.a,
            b: c.b,
            first: number as u32,
            count: 0,
            queued: 0,
            balls: c.balls.is_some(),
            normal: c.normal,
            arm_normals: Default::default(),
        };
        patch.push(c);
        patch
    }

    /// Appends the next contact if it belongs here.
    pub fn try_push(&mut self, c: &ClusterContact) -> bool {
        let alike = (self.a, self.b, self.normal) == (c.a, c.b, c.normal) && !self.balls && c.balls.is_none();
        let try_push = alike && self.count() < POINTS;
        if try_push {
            self.push(c);
        }
        try_push
    }

    fn push(&mut self, c: &ClusterContact) {
        for (arm_normals, arm) in self.arm_normals.iter_mut().zip(c.arms) {
            for (arm_normal, x) in arm_normals.iter_mut().zip(arm.cross(c.normal).to_array()) {
                arm_normal[self.count as usize] = x;
            }
        }
        self.count += 1;
    }

    /// Number of contacts.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of a contact by its index in the entry.
    pub fn contact(&self, place: u32) -> u32 {
        self.first + place
    }

    /// Range of its contacts.
    pub fn contacts(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// Approach rates of its contacts within the window.
    #[inline]
    pub fn approach_rates(&self, bodies: &[ClusterBody], window: &Window) -> ApproachRates {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let acceleration = self.normal.dot(b.acceleration - a.acceleration);
        if self.balls {
            return ApproachRates { mask: 1, acceleration, ..ApproachRates::default() };
        }
        let along = self.normal.dot(b.velocity - a.velocity);
        if self.count() <= FEW {
            self.approach_rates_of::<FEW>(a, b, along, acceleration, window)
        } else {
            self.approach_rates_of::<POINTS>(a, b, along, acceleration, window)
        }
    }

    /// Approach rates of its first `N` contacts.
    #[inline(always)]
    fn approach_rates_of<const N: usize>(
        &self,
        a: &ClusterBody,
        b: &ClusterBody,
        along: f64,
        acceleration: f64,
        window: &Window,
    ) -> ApproachRates {
        let (now, more) = (acceleration * window.now, (acceleration * (window.horizon - window.now)).min(0.0));
        let (on_a, on_b) = (turning_rates::<N>(&self.arm_normals[0], a), turning_rates::<N>(&self.arm_normals[1], b));
        let mut rates = ApproachRates { acceleration, ..ApproachRates::default() };
        for k in 0..N {
            let start = along + on_b[k] - on_a[k];
            rates.start[k] = start;
            let over = start + now + more + window.threshold;
            rates.mask |= ((over.to_bits() >> 63) as u32) << k;
        }
        rates.mask &= (1 << self.count) - 1;
        rates
    }
}

/// Approach rates of the contacts of a manifold within a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ApproachRates {
    /// Bit mask of the contacts that approach faster than the threshold at some time; the others
    /// have no impact. Always set for balls.
    pub mask: u32,
    /// The rate of each gap, extrapolated to the step's start (m/s); unused for balls.
    pub start: [f64; POINTS],
    /// The acceleration of the gaps along the normal (m/s²).
    pub acceleration: f64,
}

/// Normal velocity of the first `N` contact points from the body's rotation (m/s).
#[inline(always)]
fn turning_rates<const N: usize>([x, y, z]: &[[f64; POINTS]; 3], body: &ClusterBody) -> [f64; N] {
    let w = body.angular_velocity;
    let mut moves = [0.0; N];
    for k in 0..N {
        moves[k] = x[k] * w.x + y[k] * w.y + z[k] * w.z;
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::gap_function::GapFunction;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_neighbours_between_the_same_bodies_with_the_same_normal_share_a_patch_and_balls_share_none() {
        let contact = |bodies, normal| ClusterContact::new(bodies, [DVec3::X, DVec3::NEG_X], normal, 0.0);
        let (same, ball) =
            (contact([1, 2], DVec3::Y), ClusterContact { balls: Some([1.0; 2]), ..contact([1, 2], DVec3::Y) });
        let mut patch = ManifoldPoints::new(7, &same);
        for other in [contact([1, 3], DVec3::Y), contact([1, 2], DVec3::X), ball] {
            assert!(!patch.try_push(&other));
        }
        assert!(patch.try_push(&same) && patch.try_push(&same) && patch.try_push(&same) && !patch.try_push(&same));
        assert_eq!(patch.contacts(), 7..11);
        assert!(!ManifoldPoints::new(0, &ball).try_push(&ball));
    }

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from)
    }

    proptest! {
        #[test]
        fn what_has_a_next_event_approaches_and_as_fast_as_its_row_says(
            motions in prop::array::uniform2((vector(), vector(), vector())),
            normal in vector(), arms in prop::array::uniform4(prop::array::uniform2(vector())),
            gap in 0.0..2e-3f64, count in 1..5usize, now in 0.0..1e-3f64, threshold in 0.0..0.5f64,
        ) {
            let bodies = motions.map(|(velocity, angular_velocity, acceleration)| ClusterBody {
                velocity, angular_velocity, acceleration: 100.0 * acceleration, ..ClusterBody::FIXED
            });
            let contacts = arms.map(|arms| ClusterContact::new([0, 1], arms, normal, gap));
            let mut patch = ManifoldPoints::new(0, &contacts[0]);
            prop_assert!(contacts[1..count].iter().all(|c| patch.try_push(c)));
            let window = Window { now, horizon: 1e-3, threshold, touch: 1e-9 };
            let rates = patch.approach_rates(&bodies, &window);
            for (k, c) in contacts[..count].iter().enumerate() {
                let gap_function = GapFunction::new(c);
                let [first, second] = &bodies;
                prop_assert_eq!(gap_function.rates(first, second), (rates.acceleration, rates.start[k]));
                let next = gap_function.next_event(&bodies, &window, (rates.acceleration, rates.start[k]));
                prop_assert!(next.is_none() || rates.mask >> k & 1 == 1, "{}", k);
            }
        }
    }
}
