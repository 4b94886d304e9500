#!/usr/bin/env python3
"""Runs ONNX's own backend tests: finds their data in the Python package `onnx`.

usage: run.py --bin FOLDER [arguments of lz-conformance ...]
"""

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent


def find_data() -> Path:
    """Returns the folder of the backend test data."""
    spec = find_spec("onnx")
    if spec is None or spec.origin is None:
        sys.exit("run.py: the Python package onnx is not installed")
    return Path(spec.origin).parent / "backend" / "test" / "data"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    options, others = parser.parse_known_args()
    command = [
        str(options.bin / "lz-conformance"),
        str(find_data()),
        f"--expected-failures={HERE / 'expected_failures.txt'}",
        *others,
    ]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
