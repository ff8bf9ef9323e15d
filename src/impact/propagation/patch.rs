//! The contacts of one manifold side by side: when they close is asked of all at once.

use super::body::ClusterBody;
use super::contact::{ClusterContact, Window};
use crate::math::DVec3;
use std::ops::Range;

/// The most contacts of a patch.
const POINTS: usize = 4;

/// As many of which are asked with half the work.
const FEW: usize = 2;

/// Contacts in a row between the same two bodies, with the same normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub a: u32,
    pub b: u32,
    first: u32,
    count: u32,
    /// Which of its contacts may have an event in the queue, a bit for each.
    pub queued: u32,
    /// Whether it is a contact of balls, whose normal turns.
    balls: bool,
    normal: DVec3,
    /// `arm x normal` of each body, axis by axis for all contacts. The places behind the last one mean nothing.
    levers: [[[f64; POINTS]; 3]; 2],
}

impl Patch {
    /// A patch of one contact, whose number this is.
    pub fn new(number: usize, c: &ClusterContact) -> Self {
        let mut patch = Self {
            a: c.a,
            b: c.b,
            first: number as u32,
            count: 0,
            queued: 0,
            balls: c.balls.is_some(),
            normal: c.normal,
            levers: Default::default(),
        };
        patch.push(c);
        patch
    }

    /// Takes in the contact after its last, if it belongs here.
    pub fn takes(&mut self, c: &ClusterContact) -> bool {
        let alike = (self.a, self.b, self.normal) == (c.a, c.b, c.normal) && !self.balls && c.balls.is_none();
        let takes = alike && self.count() < POINTS;
        if takes {
            self.push(c);
        }
        takes
    }

    fn push(&mut self, c: &ClusterContact) {
        for (levers, arm) in self.levers.iter_mut().zip(c.arms) {
            for (lever, x) in levers.iter_mut().zip(arm.cross(c.normal).to_array()) {
                lever[self.count as usize] = x;
            }
        }
        self.count += 1;
    }

    /// How many contacts it has.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// The contact in a place of the patch.
    pub fn contact(&self, place: u32) -> u32 {
        self.first + place
    }

    /// Its contacts.
    pub fn contacts(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// How its contacts approach within the window.
    #[inline]
    pub fn approaches(&self, bodies: &[ClusterBody], window: &Window) -> Approaches {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let acceleration = self.normal.dot(b.acceleration - a.acceleration);
        if self.balls {
            return Approaches { which: 1, acceleration, ..Approaches::default() };
        }
        let along = self.normal.dot(b.velocity - a.velocity);
        if self.count() <= FEW {
            self.ask::<FEW>(a, b, along, acceleration, window)
        } else {
            self.ask::<POINTS>(a, b, along, acceleration, window)
        }
    }

    /// The same of its first `N` contacts.
    #[inline(always)]
    fn ask<const N: usize>(
        &self,
        a: &ClusterBody,
        b: &ClusterBody,
        along: f64,
        acceleration: f64,
        window: &Window,
    ) -> Approaches {
        let (now, more) = (acceleration * window.now, (acceleration * (window.horizon - window.now)).min(0.0));
        let (on_a, on_b) = (turning::<N>(&self.levers[0], a), turning::<N>(&self.levers[1], b));
        let mut approaches = Approaches { acceleration, ..Approaches::default() };
        for k in 0..N {
            let start = along + on_b[k] - on_a[k];
            approaches.start[k] = start;
            let over = start + now + more + window.threshold;
            approaches.which |= ((over.to_bits() >> 63) as u32) << k;
        }
        approaches.which &= (1 << self.count) - 1;
        approaches
    }
}

/// How the contacts of a patch approach within a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Approaches {
    /// Which of them approach faster than the threshold at some time, a bit for each: the others have no impact. Balls may always.
    pub which: u32,
    /// The rate of each gap, extrapolated to the step's start (m/s); of balls nothing.
    pub start: [f64; POINTS],
    /// The acceleration of the gaps along the normal (m/s²).
    pub acceleration: f64,
}

/// How fast the turning of a body moves the points of the first `N` levers along the normal (m/s).
#[inline(always)]
fn turning<const N: usize>([x, y, z]: &[[f64; POINTS]; 3], body: &ClusterBody) -> [f64; N] {
    let w = body.angular_velocity;
    let mut moves = [0.0; N];
    for k in 0..N {
        moves[k] = x[k] * w.x + y[k] * w.y + z[k] * w.z;
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::super::contact::Row;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_neighbours_between_the_same_bodies_with_the_same_normal_share_a_patch_and_balls_share_none() {
        let contact = |bodies, normal| ClusterContact::new(bodies, [DVec3::X, DVec3::NEG_X], normal, 0.0);
        let (same, ball) =
            (contact([1, 2], DVec3::Y), ClusterContact { balls: Some([1.0; 2]), ..contact([1, 2], DVec3::Y) });
        let mut patch = Patch::new(7, &same);
        for other in [contact([1, 3], DVec3::Y), contact([1, 2], DVec3::X), ball] {
            assert!(!patch.takes(&other));
        }
        assert!(patch.takes(&same) && patch.takes(&same) && patch.takes(&same) && !patch.takes(&same));
        assert_eq!(patch.contacts(), 7..11);
        assert!(!Patch::new(0, &ball).takes(&ball));
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
            let mut patch = Patch::new(0, &contacts[0]);
            prop_assert!(contacts[1..count].iter().all(|c| patch.takes(c)));
            let window = Window { now, horizon: 1e-3, threshold, touch: 1e-9 };
            let approaches = patch.approaches(&bodies, &window);
            for (k, c) in contacts[..count].iter().enumerate() {
                let row = Row::new(c);
                let [first, second] = &bodies;
                prop_assert_eq!(row.rates(first, second), (approaches.acceleration, approaches.start[k]));
                let next = row.next_event(&bodies, &window, (approaches.acceleration, approaches.start[k]));
                prop_assert!(next.is_none() || approaches.which >> k & 1 == 1, "{}", k);
            }
        }
    }
}
