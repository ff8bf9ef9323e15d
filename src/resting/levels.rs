//! Levels of the contact graph: the number of contacts between a body and the ground (Bender and
//! Schmitt 2006, section 3.2).

use super::residual::View;

/// The level of bodies without a chain of contacts to the ground.
pub(super) const UNSUPPORTED: u32 = u32::MAX;

/// The level of each body: 0 for the world, which comes last.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels(Vec<u32>);

impl Levels {
    /// Finds the levels: shortest paths to the ground.
    pub fn update(&mut self, view: &View) {
        let Self(levels) = self;
        levels.clear();
        levels.resize(view.bodies, UNSUPPORTED);
        levels.push(0);
        let lift = |levels: &mut [u32], row: &super::jacobian::Jacobian| {
            let mut any = false;
            for (from, to) in [(row.first, row.second), (row.second, row.first)] {
                let next = levels[from as usize].saturating_add(1);
                if next < levels[to as usize] {
                    levels[to as usize] = next;
                    any = true;
                }
            }
            any
        };
        // Forwards and backwards: stacks are listed from the ground up or from the top down.
        let mut any = true;
        while any {
            any = false;
            for row in view.jacobians {
                any |= lift(levels, row);
            }
            for row in view.jacobians.iter().rev() {
                any |= lift(levels, row);
            }
        }
    }

    /// The level of a body.
    #[inline]
    pub fn of(&self, body: u32) -> u32 {
        self.0[body as usize]
    }
}
