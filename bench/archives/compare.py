"""Archive to text: unbake and two Python readers on one generated archive, in one run, as ratios.

    bench/archives/compare.py [--pages 2000] [--seed 1] [--rounds 3]

Every figure is CPU time (user and system, of the process and its children) of a whole process, the best of the
rounds. What a process costs that does nothing (`start`) is measured and taken off for Python. Peers: `pip install warcio FastWARC resiliparse
faust-cchardet` into the Python that runs this; what is absent is `not run`.

Bias: the archive is ours, of words in 20-200 KB pages, gzip members, no content codings, 5 % lying declarations.
"""

import argparse, json, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

FASTWARC = """
import sys
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
n = size = 0
for r in ArchiveIterator(open(sys.argv[1], 'rb'), record_types=WarcRecordType.response):
    body = r.reader.read()
    text = bytes_to_str(body, r.http_charset or detect_encoding(body))
    n += 1
    size += len(body)
print(n, size)
"""

# datatrove's rule: UTF-8, else what the detector says; its mime check by libmagic is left out, in its favour.
DATATROVE = """
import sys
from warcio.archiveiterator import ArchiveIterator
from cchardet import detect
n = size = 0
for r in ArchiveIterator(open(sys.argv[1], 'rb')):
    if r.rec_type != 'response':
        continue
    body = r.content_stream().read()
    try:
        text = body.decode('utf-8')
    except UnicodeDecodeError:
        text = body.decode(detect(body)['encoding'] or 'utf-8', 'replace')
    n += 1
    size += len(body)
print(n, size)
"""


def cpu(command):
    """CPU and wall seconds of a command, its output, and its greatest memory in MB."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    before = os.times().elapsed
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        return None
    wall = os.times().elapsed - before
    return usage.ru_utime + usage.ru_stime, wall, output.decode().strip(), usage.ru_maxrss / 1024


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--pages', type=int, default=2000)
    args.add_argument('--seed', type=int, default=1)
    args.add_argument('--rounds', type=int, default=3)
    args = args.parse_args()
    build = ['cargo', 'build', '--release', '--quiet']
    for what in (['-p', 'unbake-cli'], ['-p', 'unbake-io', '--example', 'generate', '--example', 'stages']):
        subprocess.run(build + what, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')) / 'release'
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for n in range(4):
            path = f'{scratch}/{n}.warc.gz'
            pages = args.pages if n == 0 else args.pages // 4
            subprocess.run([target / 'examples/generate', path, str(pages), str(args.seed + n)], check=True)
            files.append(path)
        stages = target / 'examples/stages'
        batch = [target / 'unbake', 'batch', '--out', f'{scratch}/out']
        parquet = batch + ['--to', 'parquet', '--threads']
        commands = {stage: [stages, files[0], stage] for stage in ('bare', 'memory', 'records', 'sniffed', 'limit', 'decoded')}
        commands |= {
            'parquet': parquet + ['1', files[0]],
            'parquet, no text': parquet + ['1', '--no-text', files[0]],
            'parquet, 2 threads': parquet + ['2', files[0]],
            'ndjson': batch + ['--to', 'ndjson', '--threads', '1', files[0]],
            'three files, 1 thread': parquet + ['1'] + files[1:],
            'three files, 2 threads': parquet + ['2'] + files[1:],
            'start': [sys.executable, '-c', 'import fastwarc.warc, resiliparse.parse.encoding'],
            'FastWARC + resiliparse': [sys.executable, '-c', FASTWARC, files[0]],
            'warcio + datatrove rule': [sys.executable, '-c', DATATROVE, files[0]],
        }
        best = {}
        for _ in range(args.rounds):
            for name, command in commands.items():
                run = cpu([str(word) for word in command])
                if run and (name not in best or run[0] < best[name][0]):
                    best[name] = run
        for name in commands:
            if name not in best:
                print(f'{name:26} not run')
                continue
            seconds, wall, output, memory = best[name]
            print(f'{name:26} {seconds:7.3f} s CPU {wall:7.3f} s wall {memory:6.0f} MB  {output}')

        def time(name, column=0):
            start = best.get('start', (0,))[0] if '+' in name else 0
            return best[name][column] - start if name in best else None

        def ratio(words, above, below, column=0):
            a, b = time(above, column), time(below, column)
            print(f'{words:66} {"not run" if a is None or b is None else f"{a / b:.2f}"}')

        print()
        ratio('decoded, as a share of the speed of bare decompression (goal 0.80)', 'bare', 'decoded')
        ratio('the same of bare decompression and bare encoding_rs: the limit', 'bare', 'limit')
        ratio('decoded, as a share of the speed of that limit', 'limit', 'decoded')
        ratio('Parquet with text, as a share of the speed of decoding (goal 0.50)', 'decoded', 'parquet')
        ratio('times as fast as warcio + datatrove rule (goal 5)', 'warcio + datatrove rule', 'decoded')
        ratio('times as fast as FastWARC + resiliparse (goal 3)', 'FastWARC + resiliparse', 'decoded')
        ratio('two cores over files, wall (goal 1.8)', 'three files, 1 thread', 'three files, 2 threads', 1)
        ratio('two cores over one file, wall', 'parquet', 'parquet, 2 threads', 1)


main()
