//! The bits of nineteen scenes against the table in `tests/data/hashes.json`: a change that should
//! move no result moves none. The table is one for all processors, SIMD levels, numbers of threads
//! and profiles: `tools/hashes.sh` compares processors and levels.
//!
//! A change that means to move results writes the table anew: `DOLMEN_WRITE_HASHES=1 cargo test
//! --test step hashes::scenes_have_the_bits_of_the_table -- --exact`, once for each scalar.

#[path = "../support/hashes.rs"]
mod scenes;

use dolmen::solver::SimdLevel;
use scenes::{SCALAR, Way};
use std::collections::BTreeMap;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hashes.json");

/// Hashes by scene, by scalar.
type Table = BTreeMap<String, BTreeMap<String, String>>;

fn table() -> Table {
    serde_json::from_str(&std::fs::read_to_string(TABLE).unwrap_or("{}".into())).unwrap()
}

fn way(threads: Option<usize>) -> Way {
    Way { level: SimdLevel::best(), threads }
}

#[test]
fn scenes_have_the_bits_of_the_table() {
    let now = scenes::scenes(way(None), |_| true);
    let mut table = table();
    if std::env::var_os("DOLMEN_WRITE_HASHES").is_some() {
        table.insert(SCALAR.into(), now.iter().map(|(name, hash)| (name.to_string(), hash.clone())).collect());
        std::fs::write(TABLE, serde_json::to_string_pretty(&table).unwrap() + "\n").unwrap();
    }
    let before = table.get(SCALAR).expect("a table for this scalar");
    let other: Vec<&str> =
        now.iter().filter(|(name, hash)| before.get(**name) != Some(hash)).map(|(n, _)| *n).collect();
    assert!(other.is_empty() && now.len() == before.len(), "other bits: {other:?}");
}

/// Scenes of one large island, of many, with sleep, joints, meshes and particles.
const THREADED: [&str; 8] =
    ["towers 5 with sleep", "pile 400", "breach 6", "net 12", "bridge 10, exact", "ragdolls", "shapes", "grains"];

#[test]
fn scenes_have_the_bits_of_the_table_on_any_number_of_threads() {
    let table = &table()[SCALAR];
    for threads in [1, 2, 3, 8] {
        let now = scenes::scenes(way(Some(threads)), |name| THREADED.contains(&name));
        assert_eq!(now.len(), THREADED.len());
        for (name, hash) in now {
            assert_eq!(Some(&hash), table.get(name), "{name} on {threads} threads");
        }
    }
}
