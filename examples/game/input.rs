//! Input of the player from the keys of a terminal, with the standard library only.

use dolmen::math::Vec3;
use std::io::{IsTerminal, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// The player's input for one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    /// Direction and speed, at most 1.
    pub walk: Vec3,
    pub throw: bool,
    pub keep: bool,
    pub load: bool,
    pub quit: bool,
}

/// Steps for which a key counts as pressed: a terminal repeats keys, but does not report releases.
const HELD: u32 = 12;

/// The keys of a terminal.
pub struct Keyboard {
    keys: Receiver<u8>,
    walk: Vec3,
    held: u32,
    raw: bool,
}

impl Keyboard {
    /// The keyboard, if standard input and output are terminals.
    pub fn open() -> Option<Self> {
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return None;
        }
        // Single keys without echo; without `stty`, the terminal sends whole lines.
        let raw = stty(&["-icanon", "-echo", "min", "1"]);
        let (send, keys) = channel();
        std::thread::spawn(move || {
            for key in std::io::stdin().lock().bytes() {
                let Ok(key) = key else { break };
                if send.send(key).is_err() {
                    break;
                }
            }
        });
        Some(Self { keys, walk: Vec3::ZERO, held: 0, raw })
    }

    /// The keys pressed since the last step.
    pub fn wish(&mut self) -> Wish {
        let mut wish = Wish::default();
        self.held = self.held.saturating_sub(1);
        while let Ok(key) = self.keys.try_recv() {
            let walk = match key.to_ascii_lowercase() {
                b'w' => Some(-Vec3::Z),
                b's' => Some(Vec3::Z),
                b'a' => Some(-Vec3::X),
                b'd' => Some(Vec3::X),
                b' ' => {
                    wish.throw = true;
                    None
                }
                b'k' => {
                    wish.keep = true;
                    None
                }
                b'l' => {
                    wish.load = true;
                    None
                }
                b'q' | 3 | 4 => {
                    wish.quit = true;
                    None
                }
                _ => None,
            };
            if let Some(walk) = walk {
                (self.walk, self.held) = (walk, HELD);
            }
        }
        if self.held > 0 {
            wish.walk = self.walk;
        }
        wish
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        if self.raw {
            stty(&["icanon", "echo"]);
        }
        println!();
    }
}

fn stty(arguments: &[&str]) -> bool {
    let told = Command::new("stty").args(arguments).stdin(Stdio::inherit()).stderr(Stdio::null()).status();
    told.is_ok_and(|status| status.success())
}
