//! What the layout needs to know of a constraint.

use crate::solver::contact::ContactRef;

/// A constraint between two bodies, of whatever kind.
pub(crate) trait Link {
    /// Its bodies.
    fn bodies(&self) -> [u32; 2];
}

impl Link for ContactRef {
    #[inline]
    fn bodies(&self) -> [u32; 2] {
        [self.a, self.b]
    }
}
