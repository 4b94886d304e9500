#!/usr/bin/env python3
"""check-full: everything that the test command runs and what takes too long for
it, in shards. A shard that passed is not run again while the tree is the same,
so an interrupted check goes on where it stopped.

At the end a record goes to test/records/: the hash of the committed tree without
docs/ and test/records/, the counts of each shard, failures and skips.

usage: check_full.py [--only SHARD,...] [--fresh] [--list]
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

import counts as counting
from run_tests import LOGS, Result, run_suite, show
from suites import ROOT, full_suites

RECORDS = ROOT / "test" / "records"
STATE = ROOT / "build" / "check-full"
NOT_HASHED = ("docs/", "test/records/")


def git(*arguments: str) -> str:
    """Returns what git prints."""
    command = ["git", "-C", ROOT, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tree_hash() -> str:
    """Returns the hash of the committed files that a record speaks of."""
    digest = hashlib.sha256()
    for line in git("ls-tree", "-r", "HEAD").splitlines():
        if not line.split("\t")[1].startswith(NOT_HASHED):
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def uncommitted() -> list[str]:
    """Returns the changed files that would make a record a lie."""
    changed = [line[3:] for line in git("status", "--porcelain").splitlines()]
    return [name for name in changed if not name.startswith(NOT_HASHED)]


def interesting(name: str) -> dict:
    """Returns the failures and skips that a suite's log names."""
    path = LOGS / f"{name}.log"
    lines = path.read_text(errors="replace").splitlines() if path.exists() else []
    found = {"failures": "FAIL ", "skips": "SKIP "}
    return {
        key: [line[len(mark) :] for line in lines if line.startswith(mark)][:200]
        for key, mark in found.items()
    }


def to_json(result: Result) -> dict:
    """Returns what a record keeps of a shard."""
    counts = result.counts
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "seconds": round(result.seconds, 1),
        "problem": result.problem,
        **interesting(result.suite.name),
    }


def run_shard(suite, tree: str, fresh: bool) -> dict:
    """Runs a shard, or returns its earlier success on the same tree."""
    path = STATE / tree[:16] / f"{suite.name}.json"
    if path.exists() and not fresh:
        earlier = json.loads(path.read_text())
        if not earlier["failed"]:
            print(f"{suite.name:<14} passed before on this tree", flush=True)
            return earlier
    result = run_suite(suite, 1.0)
    show(result, 1.0)
    done = to_json(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(done, indent=1) + "\n")
    return done


def write_record(tree: str, shards: dict) -> Path:
    """Writes the record of a whole check; returns its path."""
    total = {
        key: sum(shard[key] for shard in shards.values())
        for key in ("passed", "failed", "skipped")
    }
    record = {
        "tree": tree,
        "commit": git("rev-parse", "HEAD").strip(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        **total,
        "shards": shards,
    }
    RECORDS.mkdir(parents=True, exist_ok=True)
    path = RECORDS / f"check-full-{record['date']}-{tree[:12]}.json"
    path.write_text(json.dumps(record, indent=1) + "\n")
    return path


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="comma-separated shards; no record")
    parser.add_argument("--fresh", action="store_true", help="run passed shards too")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    suites = full_suites()
    if options.list:
        for suite in suites:
            print(f"{suite.name:<18}{suite.budget:>6.0f} s  {suite.summary}")
        return 0
    changed = uncommitted()
    if changed:
        sys.exit(f"error: commit first, these changed: {', '.join(changed[:5])}")
    wanted = options.only.split(",") if options.only else [s.name for s in suites]
    tree = tree_hash()
    LOGS.mkdir(parents=True, exist_ok=True)
    shards = {
        suite.name: run_shard(suite, tree, options.fresh)
        for suite in suites
        if suite.name in wanted
    }
    if not options.only:
        path = write_record(tree, shards)
        print(f"record: {path.relative_to(ROOT)}")
    total = counting.Counts(
        *(sum(s[k] for s in shards.values()) for k in ("passed", "failed", "skipped"))
    )
    print(total)
    return 1 if total.failed or not total.total else 0


if __name__ == "__main__":
    sys.exit(main())
