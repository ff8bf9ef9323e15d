//! A shape on its way among the colliders, at a distance from all of them.

use super::character::Character;
use super::meets::Meets;
use super::planes::{self, Plane};
use super::walk::{as_wall, is_walkable, level};
use crate::components::Collider;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::query::{Hit, Probe, Ray, ShapeCast};
use crate::tolerances::CHARACTER_BENDS;

/// The shape of a character, and what it moves among.
pub(super) struct Mover<'a> {
    pub meets: Meets<'a>,
    pub probe: &'a Probe,
    pub character: &'a Character,
    /// How far the lowest point of the shape is below its origin (m).
    pub foot: Real,
}

/// The end of a way.
pub(super) struct Way {
    /// Where it ends (m).
    pub at: Vec3,
    /// What was met and not climbed.
    pub met: Vec<Hit>,
    /// What shut off the motion at the end.
    pub planes: Vec<Plane>,
}

impl<'a> Mover<'a> {
    /// The distance (m) of a shape's lowest point from its origin, turned by `orientation`.
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

    /// How far along `way` (m) the shape gets from `at` until it is as near as its skin to what it meets, and that.
    pub fn cast(&self, at: Vec3, way: Vec3) -> (Real, Option<Hit>) {
        let length = way.length();
        let probe = self.probe.moved_to(at);
        let Ok(cast) = ShapeCast::new(probe, way, length + 2.0 * self.skin()) else { return (0.0, None) };
        let Some(hit) = self.meets.shape_cast(&cast) else { return (length, None) };
        let closing = -hit.normal.dot(way / length);
        let room = if closing > 0.0 { hit.distance - self.skin() / closing } else { hit.distance };
        if room >= length { (length, None) } else { (room.max(0.0), Some(hit)) }
    }

    /// What is nearer than the skin and a reach beyond it.
    pub fn near(&self, at: Vec3, reach: Real) -> Vec<Hit> {
        let within = self.skin() + reach;
        self.meets.touching(&self.probe.moved_to(at), within)
    }

    /// Slides along a way (m) from `at`. What the `planes` ask for beyond the way is done first. On the ground what is too
    /// steep is a wall, and may be a step.
    pub fn slide(&self, mut at: Vec3, way: Vec3, mut planes: Vec<Plane>, on_ground: bool) -> Way {
        let mut met = Vec::new();
        // Surfaces at the very start hold back before anything moves; a step among them is climbed at once.
        if on_ground {
            for hit in self.near(at, 0.1 * self.skin()) {
                let walls = self.is_wall(&hit) && hit.normal.dot(way) < 0.0;
                if walls && let Some(top) = self.climb(at, way, &hit) {
                    return Way { at: top, met, planes };
                }
            }
        }
        // What is left of the way; each bend asks anew what comes nearest to it.
        let mut rest = 1.0;
        for bend in 0..CHARACTER_BENDS {
            let left = planes::project(way * rest, &planes);
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
                && let Some(top) = self.climb(at, way * rest, &hit)
            {
                at = top;
                break;
            }
            let normal = if on_ground && wall { as_wall(hit.normal, self.up()) } else { hit.normal };
            planes::add(&mut planes, Plane::touched(normal));
            met.push(hit);
        }
        Way { at, met, planes }
    }

    /// Whether a surface is too steep to walk on.
    pub fn is_wall(&self, hit: &Hit) -> bool {
        !is_walkable(hit.normal, self.up(), self.character.max_slope)
    }

    /// Where a way (m) ends that goes up a step, if what is in the way is one: its tread no higher than allowed, walkable, and
    /// with room above.
    fn climb(&self, at: Vec3, way: Vec3, hit: &Hit) -> Option<Vec3> {
        let (up, skin, limit) = (self.up(), self.skin(), self.character.step_height);
        let inward = -level(hit.normal, up).try_normalize()?;
        let across = level(way, up);
        let length = across.length();
        if limit <= 0.0 || across.dot(inward) <= 0.0 {
            return None;
        }
        // The tread, a skin's breadth behind the edge.
        let ground = at.dot(up) - self.foot - skin;
        let over = limit + 2.0 * skin;
        let from = hit.point + inward * skin;
        let from = from + up * (ground + over - from.dot(up));
        let tread = self.meets.ray(&Ray::new(from, -up, over).ok()?)?;
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
        self.support(&landing).map(|_| top)
    }

    /// The normal of the ground that a surface below is, if it can be walked on. At an edge that is what lies behind it.
    pub fn support(&self, hit: &Hit) -> Option<Vec3> {
        let (up, skin) = (self.up(), self.skin());
        if !self.is_wall(hit) {
            return Some(hit.normal);
        }
        if hit.normal.dot(up) <= 0.0 {
            return None;
        }
        let inward = -level(hit.normal, up).try_normalize()?;
        let from = hit.point + inward * skin + up * (4.0 * skin);
        let behind = self.meets.ray(&Ray::new(from, -up, 5.0 * skin).ok()?)?;
        let walkable = is_walkable(behind.normal, up, self.character.max_slope);
        (behind.distance > 0.0 && walkable).then_some(behind.normal)
    }

    /// The ground within `reach` (m) below: how far down it is, and it.
    pub fn ground(&self, at: Vec3, reach: Real) -> Option<(Real, Hit, Vec3)> {
        let (room, hit) = self.cast(at, -self.up() * reach);
        let hit = hit?;
        self.support(&hit).map(|normal| (room, hit, normal))
    }
}

/// The probe of a character.
pub(super) fn probe_of(collider: &Collider, at: Vec3, orientation: Quat) -> Result<Probe, String> {
    Probe::new(collider, at, orientation).map_err(|problem| problem.to_string())
}
