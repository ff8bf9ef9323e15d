//! Analysis of an island: its number of substeps, and of iterations over the points of a manifold
//! in a sweep.

use super::edge::Edge;
use crate::ids::NONE;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::tolerances::{BASE_SUBSTEPS, DEEP_ISLAND_LEVELS, ISLAND_ANALYSIS, JOINTS, WALL_BUCKLING_HEIGHT};

/// Greatest number of substeps by depth alone: a column of 120 bodies. One taller than 160 may
/// buckle.
pub(crate) const MAX_SUBSTEPS: u32 = 64;
/// Number of contacts above which an island gets no second iteration for a heavy body on light
/// ones.
const INNER_LIMIT: usize = 256;

/// Rate of the step that [`IslandPlan::substeps`] refers to (Hz).
const PLANNED_RATE: f64 = 60.0;
/// Fewest substeps of a step, however short, of an island with at most [`SMALL_ISLAND_CONTACTS`]
/// contacts: more sweeps hide the order of its contacts. With 2, a diamond of 5 rows falls
/// unevenly, by 11 cm in half a second.
const MIN_SUBSTEPS_SMALL: u32 = BASE_SUBSTEPS;
/// The same for a larger island, where the length of a substep decides.
const MIN_SUBSTEPS_LARGE: u32 = 2;
/// Greatest number of contacts of an island with [`MIN_SUBSTEPS_SMALL`].
const SMALL_ISLAND_CONTACTS: usize = 256;

/// Plan of the substepping solver for an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct IslandPlan {
    /// Substeps of a step of 1/60 s.
    pub substeps: u32,
    /// Fewest substeps of a step, however short.
    pub min_substeps: u32,
    /// Iterations over the points of a manifold in one sweep.
    pub inner: u32,
}

impl IslandPlan {
    /// Substeps of a step of `dt` (s): the length of a substep decides the stiffness of springs.
    pub fn substeps_for_step(&self, dt: Real) -> u32 {
        // A thousandth of a substep absorbs the rounding of a step meant to be 1/60 s.
        let substeps = f64::from(self.substeps) * f64::from(dt) * PLANNED_RATE - 1e-3;
        (substeps.ceil() as u32).max(self.min_substeps)
    }
}

/// Analyses one island after another; keeps its buffers.
#[derive(Clone, Default)]
pub(crate) struct IslandAnalysis {
    /// By body of the step: its index among the island's movable bodies, valid where `seen` equals
    /// `generation`.
    index_of: Vec<u32>,
    seen: Vec<u32>,
    generation: u32,
    /// By index: level above the support (0 while unknown), chain length, first neighbour.
    level: Vec<u32>,
    chain: Vec<u32>,
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    queue: Vec<u32>,
    members: Vec<u32>,
}

impl IslandAnalysis {
    /// The plan of an island with these contacts.
    ///
    /// A column of bodies on contact springs buckles when it is too tall for their stiffness, which
    /// grows with the square of the substeps: with bending stiffness `EI = k w² / 4` (w the width
    /// of a cube, k the spring of a face) its critical height is `(7.84 EI / q)^(1/3)` under its
    /// own weight q per metre: 40 cubes at 8 substeps with the springs of a tower, growing with the
    /// substeps to the power 2/3. A wall or pyramid one body thick buckles sideways in the same
    /// way; the sum of its springs is stiffer, and its mean height counts: its bodies over those of
    /// its widest level. A margin of 1.3 in height is left. The sink of a wide island grows with
    /// the square of its depth over the substeps: a deep one gets one substep more.
    pub fn plan(
        &mut self,
        refs: &[impl Edge],
        bodies: &[SolverBody],
        movable: &[bool],
        substeps: Option<u32>,
    ) -> IslandPlan {
        self.plan_jointed(refs, 0, bodies, movable, substeps).0
    }

    /// The same for an island with this number of joints in small groups, and whether it is a pile
    /// of jointed bodies: such a pile begins with `JOINTS.pile_substeps`.
    pub fn plan_jointed(
        &mut self,
        refs: &[impl Edge],
        joints: usize,
        bodies: &[SolverBody],
        movable: &[bool],
        substeps: Option<u32>,
    ) -> (IslandPlan, bool) {
        self.index_members(refs, bodies.len(), movable);
        let members = self.members.len();
        let is_pile = (members.div_ceil(2).max(1)..=2 * members).contains(&joints);
        let base = if is_pile { JOINTS.pile_substeps } else { BASE_SUBSTEPS };
        self.build_graph(refs, movable);
        let (depth, widest) = self.assign_levels();
        let count = self.members.len() as u32;
        let slender = if count <= ISLAND_ANALYSIS.slender_width * depth { depth } else { 0 };
        let chain = self.longest_chain();
        let column = f64::from(chain.max(slender)) / ISLAND_ANALYSIS.column_height;
        let height = f64::from(count) / f64::from(widest.max(1)) / WALL_BUCKLING_HEIGHT;
        let wide_and_deep = slender == 0 && depth >= DEEP_ISLAND_LEVELS;
        let asked = substeps_for(column.max(height)).max(base + u32::from(wide_and_deep));
        let top_heavy = refs.len() <= INNER_LIMIT && self.heavy_above_light(refs, bodies, movable);
        let plan = IslandPlan {
            substeps: substeps.unwrap_or(asked).max(1),
            min_substeps: if refs.len() > SMALL_ISLAND_CONTACTS {
                MIN_SUBSTEPS_LARGE
            } else {
                MIN_SUBSTEPS_SMALL.min(base)
            },
            inner: if chain >= ISLAND_ANALYSIS.tall_stack || top_heavy { 2 } else { 1 },
        };
        (plan, is_pile)
    }

    /// Numbers the movable bodies of the island in order of appearance.
    fn index_members(&mut self, refs: &[impl Edge], bodies: usize, movable: &[bool]) {
        if self.seen.len() != bodies || self.generation == u32::MAX {
            self.seen.clear();
            self.seen.resize(bodies, 0);
            self.index_of.clear();
            self.index_of.resize(bodies, 0);
            self.generation = 0;
        }
        self.generation += 1;
        self.members.clear();
        for contact in refs {
            for body in contact.bodies() {
                let b = body as usize;
                if movable[b] && self.seen[b] != self.generation {
                    self.seen[b] = self.generation;
                    self.index_of[b] = self.members.len() as u32;
                    self.members.push(body);
                }
            }
        }
    }

    /// Builds the graph of movable bodies; bodies on an immovable support are on level 1.
    fn build_graph(&mut self, refs: &[impl Edge], movable: &[bool]) {
        let count = self.members.len();
        self.level.clear();
        self.level.resize(count, 0);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for contact in refs {
            match contact.bodies().map(|b| movable[b as usize].then(|| self.index_of[b as usize] as usize)) {
                [Some(a), Some(b)] => {
                    self.starts[a] += 1;
                    self.starts[b] += 1;
                }
                [Some(body), None] | [None, Some(body)] => self.level[body] = 1,
                [None, None] => {}
            }
        }
        // Running ends; filling decrements them to starts.
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
                let [a, b] = bodies.map(|body| self.index_of[body as usize]);
                for (from, to) in [(a, b), (b, a)] {
                    let at = &mut self.starts[from as usize];
                    *at -= 1;
                    self.neighbours[*at as usize] = to;
                }
            }
        }
    }

    /// Levels by breadth-first search from the support; returns the highest level, and the most
    /// bodies on a level.
    fn assign_levels(&mut self) -> (u32, u32) {
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

    /// The neighbour of a body on a level, if there is exactly one.
    fn only_neighbour(&self, body: usize, level: u32) -> Option<u32> {
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

    /// Length of the longest chain of bodies that each stand on just one body that carries just
    /// one.
    fn longest_chain(&mut self) -> u32 {
        self.chain.clear();
        self.chain.resize(self.members.len(), 1);
        let mut longest = 0;
        for k in 0..self.queue.len() {
            let body = self.queue[k] as usize;
            let level = self.level[body];
            if level > 1
                && let Some(below) = self.only_neighbour(body, level - 1)
                && self.only_neighbour(below as usize, level) == Some(body as u32)
            {
                self.chain[body] = self.chain[below as usize] + 1;
            }
            longest = longest.max(self.chain[body]);
        }
        longest
    }

    /// True if a heavy body stands on a light one.
    fn heavy_above_light(&self, refs: &[impl Edge], bodies: &[SolverBody], movable: &[bool]) -> bool {
        refs.iter().any(|contact| {
            let [a, b] = contact.bodies().map(|body| body as usize);
            if !movable[a] || !movable[b] {
                return false;
            }
            let level = |body: usize| self.level[self.index_of[body] as usize];
            let (above, below) = if level(a) > level(b) { (a, b) } else { (b, a) };
            level(above) > level(below)
                && bodies[above].inverse_mass * ISLAND_ANALYSIS.heavy_ratio < bodies[below].inverse_mass
        })
    }
}

/// Substeps against buckling at this ratio of height to the height that the base number carries.
fn substeps_for(ratio: f64) -> u32 {
    // In f64 and with a square root, so that no library's power function affects the result.
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

    fn plan(pairs: &[(u32, u32)], bodies: &[SolverBody]) -> IslandPlan {
        let refs: Vec<_> = pairs.iter().map(|&(a, b)| ContactRef { a, b, ..ContactRef::default() }).collect();
        let movable: Vec<_> = bodies.iter().map(SolverBody::movable).collect();
        IslandAnalysis::default().plan(&refs, bodies, &movable, None)
    }

    fn column(height: u32) -> (Vec<(u32, u32)>, Vec<SolverBody>) {
        let mut bodies = vec![SolverBody::FIXED];
        bodies.extend((0..height).map(|_| body(1.0)));
        ((0..height).map(|k| (k, k + 1)).collect(), bodies)
    }

    #[test]
    fn a_column_gets_the_substeps_that_its_height_needs() {
        // Critical height at n substeps: 40 (n / 8)^(2/3) cubes.
        for (height, min_substeps) in [(20, 8), (30, 8), (40, 12), (52, 18), (63, 24), (83, 36)] {
            let (pairs, bodies) = column(height);
            let plan = plan(&pairs, &bodies);
            assert!(plan.substeps >= min_substeps && plan.inner == 2, "{height}: {plan:?}");
        }
        let (pairs, bodies) = column(1000);
        assert_eq!(plan(&pairs, &bodies).substeps, MAX_SUBSTEPS);
    }

    /// Plan of a pyramid.
    fn pyramid(base: u32) -> IslandPlan {
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
        assert_eq!(pyramid(10), IslandPlan { substeps: BASE_SUBSTEPS, min_substeps: MIN_SUBSTEPS_SMALL, inner: 1 });
        assert_eq!(pyramid(50), IslandPlan { substeps: BASE_SUBSTEPS + 1, min_substeps: MIN_SUBSTEPS_LARGE, inner: 1 });
        // With 100 rows it stands at 11 substeps and falls sideways at 8.
        assert!((11..=16).contains(&pyramid(100).substeps));
    }

    #[test]
    fn jointed_piles_begin_with_fewer_substeps_but_do_not_buckle() {
        let substeps = |height: u32, joints: usize| {
            let (pairs, bodies) = column(height);
            let refs: Vec<_> = pairs.iter().map(|&(a, b)| ContactRef { a, b, ..ContactRef::default() }).collect();
            let movable: Vec<_> = bodies.iter().map(SolverBody::movable).collect();
            IslandAnalysis::default().plan_jointed(&refs, joints, &bodies, &movable, None).0.substeps
        };
        assert_eq!([substeps(8, 0), substeps(8, 3), substeps(8, 17)], [BASE_SUBSTEPS; 3]);
        assert_eq!([substeps(8, 4), substeps(8, 16)], [JOINTS.pile_substeps; 2]);
        // Three quarters of the height that eight substeps carry.
        assert_eq!(substeps(21, 21), JOINTS.pile_substeps);
        assert!(substeps(23, 23) > JOINTS.pile_substeps);
        assert_eq!(substeps(60, 60), substeps(60, 0));
    }

    #[test]
    fn substeps_keep_their_length_but_never_fall_below_the_least() {
        let counts = |substeps, min_substeps| {
            let plan = IslandPlan { substeps, min_substeps, inner: 1 };
            [60.0, 120.0, 1000.0, 30.0, 50.0].map(|rate: Real| plan.substeps_for_step(1.0 / rate))
        };
        assert_eq!(counts(8, MIN_SUBSTEPS_SMALL), [8, 8, 8, 16, 10]);
        assert_eq!(counts(24, MIN_SUBSTEPS_SMALL), [24, 12, 8, 48, 29]);
        assert_eq!(counts(8, MIN_SUBSTEPS_LARGE), [8, 4, 2, 16, 10]);
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
    fn heavy_on_light_gets_two_iterations_and_light_on_heavy_one() {
        let pairs = [(0, 1), (1, 2)];
        let inner = |m1, m2| plan(&pairs, &[SolverBody::FIXED, body(m1), body(m2)]).inner;
        assert_eq!((inner(1.0, 100.0), inner(100.0, 1.0), inner(1.0, 5.0)), (2, 1, 1));
    }
}
