//! A contact of a cluster, and its gap as a function of time.

use super::body::ClusterBody;
use crate::math::DVec3;

/// Gap that ends that search, relative to the distance of the centres. Larger: the normals' error.
/// Smaller: rounding.
const GAP_RESIDUAL: f64 = 1e-13;

/// Newton iterations for the moment at which two balls of different acceleration meet. They
/// converge quadratically: more are never needed, fewer leave a gap.
const MAX_ITERATIONS: u32 = 8;

/// The law for a single impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SingleLaw {
    /// Stronge's law of energy with Coulomb friction, integrated:
    /// [`frictional`](crate::impact::frictional).
    #[default]
    Frictional,
    /// The same law in closed form in the plane perpendicular to this axis (0 for x, 1 for y, 2 for
    /// z), to which both bodies are locked: [`planar`](crate::impact::planar).
    Planar(u8),
    /// Newton's law with Coulomb clamping: [`newton`](crate::impact::newton).
    Newton,
}

/// A contact of a [`Cluster`](super::Cluster).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterContact {
    /// Tie breaker: the lower key goes first.
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
    /// Radii (m) if both shapes are balls about their centres of mass: the normal is then that at
    /// the moment of impact.
    pub balls: Option<[f64; 2]>,
    /// The law of its impacts.
    pub law: SingleLaw,
    /// Coefficient of static friction; used by Newton's law alone.
    pub static_friction: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Slower approach at this contact is no impact (m/s), if above the cluster's threshold.
    pub rest_speed: f64,
    /// Surface velocity of the second body relative to that of the first (m/s), perpendicular to
    /// the normal.
    pub surface_velocity: DVec3,
    /// Total impulse on the second body so far (N s).
    pub impulse: DVec3,
    /// Approach speed of the first impact (m/s).
    pub speed: f64,
    /// Impacts so far.
    pub impacts: u32,
    /// End of its bounce sequence (s), if the last bounce was too slow for another impact; else
    /// infinite.
    pub bounces_end: f64,
}

impl ClusterContact {
    /// A contact without friction, restitution or impacts.
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
            rest_speed: 0.0,
            surface_velocity: DVec3::ZERO,
            impulse: DVec3::ZERO,
            speed: 0.0,
            impacts: 0,
            bounces_end: f64::INFINITY,
        }
    }

    /// Work (J) that its impulses so far have let immovable bodies in motion and running surfaces do on
    /// the others.
    pub fn work_of_drives(&self, bodies: &[ClusterBody]) -> f64 {
        let velocity = |side: usize| {
            let body = &bodies[[self.a, self.b][side] as usize];
            if body.is_immovable() { body.point_velocity(self.arms[side], 0.0) } else { DVec3::ZERO }
        };
        self.impulse.dot(velocity(0) - velocity(1) - self.surface_velocity)
    }

    /// Velocity of the second surface relative to the first at the contact at the moment `t` (m/s).
    pub(super) fn relative(&self, bodies: &[ClusterBody], t: f64) -> DVec3 {
        bodies[self.b as usize].point_velocity(self.arms[1], t)
            - bodies[self.a as usize].point_velocity(self.arms[0], t)
            + self.surface_velocity
    }
}

/// The data of a contact that the event search reads, small and contiguous in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct GapFunction {
    pub key: u64,
    pub a: u32,
    pub b: u32,
    /// The normal; between balls the unit vector between the centres at the step's start.
    normal: DVec3,
    /// `arm x normal` of each body.
    arm_normals: [DVec3; 2],
    gap: f64,
    /// Slower approach is no impact (m/s), if above the window's threshold.
    pub rest_speed: f64,
    /// Distance of the centres of touching balls (m); zero for other contacts.
    center_distance: f64,
}

/// The gap of a contact at a moment, and its first two time derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Distance of the surfaces (m).
    pub gap: f64,
    /// Its rate of change (m/s): negative while they approach.
    pub rate: f64,
    /// Its second derivative (m/s²).
    pub acceleration: f64,
}

/// Bounds of the event search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Start (s).
    pub now: f64,
    /// End (s).
    pub horizon: f64,
    /// Slower approach is no impact (m/s).
    pub threshold: f64,
    /// Gaps up to this are touching (m).
    pub touch: f64,
}

impl GapFunction {
    pub(super) fn new(c: &ClusterContact) -> Self {
        Self {
            key: c.key,
            a: c.a,
            b: c.b,
            normal: c.normal,
            arm_normals: c.arms.map(|arm| arm.cross(c.normal)),
            gap: c.gap,
            rest_speed: c.rest_speed,
            center_distance: c.balls.map_or(0.0, |[a, b]| a + b),
        }
    }

    /// The change of the gap at the step's start by extrapolation along the normal (m).
    #[inline(always)]
    fn shift(&self, bodies: &[ClusterBody]) -> f64 {
        self.shift_between(&bodies[self.a as usize], &bodies[self.b as usize])
    }

    #[inline(always)]
    fn shift_between(&self, a: &ClusterBody, b: &ClusterBody) -> f64 {
        self.normal.dot(b.displacement - a.displacement) + self.arm_normals[1].dot(b.rotation_sum)
            - self.arm_normals[0].dot(a.rotation_sum)
    }

    /// The change of the gap since the step's start at the moment `t`, along the normal and with
    /// rotations of at most two radians (m): by a rotation vector of that length its linear motion
    /// leads as far as the sphere about the centre is wide.
    pub(super) fn bounded_change(&self, bodies: &[ClusterBody], t: f64) -> f64 {
        let [first, second] = [(0, self.a), (1, self.b)].map(|(side, body)| {
            let ClusterBody { velocity, acceleration, displacement, angular_velocity, rotation_sum, .. } =
                bodies[body as usize];
            let rotation = (rotation_sum + angular_velocity * t).clamp_length_max(2.0);
            self.normal.dot(displacement + (velocity + 0.5 * acceleration * t) * t)
                + self.arm_normals[side].dot(rotation)
        });
        second - first
    }

    /// The acceleration of the gap along the normal, and its rate extrapolated to the step's start.
    #[inline(always)]
    pub(super) fn rates(&self, a: &ClusterBody, b: &ClusterBody) -> (f64, f64) {
        let start = self.normal.dot(b.velocity - a.velocity) + self.arm_normals[1].dot(b.angular_velocity)
            - self.arm_normals[0].dot(a.angular_velocity);
        (self.normal.dot(b.acceleration - a.acceleration), start)
    }

    /// The gap at the moment `t`.
    pub(super) fn gap_at(&self, bodies: &[ClusterBody], t: f64) -> Gap {
        if self.center_distance > 0.0 {
            return self.between_balls(bodies, t);
        }
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let (acceleration, start) = self.rates(a, b);
        let gap = self.gap + self.shift_between(a, b) + t * (start + 0.5 * acceleration * t);
        Gap { gap, rate: start + acceleration * t, acceleration }
    }

    /// [`Self::gap_at`] by [`Self::bounded_change`]; of balls no gap depends on rotation.
    pub(super) fn bounded_gap_at(&self, bodies: &[ClusterBody], t: f64) -> Gap {
        let at = self.gap_at(bodies, t);
        let bounded = if self.center_distance > 0.0 { at.gap } else { self.gap + self.bounded_change(bodies, t) };
        Gap { gap: bounded, ..at }
    }

    /// The gap between balls at the moment `t`.
    fn between_balls(&self, bodies: &[ClusterBody], t: f64) -> Gap {
        self.gap_of_balls(self.centres(bodies, t))
    }

    /// The vector between the centres of balls at the moment `t`, its rate of change, and that of
    /// the rate.
    #[inline(always)]
    fn centres(&self, bodies: &[ClusterBody], t: f64) -> [DVec3; 3] {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let pull = b.acceleration - a.acceleration;
        let start = b.velocity - a.velocity;
        let between = self.normal * (self.gap + self.center_distance)
            + (b.displacement - a.displacement)
            + (start + pull * (0.5 * t)) * t;
        [between, start + pull * t, pull]
    }

    #[inline(always)]
    fn gap_of_balls(&self, [between, moving, pull]: [DVec3; 3]) -> Gap {
        let distance = between.length();
        let normal = if distance > 0.0 { between / distance } else { self.normal };
        let rate = normal.dot(moving);
        let across = if distance > 0.0 { (moving.length_squared() - rate * rate).max(0.0) / distance } else { 0.0 };
        Gap { gap: distance - self.center_distance, rate, acceleration: normal.dot(pull) + across }
    }

    /// The normal at the moment `t`.
    pub(super) fn normal(&self, bodies: &[ClusterBody], t: f64) -> DVec3 {
        if self.center_distance > 0.0 {
            let [between, ..] = self.centres(bodies, t);
            return between.try_normalize().unwrap_or(self.normal);
        }
        self.normal
    }

    /// The first moment in the window at which the contact closes faster than the threshold, and
    /// its speed then. The argument is its [`Self::rates`]; unused for balls.
    #[inline]
    pub(super) fn next_event(
        &self,
        bodies: &[ClusterBody],
        window: &Window,
        (acceleration, start): (f64, f64),
    ) -> Option<(f64, f64)> {
        let Window { now, horizon, threshold, touch } = *window;
        if self.center_distance > 0.0 {
            return self.next_of_balls(bodies, window);
        }
        let left = horizon - now;
        let rate = start + acceleration * now;
        let later = rate + acceleration * left;
        let slowest = if later < rate { later } else { rate };
        if slowest >= -threshold {
            return None;
        }
        let gap = self.gap + self.shift(bodies) + now * (start + 0.5 * acceleration * now);
        if gap <= touch && rate < 0.0 {
            return (rate < -threshold).then_some((now, -rate));
        }
        if gap + slowest * left > touch {
            return None;
        }
        let end = gap + left * (rate + 0.5 * acceleration * left);
        let wait = closing_time(gap.max(0.0), rate, acceleration).filter(|&wait| wait <= left);
        let wait = wait.or_else(|| (end <= touch).then_some(left))?;
        let speed = -(rate + acceleration * wait);
        (speed > threshold).then_some((now + wait, speed))
    }

    /// [`Self::next_event`] between balls.
    #[inline(never)]
    fn next_of_balls(&self, bodies: &[ClusterBody], window: &Window) -> Option<(f64, f64)> {
        let Window { now, horizon, threshold, touch } = *window;
        let left = horizon - now;
        let motion = self.centres(bodies, now);
        let [between, moving, pull] = motion;
        if pull == DVec3::ZERO && between.dot(moving) >= 0.0 {
            return None;
        }
        let gap = self.gap_of_balls(motion);
        if gap.gap <= touch && gap.rate < 0.0 {
            return (gap.rate < -threshold).then_some((now, -gap.rate));
        }
        if gap.gap > (moving.length() + 0.5 * pull.length() * left) * left + touch {
            return None;
        }
        let wait = self.closing_of_balls(bodies, now, left, gap, motion).filter(|&wait| wait <= left);
        let wait = wait.or_else(|| (self.between_balls(bodies, horizon).gap <= touch).then_some(left))?;
        let speed = -self.between_balls(bodies, now + wait).rate;
        (speed > threshold).then_some((now + wait, speed))
    }

    /// The time until balls meet: a quadratic if both have the same acceleration, else refined by
    /// Newton's method.
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
            let outside = gap.gap.max(0.0) * (2.0 * self.center_distance + gap.gap);
            let discriminant = along * along - moving.length_squared() * outside;
            (along < 0.0 && discriminant >= 0.0).then(|| outside / (discriminant.sqrt() - along))
        };
        if pull == DVec3::ZERO {
            return straight();
        }
        let mut wait = straight().or_else(|| closing_time(gap.gap.max(0.0), gap.rate, gap.acceleration))?;
        for _ in 0..MAX_ITERATIONS {
            let here = self.between_balls(bodies, now + wait);
            if here.gap.abs() <= GAP_RESIDUAL * self.center_distance {
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

/// Duration of a bounce sequence that begins with a rebound at `rate` (m/s) under the constant
/// `acceleration` of the gap (m/s²): hops of `2 rate / |acceleration|`, each `restitution` times as
/// long as the one before. Infinite if nothing pulls the surfaces together, or nothing is lost.
pub(super) fn bounce_duration(rate: f64, acceleration: f64, restitution: f64) -> f64 {
    if rate == 0.0 {
        0.0
    } else if acceleration < 0.0 && restitution < 1.0 {
        2.0 * rate / (-acceleration * (1.0 - restitution))
    } else {
        f64::INFINITY
    }
}

/// The first positive time at which a gap that changes at `rate` under constant `acceleration`
/// closes.
///
/// A touching contact that separates against the acceleration closes again after a hop.
pub(crate) fn closing_time(gap: f64, rate: f64, acceleration: f64) -> Option<f64> {
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
