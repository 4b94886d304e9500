#!/usr/bin/env python3
"""Branches, loops and sizes that data decides, against ONNX Runtime.

usage: control.py --bin BUILD/bin [--only NAME,NAME...]

Each model is compiled once and run on inputs of several sizes, with one thread
and with two; its outputs and their shapes must be the peer's. Where memory is
known before the run, it also runs under guard: an arena of just the planned
bytes, no allocation.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import small_models

from control_models import MODELS
from tools import Tools


def compare(name: str, found: np.ndarray, expected: np.ndarray) -> str:
    """Returns what is wrong with an output, or nothing."""
    if found.shape != expected.shape:
        return f"{name} has shape {found.shape}, expected {expected.shape}"
    if np.allclose(found, expected, rtol=1e-5, atol=1e-6):
        return ""
    return f"{name} differs from the peer by {np.max(np.abs(found - expected))}"


def run_once(tools: Tools, artifact: Path, session, inputs: dict, memory: str) -> list:
    """Returns what is wrong with one input's outputs and memory."""
    expected = session.run(None, inputs)
    names = [output.name for output in session.get_outputs()]
    problems, seen = [], set()
    for threads in (1, 2):
        result = tools.run(artifact, inputs, "--threads", str(threads))
        if result.report["memory_class"] != memory:
            problems.append(f"class {result.report['memory_class']}, not {memory}")
        found = [compare(name, result.outputs[name], value)
                 for name, value in zip(names, expected)]
        problems += filter(None, found)
        seen.add(tuple(result.outputs[name].tobytes() for name in names))
    if len(seen) > 1:
        problems.append("two threads give other bits than one")
    if memory != "open":
        problems += filter(None, [tools.guard(artifact, inputs, 1)])
    return problems


def check_model(build, memory: str, tools: Tools) -> list:
    """Returns what is wrong with a model."""
    model, cases = build()
    path, session = small_models.open_peer(build.__name__, model, tools)
    problems = []
    for flags in ((), ("--cpu=x86-64-v3",)):
        artifact = tools.compile(path, *flags).artifact
        for inputs in cases:
            sizes = {name: array.shape for name, array in inputs.items()}
            problems += [f"{sizes}: {text}" for text in
                         run_once(tools, artifact, session, inputs, memory)]
    return problems


def main() -> int:
    """Checks the models; the exit code says if all are right."""
    return small_models.run(
        __doc__, MODELS.items(), lambda item: item[0].__name__,
        lambda item, tools: check_model(*item, tools))


if __name__ == "__main__":
    sys.exit(main())
