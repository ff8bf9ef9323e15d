#!/usr/bin/env bash
# Fails if a function of a release build on x86-64 calls vector instructions instead of holding them: it was not inlined
# into its kernel, and is not compiled for the kernel's instruction set. Needs objdump.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --example run_scene
program="${CARGO_TARGET_DIR:-target}/release/examples/run_scene"
calls=$(objdump -d --no-show-raw-insn -C "$program" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $0 }
  /call .*core_arch::x86::avx/ { count[name]++ }
  END { for (name in count) print count[name], name }' | sort -rn)
[ -z "$calls" ] || { echo "$calls"; exit 1; }
