//! The next new contact of two moving colliders: of their surfaces, or of their cores if the
//! surfaces touch already.

use super::input::CcdInput;
use super::toi_event::ToiKind;
use crate::math::{DVec3, Real};
use crate::motion::{ImpactSearch, SweptShape, TimeOfImpact, Trajectory, for_part_pairs, time_of_impact_convex};
use crate::tolerances::{CCD, CONTACT};

/// Fractions of a body's thickness removed in turn after `TOUCH_LEVELS`, for the same search.
/// Larger or fewer: the other end of a rod sinks in deeper, or passes. Smaller: fast sliding bodies
/// are stopped by rounding.
const CORE_SHRINK: [Real; 3] = [0.5, 0.75, 0.875];

/// Fractions of `CONTACT.touch` tried in turn while two bodies touch, to find their next contact
/// elsewhere. Larger or fewer: the other end of a rod sinks in. Smaller: lying bodies are stopped
/// by rounding.
const TOUCH_LEVELS: [f64; 3] = [1.0, 0.25, 0.0625];

/// The next contact of two colliders.
enum NextContact {
    /// None in this step.
    Never,
    /// A new contact.
    New(TimeOfImpact, ToiKind),
    /// The current contact continues, and may hide a new one of other parts.
    Lasting(TimeOfImpact, Option<(TimeOfImpact, ToiKind)>),
}

impl CcdInput<'_> {
    /// The next event of two colliders. With `surface_handled` their surface contact is already
    /// handled, and only the cores count. With `immovable` the first one is not dynamic, and edges
    /// that the second one passes flush are no contacts.
    pub fn first_event(
        &self,
        a: &SweptShape,
        b: &SweptShape,
        from: f64,
        (surface_handled, immovable): (bool, bool),
    ) -> Option<(TimeOfImpact, ToiKind)> {
        let mut innermost = None;
        // An existing contact hides new ones elsewhere: smaller tolerances, and then smaller cores,
        // leave room to find them.
        let surface = TOUCH_LEVELS.iter().map(|part| (part * self.touch, 0.0));
        let inside = CORE_SHRINK.iter().map(|&shrink| (self.touch, shrink));
        for (touch, shrink) in surface.filter(|_| !surface_handled).chain(inside) {
            match self.next_contact(a, b, from, (touch, shrink), immovable) {
                NextContact::Never => return None,
                NextContact::New(toi, kind) => return Some((toi, kind)),
                NextContact::Lasting(toi, _) => innermost = Some(toi),
            }
        }
        // What touches with its smallest core or its middle, and approaches, passes through. The middle may
        // meet something new where the core slides, is in the other one as a whole, or hides another part.
        let speed = b.trajectory().velocity_at(from) - a.trajectory().velocity_at(from);
        let passes = |toi: &TimeOfImpact| toi.gap() >= 0.0 && speed.dot(toi.normal) < -CCD.noise * speed.length();
        let core = innermost?;
        if passes(&core) {
            return Some((core, ToiKind::PassedThrough));
        }
        match self.next_contact(a, b, from, (self.touch, 1.0), immovable) {
            NextContact::Never => None,
            NextContact::New(toi, kind) => Some((toi, kind)),
            NextContact::Lasting(middle, _) if passes(&middle) => Some((middle, ToiKind::PassedThrough)),
            NextContact::Lasting(_, hidden) => hidden,
        }
    }

    /// The resting threshold (m/s): the speed of a short fall, or the rounding of sliding.
    pub fn threshold(&self, a: &Trajectory, b: &Trajectory, normal: DVec3, t: f64) -> f64 {
        let pull = (a.acceleration - b.acceleration).dot(normal);
        let fall = self.settings.resting_speed_under(self.settings.gravity.length().max(pull as Real));
        f64::from(fall).max(CCD.noise * (b.velocity_at(t) - a.velocity_at(t)).length())
    }

    /// The next new contact of two colliders.
    fn next_contact(
        &self,
        a: &SweptShape,
        b: &SweptShape,
        from: f64,
        (touch, shrink): (f64, Real),
        immovable: bool,
    ) -> NextContact {
        let mut first: Option<(TimeOfImpact, ToiKind)> = None;
        let mut lasting: Option<(TimeOfImpact, f64)> = None;
        let mut until = self.dt;
        for_part_pairs(a, b, (from, until), touch, &mut |a, b| {
            let (mut toi, mut kind) = match self.next_contact_of_parts(a, b, (from, until), (touch, shrink), immovable)
            {
                NextContact::Never => return,
                NextContact::Lasting(toi, _) => {
                    let rate = toi.rate(a, b);
                    if lasting.is_none_or(|(_, other)| rate < other) {
                        lasting = Some((toi, rate));
                    }
                    return;
                }
                NextContact::New(toi, kind) => (toi, kind),
            };
            until = toi.t;
            // A core contact from afar has an earlier surface contact. Internal edges under a
            // sliding body have one too, but no core comes near them.
            if kind == ToiKind::Cores
                && let NextContact::New(surface, before) =
                    self.next_contact_of_parts(a, b, (from, until), (self.touch, 0.0), immovable)
                && surface.t > from
            {
                (toi, kind) = (surface, before);
            }
            if first.is_none_or(|(other, _)| toi.t < other.t) {
                first = Some((toi, kind));
            }
        });
        match (first, lasting) {
            (Some((toi, kind)), None) => NextContact::New(toi, kind),
            (Some((toi, kind)), Some(_)) if toi.t <= from => NextContact::New(toi, kind),
            (hidden, Some((lasting, _))) => NextContact::Lasting(lasting, hidden),
            (None, None) => NextContact::Never,
        }
    }

    /// The next new contact of two convex parts within a window (s).
    fn next_contact_of_parts(
        &self,
        a: &SweptShape,
        b: &SweptShape,
        (from, until): (f64, f64),
        (touch, shrink): (f64, Real),
        immovable: bool,
    ) -> NextContact {
        let window = |from: f64| ImpactSearch { from, until, touch, shrink };
        let search = |from: f64| time_of_impact_convex(a, b, &window(from));
        let kind = if shrink > 0.0 { ToiKind::Cores } else { ToiKind::Surfaces };
        let unit = self.settings.length_unit;
        let margin = f64::from(CONTACT.speculative_margin * unit);
        let new = |toi: TimeOfImpact| match immovable && shrink == 0.0 && toi.is_ghost(a, b, self.dt, unit) {
            true => NextContact::Never,
            // Within the margin the narrow phase knows them as a contact.
            false if toi.gap() > margin => NextContact::New(toi, ToiKind::Unknown),
            false => NextContact::New(toi, kind),
        };
        let Some(toi) = search(from) else { return NextContact::Never };
        let rate = toi.rate(a, b);
        if toi.t > from || rate < -self.threshold(a.trajectory(), b.trajectory(), toi.normal, from) {
            return new(toi);
        }
        // They touch. If they separate, the search continues once they are clear of each other: a
        // hop higher than the tolerance is clear by then. After a lower one they are in each other.
        let clear = from + 2.0 * touch / rate.max(f64::MIN_POSITIVE);
        if clear >= self.dt || !toi.is_apart(a, b, &window(clear)) {
            return NextContact::Lasting(toi, None);
        }
        if clear >= until {
            return NextContact::Never;
        }
        match search(clear) {
            None => NextContact::Never,
            Some(toi) if toi.t > clear => new(toi),
            Some(_) => NextContact::Lasting(toi, None),
        }
    }
}
