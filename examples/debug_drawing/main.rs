//! Debug drawing into a picture: every kind of shape, every kind of joint, and a small scene.
//!
//! `cargo run --release --example debug_drawing -- FILE.png` writes the picture; without a file only
//! the number of lines is printed.

#[path = "drawing.rs"]
mod drawing;

use std::process::ExitCode;

fn main() -> ExitCode {
    let written = drawing::drawing().and_then(|canvas| {
        std::env::args().nth(1).map_or(Ok(()), |file| canvas.write(file.as_ref()))?;
        Ok(canvas.inked())
    });
    match written {
        Ok(inked) => {
            println!("ok: lines on {:.1} % of the picture", inked * 100.0);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("WRONG: {problem}");
            ExitCode::FAILURE
        }
    }
}
