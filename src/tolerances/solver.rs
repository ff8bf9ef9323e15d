//! Tolerances of the scalable solver.

use crate::math::Real;

/// Contact spring of the scalable solver: its frequency times the length of a substep. Stiffer sinks less; from 0.25 up
/// walls and pyramids shake, from 0.4 up they burst. Sink goes with its inverse square.
pub const CONTACT_STIFFNESS: Real = 0.2;

/// How much all the contacts of a body may stiffen it together, as a trace (see the solver's `stiffen`): contacts of a body
/// that collects less are stiffer than `CONTACT_STIFFNESS`, of one that collects more softer. Larger shakes walls.
pub const STIFFNESS_BUDGET: Real = 8.0;

/// The most and the least that the budget may scale a contact's stiffness by. With more than the most, towers of 60 rock
/// (at 2.0, measured); with less than the least, bodies in a crowd sink.
pub const MAX_STIFFENING: Real = 1.6;

/// See [`MAX_STIFFENING`].
pub const MIN_STIFFENING: Real = 0.5;

/// Damping ratio of the contact spring. From 1 to 4 alike; at 10 stiff stacks shake, below 1 they ring.
pub const CONTACT_DAMPING: Real = 2.0;

/// The fastest that a contact pushes overlapping bodies apart (m/s). Faster throws bodies that start inside each other;
/// slower leaves them overlapping for longer.
pub const MAX_PUSH_OUT: Real = 3.0;

/// Points this much above the deepest one count as touching while a new manifold carries nothing yet (m): they share its
/// friction. Larger moves the friction of a tilted face inwards, smaller makes it jump between points.
pub const TOUCHING: Real = 1e-3;

/// A new contact whose surfaces move past each other faster than this starts with dynamic friction, a slower one with
/// static friction (m/s). Larger lets moving bodies grip, smaller makes bodies placed by hand slip.
pub const SLIDING_SPEED: Real = 1e-2;

/// The friction that is told of a contact, at most, in parts of what its load can rub with: loads settle after the last friction is found.
/// Larger: what flies away is told to be rubbed. At 1, the forces of piles that hardly move are off balance by up to 0.25 % of the weights.
pub const RUBBED: Real = 1.1;

/// A body slower than this (m/s) whose velocity turns round between two substeps flutters: it goes on with the mean of
/// the two. Larger damps real vibration, smaller leaves wedged bodies buzzing in piles.
pub const FLUTTER_SPEED: Real = 0.3;

/// A body whose velocity changes by what its free fall would change it by, to this part (of the square), is flying and does
/// not flutter. Larger leaves some flutter; smaller takes energy from bodies at the top of their flight.
pub const FLUTTER_FALL: Real = 0.01;

/// As [`FLUTTER_SPEED`], for turning (rad/s).
pub const FLUTTER_SPIN: Real = 0.3;

/// A contact gets at a body that can only turn through a lever of at least this (m). Smaller makes bodies on hinges spin
/// wildly when touched near the axis; larger lets them be touched without answering.
pub const SHORTEST_LEVER: Real = 1e-3;

/// A body whose free axes hold less than this part of a direction does not answer along it by moving (ratio). Larger lets walls
/// that are nearly square to the free axes be passed through; smaller lets the rounding of a normal through as a huge mass.
pub const LOCKED_DIRECTION: Real = 1e-2;

/// A 2 x 2 matrix whose determinant is below this part of its diagonal's product (beside locked axes, of its trace's square) is
/// taken as singular, and so is a turn about an axis with this part of the trace. Larger makes friction of slender bodies slack; smaller lets rounding
/// through as huge masses.
pub const SINGULAR: Real = 1e-5;

/// How far the surfaces of a block may move before its kept rows are computed again (m). Larger saves work and lets
/// levers go stale; smaller recomputes what has hardly changed.
pub const ROWS_TRAVEL: Real = 5e-4;

/// Levels above the ground from which a wide island takes one substep more than the base number. Larger lets its top sink:
/// 3.4 mm with 20 rows of cubes of 1 m at 8 substeps, 2.7 mm at 9; smaller costs time on shallow heaps.
pub const DEEP_ISLAND: u32 = 17;

/// The height, in bodies, up to which a column stands at the base number of substeps: 40 cubes buckle at 8, and a margin
/// of 1.3 remains. Larger eats the margin; smaller costs time on tall columns.
pub const BUCKLING_DEPTH: f64 = 30.0;

/// The same for the mean height of a wall or a pyramid one body thick: 45 stand at 8 substeps.
pub const BUCKLING_HEIGHT: f64 = 34.0;

/// An island with at most this many bodies a level counts as a column of its whole depth. Larger takes walls and piles
/// for columns; smaller misses columns of two or three side by side.
pub const SLENDER_WIDTH: u32 = 3;

/// A run of this many bodies, each on one that carries one, is gone over twice a visit, which stills its rocking. Larger
/// leaves low towers rocking; smaller costs time on small heaps.
pub const TALL_CHAIN: u32 = 16;

/// A body this many times as heavy as one it stands on is gone over twice a visit. Larger lets stacks under heavy loads
/// drift; smaller costs time on heaps of mixed sizes.
pub const HEAVY_RATIO: Real = 10.0;

/// An island is through with a step once no substep changes a velocity by more than this (m/s, rad/s). Larger saves
/// substeps and leaves noise that keeps islands from proving that they rest; smaller is not reached for rounding.
pub const STEADY: Real = 2e-5;

/// The same where nothing is ever parked, so that nobody asks for that proof. Larger saves substeps and lets settled
/// stacks creep (at 2e-3, measured; at this, a wall of 20 rows by 1.1 mm in 20 s and by 0.7 mm at half of it); smaller takes a
/// third more substeps on stacks at rest.
pub const STEADY_AWAKE: Real = 6e-4;

/// Contact points that make a face. With fewer a body may be round, and other points come under the contact as it turns.
pub const FACE_POINTS: usize = 3;

/// Arms to faces turn with bodies that have turned by more than this within a step (rad). Larger: what lies on slow turntables
/// slips, by three times as much of its distance from the axis in a turn. Smaller: heaps that settle pay for arms that hardly turn.
pub const TURNED_ARM: Real = 2e-4;

/// Arm of friction about the normal where two bodies touch in one point, as a part of the distance to the nearer centre of mass: about what
/// balls of glass and of stone have under their own weight. Larger: balls and tops soon stop spinning where they stand.
/// Smaller: what hangs between two corners swings on for minutes, and keeps the heap around it awake.
pub const SPOT: Real = 1e-3;

/// How long such a spot takes to stop a slow turn (s). Longer: steps add more to the swing of what hangs between two corners than its spots
/// take, and heaps are seldom at rest. Shorter: it is held where it stops and not where its weight takes it, and
/// the laws of rest, which know no spots, find it out of balance (at 0.02 as many of 8 heaps stay awake as at 0.25, at 0.05 two).
pub const SPOT_GRIP: Real = 0.05;
