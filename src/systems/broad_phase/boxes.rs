//! The enlarged box of each collider, and how far its body can move.

use super::BroadPhase;
use crate::colliders::Colliders;
use crate::index::NONE;
use crate::kept::stamp;
use crate::math::Vec3;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::parallel::{Apart, LOOKED_AT, WORKED_ON};
use crate::systems::pace::is_fast;
use crate::systems::state::State;
use crate::tolerances::{BOX_AHEAD, BOX_MARGIN, BOX_MARGIN_FRACTION, BOX_SWEEP_STEPS, SPECULATIVE_MARGIN};

/// A collider with another box than before; `was` is invalid if it had none.
pub(super) struct Renewed {
    slot: u32,
    was: Aabb,
}

/// Sets how far each body can move in this step, and renews the boxes that this may leave.
pub(super) fn update_boxes(state: &mut State, broad: &mut BroadPhase) {
    foresee(state);
    let State { bodies, colliders, settings, dt, helpers, .. } = state;
    let (bodies, dt, stamp) = (&*bodies, *dt, stamp());
    let slots = bodies.slots();
    let half_margin = 0.5 * SPECULATIVE_MARGIN * settings.length_unit;
    let Colliders { body, geometry, local, fat, ahead, fat_until, boxed, .. } = colliders;
    let (body, geometry, local) = (&*body, &*geometry, &*local);
    let columns = (Apart::new(fat), Apart::new(ahead), Apart::new(fat_until), Apart::new(boxed));
    let used = helpers.in_shares(slots, &mut broad.renewed, WORKED_ON, &|share, renewed: &mut Vec<Renewed>| {
        let (fat, ahead, fat_until, boxed) = &columns;
        let range = share.clone();
        // SAFETY: shares are apart.
        let (fat, ahead, fat_until, boxed) = unsafe {
            (fat.range(range.clone()), ahead.range(range.clone()), fat_until.range(range.clone()), boxed.range(range))
        };
        renewed.clear();
        for (slot, (((fat, ahead), fat_until), boxed)) in share.zip(fat.iter_mut().zip(ahead).zip(fat_until).zip(boxed))
        {
            let body = body[slot] as usize;
            if body == NONE as usize {
                continue;
            }
            // What was swept ahead of a body that has since become slow is in the way.
            let idle = *ahead > BOX_AHEAD * bodies.reach[body] + BOX_MARGIN * settings.length_unit;
            if !idle && bodies.odometer[body] + f64::from(bodies.reach[body]) <= *fat_until {
                continue;
            }
            let Some(geometry) = &geometry[slot] else { continue };
            let pose = bodies.pose(body) * local[slot];
            let tight = geometry.aabb(&pose);
            let known = *fat_until > f64::NEG_INFINITY;
            let travel = bodies.linear_velocity[body] * dt;
            // Forces may be strong, and the body at rest when they set in.
            let pull = bodies.free_acceleration(body) * (dt * dt);
            let turn = bodies.angular_velocity[body].length() * bodies.radius[body] * dt;
            let needed =
                swept(&swept(&tight, travel), pull).loosened(half_margin + turn.min(bodies.radius[body] * 2.0));
            if !known || idle || !fat.contains(&needed) {
                let margin =
                    (tight.half_extents().max_element() * BOX_MARGIN_FRACTION).min(BOX_MARGIN * settings.length_unit);
                let ahead_of_it = travel * BOX_SWEEP_STEPS;
                let was = if known { *fat } else { Aabb::new_invalid() };
                *fat = swept(&needed, ahead_of_it).loosened(margin);
                *ahead = ahead_of_it.length();
                renewed.push(Renewed { slot: slot as u32, was });
            }
            *boxed = stamp;
            // As long as no point of the body has moved by more, the box holds it.
            let slack = (tight.mins - fat.mins).min(fat.maxs - tight.maxs).min_element() - half_margin;
            *fat_until = bodies.odometer[body] + f64::from(slack);
        }
    });
    let books = std::mem::take(&mut broad.renewed);
    for &Renewed { slot, was } in books[..used].iter().flatten() {
        broad.tree.put(slot, was, colliders.fat[slot as usize]);
    }
    broad.renewed = books;
}

/// Sets how far each body can move in this step.
fn foresee(state: &mut State) {
    let State { bodies, settings, dt, helpers, .. } = state;
    let (dt, gravity, slots) = (*dt, settings.gravity.length(), bodies.slots());
    let (mut fast, mut reach) = (std::mem::take(&mut bodies.fast), std::mem::take(&mut bodies.reach));
    let columns = (Apart::new(&mut fast), Apart::new(&mut reach));
    let read = &*bodies;
    helpers.shares(slots, LOOKED_AT, &|share| {
        // SAFETY: shares are apart.
        let (fast, reach) = unsafe { (columns.0.range(share.clone()), columns.1.range(share.clone())) };
        for (slot, (fast, reach)) in share.zip(fast.iter_mut().zip(reach)) {
            let moves = read.is_moving(slot);
            *fast = moves && is_fast(read, slot, dt);
            *reach = if moves {
                let speed =
                    read.linear_velocity[slot].length() + read.angular_velocity[slot].length() * read.radius[slot];
                dt * (speed + dt * gravity.max(read.acceleration[slot].length()))
            } else {
                0.0
            };
        }
    });
    (bodies.fast, bodies.reach) = (fast, reach);
}

fn swept(aabb: &Aabb, travel: Vec3) -> Aabb {
    Aabb::new(aabb.mins + travel.min(Vec3::ZERO), aabb.maxs + travel.max(Vec3::ZERO))
}
