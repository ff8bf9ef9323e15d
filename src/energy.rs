//! The account of energy of a step: what each island had, was given, lost and has.
//!
//! The account balances by construction: `after = before + gravity + forces + joints + kinematic +
//! push_out - impacts - damping - friction + gained`. Work is taken along the displacements of the
//! step, so a body that is lifted has to pay for its height, unless it is pushed out of an overlap
//! that it had at the step's start. What the solvers took is the remainder,
//! [`EnergyBalance::friction`]; where the whole is a gain, it is [`EnergyBalance::gained`] instead.

use std::ops::{AddAssign, Range};

/// Energy of bodies over one step (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct EnergyBalance {
    /// Kinetic energy before the impacts of the step, after the game's impulses.
    pub before: f64,
    /// Kinetic energy at its end.
    pub after: f64,
    /// Work of gravity: the potential energy that was given up.
    pub gravity: f64,
    /// Work of external forces and torques.
    pub forces: f64,
    /// Work of joints with motors or springs, less what their friction took.
    pub joints: f64,
    /// Work of moving kinematic bodies and surfaces.
    pub kinematic: f64,
    /// Work of pushing bodies out of overlaps and of closing the gaps of joints, against gravity and
    /// forces: at most the island's deepest overlap or widest gap at the step's start, times the sum
    /// of these forces.
    pub push_out: f64,
    /// Kinetic energy lost in impacts, those of continuous collision detection excepted, between the
    /// velocities extrapolated to the step's start; the rest is in `friction`.
    pub impacts: f64,
    /// Energy taken by [`Damping`](crate::Damping).
    pub damping: f64,
    /// The remainder: energy taken by friction, by contacts that close without an impact, by
    /// impacts of continuous collision detection, and by velocity limits. Negative where the
    /// solvers gave back some of what impacts took.
    pub friction: f64,
    /// Energy that came from nowhere: all that is above the energy before and the work.
    pub gained: f64,
    /// The part of it that was taken out again (see
    /// [`Settings::energy_guard`](crate::Settings::energy_guard)); `after` is without it.
    pub removed: f64,
}

impl EnergyBalance {
    /// All work done on the bodies.
    pub fn work(&self) -> f64 {
        self.gravity + self.forces + self.joints + self.kinematic + self.push_out
    }

    /// The energy beyond what was there and all work but that of push-out; negative for a loss.
    pub(crate) fn surplus(&self) -> f64 {
        self.after - self.before - self.gravity - self.forces - self.joints - self.kinematic
    }

    /// The share of the step's way (0 to 1) after which gravity and forces have taken `excess` (J)
    /// less than on the whole of it.
    pub(crate) fn share_of_way(&self, excess: f64) -> f64 {
        let climbed = -(self.gravity + self.forces);
        if climbed > 0.0 { (1.0 - excess / climbed).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Closes the account: the remainder is friction, or work of pushing bodies out of overlaps, at
    /// most `lift` (J), or a gain.
    pub(crate) fn close(&mut self, lift: f64) {
        self.push_out = self.surplus().clamp(0.0, lift);
        let allowed = self.before + self.work();
        self.gained = (self.after - allowed).max(0.0);
        self.friction = allowed + self.gained - self.after - self.impacts - self.damping;
    }
}

impl AddAssign for EnergyBalance {
    fn add_assign(&mut self, other: Self) {
        self.before += other.before;
        self.after += other.after;
        self.gravity += other.gravity;
        self.forces += other.forces;
        self.joints += other.joints;
        self.kinematic += other.kinematic;
        self.push_out += other.push_out;
        self.impacts += other.impacts;
        self.damping += other.damping;
        self.friction += other.friction;
        self.gained += other.gained;
        self.removed += other.removed;
    }
}

/// The account of one island: bodies that contacts, joints or impacts of the step connect, or one
/// body in free flight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IslandEnergy {
    /// Its bodies: a range of [`EnergyAccount::bodies`].
    pub bodies: Range<usize>,
    /// The account.
    pub balance: EnergyBalance,
    /// The energy (J) that gains are relative to: the energy before, all work, and the kinetic
    /// energy that one step of free fall gives; at least that of the rounding of extents.
    pub scale: f64,
    /// The deepest overlap, or the most that a joint was from what it permits, at the step's start
    /// (m); zero if there is no surplus to explain.
    pub depth: f64,
    /// True if something drives it whose work is not known exactly: a motor, a spring, an external
    /// torque, a kinematic body or surface in motion, or a user system.
    pub driven: bool,
}

/// The accounts of the last step. Empty unless [`Settings::energy_tolerance`] is set.
///
/// [`Settings::energy_tolerance`]: crate::Settings::energy_tolerance
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// By island: first those of [`Islands`](crate::islands::Islands), then bodies in free flight.
    pub islands: Vec<IslandEnergy>,
    /// Slots of the awake dynamic bodies, island by island.
    pub bodies: Vec<u32>,
}

impl EnergyAccount {
    /// The sum over all islands.
    pub fn sum(&self) -> EnergyBalance {
        let mut sum = EnergyBalance::default();
        self.islands.iter().for_each(|island| sum += island.balance);
        sum
    }
}
