//! Tolerances of joints.

use super::{BASE_SUBSTEPS, CONTACT, ROUNDING};
use crate::math::Real;
use crate::math::consts::{PI, TAU};

/// Tolerances of joints.
pub(crate) struct Joints {
    /// CFM (constraint force mixing) of joints: fraction added to the diagonal of the Delassus
    /// matrix. Larger: heavy loads stretch light chains; smaller: rounding, or in `f64` substep
    /// errors, decide how redundant joints share a load, without bound.
    pub cfm: Real,
    /// CFM of bounded rows that may be redundant: limits and ropes in groups of several joints, and
    /// the friction of an axis with a motor. Larger: heavy loads stretch ropes and push limits in;
    /// smaller: rounding decides how they share a load, and loads tremble.
    pub bounded_row_cfm: Real,
    /// Maximum correction speed of position errors (m/s, rad/s). Larger: separated joints pass
    /// through obstacles between them; smaller: they close late.
    pub max_correction_speed: Real,
    /// ERP per substep of loops, with `Accuracy::Game`; 1 elsewhere. Nearly redundant taut joints
    /// answer a full correction of a tiny error with huge impulses. Larger: loaded pallets on
    /// chains explode; smaller: separated joints close late.
    pub loop_erp: Real,
    /// Energy guard: allowed relative energy gain of a group by its joints, with `Accuracy::Exact`
    /// (1/s). Larger: snapping chains gain energy; smaller: the oscillating error of the substep
    /// counts as a gain, and pendulums run down.
    pub energy_gain_rate: Real,
    /// Maximum couplings per joint, on average, of a group for the direct solver; a chain has 1, a
    /// 12 by 12 grid 10. Larger: grids cost a multiple of iterative joints; smaller: they have
    /// errors of millimetres.
    pub max_couplings: usize,
    /// ERP per substep of iterative joints. Larger: needs more `ITERATIVE_IMPULSE_DECAY`; smaller:
    /// errors close late.
    pub iterative_erp: Real,
    /// Substeps per 1/60 s of piles of small joint groups, such as ragdolls
    /// (`JOINTS.pile_max_joints`): islands with half to twice as many joints as bodies in contact.
    /// Larger: cost; smaller: bodies overlap by centimetres.
    pub pile_substeps: u32,
    /// Maximum joints of a group in a pile (`JOINTS.pile_substeps`). Larger: long chains and
    /// bridges get too few substeps and diverge under impacts; smaller: piles of ragdolls cost
    /// more.
    pub pile_max_joints: usize,
    /// Impulse prediction: maximum squared relative error of the last prediction. Larger:
    /// oscillating impulses are amplified; smaller: joints of falling ragdolls come apart by more.
    pub prediction_max_error2: Real,
    /// Geometric stiffness: maximum factor of an inertia. Larger: rounding destroys the inertia
    /// about the tension axis; smaller: tauter joints diverge.
    pub max_inertia_raise: Real,
    /// Contact force over weight above which the joints of a body are solved again after the
    /// contacts. Contacts and joints in turn converge by `r / (1 + r)` per substep at a load ratio
    /// `r`. Larger: loads creep on light planks; smaller: piles cost more.
    pub resolve_load_ratio: Real,
    /// Rotation per substep (rad) above which a group is linearised a second time; rotation by its
    /// last solution above which the substep is solved implicitly. The error of one linearisation is
    /// its square. Larger: joints come apart and correction adds energy; smaller: cost.
    pub relinearise_angle: Real,
    /// Sustained load: fraction of a rise that counts per step. Larger: landings ask for substeps
    /// like sustained loads; smaller: new loads are resolved too coarsely for more than half a
    /// second.
    pub sustained_load_filter: Real,
    /// Position-level solutions per substep, and sweeps of iterative joints, for `Game` and `Exact`.
    /// Each leaves the CFM as a fraction of the error. More: cost; fewer: larger joint errors.
    pub position_iterations: [u32; 2],
    /// Distance to a limit (rad, m), besides the motion of two steps, within which a joint needs a
    /// solver with limits. Larger: joints near limits leave the direct solver; smaller: limits are
    /// passed first.
    pub limit_margin: f64,
    /// Joint error (m, rad) at the end of a step that the direct solver leaves. Larger: joints
    /// drift that far; smaller: it works on rounding.
    pub direct_error: f64,
}

/// The values.
pub(crate) const JOINTS: Joints = Joints {
    cfm: if size_of::<Real>() == 8 { 1e-6 } else { CONTACT_FREE_CFM },
    bounded_row_cfm: 1e-2,
    max_correction_speed: 20.0,
    loop_erp: 0.25,
    energy_gain_rate: 0.02,
    max_couplings: 10,
    iterative_erp: 0.1,
    pile_substeps: 5,
    pile_max_joints: 24,
    prediction_max_error2: 0.25,
    max_inertia_raise: if size_of::<Real>() == 8 { 1e9 } else { 1e3 },
    resolve_load_ratio: 1.5,
    relinearise_angle: 0.02,
    sustained_load_filter: 1.0 / 32.0,
    position_iterations: [1, 3],
    limit_margin: 1e-2,
    direct_error: if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 },
};

/// Tolerances of the phase of an oscillation per substep.
pub(crate) struct SubstepPhase {
    /// Maximum phase per substep (rad) on taut iterative joints. Larger: above 2 they diverge;
    /// smaller: more substeps.
    pub stable: Real,
    /// Maximum phase per substep (rad) of a body that oscillates on taut joints (geometric
    /// stiffness). Larger: above 2 it diverges; smaller: more substeps. The frequency error is a
    /// twenty-fourth of the square.
    pub resolved: Real,
}

/// The values.
pub(crate) const SUBSTEP_PHASE: SubstepPhase = SubstepPhase { stable: 1.5, resolved: 0.5 };

/// CFM of contact-free groups with `Accuracy::Game`. Larger: chains stretch; smaller: linearisation
/// errors of fast rotations are amplified, and light chains tear under heavy balls.
pub(crate) const CONTACT_FREE_CFM: Real = 256.0 * f32::EPSILON as Real;

/// Substep length (s) below which the compliance by `JOINTS.cfm` no longer falls, with
/// `Accuracy::Game`. Larger: long chains hold loads more softly; smaller: taut bridges ask for ever
/// more substeps.
pub(crate) const CFM_REFERENCE_SUBSTEP: Real = 1.0 / (60.0 * BASE_SUBSTEPS as Real);

/// Impulse decay per substep of iterative joints. All modes are stable for at least half of
/// `JOINTS.iterative_erp` (Routh-Hurwitz). Larger: joint errors under loads grow by the ratio of
/// the two; smaller: slow modes diverge.
pub(crate) const ITERATIVE_IMPULSE_DECAY: Real = 0.5 * JOINTS.iterative_erp;

/// Substeps per 1/60 s of islands with iterative joints. Joint errors fall with the square; the
/// cost grows in proportion.
pub(crate) const ITERATIVE_SUBSTEPS: u32 = 2 * BASE_SUBSTEPS;

/// Substeps per 1/60 s of islands of joints without contacts. The period error of a pendulum of 1 m
/// is 1e-5 and falls with the square.
pub(crate) const JOINT_SUBSTEPS: u32 = BASE_SUBSTEPS / 2;

/// As `SUBSTEP_PHASE.resolved` (rad), in piles with impulse prediction (`IMPACTS.small_island`),
/// which is less stable. Larger: loaded chains in piles come apart; smaller: more substeps.
pub(crate) const PILE_SUBSTEP_PHASE: Real = 0.7 * SUBSTEP_PHASE.resolved;

/// Geometric stiffness: phase per substep (rad) above which inertias are raised, with
/// `Accuracy::Exact`. Larger: above 1.4 straight bridges diverge; smaller, below
/// `SUBSTEP_PHASE.resolved`: resolved motion changes.
pub(crate) const GEOMETRIC_STIFFNESS_PHASE: Real = 1.4 * SUBSTEP_PHASE.resolved;

/// Maximum further solutions of bounded groups in piles, while they rotate bodies by more than
/// `RELINEARISE_CONVERGED_ANGLE`. Smaller: struck limits are violated, and elbows come apart;
/// larger: cost.
pub(crate) const BOUNDED_EXTRA_ITERATIONS: u32 = 3;

/// Change of rotation (rad) by a solution below which a bounded group has converged: see
/// `BOUNDED_EXTRA_ITERATIONS`. Larger: the same as fewer solutions; smaller: cost at rest.
pub(crate) const RELINEARISE_CONVERGED_ANGLE: Real = 0.25 * JOINTS.relinearise_angle;

/// Maximum substeps of a step for peak loads of joints in contact. Larger: cost; smaller: joints of
/// falling ragdolls come apart. Sustained loads have no such maximum.
pub(crate) const IMPACT_LOAD_MAX_SUBSTEPS: u32 = 2 * BASE_SUBSTEPS;

/// Rotation per step (rad) above which a rotation vector is replaced by the equivalent one about
/// the opposite axis, or by whole turns: midway between pi, which it must exceed, and 2 pi, near which
/// the composition series fails.
pub(crate) const ROTATION_WRAP_ANGLE: Real = 0.5 * (PI + TAU);

/// Maximum rotation per substep (rad) of a body whose inertia rotates with it. Larger: precession
/// drifts, and above 1 energy grows; smaller: more substeps.
pub(crate) const GYROSCOPIC_ANGLE: Real = 0.5 * SUBSTEP_PHASE.resolved;

/// Length (m) below which rods and ropes are point constraints. Larger: loads hang too high by it;
/// smaller: the direction is rounding, and loads tremble.
pub(crate) const MIN_ROD_LENGTH: Real = 1e-2 * CONTACT.touching;

/// Rotation per step (rad) above which a jointed island is solved at its midpoint. Larger: hanging
/// bodies oscillate with it and never sleep; smaller: rounding triggers it.
pub(crate) const JOINT_MIDPOINT_ANGLE: f64 = 0.1 * JOINTS.direct_error;

/// Share of a row's response without locked axes below which it counts as none, and the row has no
/// effect. Larger: motors a degree off a locked axis do nothing. Smaller: they ask for velocities
/// that are a large multiple of their own.
pub(crate) const UNREACHABLE_RESPONSE: f64 = ROUNDING.single;
