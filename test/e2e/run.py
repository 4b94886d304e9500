#!/usr/bin/env python3
"""Compiles whole models with lzc, runs them with lz-run and compares them with
ONNX Runtime; docs/testing.md says what each check asks.

usage: run.py --bin BUILD/bin [--only RECIPE,...] [--checks CHECK,...]
              [--quick] [--work DIR] [--jobs N] [--json FILE]
              [--lz-run PROGRAM]
"""

import argparse
import json
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from checks import CHECKS, Subject
from labels import check_labels
from models import Missing, find_model, load_recipes
from reading import check_reading
from tools import ToolError, Tools

# Checks of the recipes that name what they read.
CHECKS |= {"labels": check_labels, "reading": check_reading}
ASKED_FOR = {"labels", "reading"}


def run_check(subject: Subject, check: str, quick: bool):
    """Yields (name, problems) of one check; a failing tool is a problem."""
    try:
        yield from CHECKS[check](subject, quick)
    except ToolError as error:
        yield check, [str(error)]
    except Exception:  # a bug of the harness must not hide the other checks
        yield check, [traceback.format_exc(limit=4)]


def make_tools(options, work: Path) -> Tools:
    """Returns the tools that the command line names."""
    runner = options.lz_run.resolve() if options.lz_run else None
    return Tools(options.bin.resolve(), work, runner)


def run_model(name: str, recipe: dict, options) -> list[dict]:
    """Runs the checks of one model; returns their results."""
    work = options.work / name
    try:
        path = find_model(recipe["model"], work)
    except Missing as reason:
        return [{"model": name, "check": "all", "skipped": str(reason)}]
    subject = Subject(name, recipe, path, make_tools(options, work))
    results = []
    for check in options.checks:
        if check in ASKED_FOR and check not in recipe:
            continue
        start = time.monotonic()
        for title, problems in run_check(subject, check, options.quick):
            seconds = round(time.monotonic() - start, 2)
            results.append(
                {
                    "model": name,
                    "check": title,
                    "problems": problems,
                    "seconds": seconds,
                }
            )
            start = time.monotonic()
        if check == "compile" and results[-1]["problems"]:
            if not subject.tools.compiled:
                break  # no artifact: the other checks would say the same
    return results


def show(result: dict) -> None:
    """Prints one result."""
    title = f"{result['model']}: {result['check']}"
    if "skipped" in result:
        print(f"SKIP {title}: {result['skipped']}", flush=True)
    elif result["problems"]:
        print(f"FAIL {title} ({result['seconds']} s)", flush=True)
        for problem in result["problems"]:
            print("     " + problem.replace("\n", "\n     "), flush=True)
    else:
        print(f"PASS {title} ({result['seconds']} s)", flush=True)


def summarize(results: list[dict], report: Path | None) -> int:
    """Prints the sum, writes the report and returns the exit code."""
    skipped = sum("skipped" in result for result in results)
    failed = sum(bool(result.get("problems")) for result in results)
    if report:
        report.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--only", default="", help="comma-separated recipes")
    parser.add_argument("--checks", default=",".join(CHECKS))
    parser.add_argument("--quick", action="store_true", help="fewer sizes")
    parser.add_argument("--work", type=Path, help="keep the artifacts here")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lz-run", type=Path, help="the lz-run of another build")
    options = parser.parse_args()
    options.checks = options.checks.split(",")
    unknown = set(options.checks) - set(CHECKS)
    if unknown:
        parser.error(f"no check named {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    options = parse_options()
    recipes = load_recipes(options.only)
    results = []
    with tempfile.TemporaryDirectory(prefix="lezero-e2e-") as folder:
        options.work = options.work or Path(folder)
        with ProcessPoolExecutor(options.jobs) as pool:
            futures = [
                pool.submit(run_model, name, recipe, options)
                for name, recipe in recipes.items()
            ]
            for future in futures:
                for result in future.result():
                    show(result)
                    results.append(result)
    return summarize(results, options.json)


if __name__ == "__main__":
    sys.exit(main())
