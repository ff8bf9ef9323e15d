//! Keys and the mouse, as commands: tables and pure functions, without a window.

use crate::layout::{Layout, Place};
use crate::player::Command;
use crate::rules::Rule;
use dolmen::glam::Vec3;
use macroquad::input::KeyCode;

/// Angle of a turn over the whole height of the picture (rad).
const TURN: f32 = 3.0;
/// Factor on the distance of a notch of the wheel.
const NOTCH: f32 = 0.9;

/// A key, its text on screen, and its command at the place of the mouse.
pub struct Key {
    pub code: KeyCode,
    pub name: &'static str,
    pub about: &'static str,
    command: fn([f32; 2]) -> Command,
}

impl Key {
    /// Its command with the mouse at a place.
    pub fn command(&self, place: [f32; 2]) -> Command {
        (self.command)(place)
    }
}

const fn key(code: KeyCode, name: &'static str, about: &'static str, command: fn([f32; 2]) -> Command) -> Key {
    Key { code, name, about, command }
}

/// The keys that do something once, in the order in which they are shown.
pub const KEYS: &[Key] = &[
    key(KeyCode::Space, "space", "pause, go on", |_| Command::Pause),
    key(KeyCode::Period, ".", "one step", |_| Command::Step),
    key(KeyCode::Comma, ",", "one step back", |_| Command::StepBack),
    key(KeyCode::Right, "right", "60 steps ahead", |_| Command::Leap),
    key(KeyCode::Left, "left", "60 steps back", |_| Command::LeapBack),
    key(KeyCode::Home, "home", "start of the timeline", |_| Command::ToStart),
    key(KeyCode::End, "end", "end of the timeline", |_| Command::ToEnd),
    key(KeyCode::Minus, "-", "slower", |_| Command::Slower),
    key(KeyCode::Equal, "=", "faster", |_| Command::Faster),
    key(KeyCode::R, "r", "restart", |_| Command::Restart),
    key(KeyCode::F, "f", "shoot a ball at the mouse", Command::Shoot),
    key(KeyCode::X, "x", "delete the body at the mouse", Command::Delete),
    key(KeyCode::Z, "z", "freeze the body at the mouse, or not", Command::Freeze),
    key(KeyCode::PageDown, "page down", "next scene", |_| Command::NextScene),
    key(KeyCode::PageUp, "page up", "scene before", |_| Command::PreviousScene),
    key(KeyCode::G, "g", "account of energy, or not", |_| Command::ToggleEnergy),
    key(KeyCode::C, "c", "orbit or fly", |_| Command::ToggleCamera),
    key(KeyCode::Key1, "1", "show shapes", |_| Command::Overlay(0)),
    key(KeyCode::Key2, "2", "show sensors", |_| Command::Overlay(1)),
    key(KeyCode::Key3, "3", "show islands", |_| Command::Overlay(2)),
    key(KeyCode::Key4, "4", "show sleep", |_| Command::Overlay(3)),
    key(KeyCode::Key5, "5", "show solvers", |_| Command::Overlay(4)),
    key(KeyCode::Key6, "6", "show axes", |_| Command::Overlay(5)),
    key(KeyCode::Key7, "7", "show centres of mass", |_| Command::Overlay(6)),
    key(KeyCode::Key8, "8", "show velocities", |_| Command::Overlay(7)),
    key(KeyCode::Key9, "9", "show boxes", |_| Command::Overlay(8)),
    key(KeyCode::Key0, "0", "show joints", |_| Command::Overlay(9)),
    key(KeyCode::T, "t", "show limits", |_| Command::Overlay(10)),
    key(KeyCode::Y, "y", "show loads", |_| Command::Overlay(11)),
    key(KeyCode::U, "u", "show contacts", |_| Command::Overlay(12)),
    key(KeyCode::I, "i", "show forces", |_| Command::Overlay(13)),
    key(KeyCode::H, "h", "hide this", |_| Command::ToggleHelp),
];

/// The keys that fly while they are down, and their directions in the axes of the camera.
pub const FLIGHT: [(KeyCode, Vec3); 6] = [
    (KeyCode::W, Vec3::NEG_Z),
    (KeyCode::S, Vec3::Z),
    (KeyCode::A, Vec3::NEG_X),
    (KeyCode::D, Vec3::X),
    (KeyCode::E, Vec3::Y),
    (KeyCode::Q, Vec3::NEG_Y),
];

/// What the mouse does, for the screen.
pub const MOUSE: [(&str, &str); 6] = [
    ("click a body", "what is known of it"),
    ("drag a body", "pull it by a spring"),
    ("drag elsewhere", "turn the camera"),
    ("right drag", "shift the camera"),
    ("wheel", "nearer, farther"),
    ("w a s d q e", "fly"),
];

/// The commands of the keys that were pressed, with the mouse at a place.
pub fn pressed(is_pressed: impl Fn(KeyCode) -> bool, place: [f32; 2]) -> impl Iterator<Item = Command> {
    KEYS.iter().filter(move |key| is_pressed(key.code)).map(move |key| key.command(place))
}

/// The command of the keys that are down for a time (s), if any flies.
pub fn flight(is_down: impl Fn(KeyCode) -> bool, seconds: f32) -> Option<Command> {
    let along: Vec3 = FLIGHT.iter().filter(|(code, _)| is_down(*code)).map(|(_, along)| *along).sum();
    (along != Vec3::ZERO).then_some(Command::Fly(along, seconds))
}

/// The mouse in a frame: its place (pixels), its buttons, and its wheel (notches away from the
/// player).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mouse {
    pub at: [f32; 2],
    pub left: bool,
    pub right: bool,
    pub wheel: f32,
}

/// What the mouse is doing, from one frame to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pointer {
    last: Mouse,
    doing: Doing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Doing {
    #[default]
    Nothing,
    /// A body is held.
    Holding,
    /// The timeline is dragged.
    Scrubbing,
    /// A slider is dragged.
    Sliding(Rule),
    Turning,
}

impl Pointer {
    /// The commands of a frame. `is_body_at` tells whether a body can be held at a place of the
    /// picture.
    pub fn moved(&mut self, now: Mouse, layout: &Layout, is_body_at: impl Fn([f32; 2]) -> bool) -> Vec<Command> {
        let before = std::mem::replace(&mut self.last, now);
        let place = layout.in_picture(now.at);
        let by = [now.at[0] - before.at[0], now.at[1] - before.at[1]].map(|pixels| pixels / layout.height);
        let mut commands = Vec::new();
        if now.left && !before.left {
            match layout.at(now.at) {
                Place::Scene(scene) => commands.push(Command::Open(scene)),
                Place::Timeline(_) => self.doing = Doing::Scrubbing,
                Place::Slider(rule, _) => self.doing = Doing::Sliding(rule),
                Place::Picture if is_body_at(place) => {
                    self.doing = Doing::Holding;
                    commands.push(Command::Grab(place));
                }
                Place::Picture => self.doing = Doing::Turning,
            }
        }
        if !now.left {
            if self.doing == Doing::Holding {
                commands.push(Command::LetGo);
            }
            self.doing = Doing::Nothing;
        }
        match self.doing {
            Doing::Holding => commands.push(Command::Drag(place)),
            Doing::Sliding(rule) => commands.push(Command::Slide(rule, layout.part_at(now.at[0]))),
            Doing::Scrubbing => commands.push(Command::Seek(layout.step_at(now.at[0]))),
            Doing::Turning if by != [0.0; 2] => commands.push(Command::Turn(-by[0] * TURN, -by[1] * TURN)),
            Doing::Turning | Doing::Nothing => {}
        }
        if now.right && before.right && by != [0.0; 2] {
            commands.push(Command::Shift(Vec3::new(-by[0], by[1], 0.0)));
        }
        if now.wheel != 0.0 {
            commands.push(Command::Zoom(NOTCH.powf(now.wheel)));
        }
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        Layout { width: 800.0, height: 600.0, scenes: 17, range: (0, 200) }
    }

    #[test]
    fn no_key_has_two_meanings() {
        let mut codes: Vec<_> = KEYS.iter().map(|key| key.code).chain(FLIGHT.map(|(code, _)| code)).collect();
        codes.sort_by_key(|code| *code as u32);
        let count = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }

    #[test]
    fn each_flag_of_debug_drawing_has_a_key_with_its_name() {
        for (number, (name, _)) in dolmen::debug::Show::FLAGS.iter().enumerate() {
            let key = KEYS.iter().find(|key| key.command([0.0; 2]) == Command::Overlay(number));
            assert_eq!(key.map(|key| key.about), Some(format!("show {name}").as_str()));
        }
    }

    #[test]
    fn keys_act_at_the_mouse() {
        let place = [0.5, -0.5];
        let of = |code| pressed(move |key| key == code, place).collect::<Vec<_>>();
        assert_eq!(of(KeyCode::Space), [Command::Pause]);
        assert_eq!(of(KeyCode::F), [Command::Shoot(place)]);
        assert_eq!(of(KeyCode::F9), []);
        assert_eq!(
            flight(|code| code == KeyCode::W || code == KeyCode::E, 0.1),
            Some(Command::Fly(Vec3::new(0.0, 1.0, -1.0), 0.1))
        );
        assert_eq!(flight(|code| matches!(code, KeyCode::A | KeyCode::D), 0.1), None);
    }

    #[test]
    fn the_left_button_holds_a_body_until_it_is_let_go() {
        let mut pointer = Pointer::default();
        let at = |x, y, left| Mouse { at: [x, y], left, ..Mouse::default() };
        assert_eq!(pointer.moved(at(400.0, 300.0, false), &layout(), |_| true), []);
        let taken = pointer.moved(at(400.0, 300.0, true), &layout(), |_| true);
        assert_eq!(taken, [Command::Grab([0.0, 0.0]), Command::Drag([0.0, 0.0])]);
        // The hand does not move, but the camera may.
        assert_eq!(pointer.moved(at(400.0, 300.0, true), &layout(), |_| false), [Command::Drag([0.0, 0.0])]);
        assert_eq!(pointer.moved(at(600.0, 150.0, true), &layout(), |_| false), [Command::Drag([0.5, 0.5])]);
        assert_eq!(pointer.moved(at(600.0, 150.0, false), &layout(), |_| true), [Command::LetGo]);
        assert_eq!(pointer.moved(at(610.0, 150.0, false), &layout(), |_| true), []);
    }

    #[test]
    fn elsewhere_it_turns_and_the_right_one_shifts() {
        let mut pointer = Pointer::default();
        let at = |x, left, right| Mouse { at: [x, 300.0], left, right, wheel: 0.0 };
        pointer.moved(at(400.0, true, false), &layout(), |_| false);
        assert_eq!(pointer.moved(at(460.0, true, false), &layout(), |_| true), [Command::Turn(-0.1 * TURN, 0.0)]);
        pointer.moved(at(460.0, false, true), &layout(), |_| false);
        let shifted = pointer.moved(at(400.0, false, true), &layout(), |_| false);
        assert_eq!(shifted, [Command::Shift(Vec3::X * 0.1)]);
        let wheel = Mouse { at: [400.0, 300.0], wheel: 1.0, ..Mouse::default() };
        assert_eq!(pointer.moved(wheel, &layout(), |_| false), [Command::Zoom(NOTCH)]);
    }

    #[test]
    fn lists_and_the_timeline_take_clicks_before_the_picture() {
        let layout = layout();
        let mut pointer = Pointer::default();
        let click = |at, left| Mouse { at, left, ..Mouse::default() };
        let (x, y) = layout.scene_row(3);
        assert_eq!(pointer.moved(click([x + 2.0, y + 2.0], true), &layout, |_| true), [Command::Open(3)]);
        pointer.moved(click([0.0; 2], false), &layout, |_| true);
        let bar = layout.bar();
        let middle = [bar.x + 0.5 * bar.width, bar.y + 1.0];
        assert_eq!(pointer.moved(click(middle, true), &layout, |_| true), [Command::Seek(100)]);
        pointer.moved(click([0.0; 2], false), &layout, |_| true);
        let slider = layout.slider(Rule::Friction);
        let half = [slider.x + 0.5 * slider.width, slider.y + 1.0];
        assert_eq!(pointer.moved(click(half, true), &layout, |_| true), [Command::Slide(Rule::Friction, 0.5)]);
        assert_eq!(pointer.moved(click([0.0; 2], true), &layout, |_| true), [Command::Slide(Rule::Friction, 0.0)]);
        pointer.moved(click([0.0; 2], false), &layout, |_| true);
        pointer.moved(click(middle, true), &layout, |_| true);
        // The timeline is held, wherever the mouse goes.
        assert_eq!(pointer.moved(click([bar.x + bar.width, 10.0], true), &layout, |_| true), [Command::Seek(200)]);
    }
}
