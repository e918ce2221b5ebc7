#!/usr/bin/env python3
"""What only the whole program shows: start-up against `cat`, and memory on a long stream. Prints rows as JSON."""
import json, os, subprocess, sys, tempfile, time

UNBAKE = sys.argv[1]


def best(command, times=60):
    clock = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        clock.append(time.perf_counter() - begun)
    return min(clock)


def peak_kib(arguments, gib):
    """The peak resident memory of `unbake decode` fed this many GiB through a pipe."""
    piece = ("<p>Grüße, naïve café and more plain text for the stream.</p>\n" * 16000).encode()
    child = subprocess.Popen([UNBAKE, "decode", *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    sent = 0
    while sent < gib << 30:
        child.stdin.write(piece)
        sent += len(piece)
    with open(f"/proc/{child.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    child.stdin.close()
    assert child.wait() == 0
    return peak


with tempfile.NamedTemporaryFile(suffix=".html") as page:
    page.write(b"<meta charset=utf-8>" + b"x" * 1004)
    page.flush()
    ratio = best([UNBAKE, "decode", page.name]) / best(["cat", page.name])
rows = [{"what": "`unbake decode`, file of 1 KiB: time of `cat`'s", "goal": "3", "value": round(ratio, 1), "unit": "x"}]
for name, arguments in [("declared", ["--content-type", "text/html; charset=utf-8"]), ("undeclared", [])]:
    rows.append({"what": f"4 GiB through a pipe, {name}: peak memory", "goal": "32", "value": round(peak_kib(arguments, 4) / 1024, 1), "unit": "MiB"})
print(json.dumps(rows))
