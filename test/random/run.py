#!/usr/bin/env python3
"""Compiles and runs random graphs and compares them with ONNX Runtime;
docs/testing.md says how.

usage: run.py --bin BUILD/bin [--count N] [--first SEED] [--jobs N] [-v]
              [--keep FOLDER] [--minimize SEED]
"""

import argparse
import os
import shutil
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

from check import Result, check_seed
from minimize import minimize
from tools import Tools


def run_seed(binaries: Path, keep: Path | None, seed: int) -> Result:
    """Checks one seed in a folder of its own."""
    with tempfile.TemporaryDirectory() as work:
        try:
            result = check_seed(seed, Tools(binaries, Path(work), timeout=120))
        except Exception:  # a bug of the suite must not hide the other seeds
            result = Result(seed, [traceback.format_exc(limit=6)])
        if keep and result.problems:
            for path in (*Path(work).glob("*.onnx"), *Path(work).glob("in-*.npz")):
                shutil.copy(path, keep / f"{seed}-{path.name}")
    return result


def show(result: Result, binaries: Path, verbose: bool) -> None:
    """Prints one result; of a failure also how to see it again."""
    if result.state() == "PASS" and not verbose:
        return
    title = f"{result.state()} seed {result.seed} ({result.nodes} nodes)"
    print(" ".join([title, *result.flags]), flush=True)
    for text in result.problems[:6] or [result.skipped] * bool(result.skipped):
        print(f"  {text}")
    if result.problems:
        again = f"test/random/run.py --bin {os.path.relpath(binaries)}"
        print(f"  again: {again} --first {result.seed} --count 1", flush=True)


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """Returns the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder for the models that fail")
    parser.add_argument("--minimize", type=int, metavar="SEED")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(arguments)
    options.bin = options.bin.resolve()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    return options


def main(arguments: list[str]) -> int:
    """Runs the seeds; the exit code says if all are right."""
    options = parse_arguments(arguments)
    if options.minimize is not None:
        return minimize(options.minimize, options.bin, options.keep or Path("."))
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    seeds = range(options.first, options.first + options.count)
    with ProcessPoolExecutor(options.jobs) as pool:
        for result in pool.map(partial(run_seed, options.bin, options.keep), seeds):
            counts[result.state()] += 1
            show(result, options.bin, options.verbose)
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
