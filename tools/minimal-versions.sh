#!/usr/bin/env bash
# Builds the packed crate with the oldest versions of its own dependencies that Cargo.toml allows, in both scalars. Needs a
# nightly toolchain; a minute or two.
set -euo pipefail
cd "$(dirname "$0")/.."

packed=$(mktemp -d)
trap 'rm -rf "$packed"' EXIT
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
cargo package --quiet --no-verify --allow-dirty --exclude-lockfile -p dolmen --target-dir "$packed"
tar -xzf "$packed"/package/dolmen-*.crate -C "$packed"
cd "$packed"/dolmen-*/

# What only tests and benches need would ask for newer versions.
awk '/^\[/ { kept = !/dev-dependencies/ } kept' Cargo.toml > library.toml
mv library.toml Cargo.toml
cargo +nightly update --quiet -Z direct-minimal-versions

for features in "serialize,microlp" "f64,serialize"; do
  printf 'features %s (%s s)\n' "$features" "$SECONDS"
  CARGO_TARGET_DIR="$built" cargo check --lib --features "$features"
done
