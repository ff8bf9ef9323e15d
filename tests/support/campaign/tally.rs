//! What a campaign counts, and the faults that it finds.

use std::fmt;
use std::ops::AddAssign;

/// The kinds of faults, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// A step panicked.
    Panic,
    /// A step did not end.
    Hang,
    /// A component, an event or a contact holds something that is no number.
    Number,
    /// A quaternion that is no rotation.
    Rotation,
    /// A body passed a floor.
    Through,
    /// A body stays inside a floor.
    Sunk,
    /// An island that nothing drives gained energy.
    Gain,
    /// A body left the range of numbers though nothing drove it there.
    Lost,
    /// A valid world is refused, or one that was refused stays so without the cause, or was changed.
    Refused,
    /// An event or a contact names an entity that is not there.
    Stale,
    /// A snapshot that was written cannot be read.
    Snapshot,
    /// A step took more than a hundred times the median.
    Work,
}

impl FaultKind {
    pub const ALL: [Self; 12] = [
        Self::Panic,
        Self::Hang,
        Self::Number,
        Self::Rotation,
        Self::Through,
        Self::Sunk,
        Self::Gain,
        Self::Lost,
        Self::Refused,
        Self::Stale,
        Self::Snapshot,
        Self::Work,
    ];
}

/// A fault of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The step in which it showed.
    pub step: usize,
    pub text: String,
}

impl Fault {
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Self { kind, step: 0, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in step {}: {}", self.kind, self.step, self.text)
    }
}

/// Counts of worlds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub worlds: u64,
    pub steps: u64,
    /// Steps of bodies, sleeping ones included.
    pub body_steps: u64,
    pub edits: u64,
    /// Steps that were refused with an error.
    pub refused: u64,
    /// Bodies that left the range of numbers.
    pub out_of_range: u64,
    /// Steps of islands that nothing drives.
    pub islands: u64,
    /// Steps of islands among them that gained more than a thousandth, and more than the guard lets
    /// pass, after the guard.
    pub gains: u64,
    pub guarded: u64,
    /// Largest gain among them, relative to the island's scale.
    pub gain: f64,
    /// Steps of islands, driven ones too, in which the guard acted.
    pub fired: u64,
    /// The same of islands in a deep overlap or with a joint that has just been taken apart.
    pub deep_islands: u64,
    pub deep_guarded: u64,
    pub deep_gain: f64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.worlds += other.worlds;
        self.steps += other.steps;
        self.body_steps += other.body_steps;
        self.edits += other.edits;
        self.refused += other.refused;
        self.out_of_range += other.out_of_range;
        self.islands += other.islands;
        self.gains += other.gains;
        self.guarded += other.guarded;
        self.gain = self.gain.max(other.gain);
        self.fired += other.fired;
        self.deep_islands += other.deep_islands;
        self.deep_guarded += other.deep_guarded;
        self.deep_gain = self.deep_gain.max(other.deep_gain);
    }
}
