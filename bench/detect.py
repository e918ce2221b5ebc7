#!/usr/bin/env python3
"""The detector and its rivals on one set of files, in one run; writes docs/detector.md and docs/detector-calibration.svg.

    bench/detect.py UNBAKE SHARED/detect      UNBAKE: the built binary; rivals are what this Python can import

Right is what decodes to the identical text. Rivals: chardet, charset_normalizer, cchardet (uchardet), resiliparse. Python's
codecs judge here, so bytes that have no character count alike (replaced) for every detector.
"""
import codecs, collections, json, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON_NAMES = {"macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic", "windows-874": "cp874", "shift_jis": "cp932",
                "gbk": "gb18030", "euc-kr": "cp949", "iso-8859-8-i": "iso-8859-8", "big5": "big5hkscs"}


def codec(name):
    name = (name or "").lower()
    return PYTHON_NAMES.get(name, name)


def text(data, name):
    try:
        return data.decode(codec(name), "replace").removeprefix("\ufeff")
    except LookupError:
        return None


def rivals():
    found = {}
    try:
        import chardet
        found[f"chardet {chardet.__version__}"] = lambda b: chardet.detect(b)["encoding"]
    except ImportError:
        print("not run: chardet", file=sys.stderr)
    try:
        import charset_normalizer
        def best(b):
            match = charset_normalizer.from_bytes(b).best()
            return match.encoding if match else None
        found[f"charset_normalizer {charset_normalizer.__version__}"] = best
    except ImportError:
        print("not run: charset_normalizer", file=sys.stderr)
    try:
        import cchardet
        found["faust-cchardet (uchardet)"] = lambda b: cchardet.detect(b)["encoding"]
    except ImportError:
        print("not run: cchardet", file=sys.stderr)
    try:
        from resiliparse.parse.encoding import detect_encoding
        found["resiliparse"] = detect_encoding
    except ImportError:
        print("not run: resiliparse", file=sys.stderr)
    return found


def calibration(pairs):
    """Bins by stated probability: stated, reached, how many."""
    bins = collections.defaultdict(list)
    for stated, right in pairs:
        bins[stated].append(right)
    return [(stated, sum(r) / len(r), len(r)) for stated, r in sorted(bins.items())]


def picture(bins):
    x = lambda p: 40 + 320 * (p - 0.4) / 0.6
    y = lambda p: 380 - 340 * (p - 0.4) / 0.6
    dots = "".join(f'<circle cx="{x(s):.0f}" cy="{y(max(r, 0.4)):.0f}" r="{3 + n ** 0.3:.1f}" fill="#06c" fill-opacity=".6"><title>{s}: {r:.3f} of {n}</title></circle>'
                   for s, r, n in bins)
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 420" font-family="sans-serif" font-size="12">'
            f'<rect width="400" height="420" fill="#fff"/><path d="M{x(.4)} {y(.4)}L{x(1)} {y(1)}" stroke="#999"/>'
            f'<path d="M40 40V380H360" fill="none" stroke="#000"/>{dots}'
            '<text x="150" y="410">stated probability, 0.4 to 1</text><text x="12" y="250" transform="rotate(-90 12 250)">reached, 0.4 to 1</text></svg>\n')


def main():
    unbake, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, folder / "variants.py", work], check=True, stdout=subprocess.DEVNULL)
        rows = [json.loads(line) for line in open(f"{work}/variants.jsonl")]
        meta = {r["id"]: r for r in map(json.loads, open(folder / "open.jsonl"))}
        out = subprocess.run([unbake, "detect", "--json", "--files-from", "-"], check=True, text=True, capture_output=True,
                             input="\n".join(r["path"] for r in rows)).stdout
        answers = [json.loads(line) for line in out.splitlines()]
        sys.path.insert(0, str(folder))
        from encoding_names import is_whatwg
        kept = []
        for row, answer in zip(rows, answers):
            data = Path(row["path"]).read_bytes()
            source = meta[row["id"]]["source"]
            if row["variant"] == "asis" or meta[row["id"]]["ascii"] or not is_whatwg(row["encoding"]):
                continue
            if source == "utf8-damaged":
                if row["variant"] != "undecl":
                    continue
                row["variant"] = "damaged"
            kept.append((row, answer, data, text(data, row["encoding"]), source))
        names = {"unbake": None, **rivals()}
        score = collections.defaultdict(lambda: collections.defaultdict(list))
        wrong, by_encoding, by_language, fresh = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
        pairs, seconds, size = [], collections.Counter(), collections.Counter()
        for name, detect in names.items():
            for row, answer, data, truth, source in kept:
                start = time.thread_time()
                got = answer["encoding"] if detect is None else detect(data)
                seconds[name] += time.thread_time() - start
                size[name] += len(data)
                right = text(data, got) == truth
                score[row["variant"]][name].append(right)
                if source.startswith("fresh"):
                    fresh[name].append(right)
                if detect is None:
                    if answer["probability"] is not None:
                        pairs.append((answer["probability"], right))
                    if row["variant"] == "undecl":
                        by_encoding[row["encoding"]].append(right)
                        by_language[row["language"] or "?"].append(right)
                        if not right:
                            wrong[row["encoding"], got] += 1
        percent = lambda r: f"{100 * sum(r) / len(r):.2f}" if r else ""
        bins = calibration(pairs)
        (ROOT / "docs/detector-calibration.svg").write_text(picture(bins))
        lines = ["# The detector, measured", "",
                 "Written by `bench/detect.py`; right is what decodes to the identical text. The open set chose the detector's thresholds and",
                 "priors, so its figures here are no independent estimate; nor are the probabilities.", "",
                 "| set | files | " + " | ".join(names) + " |", "|" + "---|" * (len(names) + 2)]
        for variant in ["undecl", "w64", "w256", "w1024", "html", "damaged"]:
            lines.append(f"| {variant} | {len(score[variant]['unbake'])} | " + " | ".join(percent(score[variant][n]) for n in names) + " |")
        lines.append(f"| fresh text, all windows | {len(fresh['unbake'])} | " + " | ".join(percent(fresh[n]) for n in names) + " |")
        lines += ["", "Sets: undeclared files; windows of 64, 256 and 1024 bytes from the first byte that is not ASCII; plain texts wrapped in a page;",
                  "UTF-8 with a few bad bytes. Fresh text: translations of a game and of a mail program, on which no rival was trained.", "",
                  "Rivals' speed in this run, over all sets, MB a second of processor time: " +
                  ", ".join(f"{n} {size[n] / seconds[n] / 1e6:.1f}" for n, d in names.items() if d) + ". unbake's own: `detect_score --time`.", "",
                  "## Wrong answers on undeclared files", "", "| true | answered | files |", "|---|---|---|"]
        lines += [f"| {a} | {b} | {n} |" for (a, b), n in wrong.most_common()]
        for title, table in [("Per encoding, undeclared files", by_encoding), ("Per language, undeclared files", by_language)]:
            lines += ["", f"## {title}", "", "| | files | right, % |", "|---|---|---|"]
            lines += [f"| {k} | {len(v)} | {percent(v)} |" for k, v in sorted(table.items())]
        lines += ["", "## Probability", "", "![Stated against reached](detector-calibration.svg)", "", "| stated | reached | answers |", "|---|---|---|"]
        lines += [f"| {s} | {r:.3f} | {n} |" for s, r, n in bins]
        lines += ["", "## Ambiguities that no bytes settle", "",
                  "Where two encodings read the bytes as the same text, the answer is the one that is commoner on the web; text is not at stake.", "",
                  "- ISO-8859-1 and windows-1252 where no byte 80-9F occurs: windows-1252. ISO-8859-9: windows-1254. TIS-620: windows-874.",
                  "- ISO-8859-15 and windows-1252 without the euro sign, \u0152, \u0160, \u017d, \u0178: windows-1252.",
                  "- ISO-8859-2 and windows-1250 without \u0160, \u0164, \u017d, \u0104, \u013d: windows-1250. ISO-8859-13 and windows-1257 but for quotation marks: windows-1257.",
                  "- ISO-8859-7 and windows-1253 but for \u0386 and quotation marks: windows-1253. ISO-8859-8-I and windows-1255 without points: windows-1255.",
                  "- KOI8-R and KOI8-U without Ukrainian letters: KOI8-R. GBK and gb18030 without characters of four bytes: GBK.",
                  "- windows-1254 and windows-1252 where none of the six Turkish letters occurs: windows-1252.", "",
                  "One case does change the text: Romanian in ISO-8859-16 and windows-1250 is the same bytes, with comma or cedilla below; the answer is windows-1250.", ""]
        (ROOT / "docs/detector.md").write_text("\n".join(lines))
        print("\n".join(lines[:16]))


main()
