//! Pictures of a run as files, without a player.

use crate::options::Options;
use crate::player::Player;
use crate::status::status;
use crate::window::Screen;
use macroquad::texture::get_screen_data;
use macroquad::window::next_frame;
use std::path::Path;

/// Writes what the options ask for, and the status of the run to standard output.
pub async fn write(player: &mut Player, options: &Options, screen: &mut Screen) {
    let end = options.at.unwrap_or(0);
    player.help = false;
    if let Some(folder) = &options.frames {
        if let Err(problem) = std::fs::create_dir_all(folder) {
            return macroquad::logging::error!("{}: {}", folder.display(), problem);
        }
        for step in 0..=end {
            player.run_to(step);
            shoot(player, screen, &folder.join(format!("{step:05}.png"))).await;
        }
    }
    player.run_to(end);
    if let Some(file) = &options.screenshot {
        shoot(player, screen, file).await;
    }
    println!("{}", status(player));
}

async fn shoot(player: &mut Player, screen: &mut Screen, file: &Path) {
    screen.draw(player);
    get_screen_data().export_png(&file.to_string_lossy());
    next_frame().await;
}

/// Replaces a file by a text: a reader never sees a part of it.
pub fn report(file: &Path, text: &str) {
    let part = file.with_extension("part");
    if let Err(error) = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, file)) {
        macroquad::logging::error!("{}: {}", file.display(), error);
    }
}
