#!/usr/bin/env bash
# Prints the hashes of nineteen scenes (tests/support/hashes.rs) in every environment that this machine has: the native
# processor with each SIMD level, aarch64 under qemu, WebAssembly in Node and in headless Chromium. A `!` marks what differs from
# tests/data/hashes.json, and then the script fails.
#
# usage: tools/hashes.sh [--kernels] [f32|f64]...    both scalars without an argument; --kernels: the kernels' tests as well
#
# Debian: apt-get install gcc-aarch64-linux-gnu qemu-user chromium; Node 20 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."

kernels=
scalars=()
for argument in "$@"; do
  case $argument in
    --kernels) kernels=1 ;;
    f32 | f64) scalars+=("$argument") ;;
    *) sed -n '2,8s/^# \?//p' "$0" >&2; exit 2 ;;
  esac
done
[ ${#scalars[@]} -gt 0 ] || scalars=(f32 f64)

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
node="node --no-warnings tools/wasi.mjs"
chromium="node tools/chromium.mjs"

failed=0

# run ENVIRONMENT SCALAR [cargo's arguments]...
run() {
  local feature=()
  printf '\n%s, %s\n' "$1" "$2"
  [ "$2" = f32 ] || feature=(--features f64)
  shift 2
  cargo run --quiet -p dolmen-hashes "${feature[@]}" "$@" || failed=1
  if [ -n "$kernels" ]; then
    cargo test --quiet -p dolmen --lib "${feature[@]}" "$@" -- solver::simd solver::kernels motion::rotation motion::trig || failed=1
  fi
}

for scalar in "${scalars[@]}"; do
  run "this processor" "$scalar"
  if command -v qemu-aarch64 aarch64-linux-gnu-gcc >/dev/null; then
    rustup target add aarch64-unknown-linux-gnu
    run "aarch64 under qemu" "$scalar" --target aarch64-unknown-linux-gnu
  else
    echo "aarch64: not here"
  fi
  if command -v node >/dev/null; then
    rustup target add wasm32-wasip1
    # A module with `simd128` has the portable lanes as well. The stack is that of a native thread.
    export RUSTFLAGS="-C target-feature=+simd128 -C link-arg=-zstack-size=8388608"
    CARGO_TARGET_WASM32_WASIP1_RUNNER=$node run "WebAssembly in Node" "$scalar" --target wasm32-wasip1
    if command -v "${CHROMIUM:-/usr/bin/chromium}" >/dev/null; then
      # The kernels' tests read files, which a page cannot.
      CARGO_TARGET_WASM32_WASIP1_RUNNER=$chromium kernels= \
        run "WebAssembly in headless Chromium" "$scalar" --target wasm32-wasip1
    else
      echo "headless Chromium: not here"
    fi
    unset RUSTFLAGS
  else
    echo "wasm32: not here"
  fi
done
exit $failed
