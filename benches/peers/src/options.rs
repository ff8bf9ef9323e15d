//! What the command line asks for.

use clap::Parser;
use dolmen::scene::generators::{self, Generator};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The options of a run.
#[derive(Parser)]
#[command(about = "Steps the same scenes in several engines and prints one table.", after_help = COLUMNS)]
pub struct Options {
    /// These scenes.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "pyramid,towers,pile", value_parser = scene)]
    pub scene: Vec<&'static Generator>,

    /// In these sizes, instead of the scene's usual one.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub size: Vec<NonZeroUsize>,

    /// So many steps of each, instead of as many as the scene has.
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,

    /// Threads of each engine.
    #[arg(long, value_name = "N", default_value = "1")]
    pub threads: NonZeroUsize,

    /// Lets bodies at rest fall asleep, in every engine by its own rules.
    #[arg(long)]
    pub sleep: bool,

    /// The other engines with each of these numbers of substeps, instead of their own.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub substeps: Vec<NonZeroUsize>,

    /// Writes the table as CSV too.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Writes the poses of the other engines as JSON, of one scene in one size.
    #[arg(long, value_name = "FILE", requires = "every")]
    pub poses: Option<PathBuf>,

    /// Steps from one set of poses to the next.
    #[arg(long, value_name = "N", requires = "poses", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
}

const COLUMNS: &str = "\
columns: ms a step: mean, median, of 95 in 100 steps at most, at worst, and the median of the last hundred;
x mean and x med., the ratios of mean and median to the fastest other engine's; penetration, mean and deepest, how far the top has moved and the worst sideways drift, in mm, at the end;
bodies lost; how far the anchors of joints are apart at worst, in mm.";

fn scene(name: &str) -> Result<&'static Generator, String> {
    let known = || generators::ALL.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
    generators::ALL.iter().find(|scene| scene.name == name).ok_or_else(|| format!("none of {}", known()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_unknown_scenes_refused() {
        let options = Options::try_parse_from(["peers", "--scene", "pile,net", "--size", "5,6"]).expect("good options");
        assert_eq!(options.scene.iter().map(|scene| scene.name).collect::<Vec<_>>(), ["pile", "net"]);
        assert_eq!(options.size.iter().map(|size| size.get()).collect::<Vec<_>>(), [5, 6]);
        let fault = Options::try_parse_from(["peers", "--scene", "avalanche"]).err().expect("no such scene");
        assert!(fault.to_string().contains("pyramid"), "{fault}");
        assert!(Options::try_parse_from(["peers", "--size", "0"]).is_err());
        assert!(Options::try_parse_from(["peers", "--poses", "a.json"]).is_err());
    }
}
