//! Every file with `unsafe` has its reason in `docs/unsafe.md`, and no other file stands there.

use std::collections::BTreeSet;
use std::path::Path;

/// Files below a folder that use `unsafe`, from the repository's root.
fn users(root: &Path, folder: &str, out: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            if !name.ends_with("target") && !name.ends_with("node_modules") {
                users(root, &name, out);
            }
        } else if name.ends_with(".rs") && std::fs::read_to_string(entry.path()).unwrap().lines().any(is_unsafe) {
            out.insert(name);
        }
    }
}

/// True for code with the keyword; comments and names that contain it do not count.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap();
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"].iter().any(|use_| code.contains(use_))
}

#[test]
fn each_file_with_unsafe_code_has_its_reason_in_the_list() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = BTreeSet::new();
    ["src", "tests", "examples", "benches", "tools"].iter().for_each(|folder| users(root, folder, &mut used));
    // Its own words are no use.
    used.remove("tests/ecs/unsafe_list.rs");
    let page = std::fs::read_to_string(root.join("docs/unsafe.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let listed: BTreeSet<String> = rows
        .flat_map(|row| row.trim_start_matches("| ").split(" |").next().unwrap().split(", "))
        .map(|name| name.trim_matches('`').to_string())
        .collect();
    let unlisted: Vec<_> = used.difference(&listed).collect();
    assert!(unlisted.is_empty(), "without a reason in docs/unsafe.md: {unlisted:?}");
    let idle: Vec<_> = listed.difference(&used).collect();
    assert!(idle.is_empty(), "no unsafe in: {idle:?}");
    assert!(used.len() > 40, "{used:?}");
}
