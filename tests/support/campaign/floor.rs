//! Nothing passes a floor.
//!
//! A body that was wholly above it, and that nothing drives, must not come out below, nor stay with
//! its centre inside, if the shape has one. A hull or a compound may lie beside its origin. Bodies with joints, sensors, and those that layers keep from the floor promise
//! nothing.

use super::live::Live;
use super::plan::{FloorPlan, Plan};
use super::tally::{Fault, FaultKind};
use dolmen::components::*;
use dolmen::math::Real;
use hecs::{Entity, EntityRef};
use std::collections::{BTreeMap, BTreeSet};

/// Steps in a row that a centre may spend inside.
const DIP: u32 = 30;

/// What a body has done.
#[derive(Clone, Copy, Default)]
struct Watch {
    /// Radius of the ball that contains it (m): with another shape it begins anew.
    reach: Real,
    /// True once it was wholly above.
    above: bool,
    /// Steps in a row with its centre inside.
    inside: u32,
}

/// Watches the floor of a world.
pub struct Floor {
    plan: Option<FloorPlan>,
    watch: BTreeMap<Entity, Watch>,
    /// Bodies that something drives, or did, and those with joints.
    driven: BTreeSet<Entity>,
}

impl Floor {
    pub fn new(plan: &Plan) -> Self {
        Self { plan: plan.floor, watch: BTreeMap::new(), driven: BTreeSet::new() }
    }

    /// Looks after a step in which something drove bodies.
    pub fn look(&mut self, live: &Live, driven: impl IntoIterator<Item = Entity>) -> Result<(), Fault> {
        let Some(plan) = self.plan else { return Ok(()) };
        // The floor itself has the least number.
        let stands = live.bodies.get(&0).is_some_and(|&e| is_whole_floor(live, e));
        if !stands {
            self.plan = None;
            return Ok(());
        }
        self.driven.extend(driven);
        for joint in live.world.query::<&Joint>().iter() {
            self.driven.extend(joint.bodies.iter().flatten());
        }
        for (id, &entity) in &live.bodies {
            let (Ok(kind), Ok(at)) = (live.world.get::<&RigidBody>(entity), live.world.get::<&Position>(entity)) else {
                continue;
            };
            let reach = live.reach.get(id).copied().unwrap_or(Real::INFINITY);
            let local = at.0 - plan.center;
            let beside = local.x.abs().max(local.z.abs()) + reach > plan.extent;
            if *kind != RigidBody::Dynamic || beside || self.driven.contains(&entity) || !meets(live, entity) {
                self.watch.remove(&entity);
                continue;
            }
            let watch = self.watch.entry(entity).or_default();
            if watch.reach != reach {
                *watch = Watch { reach, ..Watch::default() };
            }
            watch.above |= local.y > reach;
            watch.inside =
                if watch.above && live.centered.contains(id) && local.y < 0.0 { watch.inside + 1 } else { 0 };
            if watch.above && local.y < -reach {
                let text = format!("body {id} of reach {reach} is {} m below the floor", -local.y);
                return Err(Fault::new(FaultKind::Through, text));
            }
            if watch.inside > DIP {
                let text = format!("the centre of body {id} of reach {reach} stays {} m below the floor", -local.y);
                return Err(Fault::new(FaultKind::Sunk, text));
            }
        }
        Ok(())
    }
}

/// True if an entity is still the floor of the plan: no game edit has changed what it promises.
fn is_whole_floor(live: &Live, floor: Entity) -> bool {
    live.world.entity(floor).is_ok_and(|e| {
        !e.has::<Sensor>()
            && !e.has::<CollisionLayers>()
            && !is_let_through(&e)
            && e.get::<&RigidBody>().is_some_and(|k| *k == RigidBody::Static)
    })
}

/// True if nothing keeps a body from the floor.
fn meets(live: &Live, body: Entity) -> bool {
    live.world.entity(body).is_ok_and(|e| {
        !e.has::<Sensor>()
            && !e.has::<CollisionLayers>()
            && !e.has::<LockedAxes>()
            && !is_let_through(&e)
            && e.has::<Collider>()
    })
}

/// True if something meets others without forces, not all of them, or none.
fn is_let_through(entity: &EntityRef) -> bool {
    entity.has::<SolverLayers>() || entity.has::<IgnoreContactsWith>() || entity.has::<Disabled>()
}
