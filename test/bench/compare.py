#!/usr/bin/env python3
"""Latency beside ONNX Runtime: fresh processes in turn, the best of their
medians, and the ratio LeZero / peer (below 1 is faster).

usage: compare.py --bin BUILD/bin [--only RECIPE,...] [--threads 1,2]
"""

import json
import sys

import measure


def measure_one(bench: measure.Bench, threads: int, options) -> dict:
    """Times both sides of one model at one number of threads."""
    ours, theirs = [], []
    for _ in range(options.processes):
        ours.append(bench.lezero(threads, options.repeat)["latency_ms"]["median"])
        theirs.append(bench.peer(threads, options.repeat)["latency_ms"]["median"])
    return {
        "model": bench.name,
        "threads": threads,
        "lezero_ms": round(min(ours), 4),
        "peer_ms": round(min(theirs), 4),
        "ratio": round(min(ours) / min(theirs), 2),
    }


def main() -> int:
    parser = measure.parser(__doc__)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    rows = []
    print(f"{'model':<22}{'threads':>8}{'LeZero ms':>11}{'peer ms':>10}{'ratio':>8}")
    for bench in measure.benches(options, "bench_sizes"):
        for threads in map(int, options.threads.split(",")):
            row = measure_one(bench, threads, options)
            rows.append(row)
            print(
                f"{row['model']:<22}{threads:>8}{row['lezero_ms']:>11.3f}"
                f"{row['peer_ms']:>10.3f}{row['ratio']:>8.2f}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
