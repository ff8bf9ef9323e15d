//! Impacts of spinning thin rods in free flight.

use crate::impacts::Random;
use dolmen::math::{DQuat, DVec3, from_f64, quat_to_f64, to_f64};
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Half extents of a rod (m); its mass is 1 kg.
const HALF: DVec3 = DVec3::new(0.03, 0.6, 0.03);

fn inertia() -> DVec3 {
    let square = HALF * HALF;
    (DVec3::splat(square.element_sum()) - square) / 3.0
}

/// The energy (J), momentum (N s) and angular momentum about the origin (N m s) of rods.
fn conserved(world: &World, rods: [Entity; 2]) -> (f64, DVec3, DVec3) {
    rods.into_iter().fold((0.0, DVec3::ZERO, DVec3::ZERO), |(energy, momentum, angular), rod| {
        let rod = world.entity(rod).unwrap();
        let axes = quat_to_f64(rod.get::<&Orientation>().unwrap().0);
        let [at, v, w] = [
            rod.get::<&Position>().unwrap().0,
            rod.get::<&LinearVelocity>().unwrap().0,
            rod.get::<&AngularVelocity>().unwrap().0,
        ]
        .map(to_f64);
        let spin = axes.inverse() * w;
        let own = inertia() * spin;
        (energy + 0.5 * (v.length_squared() + spin.dot(own)), momentum + v, angular + at.cross(v) + axes * own)
    })
}

/// Sixty pairs, one rod spinning across its length at 15 rad/s, the other thrown at it. In a step
/// of a sixtieth of a second they turn by a quarter of a radian, so late impacts are far from the
/// extrapolated start.
#[test]
fn thin_rods_that_spin_gain_no_energy_where_they_hit_each_other() {
    let (mut random, mut hits, mut worst) = (Random(5), 0, DVec3::ZERO);
    for pair in 0..60 {
        let mut world = World::new();
        let settings = Settings { gravity: Vec3::ZERO, sleep: false, ..Settings::default() };
        let mut physics = Physics::new(settings);
        let from = random.direction();
        let mut rods = [(DVec3::ZERO, DVec3::ZERO, 15.0), (from * 1.3, from * -5.0, 0.0)].map(|(at, v, spin)| {
            let turned = DQuat::from_mat3(&random.orientation());
            let across = turned * random.direction().with_y(0.0).normalize();
            let [x, y, z, w] = turned.to_array().map(|x| x as Real);
            let body = Body::dynamic(Collider::cuboid(HALF.x as Real, HALF.y as Real, HALF.z as Real)).mass(1.0);
            let body = body.position(from_f64(at)).orientation(Quat::from_xyzw(x, y, z, w).normalize());
            let body = body.material(Material::new(0.0, 0.0));
            let rod = world.spawn(body);
            world.insert(rod, (LinearVelocity(from_f64(v)), AngularVelocity(from_f64(across * spin)))).unwrap();
            rod
        });
        rods.sort_unstable();
        let (energy, momentum, angular) = conserved(&world, rods);
        let mut met = false;
        for _ in 0..24 {
            met |= physics.step(&mut world, 1.0 / 60.0).unwrap().counts.impacts > 0;
            let (now, p, l) = conserved(&world, rods);
            let off = DVec3::new(now / energy - 1.0, (p - momentum).length() / 5.0, (l - angular).length());
            worst = worst.max(off);
            assert!(off.x < 0.05 && off.y < 1e-4, "{pair}: {off}");
        }
        hits += usize::from(met);
    }
    println!(
        "{hits} pairs met: energy {:.4} more, momentum off by {:.1e}, angular by {:.3} N m s",
        worst.x, worst.y, worst.z
    );
    assert!(hits > 40, "{hits}");
}
