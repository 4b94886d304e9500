"""The suites of the test command: what runs, how it counts, how long it may.

A suite is a command that ends in a line `N passed, N failed, N skipped`, or a
build, which counts as one test. Budgets are seconds of wall time on two cores
from an empty compiler cache.
"""

import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable

# The unit tests that run under AddressSanitizer in every run: what reads files
# of others, what computes memory layouts, and what runs them.
ASAN_TESTS = "OnnxFrontend|LzDialect|PlaceBuffers|Runtime|LzRunTest"


@dataclass
class Suite:
    """One row of the table."""

    name: str
    command: list[str]
    budget: float
    summary: str
    counts: str = "summary"  # "summary", "build" or "lit"
    environment: dict = field(default_factory=dict)


def configure_and_build(preset: str, *targets: str) -> list[str]:
    """Returns the command that configures a preset and builds its targets."""
    # The preset's environment is what lets ccache work; a bare folder has none.
    build = f"cmake --build --preset {preset}"
    if targets:
        build += " -t " + " ".join(targets)
    return ["bash", "-c", f"cmake --preset {preset} && {build}"]


def script(path: str, *arguments: str) -> list[str]:
    """Returns the command that runs one of our Python scripts."""
    return [PYTHON, str(ROOT / path), *arguments]


def gtests(preset: str, targets: str, match: str = "") -> list[str]:
    """Returns the command that builds and runs unit tests of a preset."""
    run = script("utils/run_gtests.py", f"build/{preset}", "--build", targets)
    line = shlex.join([*run, "--match", match])
    return ["bash", "-c", f"cmake --preset {preset} && {line}"]


def models_under_tsan(binaries: str) -> list[str]:
    """Returns the command that runs whole models on several threads with the
    runtime under ThreadSanitizer. It is what has threads: the compiler's own
    tests have one, and MLIR's library isn't instrumented."""
    runner = "build/tsan-runtime/bin/lz-run"
    checks = ("--checks", "compile,numbers,threads", "--work", "build/e2e-tsan")
    run = script("test/e2e/run.py", "--bin", binaries, "--lz-run", runner, *checks)
    build = "cmake --preset tsan-runtime && cmake --build --preset tsan-runtime"
    return ["bash", "-c", f"{build} -t lz-run && {shlex.join(run)}"]


def model_suite(name: str, seconds: int, purpose: str) -> Suite:
    """Returns the suite of `test/e2e/NAME.py`, which makes its own models."""
    return Suite(name, script(f"test/e2e/{name}.py", "--bin", "build/dev/bin"), seconds, purpose)


def test_suites(base: str) -> list[Suite]:
    """Returns the suites of the test command, in the order they run."""
    dev = "build/dev"
    return [
        Suite(
            "build",
            configure_and_build("dev", "all", "lz-unit-tests"),
            1500,
            "the dev preset: assertions on, warnings are errors",
            counts="build",
        ),
        Suite(
            "lit",
            [
                *("/usr/lib/llvm-22/bin/lit", "-q", "-j2"),
                *("--output", f"{dev}/lit.json", f"{dev}/test/lit"),
            ],
            120,
            "IR tests of dialects, passes, stages and tools",
            counts="lit",
        ),
        Suite(
            "unit",
            script("utils/run_gtests.py", dev),
            300,
            "GoogleTest cases",
        ),
        Suite(
            "harness",
            script("test/e2e/test_harness.py"),
            90,
            "the comparison harness catches wrong numbers",
        ),
        Suite(
            "conformance",
            script("test/conformance/run.py", "--bin", f"{dev}/bin", "--form=as-is"),
            300,
            "ONNX's own backend tests on the reference evaluator",
        ),
        Suite(
            "conformance-compiled",
            script(
                *("test/conformance/run.py", "--bin", f"{dev}/bin"),
                *("--form=as-is", "--mode=compiled"),
            ),
            400,
            "ONNX's own backend tests as compiled artifacts",
        ),
        Suite(
            "conformance-forms",
            script(
                *("test/conformance/run.py", "--bin", f"{dev}/bin"),
                *("--form=dynamic,initializers", "--sample=1/8"),
            ),
            120,
            "a sample with unknown sizes, and with inputs as initializers",
        ),
        Suite(
            "models",
            script("test/e2e/run.py", "--bin", f"{dev}/bin", "--quick", "--work", "build/e2e"),
            600,
            "whole models against ONNX Runtime",
        ),
        model_suite(
            "control", 180,
            "branches, loops and sizes that data decides against ONNX Runtime",
        ),
        model_suite("contrib", 240, "operators of ONNX Runtime's own domain against ONNX Runtime"),
        model_suite(
            "sampling", 120,
            "operators that read or write at computed places against ONNX Runtime",
        ),
        model_suite("draws", 60, "random numbers: bits, distributions, repetition"),
        model_suite("ml", 480, "operators of classical models against ONNX Runtime"),
        model_suite(
            "irregular", 240,
            "operators on boxes, regions and signals, and those that select, against ONNX Runtime",
        ),
        model_suite("sequences", 180, "sequences and optionals against ONNX Runtime"),
        model_suite("training", 120, "gradients against differences, and steps of training"),
        Suite(
            "random",
            script("test/random/run.py", "--bin", f"{dev}/bin", "--count", "40"),
            120,
            "random graphs against ONNX Runtime",
        ),
        Suite(
            "bad-input",
            script("test/e2e/bad_input.py", "--bin", f"{dev}/bin"),
            180,
            "hostile models, inputs, artifacts and CPUs",
        ),
        Suite(
            "fuzz-corpora",
            script("test/fuzz/replay.py", "--bin", f"{dev}/bin"),
            90,
            "every committed fuzz input ends in success or a clear error",
        ),
        Suite(
            "examples",
            script("test/e2e/examples.py", "--bin", f"{dev}/bin"),
            300,
            "the CMake package and the example programs",
        ),
        Suite(
            "asan",
            gtests("asan", "lz-runtime-tests", ASAN_TESTS),
            1200,
            "importer, planner and runtime under AddressSanitizer",
        ),
        Suite(
            "tsan",
            gtests("tsan-runtime", "lz-runtime-tests"),
            300,
            "the runtime under ThreadSanitizer",
        ),
        Suite(
            "clang-tidy",
            script("utils/tidy.py", "--build", dev, "--base", base, "--limit", "12"),
            300,
            "changed C++ files",
        ),
        Suite(
            "docs",
            script("utils/check_docs.py"),
            30,
            "links and commands in the documentation",
        ),
    ]


def full_suites() -> list[Suite]:
    """Returns the shards of check-full: every suite, uncut, and the other ways
    to build."""
    dev, release = "build/dev", "build/release"
    whole = [
        suite
        for suite in test_suites("HEAD")
        if suite.name not in ("models", "random", "asan", "clang-tidy", "fuzz-corpora")
    ]
    models = ["--bin", f"{release}/bin", "--work", "build/e2e"]
    return [
        *whole,
        Suite(
            "release",
            configure_and_build("release"),
            1800,
            "the release preset builds without warnings",
            counts="build",
        ),
        Suite(
            "models-full",
            script("test/e2e/run.py", *models),
            3600,
            "whole models at every size",
        ),
        Suite(
            "random-full",
            script("test/random/run.py", "--bin", f"{dev}/bin", "--count", "400"),
            1800,
            "400 random graphs against ONNX Runtime",
        ),
        Suite(
            "startup",
            script("test/bench/startup.py", *models),
            3600,
            "start-up beside ONNX Runtime",
        ),
        Suite(
            "fuzz-long",
            script("test/fuzz/replay.py", "--bin", f"{dev}/bin", "--mutations", "2000"),
            3600,
            "corpora and 2,000 mutations",
        ),
        Suite(
            "asan-full",
            gtests("asan", "lz-unit-tests"),
            3600,
            "every unit test under AddressSanitizer",
        ),
        Suite(
            "tsan-full",
            models_under_tsan(f"{release}/bin"),
            3600,
            "whole models on a runtime under ThreadSanitizer",
        ),
        Suite(
            "clang-tidy-full",
            script("utils/tidy.py", "--build", dev, "--all"),
            7200,
            "every C++ file",
        ),
        Suite(
            "no-pch",
            configure_and_build("no-pch", "all", "lz-unit-tests"),
            3600,
            "every file includes what it needs",
            counts="build",
        ),
        Suite("gcc", configure_and_build("gcc"), 3600, "another compiler", counts="build"),
    ]


def environment() -> dict:
    """Returns the environment of every suite: our tools first, models found."""
    result = dict(os.environ)
    models = ROOT.parent / "shared" / "models"
    if "LZ_MODELS" not in result and models.is_dir():
        result["LZ_MODELS"] = str(models)
    result["PYTHONDONTWRITEBYTECODE"] = "1"
    return result
