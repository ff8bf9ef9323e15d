//! The page around the program: its address, its clock, and what it is told. `examples/web/viewer.js`
//! is the other side.

use crate::options::{Options, of_address};
use std::time::Duration;

/// Longest address that is read (bytes).
const LONGEST: usize = 512;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Milliseconds of the page's clock.
    safe fn dolmen_now() -> f64;
    /// Writes the part of the address after the question mark, at most `room` bytes of UTF-8, and
    /// returns their number.
    fn dolmen_address(text: *mut u8, room: usize) -> usize;
    /// Takes the status of the run as JSON.
    fn dolmen_status(text: *const u8, length: usize);
}

/// Version of these functions, which `viewer.js` must have too.
#[unsafe(no_mangle)]
pub extern "C" fn dolmen_viewer_crate_version() -> u32 {
    1
}

/// The time since the page was opened.
pub fn clock() -> Duration {
    Duration::from_secs_f64(dolmen_now().max(0.0) * 1e-3)
}

/// The options in the page's address.
pub fn options() -> Options {
    let mut text = [0; LONGEST];
    // SAFETY: the page writes at most `LONGEST` bytes to the array.
    let length = unsafe { dolmen_address(text.as_mut_ptr(), LONGEST) };
    of_address(&String::from_utf8_lossy(&text[..length.min(LONGEST)]))
}

/// Tells the page how the run stands.
pub fn tell(status: &str) {
    // SAFETY: the page reads the bytes of the string before it returns.
    unsafe { dolmen_status(status.as_ptr(), status.len()) }
}
