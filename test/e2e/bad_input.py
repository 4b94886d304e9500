#!/usr/bin/env python3
"""Hostile models, command lines, inputs, artifacts and CPUs. Each must end in
exit 1 (a wrong command line also in 2) and a message that names what is at
fault: no signal, no hang, no output file, nothing left behind.

usage: bad_input.py --bin BUILD/bin [--only TEXT]
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bad_models
import bad_runs

TIMEOUT = 30
ADDRESS_SPACE = 16 << 30
CRASH = re.compile(r"Stack dump|PLEASE submit|Assertion|terminate called|UNREACHABLE")


def limit_memory() -> None:
    """A size taken on trust must end in an error here, not in the machine's
    memory."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def run(command: list) -> tuple[int | None, str]:
    """Runs a command; returns its exit code (None: timeout) and its stderr."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT,
            preexec_fn=limit_memory,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stderr.decode(errors="replace")


def judge(code: int | None, message: str, words: tuple, codes=(1,)) -> list[str]:
    """Returns what is wrong with how a tool refused something."""
    if code is None:
        return [f"still running after {TIMEOUT} s"]
    problems = []
    if code < 0:
        problems.append(f"ended by signal {-code}")
    elif code not in codes:
        problems.append(f"exit {code}, expected {' or '.join(map(str, codes))}")
    if CRASH.search(message):
        problems.append("the message is that of a crash")
    for word in words:
        alternatives = word.split("|")
        if not any(text in message for text in alternatives):
            problems.append(f"the message does not name {' or '.join(alternatives)}")
    if problems:
        problems.append("message: " + " / ".join(message.strip().splitlines()[:4]))
    return problems


def check_model(lzc: Path, bad: bad_models.BadModel) -> list[str]:
    """Compiles one hostile model."""
    with tempfile.TemporaryDirectory(prefix="lezero-bad-") as outer:
        folder, out = Path(outer) / "model", Path(outer) / "out"
        folder.mkdir()
        out.mkdir()
        path = bad.write(folder)
        code, message = run([lzc, path, "-o", out / "model.so"])
        problems = judge(code, message, bad.words)
        left = sorted(entry.name for entry in out.iterdir())
        if left:
            problems.append(f"left behind: {', '.join(left)}")
        return problems


def check_sound_model(lzc: Path) -> list[str]:
    """The frame of the cases is itself accepted, so that they are refused for
    what is wrong with them."""
    with tempfile.TemporaryDirectory(prefix="lezero-bad-") as outer:
        path = Path(outer) / bad_models.FILE
        path.write_bytes(bad_models.good().SerializeToString())
        out = Path(outer) / "model.so"
        code, message = run([lzc, path, "-o", out])
        return [] if code == 0 and out.exists() else [f"exit {code}: {message}"]


def all_checks(binaries: Path) -> dict:
    """Returns every case as a function without arguments, by name."""
    lzc = binaries / "lzc"
    checks = {"sound model": lambda: check_sound_model(lzc)}
    for bad in bad_models.CASES:
        checks[f"model {bad.name}"] = lambda bad=bad: check_model(lzc, bad)
    for bad in bad_runs.cases(binaries):
        checks[bad.name] = lambda bad=bad: bad_runs.check(bad, run, judge)
    return checks


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lezero-bad-") as work:
        bad_runs.prepare(options.bin.resolve(), Path(work))
        checks = {
            name: check
            for name, check in all_checks(options.bin.resolve()).items()
            if options.only in name
        }
        failed = 0
        with ThreadPoolExecutor(2) as pool:
            for name, problems in zip(checks, pool.map(lambda f: f(), checks.values())):
                failed += bool(problems)
                print(f"{'FAIL' if problems else 'PASS'} {name}", flush=True)
                for problem in problems:
                    print(f"     {problem}", flush=True)
    print(f"{len(checks) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
