#!/usr/bin/env bash
# Miri over the unit tests of what threads share, of the rows of joints and of the portable lanes. Arguments are other
# filters of tests. Needs a nightly Rust with the components miri and rust-src.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- parallel:: rows:: simd::tests
# Rayon's threads outlive the tests.
export MIRIFLAGS="${MIRIFLAGS:--Zmiri-ignore-leaks -Zmiri-tree-borrows}"
exec cargo +nightly miri test --lib -- "$@"
