"""The greatest memory of `unbake batch` over a long archive that is made while it is read.

    bench/archives/memory.py [--gigabytes 20] [--threads 2] [--to parquet] [--page-megabytes 0.2]

The archive comes through a pipe: one generated archive, over and over. `--gigabytes` counts stored bytes. The goal is
64 MB and three times the largest record for each thread; exit 1 where it is missed.
"""

import argparse, gzip, os, pathlib, subprocess, sys, tempfile, threading

ROOT = pathlib.Path(__file__).resolve().parents[2]


def record(megabytes):
    """One record of about so many megabytes, as a gzip member."""
    page = b'<meta charset=utf-8>' + os.urandom(1 << 16).hex().encode() * max(1, int(megabytes * 8))
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + page
    head = b'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\nWARC-Record-ID: <urn:uuid:1>\r\n'
    head += b'WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n' % len(block)
    return gzip.compress(head + block + b'\r\n\r\n', 1), len(head) + len(block)


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--gigabytes', type=float, default=20)
    args.add_argument('--threads', type=int, default=2)
    args.add_argument('--to', default='parquet')
    args.add_argument('--page-megabytes', type=float, help='one page of this size over and over, instead of a crawl')
    args = args.parse_args()
    build = ['cargo', 'build', '--release', '--quiet', '-p', 'unbake-cli', '-p', 'unbake-io', '--bins', '--examples']
    subprocess.run(build, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')) / 'release'
    with tempfile.TemporaryDirectory() as scratch:
        if args.page_megabytes:
            piece, largest = record(args.page_megabytes)
        else:
            subprocess.run([target / 'examples/generate', f'{scratch}/x', '500'], check=True)
            piece, largest = pathlib.Path(f'{scratch}/x').read_bytes(), 1 << 20
        command = [target / 'unbake', 'batch', '--from', 'warc', '-', '--no-detect', '--to', args.to, '--out', f'{scratch}/out',
                   '--threads', str(args.threads)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE)

        def feed():
            sent = 0
            while sent < args.gigabytes * 1e9:
                child.stdin.write(piece)
                sent += len(piece)
            child.stdin.close()

        threading.Thread(target=feed, daemon=True).start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        rows = sum(path.stat().st_size for path in pathlib.Path(f'{scratch}/out').iterdir())
    memory, goal = usage.ru_maxrss / 1024, 64 + args.threads * 3 * largest / (1 << 20)
    print(f'{args.gigabytes} GB stored, {args.threads} threads, {args.to} ({rows / 1e6:.0f} MB): {memory:.0f} MB of memory, '
          f'goal {goal:.0f} MB; {usage.ru_utime + usage.ru_stime:.0f} s CPU')
    sys.exit(status != 0 or memory > goal)


main()
