//! The bits of nineteen scenes against the table in `tests/data/hashes.json`: a change that should
//! move no result moves none. The table is one for all processors and SIMD levels: `tools/hashes.sh`
//! compares them.
//!
//! A change that means to move results writes the table anew: `DOLMEN_WRITE_HASHES=1 cargo test
//! --test step hashes`, once for each scalar.

#[path = "../support/hashes.rs"]
mod scenes;

use dolmen::solver::SimdLevel;
use scenes::SCALAR;
use std::collections::BTreeMap;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/hashes.json");

#[test]
fn scenes_have_the_bits_of_the_table() {
    let now = scenes::scenes(SimdLevel::best());
    let mut table: BTreeMap<String, BTreeMap<String, String>> =
        serde_json::from_str(&std::fs::read_to_string(TABLE).unwrap_or("{}".into())).unwrap();
    if std::env::var_os("DOLMEN_WRITE_HASHES").is_some() {
        table.insert(SCALAR.into(), now.iter().map(|(name, hash)| (name.to_string(), hash.clone())).collect());
        std::fs::write(TABLE, serde_json::to_string_pretty(&table).unwrap() + "\n").unwrap();
    }
    let before = table.get(SCALAR).expect("a table for this scalar");
    let other: Vec<&str> =
        now.iter().filter(|(name, hash)| before.get(**name) != Some(hash)).map(|(n, _)| *n).collect();
    assert!(other.is_empty() && now.len() == before.len(), "other bits: {other:?}");
}
