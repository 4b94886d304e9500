#!/usr/bin/env python3
"""Operators of ONNX Runtime's own domain, one node each, against ONNX Runtime.

usage: contrib.py --bin BUILD/bin [--only NAME,NAME...]

Each model runs with fixed sizes, and with free ones compiled for a plainer CPU;
its outputs must be the peer's. Models that can't be compiled must say why, and
name the node.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import onnx
import onnxruntime
import small_models

from contrib_models import FAMILIES, NODE, Case, build
from tools import ToolError, Tools

# Where both round the same number, they may round to different sides.
OFF_BY_ONE = 0.05


def compare(name: str, found: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    """Returns what is wrong with an output, or nothing."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return (f"{name} is {found.dtype}{found.shape}, "
                f"expected {expected.dtype}{expected.shape}")
    difference = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    if np.issubdtype(expected.dtype, np.integer):
        if difference.max() <= 1 and (difference > 0).mean() <= OFF_BY_ONE:
            return ""
        return f"{name}: {(difference > 0).sum()} elements differ, by up to {difference.max()}"
    limit = tolerance * max(np.abs(expected.astype(np.float64)).max(), 1)
    if difference.max() <= limit:
        return ""
    return f"{name} differs from the peer by {difference.max()}"


def run_peer(case: Case) -> dict:
    """Returns what ONNX Runtime computes, by name of output."""
    if set(case.outputs.split()) == case.expected.keys():
        return case.expected
    model, inputs = build(replace(case, **case.peer), dynamic=False)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    wanted = [name for name in names if name not in case.expected]
    return dict(zip(wanted, session.run(wanted, inputs), strict=True)) | case.expected


def check_failure(case: Case, tools: Tools) -> list:
    """Returns what is wrong with the error of a case that must have one."""
    model, _ = build(case, dynamic=False)
    path = tools.work / f"{case.name}.onnx"
    onnx.save(model, path)
    try:
        tools.compile(path)
    except ToolError as error:
        missing = [word for word in (NODE, *case.words) if word not in str(error)]
        return [f"no {missing} in: {error}"] if missing else []
    return ["compiles, but should not"]


def check_case(case: Case, tools: Tools) -> list:
    """Returns what is wrong with a case."""
    if case.words:
        return check_failure(case, tools)
    problems, expected = [], run_peer(case)
    for dynamic, flags in ((False, ()), (True, ("--cpu=x86-64-v3",))):
        model, inputs = build(case, dynamic)
        path = tools.work / f"{case.name}-{dynamic}.onnx"
        onnx.save(model, path)
        artifact = tools.compile(path, *flags).artifact
        outputs = tools.run(artifact, inputs).outputs
        form = "free sizes" if dynamic else "fixed sizes"
        problems += [f"{form}: {text}" for name, value in expected.items()
                     if (text := compare(name, outputs[name], value, case.tolerance))]
    return problems


def main() -> int:
    """Checks the models; the exit code says if all are right."""
    cases = (case for family in FAMILIES for case in family())
    return small_models.run(__doc__, cases, lambda case: case.name, check_case)


if __name__ == "__main__":
    sys.exit(main())
