#!/usr/bin/env python3
"""unbake and its rivals on one generated corpus, in one run: exact texts and speed; the tables in README and docs/benchmarks.md.

    bench/run.sh            builds, installs the rivals into bench/.venv, measures, writes the tables
    compare.py --write      writes the tables of the newest run again
    compare.py --check      fails where the tables are not those of the newest run
"""
import json, platform, subprocess, sys, time
from pathlib import Path

BENCH = Path(__file__).parent
README = BENCH.parent / "README.md"
BENCHMARKS = BENCH.parent / "docs" / "benchmarks.md"
START, END = "<!-- bench:start -->", "<!-- bench:end -->"


def rivals():
    """Name and a function (bytes, header charset or '') -> text. Each calls the library as its manual shows."""
    found = {}

    def rival(name):
        def add(function):
            found[name] = function
        return add

    try:
        import requests
        from requests.structures import CaseInsensitiveDict
        @rival(f"requests {requests.__version__} `.text`")
        def _(data, charset):
            response = requests.Response()
            response._content = data
            response.headers = CaseInsensitiveDict({"Content-Type": f"text/html; charset={charset}" if charset else "text/html"})
            response.encoding = requests.utils.get_encoding_from_headers(response.headers)
            return response.text
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        import w3lib, w3lib.encoding
        import chardet
        @rival("w3lib 2 + chardet")
        def _(data, charset):
            header = f"text/html; charset={charset}" if charset else "text/html"
            return w3lib.encoding.html_to_unicode(header, data, auto_detect_fun=lambda d: chardet.detect(d)["encoding"])[1]
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        import html5lib
        from html5lib._inputstream import HTMLBinaryInputStream
        @rival(f"html5lib {html5lib.__version__} sniffer")
        def _(data, charset):
            stream = HTMLBinaryInputStream(data, transport_encoding=charset or None, useChardet=False)
            return stream.charEncoding[0].codec_info.decode(data, "replace")[0].removeprefix("\ufeff")
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        from resiliparse.parse.encoding import bytes_to_str, detect_encoding
        @rival("resiliparse")
        def _(data, charset):
            return bytes_to_str(data, charset or detect_encoding(data), errors="replace")
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        import chardet
        @rival(f"chardet {chardet.__version__}")
        def _(data, charset):
            return data.decode(charset or chardet.detect(data)["encoding"] or "utf-8", "replace").removeprefix("\ufeff")
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        import charset_normalizer
        @rival(f"charset_normalizer {charset_normalizer.__version__}")
        def _(data, charset):
            return data.decode(charset, "replace") if charset else str(charset_normalizer.from_bytes(data).best())
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    try:
        import turbohtml
        import webencodings
        @rival(f"turbohtml {turbohtml.__version__} (it parses the page too)")
        def _(data, charset):
            document = turbohtml.parse(data, encoding=charset or None, detect_encoding=True, positions=False)
            return webencodings.decode(data, document.encoding)[0]
    except ImportError as error:
        print("not run:", error, file=sys.stderr)
    return found


def measure(corpus, ours):
    truth = json.loads((corpus / "truth.json").read_text())
    pages = [(row, (corpus / row["name"]).read_bytes()) for row in truth]
    size = sum(len(data) for _, data in pages) / 1e6
    total = len(pages)
    out = [{"name": "encoding_rs, told the encoding (the limit)", "right": total, "pages": total, "mb_s": ours["encoding_rs_mb_s"]},
           {"name": "**unbake**", "right": ours["right"], "pages": total, "mb_s": ours["unbake_mb_s"]}]
    for name, function in rivals().items():
        right, best = 0, float("inf")
        for turn in range(2):
            begun, right = time.process_time(), 0
            for row, data in pages:
                try:
                    right += function(data, row["content_type"]) == row["text"]
                except Exception:
                    pass
            best = min(best, time.process_time() - begun)
        out.append({"name": name, "right": right, "pages": total, "mb_s": size / best})
    return out


def percent(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def newest():
    return max((BENCH / "runs").glob("[0-9]*.json"), default=None)


def rivals_table(run):
    lines = [f"*{run['date']}, {run['machine']}. Corpus: {run['pages']} generated pages, {run['bytes'] / 1e6:.1f} MB, "
             "11 languages and encodings, declared by header, meta, late meta, BOM, or not at all. [Its bias](bench/BIAS.md); "
             "[more figures](docs/benchmarks.md).*", "",
             "| reader | texts exactly right | speed, of unbake's |", "|---|---|---|"]
    unit = next(r["mb_s"] for r in run["rivals"] if r["name"] == "**unbake**")
    for r in run["rivals"]:
        lines.append(f"| {r['name']} | {r['right']} of {r['pages']} | {percent(100 * r['mb_s'] / unit)} % |")
    return "\n".join(lines)


def goals_table(run):
    lines = [f"*{run['date']}, {run['machine']}.*", "", "| unbake, end to end | goal | measured |", "|---|---|---|"]
    for row in run["rows"]:
        bound = "" if not row["goal"] else ("≥ " if row["unit"] == "%" else "≤ ") + row["goal"] + " " + row["unit"]
        lines.append(f"| {row['what']} | {bound} | {row['value']:g} {row['unit']} |")
    return "\n".join(lines)


def pages(run):
    """Each page with a table, and what it should say."""
    for path, table in [(README, rivals_table(run)), (BENCHMARKS, goals_table(run))]:
        before, rest = path.read_text().split(START)
        _, after = rest.split(END)
        yield path, f"{before}{START}\n{table}\n{END}{after}"


def main():
    if sys.argv[1:] == ["--check"]:
        for path, text in pages(json.loads(newest().read_text())):
            if path.read_text() != text:
                sys.exit(f"the table in {path.name} is not that of the newest run\nhint: run bench/run.sh")
        return
    if sys.argv[1:] == ["--write"]:
        for path, text in pages(json.loads(newest().read_text())):
            path.write_text(text)
        return
    result, corpus, extra = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
    run = {"date": time.strftime("%Y-%m-%d"), "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
           "pages": result["corpus"]["pages"], "bytes": result["corpus"]["bytes"], "rows": result["rows"] + extra,
           "rivals": measure(corpus, result["corpus"])}
    (BENCH / "runs" / f"{run['date']}.json").write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    for path, text in pages(run):
        path.write_text(text)
    print(rivals_table(run), goals_table(run), sep="\n\n")


if __name__ == "__main__":
    main()
