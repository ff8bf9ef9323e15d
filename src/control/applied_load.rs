use crate::components::{ExternalForce, ExternalTorque};
use crate::math::Vec3;
use hecs::{Entity, World};

/// The forces of characters, vehicles, fields and controllers on a body for one step, written by their
/// systems ([`step_characters`](super::step_characters), [`step_vehicles`](super::step_vehicles),
/// [`step_fields`](super::fields::step_fields),
/// [`step_pose_controllers`](super::step_pose_controllers),
/// [`step_floating_characters`](super::step_floating_characters)), never by the game.
///
/// These systems add the load to the body's [`ExternalForce`] and [`ExternalTorque`], and remove it
/// at their next call. Forces that the game writes there in between count as its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct AppliedLoad {
    /// The game's own force (N) and torque (N m).
    own: [Vec3; 2],
    /// Force (N) and torque (N m) of each source.
    parts: [[Vec3; 2]; LoadSource::COUNT],
    /// The sum that was written last.
    written: [Vec3; 2],
}

/// The system that applies a load.
#[derive(Clone, Copy)]
pub(super) enum LoadSource {
    Characters,
    Vehicles,
    Fields,
    Controllers,
    Floating,
}

impl LoadSource {
    const COUNT: usize = 5;
}

/// A body, the force on its centre of mass (N) and the torque on it (N m), in world axes.
pub(super) type BodyLoad = (Entity, [Vec3; 2]);

/// The game's own force (N) and torque (N m) on a body.
pub(super) fn own_forces(world: &World, entity: Entity) -> [Vec3; 2] {
    let now = forces(world, entity);
    let known = world.get::<&AppliedLoad>(entity);
    known.map_or(now, |load| [0, 1].map(|k| if load.written[k] == now[k] { load.own[k] } else { now[k] }))
}

/// The force (N) on a body of the game and of all sources but one.
pub(super) fn force_besides(world: &World, entity: Entity, source: LoadSource) -> Vec3 {
    let [own, _] = own_forces(world, entity);
    let others = (0..LoadSource::COUNT).filter(|&part| part != source as usize);
    world.get::<&AppliedLoad>(entity).map_or(own, |load| others.fold(own, |sum, part| sum + load.parts[part][0]))
}

/// The force (N) and torque (N m) of a source on a body.
pub(super) fn part_of(world: &World, entity: Entity, source: LoadSource) -> [Vec3; 2] {
    world.get::<&AppliedLoad>(entity).map_or([Vec3::ZERO; 2], |load| load.parts[source as usize])
}

fn forces(world: &World, entity: Entity) -> [Vec3; 2] {
    let force = world.get::<&ExternalForce>(entity).map_or(Vec3::ZERO, |f| f.0);
    [force, world.get::<&ExternalTorque>(entity).map_or(Vec3::ZERO, |t| t.0)]
}

/// Replaces all loads of a source.
pub(super) fn replace_loads(world: &mut World, source: LoadSource, loads: &[BodyLoad]) {
    let mut bodies: Vec<Entity> = world.query::<(Entity, &AppliedLoad)>().iter().map(|(entity, _)| entity).collect();
    for &entity in &bodies {
        let own = own_forces(world, entity);
        if let Ok(mut load) = world.get::<&mut AppliedLoad>(entity) {
            load.own = own;
            load.parts[source as usize] = [Vec3::ZERO; 2];
        }
    }
    for &(entity, [force, torque]) in loads {
        if !world.contains(entity) {
            continue;
        }
        if !world.satisfies::<(&AppliedLoad, &ExternalForce, &ExternalTorque)>(entity) {
            let own = own_forces(world, entity);
            let load = AppliedLoad { own, written: own, ..AppliedLoad::default() };
            let parts = (load, ExternalForce(own[0]), ExternalTorque(own[1]));
            world.insert(entity, parts).expect("the entity is there");
            bodies.push(entity);
        }
        if let Ok(mut load) = world.get::<&mut AppliedLoad>(entity) {
            let part = &mut load.parts[source as usize];
            part[0] += force;
            part[1] += torque;
        }
    }
    for entity in bodies {
        let write =
            world.query_one_mut::<(&mut AppliedLoad, Option<&mut ExternalForce>, Option<&mut ExternalTorque>)>(entity);
        let Ok((load, force, torque)) = write else { continue };
        let sum = |k: usize| load.parts.iter().fold(load.own[k], |sum, part| sum + part[k]);
        load.written = [sum(0), sum(1)];
        // If the game removed a component, its force is zero: nothing is written.
        if let Some(force) = force {
            force.0 = load.written[0];
        }
        if let Some(torque) = torque {
            torque.0 = load.written[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_last_until_the_next_ones_and_the_games_own_forces_stay() {
        let mut world = World::new();
        let body = world.spawn((ExternalForce(Vec3::X),));
        let force = |world: &World| world.get::<&ExternalForce>(body).unwrap().0;
        replace_loads(&mut world, LoadSource::Characters, &[(body, [Vec3::Y, Vec3::Z]), (body, [Vec3::Y, Vec3::ZERO])]);
        replace_loads(&mut world, LoadSource::Vehicles, &[(body, [Vec3::Z, Vec3::ZERO])]);
        assert_eq!(force(&world), Vec3::new(1.0, 2.0, 1.0));
        assert_eq!(own_forces(&world, body), [Vec3::X, Vec3::ZERO]);
        replace_loads(&mut world, LoadSource::Characters, &[]);
        assert_eq!(force(&world), Vec3::new(1.0, 0.0, 1.0));
        world.get::<&mut ExternalForce>(body).unwrap().0 = Vec3::X * 5.0;
        replace_loads(&mut world, LoadSource::Characters, &[(body, [Vec3::Y, Vec3::ZERO])]);
        assert_eq!(force(&world), Vec3::new(5.0, 1.0, 1.0));
        replace_loads(&mut world, LoadSource::Characters, &[]);
        replace_loads(&mut world, LoadSource::Vehicles, &[]);
        assert_eq!(force(&world), Vec3::X * 5.0);
        assert_eq!(world.get::<&ExternalTorque>(body).unwrap().0, Vec3::ZERO);
        // A torque of the game's own does not make the load's force its own.
        replace_loads(&mut world, LoadSource::Vehicles, &[(body, [Vec3::Y, Vec3::Z])]);
        world.insert_one(body, ExternalTorque(Vec3::X)).unwrap();
        assert_eq!(own_forces(&world, body), [Vec3::X * 5.0, Vec3::X]);
    }
}
