#!/usr/bin/env python3
"""Runs the unit tests of a build folder and counts each GoogleTest case.

CTest knows the binaries and their environment but counts binaries; a binary
that dies in the middle loses its other cases there. Here a death is one
failure, named.

usage: run_gtests.py BUILD [--match REGEX] [--build TARGET,...]
                     [--timeout SECONDS]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import counts as counting


def list_tests(build: Path, pattern: str) -> list[dict]:
    """Returns CTest's descriptions of the tests whose name matches."""
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"],
        check=True,
        capture_output=True,
        text=True,
    )
    tests = json.loads(listing.stdout)["tests"]
    return [test for test in tests if re.search(pattern, test["name"])]


def build_tests(build: Path, pattern: str, targets: list[str]) -> None:
    """Builds the targets and, if only some tests run, the binaries of those."""
    if pattern:
        # CTest knows no command of a test whose binary, named as the test, is
        # not there yet.
        commands = (
            test.get("command", [build.resolve() / test["name"]])[0]
            for test in list_tests(build, pattern)
        )
        binaries = (Path(command) for command in commands)
        targets = targets + sorted(
            {path.name for path in binaries if build.resolve() in path.parents}
        )
    # A build folder is named as its preset, whose environment ccache needs.
    command = ["cmake", "--build", "--preset", build.resolve().name, "-t"]
    subprocess.run([*command, *targets], check=True)


def environment_of(test: dict) -> dict:
    """Returns the process environment with the test's own variables added."""
    environment = dict(os.environ)
    for entry in test.get("properties", []):
        if entry["name"] == "ENVIRONMENT":
            environment.update(pair.split("=", 1) for pair in entry["value"])
    return environment


def is_gtest(command: list[str]) -> bool:
    """Tells a GoogleTest binary from any other command by asking it."""
    try:
        asked = subprocess.run(
            [*command, "--gtest_list_tests"],
            capture_output=True,
            text=True,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and bool(re.search(r"^\S+\.", asked.stdout, re.M))


def run_test(
    build: Path, test: dict, timeout: float
) -> tuple[counting.Counts, str]:
    """Runs one binary; returns its counts and the text about its failures."""
    name, command = test["name"], test.get("command", [])
    if not command or not Path(command[0]).exists():
        return counting.Counts(failed=1), f"FAIL {name}: it was not built"
    gtest = is_gtest(command)
    if not gtest:
        # Only CTest knows what such a test must print or end with.
        command = ["ctest", "--test-dir", str(build), "-R", f"^{name}$"]
        command.append("--output-on-failure")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        extra = [f"--gtest_output=json:{report}"] if gtest else []
        try:
            done = subprocess.run(
                [*command, *extra],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=timeout,
                env=environment_of(test),
            )
        except subprocess.TimeoutExpired:
            return counting.Counts(failed=1), f"FAIL {name}: over {timeout:.0f} s"
        return judge(name, done, report, gtest)


def judge(name, done, report: Path, gtest: bool) -> tuple[counting.Counts, str]:
    """Turns a finished binary into counts and a text about its failures."""
    tail = "\n".join(done.stdout.splitlines()[-60:])
    if not gtest:
        failed = int(done.returncode != 0)
        counts = counting.Counts(passed=1 - failed, failed=failed)
        return counts, f"FAIL {name}: exit {done.returncode}\n{tail}" if failed else ""
    if not report.exists():
        text = f"FAIL {name}: ended by {done.returncode} without a report\n{tail}"
        return counting.Counts(failed=1), text
    counts, failures = counting.from_gtest_json(report)
    if done.returncode and not counts.failed:
        # A sanitizer reports at exit, after every case has passed.
        counts.failed += 1
        failures.append(f"exit {done.returncode}")
    text = "".join(f"FAIL {name}: {failure}\n" for failure in failures)
    return counts, text + tail if failures else ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("--match", default="", help="only tests of such names")
    parser.add_argument("--build", dest="targets", help="build these first")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    if options.targets:
        build_tests(options.build, options.match, options.targets.split(","))

    tests = list_tests(options.build, options.match)
    total = counting.Counts()
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda test: run_test(options.build, test, options.timeout), tests)
        for test, (counts, text) in zip(tests, results):
            print(f"{test['name']}: {counts.passed} of {counts.total}", flush=True)
            if text:
                print(text, flush=True)
            total += counts
    print(total)
    return 1 if total.failed or not total.total else 0


if __name__ == "__main__":
    sys.exit(main())
