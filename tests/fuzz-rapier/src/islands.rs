//! Islands of a step: dynamic bodies that its contacts and joints connect.

use crate::depth;
use crate::energy::Starts;
use crate::rival::Rival;
use hecs::Entity;
use rapier3d::math::Real;
use rapier3d::prelude::{RigidBody, RigidBodyHandle};
use std::collections::{BTreeMap, HashMap};

/// An island.
#[derive(Default)]
pub struct Island {
    pub members: Vec<(Entity, RigidBodyHandle)>,
    /// True if something drives it: a motor, a spring, a force, or a kinematic body in motion.
    pub driven: bool,
    /// True if an edit of this step changed it or what it touches, or Rapier has disabled a part.
    pub edited: bool,
    /// The deepest overlap, or the most that a joint was from what it permits, at the step's start
    /// (m).
    pub depth: Real,
}

impl Island {
    fn add(&mut self, driven: bool, edited: bool, depth: Real) {
        self.driven |= driven;
        self.edited |= edited;
        self.depth = self.depth.max(depth);
    }
}

/// The islands of the last step, those asleep included.
pub fn islands(rival: &Rival, starts: &Starts, reach: &HashMap<Entity, Real>) -> Vec<Island> {
    let world = &rival.world;
    let dynamic: Vec<_> = rival.bodies.iter().filter(|(_, body)| world.bodies[**body].is_dynamic()).collect();
    let number: HashMap<RigidBodyHandle, usize> =
        dynamic.iter().enumerate().map(|(k, (_, body))| (**body, k)).collect();
    let radius = |body: &RigidBodyHandle| number.get(body).and_then(|&k: &usize| reach.get(dynamic[k].0)).copied();
    let mut groups = Groups((0..dynamic.len()).collect());
    let mut marks: Vec<Island> = dynamic.iter().map(|_| Island::default()).collect();
    let mut connect = |ends: [RigidBodyHandle; 2], driven: bool, depth: Real| {
        let driven = driven || ends.iter().any(|end| drives(&world.bodies[*end]));
        let edited = ends.iter().any(|end| rival.touched.contains(end) || !world.bodies[*end].is_enabled());
        let numbers = ends.map(|end| number.get(&end).copied());
        for k in numbers.into_iter().flatten() {
            marks[k].add(driven, edited, depth);
        }
        if let [Some(a), Some(b)] = numbers {
            groups.join(a, b);
        }
    };
    dynamic.iter().for_each(|(_, body)| connect([**body; 2], false, 0.0));
    let start = |body: RigidBodyHandle| starts.get(&body).map_or(*world.bodies[body].position(), |start| start.pose);
    for pair in world.narrow_phase.contact_pairs().filter(|pair| pair.has_any_active_contact()) {
        let collider =
            |handle| world.colliders.get(handle).and_then(|c| Some((c.parent()?, *c.position_wrt_parent()?)));
        if let (Some((a, at)), Some((b, there))) = (collider(pair.collider1), collider(pair.collider2)) {
            connect([a, b], false, depth::overlap(pair, [start(a) * at, start(b) * there]));
        }
    }
    for (_, joint) in world.impulse_joints() {
        let ends = [joint.body1(), joint.body2()];
        let least = ends.iter().filter_map(radius).fold(Real::INFINITY, Real::min);
        connect(ends, !joint.data.motor_axes.is_empty(), depth::gap(&joint.data, ends.map(start), least));
    }
    let mut islands: BTreeMap<usize, Island> = BTreeMap::new();
    for (k, (entity, body)) in dynamic.iter().enumerate() {
        let island = islands.entry(groups.of(k)).or_default();
        island.members.push((**entity, **body));
        island.add(marks[k].driven, marks[k].edited, marks[k].depth);
    }
    islands.into_values().collect()
}

/// True if a body may give energy to what it touches.
fn drives(body: &RigidBody) -> bool {
    let pushed = body.user_force().length() > 0.0 || body.user_torque().length() > 0.0;
    let moves = body.is_kinematic() && body.linvel().length() + body.angvel().length() > 0.0;
    pushed || moves
}

/// Groups of numbers, each with one that stands for it.
struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, mut k: usize) -> usize {
        while self.0[k] != k {
            self.0[k] = self.0[self.0[k]];
            k = self.0[k];
        }
        k
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
    }
}
