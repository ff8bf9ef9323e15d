//! Mass properties against closed forms, convergence, invariance and Monte Carlo sums.

use std::f64::consts::PI;

use dolmen::mass::{MassError, MassProperties, combine, hollow_mesh, of_shape, rounded_mesh, solid_mesh, solids};
use dolmen::math::{
    DMat3, DQuat, DVec3, Pose, Quat, Real, Vec3,
    parry::shape::{
        Ball, Capsule, Compound, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, HeightField, RoundShape, Segment,
        SharedShape, TriMesh, Triangle, Voxels,
    },
    to_f64,
};

type Mesh = (Vec<DVec3>, Vec<[u32; 3]>);

const BOX: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

fn box_mesh(low: DVec3, high: DVec3) -> Mesh {
    let pick = |i: usize, k: usize| if i >> k & 1 == 1 { high[k] } else { low[k] };
    ((0..8).map(|i| DVec3::new(pick(i, 0), pick(i, 1), pick(i, 2))).collect(), BOX.to_vec())
}

fn append(to: &mut Mesh, other: &Mesh) {
    let base = to.0.len() as u32;
    to.0.extend(&other.0);
    to.1.extend(other.1.iter().map(|t| t.map(|v| v + base)));
}

fn inwards(mut mesh: Mesh) -> Mesh {
    mesh.1.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}

/// A torus round y of `n` by `n` quadrilaterals.
fn torus_mesh(major: f64, minor: f64, n: u32) -> Mesh {
    let point = |i: u32, j: u32| {
        let (u, v) = (2.0 * PI * f64::from(i) / f64::from(n), 2.0 * PI * f64::from(j) / f64::from(n));
        let rho = major + minor * v.cos();
        DVec3::new(rho * u.cos(), minor * v.sin(), rho * u.sin())
    };
    let vertices = (0..n * n).map(|k| point(k / n, k % n)).collect();
    let at = |i: u32, j: u32| (i % n) * n + j % n;
    let triangles = (0..n * n).map(|k| (k / n, k % n)).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, c, b], [a, d, c]]
    });
    (vertices, triangles.collect())
}

/// A prism over a regular `n`-gon about y; with `top == 0` a pyramid, its tip `n + 1` vertices at
/// one place.
fn ring_mesh(half: f64, bottom: f64, top: f64, n: u32) -> Mesh {
    let ring = |r: f64, y: f64| {
        (0..n).map(move |i| {
            let u = 2.0 * PI * f64::from(i) / f64::from(n);
            DVec3::new(r * u.cos(), y, r * u.sin())
        })
    };
    let mut vertices: Vec<DVec3> = ring(bottom, -half).chain(ring(top, half)).collect();
    vertices.extend([DVec3::Y * -half, DVec3::Y * half]);
    let (low, high) = (2 * n, 2 * n + 1);
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[low, i, j], [high, n + j, n + i], [i, n + i, j], [j, n + i, n + j]]);
    }
    (vertices, triangles)
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0_f64, |w, x| w.max(x.abs()))
}

/// The largest relative error of mass and tensor, and the distance of the centres (m).
fn difference(a: &MassProperties, b: &MassProperties) -> f64 {
    let inertia = largest(a.inertia() - b.inertia()) / largest(b.inertia());
    ((a.mass - b.mass) / b.mass).abs().max(inertia).max((a.center - b.center).length())
}

#[track_caller]
fn assert_same(a: &MassProperties, b: &MassProperties, bar: f64) {
    let error = difference(a, b);
    assert!(error <= bar, "{error:.2e}: {a:?} is not {b:?}");
}

fn upright(mass: f64, principal: DVec3) -> MassProperties {
    MassProperties { mass, center: DVec3::ZERO, principal, frame: DQuat::IDENTITY }
}

fn at(body: MassProperties, center: DVec3) -> MassProperties {
    MassProperties { center, ..body }
}

/// A piece of an outline: start and end along y, and the squared radius there.
type Piece<'a> = ([f64; 2], &'a dyn Fn(f64) -> f64);

/// A solid of revolution about y in slices. Boole's rule is exact to degree five, and for outlines
/// with quadratic `rho²` all integrands are of degree four.
fn slices(pieces: &[Piece], density: f64) -> MassProperties {
    let mut sums = [0.0; 4];
    for &([from, to], rho2) in pieces {
        for (k, weight) in [7.0, 32.0, 12.0, 32.0, 7.0].into_iter().enumerate() {
            let y = from + (to - from) * k as f64 / 4.0;
            let area = PI * rho2(y) * weight * (to - from) / 90.0;
            for (sum, value) in sums.iter_mut().zip([area, area * y, area * y * y, 0.25 * area * rho2(y)]) {
                *sum += density * value;
            }
        }
    }
    let [mass, first, along, across] = sums;
    let center = first / mass;
    let side = across + along - first * center;
    at(upright(mass, DVec3::new(side, 2.0 * across, side)), DVec3::Y * center)
}

#[test]
fn named_solids_are_the_sums_of_their_slices() {
    let (h, r, rho) = (0.7, 0.45, 830.0);
    let ball = slices(&[([-r, r], &|y| r * r - y * y)], rho);
    assert_same(&solids::ball(r, rho).unwrap(), &ball, 1e-14);
    let cylinder = slices(&[([-h, h], &|_| r * r)], rho);
    assert_same(&solids::cylinder(h, r, rho).unwrap(), &cylinder, 1e-14);
    let cone = slices(&[([-h, h], &|y: f64| (r * (h - y) / (2.0 * h)).powi(2))], rho);
    assert_same(&solids::cone(h, r, rho).unwrap(), &cone, 1e-14);
    let (low, high) = (|y: f64| r * r - (y + h).powi(2), |y: f64| r * r - (y - h).powi(2));
    let capsule = slices(&[([-h - r, -h], &low), ([-h, h], &|_| r * r), ([h, h + r], &high)], rho);
    assert_same(&solids::capsule(DVec3::Y * -h, DVec3::Y * h, r, rho).unwrap(), &capsule, 1e-14);
}

#[test]
fn a_leaning_capsule_is_the_upright_one_turned() {
    let turn = DQuat::from_rotation_z(0.8) * DQuat::from_rotation_x(-0.3);
    let (a, b) = (DVec3::Y * -0.4, DVec3::Y * 0.6);
    let upright = solids::capsule(a, b, 0.2, 500.0).unwrap();
    assert_same(&solids::capsule(turn * a, turn * b, 0.2, 500.0).unwrap(), &upright.moved(turn, DVec3::ZERO), 1e-14);
}

#[test]
fn a_box_of_triangles_is_a_box_wherever_its_origin_lies() {
    let (half, rho) = (DVec3::new(0.05, 2.0, 0.45), 27.5);
    let block = solids::cuboid(half, rho).unwrap();
    for origin in [DVec3::ZERO, half, DVec3::new(5.0, -7.0, 3.0)] {
        let (vertices, triangles) = box_mesh(origin - half, origin + half);
        assert_same(&solid_mesh(&vertices, &triangles, rho).unwrap(), &at(block, origin), 1e-12);
    }
    let (vertices, triangles) = box_mesh(-half, half);
    let frame = solid_mesh(&vertices, &triangles, rho).unwrap().frame;
    assert_eq!(frame, DQuat::IDENTITY, "the frame of an axis-aligned box");
}

#[test]
fn a_mesh_keeps_its_inertia_when_its_origin_moves() {
    let (vertices, triangles) = torus_mesh(1.0, 0.3, 24);
    for weigh in [solid_mesh, hollow_mesh] {
        let here = weigh(&vertices, &triangles, 1.0).unwrap();
        for shift in [DVec3::new(3.0, -2.0, 8.0), DVec3::new(-10.0, 0.5, 0.0)] {
            let moved: Vec<DVec3> = vertices.iter().map(|v| *v + shift).collect();
            assert_same(&weigh(&moved, &triangles, 1.0).unwrap(), &at(here, here.center + shift), 1e-12);
        }
    }
}

#[track_caller]
fn assert_second_order(coarse: f64, fine: f64, bar: f64) {
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.05 && fine < bar, "order {order}, errors {coarse:.2e}, {fine:.2e}");
}

#[test]
fn a_torus_of_triangles_converges_at_second_order() {
    let (major, minor) = (1.0, 0.3);
    let mass = 2.0 * PI * PI * major * minor * minor;
    let across = mass * (0.5 * major * major + 0.625 * minor * minor);
    let along = mass * (major * major + 0.75 * minor * minor);
    let exact = upright(mass, DVec3::new(across, along, across));
    let [coarse, fine] = [64, 128].map(|n| {
        let (vertices, triangles) = torus_mesh(major, minor, n);
        difference(&solid_mesh(&vertices, &triangles, 1.0).unwrap(), &exact)
    });
    assert_second_order(coarse, fine, 3e-3);
}

#[test]
fn an_l_shaped_solid_is_its_two_boxes() {
    let rho = 3.0;
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let vertices: Vec<DVec3> = [0.0, 0.5].iter().flat_map(|&z| outline.map(|[x, y]| DVec3::new(x, y, z))).collect();
    // A fan from the inner corner.
    let face = [[3, 4, 5], [3, 5, 0], [3, 0, 1], [3, 1, 2_u32]];
    let mut triangles: Vec<[u32; 3]> = face.iter().map(|t| t.map(|v| v + 6)).collect();
    triangles.extend(face.map(|[a, b, c]| [a, c, b]));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let long = solids::cuboid(DVec3::new(1.5, 0.5, 0.25), rho).unwrap();
    let short = solids::cuboid(DVec3::new(0.5, 0.5, 0.25), rho).unwrap();
    let whole = combine(&[at(long, DVec3::new(1.5, 0.5, 0.25)), at(short, DVec3::new(0.5, 1.5, 0.25))]).unwrap();
    // By hand: masses 4.5 and 1.5, centre ((4.5 1.5 + 1.5 0.5) / 6, (4.5 0.5 + 1.5 1.5) / 6, 0.25),
    // and the product of inertia in the plane -(4.5 0.25 (-0.25) + 1.5 (-0.75) 0.75).
    assert!((whole.mass - 6.0).abs() < 1e-14 && (whole.center - DVec3::new(1.25, 0.75, 0.25)).length() < 1e-14);
    assert!((whole.inertia().x_axis.y - 1.125).abs() < 1e-13, "{}", whole.inertia());
    assert_same(&solid_mesh(&vertices, &triangles, rho).unwrap(), &whole, 1e-12);
}

#[test]
fn a_hollow_box_is_six_plates() {
    let (a, b, c, rho) = (0.4, 1.1, 2.3, 12.0);
    let (vertices, triangles) = box_mesh(DVec3::ZERO, DVec3::new(a, b, c));
    let (xy, yz, zx) = (2.0 * rho * a * b, 2.0 * rho * b * c, 2.0 * rho * c * a);
    // Second moments of the pairs of plates: across x, x² is a²/4 everywhere; along x, a²/12 on
    // average.
    let x2 = yz * a * a / 4.0 + (xy + zx) * a * a / 12.0;
    let y2 = zx * b * b / 4.0 + (xy + yz) * b * b / 12.0;
    let z2 = xy * c * c / 4.0 + (yz + zx) * c * c / 12.0;
    let exact = at(upright(xy + yz + zx, DVec3::new(y2 + z2, z2 + x2, x2 + y2)), DVec3::new(a, b, c) * 0.5);
    assert_same(&hollow_mesh(&vertices, &triangles, rho).unwrap(), &exact, 1e-12);
}

#[test]
fn a_box_with_a_cavity_is_the_difference_of_two_boxes() {
    let mut mesh = box_mesh(DVec3::ZERO, DVec3::new(2.0, 3.0, 4.0));
    append(&mut mesh, &inwards(box_mesh(DVec3::new(0.5, 0.5, 0.5), DVec3::new(1.0, 2.0, 3.5))));
    let body = solid_mesh(&mesh.0, &mesh.1, 1.0).unwrap();
    let outer = at(solids::cuboid(DVec3::new(1.0, 1.5, 2.0), 1.0).unwrap(), DVec3::new(1.0, 1.5, 2.0));
    let inner = at(solids::cuboid(DVec3::new(0.25, 0.75, 1.5), 1.0).unwrap(), DVec3::new(0.75, 1.25, 2.0));
    let center = (outer.center * outer.mass - inner.center * inner.mass) / (outer.mass - inner.mass);
    let inertia = outer.inertia_about(center) - inner.inertia_about(center);
    assert!((body.mass - 21.75).abs() < 1e-12 && (body.center - center).length() < 1e-13);
    assert!(largest(body.inertia() - inertia) < 1e-12 * largest(inertia));
}

#[test]
fn a_mesh_that_repeats_its_vertices_is_closed() {
    let (vertices, triangles) = box_mesh(DVec3::splat(-1.0), DVec3::splat(1.0));
    let soup: Vec<DVec3> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
    let apart: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    assert_same(&solid_mesh(&soup, &apart, 2.0).unwrap(), &solids::cuboid(DVec3::ONE, 2.0).unwrap(), 1e-14);
}

#[test]
fn a_faulty_mesh_is_refused_and_its_fault_is_named() {
    let (vertices, triangles) = box_mesh(DVec3::ZERO, DVec3::ONE);
    let refused = |triangles: &[[u32; 3]]| solid_mesh(&vertices, triangles, 1.0).unwrap_err();
    let mut open = triangles.clone();
    open.remove(4);
    assert_eq!(refused(&open), MassError::OpenEdge { edge: [0, 1] });
    let mut flipped = triangles.clone();
    flipped[7] = [3, 7, 6];
    assert_eq!(refused(&flipped), MassError::Winding { edge: [3, 6] });
    let mut beyond = triangles.clone();
    beyond[2][1] = 8;
    assert_eq!(refused(&beyond), MassError::IndexOutOfRange { triangle: 2, index: 8 });
    assert_eq!(refused(&[]), MassError::Empty);
    assert_eq!(refused(&[[0, 1, 2], [0, 2, 1]]), MassError::NoVolume { shape: "flat mesh" });
    let (_, turned) = inwards((vertices.clone(), triangles.clone()));
    assert!(matches!(refused(&turned), MassError::InsideOut { volume } if (volume + 1.0).abs() < 1e-14));

    let mut two = box_mesh(DVec3::ZERO, DVec3::splat(2.0));
    append(&mut two, &inwards(box_mesh(DVec3::splat(5.0), DVec3::splat(6.0))));
    assert_eq!(solid_mesh(&two.0, &two.1, 1.0), Err(MassError::PartInsideOut { triangle: 12 }));
    let mut nan = vertices.clone();
    nan[3].y = f64::NAN;
    assert_eq!(solid_mesh(&nan, &triangles, 1.0), Err(MassError::NotFinite { vertex: 3 }));
    let weightless = solid_mesh(&vertices, &triangles, 0.0);
    assert_eq!(weightless, Err(MassError::NotPositive { what: "density", value: 0.0 }));
    assert_eq!(combine(&[]), Err(MassError::Empty));
}

/// Volume and second moment along x of a rounded box, by Simpson's rule over the angle of its round
/// ends.
fn rounded_box_slices(half: DVec3, r: f64) -> (f64, f64) {
    let area = |s: f64| 4.0 * half.y * half.z + 4.0 * s * (half.y + half.z) + PI * s * s;
    let (mut volume, mut second) = (2.0 * half.x * area(r), 2.0 / 3.0 * half.x.powi(3) * area(r));
    let n = 400;
    for i in 0..=n {
        let weight = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
        let angle = 0.5 * PI * f64::from(i) / f64::from(n);
        let x = half.x + r * angle.sin();
        let dx = r * angle.cos() * weight * 0.5 * PI / (3.0 * f64::from(n));
        volume += 2.0 * area(r * angle.cos()) * dx;
        second += 2.0 * x * x * area(r * angle.cos()) * dx;
    }
    (volume, second)
}

#[test]
fn a_rounded_box_is_the_sum_of_its_slices() {
    let (half, r) = (DVec3::new(0.3, 0.5, 1.25), 0.125);
    let (vertices, triangles) = box_mesh(-half, half);
    let body = rounded_mesh(&vertices, &triangles, r, 1.0).unwrap();
    let (volume, x2) = rounded_box_slices(half, r);
    let (_, y2) = rounded_box_slices(DVec3::new(half.y, half.z, half.x), r);
    let (_, z2) = rounded_box_slices(DVec3::new(half.z, half.x, half.y), r);
    assert_same(&body, &upright(volume, DVec3::new(y2 + z2, z2 + x2, x2 + y2)), 1e-11);

    let turn = DQuat::from_rotation_y(0.4) * DQuat::from_rotation_x(1.1);
    let shift = DVec3::new(0.5, 2.0, -1.0);
    let placed: Vec<DVec3> = vertices.iter().map(|v| turn * *v + shift).collect();
    assert_same(&rounded_mesh(&placed, &triangles, r, 1.0).unwrap(), &body.moved(turn, shift), 1e-12);
}

#[test]
fn a_speck_with_a_wide_border_is_a_ball() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|v| v * 1e-9);
    let body = rounded_mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 2.0, 1.0).unwrap();
    assert_same(&body, &solids::ball(2.0, 1.0).unwrap(), 1e-8);
}

#[test]
fn rounded_prisms_and_pyramids_converge_to_the_round_cylinder_and_cone() {
    let (half, radius, border) = (0.75, 0.5, 0.25);
    let (h, r, b) = (half as Real, radius as Real, border as Real);
    let cylinder = RoundShape { inner_shape: Cylinder::new(h, r), border_radius: b };
    let cone = RoundShape { inner_shape: Cone::new(h, r), border_radius: b };
    let cases = [(of_shape(&cylinder, 2.0).unwrap(), radius), (of_shape(&cone, 2.0).unwrap(), 0.0)];
    for (exact, top) in cases {
        let [coarse, fine] = [64, 128].map(|n| {
            let (vertices, triangles) = ring_mesh(half, radius, top, n);
            difference(&rounded_mesh(&vertices, &triangles, border, 2.0).unwrap(), &exact)
        });
        assert_second_order(coarse, fine, 2e-3);
    }
}

/// Pseudorandom numbers in [0, 1): the high bits of a linear congruential generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn point(&mut self, low: DVec3, high: DVec3) -> DVec3 {
        low + (high - low) * DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Compares volume, first and second moments of a body of unit density with a Monte Carlo sum over
/// the box from `low` to `high`: each has to lie within five standard errors of the sum.
fn assert_monte_carlo(body: &MassProperties, [low, high]: [DVec3; 2], seed: u64, inside: impl Fn(DVec3) -> bool) {
    const SAMPLES: u32 = 200_000;
    let mut random = Random(seed);
    let (mut sums, mut squares) = ([0.0; 10], [0.0; 10]);
    for _ in 0..SAMPLES {
        let p = random.point(low, high);
        if inside(p) {
            let values = [1.0, p.x, p.y, p.z, p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.y * p.z, p.z * p.x];
            for k in 0..10 {
                sums[k] += values[k];
                squares[k] += values[k] * values[k];
            }
        }
    }
    let about = body.inertia_about(DVec3::ZERO);
    let trace = 0.5 * (about.x_axis.x + about.y_axis.y + about.z_axis.z);
    let (m, c) = (body.mass, body.center);
    let exact = [
        [m, m * c.x, m * c.y, m * c.z].as_slice(),
        &[trace - about.x_axis.x, trace - about.y_axis.y, trace - about.z_axis.z],
        &[-about.x_axis.y, -about.y_axis.z, -about.z_axis.x],
    ]
    .concat();
    let (space, n) = ((high - low).element_product(), f64::from(SAMPLES));
    for (k, exact) in exact.into_iter().enumerate() {
        let mean = sums[k] / n;
        let standard = space * ((squares[k] / n - mean * mean) / n).sqrt();
        let error = (space * mean - exact).abs();
        assert!(error <= 5.0 * standard, "moment {k}: {} +- {standard} is not {exact}", space * mean);
    }
}

fn real(p: DVec3) -> Vec3 {
    Vec3::new(p.x as Real, p.y as Real, p.z as Real)
}

fn bounds(vertices: &[DVec3], border: f64) -> [DVec3; 2] {
    let low = vertices.iter().copied().reduce(DVec3::min).unwrap();
    let high = vertices.iter().copied().reduce(DVec3::max).unwrap();
    [low - border, high + border]
}

#[test]
fn ten_random_hulls_match_a_monte_carlo_sum() {
    let mut random = Random(7);
    for hull in 0..10 {
        let at = random.point(DVec3::splat(-1.0), DVec3::ONE);
        let size = DVec3::new(1.0, 0.5, 0.7);
        let points: Vec<Vec3> = (0..8 + 3 * hull).map(|_| real(at + random.point(-size, size))).collect();
        let shape = ConvexPolyhedron::from_convex_hull(&points).unwrap();
        let (vertices, triangles) = shape.to_trimesh();
        let vertices: Vec<DVec3> = vertices.into_iter().map(to_f64).collect();
        let plane = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            let n = (b - a).cross(c - a);
            (n, n.dot(a))
        };
        let planes: Vec<(DVec3, f64)> = triangles.iter().map(plane).collect();
        let inside = |p: DVec3| planes.iter().all(|(n, d)| n.dot(p) <= *d);
        assert_monte_carlo(&of_shape(&shape, 1.0).unwrap(), bounds(&vertices, 0.0), hull, inside);
    }
}

#[test]
fn rounded_triangles_and_hulls_match_a_monte_carlo_sum() {
    use dolmen::math::parry::query::PointQuery;
    let corners = [Vec3::new(0.5, 0.0, 0.25), Vec3::new(-0.5, 0.25, 0.0), Vec3::new(0.25, 1.0, -0.5)];
    let triangle = Triangle::new(corners[0], corners[1], corners[2]);
    let body = of_shape(&RoundShape { inner_shape: triangle, border_radius: 0.25 }, 1.0).unwrap();
    let inside = |p| triangle.distance_to_local_point(real(p), true) < 0.25;
    assert_monte_carlo(&body, bounds(&corners.map(to_f64), 0.25), 3, inside);

    let mut random = Random(99);
    let points: Vec<Vec3> = (0..12).map(|_| real(random.point(DVec3::splat(-0.75), DVec3::ONE))).collect();
    let hull = ConvexPolyhedron::from_convex_hull(&points).unwrap();
    let body = of_shape(&RoundShape { inner_shape: hull.clone(), border_radius: 0.25 }, 1.0).unwrap();
    let vertices: Vec<DVec3> = points.iter().map(|&p| to_f64(p)).collect();
    let inside = |p| hull.distance_to_local_point(real(p), true) < 0.25;
    assert_monte_carlo(&body, bounds(&vertices, 0.25), 4, inside);
}

#[test]
fn parry_shapes_have_the_closed_forms() {
    let rho = 640.0;
    assert_eq!(of_shape(&Ball::new(0.5), rho), solids::ball(0.5, rho));
    let half = DVec3::new(0.5, 0.25, 2.0);
    let cuboid = Cuboid::new(Vec3::new(0.5, 0.25, 2.0));
    assert_eq!(of_shape(&cuboid, rho), solids::cuboid(half, rho));
    assert_eq!(of_shape(&Cylinder::new(0.5, 0.25), rho), solids::cylinder(0.5, 0.25, rho));
    assert_eq!(of_shape(&Cone::new(0.5, 0.25), rho), solids::cone(0.5, 0.25, rho));
    let capsule = solids::capsule(DVec3::X * -0.5, DVec3::X * 0.5, 0.25, rho).unwrap();
    assert_same(&of_shape(&Capsule::new_x(0.5, 0.25), rho).unwrap(), &capsule, 0.0);
    assert_eq!(capsule.frame, DQuat::IDENTITY);
    let rounded = RoundShape { inner_shape: cuboid, border_radius: 0.125 };
    let (vertices, triangles) = box_mesh(-half, half);
    assert_same(&of_shape(&rounded, rho).unwrap(), &rounded_mesh(&vertices, &triangles, 0.125, rho).unwrap(), 1e-14);
}

#[test]
fn voxels_are_their_boxes() {
    let points = [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.5, 1.5, 0.5]].map(|p| real(DVec3::from_array(p)));
    let body = of_shape(&Voxels::from_points(Vec3::ONE, &points), 2.0).unwrap();
    let cube = solids::cuboid(DVec3::splat(0.5), 2.0).unwrap();
    let whole = combine(&points.map(|p| at(cube, to_f64(p)))).unwrap();
    assert_same(&body, &whole, 1e-14);
}

#[test]
fn a_compound_of_turned_parts_is_the_sum_of_their_tensors() {
    let part = |x: Real, turn: Real, shape: SharedShape| {
        (Pose::from_parts(Vec3::new(x, 0.5, 0.0), Quat::from_rotation_z(turn)), shape)
    };
    let block = part(2.0, -1.0, SharedShape::cuboid(0.5, 0.25, 0.25));
    let compound = Compound::new(vec![block, part(1.0, 0.5, SharedShape::cone(0.5, 0.25))]);
    let turn = |angle: Real| {
        let q = Quat::from_rotation_z(angle);
        DQuat::from_xyzw(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w)).normalize()
    };
    let block = solids::cuboid(DVec3::new(0.5, 0.25, 0.25), 3.0).unwrap().moved(turn(-1.0), DVec3::new(2.0, 0.5, 0.0));
    let cone = solids::cone(0.5, 0.25, 3.0).unwrap().moved(turn(0.5), DVec3::new(1.0, 0.5, 0.0));
    let body = of_shape(&compound, 3.0).unwrap();
    assert!((body.mass - block.mass - cone.mass).abs() < 1e-14);
    for point in [DVec3::ZERO, DVec3::new(3.0, -2.0, 1.0)] {
        let sum = block.inertia_about(point) + cone.inertia_about(point);
        assert!(largest(body.inertia_about(point) - sum) < 1e-14 * largest(sum));
    }
}

#[test]
fn shapes_without_mass_say_why() {
    assert_eq!(of_shape(&HalfSpace::new(Vec3::Y), 1.0), Err(MassError::Unbounded { shape: "half-space" }));
    let segment = Segment::new(Vec3::ZERO, Vec3::X);
    assert_eq!(of_shape(&segment, 1.0), Err(MassError::NoVolume { shape: "segment" }));
    let field = HeightField::new(dolmen::math::parry::utils::Array2::new(2, 2, vec![0.0; 4]), Vec3::ONE);
    assert_eq!(of_shape(&field, 1.0), Err(MassError::NoVolume { shape: "height field" }));
    let open = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert_eq!(of_shape(&open, 1.0), Err(MassError::OpenEdge { edge: [0, 1] }));
    assert_eq!(of_shape(&Ball::new(0.0), 1.0), Err(MassError::NotPositive { what: "radius", value: 0.0 }));
    let parts = [SharedShape::ball(1.0), SharedShape::halfspace(Vec3::Y)].map(|shape| (Pose::IDENTITY, shape));
    let error = of_shape(&Compound::new(parts.to_vec()), 1.0).unwrap_err();
    assert_eq!(error.to_string(), "part 1: a half-space has no end, so it has no mass: give mass and inertia");
}

#[test]
fn a_closed_parry_trimesh_is_a_solid() {
    let (vertices, triangles) = box_mesh(DVec3::ZERO, DVec3::new(1.0, 2.0, 0.5));
    let mesh = TriMesh::new(vertices.iter().map(|&v| real(v)).collect(), triangles).unwrap();
    let block = solids::cuboid(DVec3::new(0.5, 1.0, 0.25), 4.0).unwrap();
    assert_same(&of_shape(&mesh, 4.0).unwrap(), &at(block, DVec3::new(0.5, 1.0, 0.25)), 1e-14);
}
