//! When two colliders on their ways touch anew: with their surfaces, or, behind surfaces that touch already, with their cores.

use super::Scene;
use super::next::Met;
use crate::math::{DVec3, Real};
use crate::motion::{Meeting, Mover, Path, Search, for_part_pairs, meeting_of_parts};
use crate::tolerances::{SWEEP_CORES, SWEEP_NOISE, SWEEP_TOUCHES};

/// What two colliders will do.
enum Touch {
    /// They do not touch in this step.
    Never,
    /// They touch anew.
    At(Meeting, Met),
    /// They touch now, and go on touching.
    Lasts(Meeting),
}

impl Scene<'_> {
    /// The next moment at which two colliders meet, and how. `dealt` says that what happens at their surfaces has been seen to:
    /// only the core counts.
    pub fn first_meeting(&self, a: &Mover, b: &Mover, from: f64, dealt: bool) -> Option<(Meeting, Met)> {
        let mut innermost = None;
        // Where they touch hides what is about to touch elsewhere: closer up, and then deeper inside, there is room.
        let surface = SWEEP_TOUCHES.iter().map(|part| (part * self.touch, 0.0));
        let inside = SWEEP_CORES.iter().map(|&shrink| (self.touch, shrink));
        for (touch, shrink) in surface.filter(|_| !dealt).chain(inside) {
            match self.next_touch(a, b, from, touch, shrink) {
                Touch::Never => return None,
                Touch::At(meeting, met) => return Some((meeting, met)),
                Touch::Lasts(meeting) => innermost = Some(meeting),
            }
        }
        // There is nothing left of it that does not touch: if it goes on, it is through.
        let closing = |meeting: &Meeting| {
            let speed = b.path().velocity_at(from) - a.path().velocity_at(from);
            speed.dot(meeting.normal) < -SWEEP_NOISE * speed.length()
        };
        innermost.filter(closing).map(|meeting| (meeting, Met::Through))
    }

    /// Slower approach is rest (m/s): that of a short fall, or what rounding makes of sliding.
    pub fn threshold(&self, a: &Path, b: &Path, normal: DVec3, t: f64) -> f64 {
        let pull = (a.acceleration - b.acceleration).dot(normal);
        let fall = self.settings.resting_speed_under(self.settings.gravity.length().max(pull as Real));
        f64::from(fall).max(SWEEP_NOISE * (b.velocity_at(t) - a.velocity_at(t)).length())
    }

    /// The next moment at which two colliders touch anew.
    fn next_touch(&self, a: &Mover, b: &Mover, from: f64, touch: f64, shrink: Real) -> Touch {
        let mut first: Option<(Meeting, Met)> = None;
        let mut lasting: Option<(Meeting, f64)> = None;
        let mut until = self.dt;
        for_part_pairs(a, b, (from, until), touch, &mut |a, b| {
            let (mut meeting, mut met) = match self.parts_touch(a, b, (from, until), touch, shrink) {
                Touch::Never => return,
                Touch::Lasts(meeting) => {
                    let rate = meeting.rate(a, b);
                    if lasting.is_none_or(|(_, other)| rate < other) {
                        lasting = Some((meeting, rate));
                    }
                    return;
                }
                Touch::At(meeting, met) => (meeting, met),
            };
            until = meeting.t;
            // What comes so deep in from afar has a surface that it meets before. The edges between parts over which it slides have
            // one too, but no core comes near them.
            if met == Met::Cores
                && let Touch::At(surface, before) = self.parts_touch(a, b, (from, until), self.touch, 0.0)
                && surface.t > from
            {
                (meeting, met) = (surface, before);
            }
            if first.is_none_or(|(other, _)| meeting.t < other.t) {
                first = Some((meeting, met));
            }
        });
        match (first, lasting) {
            (Some((meeting, _)), Some((lasting, _))) if meeting.t > from => Touch::Lasts(lasting),
            (Some((meeting, met)), _) => Touch::At(meeting, met),
            (None, Some((lasting, _))) => Touch::Lasts(lasting),
            (None, None) => Touch::Never,
        }
    }

    /// The next moment within a window (s) at which two convex parts touch anew.
    fn parts_touch(&self, a: &Mover, b: &Mover, (from, until): (f64, f64), touch: f64, shrink: Real) -> Touch {
        let search = |from: f64| meeting_of_parts(a, b, &Search { from, until, touch, shrink });
        let met = if shrink > 0.0 { Met::Cores } else { Met::Surfaces };
        let Some(meeting) = search(from) else { return Touch::Never };
        let rate = meeting.rate(a, b);
        if meeting.t > from || rate < -self.threshold(a.path(), b.path(), meeting.normal, from) {
            return Touch::At(meeting, met);
        }
        // They touch. If they part, the search goes on once they are clear of each other: a hop that is higher than what counts as
        // touching is clear by then.
        let clear = from + 2.0 * touch / rate.max(f64::MIN_POSITIVE);
        if clear >= self.dt {
            return Touch::Lasts(meeting);
        }
        if clear >= until {
            return Touch::Never;
        }
        match search(clear) {
            None => Touch::Never,
            Some(meeting) if meeting.t > clear => Touch::At(meeting, met),
            Some(_) => Touch::Lasts(meeting),
        }
    }
}
