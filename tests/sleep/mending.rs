//! Static shapes that change in part: only what is near wakes.

use dolmen::prelude::*;
use dolmen::{Activity, ShapeError};
use hecs::World;

const DT: Real = 1.0 / 60.0;

/// Boxes asleep on a static body at these places along x.
struct Sleepers {
    world: World,
    physics: Physics,
    ground: Entity,
    boxes: Vec<Entity>,
}

impl Sleepers {
    fn on(ground: Collider, top: Real, places: &[Real]) -> Self {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let ground = world.spawn(Body::fixed(ground));
        let mut boxes = Vec::new();
        for &x in places {
            // A stack of two each.
            for level in 0..2 {
                let at = top + 0.25 + 0.5 * level as Real;
                boxes.push(world.spawn(Body::dynamic(Collider::cuboid(0.25, 0.25, 0.25)).at(x, at, 0.25)));
            }
        }
        for _ in 0..200 {
            physics.step(&mut world, DT).unwrap();
        }
        let sleepers = Self { world, physics, ground, boxes };
        assert!(sleepers.awake().is_empty(), "all asleep before the edit");
        sleepers
    }

    /// The numbers of the boxes that are awake.
    fn awake(&self) -> Vec<usize> {
        let asleep =
            |k: &usize| matches!(self.physics.activity(&self.world, self.boxes[*k]), Some(Activity::Asleep { .. }));
        (0..self.boxes.len()).filter(|k| !asleep(k)).collect()
    }

    fn edit(&mut self, ground: Collider) {
        self.world.insert_one(self.ground, ground).unwrap();
        self.step(1);
    }

    fn step(&mut self, steps: usize) {
        for _ in 0..steps {
            self.physics.step(&mut self.world, DT).unwrap();
        }
    }

    fn height(&self, k: usize) -> Real {
        self.world.get::<&Position>(self.boxes[k]).unwrap().0.y
    }
}

#[test]
fn a_crater_wakes_what_stands_over_it() {
    let flat = Collider::heightfield(21, 21, &[0.0; 441], Vec3::new(20.0, 1.0, 20.0)).unwrap();
    let mut ground = Sleepers::on(flat.clone(), 0.0, &[-5.0, 0.0, 5.0]);
    let bits: Vec<_> = (0..6).map(|k| ground.height(k).to_bits()).collect();
    // Columns run along x, rows along z: a pit of two metres about x = 5.
    let pit = flat.with_heights(
        |row, column, y| {
            if (13..=17).contains(&column) && (8..=12).contains(&row) { y - 2.0 } else { y }
        },
    );
    ground.edit(pit.unwrap());
    assert_eq!(ground.awake(), vec![4, 5]);
    ground.step(240);
    assert!(ground.height(4) < -1.5, "{}", ground.height(4));
    (0..4).for_each(|k| assert_eq!(ground.height(k).to_bits(), bits[k], "box {k} has moved"));
    // What slept through it is held as before: woken now, it does not move.
    let first = ground.boxes[0];
    ground.physics.wake(&mut ground.world, first).unwrap();
    ground.step(60);
    assert!((ground.height(0) - 0.25).abs() < 1e-3 && (ground.height(1) - 0.75).abs() < 1e-3);
    // Filled again, the pit lifts what lies in it, and nothing else.
    ground.step(120);
    ground.edit(flat);
    assert_eq!(ground.awake(), vec![4, 5]);
}

#[test]
fn a_part_that_breaks_off_wakes_what_stood_on_it() {
    let slab = |x: Real| (Vec3::new(x, -0.5, 0.0), Quat::IDENTITY, Collider::cuboid(1.0, 0.5, 1.0));
    let bridge = Collider::compound(vec![slab(-4.0), slab(-2.0), slab(0.0), slab(2.0), slab(4.0)]).unwrap();
    let mut ground = Sleepers::on(bridge.clone(), 0.0, &[-4.0, 0.0, 4.0]);
    let forces: Vec<Real> =
        ground.physics.contacts_of(ground.boxes[0]).map(|contact| contact.impulse.length()).collect();
    ground.edit(bridge.with_parts(|part| part != 2).unwrap());
    assert_eq!(ground.awake(), vec![2, 3]);
    let after: Vec<Real> =
        ground.physics.contacts_of(ground.boxes[0]).map(|contact| contact.impulse.length()).collect();
    assert_eq!(forces, after, "sleeping contacts keep their forces");
    ground.step(60);
    assert!(ground.height(2) < -2.0);
    assert!((ground.height(0) - 0.25).abs() < 1e-3 && (ground.height(4) - 0.25).abs() < 1e-3);
    // Another kind of change wakes all that touch it.
    ground.world.insert_one(ground.ground, Material { restitution: 0.5, ..Default::default() }).unwrap();
    ground.step(1);
    assert_eq!(ground.awake(), vec![0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_part_built_where_a_body_sleeps_wakes_it() {
    let slab = |x: Real, y: Real| (Vec3::new(x, y, 0.0), Quat::IDENTITY, Collider::cuboid(1.0, 0.5, 1.0));
    let floor = Collider::compound(vec![slab(-2.0, -0.5), slab(0.0, -0.5), slab(2.0, -0.5)]).unwrap();
    let mut ground = Sleepers::on(floor, 0.0, &[-2.0, 2.0]);
    let parts = vec![slab(-2.0, -0.5), slab(0.0, -0.5), slab(2.0, -0.5), slab(3.2, 0.5)];
    ground.edit(Collider::compound(parts).unwrap());
    assert_eq!(ground.awake(), vec![2, 3]);
}

#[test]
fn only_what_is_near_a_trench_wakes() {
    let cells: Vec<[i32; 3]> = (0..400).map(|k| [k % 40 - 20, -1, k / 40 - 5]).collect();
    let size = Vec3::splat(0.5);
    let mut ground = Sleepers::on(Collider::voxels(size, &cells).unwrap(), 0.0, &[-5.0, 5.0]);
    let kept: Vec<[i32; 3]> = cells.iter().copied().filter(|cell| !(9..12).contains(&cell[0])).collect();
    ground.edit(Collider::voxels(size, &kept).unwrap());
    assert_eq!(ground.awake(), vec![2, 3], "the boxes at x = 5 m stand over the trench");
}

#[test]
fn cells_meet_without_inner_edges() {
    // A floor with holes beside the path, so that the path lies on many boxes.
    let floor =
        (0..1200i32).map(|k| [k % 60, -1, k / 60 - 10]).filter(|[x, _, z]| (x * 7 + z * 3) % 5 != 0 || z.abs() < 3);
    let floor = Collider::voxels(Vec3::splat(0.25), &floor.collect::<Vec<_>>()).unwrap();
    let spin = AngularVelocity(Vec3::NEG_Z * (3.0 / 0.3));
    let ball = Body::dynamic(Collider::ball(0.3)).at(1.0, 0.3, 0.1).linear_velocity(Vec3::X * 3.0);
    let slider = Body::dynamic(Collider::cuboid(0.2, 0.1, 0.2)).at(1.0, 0.1, 0.1).linear_velocity(Vec3::X * 4.0);
    let ice = Material { static_friction: 0.0, dynamic_friction: 0.0, ..Default::default() };
    for (body, icy, height) in [(ball.angular_velocity(spin.0), false, 0.3), (slider.material(ice), true, 0.1)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(floor.clone()));
        let body = world.spawn(body);
        let speed = if icy { 4.0 } else { 3.0 };
        let mut report = StepReport::default();
        for step in 0..180 {
            report = physics.step(&mut world, DT).unwrap();
            let at = world.get::<&Position>(body).unwrap().0;
            let expected = Vec3::new(1.0 + speed * DT * (step + 1) as Real, height, 0.1);
            assert!((at - expected).length() < 2e-3, "step {step}: {at} instead of {expected}");
        }
        assert_eq!(report.counts.impacts, 0);
        let velocity = world.get::<&LinearVelocity>(body).unwrap().0;
        assert!((velocity - Vec3::X * speed).length() < 1e-3, "{velocity}");
    }
}

#[test]
fn voxels_weigh_what_their_cells_weigh() {
    // An L of three cells of 2 x 1 x 1 m and 500 kg/m³.
    let shape = Collider::voxels(Vec3::new(2.0, 1.0, 1.0), &[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]).unwrap();
    let (mut world, mut physics) = (World::new(), Physics::default());
    let body = world.spawn(Body::dynamic(shape).density(500.0));
    physics.step(&mut world, DT).unwrap();
    let center = physics.center_of_mass(&world, body).unwrap();
    let fallen = 0.5 * 9.81 * DT * DT;
    assert!((center - Vec3::new(5.0 / 3.0, 2.5 / 3.0 - fallen, 0.5)).length() < 1e-5, "{center}");
    physics.apply_impulse(&mut world, body, Vec3::Z * 3000.0, center).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!((world.get::<&LinearVelocity>(body).unwrap().0.z - 1.0).abs() < 1e-4, "three cells weigh 3000 kg");
}

#[test]
fn impossible_edits_are_errors() {
    let flat = Collider::heightfield(3, 3, &[0.0; 9], Vec3::ONE).unwrap();
    let two = Collider::voxels(Vec3::ONE, &[[0, 0, 0], [5, 0, 0]]).unwrap();
    assert!(matches!(flat.with_heights(|_, _, _| Real::NAN), Err(ShapeError::NotFinite { .. })));
    assert_eq!(two.with_heights(|_, _, y| y), Err(ShapeError::OtherKind { needed: "height field" }));
    assert_eq!(flat.with_parts(|_| true), Err(ShapeError::OtherKind { needed: "compound" }));
    assert_eq!(two.with_parts(|_| false), Err(ShapeError::EmptyCompound));
    assert_eq!(Collider::voxels(Vec3::ONE, &[]), Err(ShapeError::EmptyCompound));
    assert!(Collider::voxels(Vec3::new(1.0, 0.0, 1.0), &[[0; 3]]).is_err());
    assert!(Collider::voxels(Vec3::splat(Real::NAN), &[[0; 3]]).is_err());
    assert!(Collider::voxels(Vec3::splat(1e9), &[[i32::MAX; 3]]).is_err());
}
