//! Whether seats that came from outside are as they must be.

use super::{NONE, Seats};
use crate::solver::lanes::WIDTH;

impl Seats {
    /// Checks that seats and names agree, and lines are below `lines`.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check_sound(&self, lines: usize) -> Result<(), &'static str> {
        let blocks = self.blocks();
        let lists = [self.lines.len(), self.names.len(), self.taken.len(), self.met.len()];
        if lists != [blocks; 4] || blocks >= u32::MAX as usize / WIDTH {
            return Err("the lists of seats");
        }
        let mut count = 0;
        for block in 0..blocks {
            for lane in 0..WIDTH {
                let (name, ends) = (self.names[block][lane] as usize, self.lines[block][lane]);
                let sound = if self.taken[block] >> lane & 1 == 0 {
                    ends == [0; 2] && self.contacts[block][lane] == NONE
                } else {
                    count += 1;
                    let own = self.seat.get(name) == Some(&((WIDTH * block + lane) as u32));
                    own && ends.iter().all(|&line| (line as usize) < lines)
                };
                if !sound {
                    return Err("a seat");
                }
            }
        }
        let seated = self.seat.iter().filter(|&&seat| seat != NONE).count();
        if count == self.count && seated == count { Ok(()) } else { Err("the count of seats") }
    }
}
