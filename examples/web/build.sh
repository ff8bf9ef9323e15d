#!/usr/bin/env bash
# Builds the viewer as a folder of static files, for any web server.
#
# usage: examples/web/build.sh [FOLDER]    default: target/web
#
# If `wasm-opt` is there (npm package `binaryen`), it makes the module smaller.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=${1:-target/web}
target=${CARGO_TARGET_DIR:-target}
rustup target add wasm32-unknown-unknown
RUSTFLAGS="-C target-feature=+simd128" cargo build -p dolmen-viewer --target wasm32-unknown-unknown --profile web

mkdir -p "$folder"
cp examples/web/index.html examples/web/viewer.js "$folder"
# The loader of the version of miniquad that the module is built with.
miniquad=$(cargo metadata --format-version 1 | grep -o '"manifest_path":"[^"]*/miniquad-[^"/]*/Cargo.toml"' | cut -d '"' -f 4)
cp "$(dirname "$miniquad")/js/gl.js" "$folder"
module=$target/wasm32-unknown-unknown/web/dolmen-viewer.wasm
if command -v wasm-opt >/dev/null; then
  wasm-opt -O3 --enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
    "$module" -o "$folder/dolmen-viewer.wasm"
else
  cp "$module" "$folder/dolmen-viewer.wasm"
fi
printf '%s: %s bytes, %s compressed\n' "$folder" "$(cat "$folder"/* | wc -c)" "$(cat "$folder"/* | gzip -9 | wc -c)"
