//! Bodies and contacts in the form of the substepping solver, and its motions applied to the bodies:
//! for islands with joints and without.

use super::assign::IslandSolver;
use crate::bodies::Bodies;
use crate::components::LockedAxes;
use crate::contact::{Contact, ContactGraph, Status};
use crate::ids::NONE;
use crate::islands::Islands;
use crate::math::{Mat3, Real, Vec3};
use crate::motion::rotation::compose_rotation_vectors;
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::solver::{BodyMotion, ContactRef, SolverBody, Surface};

/// Applies the motions of a solver to the bodies of its islands.
pub(super) fn apply_motions(
    (bodies, helpers): (&mut Bodies, &WorkerPool),
    (islands, solvers, solver_of): (&Islands, &[IslandSolver], IslandSolver),
    motions: &[BodyMotion],
    (residual, pushed): (&mut [Real], &mut [bool]),
) {
    let slots = bodies.slots();
    let Bodies { linear_velocity, angular_velocity, displacement, rotation, special, inputs, .. } = bodies;
    let (linear, angular) = (DisjointSlice::new(linear_velocity), DisjointSlice::new(angular_velocity));
    let (displacement, rotation) = (DisjointSlice::new(displacement), DisjointSlice::new(rotation));
    let (residual, pushed) = (DisjointSlice::new(residual), DisjointSlice::new(pushed));
    helpers.for_each_chunk(slots, MIN_CHUNK_ARITHMETIC, &|share| {
        for slot in share.filter(|&slot| is_in(islands, solvers, slot, solver_of)) {
            // SAFETY: chunks are disjoint.
            let cells = unsafe {
                let at = slot as u32;
                let (linear, angular) = (linear.get(at), angular.get(at));
                (linear, angular, displacement.get(at), rotation.get(at), residual.get(at), pushed.get(at))
            };
            let (Some(linear), Some(angular), Some(displacement), Some(rotation), Some(residual), Some(pushed)) = cells
            else {
                continue;
            };
            // A body that nothing pushed keeps its velocity: the motion stage integrates its free
            // flight.
            *residual = Real::INFINITY;
            let motion = &motions[slot + 1];
            // Joints always act on their bodies.
            *pushed |= motion.pushed || solver_of == IslandSolver::Joints;
            if *pushed {
                let locked = special[slot].then(|| inputs[slot].locked).flatten();
                apply_motion(locked, motion, BodyColumns { linear, angular, displacement, rotation, residual });
            }
        }
    });
}

/// The columns of a body that a solver writes.
struct BodyColumns<'a> {
    linear: &'a mut Vec3,
    angular: &'a mut Vec3,
    displacement: &'a mut Vec3,
    rotation: &'a mut Vec3,
    residual: &'a mut Real,
}

/// Applies the motion of a body with these axes locked.
fn apply_motion(locked: Option<LockedAxes>, motion: &BodyMotion, columns: BodyColumns) {
    // The solver has no locked axes: removes the rounding along them.
    let (along, about) = locked.map_or((Vec3::ONE, Vec3::ONE), |l| (l.free_translations(), l.free_rotations()));
    *columns.linear = motion.linear_velocity * along;
    *columns.angular = motion.angular_velocity * about;
    *columns.displacement += motion.displacement * along;
    *columns.rotation = compose_rotation_vectors(*columns.rotation, motion.rotation * about);
    *columns.residual = motion.residual;
}

/// Index of a slot among the solver's bodies; 0, the fixed world, for a body that does not move.
pub(super) fn solver_body(bodies: &Bodies, slot: u32) -> u32 {
    if bodies.is_moving(slot as usize) { slot + 1 } else { 0 }
}

/// True if a slot is a body of an island of this solver.
pub(super) fn is_in(islands: &Islands, solvers: &[IslandSolver], slot: usize, solver_of: IslandSolver) -> bool {
    let island = islands.island_of[slot];
    island != NONE && solvers[island as usize] == solver_of
}

/// Fills the bodies of a solver: those that `make` returns for a slot; all others are the fixed
/// world.
pub(super) fn fill_bodies(
    slots: usize,
    helpers: &WorkerPool,
    solver: &mut Vec<SolverBody>,
    filled: &mut Vec<bool>,
    make: &(impl Fn(usize) -> Option<SolverBody> + Sync),
) {
    solver.resize(slots + 1, SolverBody::FIXED);
    filled.resize(slots, false);
    let columns = (&mut solver[1..], filled.as_mut_slice());
    helpers.for_each_chunk_of(columns, MIN_CHUNK_ARITHMETIC, &|share, (solver, filled)| {
        for (slot, (body, filled)) in share.zip(solver.iter_mut().zip(filled)) {
            if let Some(made) = make(slot) {
                *body = made;
                *filled = true;
            } else if std::mem::take(filled) {
                *body = SolverBody::FIXED;
            }
        }
    });
}

/// A dynamic body in the form of the solver, with its angular acceleration (rad/s²).
pub(super) fn moving(bodies: &Bodies, slot: usize, angular: Vec3) -> SolverBody {
    SolverBody {
        position: bodies.center[slot],
        orientation: bodies.orientation[slot],
        linear_velocity: bodies.linear_velocity[slot],
        angular_velocity: bodies.angular_velocity[slot],
        inverse_mass: bodies.inverse_mass[slot].max_element(),
        locked: bodies.inverse_mass[slot].to_array().map(|m| m == 0.0),
        inverse_inertia: symmetric(&bodies.inverse_inertia[slot]),
        linear_acceleration: bodies.acceleration[slot],
        angular_acceleration: angular,
        radius: bodies.radius[slot],
    }
}

/// A kinematic body in the form of the solver, if it is one that moves.
pub(super) fn kinematic(bodies: &Bodies, slot: u32) -> Option<SolverBody> {
    let s = slot as usize;
    bodies.is_moving_kinematic(s).then(|| SolverBody {
        position: bodies.center[s],
        orientation: bodies.orientation[s],
        linear_velocity: bodies.linear_velocity[s],
        angular_velocity: bodies.angular_velocity[s],
        radius: bodies.radius[s],
        ..SolverBody::FIXED
    })
}

/// A symmetric matrix as xx, yy, zz, xy, xz, yz.
pub(super) fn symmetric(m: &Mat3) -> [Real; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y]
}

/// A contact in the form of the solver.
pub(super) fn contact_ref(bodies: &Bodies, contacts: &ContactGraph, islands: &Islands, c: &Contact) -> ContactRef {
    let record = &contacts.records[c.record as usize];
    // Islands are keyed by their least slot: numbers change with every island before.
    let members = islands.islands[c.island as usize].body_range();
    ContactRef {
        a: solver_body(bodies, c.a),
        b: solver_body(bodies, c.b),
        manifold: c.manifold,
        island: islands.bodies[members.start],
        revision: record.revision,
        surface: Surface {
            static_friction: record.material.static_friction,
            dynamic_friction: record.material.dynamic_friction,
            rolling_friction: record.material.rolling_friction,
        },
        surface_velocity: record.surface_velocity,
        extrapolated: contacts.status[c.pair as usize].has(Status::EXTRAPOLATED),
    }
}
