#!/usr/bin/env python3
"""Runs the suites of utils/suites.py and adds up what they count.

Each suite runs as a process of its own, under its time budget; its output goes
to build/test-logs/NAME.log and is shown only where something failed. The last
line printed is the sum over all suites.

usage: run_tests.py [--only NAME,...] [--base COMMIT] [--budget-scale X] [--list]
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import counts as counting
from suites import ROOT, Suite, environment, test_suites

LOGS = ROOT / "build" / "test-logs"


@dataclass
class Result:
    """What came of one suite."""

    suite: Suite
    counts: counting.Counts
    seconds: float
    problem: str = ""


def run_command(suite: Suite, budget: float) -> tuple[int | None, str]:
    """Runs a suite; returns its exit code (None if over budget) and output."""
    log = LOGS / f"{suite.name}.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            suite.command,
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**environment(), **suite.environment},
            start_new_session=True,
        )
        try:
            code = process.wait(budget)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
    return code, log.read_text(errors="replace")


def count(suite: Suite, code: int | None, output: str) -> counting.Counts | None:
    """Returns what a finished suite counted, or None if it says nothing."""
    if suite.counts == "build":
        return counting.Counts(passed=int(code == 0), failed=int(code != 0))
    if suite.counts == "lit":
        report = ROOT / suite.command[suite.command.index("--output") + 1]
        return counting.from_lit_json(report) if report.exists() else None
    return counting.from_summary(output)


def run_suite(suite: Suite, scale: float) -> Result:
    """Runs one suite and judges it: silence and overtime are failures."""
    if suite.counts == "lit":
        report = suite.command[suite.command.index("--output") + 1]
        (ROOT / report).unlink(missing_ok=True)
    start = time.monotonic()
    code, output = run_command(suite, suite.budget * scale)
    seconds = time.monotonic() - start
    counts = count(suite, code, output)
    if counts is None or not counts.total:
        counts = counting.Counts(failed=1)
        problem = "over its time budget" if code is None else "counted nothing"
        return Result(suite, counts, seconds, problem)
    if code != 0 and not counts.failed:
        counts.failed += 1
        problem = "over its time budget" if code is None else f"exit {code}"
        return Result(suite, counts, seconds, problem)
    return Result(suite, counts, seconds)


def show(result: Result, scale: float) -> None:
    """Prints one row, and the end of the log if anything failed."""
    suite, counts = result.suite, result.counts
    print(
        f"{suite.name:<14}{counts.passed:>7}{counts.failed:>7}{counts.skipped:>8}"
        f"{result.seconds:>8.1f}{suite.budget * scale:>8.0f}  "
        f"{result.problem or suite.summary}",
        flush=True,
    )
    if not counts.failed:
        return
    log = LOGS / f"{suite.name}.log"
    lines = log.read_text(errors="replace").splitlines()
    for line in lines[-80:]:
        # Only the last line of the whole run may look like a summary.
        if not counting.SUMMARY.match(line):
            print(f"    | {line}", flush=True)


def select(only: str, base: str) -> list[Suite]:
    """Returns the suites named by --only, or all of them."""
    suites = test_suites(base)
    if not only:
        return suites
    names = only.split(",")
    unknown = set(names) - {suite.name for suite in suites}
    if unknown:
        sys.exit(f"error: no suite named {', '.join(sorted(unknown))}; see --list")
    return [suite for suite in suites if suite.name in names]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="comma-separated suite names")
    parser.add_argument("--base", default="HEAD~1", help="what changed since here")
    parser.add_argument("--budget-scale", type=float, default=1.0)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    suites = select(options.only, options.base)
    if options.list:
        for suite in suites:
            print(f"{suite.name:<14}{suite.budget:>5.0f} s  {suite.summary}")
        return 0

    LOGS.mkdir(parents=True, exist_ok=True)
    print("suite          passed failed skipped seconds  budget", flush=True)
    total = counting.Counts()
    for suite in suites:
        result = run_suite(suite, options.budget_scale)
        show(result, options.budget_scale)
        total += result.counts
        if suite.counts == "build" and result.counts.failed:
            print("the other suites need the build")
            break
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
