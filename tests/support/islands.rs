//! Islands of bodies in contact, built by hand: the contacts of well-known scenes. `z` is up, and
//! gravity is 9.81 m/s².

#![allow(dead_code, reason = "each test and bench uses some of the scenes")]

use dolmen::math::{DMat3, DVec3};
use dolmen::resting::{Body, Contact, WORLD};

pub const G: f64 = 9.81;

/// Bodies and contacts of a scene.
#[derive(Clone, Debug, Default)]
pub struct Island {
    pub bodies: Vec<Body>,
    pub contacts: Vec<Contact>,
}

/// A generator of numbers in [-1, 1], the same on every machine.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

impl Island {
    /// Adds a cuboid of these half extents and this mass, turned by `axes`.
    pub fn cuboid(&mut self, position: DVec3, half: DVec3, mass: f64, axes: DMat3) -> u32 {
        let s = half * half * (mass / 3.0);
        let moments = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
        let mut body = Body::at_rest(position, mass, moments, DVec3::new(0.0, 0.0, -G));
        body.principal_axes = axes;
        self.bodies.push(body);
        self.bodies.len() as u32 - 1
    }

    pub fn ball(&mut self, position: DVec3, radius: f64, mass: f64) -> u32 {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        self.bodies.push(Body::at_rest(position, mass, moments, DVec3::new(0.0, 0.0, -G)));
        self.bodies.len() as u32 - 1
    }

    pub fn touch(&mut self, first: u32, second: u32, point: DVec3, normal: DVec3, friction: f64) {
        self.contacts.push(Contact::new(first, second, point, normal, friction));
    }

    /// The four corners of a horizontal rectangle, normal up.
    pub fn rectangle(&mut self, first: u32, second: u32, low: DVec3, high: DVec3, friction: f64) {
        for (x, y) in [(low.x, low.y), (high.x, low.y), (high.x, high.y), (low.x, high.y)] {
            self.touch(first, second, DVec3::new(x, y, low.z), DVec3::Z, friction);
        }
    }

    /// Moves every contact point by up to `by` metres and turns the normals of each pair of bodies
    /// by up to `by` radians, as rounding and collision detection do.
    pub fn jitter(mut self, seed: u64, by: f64) -> Self {
        let mut noise = Noise(seed);
        for _ in 0..8 {
            noise.next();
        }
        let mut pair = (WORLD, WORLD);
        let mut tilt = DVec3::ZERO;
        for contact in &mut self.contacts {
            if pair != (contact.first, contact.second) {
                pair = (contact.first, contact.second);
                tilt = noise.vector();
            }
            contact.point += by * noise.vector();
            contact.normal = (contact.normal + by * tilt).normalize();
        }
        self
    }

    /// Passes the impulses of a solution on to the next step.
    pub fn remember(&mut self, impulses: &[DVec3], sticking: &[bool]) {
        for ((contact, &j), &s) in self.contacts.iter_mut().zip(impulses).zip(sticking) {
            contact.impulse = j;
            contact.sticking = s;
        }
    }
}

/// A tower of `n` unit cubes of 1 kg; the topmost weighs `top` kg.
pub fn tower(n: usize, top: f64, friction: f64) -> Island {
    let mut island = Island::default();
    for i in 0..n {
        let mass = if i + 1 == n { top } else { 1.0 };
        let z = i as f64;
        let body = island.cuboid(DVec3::new(0.0, 0.0, z + 0.5), DVec3::splat(0.5), mass, DMat3::IDENTITY);
        let below = if i == 0 { WORLD } else { body - 1 };
        island.rectangle(below, body, DVec3::new(-0.5, -0.5, z), DVec3::new(0.5, 0.5, z), friction);
    }
    island
}

/// A tower of unit cubes, each moved sideways by up to `off` metres.
pub fn crooked_tower(n: usize, off: f64, seed: u64) -> Island {
    let mut island = Island::default();
    let mut noise = Noise(seed);
    let mut last = DVec3::ZERO;
    for i in 0..n {
        let place = DVec3::new(off * noise.next(), off * noise.next(), i as f64 + 0.5);
        let body = island.cuboid(place, DVec3::splat(0.5), 1.0, DMat3::IDENTITY);
        let (mut low, mut high) = (place - DVec3::splat(0.5), place + DVec3::splat(0.5));
        if i > 0 {
            low = low.max(last - DVec3::splat(0.5));
            high = high.min(last + DVec3::splat(0.5));
        }
        low.z = i as f64;
        island.rectangle(if i == 0 { WORLD } else { body - 1 }, body, low, high, 0.5);
        last = place;
    }
    island
}

/// A pyramid wall of unit cubes, `base` in its lowest row.
pub fn pyramid(base: usize, friction: f64) -> Island {
    let mut island = Island::default();
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for row in 0..base {
        let z = row as f64;
        let mut bodies = Vec::new();
        for k in 0..base - row {
            let x = k as f64 + 0.5 * row as f64;
            let body = island.cuboid(DVec3::new(x, 0.0, z + 0.5), DVec3::splat(0.5), 1.0, DMat3::IDENTITY);
            if row == 0 {
                island.rectangle(WORLD, body, DVec3::new(x - 0.5, -0.5, z), DVec3::new(x + 0.5, 0.5, z), friction);
            } else {
                let (left, right) = (rows[row - 1][k], rows[row - 1][k + 1]);
                island.rectangle(left, body, DVec3::new(x - 0.5, -0.5, z), DVec3::new(x, 0.5, z), friction);
                island.rectangle(right, body, DVec3::new(x, -0.5, z), DVec3::new(x + 0.5, 0.5, z), friction);
            }
            bodies.push(body);
        }
        rows.push(bodies);
    }
    island
}

/// A diamond of frictionless bricks 1 m wide and 0.2 m high, with `d` of them in the middle row:
/// rows of 1, 2, ... d, ... 2, 1, each brick half on each of the two below. Only the lowest brick
/// touches the ground. Returns the (row, x) of each brick.
pub fn diamond(d: usize, friction: f64) -> (Island, Vec<(usize, f64)>) {
    let mut island = Island::default();
    let mut places: Vec<(usize, f64)> = Vec::new();
    let (h, depth) = (0.2, 0.5);
    for row in 0..2 * d - 1 {
        let count = if row < d { row + 1 } else { 2 * d - 1 - row };
        for k in 0..count {
            let x = k as f64 - 0.5 * (count as f64 - 1.0);
            let z = row as f64 * h;
            let centre = DVec3::new(x, 0.0, z + 0.5 * h);
            let body = island.cuboid(centre, DVec3::new(0.5, depth, 0.5 * h), 1.0, DMat3::IDENTITY);
            if row == 0 {
                island.rectangle(WORLD, body, DVec3::new(-0.5, -depth, 0.0), DVec3::new(0.5, depth, 0.0), friction);
            }
            for (below, &(other, at)) in places.iter().enumerate() {
                let (low, high) = (x.max(at) - 0.5, x.min(at) + 0.5);
                if row > 0 && other == row - 1 && high > low {
                    let (low, high) = (DVec3::new(low, -depth, z), DVec3::new(high, depth, z));
                    island.rectangle(below as u32, body, low, high, friction);
                }
            }
            places.push((row, x));
        }
    }
    (island, places)
}

/// A semicircular arch of `n` stones of mean radius 1 m and this thickness over radius, on the
/// ground at both ends.
pub fn arch(n: usize, thickness: f64, friction: f64) -> Island {
    let mut island = Island::default();
    let (inner, outer, depth) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness, 0.25);
    let slice = std::f64::consts::PI / n as f64;
    let radial = |a: f64| DVec3::new(a.cos(), 0.0, a.sin());
    // Each stone is a sector of an annulus cut by the plane joints.
    let centroid = 2.0 / 3.0 * (outer.powi(3) - inner.powi(3)) / (outer.powi(2) - inner.powi(2)) * (0.5 * slice).sin()
        / (0.5 * slice);
    let mass = 1000.0 * 0.5 * slice * (outer.powi(2) - inner.powi(2)) * 2.0 * depth;
    for i in 0..n {
        let middle = (i as f64 + 0.5) * slice;
        let half = DVec3::new(0.5 * thickness, depth, 0.5 * slice);
        let axes = DMat3::from_cols(radial(middle), DVec3::Y, radial(middle).cross(DVec3::Y));
        let body = island.cuboid(centroid * radial(middle), half, mass, axes);
        island.joint(if i == 0 { WORLD } else { body - 1 }, body, i as f64 * slice, [inner, outer], depth, friction);
    }
    // The last joint's stone stands on the ground: its normal is up, as the first one's.
    let last = n as u32 - 1;
    for r in [inner, outer] {
        for y in [-depth, depth] {
            island.touch(WORLD, last, DVec3::new(-r, y, 0.0), DVec3::Z, friction);
        }
    }
    island
}

impl Island {
    fn joint(&mut self, first: u32, second: u32, angle: f64, radii: [f64; 2], depth: f64, friction: f64) {
        let normal = DVec3::new(-angle.sin(), 0.0, angle.cos());
        for r in radii {
            for y in [-depth, depth] {
                self.touch(first, second, DVec3::new(r * angle.cos(), y, r * angle.sin()), normal, friction);
            }
        }
    }
}

/// A ladder of 2 m and 10 kg at this angle to the ground, against a frictionless wall.
pub fn ladder(angle: f64, friction: f64) -> Island {
    let mut island = Island::default();
    let along = DVec3::new(angle.cos(), 0.0, angle.sin());
    let axes = DMat3::from_cols(along, DVec3::Y, along.cross(DVec3::Y));
    let body = island.cuboid(along, DVec3::new(1.0, 0.2, 0.02), 10.0, axes);
    for y in [-0.2, 0.2] {
        island.touch(WORLD, body, DVec3::new(0.0, y, 0.0), DVec3::Z, friction);
        island.touch(WORLD, body, 2.0 * along + DVec3::new(0.0, y, 0.0), -DVec3::X, 0.0);
    }
    island
}

/// Two cards leaning on each other at this angle to the ground, and a second such pair on a flat
/// card on top of two of them.
pub fn card_house(friction: f64) -> Island {
    let mut island = Island::default();
    let (length, depth, thin) = (1.0, 0.35, 0.01);
    let angle = 70.0_f64.to_radians();
    let spread = length * angle.cos();
    let lean = |island: &mut Island, x: f64, sign: f64, z: f64, base: u32| {
        // `x` is where the two tops meet.
        let along = DVec3::new(-sign * angle.cos(), 0.0, angle.sin());
        let foot = DVec3::new(x + sign * spread, 0.0, z);
        let axes = DMat3::from_cols(along, DVec3::Y, along.cross(DVec3::Y));
        let half = DVec3::new(0.5 * length, depth, 0.5 * thin);
        let body = island.cuboid(foot + 0.5 * length * along, half, 0.1, axes);
        for y in [-depth, depth] {
            island.touch(base, body, foot + DVec3::new(0.0, y, 0.0), DVec3::Z, friction);
        }
        body
    };
    let top = length * angle.sin();
    let tent = |island: &mut Island, x: f64, z: f64, base: u32| {
        let left = lean(island, x, -1.0, z, base);
        let right = lean(island, x, 1.0, z, base);
        for y in [-depth, depth] {
            island.touch(left, right, DVec3::new(x, y, z + top), DVec3::X, friction);
        }
        [left, right]
    };
    let first = tent(&mut island, -spread, 0.0, WORLD);
    let second = tent(&mut island, spread, 0.0, WORLD);
    let half = DVec3::new(2.0 * spread, depth, 0.5 * thin);
    let flat = island.cuboid(DVec3::new(0.0, 0.0, top + 0.5 * thin), half, 0.1, DMat3::IDENTITY);
    for (cards, x) in [(first, -spread), (second, spread)] {
        for card in cards {
            for y in [-depth, depth] {
                island.touch(card, flat, DVec3::new(x, y, top), DVec3::Z, friction);
            }
        }
    }
    tent(&mut island, 0.0, top + thin, flat);
    island
}

/// A unit cube at rest on a slope of this angle.
pub fn slope(angle: f64, friction: f64) -> Island {
    let mut island = Island::default();
    let normal = DVec3::new(angle.sin(), 0.0, angle.cos());
    let down = DVec3::new(angle.cos(), 0.0, -angle.sin());
    let axes = DMat3::from_cols(down, DVec3::Y, down.cross(DVec3::Y));
    let body = island.cuboid(0.5 * normal, DVec3::splat(0.5), 1.0, axes);
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        island.touch(WORLD, body, x * down + DVec3::new(0.0, y, 0.0), normal, friction);
    }
    island
}

/// A packing of balls of radius 0.45 to 0.55 m on the ground: each lies on the ground, or in the
/// hollow of three others, at the lowest free place near a random spot.
pub fn pile(n: usize, friction: f64, seed: u64) -> Island {
    let mut island = Island::default();
    let mut noise = Noise(seed);
    for _ in 0..8 {
        noise.next();
    }
    let reach = 0.45 * (n as f64).cbrt();
    let mut balls: Vec<(DVec3, f64)> = Vec::new();
    while balls.len() < n {
        let radius = 0.5 + 0.05 * noise.next();
        let spot = DVec3::new(reach * noise.next(), reach * noise.next(), 0.0);
        let (place, under) = lowest_place(&balls, spot, radius);
        let density = 1000.0 / 523.6;
        let body = island.ball(place, radius, density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
        if under.is_empty() {
            island.touch(WORLD, body, place - radius * DVec3::Z, DVec3::Z, friction);
        }
        for k in under {
            let normal = (place - balls[k].0).normalize();
            island.touch(k as u32, body, place - radius * normal, normal, friction);
        }
        balls.push((place, radius));
    }
    island
}

/// The lowest place over a spot for a ball on the ground or on three others, and those three.
fn lowest_place(balls: &[(DVec3, f64)], spot: DVec3, radius: f64) -> (DVec3, Vec<usize>) {
    let flat = |p: DVec3| DVec3::new(p.x, p.y, 0.0).distance(spot);
    let near: Vec<usize> = (0..balls.len()).filter(|&k| flat(balls[k].0) < 2.0).collect();
    let free =
        |place: DVec3| place.z >= radius - 1e-12 && balls.iter().all(|(p, r)| p.distance(place) > radius + r - 1e-9);
    let mut best = (spot + radius * DVec3::Z, Vec::new());
    let mut found = free(best.0);
    for (i, &a) in near.iter().enumerate() {
        for (j, &b) in near.iter().enumerate().skip(i + 1) {
            for &c in &near[j + 1..] {
                let Some(place) = on_three([balls[a], balls[b], balls[c]], radius) else { continue };
                if (!found || place.z < best.0.z) && flat(place) < 1.5 && free(place) {
                    best = (place, vec![a, b, c]);
                    found = true;
                }
            }
        }
    }
    if !found {
        // No hollow is near: the ball is put on top of the highest ball around.
        let top = *near.iter().max_by(|&&a, &&b| balls[a].0.z.total_cmp(&balls[b].0.z)).expect("the spot is taken");
        best = (balls[top].0 + (balls[top].1 + radius) * DVec3::Z, vec![top]);
    }
    best
}

/// The upper place of a ball that touches three others, if it lies over their triangle.
fn on_three(balls: [(DVec3, f64); 3], radius: f64) -> Option<DVec3> {
    let [(a, p), (b, q), (c, r)] = balls;
    let (ra, rb, rc) = (p + radius, q + radius, r + radius);
    let ex = (b - a).normalize();
    let i = ex.dot(c - a);
    let ey = ((c - a) - i * ex).try_normalize()?;
    let ez = ex.cross(ey);
    let (d, j) = ((b - a).length(), ey.dot(c - a));
    let x = (ra * ra - rb * rb + d * d) / (2.0 * d);
    let y = (ra * ra - rc * rc + i * i + j * j) / (2.0 * j) - i / j * x;
    let square = ra * ra - x * x - y * y;
    if square <= 1e-6 {
        return None;
    }
    let up = if ez.z > 0.0 { ez } else { -ez };
    let place = a + x * ex + y * ey + square.sqrt() * up;
    let side = |u: DVec3, v: DVec3| (v.x - u.x) * (place.y - u.y) - (v.y - u.y) * (place.x - u.x);
    let sides = [side(a, b), side(b, c), side(c, a)];
    let over = sides.iter().all(|s| *s > 0.01) || sides.iter().all(|s| *s < -0.01);
    over.then_some(place)
}
