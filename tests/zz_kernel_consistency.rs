use dolmen::contact::kernels::*;
use dolmen::math::{Pose, Quat, Real, Vec3, parry::shape::SharedShape};
#[test]
fn consistent() {
    let mut s = 12345u64;
    let mut r = || { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); ((s >> 33) as f64 / (1u64 << 31) as f64) as Real };
    let g = Geometry::from(&SharedShape::cuboid(0.5, 0.5, 0.5));
    let mut out = Manifolds::default();
    let mut worst = 0.0 as Real;
    let (mut jumps, mut lost) = (0, 0);
    for _ in 0..3000 {
        let mut q = Quat::from_xyzw(r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5).normalize();
        let mut p = Vec3::new(r() - 0.5, r() - 0.5, r() - 0.5).normalize() * (0.9 + r() * 0.5);
        let (v, w) = (Vec3::new(r() - 0.5, r() - 0.5, r() - 0.5) * 0.005, Vec3::new(r() - 0.5, r() - 0.5, r() - 0.5) * 0.01);
        let mut cache = PairCache::default();
        let mut last: Option<Real> = None;
        for _ in 0..40 {
            p += v;
            q = (Quat::from_scaled_axis(w) * q).normalize();
            let pose = Pose::from_parts(p, q);
            collide(&g, &g, &pose, 0.05, &mut cache, &mut out).unwrap();
            let m = out.as_slice().first().copied().unwrap_or_default();
            let mut fresh = Manifolds::default();
            collide(&g, &g, &pose, 0.05, &mut PairCache::default(), &mut fresh).unwrap();
            let f = fresh.as_slice().first().copied().unwrap_or_default();
            if (f.count == 0) != (m.count == 0) && f.deepest().min(m.deepest()) < 0.04 { lost += 1; if lost < 5 { println!("lost: cached {:?} fresh {:?}", (m.count, m.deepest(), m.normal), (f.count, f.deepest(), f.normal)); } }
            for c in m.points() { let e = ((pose * c.point_b - c.point_a).dot(m.normal) - c.separation).abs(); if e > worst { worst = e; } }
            if let Some(l) = last && m.count > 0 && (m.deepest() - l).abs() > 0.03 { jumps += 1; if jumps < 8 { println!("jump {l} -> {} n {} cache {cache:?} fresh {} n {} count {}", m.deepest(), m.normal, f.deepest(), f.normal, m.count); } }
            last = (m.count > 0).then(|| m.deepest());
        }
    }
    println!("{worst} jumps {jumps} lost {lost}");
}
