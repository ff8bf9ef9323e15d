//! Debug drawing against the geometry that it shows.

use crate::gallery::{self, Torus};
use dolmen::debug::{self, Colour, Renderer, Show, Style};
use dolmen::math::parry::query::PointQuery;
use dolmen::math::parry::shape::Triangle;
use dolmen::math::{Pose, consts::TAU};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::fmt;

const DT: Real = 1.0 / 60.0;
/// Greatest distance of the end of a line from what it shows (m).
const OFF: Real = 1e-4;

/// What was drawn, by the first method alone.
#[derive(Default, PartialEq, Debug)]
struct Lines {
    lines: Vec<([Vec3; 2], Colour)>,
    texts: Vec<String>,
}

impl Renderer for Lines {
    fn line(&mut self, a: Vec3, b: Vec3, colour: Colour) {
        self.lines.push(([a, b], colour));
    }

    fn text(&mut self, _at: Vec3, text: fmt::Arguments<'_>, _colour: Colour) {
        self.texts.push(text.to_string());
    }
}

/// The shafts of arrows: triangles are left out.
#[derive(Default)]
struct Shafts(Vec<[Vec3; 2]>);

impl Renderer for Shafts {
    fn line(&mut self, a: Vec3, b: Vec3, _colour: Colour) {
        self.0.push([a, b]);
    }

    fn triangle(&mut self, _corners: [Vec3; 3], _colour: Colour) {}
}

fn drawn(physics: &Physics, show: Show) -> Lines {
    let mut lines = Lines::default();
    debug::draw(physics, &mut lines, show, &Style::default());
    lines
}

fn ends(lines: &Lines) -> impl Iterator<Item = Vec3> + '_ {
    lines.lines.iter().flat_map(|(ends, _)| *ends)
}

/// Distance of a point of a plane from a box about the origin.
fn plane_box(point: [Real; 2], half: [Real; 2]) -> Real {
    let [x, y] = [0, 1].map(|k| point[k].abs() - half[k]);
    x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0)
}

fn cuboid(p: Vec3, half: Vec3) -> Real {
    let gap = p.abs() - half;
    gap.max(Vec3::ZERO).length() + gap.max_element().min(0.0)
}

fn segment(p: Vec3, a: Vec3, b: Vec3) -> Real {
    let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a + (b - a) * along)
}

fn cylinder(p: Vec3, half_height: Real, radius: Real) -> Real {
    plane_box([p.x.hypot(p.z), p.y], [radius, half_height])
}

/// Distance from the side and the base of a cone, negative inside.
fn cone(p: Vec3, half_height: Real, radius: Real) -> Real {
    let flat = Vec3::new(p.x.hypot(p.z), p.y, 0.0);
    let [rim, tip] = [Vec3::new(radius, -half_height, 0.0), Vec3::Y * half_height];
    let off = segment(flat, rim, tip).min(segment(flat, Vec3::Y * -half_height, rim));
    let is_inside = flat.y > -half_height && (flat - tip).dot(Vec3::new(2.0 * half_height, radius, 0.0)) < 0.0;
    if is_inside { -off } else { off }
}

fn triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Real {
    Triangle::new(a, b, c).project_local_point(p, false).point.distance(p)
}

fn triangles(p: Vec3, all: impl Iterator<Item = Triangle>) -> Real {
    all.map(|t| triangle(p, [t.a, t.b, t.c])).fold(Real::INFINITY, Real::min)
}

/// Distance of a point in a shape's own axes from its surface, by closed form.
fn off_surface(name: &str, collider: &Collider, p: Vec3) -> Real {
    let shape = collider.shape();
    let flat = |t: &Triangle| [t.a, t.b, t.c];
    match name {
        "ball" => p.length() - 0.5,
        "cuboid" => cuboid(p, Vec3::new(0.5, 0.3, 0.4)),
        "capsule" => segment(p, Vec3::Y * -0.3, Vec3::Y * 0.3) - 0.25,
        "slanted capsule" => segment(p, Vec3::new(-0.3, -0.3, 0.0), Vec3::new(0.3, 0.2, 0.2)) - 0.2,
        "cylinder" => cylinder(p, 0.4, 0.35),
        "cone" => cone(p, 0.4, 0.4),
        "hull" => (p.abs().element_sum() - 0.6) / Vec3::ONE.length(),
        "rounded cuboid" => cuboid(p, Vec3::new(0.4, 0.25, 0.3)) - 0.1,
        "rounded cylinder" => cylinder(p, 0.3, 0.3) - 0.1,
        "rounded cone" => cone(p, 0.3, 0.3) - 0.1,
        "rounded hull" => cuboid(p, Vec3::new(0.4, 0.3, 0.2)) - 0.1,
        "triangle" => triangle(p, flat(shape.as_triangle().unwrap())),
        "rounded triangle" => triangle(p, flat(&shape.as_round_triangle().unwrap().inner_shape)) - 0.1,
        "segment" => segment(p, Vec3::new(-0.4, -0.4, 0.0), Vec3::new(0.4, 0.4, 0.2)),
        "polyline" => {
            let all = shape.as_polyline().unwrap().segments();
            all.map(|s| segment(p, s.a, s.b)).fold(Real::INFINITY, Real::min)
        }
        "mesh" => triangles(p, shape.as_trimesh().unwrap().triangles()),
        "height field" => triangles(p, shape.as_heightfield().unwrap().triangles()),
        // Two voxels from the origin along x.
        "voxels" => cuboid(p - Vec3::new(0.4, 0.2, 0.2), Vec3::new(0.4, 0.2, 0.2)),
        "compound" => {
            let first = Quat::from_rotation_y(0.4).inverse() * (p - Vec3::X * 0.4);
            let (first, second) = (cuboid(first, Vec3::new(0.2, 0.3, 0.2)), p.distance(Vec3::X * -0.4) - 0.25);
            first.abs().min(second.abs())
        }
        "half-space" => p.dot(Vec3::new(0.2, 1.0, 0.1).normalize()),
        "custom" => (p.x.hypot(p.z) - 0.4).hypot(p.y) - 0.15,
        "custom by its bounds" => cuboid(p - Vec3::new(0.1, 0.05, -0.1), Vec3::new(0.4, 0.25, 0.3)),
        _ => panic!("{name} has no closed form here"),
    }
}

#[test]
fn each_line_of_a_shape_ends_on_its_surface_and_all_reach_its_bounds() {
    let turned = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(-0.4);
    let mut all = gallery::shapes();
    all.push(("ellipsoid", crate::custom_shape::Ellipsoid { axes: Vec3::new(0.6, 0.25, 0.5) }.collider()));
    for (name, collider) in all {
        for pose in [Pose::IDENTITY, Pose::from_parts(Vec3::new(3.0, -2.0, 1.0), turned)] {
            let (mut world, mut physics) = (World::new(), gallery::physics());
            world.spawn(Body::fixed(collider.clone()).position(pose.translation).orientation(pose.rotation));
            physics.step(&mut world, DT).unwrap();
            let lines = drawn(&physics, Show { shapes: true, ..Show::NONE });
            let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for end in ends(&lines) {
                let local = pose.inverse_transform_point(end);
                (least, most) = (least.min(local), most.max(local));
                let off = match name {
                    "ellipsoid" => (local / Vec3::new(0.6, 0.25, 0.5)).length() - 1.0,
                    _ => off_surface(name, &collider, local),
                };
                assert!(off.abs() < OFF, "{name}: {local} is {off} m off");
            }
            // Parry's box of voxels is that of whole chunks of them.
            if !matches!(name, "half-space" | "voxels") {
                let bounds = collider.shape().compute_local_aabb();
                let short = (bounds.mins - least).abs().max((bounds.maxs - most).abs()).max_element();
                // The arcs of slanted solids pass their farthest points by.
                let most_short = if matches!(name, "slanted capsule" | "rounded triangle") { 0.05 } else { OFF };
                assert!(short < most_short, "{name}: {least} to {most} of {bounds:?}");
            } else {
                assert!((most - least).max_element() > 0.7, "{most}");
            }
        }
    }
}

#[test]
fn a_custom_shape_hands_its_lines_over_in_its_own_axes() {
    let mut own = Vec::new();
    assert!(Torus { major: 0.4, minor: 0.15 }.draw(&mut |a, b| own.push([a, b])));
    let (mut world, mut physics) = (World::new(), gallery::physics());
    world.spawn(Body::fixed(Collider::custom(Torus { major: 0.4, minor: 0.15 })).at(1.0, 0.0, 0.0));
    physics.step(&mut world, DT).unwrap();
    let lines = drawn(&physics, Show { shapes: true, ..Show::NONE });
    assert_eq!(lines.lines.len(), own.len());
    for ((ends, _), own) in lines.lines.iter().zip(own) {
        assert!((0..2).all(|k| (ends[k] - own[k] - Vec3::X).length() < OFF));
    }
}

/// A joint of each kind at rest, and its two frames in the world.
fn resting_joint(kind: JointKind, second: Pose) -> (Physics, Pose, Pose, Vec3) {
    let first = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.8) * Quat::from_rotation_x(0.3));
    let local = Pose::from_parts(Vec3::new(0.1, -0.2, 0.05), Quat::from_rotation_z(0.6));
    let pose = first * second * local.inverse();
    let mut world = World::new();
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    let body = Body::dynamic(Collider::cuboid(0.3, 0.2, 0.1)).position(pose.translation).orientation(pose.rotation);
    let body = world.spawn(body);
    let frame = |pose: Pose| JointFrame { anchor: pose.translation, orientation: pose.rotation };
    world.spawn((Joint::new(None, body, kind).frames(frame(first), frame(local)), JointState::default()));
    physics.step(&mut world, DT).unwrap();
    let place = world.get::<&Position>(body).unwrap().0;
    let now = Pose::from_parts(place, world.get::<&Orientation>(body).unwrap().0);
    (physics, first, now * local, place)
}

/// What the lines of a joint may end at: points, all of which are there, and arcs of a radius about
/// axes through the first anchor.
struct Expected {
    points: Vec<Vec3>,
    arcs: Vec<Vec3>,
}

#[test]
fn the_lines_of_a_joint_end_at_its_anchors_frames_axes_and_limits() {
    let size = Style::default().frame;
    for (name, kind, second) in gallery::joints() {
        let (physics, a, b, centre) = resting_joint(kind, second);
        let [x, y, z] = Vec3::AXES.map(|axis| a.rotation * axis);
        let (from, to) = (a.translation, b.translation);
        let along = (to - from).try_normalize().unwrap_or(x);
        let mut points = vec![centre, to];
        for pose in [a, b] {
            points.push(pose.translation);
            points.extend(Vec3::AXES.map(|axis| pose.translation + pose.rotation * axis * size));
        }
        let mut arcs = Vec::new();
        let both = |at: Vec3, axis: Vec3| [at + axis * size, at - axis * size];
        // A stop of a rail or a rope: a bar across it.
        let across = |axis: Vec3| dolmen::math::orthonormal_basis(axis).0 * (0.25 * size);
        let bar = |at: Vec3, axis: Vec3| [at + across(axis), at - across(axis)];
        let turned = |zero: Vec3, about: Vec3, angle: Real| from + Quat::from_axis_angle(about, angle) * zero * size;
        match name {
            "fixed" | "spherical" => {}
            "revolute" => {
                points.extend(both(from, x));
                points.extend([-0.6, 1.2, 0.5].map(|angle| turned(y, x, angle)));
                arcs.push(x);
            }
            "prismatic" => {
                points.extend(both(to, x));
                points.extend([-0.5, 0.3].map(|at| from + x * at));
                points.extend([-0.5, 0.3].iter().flat_map(|at| bar(from + x * *at, x)));
            }
            "distance" => points.extend([0.3, 0.9].iter().flat_map(|at| bar(from + along * *at, along))),
            "spring" => {
                points.extend(bar(from + along * 0.5, along));
                let turn = |k: u32| across(along) * if k.is_multiple_of(2) { 1.0 } else { -1.0 };
                points.extend((0..8).map(|k| from + (to - from) * ((k as Real + 0.5) / 8.0) + turn(k)));
            }
            "universal" => {
                // The second axis turns with the first.
                let second = Quat::from_axis_angle(x, 0.3) * y;
                points.extend(both(from, x));
                points.extend(both(from, second));
                points.extend([-0.8, 0.9, 0.3].map(|angle| turned(y, x, angle)));
                let zero = x.cross(second);
                points.extend([-0.5, 0.7, -0.2].map(|angle| turned(zero, second, angle)));
                arcs.extend([x, second]);
            }
            "planar" => {
                points.extend(both(to, x));
                points.extend(both(to, y));
                points.extend(both(from, z));
                let (on_x, on_y) = (to - x * 0.2, to + y * 0.1);
                points.extend(
                    [-0.3, 0.4].iter().flat_map(|at| [vec![on_x + x * *at], bar(on_x + x * *at, x).to_vec()].concat()),
                );
                points.extend(
                    [-0.2, 0.5].iter().flat_map(|at| [vec![on_y + y * *at], bar(on_y + y * *at, y).to_vec()].concat()),
                );
                points.extend([-1.0, 1.0, 0.4].map(|angle| turned(x, z, angle)));
                arcs.push(z);
            }
            "swing-twist" => {
                points.extend([-0.6, 0.8, 0.4].map(|angle| turned(y, x, angle)));
                arcs.push(x);
                // The rim: half swings whose sines lie on an ellipse.
                points.extend((0..32).map(|k| {
                    let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 32.0).sin_cos();
                    let half = [0.25_f64.sin() * cos, 0.45_f64.sin() * sin];
                    let w = (1.0 - half[0] * half[0] - half[1] * half[1]).sqrt();
                    let swing = Quat::from_xyzw(0.0, half[0] as Real, half[1] as Real, w as Real);
                    from + a.rotation * (swing * Vec3::X) * size
                }));
            }
            "gear" => {
                points.extend(both(from, x));
                points.extend(both(to, b.rotation * Vec3::X));
            }
            "winch" => {
                // In the plane across the axis the load is at (-0.8, 0.2), and the tangent 0.8 long.
                points.extend(both(from, x));
                points.push(from + a.rotation * Vec3::new(0.0, -0.064 / 0.68, -0.12 / 0.68));
            }
            "pulley" => points.extend([Vec3::new(0.0, 1.0, 0.2), Vec3::new(0.5, 1.0, 0.2)]),
            "rack and pinion" => {
                let rack = b.rotation * Vec3::X;
                points.extend(both(from, x));
                points.extend(both(to, rack));
                points.push(from + rack.cross(x) * 0.3);
            }
            _ => panic!("{name} has no closed form here"),
        }
        check_joint(
            name,
            &drawn(&physics, Show { joints: true, limits: true, ..Show::NONE }),
            from,
            Expected { points, arcs },
        );
    }
}

fn check_joint(name: &str, lines: &Lines, anchor: Vec3, expected: Expected) {
    let size = Style::default().frame;
    for end in ends(lines) {
        let off_point = expected.points.iter().map(|point| point.distance(end)).fold(Real::INFINITY, Real::min);
        let arm = end - anchor;
        let off_arc = expected.arcs.iter().map(|axis| (arm.length() - size).abs().max(arm.dot(*axis).abs()));
        let off = off_arc.fold(off_point, Real::min);
        assert!(off < OFF, "{name}: a line ends {off} m off at {end}");
    }
    for point in &expected.points {
        let off = ends(lines).map(|end| end.distance(*point)).fold(Real::INFINITY, Real::min);
        assert!(off < OFF, "{name}: no line ends at {point}, the nearest is {off} m off");
    }
}

/// A stack at rest on a floor, and one that a motor of a hinge keeps moving; a body in flight, a
/// sensor, a broken joint.
fn scene(threads: Option<usize>) -> (World, Physics) {
    let mut world = World::new();
    let mut physics = Physics::new(Settings { threads, ..Settings::default() });
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for y in [0.5, 1.5] {
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, 0.0));
    }
    let wheel = world.spawn(Body::dynamic(Collider::cylinder(0.2, 0.4)).at(4.0, 3.0, 0.0));
    let hinge = Joint::revolute(None, wheel).anchors(Vec3::new(4.0, 3.0, 0.0), Vec3::ZERO).limits(-100.0, 100.0);
    world.spawn((hinge.axes(Vec3::Y, Vec3::Y).motor(Motor::velocity(2.0, 50.0)), JointState::default()));
    world.spawn(Body::dynamic(Collider::ball(0.3)).at(-5.0, 60.0, 0.0).linear_velocity(Vec3::X));
    world.spawn(Body::kinematic(Collider::ball(0.2)).at(-4.0, 5.0, 0.0));
    world.spawn(Body::fixed(Collider::ball(0.2)).at(-3.0, 5.0, 0.0).sensor());
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
    }
    // A pair that is awake.
    for x in [10.0, 10.3] {
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(x, 0.5 + 3.4 * (x - 10.0), 0.0));
    }
    physics.step(&mut world, DT).unwrap();
    physics.step(&mut world, DT).unwrap();
    (world, physics)
}

#[test]
fn each_flag_draws_in_its_own_colours_and_none_draws_nothing() {
    let (_world, physics) = scene(None);
    assert!(physics.state().counts.asleep >= 2, "{:?}", physics.state().counts);
    assert_eq!(drawn(&physics, Show::NONE), Lines::default());
    let s = Style::default();
    let axes = s.axes.to_vec();
    let colours = |name: &str| match name {
        "shapes" => vec![s.fixed, s.kinematic, s.dynamic],
        "sensors" => vec![s.sensor],
        "islands" => s.islands.to_vec(),
        "sleep" => vec![s.asleep],
        "solvers" => vec![s.direct, s.substeps, s.joint_islands],
        "axes" => axes.clone(),
        "centres of mass" => vec![s.center],
        "velocities" => vec![s.velocity, s.spin],
        "boxes" => vec![s.aabb],
        "joints" => [axes.clone(), vec![s.joint]].concat(),
        "limits" => vec![s.limit],
        "loads" => vec![s.force, s.torque],
        "contacts" => vec![s.contact, s.near],
        "forces" => vec![s.force],
        _ => panic!("{name} has no colours here"),
    };
    for (name, flag) in Show::FLAGS {
        let mut show = Show::NONE;
        *flag(&mut show) = true;
        let lines = drawn(&physics, show);
        assert!(!lines.lines.is_empty(), "{name} draws nothing");
        let strange = lines.lines.iter().find(|(_, colour)| !colours(name).contains(colour));
        assert_eq!(strange, None, "{name}");
    }
    let solvers = drawn(&physics, Show { solvers: true, ..Show::NONE });
    assert!(solvers.texts.iter().any(|text| text == "joints"), "{:?}", solvers.texts);
    assert!(solvers.texts.len() > 1 && solvers.texts.len() == physics.state().islands.islands.len());
}

#[test]
fn equal_worlds_are_drawn_alike_on_any_number_of_threads() {
    let [one, again, two] = [Some(1), Some(1), Some(2)].map(|threads| drawn(&scene(threads).1, Show::ALL));
    assert!(one.lines.len() > 200);
    assert_eq!(one, again);
    assert_eq!(one, two);
}

#[test]
fn arrows_are_as_long_as_forces_and_velocities_are_large() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0).mass(40.0));
    let bob = world.spawn(Body::dynamic(Collider::ball(0.2)).at(5.0, 2.0, 0.0).mass(10.0));
    world.spawn((Joint::spherical(None, bob).anchors(Vec3::new(5.0, 3.0, 0.0), Vec3::Y), JointState::default()));
    let flying: Entity =
        world.spawn(Body::dynamic(Collider::ball(0.2)).at(9.0, 9.0, 0.0).linear_velocity(Vec3::X * 3.0));
    for _ in 0..30 {
        physics.step(&mut world, DT).unwrap();
    }
    let style = Style { force_scale: 2e-3, velocity_scale: 0.5, ..Style::default() };
    let shafts = |show: Show| {
        let mut shafts = Shafts::default();
        debug::draw(&physics, &mut shafts, show, &style);
        shafts.0
    };
    let sum = |shafts: &[[Vec3; 2]]| shafts.iter().map(|[from, to]| *to - *from).sum::<Vec3>();
    let weight = sum(&shafts(Show { forces: true, ..Show::NONE })) / 2e-3;
    assert!((weight - Vec3::Y * 40.0 * 9.81).length() < 0.5, "{weight}");
    let loads = shafts(Show { loads: true, ..Show::NONE });
    let pull = (loads[0][1] - loads[0][0]) / 2e-3;
    assert!((pull - Vec3::Y * 10.0 * 9.81).length() < 0.5, "{pull}");
    assert!(loads[0][0].distance(Vec3::new(5.0, 3.0, 0.0)) < 1e-3, "at the anchor");
    let speed = world.get::<&LinearVelocity>(flying).unwrap().0;
    let fastest = shafts(Show { velocities: true, ..Show::NONE });
    assert!(fastest.iter().any(|[from, to]| ((*to - *from) / 0.5 - speed).length() < 1e-4), "{fastest:?}");
}

#[test]
fn a_ray_is_drawn_to_its_hit_or_to_its_end() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    physics.step(&mut world, DT).unwrap();
    let style = Style::default();
    for (direction, length, end) in [
        (Vec3::NEG_Y, 50.0, Vec3::new(1.0, 0.0, 0.0)),
        (Vec3::X, 4.0, Vec3::new(5.0, 3.0, 0.0)),
        (Vec3::X, Real::INFINITY, Vec3::new(1.0 + style.extent, 3.0, 0.0)),
    ] {
        let ray = Ray::new(Vec3::new(1.0, 3.0, 0.0), direction, length).unwrap();
        let hit = physics.query().ray(&ray, &Filter::default());
        let mut lines = Lines::default();
        debug::draw_ray(&mut lines, &ray, hit.as_ref(), &style);
        let ([from, to], colour) = lines.lines[0];
        assert!(from.distance(Vec3::new(1.0, 3.0, 0.0)) < OFF && to.distance(end) < OFF, "{from} {to}");
        assert_eq!(colour, if hit.is_some() { style.ray_hit } else { style.ray });
        assert_eq!(lines.lines.len() > 1, hit.is_some(), "the point and the normal of a hit");
    }
}

#[test]
fn circles_have_as_many_lines_as_the_style_asks_for() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::ball(1.0)));
    physics.step(&mut world, DT).unwrap();
    for segments in [4, 24, 100] {
        let mut lines = Lines::default();
        let style = Style { segments, ..Style::default() };
        debug::draw(&physics, &mut lines, Show { shapes: true, ..Show::NONE }, &style);
        assert_eq!(lines.lines.len(), 3 * segments as usize);
        let chord = 2.0 * (0.5 * TAU / segments as Real).sin();
        assert!(lines.lines.iter().all(|([a, b], _)| (a.distance(*b) - chord).abs() < OFF));
    }
}
