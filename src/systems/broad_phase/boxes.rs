//! Enlarged boxes of the colliders, and motion bounds of the bodies.

use super::workspace::{BoxChange, BroadPhase};
use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::ids::NONE;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{Norm, Real, Vec3};
use crate::parallel::{Indices, MIN_CHUNK_ARITHMETIC, MIN_CHUNK_LIGHT, WorkerPool};
use crate::persist::next_version;
use crate::state::State;
use crate::systems::fast_bodies::is_fast;
use crate::tolerances::{BOX_MAX_SWEEP_STEPS, BOXES, CONTACT};

/// Computes the motion bounds of the bodies in this step, and renews the boxes that they may leave.
pub(super) fn update_boxes(state: &mut State, broad: &mut BroadPhase) {
    let State { bodies, colliders, settings, dt, helpers, active_set, changes, .. } = state;
    let [moving, mut listed] = active_set.since(&mut broad.of_active_set, bodies.slots());
    update_motion_bounds(bodies, helpers, moving, (*dt, settings.gravity.norm()));
    let (bodies, dt, version) = (&*bodies, *dt, next_version());
    let half_margin = 0.5 * CONTACT.speculative_margin * settings.length_unit;
    let Colliders { body, geometry, local, fat, box_sweep, fat_until, box_versions, .. } = colliders;
    let (body, geometry, local) = (&*body, &*geometry, &*local);
    // The bodies of reshaped and mended colliders need not be active.
    let settled = changes.reshaped.is_empty() && changes.mended.is_empty();
    if matches!(listed, Indices::All(_)) || !settled {
        listed = Indices::All(fat.len());
    }
    let columns = ((&mut fat[..], &mut box_sweep[..]), (&mut fat_until[..], &mut box_versions[..]));
    broad.changed_boxes.iter_mut().for_each(Vec::clear);
    let used = helpers.for_each_row_of_with(
        listed,
        columns,
        &mut broad.changed_boxes,
        MIN_CHUNK_ARITHMETIC,
        &|slot, ((fat, box_sweep), (fat_until, box_versions)), changed_boxes: &mut Vec<BoxChange>| {
            let body = body[slot] as usize;
            if body == NONE as usize {
                return;
            }
            // A box swept ahead of a body that has since slowed down is too large.
            let idle = *box_sweep > BOX_MAX_SWEEP_STEPS * bodies.reach[body] + BOXES.margin * settings.length_unit;
            if !idle && bodies.odometer[body] + f64::from(bodies.reach[body]) <= *fat_until {
                return;
            }
            let Some(geometry) = &geometry[slot] else { return };
            let pose = bodies.pose(body) * local[slot];
            let tight = geometry.aabb(&pose);
            let known = *fat_until > f64::NEG_INFINITY;
            let travel = bodies.linear_velocity[body] * dt;
            // Forces may be strong on a body still at rest.
            let force_travel = bodies.free_acceleration(body) * (dt * dt);
            let needed =
                swept(&swept(&tight, travel), force_travel).loosened(half_margin + bodies.turning_travel(body, dt));
            if !known || idle || !fat.contains(&needed) {
                let margin = (tight.half_extents().max_element() * BOXES.margin_per_extent)
                    .min(BOXES.margin * settings.length_unit);
                let swept_travel = travel * BOXES.sweep_steps;
                let previous = if known { *fat } else { Aabb::new_invalid() };
                *fat = swept(&needed, swept_travel).loosened(margin);
                *box_sweep = swept_travel.norm();
                changed_boxes.push(BoxChange { slot: slot as u32, previous });
            }
            *box_versions = version;
            // The box contains the collider until a point of the body has moved by this much.
            let slack = (tight.mins - fat.mins).min(fat.maxs - tight.maxs).min_element() - half_margin;
            *fat_until = bodies.odometer[body] + f64::from(slack);
        },
    );
    let chunks = std::mem::take(&mut broad.changed_boxes);
    for &BoxChange { slot, previous } in chunks[..used].iter().flatten() {
        broad.tree.set_box(slot, previous, colliders.fat[slot as usize]);
    }
    broad.changed_boxes = chunks;
}

/// Computes the motion bounds of the bodies in this step; zero for those that are not active.
fn update_motion_bounds(bodies: &mut Bodies, helpers: &WorkerPool, listed: Indices, (dt, gravity): (Real, Real)) {
    let (mut fast, mut reach) = (std::mem::take(&mut bodies.fast), std::mem::take(&mut bodies.reach));
    let (read, columns) = (&*bodies, (&mut fast[..], &mut reach[..]));
    helpers.for_each_row_of(listed, columns, MIN_CHUNK_LIGHT, &|slot, (fast, reach)| {
        let moves = read.is_moving(slot);
        *fast = moves && is_fast(read, slot, dt);
        *reach = if moves {
            let speed = read.linear_velocity[slot].norm() + read.angular_velocity[slot].norm() * read.radius[slot];
            dt * (speed + dt * gravity.max(read.acceleration[slot].norm()))
        } else {
            0.0
        };
    });
    (bodies.fast, bodies.reach) = (fast, reach);
}

fn swept(aabb: &Aabb, travel: Vec3) -> Aabb {
    Aabb::new(aabb.mins + travel.min(Vec3::ZERO), aabb.maxs + travel.max(Vec3::ZERO))
}
