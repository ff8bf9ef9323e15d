//! Tolerances of the substepping solver.

use crate::math::Real;

/// Tolerances of soft contacts.
pub(crate) struct ContactSpring {
    /// Phase of the contact spring in a substep (cycles): frequency (Hz) times substep length (s).
    /// Larger: walls and pyramids shake from 0.25, burst from 0.4. Smaller: stacks sink more, with
    /// the inverse square. Catto, "Soft constraints", GDC 2011.
    pub phase: Real,
    /// Trace of `I^-1 sum(m J^T J)` over the contacts of a body at which a contact has exactly
    /// `CONTACT_SPRING.phase`; a smaller trace stiffens the contact, a larger one softens it (see
    /// `stiffen`). Larger: walls shake. Smaller: stacks sink.
    pub trace: Real,
    /// Upper bound of the factor that `CONTACT_SPRING.trace` puts on the stiffness of a contact
    /// (ratio). Larger: towers of 60 rock, from 2.0. Smaller: towers sink more.
    pub max_stiffening: Real,
    /// Damping ratio of the contact spring (1 is critical). Values from 1 to 4 are alike. Larger:
    /// stiff stacks shake, from 10. Smaller: stacks ring, below 1.
    pub damping_ratio: Real,
}

/// The values.
pub(crate) const CONTACT_SPRING: ContactSpring =
    ContactSpring { phase: 0.2, trace: 8.0, max_stiffening: 1.6, damping_ratio: 2.0 };

/// Tolerances of contacts.
pub(crate) struct Contact {
    /// Height above the deepest point up to which a point counts as touching (m). Touching points
    /// share the friction of a manifold that has no impulses yet. Larger: moves the friction of a
    /// tilted face inwards. Smaller: makes it jump between points.
    pub touching: Real,
    /// Slip speed from which a new contact starts with dynamic instead of static friction (m/s).
    /// Larger: moving bodies grip. Smaller: bodies placed by hand slip.
    pub sliding_speed: Real,
    /// Greatest reported friction of a contact, as a multiple of the friction limit under its final
    /// load. The load still changes after the last friction pass. Larger: contacts that open still
    /// report friction. Smaller: reported forces of slow piles are off balance, at 1 by 0.25 % of
    /// the weights.
    pub max_reported_friction: Real,
    /// Rotation within a step from which the lever arms of a face rotate with its bodies (rad).
    /// Larger: bodies slip outwards on slow turntables. Smaller: settling piles pay for it in vain.
    pub arm_rotation: Real,
    /// Radius of torsional friction of a single contact point, as a part of its distance to the
    /// nearer centre of mass: about that of balls of glass or stone under their own weight. Larger:
    /// balls and tops soon stop spinning. Smaller: bodies that hang between two corners swing for
    /// minutes.
    pub point_torsion_radius: Real,
    /// Time constant of torsional friction of a single contact point against slow rotation (s).
    /// Larger: swinging of bodies between two corners lasts. Smaller: they stop out of balance,
    /// which the direct solver, without torsional friction, finds to be no equilibrium.
    pub point_torsion_time: Real,
    /// Separation up to which surfaces touch (m, at unit length). Larger: contacts begin visibly
    /// early. Smaller: rounding makes resting contacts flicker.
    pub touch: Real,
    /// Speculative margin: contacts are searched this far beyond the travel of the step (m, at unit
    /// length). Larger: more contacts without load. Smaller: points of a rocking face come and go.
    pub speculative_margin: Real,
    /// Bound, with `Accuracy::Game`, of `CONTACT.speculative_margin` and
    /// `CONTACT.speculative_margin` of flat faces as a share of the smaller body's radius. Larger:
    /// all eight corners of a small box are near the floor, the four kept change, and it rattles.
    /// Smaller: small bodies are met late.
    pub margin_per_radius: Real,
    /// Least recycling path of separated round surfaces, as a share of their gap, or of the smaller
    /// body's radius if that is less. Larger: bodies that are hit meet along a normal that lags more. Smaller: open contacts of a pile are
    /// rebuilt in every step.
    pub recycle_per_gap: Real,
    /// Upper bound of the recycling path for meshes, height fields and compounds with round parts
    /// (m, at unit length). Larger: bodies meet the next triangle late. Smaller: bodies at rest on
    /// terrain are collided again and again.
    pub recycle_path_bent: Real,
}

/// The values.
pub(crate) const CONTACT: Contact = Contact {
    touching: 1e-3,
    sliding_speed: 1e-2,
    max_reported_friction: 1.1,
    arm_rotation: 2e-4,
    point_torsion_radius: 1e-3,
    point_torsion_time: 0.05,
    touch: if size_of::<Real>() == 4 { 1e-4 } else { 1e-6 },
    speculative_margin: 0.02,
    margin_per_radius: 0.1,
    recycle_per_gap: 0.25,
    recycle_path_bent: 1e-3,
};

/// Tolerances of the substepping solver.
pub(crate) struct Substepping {
    /// Speed below which a velocity that reverses between two substeps counts as flutter (m/s); the
    /// body continues with the mean of both. Larger: damps real vibration. Smaller: wedged bodies
    /// buzz in piles.
    pub flutter_speed: Real,
    /// Relative deviation, of the square, up to which a change of velocity counts as free fall,
    /// which is no flutter (ratio). Larger: leaves some flutter. Smaller: takes energy from bodies
    /// at the top of a throw.
    pub free_fall_change: Real,
    /// Greatest change of velocity in a substep at which an island stops its substeps early (m/s,
    /// rad/s). Larger: saves substeps, leaves noise that keeps islands awake. Smaller: unreachable
    /// for rounding.
    pub converged_dv: Real,
}

/// The values.
pub(crate) const SUBSTEPPING: Substepping =
    Substepping { flutter_speed: 0.3, free_fall_change: 0.01, converged_dv: 2e-5 };

/// Tolerances of effective masses.
pub(crate) struct EffectiveMass {
    /// Part of a direction in the free axes of a body below which the body does not translate along
    /// it (ratio); its square is the least mobility of a body with locked axes, in units of its
    /// inverse mass. Larger: bodies pass through walls that are nearly square to their free axes.
    /// Smaller: rounding of a normal becomes a huge effective mass.
    pub locked_direction: Real,
    /// Determinant of a 2 x 2 matrix, relative to the product of its diagonal (beside locked axes:
    /// to the square of its trace), below which it counts as singular; the same ratio bounds
    /// inertia about an axis. Larger: friction of slender bodies gets weak. Smaller: rounding
    /// becomes a huge effective mass.
    pub singular: Real,
}

/// The values.
pub(crate) const EFFECTIVE_MASS: EffectiveMass = EffectiveMass { locked_direction: 1e-2, singular: 1e-5 };

/// Change of a contact's lever arm over a step, relative to its length, above which the contact of a
/// jointed body has no impulse. Larger: contacts of light links that whirl under a heavy ball drive
/// them on, and chains tear. Smaller: limbs sink into each other while they turn.
pub(crate) const MAX_ARM_CHANGE: Real = 0.25;

/// Tolerances of the substep plan of stacks.
pub(crate) struct IslandAnalysis {
    /// Height of a column that the base number of substeps carries (bodies): 40 cubes buckle at 8,
    /// less a margin of 1.3. Larger: eats the margin. Smaller: costs time on tall columns.
    pub column_height: f64,
    /// Length of a chain of single bodies on single bodies from which each sweep iterates twice
    /// over the points of a manifold (bodies). Larger: low towers rock. Smaller: costs time on
    /// small piles.
    pub tall_stack: u32,
    /// Mass ratio of a body to one below it from which each sweep iterates twice over the points of
    /// a manifold. Larger: stacks under heavy loads drift. Smaller: costs time on piles of mixed
    /// sizes.
    pub heavy_ratio: Real,
    /// Greatest mean number of bodies per level of an island that counts as a column of its whole
    /// depth. Larger: walls and piles count as columns. Smaller: misses columns of two or three side by
    /// side.
    pub slender_width: u32,
}

/// The values.
pub(crate) const ISLAND_ANALYSIS: IslandAnalysis =
    IslandAnalysis { column_height: 30.0, tall_stack: 16, heavy_ratio: 10.0, slender_width: 3 };

/// Lower bound of the same factor (ratio): a contact is at most as soft as at twice the budget.
/// Larger: bodies with many contacts shake. Smaller: they sink.
pub(crate) const MIN_STIFFENING: Real = 0.5;

/// Growth of the mass of a light body under load by a level of mass scaling, one a step (ratio).
/// Larger: columns of heavy and light bodies in turn rock. Smaller: light bodies sink further
/// before their contacts bear the load.
pub(crate) const MASS_SCALING_LEVEL: Real = 0.02;

/// Levels that scale nothing, one a step: loads that last as long are no peaks of impacts. Larger:
/// light bodies sink further at first. Smaller: bodies that land hard are scaled, and what is thin
/// may be pressed through a mesh.
pub(crate) const MASS_SCALING_DELAY: u16 = 8;

/// Travel of the surfaces of a block after which its kept rows are computed again (m). Larger:
/// saves work, lever arms go stale. Smaller: recomputes rows that have hardly changed.
pub(crate) const JACOBIAN_REFRESH_PATH: Real = 0.5 * CONTACT.touching;

/// Levels above the ground from which a wide island takes one substep more than the base number.
/// Larger: the top sinks, with 20 rows of 1 m cubes by 3.4 mm at 8 substeps instead of 2.7 mm at 9.
/// Smaller: costs time on shallow piles.
pub(crate) const DEEP_ISLAND_LEVELS: u32 = ISLAND_ANALYSIS.tall_stack + 1;

/// The same for the mean height of a wall or pyramid one body thick (bodies): 45 at 8 substeps,
/// less the same margin.
pub(crate) const WALL_BUCKLING_HEIGHT: f64 = ISLAND_ANALYSIS.column_height + 4.0;

/// The same while sleep is disabled, where no equilibrium need be proved. Larger: settled stacks
/// creep, at this value a wall of 20 rows by 1.1 mm in 20 s. Smaller: a third more substeps on
/// stacks at rest.
pub(crate) const CONVERGED_DV_AWAKE: Real = 30.0 * SUBSTEPPING.converged_dv;

/// Base number of substeps of a step of 1/60 s. Larger: cost in proportion; smaller: overlap grows
/// with the inverse square.
pub(crate) const BASE_SUBSTEPS: u32 = 8;

/// Substeps with `Accuracy::Exact`. Larger: the cost grows in proportion. Smaller: contacts are
/// softer.
pub(crate) const EXACT_SUBSTEPS: u32 = 4 * BASE_SUBSTEPS;
