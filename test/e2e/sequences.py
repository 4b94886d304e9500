#!/usr/bin/env python3
"""Sequences and optionals, inside of models and at their borders, against ONNX
Runtime.

usage: sequences.py --bin BUILD/bin [--only NAME,NAME...]

Each model is compiled with and without optimization and run on its inputs, with
one thread and with two. Inputs that do not fit must end in an error that names
the node or the value at fault.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import small_models

from sequence_models import MODELS
from tools import ToolError, Tools


def flatten(values: dict) -> dict:
    """The arrays of inputs or outputs as lz-run names them."""
    arrays = {}
    for name, value in values.items():
        if isinstance(value, list):
            arrays |= {f"{name}[{i}]": array for i, array in enumerate(value)}
        elif value is not None:
            arrays[name] = value
    return arrays


def compare(found: dict, expected: dict) -> list:
    """Returns what is wrong with the outputs."""
    if found.keys() != expected.keys():
        return [f"has outputs {sorted(found)}, expected {sorted(expected)}"]
    problems = []
    for name, array in expected.items():
        if found[name].shape != array.shape:
            problems.append(f"{name} has shape {found[name].shape}, expected {array.shape}")
        elif not np.allclose(found[name], array, rtol=1e-5, atol=1e-6):
            problems.append(f"{name} differs from the peer")
    return problems


def run_once(tools: Tools, artifact: Path, session, inputs: dict) -> list:
    """Returns what is wrong with the outputs of one run."""
    names = [output.name for output in session.get_outputs()]
    expected = flatten(dict(zip(names, session.run(None, inputs))))
    problems, seen = [], set()
    for threads in (1, 2):
        outputs = tools.run(artifact, flatten(inputs), "--threads", str(threads)).outputs
        problems += compare(outputs, expected)
        seen.add(tuple(array.tobytes() for _, array in sorted(outputs.items())))
    if len(seen) > 1:
        problems.append("two threads give other bits than one")
    return problems


def check_error(tools: Tools, artifact: Path, inputs: dict, words: str) -> list:
    """Returns what is wrong with how wrong inputs end."""
    try:
        tools.run(artifact, flatten(inputs))
    except ToolError as error:
        ended = str(error).startswith("lz-run ended by 1:") and words in str(error)
        return [] if ended else [f"'{words}' is not in: {error}"]
    return [f"runs, but should end in an error with '{words}'"]


def check_model(build, tools: Tools) -> list:
    """Returns what is wrong with a model."""
    model, cases, wrong = build()
    path, session = small_models.open_peer(build.__name__, model, tools)
    problems = []
    for flags in ((), ("--opt-level=O0",)):
        artifact = tools.compile(path, *flags).artifact
        for number, inputs in enumerate(cases):
            problems += [f"{flags} inputs {number}: {text}"
                         for text in run_once(tools, artifact, session, inputs)]
        for inputs, words in wrong:
            problems += [f"{flags}: {text}"
                         for text in check_error(tools, artifact, inputs, words)]
    return problems


def main() -> int:
    """Checks the models; the exit code says if all are right."""
    return small_models.run(__doc__, MODELS, lambda build: build.__name__, check_model)


if __name__ == "__main__":
    sys.exit(main())
