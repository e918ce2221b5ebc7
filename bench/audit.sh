#!/usr/bin/env bash
# What `audit` adds to decoding: CPU time of one core, both in one run. The goal is less than 25 %.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --release --quiet --package unbake-io --features _generate --example audit_cost -- "${1:-2000}"
