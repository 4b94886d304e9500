#!/usr/bin/env python3
"""Start-up beside ONNX Runtime: open + first run - median run, the median over
fresh processes, with the files in the page cache. LeZero's must be at most a
tenth of the peer's, or 1 ms, whichever is larger.

Each model is one test.

usage: startup.py --bin BUILD/bin [--only RECIPE,...] [--processes 11]
"""

import json
import statistics
import sys

import measure

FLOOR_MS = 1.0
REPEAT = 9


def startup(times: dict) -> float:
    """Returns what a process took beyond a run of its steady state, in ms."""
    return times["load_ms"] + times["first_ms"] - times["latency_ms"]["median"]


def measure_one(bench: measure.Bench, processes: int, threads: int) -> dict:
    """Times both sides in turn; the first of each only fills the page cache."""
    ours, theirs = [], []
    for _ in range(processes + 1):
        ours.append(startup(bench.lezero(threads, REPEAT)))
        theirs.append(startup(bench.peer(threads, REPEAT)))
    return {
        "model": bench.name,
        "lezero_ms": round(statistics.median(ours[1:]), 3),
        "peer_ms": round(statistics.median(theirs[1:]), 3),
    }


def main() -> int:
    parser = measure.parser(__doc__)
    parser.add_argument("--processes", type=int, default=11)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows, failed = [], 0
    print(f"{'model':<22}{'LeZero ms':>11}{'peer ms':>10}{'allowed':>9}")
    for bench in measure.benches(options, "startup_sizes"):
        row = measure_one(bench, options.processes, options.threads)
        row["allowed_ms"] = round(max(FLOOR_MS, row["peer_ms"] / 10), 3)
        slow = row["lezero_ms"] > row["allowed_ms"]
        failed += slow
        rows.append(row)
        print(
            f"{row['model']:<22}{row['lezero_ms']:>11.3f}{row['peer_ms']:>10.1f}"
            f"{row['allowed_ms']:>9.1f}{'  FAIL' if slow else ''}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
