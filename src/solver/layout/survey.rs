//! What an island needs: how many substeps, and how often a visit goes over its points.

use super::link::Link;
use crate::index::NONE;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::tolerances::{
    BUCKLING_DEPTH, BUCKLING_HEIGHT, DEEP_ISLAND, HEAVY_RATIO, JOINED_SUBSTEPS, SLENDER_WIDTH, TALL_CHAIN,
};

/// Substeps of a step for an island that nothing speaks against.
pub(crate) const BASE_SUBSTEPS: u32 = 8;
/// The most substeps that depth alone asks for: a column of 120 bodies. One taller than 160 may buckle.
pub(crate) const MAX_SUBSTEPS: u32 = 64;
/// An island of more contacts is not gone over twice for a heavy body on light ones.
const INNER_LIMIT: usize = 256;

/// The step that [`Plan::substeps`] are for (Hz).
const PLANNED_RATE: f64 = 60.0;
/// The fewest substeps of a step, however short, of an island with at most [`FEW`] contacts: the more a step goes over them,
/// the less the order of its contacts shows. With 2 a diamond of 5 rows falls unevenly, its sides 11 cm apart after half a
/// second where 10 are allowed.
const LEAST_OF_FEW: u32 = BASE_SUBSTEPS;
/// The same for a larger island, where it is the length of a substep that counts.
const LEAST_OF_MANY: u32 = 2;
/// See [`LEAST_OF_FEW`].
const FEW: usize = 256;

/// How an island is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Plan {
    /// Substeps of a 60th of a second.
    pub substeps: u32,
    /// The fewest substeps of a step, however short.
    pub least: u32,
    /// Times that the points of a manifold are gone over in one visit.
    pub inner: u32,
}

impl Plan {
    /// The substeps of a step of `dt` (s): it is the length of a substep that makes springs stiff.
    pub fn within(&self, dt: Real) -> u32 {
        // A thousandth of a substep forgives the rounding of a step meant to be a 60th.
        let substeps = f64::from(self.substeps) * f64::from(dt) * PLANNED_RATE - 1e-3;
        (substeps.ceil() as u32).max(self.least)
    }
}

/// Looks at one island after another; keeps its buffers.
#[derive(Clone, Default)]
pub(crate) struct Survey {
    /// By body of the step: its place among the island's movable bodies, good where `seen` names the island at hand.
    place: Vec<u32>,
    seen: Vec<u32>,
    turn: u32,
    /// By place: level above the support (0 while unknown), chain, first neighbour.
    level: Vec<u32>,
    chain: Vec<u32>,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    queue: Vec<u32>,
    members: Vec<u32>,
}

impl Survey {
    /// The plan of an island with these contacts.
    ///
    /// A column of bodies on contact springs buckles when it is too tall for their stiffness, which grows with the
    /// square of the substeps: with bending stiffness `EI = k w² / 4` (w the width of a cube, k the spring of
    /// a face) its critical height is `(7.84 EI / q)^(1/3)` under its own weight q a metre: 40 cubes at 8 substeps with
    /// the springs of a tower, and the substeps to the power 2/3 more. A wall or pyramid one body thick does the same
    /// sideways; it has stiffer springs in sum, and what counts is its mean height, the bodies over those of its
    /// widest level. A margin of 1.3 in height is left. The sink of a wide island grows with the square of its depth over
    /// the substeps: a deep one gets one substep more.
    pub fn plan(&mut self, refs: &[impl Link], bodies: &[SolverBody], movable: &[bool], substeps: Option<u32>) -> Plan {
        self.plan_jointed(refs, 0, bodies, movable, substeps).0
    }

    /// The same for an island with so many joints in small trees, and whether it is a heap of bodies on joints: such a one begins with
    /// [`JOINED_SUBSTEPS`].
    pub fn plan_jointed(
        &mut self,
        refs: &[impl Link],
        joints: usize,
        bodies: &[SolverBody],
        movable: &[bool],
        substeps: Option<u32>,
    ) -> (Plan, bool) {
        self.number(refs, bodies.len(), movable);
        let members = self.members.len();
        let heap = (members.div_ceil(2).max(1)..=2 * members).contains(&joints);
        let base = if heap { JOINED_SUBSTEPS } else { BASE_SUBSTEPS };
        self.connect(refs, movable);
        let (depth, widest) = self.climb();
        let count = self.members.len() as u32;
        let slender = if count <= SLENDER_WIDTH * depth { depth } else { 0 };
        let chain = self.chains();
        let column = f64::from(chain.max(slender)) / BUCKLING_DEPTH;
        let height = f64::from(count) / f64::from(widest.max(1)) / BUCKLING_HEIGHT;
        let wide_and_deep = slender == 0 && depth >= DEEP_ISLAND;
        let asked = substeps_for(column.max(height)).max(base + u32::from(wide_and_deep));
        let top_heavy = refs.len() <= INNER_LIMIT && self.heavy_above_light(refs, bodies, movable);
        let plan = Plan {
            substeps: substeps.unwrap_or(asked).max(1),
            least: if refs.len() > FEW { LEAST_OF_MANY } else { LEAST_OF_FEW.min(base) },
            inner: if chain >= TALL_CHAIN || top_heavy { 2 } else { 1 },
        };
        (plan, heap)
    }

    /// Numbers the island's movable bodies in order of appearance.
    fn number(&mut self, refs: &[impl Link], bodies: usize, movable: &[bool]) {
        if self.seen.len() != bodies || self.turn == u32::MAX {
            self.seen.clear();
            self.seen.resize(bodies, 0);
            self.place.clear();
            self.place.resize(bodies, 0);
            self.turn = 0;
        }
        self.turn += 1;
        self.members.clear();
        for contact in refs {
            for body in contact.bodies() {
                let b = body as usize;
                if movable[b] && self.seen[b] != self.turn {
                    self.seen[b] = self.turn;
                    self.place[b] = self.members.len() as u32;
                    self.members.push(body);
                }
            }
        }
    }

    /// Builds the graph of movable bodies; those that something immovable supports are on level 1.
    fn connect(&mut self, refs: &[impl Link], movable: &[bool]) {
        let count = self.members.len();
        self.level.clear();
        self.level.resize(count, 0);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for contact in refs {
            match contact.bodies().map(|b| movable[b as usize].then(|| self.place[b as usize] as usize)) {
                [Some(a), Some(b)] => {
                    self.starts[a] += 1;
                    self.starts[b] += 1;
                }
                [Some(body), None] | [None, Some(body)] => self.level[body] = 1,
                [None, None] => {}
            }
        }
        // Running ends; filling walks them back to starts.
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.neighbours.clear();
        self.neighbours.resize(sum as usize, 0);
        for contact in refs {
            let bodies = contact.bodies();
            if bodies.iter().all(|&b| movable[b as usize]) {
                let [a, b] = bodies.map(|body| self.place[body as usize]);
                for (from, to) in [(a, b), (b, a)] {
                    let at = &mut self.starts[from as usize];
                    *at -= 1;
                    self.neighbours[*at as usize] = to;
                }
            }
        }
    }

    /// Levels by breadth-first search from the support; returns the highest, and the most bodies of a level.
    fn climb(&mut self) -> (u32, u32) {
        self.queue.clear();
        self.queue.extend((0..self.members.len() as u32).filter(|&b| self.level[b as usize] == 1));
        let mut next = 0;
        let (mut depth, mut here, mut widest) = (0, 0, 0);
        while next < self.queue.len() {
            let body = self.queue[next] as usize;
            next += 1;
            here = if self.level[body] == depth { here + 1 } else { 1 };
            widest = widest.max(here);
            depth = self.level[body];
            for k in self.starts[body]..self.starts[body + 1] {
                let other = self.neighbours[k as usize];
                if self.level[other as usize] == 0 {
                    self.level[other as usize] = depth + 1;
                    self.queue.push(other);
                }
            }
        }
        (depth, widest)
    }

    /// The one neighbour of a body on a level, if there is exactly one.
    fn only(&self, body: usize, level: u32) -> Option<u32> {
        let mut found = NONE;
        for &other in &self.neighbours[self.starts[body] as usize..self.starts[body + 1] as usize] {
            if self.level[other as usize] == level && other != found {
                if found != NONE {
                    return None;
                }
                found = other;
            }
        }
        (found != NONE).then_some(found)
    }

    /// The longest run of bodies that each stand on just one that carries just one.
    fn chains(&mut self) -> u32 {
        self.chain.clear();
        self.chain.resize(self.members.len(), 1);
        let mut longest = 0;
        for k in 0..self.queue.len() {
            let body = self.queue[k] as usize;
            let level = self.level[body];
            if level > 1
                && let Some(below) = self.only(body, level - 1)
                && self.only(below as usize, level) == Some(body as u32)
            {
                self.chain[body] = self.chain[below as usize] + 1;
            }
            longest = longest.max(self.chain[body]);
        }
        longest
    }

    /// Whether a heavy body stands on a light one.
    fn heavy_above_light(&self, refs: &[impl Link], bodies: &[SolverBody], movable: &[bool]) -> bool {
        refs.iter().any(|contact| {
            let [a, b] = contact.bodies().map(|body| body as usize);
            if !movable[a] || !movable[b] {
                return false;
            }
            let level = |body: usize| self.level[self.place[body] as usize];
            let (above, below) = if level(a) > level(b) { (a, b) } else { (b, a) };
            level(above) > level(below) && bodies[above].inverse_mass * HEAVY_RATIO < bodies[below].inverse_mass
        })
    }
}

/// The substeps that something needs not to buckle: it is this many times as high as what stands at the base.
fn substeps_for(ratio: f64) -> u32 {
    // In f64 and with a square root, so that no library's power function decides.
    let substeps = (f64::from(BASE_SUBSTEPS) * ratio * ratio.sqrt()).ceil() as u32;
    substeps.clamp(1, MAX_SUBSTEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;
    use crate::solver::contact::ContactRef;

    fn body(mass: Real) -> SolverBody {
        SolverBody { inverse_mass: 1.0 / mass, ..SolverBody::FIXED }
    }

    fn plan(pairs: &[(u32, u32)], bodies: &[SolverBody]) -> Plan {
        let refs: Vec<_> = pairs.iter().map(|&(a, b)| ContactRef { a, b, ..ContactRef::default() }).collect();
        let movable: Vec<_> = bodies.iter().map(SolverBody::movable).collect();
        Survey::default().plan(&refs, bodies, &movable, None)
    }

    fn column(height: u32) -> (Vec<(u32, u32)>, Vec<SolverBody>) {
        let mut bodies = vec![SolverBody::FIXED];
        bodies.extend((0..height).map(|_| body(1.0)));
        ((0..height).map(|k| (k, k + 1)).collect(), bodies)
    }

    #[test]
    fn a_column_gets_the_substeps_that_its_height_needs() {
        // The critical height of n substeps is 40 (n / 8)^(2/3) cubes.
        for (height, least) in [(20, 8), (30, 8), (40, 12), (52, 18), (63, 24), (83, 36)] {
            let (pairs, bodies) = column(height);
            let plan = plan(&pairs, &bodies);
            assert!(plan.substeps >= least && plan.inner == 2, "{height}: {plan:?}");
        }
        let (pairs, bodies) = column(1000);
        assert_eq!(plan(&pairs, &bodies).substeps, MAX_SUBSTEPS);
    }

    /// The plan of a pyramid.
    fn pyramid(base: u32) -> Plan {
        let (mut pairs, mut bodies, mut below) = (Vec::new(), vec![SolverBody::FIXED], 1);
        for row in 0..base {
            let first = bodies.len() as u32;
            for k in 0..base - row {
                let me = first + k;
                bodies.push(body(1.0));
                if row == 0 {
                    pairs.push((0, me));
                } else {
                    pairs.extend([(below + k, me), (below + k + 1, me)]);
                }
            }
            below = first;
        }
        plan(&pairs, &bodies)
    }

    #[test]
    fn a_pyramid_needs_more_than_the_base_only_when_it_would_buckle() {
        assert_eq!(pyramid(10), Plan { substeps: BASE_SUBSTEPS, least: LEAST_OF_FEW, inner: 1 });
        assert_eq!(pyramid(50), Plan { substeps: BASE_SUBSTEPS + 1, least: LEAST_OF_MANY, inner: 1 });
        // Of 100 rows it stands at 11 substeps and falls sideways at 8, measured.
        assert!((11..=16).contains(&pyramid(100).substeps));
    }

    #[test]
    fn what_hangs_on_joints_begins_with_fewer_but_does_not_buckle() {
        let substeps = |height: u32, joints: usize| {
            let (pairs, bodies) = column(height);
            let refs: Vec<_> = pairs.iter().map(|&(a, b)| ContactRef { a, b, ..ContactRef::default() }).collect();
            let movable: Vec<_> = bodies.iter().map(SolverBody::movable).collect();
            Survey::default().plan_jointed(&refs, joints, &bodies, &movable, None).0.substeps
        };
        assert_eq!([substeps(8, 0), substeps(8, 3), substeps(8, 17)], [BASE_SUBSTEPS; 3]);
        assert_eq!([substeps(8, 4), substeps(8, 16)], [JOINED_SUBSTEPS; 2]);
        // Three quarters of the height that eight substeps bear.
        assert_eq!(substeps(21, 21), JOINED_SUBSTEPS);
        assert!(substeps(23, 23) > JOINED_SUBSTEPS);
        assert_eq!(substeps(60, 60), substeps(60, 0));
    }

    #[test]
    fn substeps_keep_their_length_but_never_fall_below_the_least() {
        let counts = |substeps, least| {
            let plan = Plan { substeps, least, inner: 1 };
            [60.0, 120.0, 1000.0, 30.0, 50.0].map(|rate: Real| plan.within(1.0 / rate))
        };
        assert_eq!(counts(8, LEAST_OF_FEW), [8, 8, 8, 16, 10]);
        assert_eq!(counts(24, LEAST_OF_FEW), [24, 12, 8, 48, 29]);
        assert_eq!(counts(8, LEAST_OF_MANY), [8, 4, 2, 16, 10]);
    }

    #[test]
    fn a_column_inside_a_wide_island_is_found() {
        let (mut pairs, mut bodies) = column(40);
        // A hundred bodies on the ground beside it, in a row that ends at the column.
        for _ in 0..100 {
            let me = bodies.len() as u32;
            bodies.push(body(1.0));
            pairs.extend([(0, me), (if me == 41 { 1 } else { me - 1 }, me)]);
        }
        assert!(plan(&pairs, &bodies).substeps > BASE_SUBSTEPS);
    }

    #[test]
    fn heavy_on_light_is_gone_over_twice_and_light_on_heavy_is_not() {
        let pairs = [(0, 1), (1, 2)];
        let inner = |m1, m2| plan(&pairs, &[SolverBody::FIXED, body(m1), body(m2)]).inner;
        assert_eq!((inner(1.0, 100.0), inner(100.0, 1.0), inner(1.0, 5.0)), (2, 1, 1));
    }
}
