"""Runs a suite of small models: its command line, its lines and its sum."""

import argparse
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import onnx
import onnxruntime

from tools import ToolError, Tools


def open_peer(name: str, model: onnx.ModelProto, tools: Tools) -> tuple:
    """Saves `model`; returns its path and a session of ONNX Runtime."""
    path = tools.work / f"{name}.onnx"
    onnx.save(model, path)
    return path, onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(description: str, models: Iterable, name_of: Callable, check: Callable) -> int:
    """Checks each of `models` by `check(model, tools)`, which returns what is
    wrong with it; the exit code says if all are right."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    only = set(filter(None, arguments.only.split(",")))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(arguments.bin.resolve(), Path(work))
        for model in models:
            if only and name_of(model) not in only:
                continue
            try:
                problems = check(model, tools)
            except ToolError as error:
                problems = [str(error)]
            print(f"{'FAIL' if problems else 'PASS'} {name_of(model)}", flush=True)
            print("".join(f"  {text}\n" for text in problems), end="", flush=True)
            failed += bool(problems)
            passed += not problems
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0
