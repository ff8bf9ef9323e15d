//! Islands with joints: the substep loop of contacts, with trees of joints in it.
//!
//! An island is solved from beginning to end by one worker, together with others of its plan until there is enough to do: a
//! [`Bundle`](bundle::Bundle). A substep solves the contacts and then the joints, moves the bodies, and relaxes the joints
//! and then the contacts: joints are exact when the bodies move, contacts have the last word about velocities.

mod answer;
mod bundle;
mod course;
mod plan;
mod shared;

use super::body::{BodyMotion, SolverBody};
use super::contact::ContactRef;
use super::joint::forest::{Forest, Tree};
use super::joint::net::is_clear;
use super::joint::tumble::Tumble;
use super::joint::{JointOutcome, JointRow, SolverJoint};
use super::layout::Survey;
use super::step::Parameters;
use crate::contact::Manifold;
use crate::math::Real;
use crate::parallel::{Apart, Helpers};
use crate::tolerances::{FORESEEN_CONTACTS, JOINED_TREE};
use bundle::{Bundle, Context, Scratch};
use plan::Kind;
pub use plan::swing_on;

/// The solver of islands with joints.
///
/// It owns its buffers, and is run by the step alone: the stage of resting fills [`Articulated::joints`] and
/// [`Articulated::rows`]. Nothing but buffers is kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Articulated {
    /// The joints of the step. Its trees are kept for as long as the same joints come in the same order.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub joints: Vec<SolverJoint>,
    /// Their rows.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub rows: Vec<JointRow>,
    /// The bodies that turn far within the step, by their numbers, which rise.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) tumbles: Vec<(u32, Tumble)>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    outcomes: Vec<JointOutcome>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    forest: Forest,
    #[cfg_attr(feature = "serialize", serde(skip))]
    movable: Vec<bool>,
    /// Trees by island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    trees: Vec<(u32, u32)>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    survey: Survey,
    #[cfg_attr(feature = "serialize", serde(skip))]
    scratch: Scratch,
    #[cfg_attr(feature = "serialize", serde(skip))]
    bundles: Vec<Bundle>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    used: usize,
    last_dt: Real,
}

/// A net is shared by all threads, before the others are handed out, if it is so many times as much as all others together.
const NET_SHARE: usize = 4;

/// How precisely joints are brought together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Once a substep.
    Game,
    /// Until nothing is left; but closed loops that are strained as in `Game`: see [`JOINT_STRAIN`](crate::tolerances::JOINT_STRAIN).
    Exact,
}

impl Articulated {
    /// Copies what it keeps between steps.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        self.last_dt = from.last_dt;
    }

    /// What each joint did, in the order of [`Articulated::joints`].
    pub fn outcomes(&self) -> &[JointOutcome] {
        &self.outcomes
    }

    /// The most substeps of an island in the last step.
    pub fn substeps(&self) -> u32 {
        self.bundles[..self.used].iter().map(Bundle::taken).max().unwrap_or(0)
    }

    /// Solves the islands of the joints, with their contacts, which are sorted by island.
    ///
    /// Writes the motions of the bodies of these islands, the impulses of the manifolds, the forces that rows had last, and
    /// the outcomes.
    ///
    /// # Panics
    /// If a joint or contact names a body, row or manifold that is not there.
    pub(crate) fn step(
        &mut self,
        (parameters, helpers): (&Parameters, &Helpers),
        precision: Precision,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &mut [Manifold],
        motions: &mut [BodyMotion],
    ) {
        self.outcomes.clear();
        self.outcomes.resize(self.joints.len(), JointOutcome::default());
        self.movable.clear();
        self.movable.extend(bodies.iter().map(SolverBody::movable));
        if !self.forest.fits(&self.joints, &self.rows, &self.movable) {
            self.forest.grow(&self.joints, &self.rows, &self.movable);
        }
        self.lay_out((parameters, helpers.threads() > 1), precision, bodies, contacts, pool);
        let context = Context {
            dt: parameters.dt,
            last_dt: if self.last_dt > 0.0 { self.last_dt } else { parameters.dt },
            stop: parameters.stop,
            bodies,
            contacts,
            pool,
            joints: &self.joints,
            rows: &self.rows,
            forest: &self.forest,
            tumbles: &self.tumbles,
        };
        let path = parameters.path;
        // What takes longer than a fair share is shared itself, before the others are handed out.
        let all = self.bundles[..self.used].iter().map(Bundle::weight).sum::<usize>();
        let is_shared = |bundle: &Bundle| {
            let (own, others) = (bundle.weight(), all - bundle.weight());
            // A net has much that only one thread does: it waits for nobody if it is most of all there is.
            bundle.is_wide() && helpers.threads() * own > all || NET_SHARE * others < own && bundle.has_wide_net()
        };
        for bundle in self.bundles[..self.used].iter_mut().filter(|bundle| is_shared(bundle)) {
            bundle.run(&context, path, helpers);
        }
        let alone = Helpers::default();
        helpers.for_each(&mut self.bundles[..self.used], true, |bundle| {
            if !is_shared(bundle) {
                bundle.run(&context, path, &alone);
            }
        });
        let (motions, pool) = (Apart::new(motions), Apart::new(pool));
        let (rows, outcomes) = (Apart::new(&mut self.rows), Apart::new(&mut self.outcomes));
        let (forest, joints) = (&self.forest, &self.joints);
        helpers.for_each(&mut self.bundles[..self.used], true, |bundle| {
            // SAFETY: a body that moves is in one bundle, and so are a contact, which has a manifold of its own, and a joint.
            unsafe {
                bundle.read(bodies, parameters.dt, &motions);
                bundle.read_contacts(contacts, &pool);
                bundle.read_joints(forest, parameters.dt, joints, &rows, &outcomes);
            }
        });
        self.last_dt = parameters.dt;
    }

    /// Puts islands into bundles.
    fn lay_out(
        &mut self,
        (parameters, shared): (&Parameters, bool),
        precision: Precision,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let Self { joints, rows, forest, trees, survey, bundles, used, scratch, movable, tumbles, .. } = self;
        trees.clear();
        let island = |tree: usize| joints[forest.joints(&forest.trees[tree])[0] as usize].island;
        trees.extend((0..forest.trees.len()).map(|tree| (island(tree), tree as u32)));
        trees.sort_unstable();
        scratch.begin(bodies.len());
        *used = 0;
        let mut open: Vec<(Kind, usize)> = Vec::new();
        let in_net = &|joint: u32| {
            let joint = &joints[joint as usize];
            is_clear(joint, &rows[joint.row_range()], bodies, parameters.dt)
        };
        let (mut at, mut contact) = (0, 0);
        while at < trees.len() {
            let name = trees[at].0;
            let own_trees = at..run_end(at, trees.len(), |k| trees[k].0 == name);
            let own_contacts = contact..run_end(contact, contacts.len(), |k| contacts[k].island == name);
            (at, contact) = (own_trees.end, own_contacts.end);
            let refs = &contacts[own_contacts.clone()];
            let own = || trees[own_trees.clone()].iter().map(|&(_, tree)| &forest.trees[tree as usize]);
            let is_small = |tree: &Tree| !tree.swept && forest.joints(tree).len() <= JOINED_TREE;
            let heaped = if own().all(is_small) { own().map(|tree| forest.joints(tree).len()).sum() } else { 0 };
            let contact_plan =
                (!refs.is_empty()).then(|| survey.plan_jointed(refs, heaped, bodies, movable, parameters.substeps));
            let net = own().any(|tree| tree.swept);
            let own_joints = own().flat_map(|tree| forest.joints(tree)).map(|&joint| &joints[joint as usize]);
            let ahead = precision == Precision::Game && refs.len() > FORESEEN_CONTACTS;
            let may_yield = |tree: &&Tree| plan::may_yield(forest, tree, !refs.is_empty());
            let mut yielding = own().filter(may_yield).flat_map(|tree| forest.joints(tree));
            let strained = |&joint: &u32| {
                let joint = &joints[joint as usize];
                plan::is_strained(joint, bodies, joint.load.mean)
            };
            let exact = (precision == Precision::Exact && (parameters.substeps.is_some() || !yielding.any(strained)))
                .then(|| own().any(|tree| may_yield(&tree)));
            let kind = plan::plan(contact_plan, (net, ahead), exact, own_joints, (bodies, tumbles), parameters);
            let number = match open.iter().find(|(other, _)| *other == kind) {
                Some(&(_, number)) => number,
                None => {
                    if *used == bundles.len() {
                        bundles.push(Bundle::default());
                    }
                    bundles[*used].begin(kind);
                    open.push((kind, *used));
                    *used += 1;
                    *used - 1
                }
            };
            let bundle = &mut bundles[number];
            bundle.add(number as u32, own_contacts, &trees[own_trees], forest, contacts, movable, in_net, scratch);
            // What yields does not take others with it.
            if bundle.is_full() || kind.yields_to.is_some() {
                open.retain(|&(_, full)| full != number);
            }
        }
        assert!(contact == contacts.len(), "a contact belongs to an island without joints");
        for bundle in &mut bundles[..*used] {
            bundle.close(joints, forest, contacts, movable, pool, (scratch, shared));
        }
    }
}

/// Where the run of things that are the `same` ends which begins at `first`, among so many.
fn run_end(first: usize, count: usize, same: impl Fn(usize) -> bool) -> usize {
    (first..count).find(|&k| !same(k)).unwrap_or(count)
}
