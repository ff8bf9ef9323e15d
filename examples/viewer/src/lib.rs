//! A window, or a page, that shows dolmen's scenes and lets one take hold of things; and what draws a
//! hecs world in any window of macroquad.

#![allow(missing_docs)] // a tool, not a library that is published

pub mod camera;
mod edits;
mod energy;
#[cfg(not(target_family = "wasm"))]
mod files;
mod hand;
mod history;
mod input;
mod inspector;
mod layout;
pub mod meshes;
mod options;
mod overlay;
#[cfg(target_family = "wasm")]
mod page;
pub mod picture;
mod player;
pub mod renderer;
mod rows;
mod rules;
mod scenes;
#[path = "../../../tests/support/state_hash.rs"]
mod state_hash;
mod status;
mod timeline;
mod ui;
mod window;
mod world;

#[cfg(test)]
mod player_tests;

use options::Options;
use player::Player;
use std::process::ExitCode;

/// The viewer, from its command line.
#[cfg(not(target_family = "wasm"))]
pub fn run() -> ExitCode {
    let options = <Options as clap::Parser>::parse();
    start(options, None)
}

/// The viewer, from the address of its page.
#[cfg(target_family = "wasm")]
pub fn run() -> ExitCode {
    start(page::options(), Some(page::clock))
}

/// Opens the scene, then the window.
fn start(options: Options, clock: Option<fn() -> std::time::Duration>) -> ExitCode {
    let player = Player::new(options.scene.as_deref(), options.threads, clock);
    #[cfg(not(target_family = "wasm"))]
    let player = player.and_then(|mut player| {
        options.show.iter().try_for_each(|name| player.show(name))?;
        Ok(player)
    });
    match player {
        #[cfg(not(target_family = "wasm"))]
        Ok(mut player) if options.status => {
            player.run_to(options.at.unwrap_or(0));
            println!("{}", status::status(&player));
            ExitCode::SUCCESS
        }
        Ok(player) => {
            window::open(player, options);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            #[cfg(target_family = "wasm")]
            page::tell(&status::failed(&problem));
            macroquad::logging::error!("{}", problem);
            ExitCode::from(2)
        }
    }
}
