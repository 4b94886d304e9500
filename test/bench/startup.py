#!/usr/bin/env python3
"""Start-up beside ONNX Runtime: open + first run - median run, the median over
fresh processes, with the files in the page cache. LeZero's must be at most a
tenth of the peer's, or 1 ms, whichever is larger. There are 11 processes, and
more of them, up to 66, while chance could decide.

Each model is one test.

usage: startup.py --bin BUILD/bin [--only RECIPE,...] [--processes 11] [--most 66]
"""

import json
import math
import statistics
import sys

import measure

FLOOR_MS = 1.0
REPEAT = 9


def startup(times: dict) -> float:
    """Returns what a process took beyond a run of its steady state, in ms."""
    return times["load_ms"] + times["first_ms"] - times["latency_ms"]["median"]


def is_clear(times: list[float], allowed: float) -> bool:
    """True if the median is further from what is allowed than chance takes it:
    two standard errors, by the spread of the middle half."""
    low, _, high = statistics.quantiles(times, n=4)
    error = 1.25 * (high - low) / 1.35 / math.sqrt(len(times))
    return abs(statistics.median(times) - allowed) > 2 * error


def measure_one(bench: measure.Bench, options) -> dict:
    """Times both sides in turn; the first of each only fills the page cache.
    Where runs differ too much to tell, there are more of them."""
    ours, theirs = [], []
    while True:
        for _ in range(options.processes + (not ours)):
            ours.append(startup(bench.lezero(options.threads, REPEAT)))
            theirs.append(startup(bench.peer(options.threads, REPEAT)))
        allowed = max(FLOOR_MS, statistics.median(theirs[1:]) / 10)
        if is_clear(ours[1:], allowed) or len(ours) > options.most:
            break
    return {
        "model": bench.name,
        "processes": len(ours) - 1,
        "lezero_ms": round(statistics.median(ours[1:]), 3),
        "peer_ms": round(statistics.median(theirs[1:]), 3),
        "allowed_ms": round(allowed, 3),
    }


def main() -> int:
    parser = measure.parser(__doc__)
    parser.add_argument("--processes", type=int, default=11)
    parser.add_argument("--most", type=int, default=66)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows, failed = [], 0
    print(f"{'model':<22}{'LeZero ms':>11}{'peer ms':>10}{'allowed':>9}{'of':>5}")
    for bench in measure.benches(options, "startup_sizes"):
        row = measure_one(bench, options)
        slow = row["lezero_ms"] > row["allowed_ms"]
        failed += slow
        rows.append(row)
        print(
            f"{row['model']:<22}{row['lezero_ms']:>11.3f}{row['peer_ms']:>10.1f}"
            f"{row['allowed_ms']:>9.1f}{row['processes']:>5}"
            f"{'  FAIL' if slow else ''}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
