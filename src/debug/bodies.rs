//! Bodies and their colliders, islands and boxes.

use super::pen::Pen;
use super::renderer::Colour;
use super::show::Show;
use super::{rounded, shapes};
use crate::bodies::Kind;
use crate::contact::kernels::Geometry;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::physics::Physics;
use crate::query::collider_pose;
use crate::state::State;
use crate::systems::solve::IslandSolver;

/// Draws colliders, boxes, bodies and islands.
pub(super) fn draw(pen: &mut Pen, physics: &Physics, show: Show) {
    let state = physics.state();
    for slot in (0..state.colliders.body.len()).filter(|&slot| state.colliders.is_live(slot)) {
        collider(pen, state, slot, show);
    }
    for slot in (0..state.bodies.slots()).filter(|&slot| state.bodies.kind[slot].is_body()) {
        body(pen, state, slot, show);
    }
    if show.solvers {
        let solvers = &physics.pipeline().solvers.solved.solvers;
        solvers.iter().enumerate().for_each(|(island, solver)| island_box(pen, state, island, *solver));
    }
}

fn collider(pen: &mut Pen, state: &State, slot: usize, show: Show) {
    let State { bodies, colliders, .. } = state;
    let Some(geometry) = &colliders.geometry[slot] else { return };
    if show.boxes && !matches!(geometry, Geometry::HalfSpace { .. }) {
        pen.set_colour(pen.style.aabb);
        rounded::aabb(pen, &colliders.fat[slot]);
    }
    if let Some(colour) = colour(pen, state, slot, show) {
        pen.set_colour(colour);
        let mut pen = pen.at(collider_pose(bodies, colliders, slot));
        geometry.with_shape(|shape| shapes::draw(&mut pen, shape));
    }
}

/// The colour of a collider by the first flag that shows it: `None` if none does.
fn colour(pen: &Pen, state: &State, slot: usize, show: Show) -> Option<Colour> {
    let State { bodies, colliders, islands, .. } = state;
    let (style, body) = (pen.style, colliders.body[slot] as usize);
    if colliders.sensor[slot] {
        return show.sensors.then_some(style.sensor);
    }
    let is_asleep = bodies.sleeping_island[body] != NONE;
    if show.sleep && is_asleep {
        return Some(style.asleep);
    }
    let island = islands.island_of.get(body).filter(|&&island| island != NONE && !is_asleep);
    if let Some(island) = island.and_then(|&island| islands.islands.get(island as usize)).filter(|_| show.islands) {
        // The least slot stays while islands come and go.
        let least = islands.bodies[island.body_range()].first().map_or(0, |&slot| slot as usize);
        return Some(style.islands[least % style.islands.len()]);
    }
    show.shapes.then(|| match bodies.kind[body] {
        Kind::Kinematic => style.kinematic,
        Kind::Dynamic => style.dynamic,
        _ => style.fixed,
    })
}

fn body(pen: &mut Pen, state: &State, slot: usize, show: Show) {
    let bodies = &state.bodies;
    if show.axes {
        pen.axes(bodies.position[slot], bodies.orientation[slot]);
    }
    if show.centers && bodies.kind[slot] == Kind::Dynamic {
        pen.set_colour(pen.style.center);
        pen.point(bodies.center[slot]);
    }
    if show.velocities && bodies.is_moving(slot) {
        pen.set_colour(pen.style.velocity);
        pen.arrow(bodies.center[slot], bodies.linear_velocity[slot] * pen.style.velocity_scale);
        pen.set_colour(pen.style.spin);
        pen.arrow(bodies.center[slot], bodies.angular_velocity[slot] * pen.style.spin_scale);
    }
}

/// A box about the bodies of an awake island, in the colour of its solver.
fn island_box(pen: &mut Pen, state: &State, island: usize, solver: IslandSolver) {
    let State { bodies, islands, .. } = state;
    let Some(island) = islands.islands.get(island) else { return };
    let mut around: Option<Aabb> = None;
    for slot in islands.bodies[island.body_range()].iter().map(|&slot| slot as usize) {
        if bodies.is_active(slot) {
            let own = Aabb::from_half_extents(bodies.center[slot], Vec3::splat(bodies.radius[slot]));
            around = Some(around.map_or(own, |around| around.merged(&own)));
        }
    }
    let Some(around) = around else { return };
    pen.set_colour(match solver {
        IslandSolver::Direct => pen.style.direct,
        IslandSolver::Substepping => pen.style.substeps,
        IslandSolver::Joints => pen.style.joint_islands,
    });
    rounded::aabb(pen, &around);
    pen.text(around.maxs, format_args!("{}", solver.name()));
}
