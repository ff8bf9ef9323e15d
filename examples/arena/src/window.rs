//! The window: keys and the mouse to inputs, the world to the screen.

use crate::figures::FrameTimes;
use crate::game::Game;
use crate::input::Input;
use crate::pilot;
use crate::scenery;
use dolmen_viewer::camera::{Camera, Mode};
use dolmen_viewer::picture::{self, Picture};
use dolmen_viewer::renderer::Renderer;
use macroquad::prelude::{
    BLACK, Conf, KeyCode, MouseButton, draw_text, get_frame_time, get_screen_data, is_key_down, is_key_pressed,
    is_mouse_button_pressed, mouse_delta_position, next_frame, screen_height, screen_width, set_cursor_grab,
    set_default_camera, show_mouse,
};
use std::path::PathBuf;
use std::time::Instant;

/// Turn of the look per half screen of the mouse (rad).
const TURN: f32 = 1.5;
/// Steepest look (rad).
const STEEPEST: f32 = 1.3;
/// Distance of the camera behind the player and the car (m).
const BEHIND: [f32; 2] = [4.0, 8.0];

/// Opens the window and runs until it closes; with a file and a time (s), writes a picture of the
/// pilot's game and ends.
pub fn open(game: Game, picture: Option<(PathBuf, u32)>) {
    let conf = Conf {
        window_title: "dolmen arena".to_owned(),
        window_width: 1280,
        window_height: 720,
        sample_count: 4,
        ..Conf::default()
    };
    macroquad::Window::from_config(conf, run(game, picture));
}

/// What draws the game.
struct Screen {
    renderer: Renderer,
    picture: Picture,
    camera: Camera,
}

async fn run(mut game: Game, file: Option<(PathBuf, u32)>) {
    let renderer = match Renderer::new() {
        Ok(renderer) => renderer,
        Err(problem) => return macroquad::logging::error!("{}", problem),
    };
    let mut camera = Camera::framing(game.place(), 4.0);
    camera.mode = Mode::Orbit;
    let mut screen = Screen { renderer, picture: Picture::new(), camera };
    if let Some((file, seconds)) = file {
        let mut input = Input::default();
        while game.state.step < u64::from(seconds) * 60 {
            input = pilot::input(&game);
            if let Err(problem) = game.frame(crate::game::STEP, input) {
                return macroquad::logging::error!("{}", problem);
            }
        }
        screen.draw(&game, input, "");
        get_screen_data().export_png(&file.to_string_lossy());
        return next_frame().await;
    }
    set_cursor_grab(true);
    show_mouse(false);
    let (mut look, mut times) = ([0.0, -0.2], FrameTimes::default());
    loop {
        if is_key_pressed(KeyCode::Escape) {
            return;
        }
        let turned = mouse_delta_position();
        look = [look[0] + turned.x * TURN, (look[1] + turned.y * TURN).clamp(-STEEPEST, STEEPEST)];
        let input = read(look);
        let begun = Instant::now();
        let outcome =
            if is_key_down(KeyCode::Backspace) { game.rewind(2) } else { game.frame(get_frame_time(), input) };
        times.push(begun.elapsed());
        if is_key_pressed(KeyCode::K) {
            game.save();
        }
        if is_key_pressed(KeyCode::L) {
            game.load();
        }
        let status = outcome.map_or_else(|error| error.to_string(), |()| times.to_string());
        screen.draw(&game, input, &status);
        next_frame().await;
    }
}

/// The input of keys and the mouse.
fn read(look: [f32; 2]) -> Input {
    let pair = |more: KeyCode, less: KeyCode| f32::from(is_key_down(more)) - f32::from(is_key_down(less));
    Input {
        walk: [pair(KeyCode::W, KeyCode::S), pair(KeyCode::D, KeyCode::A)],
        yaw: look[0],
        pitch: look[1],
        jump: is_key_down(KeyCode::Space),
        throw: is_mouse_button_pressed(MouseButton::Left),
        ride: is_key_pressed(KeyCode::E),
        hold: is_mouse_button_pressed(MouseButton::Right),
        crane: pair(KeyCode::Q, KeyCode::R),
    }
}

impl Screen {
    /// Draws a frame.
    fn draw(&mut self, game: &Game, input: Input, status: &str) {
        let place = game.place();
        self.camera.focus = dolmen::glam::Vec3::new(place.x, place.y + 0.8, place.z);
        self.camera.distance = BEHIND[usize::from(game.state.in_car)];
        (self.camera.yaw, self.camera.pitch) = (input.yaw, input.pitch - 0.15);
        picture::draw_world(&game.world, &game.physics, &mut self.picture);
        scenery::draw(game, &mut self.picture);
        self.renderer.draw(&self.picture, &self.camera, screen_width() / screen_height());
        set_default_camera();
        let keys = "w a s d  space  e car  q r crane  mouse: throw, hold  k save  l load  backspace: back in time";
        draw_text(keys, 12.0, 22.0, 20.0, BLACK);
        draw_text(status, 12.0, screen_height() - 12.0, 20.0, BLACK);
    }
}
