//! Joints in the substep loop: whole trees of joints at once, by a direct solve, eight trees side by side.
//!
//! Sweeping over joints one by one brings the news of a weight along a chain by one link a sweep; a chain of a hundred
//! links under a heavy ball would stretch for seconds. But the matrix `A = J M^-1 J^T` of joints that form a tree has a
//! factor `L D L^T` about as sparse as itself, so that solving all of them at once costs hardly more than a sweep, and
//! leaves nothing for the next one (Baraff, "Linear-time dynamics using Lagrange multipliers", 1996). What hangs together
//! by joints is therefore one *tree* with one [`Program`](program::Program): which entries there are, and what to do
//! with them in turn. Trees alike share a program, and eight of them lie in the lanes of one [`Unit`](unit::Unit). Closed
//! chains of moderate size go the same way, with some fill. Most joints keep two anchors together: the three rows of such a *pin* have
//! their arms in common, and are made, coupled and eliminated together. What has too many loops (a net) is taken apart into single
//! joints, which are swept, from substep to substep and from step to step with what the others bore before, and with a small leak, for a
//! slow mode of the net would explode otherwise (`NET_LEAK`): in a [`Net`](net::Net) if they are simply locked; with motors, springs,
//! friction or limits that are near as trees of one, by the same rules.
//!
//! In time it is RATTLE (Andersen 1983): a substep finds impulses along the rows of its start that bring the joints
//! together at its *end*, moves the bodies, and makes the velocities agree with the rows of the end. It is symplectic, so
//! that a pendulum keeps its energy, and nothing drifts. Limits, motors and friction are rows with bounds, kept by an
//! active set from pass to pass. In `Exact`, where joints give way by next to nothing, what they would swing further than a substep follows
//! has a greater inertia towards them ([`taut`]). Impulses of joints are not warm from one substep to the next (a direct solve needs no
//! guess, and those of last time point where the rows were): what `begin_substep` repeats of them is taken back.

mod eliminate;
mod factor;
mod foresight;
pub(crate) mod forest;
mod geometry;
pub(crate) mod net;
mod pair;
pub(crate) mod passes;
pub(crate) mod program;
pub(crate) mod reach;
mod round;
mod row;
mod taut;
pub(crate) mod thrift;
pub(crate) mod tumble;
pub(crate) mod unit;

#[cfg(test)]
mod tests;

pub use row::{Coordinate, JointLoad, JointOutcome, JointRow, Law, SolverJoint};
