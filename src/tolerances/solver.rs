//! Tolerances of the substepping solver.

use crate::math::Real;

/// Phase of the contact spring in a substep (cycles): frequency (Hz) times substep length (s).
/// Larger: walls and pyramids shake from 0.25, burst from 0.4. Smaller: stacks sink more, with the
/// inverse square. Catto, "Soft constraints", GDC 2011.
pub const CONTACT_STIFFNESS: Real = 0.2;

/// Trace of `I^-1 sum(m J^T J)` over the contacts of a body at which a contact has exactly
/// `CONTACT_STIFFNESS`; a smaller trace stiffens the contact, a larger one softens it (see
/// `stiffen`). Larger: walls shake. Smaller: stacks sink.
pub const STIFFNESS_BUDGET: Real = 8.0;

/// Upper bound of the factor that [`STIFFNESS_BUDGET`] puts on the stiffness of a contact (ratio).
/// Larger: towers of 60 rock, from 2.0. Smaller: towers sink more.
pub const MAX_STIFFENING: Real = 1.6;

/// Lower bound of the same factor (ratio): a contact is at most as soft as at twice the budget.
/// Larger: bodies with many contacts shake. Smaller: they sink.
pub const MIN_STIFFENING: Real = 0.5;

/// Damping ratio of the contact spring (1 is critical). Values from 1 to 4 are alike. Larger: stiff
/// stacks shake, from 10. Smaller: stacks ring, below 1.
pub const CONTACT_DAMPING: Real = 2.0;

/// Greatest speed at which a contact separates overlapping bodies (m/s). Larger: bodies that start
/// inside each other are thrown. Smaller: they overlap for longer.
pub const MAX_PUSH_OUT: Real = 3.0;

/// Height above the deepest point up to which a point counts as touching (m). Touching points share
/// the friction of a manifold that has no impulses yet. Larger: moves the friction of a tilted face
/// inwards. Smaller: makes it jump between points.
pub const TOUCHING: Real = 1e-3;

/// Slip speed from which a new contact starts with dynamic instead of static friction (m/s).
/// Larger: moving bodies grip. Smaller: bodies placed by hand slip.
pub const SLIDING_SPEED: Real = 1e-2;

/// Greatest reported friction of a contact, as a multiple of the friction limit under its final
/// load. The load still changes after the last friction pass. Larger: contacts that open still
/// report friction. Smaller: reported forces of slow piles are off balance, at 1 by 0.25 % of the
/// weights.
pub const RUBBED: Real = 1.1;

/// Speed below which a velocity that reverses between two substeps counts as flutter (m/s); the
/// body continues with the mean of both. Larger: damps real vibration. Smaller: wedged bodies buzz
/// in piles.
pub const FLUTTER_SPEED: Real = 0.3;

/// Relative deviation, of the square, up to which a change of velocity counts as free fall, which
/// is no flutter (ratio). Larger: leaves some flutter. Smaller: takes energy from bodies at the top
/// of a throw.
pub const FLUTTER_FALL: Real = 0.01;

/// The same as [`FLUTTER_SPEED`] for angular velocity (rad/s).
pub const FLUTTER_SPIN: Real = 0.3;

/// Shortest lever arm through which a contact drives a body that can only rotate (m). Larger: such
/// bodies ignore touches near their axis. Smaller: touches near the axis spin them wildly.
pub const SHORTEST_LEVER: Real = 1e-3;

/// Part of a direction in the free axes of a body below which the body does not translate along it
/// (ratio). Larger: bodies pass through walls that are nearly square to their free axes. Smaller:
/// rounding of a normal becomes a huge effective mass.
pub const LOCKED_DIRECTION: Real = 1e-2;

/// Determinant of a 2 x 2 matrix, relative to the product of its diagonal (beside locked axes: to
/// the square of its trace), below which it counts as singular; the same ratio bounds inertia about
/// an axis. Larger: friction of slender bodies gets weak. Smaller: rounding becomes a huge
/// effective mass.
pub const SINGULAR: Real = 1e-5;

/// Travel of the surfaces of a block after which its kept rows are computed again (m). Larger:
/// saves work, lever arms go stale. Smaller: recomputes rows that have hardly changed.
pub const ROWS_TRAVEL: Real = 5e-4;

/// Levels above the ground from which a wide island takes one substep more than the base number.
/// Larger: the top sinks, with 20 rows of 1 m cubes by 3.4 mm at 8 substeps instead of 2.7 mm at 9.
/// Smaller: costs time on shallow piles.
pub const DEEP_ISLAND: u32 = 17;

/// Height of a column that the base number of substeps carries (bodies): 40 cubes buckle at 8, less
/// a margin of 1.3. Larger: eats the margin. Smaller: costs time on tall columns.
pub const BUCKLING_DEPTH: f64 = 30.0;

/// The same for the mean height of a wall or pyramid one body thick (bodies): 45 at 8 substeps,
/// less the same margin.
pub const BUCKLING_HEIGHT: f64 = 34.0;

/// Greatest mean number of bodies per level of an island that counts as a column of its whole
/// depth. Larger: walls and piles count as columns. Smaller: misses columns of two or three side by
/// side.
pub const SLENDER_WIDTH: u32 = 3;

/// Length of a chain of single bodies on single bodies from which each sweep iterates twice over
/// the points of a manifold (bodies). Larger: low towers rock. Smaller: costs time on small piles.
pub const TALL_CHAIN: u32 = 16;

/// Mass ratio of a body to one below it from which each sweep iterates twice over the points of a
/// manifold. Larger: stacks under heavy loads drift. Smaller: costs time on piles of mixed sizes.
pub const HEAVY_RATIO: Real = 10.0;

/// Greatest change of velocity in a substep at which an island stops its substeps early (m/s,
/// rad/s). Larger: saves substeps, leaves noise that keeps islands awake. Smaller: unreachable for
/// rounding.
pub const STEADY: Real = 2e-5;

/// The same while sleep is disabled, where no equilibrium need be proved. Larger: settled stacks
/// creep, at this value a wall of 20 rows by 1.1 mm in 20 s. Smaller: a third more substeps on
/// stacks at rest.
pub const STEADY_AWAKE: Real = 6e-4;

/// Fewest contact points that make a face. A contact with fewer may belong to a round body, whose
/// contact points change as it turns.
pub const FACE_POINTS: usize = 3;

/// Rotation within a step from which the lever arms of a face rotate with its bodies (rad). Larger:
/// bodies slip outwards on slow turntables. Smaller: settling piles pay for it in vain.
pub const TURNED_ARM: Real = 2e-4;

/// Radius of torsional friction of a single contact point, as a part of its distance to the nearer
/// centre of mass: about that of balls of glass or stone under their own weight. Larger: balls and
/// tops soon stop spinning. Smaller: bodies that hang between two corners swing for minutes.
pub const SPOT: Real = 1e-3;

/// Time constant of torsional friction of a single contact point against slow rotation (s). Larger:
/// swinging of bodies between two corners lasts. Smaller: they stop out of balance, which the
/// direct solver, without torsional friction, finds to be no equilibrium.
pub const SPOT_GRIP: Real = 0.05;
