//! The loop of the window: input to commands, time to steps, the world to the screen.

use crate::input::{self, Mouse, Pointer};
use crate::options::Options;
use crate::picture::{self, Picture};
use crate::player::Player;
use crate::renderer::Renderer;
use crate::ui;
use macroquad::input::{MouseButton, is_key_down, is_key_pressed, is_mouse_button_down, mouse_position, mouse_wheel};
use macroquad::miniquad::conf::{Platform, WebGLVersion};
use macroquad::time::get_frame_time;
use macroquad::window::{Conf, next_frame, screen_height, screen_width};

/// Opens the window and runs until it closes.
pub fn open(player: Player, options: Options) {
    let conf = Conf {
        window_title: "dolmen".to_owned(),
        window_width: 1280,
        window_height: 720,
        sample_count: 4,
        platform: Platform { webgl_version: WebGLVersion::WebGL2, ..Platform::default() },
        ..Conf::default()
    };
    macroquad::Window::from_config(conf, run(player, options));
}

/// What the loop keeps from frame to frame.
pub struct Screen {
    renderer: Renderer,
    picture: Picture,
    pointer: Pointer,
    /// The scene whose meshes are uploaded.
    scene: usize,
}

async fn run(mut player: Player, options: Options) {
    let renderer = match Renderer::new() {
        Ok(renderer) => renderer,
        Err(problem) => return macroquad::logging::error!("{}", problem),
    };
    let mut screen = Screen { renderer, picture: Picture::new(), pointer: Pointer::default(), scene: player.open };
    #[cfg(not(target_family = "wasm"))]
    if options.screenshot.is_some() || options.frames.is_some() {
        return crate::files::write(&mut player, &options, &mut screen).await;
    }
    if let Some(step) = options.at {
        player.run_to(step);
    }
    loop {
        for file in macroquad::input::get_dropped_files() {
            let name = file.path.as_ref().and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy();
            player.open_file(&name, file.bytes.as_deref().unwrap_or_default());
        }
        screen.read(&mut player);
        player.pass(f64::from(get_frame_time()));
        screen.draw(&mut player);
        #[cfg(target_family = "wasm")]
        crate::page::tell(&crate::status::status(&player));
        #[cfg(not(target_family = "wasm"))]
        if let Some(file) = &options.report {
            crate::files::report(file, &crate::status::status(&player));
        }
        next_frame().await;
    }
}

impl Screen {
    /// The commands of keys and the mouse.
    fn read(&mut self, player: &mut Player) {
        let layout = ui::layout(player, screen_width(), screen_height());
        let mouse = Mouse {
            at: mouse_position().into(),
            left: is_mouse_button_down(MouseButton::Left),
            right: is_mouse_button_down(MouseButton::Right),
            wheel: mouse_wheel().1.clamp(-1.0, 1.0),
        };
        let place = layout.in_picture(mouse.at);
        let mut commands = self.pointer.moved(mouse, &layout, |place| player.is_body_at(place));
        commands.extend(input::pressed(is_key_pressed, place));
        commands.extend(input::flight(is_key_down, get_frame_time()));
        commands.into_iter().for_each(|command| player.obey(command));
    }

    /// Draws a frame.
    pub fn draw(&mut self, player: &mut Player) {
        player.aspect = screen_width() / screen_height();
        if std::mem::replace(&mut self.scene, player.open) != player.open {
            self.renderer.forget();
            self.picture.clear();
        }
        picture::draw(&player.run, &mut self.picture);
        self.renderer.draw(&self.picture, &player.camera, player.aspect);
        macroquad::camera::set_default_camera();
        ui::draw(player, &ui::layout(player, screen_width(), screen_height()));
    }
}
