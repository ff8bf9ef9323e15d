//! A contact of a cluster, and when it closes.

use super::body::ClusterBody;
use crate::math::DVec3;
use crate::tolerances::{CLOSING_ITERATIONS, CLOSING_RESIDUAL, CLOSING_SLACK};

/// Which law takes a single impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SingleLaw {
    /// Stronge's law of energy with Coulomb friction, integrated: [`frictional`](crate::impact::frictional).
    #[default]
    Frictional,
    /// The same in the plane square to this axis (0 for x, 1 for y, 2 for z), to which both bodies are locked, in closed
    /// form: [`planar`](crate::impact::planar).
    Planar(u8),
    /// Newton's law with Coulomb clamping: [`newton`](crate::impact::newton).
    Newton,
}

/// A contact of a [`Cluster`](super::Cluster).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterContact {
    /// Breaks ties: the lesser goes first.
    pub key: u64,
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Arms from the centres of mass to the contact (m).
    pub arms: [DVec3; 2],
    /// Unit normal from the first body to the second.
    pub normal: DVec3,
    /// Gap at the step's start (m).
    pub gap: f64,
    /// Radii (m) if both surfaces are balls about their centres of mass: the normal is then that at the moment of impact.
    pub balls: Option<[f64; 2]>,
    /// The law of its impacts.
    pub law: SingleLaw,
    /// Coefficient of static friction; used by Newton's law alone.
    pub static_friction: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Velocity of the second surface over its body less that of the first over its own (m/s): square to the normal.
    pub surface_velocity: DVec3,
    /// Total impulse on the second body so far (N s).
    pub impulse: DVec3,
    /// Approach speed of the first impact (m/s).
    pub speed: f64,
    /// Impacts so far.
    pub impacts: u32,
}

impl ClusterContact {
    /// A contact without friction or restitution that nothing has happened to yet.
    pub fn new([a, b]: [u32; 2], arms: [DVec3; 2], normal: DVec3, gap: f64) -> Self {
        Self {
            key: 0,
            a,
            b,
            arms,
            normal,
            gap,
            balls: None,
            law: SingleLaw::Frictional,
            static_friction: 0.0,
            friction: 0.0,
            restitution: 0.0,
            surface_velocity: DVec3::ZERO,
            impulse: DVec3::ZERO,
            speed: 0.0,
            impacts: 0,
        }
    }

    /// Velocity of the second surface relative to the first at the contact at the moment `t` (m/s).
    pub(super) fn relative(&self, bodies: &[ClusterBody], t: f64) -> DVec3 {
        bodies[self.b as usize].point_velocity(self.arms[1], t)
            - bodies[self.a as usize].point_velocity(self.arms[0], t)
            + self.surface_velocity
    }
}

/// What the search for moments reads of a contact: small, and side by side in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub a: u32,
    pub b: u32,
    /// The normal, or between balls the unit vector between the centres at the step's start.
    normal: DVec3,
    /// `arm x normal` of each body.
    levers: [DVec3; 2],
    gap: f64,
    /// Distance of the centres of touching balls (m); zero where it is no contact of balls.
    reach: f64,
}

/// The gap of a contact at a moment, and its first two rates of change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub gap: f64,
    pub rate: f64,
    pub acceleration: f64,
}

/// Bounds of the search for moments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// From (s).
    pub now: f64,
    /// To (s).
    pub horizon: f64,
    /// Slower approach is rest (m/s).
    pub threshold: f64,
    /// Gaps up to this are touching (m).
    pub touch: f64,
}

impl Row {
    pub(super) fn new(c: &ClusterContact) -> Self {
        Self {
            a: c.a,
            b: c.b,
            normal: c.normal,
            levers: c.arms.map(|arm| arm.cross(c.normal)),
            gap: c.gap,
            reach: c.balls.map_or(0.0, |[a, b]| a + b),
        }
    }

    /// How the gap at the step's start has changed by extrapolation along the normal (m).
    pub(super) fn shift(&self, bodies: &[ClusterBody]) -> f64 {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        self.normal.dot(b.shift - a.shift) + self.levers[1].dot(b.turn) - self.levers[0].dot(a.turn)
    }

    /// The gap at the moment `t`.
    pub(super) fn at(&self, bodies: &[ClusterBody], t: f64) -> Gap {
        if self.reach > 0.0 {
            return self.between_balls(bodies, t).0;
        }
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let acceleration = self.normal.dot(b.acceleration - a.acceleration);
        let start = self.normal.dot(b.velocity - a.velocity) + self.levers[1].dot(b.angular_velocity)
            - self.levers[0].dot(a.angular_velocity);
        let gap = self.gap + self.shift(bodies) + t * (start + 0.5 * acceleration * t);
        Gap { gap, rate: start + acceleration * t, acceleration }
    }

    /// The gap between balls at the moment `t`, the vector between their centres, its rate of change, and that of the rate.
    fn between_balls(&self, bodies: &[ClusterBody], t: f64) -> (Gap, [DVec3; 3]) {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let pull = b.acceleration - a.acceleration;
        let start = b.velocity - a.velocity;
        let between = self.normal * (self.gap + self.reach) + (b.shift - a.shift) + (start + pull * (0.5 * t)) * t;
        let moving = start + pull * t;
        let distance = between.length();
        let normal = if distance > 0.0 { between / distance } else { self.normal };
        let rate = normal.dot(moving);
        let across = if distance > 0.0 { (moving.length_squared() - rate * rate).max(0.0) / distance } else { 0.0 };
        (Gap { gap: distance - self.reach, rate, acceleration: normal.dot(pull) + across }, [between, moving, pull])
    }

    /// The normal at the moment `t`.
    pub(super) fn normal(&self, bodies: &[ClusterBody], t: f64) -> DVec3 {
        if self.reach > 0.0 {
            let [between, ..] = self.between_balls(bodies, t).1;
            return between.try_normalize().unwrap_or(self.normal);
        }
        self.normal
    }

    /// The first moment in the window at which the contact closes faster than the threshold, and how fast.
    pub(super) fn next_event(&self, bodies: &[ClusterBody], window: &Window) -> Option<(f64, f64)> {
        let Window { now, horizon, threshold, touch } = *window;
        let left = horizon - now;
        if self.reach > 0.0 {
            let (gap, motion) = self.between_balls(bodies, now);
            if gap.gap <= touch && gap.rate < 0.0 {
                return (gap.rate < -threshold).then_some((now, -gap.rate));
            }
            let [_, moving, pull] = motion;
            if gap.gap > (moving.length() + 0.5 * pull.length() * left) * left + touch {
                return None;
            }
            let wait = self.closing_of_balls(bodies, now, left, gap, motion).filter(|&wait| wait <= left);
            let wait = wait.or_else(|| (self.between_balls(bodies, horizon).0.gap <= touch).then_some(left))?;
            let speed = -self.between_balls(bodies, now + wait).0.rate;
            return (speed > threshold).then_some((now + wait, speed));
        }
        let Gap { gap, rate, acceleration } = self.at(bodies, now);
        let slowest = rate.min(rate + acceleration * left);
        if slowest >= -threshold {
            return None;
        }
        if gap <= touch && rate < 0.0 {
            return (rate < -threshold).then_some((now, -rate));
        }
        // What all but touches at the end bounces there: the rounding of the substeps would decide else whether the resting
        // solver stops it.
        let touch = touch + CLOSING_SLACK * acceleration.abs() * horizon * horizon;
        if gap + slowest * left > touch {
            return None;
        }
        let end = gap + left * (rate + 0.5 * acceleration * left);
        let wait = closing_time(gap.max(0.0), rate, acceleration).filter(|&wait| wait <= left);
        let wait = wait.or_else(|| (end <= touch).then_some(left))?;
        let speed = -(rate + acceleration * wait);
        (speed > threshold).then_some((now + wait, speed))
    }

    /// The time that balls take to meet: a quadratic where both fall alike, polished where they do not.
    fn closing_of_balls(
        &self,
        bodies: &[ClusterBody],
        now: f64,
        left: f64,
        gap: Gap,
        [between, moving, pull]: [DVec3; 3],
    ) -> Option<f64> {
        let straight = || {
            let along = between.dot(moving);
            let outside = gap.gap.max(0.0) * (2.0 * self.reach + gap.gap);
            let discriminant = along * along - moving.length_squared() * outside;
            (along < 0.0 && discriminant >= 0.0).then(|| outside / (discriminant.sqrt() - along))
        };
        if pull == DVec3::ZERO {
            return straight();
        }
        let mut wait = straight().or_else(|| closing_time(gap.gap.max(0.0), gap.rate, gap.acceleration))?;
        for _ in 0..CLOSING_ITERATIONS {
            let here = self.between_balls(bodies, now + wait).0;
            if here.gap.abs() <= CLOSING_RESIDUAL * self.reach {
                break;
            }
            if here.rate >= 0.0 {
                return None;
            }
            wait = (wait - here.gap / here.rate).clamp(0.0, 2.0 * left);
        }
        Some(wait)
    }
}

/// The first positive time at which a gap that changes at `rate` under constant `acceleration` closes.
///
/// A contact that touches and separates while it is pulled back closes again after a hop.
fn closing_time(gap: f64, rate: f64, acceleration: f64) -> Option<f64> {
    let discriminant = rate * rate - 2.0 * acceleration * gap;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    let t = if rate < 0.0 {
        // The cancellation-free form of the nearer root.
        2.0 * gap / (-rate + root)
    } else if acceleration < 0.0 {
        (rate + root) / -acceleration
    } else {
        return None;
    };
    (t > 0.0 || rate < 0.0).then_some(t)
}
