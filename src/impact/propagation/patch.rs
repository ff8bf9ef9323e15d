//! The contacts of one manifold side by side: when they close is asked of all at once.

use super::body::ClusterBody;
use super::contact::{ClusterContact, Window};
use crate::math::DVec3;
use std::ops::Range;

/// The most contacts of a patch.
const POINTS: usize = 4;

/// Contacts in a row between the same two bodies, with the same normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub a: u32,
    pub b: u32,
    first: u32,
    count: u32,
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

    /// Its contacts.
    pub fn contacts(&self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// Which of its contacts approach faster than the threshold at some time in the window, a bit for each: the others
    /// have no impact. Those of balls may always.
    #[inline]
    pub fn approaches(&self, bodies: &[ClusterBody], window: &Window) -> u32 {
        if self.balls {
            return 1;
        }
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let acceleration = self.normal.dot(b.acceleration - a.acceleration);
        let along = self.normal.dot(b.velocity - a.velocity);
        let (on_a, on_b) = (turning(&self.levers[0], a), turning(&self.levers[1], b));
        let mut approaches = 0;
        for k in 0..POINTS {
            let rate = along + on_b[k] - on_a[k] + acceleration * window.now;
            let later = rate + acceleration * (window.horizon - window.now);
            let slowest = if later < rate { later } else { rate };
            approaches |= u32::from(slowest < -window.threshold) << k;
        }
        approaches
    }
}

/// How fast the turning of a body moves the points of these levers along the normal (m/s).
#[inline(always)]
fn turning([x, y, z]: &[[f64; POINTS]; 3], body: &ClusterBody) -> [f64; POINTS] {
    let w = body.angular_velocity;
    let mut moves = [0.0; POINTS];
    for k in 0..POINTS {
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
        fn what_has_a_next_event_approaches(
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
                prop_assert!(row.next_event(&bodies, &window).is_none() || approaches >> k & 1 == 1, "{}", k);
            }
        }
    }
}
