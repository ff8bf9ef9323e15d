//! Input of the layout about a constraint.

use crate::solver::contact::ContactRef;

/// An edge of the constraint graph: a constraint of any kind between two bodies.
pub(crate) trait Edge {
    /// Its bodies.
    fn bodies(&self) -> [u32; 2];
}

impl Edge for ContactRef {
    #[inline]
    fn bodies(&self) -> [u32; 2] {
        [self.a, self.b]
    }
}
