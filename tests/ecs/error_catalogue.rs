//! The page of errors in the guide has each variant of each error of the library, with a cause and a
//! cure, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Text of all source files below a folder.
fn sources(folder: &Path, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            out.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

/// `Error::Variant` for each public error enum of a file.
fn variants(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut error = None;
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("pub enum ").and_then(|rest| rest.split(' ').next()) {
            error = name.ends_with("Error").then_some(name);
        } else if line == "}" {
            error = None;
        } else if let (Some(error), Some(rest)) = (error, line.strip_prefix("    "))
            && rest.starts_with(|first: char| first.is_ascii_uppercase())
        {
            let variant: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            found.insert(format!("{error}::{variant}"));
        }
    }
    found
}

#[test]
fn each_error_has_its_cause_and_its_cure_in_the_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let all: BTreeSet<String> = files.iter().flat_map(|file| variants(file)).collect();
    assert!(all.len() > 60 && all.contains("ShapeError::Size") && all.contains("StepError::Component"), "{all:?}");

    let page = std::fs::read_to_string(root.join("src/guide/errors.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let told: BTreeMap<String, Vec<&str>> = rows
        .map(|row| {
            let (name, rest) = row.split_once("` |").unwrap();
            (name.to_string(), rest.trim_end_matches('|').split(" | ").map(str::trim).collect())
        })
        .collect();
    let missing: Vec<&String> = all.iter().filter(|name| !told.contains_key(*name)).collect();
    assert!(missing.is_empty(), "not in the guide: {missing:?}");
    for (name, cells) in told {
        assert!(all.contains(&name), "{name} is no error of the library");
        assert!(cells.len() == 2 && cells.iter().all(|cell| cell.len() > 8), "{name}: {cells:?}");
    }
}
