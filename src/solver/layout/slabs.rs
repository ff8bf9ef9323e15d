//! Cutting a large island into slabs.

use super::link::Link;
use crate::index::NONE;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;

/// Bodies in a slab. Fewer make more interfaces, more leave cores idle.
const SLAB: usize = 128;
/// Bins along the axis, for cutting without sorting.
const BINS: usize = 2048;

/// The slabs of one island and the contacts inside and between them.
#[derive(Clone, Default)]
pub(super) struct Slabs {
    slabs: usize,
    /// By body of the step: its slab, or [`NONE`].
    slab: Vec<u32>,
    /// The movable bodies of the island, later by slab.
    bodies: Vec<u32>,
    members: Vec<u32>,
    member_starts: Vec<u32>,
    /// Contacts by bucket: insides, then interfaces, then the rest.
    contacts: Vec<u32>,
    contact_starts: Vec<u32>,
    bins: Vec<u32>,
}

impl Slabs {
    /// Cuts an island with these contacts (`list` into `contacts`).
    pub fn cut(&mut self, list: &[u32], contacts: &[impl Link], bodies: &[SolverBody], movable: &[bool]) {
        self.slab.clear();
        self.slab.resize(bodies.len(), NONE);
        self.bodies.clear();
        for &c in list {
            let contact = &contacts[c as usize];
            for body in contact.bodies() {
                if movable[body as usize] && self.slab[body as usize] == NONE {
                    self.slab[body as usize] = 0;
                    self.bodies.push(body);
                }
            }
        }
        let axis = self.axis(bodies);
        let mut slabs = self.bodies.len() / SLAB;
        let (low, high, radius) = self.extent(bodies, axis);
        if radius > 0.0 {
            // A slab thinner than a body has contacts that reach past its neighbour.
            slabs = slabs.min(((high - low) / (2.0 * radius)) as usize);
        }
        // Even shares for two, four, and where there are many slabs eight threads.
        slabs = match slabs {
            0..3 => slabs.max(1),
            3..16 => (slabs + 1) & !3,
            _ => slabs & !7,
        };
        self.assign(bodies, axis, low, high, slabs);
        self.sort(list, contacts, movable);
    }

    /// The longer axis among those across the islands's acceleration; of all three if it has none.
    fn axis(&self, bodies: &[SolverBody]) -> usize {
        let (mut mean, mut pull) = (Vec3::ZERO, Vec3::ZERO);
        for &b in &self.bodies {
            mean += bodies[b as usize].position;
            pull += bodies[b as usize].linear_acceleration;
        }
        mean /= self.bodies.len() as Real;
        let mut spread = Vec3::ZERO;
        for &b in &self.bodies {
            let d = bodies[b as usize].position - mean;
            spread += d * d;
        }
        let pull = pull.abs().to_array();
        let up = (0..3).fold(0, |up, k| if pull[k] > pull[up] { k } else { up });
        let mut spread = spread.to_array();
        if pull[up] > 0.0 {
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

    /// Gives each body its slab: equal numbers, as near as bins allow.
    fn assign(&mut self, bodies: &[SolverBody], axis: usize, low: Real, high: Real, slabs: usize) {
        let scale = if high > low { BINS as Real / (high - low) } else { 0.0 };
        let bin = |b: u32| (((bodies[b as usize].position[axis] - low) * scale) as usize).min(BINS - 1);
        self.bins.clear();
        self.bins.resize(BINS, 0);
        for &b in &self.bodies {
            self.bins[bin(b)] += 1;
        }
        // From counts to the slab of each bin: where the middle of its bodies falls.
        let total = self.bodies.len().max(1);
        let mut before = 0;
        for count in &mut self.bins {
            let middle = before + *count as usize / 2;
            before += *count as usize;
            *count = (middle * slabs / total) as u32;
        }
        self.slabs = slabs;
        self.member_starts.clear();
        self.member_starts.resize(slabs + 1, 0);
        for &b in &self.bodies {
            let slab = self.bins[bin(b)];
            self.slab[b as usize] = slab;
            self.member_starts[slab as usize + 1] += 1;
        }
        self.members.clear();
        self.members.resize(self.bodies.len(), 0);
        spread(&mut self.member_starts, &mut self.members, self.bodies.iter().map(|&b| (b, self.slab[b as usize])));
    }

    /// Sorts the contacts into buckets.
    fn sort(&mut self, list: &[u32], contacts: &[impl Link], movable: &[bool]) {
        let (slabs, slab) = (self.slabs, &self.slab);
        let bucket = |c: u32| {
            let contact = &contacts[c as usize];
            let sides = contact.bodies().map(|b| if movable[b as usize] { slab[b as usize] } else { NONE });
            let (low, high) = (sides[0].min(sides[1]), sides[0].max(sides[1]));
            let bucket = match (low, high) {
                (NONE, NONE) => 0,
                (low, NONE) => low as usize,
                (low, high) if low == high => low as usize,
                (low, high) if low + 1 == high => slabs + low as usize,
                _ => 2 * slabs - 1,
            };
            bucket as u32
        };
        self.contact_starts.clear();
        self.contact_starts.resize(2 * slabs + 1, 0);
        for &c in list {
            self.contact_starts[bucket(c) as usize + 1] += 1;
        }
        self.contacts.clear();
        self.contacts.resize(list.len(), 0);
        spread(&mut self.contact_starts, &mut self.contacts, list.iter().map(|&c| (c, bucket(c))));
    }

    /// The buckets of a phase: insides, even interfaces, odd interfaces, the rest. The odd ones begin with one before
    /// the first slab and, where the number of slabs is even, end with one after the last, which are empty: then every slab
    /// is next to one odd interface. The rest is left out if it is empty.
    pub fn phase(&self, phase: usize) -> impl Iterator<Item = Option<usize>> + use<> {
        let n = self.slabs;
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

    /// The bodies that belong to a bucket: those of a slab for its inside, none else.
    pub fn bodies(&self, bucket: Option<usize>) -> &[u32] {
        bucket
            .filter(|&bucket| bucket < self.slabs)
            .map_or(&[], |slab| &self.members[self.member_starts[slab] as usize..self.member_starts[slab + 1] as usize])
    }
}

/// Counting sort: `starts[k + 1]` holds the number of things in bucket k and comes out as its end, `starts[0]` as 0.
fn spread(starts: &mut [u32], out: &mut [u32], things: impl Iterator<Item = (u32, u32)>) {
    for k in 1..starts.len() {
        starts[k] += starts[k - 1];
    }
    for (thing, bucket) in things {
        let at = &mut starts[bucket as usize];
        out[*at as usize] = thing;
        *at += 1;
    }
    // Each start has walked to its bucket's end, which is the next one's start.
    starts.rotate_right(1);
    starts[0] = 0;
}
