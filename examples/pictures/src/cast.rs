//! Pictures by rays of `dolmen::query`: a light that casts shadows, shade in corners, edges as lines.

use crate::Fault;
use crate::camera::Camera;
use crate::drawing::image::Image;
use crate::model::Model;
use dolmen::math::{consts::TAU, orthonormal_basis};
use dolmen::prelude::*;
use dolmen::query::{Filter, Hit, Queries, Ray};
use hecs::{Entity, World};

/// Samples of a pixel along each side.
const FINE: usize = 2;
/// The sky, and the ground and its lines.
pub const SKY: [f32; 3] = [0.965, 0.972, 0.98];
const GROUND: [f32; 3] = [0.90, 0.915, 0.93];
const TILES: [f32; 3] = [0.78, 0.80, 0.83];
/// Narrower than the camera's own view by this factor, for sides that stay upright.
pub const NARROW: Real = 0.4;
/// Farthest that is seen, in distances from the eye to the focus.
const REACH: Real = 40.0;
/// Where the ground fades into the sky, in [`Shot::span`]s from the focus.
const FADE: [Real; 2] = [0.6, 2.6];
/// Width of a line of the ground, as a part of a tile.
const LINE: Real = 0.03;
/// Share of the light at a hidden edge.
const EDGE: f32 = 0.55;
/// Cosine of the angle between faces from which on their edge is drawn.
const SHARP: Real = 0.9;
/// Rays into the surroundings from a pixel.
const SHADE_RAYS: usize = 14;

/// How a picture is taken.
#[derive(Clone, Copy)]
pub struct Shot {
    pub camera: Camera,
    /// Pixels across and down.
    pub size: [usize; 2],
    /// From one line of the ground to the next (m).
    pub tile: Real,
    /// Direction to the light.
    pub light: Vec3,
    /// How far corners are shaded (m); 0: not at all.
    pub shade: Real,
    /// True if edges are drawn.
    pub edges: bool,
}

impl Shot {
    pub fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    /// The distance from which the camera's own view would show as much (m).
    fn span(&self) -> Real {
        self.camera.distance * NARROW
    }
}

/// A surface in a sample of the picture.
#[derive(Clone, Copy)]
struct Surface {
    hit: Hit,
    /// From the eye (m).
    distance: Real,
    light: f32,
}

/// Casts a picture of a model.
///
/// # Errors
/// A solid that no step takes.
pub fn cast(model: &Model, shot: &Shot) -> Result<Image, Fault> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ground = model.ground.then(|| world.spawn(Body::fixed(Collider::half_space(Vec3::Y))));
    let mut colours = vec![GROUND; model.solids.len() + 1];
    for solid in &model.solids {
        let body = Body::fixed(solid.collider.clone()).position(solid.position).orientation(solid.orientation);
        let entity = world.spawn(body);
        colours.resize(colours.len().max(entity.id() as usize + 1), GROUND);
        colours[entity.id() as usize] = solid.colour;
    }
    physics.step(&mut world, 1.0 / 60.0)?;
    let scene = Scene { queries: physics.query(), shot, ground, colours: &colours };
    let [width, height] = shot.size;
    let mut image = Image::new(shot.size, SKY);
    // A row of samples below, for the edges.
    let mut above = scene.samples(0)?;
    for y in 0..height {
        let mut rows = vec![above];
        for k in 1..=FINE {
            rows.push(scene.samples(y * FINE + k)?);
        }
        let shade = scene.shade(&rows[0])?;
        for (x, shade) in shade.into_iter().enumerate() {
            let mut sum = [0.0; 3];
            for (sample_y, sample_x) in (0..FINE * FINE).map(|k| (k / FINE, x * FINE + k % FINE)) {
                let beside = [rows[sample_y][sample_x + 1], rows[sample_y + 1][sample_x]];
                let colour = scene.colour(rows[sample_y][sample_x], beside, shade);
                sum = std::array::from_fn(|channel| sum[channel] + colour[channel]);
            }
            image.pixels[y * width + x] = sum.map(|sum| sum / (FINE * FINE) as f32);
        }
        above = rows.swap_remove(FINE);
    }
    Ok(image)
}

struct Scene<'a> {
    queries: Queries<'a>,
    shot: &'a Shot,
    ground: Option<Entity>,
    colours: &'a [[f32; 3]],
}

impl Scene<'_> {
    /// A row of samples, one more than the picture is wide.
    fn samples(&self, row: usize) -> Result<Vec<Option<Surface>>, Fault> {
        let Shot { camera, size: [width, height], light, .. } = self.shot;
        let (eye, aspect) = (camera.eye(), self.shot.aspect());
        let across = |k: usize, of: usize| 2.0 * (k as f32 + 0.5) / (of * FINE) as f32 - 1.0;
        let rays: Result<Vec<Ray>, _> = (0..=width * FINE)
            .map(|x| {
                let direction =
                    camera.direction([across(x, *width), -across(row, *height)].map(|place| place * NARROW), aspect);
                Ray::new(eye, direction, REACH * camera.distance)
            })
            .collect();
        let hits = self.queries.rays(&rays?, &Filter::default());
        let lit: Vec<Ray> =
            hits.iter().flatten().map(|hit| self.from(hit, *light, Real::INFINITY)).collect::<Result<_, _>>()?;
        let mut shadows = self.queries.rays(&lit, &Filter::default()).into_iter();
        let surface = |hit: Hit| {
            let shadow = shadows.next().flatten().is_some();
            let light = if shadow { 0.0 } else { hit.normal.dot(light.normalize()).max(0.0) };
            Surface { hit, distance: hit.distance, light }
        };
        Ok(hits.into_iter().scan(surface, |surface, hit| Some(hit.map(&mut *surface))).collect())
    }

    /// A ray that leaves a surface.
    fn from(&self, hit: &Hit, direction: Vec3, length: Real) -> Result<Ray, Fault> {
        Ok(Ray::new(hit.point + hit.normal * (2e-4 * self.shot.span()), direction, length)?)
    }

    /// The share of open surroundings of each pixel of a row, by its first sample.
    fn shade(&self, row: &[Option<Surface>]) -> Result<Vec<f32>, Fault> {
        let pixels = row.iter().step_by(FINE).take(self.shot.size[0]);
        if self.shot.shade <= 0.0 {
            return Ok(pixels.map(|_| 1.0).collect());
        }
        let mut rays = Vec::new();
        for surface in pixels.clone().flatten() {
            let (a, b) = orthonormal_basis(surface.hit.normal);
            for k in 0..SHADE_RAYS {
                // Evenly over the half ball, more of them near the normal (a spiral of Fibonacci).
                let up = ((k as Real + 0.5) / SHADE_RAYS as Real).sqrt();
                let (out, angle) = ((1.0 - up * up).sqrt(), TAU * 0.618_034 * k as Real);
                let direction = surface.hit.normal * up + (a * angle.cos() + b * angle.sin()) * out;
                rays.push(self.from(&surface.hit, direction, self.shot.shade)?);
            }
        }
        let found = self.queries.rays(&rays, &Filter::default());
        let mut open = found.chunks(SHADE_RAYS).map(|hits| {
            let hidden = |hit: &Hit| 1.0 - hit.distance / self.shot.shade;
            1.0 - hits.iter().flatten().map(hidden).sum::<Real>() / SHADE_RAYS as Real
        });
        Ok(pixels.map(|surface| surface.map_or(1.0, |_| open.next().unwrap_or(1.0))).collect())
    }

    /// The colour of a sample, with those to the right and below.
    fn colour(&self, sample: Option<Surface>, beside: [Option<Surface>; 2], shade: f32) -> [f32; 3] {
        let Some(Surface { hit, distance, light }) = sample else { return SKY };
        let on_ground = Some(hit.entity) == self.ground;
        let own = if on_ground { self.tiles(&hit, distance) } else { self.colours[hit.entity.id() as usize] };
        let lit = (0.50 + 0.08 * hit.normal.y + 0.52 * light) * (0.35 + 0.65 * shade);
        let edge =
            if self.shot.edges && beside.iter().any(|other| self.parted(&hit, distance, other)) { EDGE } else { 1.0 };
        let mut colour = own.map(|channel| (channel * lit * edge).min(1.0));
        if on_ground {
            let away = (hit.point - self.shot.camera.focus).length() / self.shot.span();
            let fade = ((away - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
            let fade = fade * fade * (3.0 - 2.0 * fade);
            colour = mix(colour, SKY, fade);
        }
        colour
    }

    /// True if an edge lies between a sample and one beside it. It is drawn on the nearer of two.
    fn parted(&self, hit: &Hit, distance: Real, other: &Option<Surface>) -> bool {
        match other {
            None => Some(hit.entity) != self.ground,
            Some(other) if other.hit.entity != hit.entity => {
                Some(hit.entity) != self.ground && (distance <= other.distance || Some(other.hit.entity) == self.ground)
            }
            Some(other) => other.hit.normal.dot(hit.normal) < SHARP,
        }
    }

    /// The ground, with lines that get fainter where a sample is wider than they are.
    fn tiles(&self, hit: &Hit, distance: Real) -> [f32; 3] {
        let Shot { tile, size, camera, .. } = self.shot;
        let slant = hit.normal.dot((camera.eye() - hit.point).normalize()).max(0.02);
        let footprint = NARROW * distance / (size[1] * FINE) as Real / slant;
        let width = (LINE * tile).max(footprint);
        let line = |x: Real| {
            let off = (x / tile - (x / tile).round()).abs() * tile;
            (1.0 - (off / width)).clamp(0.0, 1.0) * (LINE * tile / width).sqrt()
        };
        mix(GROUND, TILES, line(hit.point.x).max(line(hit.point.z)))
    }
}

fn mix(a: [f32; 3], b: [f32; 3], part: f32) -> [f32; 3] {
    std::array::from_fn(|channel| a[channel] + (b[channel] - a[channel]) * part)
}
