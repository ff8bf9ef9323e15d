//! Collide and slide: motion of a character's shape among the colliders, at a distance from all of
//! them.

use super::character::Character;
use super::collision_filter::CollisionFilter;
use super::planes::{self, Plane};
use super::walk::{as_wall, is_walkable, level};
use crate::components::Collider;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::query::{Hit, Probe, Ray, ShapeCast};

/// Greatest number of surfaces in one slide of a character. Smaller: it stops early in narrow
/// corners. Larger: no effect, the cap is hardly ever reached.
const CHARACTER_BENDS: u32 = 8;

/// A character's shape and its collision filter.
pub(super) struct CharacterMover<'a> {
    pub filter: CollisionFilter<'a>,
    pub probe: &'a Probe,
    pub character: &'a Character,
    /// Distance of the shape's lowest point below its origin (m).
    pub foot: Real,
}

/// Result of a slide.
pub(super) struct SlideResult {
    /// Final position (m).
    pub at: Vec3,
    /// The surfaces that were met and not climbed.
    pub met: Vec<Hit>,
    /// The planes that constrained the motion at the end.
    pub planes: Vec<Plane>,
}

impl<'a> CharacterMover<'a> {
    /// Distance (m) of a shape's lowest point below its origin.
    pub fn foot_of(probe: &Probe, up: Vec3) -> Real {
        let upright = Quat::from_rotation_arc(up, Vec3::Y);
        -probe.aabb(&Pose::from_parts(Vec3::ZERO, upright * probe.orientation())).mins.y
    }

    fn skin(&self) -> Real {
        self.character.skin
    }

    fn up(&self) -> Vec3 {
        self.character.up
    }

    /// The distance (m) that the shape can move from `at` along `way` until it is a skin's width
    /// from a surface, and that surface.
    pub fn cast(&self, at: Vec3, displacement: Vec3) -> (Real, Option<Hit>) {
        let length = displacement.length();
        let probe = self.probe.moved_to(at);
        let Ok(cast) = ShapeCast::new(probe, displacement, length + 2.0 * self.skin()) else { return (0.0, None) };
        let Some(hit) = self.filter.shape_cast(&cast) else { return (length, None) };
        let closing = -hit.normal.dot(displacement / length);
        let room = if closing > 0.0 { hit.distance - self.skin() / closing } else { hit.distance };
        if room >= length { (length, None) } else { (room.max(0.0), Some(hit)) }
    }

    /// All surfaces nearer than the skin plus `reach` (m).
    pub fn near(&self, at: Vec3, reach: Real) -> Vec<Hit> {
        let within = self.skin() + reach;
        self.filter.touching(&self.probe.moved_to(at), within)
    }

    /// Slides from `at` by a displacement (m). The motion that `planes` demand comes first. On the
    /// ground, a surface that is too steep is a wall or a step.
    pub fn slide(&self, mut at: Vec3, displacement: Vec3, mut planes: Vec<Plane>, on_ground: bool) -> SlideResult {
        let mut met = Vec::new();
        // Surfaces in contact at the start; a step among them is climbed at once.
        if on_ground {
            for hit in self.near(at, 0.1 * self.skin()) {
                let walls = self.is_wall(&hit) && hit.normal.dot(displacement) < 0.0;
                if walls && let Some(top) = self.step_up(at, displacement, &hit) {
                    return SlideResult { at: top, met, planes };
                }
            }
        }
        // The remaining part of the displacement, projected anew at each bend.
        let mut rest = 1.0;
        for bend in 0..CHARACTER_BENDS {
            let left = planes::project(displacement * rest, &planes);
            let length = left.length();
            if length <= Real::EPSILON * at.abs().max_element().max(self.skin()) {
                break;
            }
            if bend == 0 {
                planes.iter_mut().for_each(|plane| plane.least = plane.least.min(0.0));
            }
            let (room, hit) = self.cast(at, left);
            at += left * (room / length);
            let Some(hit) = hit else { break };
            rest *= 1.0 - room / length;
            let wall = self.is_wall(&hit);
            if on_ground
                && wall
                && let Some(top) = self.step_up(at, displacement * rest, &hit)
            {
                at = top;
                break;
            }
            let normal = if on_ground && wall { as_wall(hit.normal, self.up()) } else { hit.normal };
            planes::add(&mut planes, Plane::touched(normal));
            met.push(hit);
        }
        SlideResult { at, met, planes }
    }

    /// True if a surface is too steep to walk on.
    pub fn is_wall(&self, hit: &Hit) -> bool {
        !is_walkable(hit.normal, self.up(), self.character.max_slope)
    }

    /// The end of a displacement (m) up a step, if the hit is a step: its tread is walkable and no
    /// higher than allowed, with room above.
    fn step_up(&self, at: Vec3, displacement: Vec3, hit: &Hit) -> Option<Vec3> {
        let (up, skin, limit) = (self.up(), self.skin(), self.character.step_height);
        let inward = -level(hit.normal, up).try_normalize()?;
        let across = level(displacement, up);
        let length = across.length();
        if limit <= 0.0 || across.dot(inward) <= 0.0 {
            return None;
        }
        // The tread, found a skin's width behind the edge.
        let ground = at.dot(up) - self.foot - skin;
        let over = limit + 2.0 * skin;
        let from = hit.point + inward * skin;
        let from = from + up * (ground + over - from.dot(up));
        let tread = self.filter.ray(&Ray::new(from, -up, over).ok()?)?;
        let height = tread.point.dot(up) - ground;
        let walkable = is_walkable(tread.normal, up, self.character.max_slope);
        if tread.distance <= 0.0 || !walkable || height > limit + 0.1 * skin || height <= 0.0 {
            return None;
        }
        let lift = height + skin;
        let (risen, _) = self.cast(at, up * lift);
        let above = at + up * risen;
        let (forward, _) = self.cast(above, across);
        if forward <= 0.01 * skin.min(length) {
            return None;
        }
        let there = above + across * (forward / length);
        let (down, landing) = self.cast(there, -up * (risen + skin));
        let landing = landing?;
        let top = there - up * down;
        self.walkable_normal(&landing).map(|_| top)
    }

    /// The normal of a surface below, if it is walkable ground. At an edge, the normal behind the
    /// edge.
    pub fn walkable_normal(&self, hit: &Hit) -> Option<Vec3> {
        let (up, skin) = (self.up(), self.skin());
        if !self.is_wall(hit) {
            return Some(hit.normal);
        }
        if hit.normal.dot(up) <= 0.0 {
            return None;
        }
        let inward = -level(hit.normal, up).try_normalize()?;
        let from = hit.point + inward * skin + up * (4.0 * skin);
        let behind = self.filter.ray(&Ray::new(from, -up, 5.0 * skin).ok()?)?;
        let walkable = is_walkable(behind.normal, up, self.character.max_slope);
        (behind.distance > 0.0 && walkable).then_some(behind.normal)
    }

    /// The ground within `reach` (m) below: its distance, the hit, and its normal.
    pub fn ground(&self, at: Vec3, reach: Real) -> Option<(Real, Hit, Vec3)> {
        let (room, hit) = self.cast(at, -self.up() * reach);
        let hit = hit?;
        self.walkable_normal(&hit).map(|normal| (room, hit, normal))
    }
}

/// The probe of a character.
pub(super) fn probe_of(collider: &Collider, at: Vec3, orientation: Quat) -> Result<Probe, String> {
    Probe::new(collider, at, orientation).map_err(|problem| problem.to_string())
}
