#!/usr/bin/env bash
# The thread sanitizer over steps of a small yard on two threads (tests/soak). Arguments are other ones of that program.
# Needs a nightly Rust with the component rust-src, and a host whose target it knows.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- --minutes 1 --parked 200 --passing 200
host=$(rustc +nightly -vV | sed -n 's/^host: //p')
export RUSTFLAGS="-Zsanitizer=thread" TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1}"
exec cargo +nightly run -Zbuild-std --target "$host" -p dolmen-soak --profile fuzz -- "$@"
