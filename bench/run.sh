#!/usr/bin/env bash
# Measures unbake and its rivals in one run and writes the tables of README and docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")"
[ -d .venv ] || python3 -m venv .venv
.venv/bin/pip install --quiet requests w3lib html5lib resiliparse turbohtml webencodings 'chardet>=7' charset_normalizer
(cd .. && cargo build --release --quiet --package unbake-cli)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --release --quiet -- "$work/corpus" >"$work/ratios.json"
python3 process.py ../target/release/unbake >"$work/process.json"
.venv/bin/python compare.py "$work/ratios.json" "$work/corpus" "$work/process.json"
