//! What the player asks for in a step: plain data, which is also what a rewind replays.

/// The input of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Input {
    /// Ahead and to the right, from -1 to 1.
    pub walk: [f32; 2],
    /// Direction of the look: about the vertical, and up (rad).
    pub yaw: f32,
    pub pitch: f32,
    /// Jump, or brake in the car.
    pub jump: bool,
    /// Throw a ball.
    pub throw: bool,
    /// Enter or leave the car.
    pub ride: bool,
    /// Take hold of the body ahead, or let it go.
    pub hold: bool,
    /// Turn of the crane, from -1 to 1.
    pub crane: f32,
}

impl Input {
    /// The input without what happens once.
    pub fn held(self) -> Self {
        Self { jump: false, throw: false, ride: false, hold: false, ..self }
    }
}
