#!/usr/bin/env python3
"""Models that derive and optimize, with fixed and with free sizes: gradients against
central differences of ONNX's reference evaluator in f64, or against values by hand.

usage: training.py --bin BUILD/bin [--only NAME,NAME...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import onnx
import small_models
from onnx import helper, numpy_helper
from training_models import DOMAIN, FAMILIES, Model, get_differences

from tools import ToolError, Tools

TOLERANCE = 2e-4


def build(model: Model, dynamic: bool) -> onnx.ModelProto:
    """Returns the model; dimensions with names are free if `dynamic`."""
    inputs = []
    for name, (array, dims) in model.inputs.items():
        shape = [dim if dynamic and not dim.isdigit() else size
                 for dim, size in zip(dims.split(), array.shape, strict=True)]
        inputs.append(helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), shape))
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
               for name in model.outputs]
    weights = [numpy_helper.from_array(array, name) for name, array in model.weights.items()]
    graph = helper.make_graph(model.nodes, "g", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", model.opset), helper.make_opsetid(DOMAIN, 1),
              helper.make_opsetid("local", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9,
                             functions=model.functions)


def check_failure(model: Model, tools: Tools) -> list:
    """Returns what is wrong with the error of a model that must not compile."""
    path = tools.work / f"{model.name}.onnx"
    onnx.save(build(model, dynamic=False), path)
    try:
        tools.compile(path)
    except ToolError as error:
        missing = [word for word in model.words if word not in str(error)]
        return [f"no {missing} in: {error}"] if missing else []
    return ["compiles, but should not"]


def compare(name: str, found: np.ndarray, expected: np.ndarray) -> str:
    """Returns what is wrong with an output, or nothing."""
    if found.shape != expected.shape:
        return f"{name} has shape {found.shape}, expected {expected.shape}"
    limit = TOLERANCE * max(np.abs(expected).max(initial=0), 1e-3)
    difference = np.abs(found.astype(np.float64) - expected).max(initial=0)
    return "" if difference <= limit else f"{name} differs by {difference}"


def check(model: Model, tools: Tools) -> list:
    """Returns what is wrong with a model."""
    if model.words:
        return check_failure(model, tools)
    expected = model.expected or get_differences(model)
    if not any(np.abs(value).max(initial=0) > 1e-3 for value in expected.values()):
        return ["all gradients are zero: the model shows nothing"]
    problems = []
    for dynamic in (False, True):
        path = tools.work / f"{model.name}-{dynamic}.onnx"
        onnx.save(build(model, dynamic), path)
        artifact = tools.compile(path).artifact
        feeds = {name: array for name, (array, _) in model.inputs.items()}
        outputs = tools.run(artifact, feeds).outputs
        form = "free sizes" if dynamic else "fixed sizes"
        problems += [f"{form}: {text}" for name, value in expected.items()
                     if (text := compare(name, outputs[name], value))]
    return problems


if __name__ == "__main__":
    cases = (model for family in FAMILIES for model in family())
    sys.exit(small_models.run(__doc__, cases, lambda model: model.name, check))
