//! The runs of a sweep, in a fixed order.

use crate::Fault;
use crate::parameter::Parameter;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// All runs of a sweep.
pub struct Plan {
    /// Paths of the parameters.
    pub parameters: Vec<String>,
    pub runs: Vec<Run>,
}

/// A run: a scene and its name.
#[derive(Clone, Debug)]
pub struct Run {
    /// The file's name without its extension.
    pub scene: String,
    /// Values of the parameters, as text.
    pub values: Vec<String>,
    /// The scene as JSON with the values set, or why there is none.
    pub input: Result<String, String>,
    /// Digest of the scene.
    pub digest: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {} {}", self.digest, self.scene, self.values.join(" "))
    }
}

/// Every `count`th run from the `first` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    first: usize,
    count: usize,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text}: a part is K/N, with K from 0 to N - 1");
        let (first, count) = text.split_once('/').ok_or_else(wrong)?;
        match (first.parse(), count.parse()) {
            (Ok(first), Ok(count)) if first < count => Ok(Self { first, count }),
            _ => Err(wrong()),
        }
    }
}

impl Plan {
    /// The runs of all scenes, files by name, and of all combinations of the parameters' values;
    /// the last parameter changes fastest.
    pub fn new(inputs: &[PathBuf], parameters: &[Parameter], steps: Option<u64>) -> Result<Self, Fault> {
        let mut files = Vec::new();
        for input in inputs {
            files.extend(scenes_of(input)?);
        }
        let mut runs = Vec::new();
        for file in &files {
            let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let scene = serde_json::from_str::<Value>(&text).map_err(|e| e.to_string());
            for values in combinations(parameters) {
                runs.push(Run::new(&name, &text, scene.clone(), parameters, &values, steps));
            }
        }
        let mut names: Vec<_> = runs.iter().map(ToString::to_string).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("two runs are the same: {}", pair[0]).into()),
            None => Ok(Self { parameters: parameters.iter().map(|p| p.path.clone()).collect(), runs }),
        }
    }

    /// The runs of a part, or all.
    pub fn part(&self, part: Option<Part>) -> impl Iterator<Item = &Run> {
        let Part { first, count } = part.unwrap_or(Part { first: 0, count: 1 });
        self.runs.iter().skip(first).step_by(count)
    }
}

impl Run {
    fn new(
        name: &str,
        text: &str,
        scene: Result<Value, String>,
        parameters: &[Parameter],
        values: &[&Value],
        steps: Option<u64>,
    ) -> Self {
        let input = scene.and_then(|mut scene| {
            for (parameter, value) in parameters.iter().zip(values) {
                parameter.set(&mut scene, value)?;
            }
            if let (Some(steps), Some(fields)) = (steps, scene.as_object_mut()) {
                fields.insert("steps".into(), steps.into());
            }
            Ok(scene.to_string())
        });
        let values = values.iter().map(|value| match value {
            Value::String(word) => word.clone(),
            other => other.to_string(),
        });
        let digest = format!("{:016x}", xxh3_64(input.as_deref().unwrap_or(text).as_bytes()));
        Self { scene: name.to_owned(), values: values.collect(), input, digest }
    }
}

/// The scene files of an argument, by name.
fn scenes_of(input: &Path) -> Result<Vec<PathBuf>, Fault> {
    if !input.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let entries = std::fs::read_dir(input).map_err(|e| format!("{}: {e}", input.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no scene (*.json) in it", input.display()).into());
    }
    Ok(files)
}

/// All combinations of the parameters' values.
fn combinations(parameters: &[Parameter]) -> Vec<Vec<&Value>> {
    parameters.iter().fold(vec![Vec::new()], |made, parameter| {
        let with =
            |begun: &Vec<_>| parameter.values.iter().map(|value| [&begun[..], &[value]].concat()).collect::<Vec<_>>();
        made.iter().flat_map(with).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_parameter_changes_fastest() {
        let parameters = ["a=1,2", "b=x,y"].map(|text| text.parse::<Parameter>().unwrap());
        let texts = |values: &Vec<&Value>| values.iter().map(ToString::to_string).collect::<String>();
        let made: Vec<_> = combinations(&parameters).iter().map(texts).collect();
        assert_eq!(made, ["1\"x\"", "1\"y\"", "2\"x\"", "2\"y\""]);
        assert_eq!(combinations(&[]), [Vec::<&Value>::new()]);
    }

    #[test]
    fn a_part_is_a_task_of_several() {
        assert_eq!("1/3".parse(), Ok(Part { first: 1, count: 3 }));
        for wrong in ["3/3", "1", "x/2", "0/0", "-1/2"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }
}
