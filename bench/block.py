#!/usr/bin/env python3
"""Puts what it reads into a block of docs/benchmarks.md, and prints it:

    bench/archives/compare.py | bench/block.py archives
"""
import platform, sys, time
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main():
    name, text = sys.argv[1], sys.stdin.read().rstrip()
    print(text)
    start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
    before, rest = PAGE.read_text().split(start)
    _, after = rest.split(end)
    date = f"*{time.strftime('%Y-%m-%d')}, {platform.machine()}, {platform.system()}.*"
    PAGE.write_text(f"{before}{start}\n{date}\n\n```\n{text}\n```\n{end}{after}")


main()
