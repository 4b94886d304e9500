#!/usr/bin/env python3
"""One fresh process of ONNX Runtime: opens a model, runs it, prints the times
as lz-run --json does. Importing its library is not counted.

usage: peer_process.py MODEL INPUTS.npz THREADS REPEAT
"""

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))

from peer import make_session


def main() -> None:
    model, source, threads, repeat = sys.argv[1:]
    with np.load(source) as loaded:
        inputs = {name: loaded[name] for name in loaded.files}

    def timed(action):
        start = time.perf_counter()
        result = action()
        return (time.perf_counter() - start) * 1e3, result

    load, session = timed(
        lambda: make_session(Path(model), True, int(threads), spin=True)
    )
    first, _ = timed(lambda: session.run(None, inputs))
    runs = [timed(lambda: session.run(None, inputs))[0] for _ in range(int(repeat))]
    times = {
        "min": min(runs),
        "median": statistics.median(runs),
        "max": max(runs),
    }
    print(json.dumps({"load_ms": load, "first_ms": first, "latency_ms": times}))


if __name__ == "__main__":
    main()
