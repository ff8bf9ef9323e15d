//! Tolerances of joints.

use crate::math::Real;

/// What is added to the diagonal of the matrix of joints, as a fraction of it.
///
/// Joints that say the same thing twice (a closed chain) share the load by it. Smaller, and rounding decides how they share
/// it, with forces beyond measure; larger, and a heavy weight on a light chain takes more substeps to be held. In `f64` it is
/// not rounding that sets it: the hinges of a bridge of a hundred planks say nearly the same thing across it, the remains of
/// the substeps ask different things of them, and with 1e-9 the stress that this makes tears the bridge.
pub const JOINT_SLACK: Real = if size_of::<Real>() == 8 { 1e-6 } else { 256.0 * Real::EPSILON };

/// The same for trees of joints that nothing carries with `Accuracy::Game`, in either precision.
///
/// Smaller, and with the matrix of a substep's start a light chain under a heavy ball magnifies what a far turn makes of it: brought
/// together twice, its links come apart by metres, and brought together once, whips gain energy. Larger, or for what lies on bridges too:
/// they swing on, and are not parked.
pub const JOINT_SLACK_FREE: Real = 256.0 * f32::EPSILON as Real;

/// The substep (s) below which joints stretch by no less, with `Accuracy::Game`: see [`JOINT_SLACK`].
///
/// Smaller: a bridge that hangs straight gets 64 substeps and jumps by centimetres. Larger: what hangs from long chains is held more softly.
pub const JOINT_STIFF: Real = 1.0 / 480.0;

/// The same for the friction of an axis that has a motor. Smaller: until one of them is at its bound, both pull against each
/// other by huge forces; larger: friction is late by some passes.
pub const JOINT_YIELD: Real = 0.05;

/// The same for limits of a tree with other joints: see [`JOINT_SLACK`].
///
/// Smaller: a limit of what other joints hold already answers by a thousand times too much, and where there are more than are needed rounding
/// decides which bear how much. Larger: heavy loads push limits in.
pub const RANGE_SLACK: Real = 1e-3;

/// The same for ropes.
///
/// Smaller: of ropes more than are needed rounding decides which bear how much, anew in each step, and what hangs from them trembles; balls
/// on a rope that is tight between two walls fly off it. Larger: heavy loads stretch ropes.
pub const ROPE_SLACK: Real = 1e-2;

/// The least that a spring of a joint gives way within a substep, over what the bodies give way themselves. No unit.
///
/// Larger damps springs; smaller divides by zero where there is no damping.
pub const JOINT_GIVE: Real = 1e-12;

/// The fastest that a joint that is apart is drawn together (m/s; rad/s for angles).
///
/// What a joint misses within a substep is far below; what a game puts apart, or a limit that is set on the wrong side of a
/// joint, comes together at this speed. Faster, and it goes through what lies between.
pub const JOINT_PUSH: Real = 20.0;

/// The part of what joints are apart by that a substep mends where they close a loop (no unit). With `Accuracy::Exact` ([`JOINT_STRAIN`] aside),
/// and elsewhere, it is all.
///
/// What says nearly the same thing twice, as chains that hang straight under one load or a rope that is tight between two walls, answers to a
/// hair's breadth by throwing its links aside, the further off the nearer it is to straight, and no number of substeps is enough. Larger: a
/// pallet on four chains with crates of many times its weight explodes, and balls on a tight rope gain many times their energy;
/// smaller: what was torn apart comes together late.
pub const JOINT_MEND: Real = 0.25;

/// The part of its kinetic energy that the joints of a tree may gain in `Accuracy::Exact` before it is taken out of the velocities again
/// (1/s). What loops gain that carry what touches them is taken in `Game` too, all of it.
///
/// Larger: a tonne on a chain of five links of 3 kg that goes slack and snaps gains thousands of times its energy; smaller: the error of the
/// substep, which goes to and fro in what swings, is taken for a gain, and pendulums run down.
pub const JOINT_THRIFT: Real = 0.02;

/// The force that a joint bears, over the weight of the lighter of its bodies, from which on a closed loop with contacts, ropes or limits is
/// strained, and solved as in `Accuracy::Game` where `Exact` is asked for (no unit).
///
/// What is taut and all but straight throws light links aside where a gap is mended whole: see [`JOINT_MEND`]. Larger: pallets of crates
/// on light chains and balls on tight ropes explode in `Exact`; smaller: loops that bear little drift by micrometres in it.
pub const JOINT_STRAIN: Real = 30.0;

/// Couplings a joint that a tree of joints may have to be solved at once, on average.
///
/// A chain has one, a body with six arms three. More take closed chains: a net of 6 by 6 balls six, of 8 by 8 seven, 10 by 10
/// eight, 12 by 12 ten, 16 by 16 twelve. What has more is swept joint by joint. Larger: nets cost a multiple of what sweeps take (6.5 ms a
/// step instead of 0.5 with 16 by 16; 2.4, which 30 by 30 take swept, with 12 by 12); smaller: they are apart by millimetres, and tremble.
pub const JOINT_FILL: usize = 10;

/// The part of what a joint of a net is apart that is mended in a substep (no unit): see [`NET_LEAK`].
pub const NET_MEND: Real = 0.1;

/// The part of its impulse that a joint of a net loses in a substep (no unit).
///
/// However slow a mode of the net is, it dies away where this is at least half of [`NET_MEND`]; a load holds the joints apart by what
/// the substep falls for it times the ratio of the two. With 0.05 and a mend of 0.3, or 0.02 and 0.1, 60 by 60 balls explode within
/// seconds; with 0.1 and 0.2 they are apart by as much as now, and swing for longer.
pub const NET_LEAK: Real = 0.05;

/// Substeps of a sixtieth of a second for an island with a net.
///
/// What pins are apart by falls with the square of it: of 100 by 100 balls that hang from seven, 60 mm; with 8 some 200, with 32 some 20.
/// A substep takes a twentieth of the time of the step.
pub const NET_SUBSTEPS: u32 = 16;

/// As [`JOINT_SWING`] (rad), for an island with a net: taut as it is, it swings within narrow bounds, and follows its neighbours
/// where it is not exact. Above 2 it explodes.
pub const NET_SWING: Real = 1.5;

/// Substeps of an island of joints without contacts that nothing else speaks against.
///
/// A pendulum of a metre keeps its period to 1e-5 with four substeps of a sixtieth of a second; its error falls with the square.
pub const JOINT_SUBSTEPS: u32 = 4;

/// Substeps of a sixtieth of a second for a heap of small trees of joints ([`JOINED_TREE`]): an island with contacts that has half to twice
/// as many joints as bodies that touch something. With fewer joints it is a heap as any other; with more, most of it hangs free and
/// is to keep its shape to a millimetre.
///
/// A heap of 125 ragdolls that has landed overlaps by 0.5 mm on the mean with 5, nowhere by a centimetre; by 0.94 mm with 4, with five
/// pairs beyond a centimetre; by 0.35 mm with 6 and 0.15 with 8, which cost what they are more.
pub const JOINED_SUBSTEPS: u32 = 5;

/// The most joints of a tree in such a heap. In long chains and bridges what is thrown on them pulls at every link, and a pull that is not
/// resolved explodes: a bridge of 41 joints did within ten steps. Of 125 ragdolls under nine weights of 20 t nothing came apart. Larger:
/// such bridges are taken for heaps; smaller: heaps of ragdolls take longer.
pub const JOINED_TREE: usize = 24;

/// The turn (rad) that a body may swing by in a substep on the pull of its joints: see the solver's plan of islands with joints.
///
/// Above 2 the swing explodes; well below, it is slow by a twenty-fourth of the square.
pub const JOINT_SWING: Real = 0.5;

/// The same (rad), for a heap ([`FORESEEN_CONTACTS`]) whose joints are looked at where they come to under what they last
/// bore, which is less stable.
///
/// Larger: of 60 heaps of nine chains of 20 links, each with a ball of 1000 times their weight, one comes apart by 7 mm with 0.5, of 30 heaps of 24
/// by 72 mm; with 0.35 by 0.6 and 0.4 mm. Smaller: ragdolls at rest take a tenth longer with 0.25.
pub const HEAP_SWING: Real = 0.35;

/// A heap of small trees of joints ([`JOINED_TREE`]) with more contacts than so many looks at its joints, in `Game`, where they come to under
/// what they last bore.
///
/// In smaller islands landings are impacts ([`LINKED_POINTS`](super::LINKED_POINTS)), after which joints bear something else. Smaller: of
/// 80 single tangles that fall down one gains a tenth of its energy; larger: joints of small heaps come apart by ten times as much.
pub const FORESEEN_CONTACTS: usize = 64;

/// The square of what joints in a heap may do otherwise than in the last substep, as a part of the square of what they do, if they are
/// to be looked at where the same brings them to (no unit).
///
/// Larger: of 100 heaps of 24 such chains nine gain energy without bound with 1, one with 0.5, of 300 none with this. Smaller: ragdolls that
/// fall upon each other are apart by more.
pub const FORETOLD: Real = 0.25;

/// The overlap (m, for bodies of about 1 m) from which on the friction between two bodies on joints fades.
///
/// A limb that something heavy has driven past another one is wedged: joints hold both, friction grows with the pressure, and nothing but the
/// overlap gives way, under 15 kN in a ragdoll of 100 kg, for ever. What slips gets out. Larger: wedges stay, and joints of ragdolls at rest are
/// apart by 3 mm; smaller: grasping hands lose what is heavy.
pub const WEDGED: Real = 0.005;

/// The turn (rad) that a body may swing by in a substep on the pull of its joints in `Exact`, however taut these are. What would swing
/// further has a greater inertia towards them.
///
/// Above 2 the swing explodes, and above 1.4 bridges of a hundred planks do that are built straight; below [`JOINT_SWING`], what the substeps
/// resolve would be changed.
pub const TAUT_SWING: Real = 0.7;

/// How many times greater an inertia is made by that at most (no unit). Larger: rounding leaves nothing of the inertia about the pull, which
/// stays. Smaller: what is tauter still explodes.
pub const TAUT_MOST: Real = if size_of::<Real>() == 8 { 1e9 } else { 1e3 };

/// The force of contacts on a body on joints, over its weight, from which on its joints are gone over once more after the contacts
/// of each substep (no unit).
///
/// A light body between a joint and a heavy load is held by both in turn, and each knows the other's answer only from before. With a
/// load of `r` times its mass, what they disagree about dies away by the factor `sqrt(r / (1 + r))` a substep, and on the springs
/// of stiff contacts not at all from `r = 9` on; with joints again after contacts it is `r / (1 + r)`, up to `r = 100`. Larger:
/// what lies on light planks creeps, and heavy cars shiver on light wheels; smaller: heaps of ragdolls take longer.
pub const JOINT_BURDEN: Real = 1.5;

/// The turn (rad) of a body or rod in a substep beyond which its joints are brought together a second time.
///
/// What the first time leaves goes with the square of the turn, and what mends it later does work: a free line of rods gains a sixth
/// of what a fall by a link gives in six seconds without, and of 500 lines, rings and trees 32 gain a tenth, with 0.1 15 and
/// with 0.05 4. Of 125 ragdolls that fall upon each other, joints come apart by 2.8 mm with 0.02, by 3 mm with 0.05 for 2 % less time, and by
/// 13 mm with 0.2 for 4 % less.
pub const JOINT_AGAIN: Real = 0.02;

/// The most times more that the joints of a tree with bounds (limits, motors) are brought together in a heap, and the turn (rad) in the substep by
/// which the last one changed where a body comes to, up to which that is enough.
///
/// A limit that is struck, or an arm that heavy bodies press on, gets another answer than where it was looked at foretold. Of ragdolls with
/// limits that fall upon each other, elbows came apart by 30 mm for a moment and turned beyond their limits by 0.2 rad with two
/// times, always. With up to four, as long as it changes by more than 0.02 rad, by 1 mm and 0.06 rad; by more than this, by 0.6 mm and 0.02
/// rad, and at rest, where one is enough, in less time.
pub const JOINT_MORE: u32 = 3;
/// See [`JOINT_MORE`].
pub const JOINT_SETTLED: Real = 0.005;

/// The turn (rad) of a body in a substep beyond which the joints of a tree that contacts carry are not brought together a second time, but in
/// a heap.
///
/// The matrix is that of the substep's start. In `f64`, where such joints give way by a thirtieth ([`JOINT_SLACK`]), a light chain under
/// a heavy ball magnifies what a far turn makes of it: its links came apart by metres. Larger: so they do; smaller: whips gain
/// energy. In `f32` they are apart by a third of a millimetre without a bound.
pub const JOINT_ASTRAY: Real = if size_of::<Real>() == 8 { 0.1 } else { 1e6 };

/// The most substeps of a step that a blow to joints asks for, in an island with contacts that is no heap of bodies on joints.
///
/// With 16 the joints of ragdolls that fall upon each other come apart by up to 8 mm, as with 64, at half the cost; with 8
/// by 17 mm. What they go on to bear in the next step has no such bound, or it would explode.
pub const JOINT_BLOW: u32 = 16;

/// The share of a load's rise that counts as lasting with each step.
///
/// Larger takes the blows of a landing, which go on for some steps, for what a bridge bears, and spends up to 64 substeps on
/// them; smaller lets what swings under a load that is new be resolved too coarsely for longer than half a second.
pub const JOINT_LASTING: Real = 1.0 / 32.0;

/// The turn of a step (rad) up to which the gyroscopic term of a body on joints is taken by the midpoint rule.
///
/// Beyond, bodies turn their inertia with them, from substep to substep, but for those of nets, of which it is that of a splitting into
/// exact rotations, which costs five times as much. Larger: what cracks like a whip is spun up from step to
/// step; smaller: more has to turn its inertia.
pub const JOINT_PRECESSION: Real = 0.5;

/// The rotation of a step (rad) beyond which bodies on joints are taken to have turned the other way round, or about an axis that stays by
/// whole turns and the rest: near a whole turn the series for what follows ends. Larger: what tumbles is not where its joints take it to
/// be, and fast wheels end at NaN; smaller than half a turn: there is no other way round.
pub const TURN_ABOUT: Real = 4.7;

/// The product of two rotations (rad²), with the sine of the angle between them, from which on one after the other is taken by quaternions. Larger:
/// what tumbles has another energy where the step ends than on its way there, 10 % after seconds at 120 rad/s; smaller: fewer
/// get along with the series.
pub const TURN_WOBBLE: Real = 0.02;

/// The sine of the angle between a rotation and what follows it up to which its axis stays. Larger: see [`TURN_ABOUT`]; smaller: wheels
/// that spin fast about axles with springs or limits jump by a turn.
pub const TURN_ASIDE: Real = 0.1;

/// The turn (rad) that a body whose inertia turns with it may make in a substep. Larger: what wobbles as it spins wanders off, and from a
/// radian on gains energy; smaller: whips take more substeps.
pub const TUMBLE_TURN: Real = 0.25;

/// Times that the gyroscopic term of a body that turns far within a step is asked for in a substep. Each leaves the turn in the substep
/// of what the one before left; fewer spin up what tumbles.
pub const TUMBLE_ROUNDS: u32 = 3;

/// The most that joints are expected to turn the velocity of a spinning body by in a step (rad): see
/// [`Midway`](crate::joint::Midway).
///
/// Larger, and the gyroscopic term follows blows that are over; smaller, and tops on joints creep as they precess.
pub const JOINT_TWIST: Real = 0.5;

/// Times that the joints of a tree are brought together within a pass, by [`Accuracy`](crate::Accuracy) (but see [`JOINT_STRAIN`]): `Game`, `Exact`. With
/// bounds (limits, motors) once more, but in heaps in `Game`: see [`JOINT_MORE`].
///
/// Each leaves about the turn in a substep squared of what the one before left.
pub const JOINT_ROUNDS: [u32; 2] = [1, 3];

/// Rods and ropes of this length (m) and less are pins. Longer: what hangs from short ones hangs too high by that. Shorter: the direction in
/// which they pull is rounding, and what hangs from them buzzes.
pub const SHORTEST_ROD: Real = 1e-5;

/// The most times that joints of a tree are solved for anew because bounds cut off some of an answer. Each time ends with at least one row
/// less. Fewer: platforms that hang from four ropes, and trees that strike several limits at once, are thrown about. More: time, where many
/// ropes of a tree come taut at once.
pub const CUT_ROUNDS: u32 = 4;

/// How near to a limit a joint in the hands of the exact laws may come, beside what it moves in two steps (rad, and m for bodies of
/// about 1 m). Less: a joint is past its limit before the solver that knows limits takes it. More: joints near their limits
/// are left to that.
pub const LIMIT_MARGIN: f64 = 1e-2;

/// Joints in the hands of the exact laws that are apart by less at the step's end are left as they are (m, for bodies of about 1 m;
/// rad). Less: rounding is worked on. More: joints drift that far.
pub const JOINT_CLOSED: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

/// The most times that they are brought together in a step. Each leaves about the square of what was left of angles, and a
/// ten-thousandth of what is soft. Fewer: chains that swing fast are apart. More: time, where joints contradict each other.
pub const CLOSING_ROUNDS: u32 = 8;

/// An island with joints of which some body turns by more in a step (rad) is solved half-way. Larger: what hangs swings up until it
/// turns by that much in each step, and is never parked. Smaller: rounding is followed.
pub const HALFWAY_TURN_TIED: f64 = if size_of::<Real>() == 4 { 1e-7 } else { 1e-12 };

/// The turn (rad) that a body may swing by in a step on the pull of its joints for the exact laws to follow it. Above 2, the
/// answers from half-way run away from each other; nearer to it, heavy weights on light chains jitter. Smaller: bridges swing on
/// in the hands of the solver of joints.
pub const TIED_SWING: Real = 1.5;
