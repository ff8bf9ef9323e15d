//! The viewer in a real window, by real keys and a real mouse. The world is asked what they did.
//!
//! Needs `Xvfb` and `xdotool`; where they are missing it says so and tests nothing, unless `DOLMEN_WINDOW` is set.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DISPLAY: &str = ":97";
const MISSING: &str = "Xvfb, xdotool or OpenGL is missing";
/// Time after which a condition counts as missed: software draws a few pictures a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pictures for which a key or a button is down, and after which it has been seen.
const PRESS: usize = 3;
const POLL: Duration = Duration::from_millis(10);
const CENTRE: [i32; 2] = [640, 360];
/// Height of a line, margin, and width of a slider, of `layout.rs`.
const LAYOUT: [i32; 3] = [18, 12, 142];

/// A process that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

struct Window {
    report: PathBuf,
    _viewer: Ends,
    _screen: Ends,
}

impl Window {
    /// Opens the viewer on a scene; `None` if programs are missing, or no window can be opened.
    fn open(scene: &str) -> Option<Self> {
        let mut screen = Command::new("Xvfb");
        screen.args([DISPLAY, "-screen", "0", "1280x720x24", "+extension", "GLX"]).stderr(Stdio::null());
        let mut xdotool = Command::new("xdotool");
        let has_xdotool = xdotool.arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
        let screen = Ends(screen.spawn().ok().filter(|_| has_xdotool)?);
        std::thread::sleep(Duration::from_secs(2));
        let report = std::env::temp_dir().join(format!("dolmen-viewer-{}.json", std::process::id()));
        _ = std::fs::remove_file(&report);
        let mut viewer = Command::new(env!("CARGO_BIN_EXE_dolmen-viewer"));
        viewer.args(["--scene", scene, "--threads", "1", "--report"]).arg(&report);
        viewer.env("DISPLAY", DISPLAY).env("LIBGL_ALWAYS_SOFTWARE", "1");
        let mut viewer = Ends(viewer.spawn().expect("the viewer"));
        let begun = Instant::now();
        while !report.exists() {
            if viewer.0.try_wait().is_ok_and(|end| end.is_some()) || begun.elapsed() > PATIENCE {
                return None;
            }
            std::thread::sleep(POLL);
        }
        Some(Self { report, _viewer: viewer, _screen: screen })
    }

    /// Waits for some pictures: the report is written anew in each.
    fn pictures(&self, count: usize) {
        let written = || std::fs::metadata(&self.report).and_then(|file| file.modified()).ok();
        for _ in 0..count {
            let (before, begun) = (written(), Instant::now());
            while written() == before && begun.elapsed() < PATIENCE {
                std::thread::sleep(POLL);
            }
        }
    }

    fn status(&self) -> Option<Value> {
        serde_json::from_str(&std::fs::read_to_string(&self.report).ok()?).ok()
    }

    /// Waits until the status fulfils a condition, and returns it.
    fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            match self.status() {
                Some(status) if holds(&status) => return status,
                status => assert!(begun.elapsed() < PATIENCE, "no {what}: {status:?}"),
            }
            std::thread::sleep(POLL);
        }
    }

    fn tool(&self, arguments: &[&str]) {
        let done = Command::new("xdotool").env("DISPLAY", DISPLAY).args(arguments).status().expect("xdotool");
        assert!(done.success(), "{arguments:?}");
    }

    fn key(&self, name: &str) {
        self.tool(&["keydown", name]);
        self.pictures(PRESS);
        self.tool(&["keyup", name]);
        self.pictures(PRESS);
    }

    fn point(&self, [x, y]: [i32; 2]) {
        self.tool(&["mousemove", &x.to_string(), &y.to_string()]);
        self.pictures(PRESS);
    }

    fn button(&self, is_down: bool) {
        self.tool(&[if is_down { "mousedown" } else { "mouseup" }, "1"]);
        self.pictures(PRESS);
    }
}

fn number(status: &Value, name: &str) -> i64 {
    status[name].as_i64().unwrap_or_else(|| panic!("{name} of {status}"))
}

#[test]
fn keys_and_the_mouse_do_to_the_world_what_they_say() {
    let Some(window) = Window::open("tower-3") else {
        assert!(std::env::var_os("DOLMEN_WINDOW").is_none(), "{MISSING}");
        return eprintln!("not tested: {MISSING}");
    };
    window.point(CENTRE);
    window.wait("motion", |status| number(status, "step") > 3);
    window.key("space");
    let paused = window.wait("pause", |status| status["playing"] == false);
    let step = number(&paused, "step");
    window.key("period");
    let next = window.wait("one step", |status| number(status, "step") == step + 1);
    window.key("period");
    window.wait("one more", |status| number(status, "step") == step + 2);
    window.key("comma");
    let back = window.wait("one step back", |status| number(status, "step") == step + 1);
    assert_eq!(back["hash"], next["hash"], "the same bits as before");
    window.key("Home");
    window.wait("the start", |status| number(status, "step") == 0);
    window.key("End");
    window.wait("the end", |status| number(status, "step") == step + 2);

    let bodies = number(&next, "bodies");
    window.key("f");
    window.key("period");
    window.wait("a ball", |status| number(status, "bodies") == bodies + 1);
    window.key("x");
    window.key("period");
    window.wait("a body less", |status| number(status, "bodies") == bodies);

    window.button(true);
    let held = window.wait("a body in the hand", |status| status["held"].is_number());
    assert!(held["inspector"].as_array().is_some_and(|lines| lines.len() > 3), "{held}");
    let height = |status: &Value| status["selected"][1].as_f64().expect("a selected body");
    let before = height(&held);
    window.key("space");
    for up in [40, 80, 120, 160] {
        window.point([CENTRE[0], CENTRE[1] - up]);
    }
    window.wait("a body that is lifted", |status| height(status) > before + 0.2 && status["held"].as_f64() > Some(1.0));
    window.button(false);
    window.wait("a body let go", |status| status["held"].is_null());
    window.wait("a body that falls", |status| height(status) < before + 0.2);
    window.key("space");
    window.wait("pause", |status| status["playing"] == false);

    window.key("r");
    window.point(CENTRE);
    // Rays meet what a step has seen.
    window.key("period");
    window.key("z");
    window.key("period");
    window.wait("a frozen body", |status| number(status, "frozen") == 1);
    window.key("z");
    window.key("period");
    window.wait("none", |status| number(status, "frozen") == 0);

    let [line, margin, width] = LAYOUT;
    let slider = margin + line + line * number(&next, "scenes") as i32 + 2 * line + 4;
    window.point([margin + 1, slider]);
    window.button(true);
    window.button(false);
    window.wait("no gravity", |status| status["gravity"].as_f64() < Some(0.3));
    window.point([margin + width / 2, slider]);
    window.button(true);
    window.button(false);
    window.wait("half of the slider", |status| (status["gravity"].as_f64().unwrap_or(0.0) - 10.0).abs() < 0.3);
}
