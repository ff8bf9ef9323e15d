//! Domain decomposition of a large island.

use super::edge::Edge;
use crate::ids::NONE;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;

/// Bodies in a subdomain. Fewer make more boundaries, more leave cores idle.
const SUBDOMAIN: usize = 128;
/// Bins along the axis, to cut without sorting.
const BINS: usize = 2048;

/// The subdomains of one island and the contacts inside and between them.
#[derive(Clone, Default)]
pub(super) struct Subdomains {
    count: usize,
    /// By body of the step: its subdomain, or [`NONE`].
    subdomain: Vec<u32>,
    /// The movable bodies of the island, then the same by subdomain.
    bodies: Vec<u32>,
    members: Vec<u32>,
    member_starts: Vec<u32>,
    /// Contacts by bucket: interiors, then boundaries, then the remainder.
    contacts: Vec<u32>,
    contact_starts: Vec<u32>,
    bins: Vec<u32>,
}

impl Subdomains {
    /// Divides an island with these contacts (`list` into `contacts`).
    pub fn cut(&mut self, list: &[u32], contacts: &[impl Edge], bodies: &[SolverBody], movable: &[bool]) {
        self.subdomain.clear();
        self.subdomain.resize(bodies.len(), NONE);
        self.bodies.clear();
        for &c in list {
            let contact = &contacts[c as usize];
            for body in contact.bodies() {
                if movable[body as usize] && self.subdomain[body as usize] == NONE {
                    self.subdomain[body as usize] = 0;
                    self.bodies.push(body);
                }
            }
        }
        let axis = self.axis(bodies);
        let mut count = self.bodies.len() / SUBDOMAIN;
        let (low, high, radius) = self.extent(bodies, axis);
        if radius > 0.0 {
            // A subdomain thinner than a body has contacts that reach past its neighbour.
            count = count.min(((high - low) / (2.0 * radius)) as usize);
        }
        // Equal shares for two and four, and with many subdomains for eight threads.
        count = match count {
            0..3 => count.max(1),
            3..16 => (count + 1) & !3,
            _ => count & !7,
        };
        self.assign(bodies, axis, low, high, count);
        self.sort(list, contacts, movable);
    }

    /// The longer axis of those perpendicular to the island's acceleration; of all three without
    /// acceleration.
    fn axis(&self, bodies: &[SolverBody]) -> usize {
        let (mut mean, mut acceleration) = (Vec3::ZERO, Vec3::ZERO);
        for &b in &self.bodies {
            mean += bodies[b as usize].position;
            acceleration += bodies[b as usize].linear_acceleration;
        }
        mean /= self.bodies.len() as Real;
        let mut spread = Vec3::ZERO;
        for &b in &self.bodies {
            let d = bodies[b as usize].position - mean;
            spread += d * d;
        }
        let acceleration = acceleration.abs().to_array();
        let up = (0..3).fold(0, |up, k| if acceleration[k] > acceleration[up] { k } else { up });
        let mut spread = spread.to_array();
        if acceleration[up] > 0.0 {
            spread[up] = -1.0;
        }
        (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best })
    }

    /// Least and greatest position along the axis, and the mean radius.
    fn extent(&self, bodies: &[SolverBody], axis: usize) -> (Real, Real, Real) {
        let (mut low, mut high, mut radius) = (Real::INFINITY, Real::NEG_INFINITY, 0.0);
        for &b in &self.bodies {
            let body = &bodies[b as usize];
            low = low.min(body.position[axis]);
            high = high.max(body.position[axis]);
            radius += body.radius;
        }
        (low, high, radius / self.bodies.len() as Real)
    }

    /// Assigns each body to a subdomain: equal numbers, as near as bins allow.
    fn assign(&mut self, bodies: &[SolverBody], axis: usize, low: Real, high: Real, count: usize) {
        let scale = if high > low { BINS as Real / (high - low) } else { 0.0 };
        let bin = |b: u32| (((bodies[b as usize].position[axis] - low) * scale) as usize).min(BINS - 1);
        self.bins.clear();
        self.bins.resize(BINS, 0);
        for &b in &self.bodies {
            self.bins[bin(b)] += 1;
        }
        // From counts to the subdomain of each bin: by the middle of its bodies.
        let total = self.bodies.len().max(1);
        let mut before = 0;
        for bodies_in_bin in &mut self.bins {
            let middle = before + *bodies_in_bin as usize / 2;
            before += *bodies_in_bin as usize;
            *bodies_in_bin = (middle * count / total) as u32;
        }
        self.count = count;
        self.member_starts.clear();
        self.member_starts.resize(count + 1, 0);
        for &b in &self.bodies {
            let subdomain = self.bins[bin(b)];
            self.subdomain[b as usize] = subdomain;
            self.member_starts[subdomain as usize + 1] += 1;
        }
        self.members.clear();
        self.members.resize(self.bodies.len(), 0);
        spread(
            &mut self.member_starts,
            &mut self.members,
            self.bodies.iter().map(|&b| (b, self.subdomain[b as usize])),
        );
    }

    /// Sorts the contacts into buckets.
    fn sort(&mut self, list: &[u32], contacts: &[impl Edge], movable: &[bool]) {
        let (count, subdomain) = (self.count, &self.subdomain);
        let bucket = |c: u32| {
            let contact = &contacts[c as usize];
            let ends = contact.bodies().map(|b| if movable[b as usize] { subdomain[b as usize] } else { NONE });
            let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let bucket = match (low, high) {
                (NONE, NONE) => 0,
                (low, NONE) => low as usize,
                (low, high) if low == high => low as usize,
                (low, high) if low + 1 == high => count + low as usize,
                _ => 2 * count - 1,
            };
            bucket as u32
        };
        self.contact_starts.clear();
        self.contact_starts.resize(2 * count + 1, 0);
        for &c in list {
            self.contact_starts[bucket(c) as usize + 1] += 1;
        }
        self.contacts.clear();
        self.contacts.resize(list.len(), 0);
        spread(&mut self.contact_starts, &mut self.contacts, list.iter().map(|&c| (c, bucket(c))));
    }

    /// The buckets of a phase: interiors, even boundaries, odd boundaries, remainder. The odd ones
    /// begin with one before the first subdomain and, for an even number of subdomains, end with
    /// one after the last, both empty: then every subdomain is next to one odd boundary. An empty
    /// remainder is left out.
    pub fn phase(&self, phase: usize) -> impl Iterator<Item = Option<usize>> + use<> {
        let n = self.count;
        let odd = (0..n / 2 + 1).map(move |k| (0 < k && 2 * k < n).then(|| n + 2 * k - 1));
        let plain = match phase {
            0 => 0..n,
            1 => 0..n / 2,
            2 => 0..0,
            _ => 0..usize::from(self.contact_starts[2 * n - 1] < self.contact_starts[2 * n]),
        };
        let plain = plain.map(move |k| Some([k, n + 2 * k, 0, 2 * n - 1][phase]));
        plain.chain(odd.filter(move |_| phase == 2 && n > 1))
    }

    /// The contacts of a bucket.
    pub fn contacts(&self, bucket: Option<usize>) -> &[u32] {
        bucket.map_or(&[], |bucket| {
            &self.contacts[self.contact_starts[bucket] as usize..self.contact_starts[bucket + 1] as usize]
        })
    }

    /// The bodies of a bucket: those of a subdomain for its interior, none for others.
    pub fn bodies(&self, bucket: Option<usize>) -> &[u32] {
        bucket.filter(|&bucket| bucket < self.count).map_or(&[], |subdomain| {
            &self.members[self.member_starts[subdomain] as usize..self.member_starts[subdomain + 1] as usize]
        })
    }
}

/// Counting sort: `starts[k + 1]` holds the number of items in bucket k and becomes its end,
/// `starts[0]` becomes 0.
fn spread(starts: &mut [u32], out: &mut [u32], items: impl Iterator<Item = (u32, u32)>) {
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    for (item, bucket) in items {
        let at = &mut starts[bucket as usize];
        out[*at as usize] = item;
        *at += 1;
    }
    // Each start has advanced to the end of its bucket, which is the start of the next one.
    starts.rotate_right(1);
    starts[0] = 0;
}
