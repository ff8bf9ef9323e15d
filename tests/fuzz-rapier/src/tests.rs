//! Both engines have the same bodies and joints.

use crate::campaign::{Mode, plan};
use crate::depth;
use crate::rival::Rival;
use dolmen::components::{Joint, RigidBody};
use std::collections::BTreeMap;

/// Relative difference of masses: each engine has its own hulls, which differ where they are thin.
const HULLS: f32 = 0.1;

#[test]
fn bodies_have_the_masses_that_dolmen_gives_them() {
    let (mut compared, mut equal) = (0, 0);
    for seed in 0..60 {
        let mut rival = Rival::new(&plan(Mode::Sane, seed));
        rival.live.physics.step(&mut rival.live.world, 1e-3).expect("a sane world");
        let bodies = &rival.live.physics.state().bodies;
        let masses: BTreeMap<_, _> = bodies.entity.iter().copied().zip(bodies.mass.iter().copied()).collect();
        for (entity, handle) in &rival.bodies {
            if *rival.live.world.get::<&RigidBody>(*entity).expect("a body") == RigidBody::Dynamic {
                let (ours, theirs) = (masses[entity], rival.world.bodies[*handle].mass());
                assert!((ours - theirs).abs() < HULLS * ours, "seed {seed}, {entity:?}: {ours} and {theirs} kg");
                compared += 1;
                equal += u32::from((ours - theirs).abs() < 1e-4 * ours);
            }
        }
    }
    assert!(compared > 300 && equal > compared * 4 / 5, "{equal} of {compared}");
}

#[test]
fn joints_of_mechanisms_hold_at_the_start() {
    let mut compared = 0;
    for seed in 0..100 {
        let plan = plan(Mode::Mechanisms, seed);
        let rival = Rival::new(&plan);
        assert_eq!(rival.world.impulse_joints().count(), plan.joints.len(), "seed {seed}");
        for (_, joint) in rival.world.impulse_joints() {
            let poses = [joint.body1(), joint.body2()].map(|end| *rival.world.bodies[end].position());
            let gap = depth::gap(&joint.data, poses, 1.0);
            assert!(gap < 2e-3, "seed {seed}: {gap}");
            compared += 1;
        }
        assert_eq!(rival.live.world.query::<&Joint>().iter().count(), plan.joints.len());
    }
    assert!(compared > 300);
}
