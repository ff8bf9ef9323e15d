//! A window, or a page, that shows dolmen's scenes and lets one take hold of things.

fn main() -> std::process::ExitCode {
    dolmen_viewer::run()
}
