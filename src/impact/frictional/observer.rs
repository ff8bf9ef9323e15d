//! An observer of an impact while it is solved.

use super::problem::Scaled;
use crate::math::DVec3;

/// Receives the pieces of an impact while it is solved.
///
/// `()` observes nothing: its methods are empty, so the closures are never built.
pub(crate) trait Observer {
    /// The impact begins, or starts again with a finer tolerance.
    fn begin(&mut self, problem: &Scaled);
    /// A piece of the trajectory: velocity and impulse at each fraction of it, from 0 to 1, in
    /// scaled units.
    fn piece(&mut self, at: impl Fn(f64) -> (DVec3, DVec3));
}

impl Observer for () {
    #[inline(always)]
    fn begin(&mut self, _: &Scaled) {}
    #[inline(always)]
    fn piece(&mut self, _: impl Fn(f64) -> (DVec3, DVec3)) {}
}
