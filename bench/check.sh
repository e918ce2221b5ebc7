#!/usr/bin/env bash
# `check` against `batch` (decoding alone) on the same 10,000 files of 20 KB: seconds, peak memory, and the ratio of the throughputs.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --package unbake-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" <<'PY'
import os, random, sys
random.seed(20)
words = {
    "utf-8": "the quick brown fox jumps über das café naïve 中文 текст".split(),
    "windows-1251": "the quick brown fox быстрая лиса прыгает через собаку".split(),
    "shift_jis": "the quick brown 日本語 テキスト です これは".split(),
}
for number in range(10_000):
    encoding = list(words)[0 if number % 10 < 7 else 1 if number % 10 < 9 else 2]
    text = [f"<!doctype html>\n<meta charset={encoding}>\n<title>{number}</title>\n"]
    size = 0
    while size < 20_000:
        line = "<p>" + " ".join(random.choices(words[encoding], k=40)) + "\n"
        size += len(line.encode(encoding))
        text.append(line)
    folder = os.path.join(sys.argv[1], f"{number // 500:02}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{number:05}.html"), "wb") as file:
        file.write("".join(text).encode(encoding))
PY
# The best of three, so that the files are in memory and the machine's other work counts least.
python3 - "$work" target/release/unbake <<'PY'
import os, subprocess, sys, time
folder, unbake = sys.argv[1:]
size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
files = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)

def measure(args):
    best = peak = None
    for _ in range(3):
        start = time.perf_counter()
        with open(os.devnull, "w") as null:
            child = subprocess.Popen([unbake, *args], stdout=null, stderr=null)
            _, status, usage = os.wait4(child.pid, 0)
        taken = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode < 2, (args, child.returncode)
        best, peak = min(best or taken, taken), max(peak or 0, usage.ru_maxrss)
    return best, peak

decode = measure(["decode", *files])
batch = measure(["batch", folder])
check = measure(["check", folder])
tenth = measure(["check", os.path.join(folder, "00"), os.path.join(folder, "01")])
for name, (seconds, peak) in [("decode", decode), ("batch", batch), ("check", check), ("check, a tenth", tenth)]:
    print(f"{name:16} {seconds:6.2f} s  peak {peak / 1024:6.1f} MB")
print(f"{size / 1e6:.0f} MB; check / decode: {decode[0] / check[0]:.2f}; check / batch: {batch[0] / check[0]:.2f} (of the throughput)")
PY
