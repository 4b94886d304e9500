#!/usr/bin/env python3
"""Builds and runs the example programs as a user would: with cmake/LeZero.cmake,
in CMake projects of their own, against a build folder of LeZero.

usage: examples.py --bin BUILD/bin
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np

from models import rapidocr_folder
from tools import write_npz

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
PICTURE_LINES = [
    "Hello LeZero 2026",
    "one shared library reads every width",
    "from ONNX to machine code, ahead of time",
]


class Failed(Exception):
    """A step went wrong; the text says how."""


def run(*command, expected: int = 0) -> str:
    """Runs a command; returns its output, or raises with it."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    if done.returncode != expected:
        line = " ".join(map(str, command))
        raise Failed(f"{line}\nended by {done.returncode}:\n{done.stdout[-2000:]}")
    return done.stdout


def build_project(source: Path, build: Path, lezero: Path) -> None:
    """Configures and builds one example."""
    run(
        *("cmake", "-G", "Ninja", "-S", source, "-B", build),
        *("-DCMAKE_CXX_COMPILER=clang++-22", f"-DLeZero_ROOT={lezero}"),
    )
    run("cmake", "--build", build)


def expect(condition: bool, text: str) -> None:
    """Fails with a text unless the condition holds."""
    if not condition:
        raise Failed(text)


def test_read_digit(lezero: Path, work: Path) -> None:
    """The model is compiled by the build, and the program reads the digit."""
    build_project(EXAMPLES / "cpp", work, lezero)
    output = run(work / "read_digit", EXAMPLES / "cpp" / "digit.txt")
    expect("this is a 9" in output, f"expected a 9, got:\n{output}")


def write_project(work: Path, arguments: str) -> Path:
    """Writes a project that compiles a copy of the digits model; returns it."""
    source = work / "source"
    source.mkdir()
    shutil.copy(ROOT / "test/models/digits/digits.onnx", source)
    (source / "CMakeLists.txt").write_text(
        f"""cmake_minimum_required(VERSION 3.25)
project(Digits LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{ROOT}/cmake")
include(LeZero)
lz_add_model(digits digits.onnx {arguments})
"""
    )
    return source


def test_rebuild(lezero: Path, work: Path) -> None:
    """A changed model is compiled again, an unchanged one is not."""
    source, build = write_project(work, ""), work / "build"
    build_project(source, build, lezero)
    artifact = build / "digits.so"
    before = artifact.stat().st_mtime_ns
    run("cmake", "--build", build)
    expect(artifact.stat().st_mtime_ns == before, "compiled without a change")
    (source / "digits.onnx").touch()
    run("cmake", "--build", build)
    expect(artifact.stat().st_mtime_ns > before, "not compiled after a change")


def test_model_options(lezero: Path, work: Path) -> None:
    """OUTPUT, CPU, OPT_LEVEL and DIMS reach lzc: a fixed batch refuses another."""
    options = "OUTPUT sub/one.so CPU x86-64-v3 OPT_LEVEL O1 DIMS batch=1"
    build_project(write_project(work, options), work / "build", lezero)
    artifact = work / "build" / "sub" / "one.so"
    run(lezero / "bin" / "lz-run", artifact, "--json")
    image = work / "sixteen.npz"
    write_npz(image, {"image": np.zeros((16, 1, 8, 8), np.float32)})
    run(lezero / "bin" / "lz-run", artifact, "--inputs", image, expected=1)


def test_wrong_use(lezero: Path, work: Path) -> None:
    """The program says what is wrong with its arguments."""
    build_project(EXAMPLES / "cpp", work, lezero)
    output = run(work / "read_digit", work / "absent.txt", expected=1)
    expect("absent.txt" in output, f"no file named in:\n{output}")


def test_read_text(lezero: Path, work: Path) -> None:
    """The recogniser reads the committed picture."""
    build_project(EXAMPLES / "read_text", work, lezero)
    artifact = work / "recogniser.so"
    model = rapidocr_folder() / "ch_PP-OCRv4_rec_infer.onnx"
    run(lezero / "bin" / "lzc", model, "-o", artifact)
    picture = EXAMPLES / "read_text" / "picture.png"
    output = run(work / "read_text", artifact, picture).splitlines()
    for line in PICTURE_LINES:
        expect(line in output, f"did not read {line!r}:\n" + "\n".join(output))


TESTS = [test_read_digit, test_rebuild, test_model_options, test_wrong_use, test_read_text]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    lezero = parser.parse_args().bin.resolve().parent
    failed = 0
    for test in TESTS:
        with tempfile.TemporaryDirectory(prefix="lezero-example-") as work:
            try:
                test(lezero, Path(work))
                print(f"PASS {test.__name__}", flush=True)
            except (Failed, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAIL {test.__name__}: {error}", flush=True)
    print(f"{len(TESTS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
