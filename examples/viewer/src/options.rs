//! What the command line, or the address of the page, asks for.

#[cfg(not(target_family = "wasm"))]
use std::path::PathBuf;

/// The options of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::Parser))]
#[cfg_attr(not(target_family = "wasm"), command(about = "Shows scenes of dolmen, and lets one take hold of things."))]
pub struct Options {
    /// A scene of the list, with a size if wanted (pile, pile-400), or a scene file.
    #[cfg_attr(not(target_family = "wasm"), arg(long, value_name = "NAME|FILE"))]
    pub scene: Option<String>,

    /// Steps to here before anything is shown, and pauses.
    #[cfg_attr(not(target_family = "wasm"), arg(long, value_name = "STEP"))]
    pub at: Option<u64>,

    /// Number of threads, instead of the scene's.
    #[cfg_attr(not(target_family = "wasm"), arg(long, value_name = "N"))]
    pub threads: Option<usize>,

    /// Flags of debug drawing that are on at the start, by name: contacts,forces.
    #[cfg(not(target_family = "wasm"))]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub show: Vec<String>,

    /// Writes a picture of the step as a PNG file, and ends.
    #[cfg(not(target_family = "wasm"))]
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,

    /// Writes a picture of each step up to the given one into a folder, and ends.
    #[cfg(not(target_family = "wasm"))]
    #[arg(long, value_name = "DIR", requires = "at")]
    pub frames: Option<PathBuf>,

    /// Writes the state of the run as JSON into a file, anew in each frame.
    #[cfg(not(target_family = "wasm"))]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Prints the state of the run at the step as JSON, without a window, and ends.
    #[cfg(not(target_family = "wasm"))]
    #[arg(long, conflicts_with_all = ["screenshot", "frames"])]
    pub status: bool,
}

/// The options of a page: the part of its address after the question mark, `scene=pile-400&at=300`.
/// What is unknown or no number is passed over.
#[cfg(any(test, target_family = "wasm"))]
pub fn of_address(query: &str) -> Options {
    let mut options = Options::default();
    for (name, value) in query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('=')) {
        match name {
            "scene" => options.scene = Some(value.to_owned()),
            "at" => options.at = value.parse().ok(),
            _ => {}
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn a_page_and_a_command_line_ask_for_the_same() {
        let asked = Options { scene: Some("pile-400".into()), at: Some(300), ..Options::default() };
        assert_eq!(of_address("?scene=pile-400&at=300"), asked);
        assert_eq!(Options::parse_from(["viewer", "--scene", "pile-400", "--at", "300"]), asked);
        assert_eq!(of_address(""), Options::default());
        assert_eq!(of_address("?at=x&other"), Options::default());
    }

    #[test]
    fn frames_need_an_end() {
        assert!(Options::try_parse_from(["viewer", "--frames", "out"]).is_err());
        assert!(Options::try_parse_from(["viewer", "--frames", "out", "--at", "9"]).is_ok());
    }
}
