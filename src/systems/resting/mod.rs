//! Stage 8, **resting**: the contacts that last, as forces over the step.
//!
//! Islands that the exact laws can take in good time go to them (`exact`); all others, and those on which the exact laws
//! fail, to the scalable solver (`scalable`), or where there are joints to that of trees of joints (`joined`). With
//! `Accuracy::Exact` joints beside contacts are rows of the exact laws (`knots`), unless they have motors, springs or friction, or are
//! near a limit. Both start from the impulses in the manifolds and leave theirs there, so that
//! an island may change hands between two steps.

mod certify;
mod choice;
mod exact;
mod halfway;
mod held;
mod joined;
mod knots;
mod moved;
mod posing;
mod riding;
mod scalable;

use crate::contact::kernels::PairKernels;
use crate::kept::{copy_each, copy_fields};
use crate::math::Real;
use crate::settings::Accuracy;
use crate::solver::{JointRow, Parameters};
use crate::systems::state::State;
use crate::systems::waking;
use crate::tolerances::{EXACT_STOP, EXACT_SUBSTEPS, ROOM_FOR_HELP, STEADY_AWAKE};
pub(crate) use certify::certify;
use choice::Wait;
use exact::Work;
use halfway::Halfway;
pub(crate) use posing::pose;

/// Who solves an island in this step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hands {
    /// The scalable solver.
    Scalable,
    /// The solver of islands with joints.
    Joined,
    /// The exact laws; whether they proved it at rest.
    Exact { rests: bool },
}

/// Buffers kept between steps.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "islands come and go by the hundred: pointers move between the lists, not searches")]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Resting {
    #[cfg_attr(feature = "serialize", serde(skip))]
    scalable: scalable::Buffers,
    #[cfg_attr(feature = "serialize", serde(skip))]
    joined: joined::Buffers,
    /// Islands that go to the exact laws, by their least slots, and those of the last step. What an island's search keeps
    /// lasts as long as its name is the same.
    works: Vec<Box<Work>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    before: Vec<Box<Work>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    spare: Vec<Box<Work>>,
    /// What each island is like.
    #[cfg_attr(feature = "serialize", serde(skip))]
    traits: Vec<choice::Traits>,
    /// What joints ask.
    #[cfg_attr(feature = "serialize", serde(skip))]
    rows: Vec<JointRow>,
    /// The place of each slot in its island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    place: Vec<u32>,
    /// How long the island of this name (least slot) stays with the scalable solver after the exact laws failed on it or took
    /// too long.
    wait: Vec<Wait>,
    /// Counts the steps: which islands are asked anew whether they still rest.
    turn: u32,
    /// The step that the manifolds' impulses belong to (s).
    last_dt: Real,
    /// Who solved each island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub hands: Vec<Hands>,
    /// Mean acceleration of each slot over the step (m/s²), as the scalable solver left it.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub residual: Vec<Real>,
    /// Whether a contact pushed each slot in this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub pushed: Vec<bool>,
}

impl Resting {
    /// Forgets what islands were like: each begins anew.
    pub(crate) fn forget(&mut self) {
        self.works.clear();
    }

    /// Copies what outlives a step.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; wait, turn, last_dt);
        copy_each(&mut self.works, &from.works, |into, from| into.copy_kept(from));
    }
}

#[cfg(feature = "serialize")]
impl Resting {
    /// Whether the islands in the hands of the exact laws can be gone on with.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn check_sound(&self, slots: usize) -> Result<(), &'static str> {
        let sound = self.works.iter().all(|work| work.is_sound(slots))
            && self.works.windows(2).all(|two| two[0].name < two[1].name)
            && self.last_dt >= 0.0
            && self.last_dt.is_finite();
        if sound { Ok(()) } else { Err("an island at rest") }
    }
}

/// Runs the stage; `edits` tells whether the game has a say in every contact.
pub fn run(state: &mut State, kernels: &PairKernels, edits: bool) {
    waking::renew_impulses(state, state.resting.last_dt);
    let State { bodies, colliders, contacts, islands, joints, resting, settings, dt, counts, events, helpers, .. } =
        state;
    let slots = bodies.slots();
    resting.residual.resize(slots, 0.0);
    resting.wait.resize(slots, Wait::default());
    resting.pushed.clear();
    resting.pushed.resize(slots, false);
    resting.hands.clear();
    let hands = |joints: bool| if joints { Hands::Joined } else { Hands::Scalable };
    resting.hands.extend(islands.islands.iter().map(|island| hands(!island.joint_range().is_empty())));
    (counts.exact_islands, counts.pivot_solves, counts.lp_solves, counts.fallbacks) = (0, 0, 0, 0);
    counts.held_islands = 0;
    resting.turn = resting.turn.wrapping_add(1);

    let points = choice::choose((bodies, contacts, joints), islands, settings, *dt, resting);
    if !resting.works.is_empty() {
        let context = posing::Context {
            bodies,
            colliders,
            graph: contacts,
            joints,
            islands,
            place: &resting.place,
            settings,
            dt: *dt,
            turn: resting.turn,
            scale: if resting.last_dt > 0.0 { f64::from(*dt / resting.last_dt) } else { 1.0 },
        };
        let halfway = Halfway { kernels, edits };
        helpers.for_each(&mut resting.works, points >= ROOM_FOR_HELP, |work| work.run(&context, &halfway));
        let hurried = exact::is_hurried(settings);
        for work in &mut resting.works {
            exact::count(work, counts);
            if exact::failed(work, settings.resting_law) {
                counts.fallbacks += 1;
                resting.wait[work.name as usize] = Wait::FAILED;
                continue;
            }
            if work.tires() && hurried {
                resting.wait[work.name as usize] = Wait::tired(work.steady);
            }
            resting.hands[work.island as usize] = Hands::Exact { rests: work.rests };
            exact::apply(work, islands, bodies, contacts, (joints, events), &mut resting.pushed);
        }
    }
    resting.last_dt = *dt;
    counts.exact_islands = resting.hands.iter().filter(|hands| matches!(hands, Hands::Exact { .. })).count();
    counts.solver_islands = islands.islands.len() - counts.exact_islands;
    counts.substeps = 0;
    let mut parameters = Parameters { substeps: settings.substeps, ..Parameters::new(*dt) };
    if !settings.rest {
        parameters.stop = STEADY_AWAKE;
    }
    if settings.accuracy == Accuracy::Exact {
        parameters.stop = EXACT_STOP;
    }
    let usual = (settings.accuracy == Accuracy::Exact).then_some(EXACT_SUBSTEPS);
    scalable::run(state, &Parameters { substeps: parameters.substeps.or(usual), ..parameters });
    joined::run(state, &parameters);
    scalable::keep_composites(&mut state.contacts);
}
