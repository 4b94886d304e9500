#!/usr/bin/env python3
"""Runs clang-tidy-22 on C++ files: those changed since a commit, or all.

Each file is one test; one that passed before and is unchanged, with all that it
includes, passes again at once. With --limit, the files beyond it are skipped,
and say so: a large change is checked whole by utils/check_full.py.

usage: tidy.py --build BUILD (--base COMMIT | --all) [--limit N]
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tidy_cache import TidyCache

ROOT = Path(__file__).resolve().parent.parent


def git(*arguments: str) -> list[str]:
    """Returns the lines that git prints, or none if it fails."""
    done = subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def wanted_files(base: str | None) -> set[Path]:
    """Returns the sources changed since a commit (uncommitted ones included),
    or all sources where there is no such commit."""
    names = git("ls-files", "*.cpp")
    if base and git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}"):
        names = git("diff", "--name-only", "--diff-filter=d", base, "--", "*.cpp")
    return {ROOT / name for name in names}


def compile_commands(build: Path) -> dict[Path, str]:
    """Returns how a build folder compiles each source that it knows."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return {Path(entry["file"]).resolve(): entry["command"] for entry in entries}


def check(build: Path, source: Path) -> tuple[int, str]:
    """Runs clang-tidy on one file."""
    done = subprocess.run(
        ["clang-tidy-22", "-p", build, "--quiet", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout


def check_all(build: Path, sources: list[Path], cache: TidyCache) -> int:
    """Checks sources and tells about each; returns how many failed."""
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda source: check(build, source), sources)
        for source, (code, output) in zip(sources, results):
            print(f"{'FAIL' if code else 'PASS'} {source.relative_to(ROOT)}", flush=True)
            if code:
                failed += 1
                print(output, flush=True)
            else:
                cache.remember(source)
    return failed


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--base")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    if not options.all and not options.base:
        parser.error("say --base COMMIT or --all")
    return options


def main() -> int:
    options = parse_options()
    commands = compile_commands(options.build)
    wanted = wanted_files(None if options.all else options.base)
    cache = TidyCache(ROOT, options.build, commands)
    files = sorted(wanted & set(commands))
    unknown = [source for source in files if not cache.passed(source)]
    limit = options.limit or len(unknown)
    for source in unknown[limit:]:
        print(f"SKIP {source.relative_to(ROOT)}: beyond the first {limit}")
    print(f"{len(files) - len(unknown)} files are unchanged since they passed", flush=True)
    failed = check_all(options.build, unknown[:limit], cache)
    skipped = len(unknown[limit:])
    passed = len(files) - skipped - failed
    if not files:
        print("SKIP no C++ file changed")
        skipped = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
