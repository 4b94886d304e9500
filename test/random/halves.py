"""How far off a graph may be that computes with float16.

The tolerance of models is meant for float32. A half has eleven bits, and each
implementation rounds to them at places of its own; so the graph is run with
float32 in place of float16, as it is and with all numbers moved by their last
bit: what that does to an output is what it may be off.
"""

from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from peer import Reference, distance, magnitude, make_session, run_session

# Twice the precision of a half, and the most that any output may be off.
LEAST, MOST = 2e-3, 0.05
LAST_BIT = 2.0**-11


def uses_halves(model: onnx.ModelProto) -> bool:
    """Returns whether a model has inputs, constants or casts of type float16."""
    graph = model.graph
    kinds = {value.type.tensor_type.elem_type for value in graph.input}
    kinds |= {tensor.data_type for tensor in graph.initializer}
    kinds |= {a.i for node in graph.node for a in node.attribute if a.name == "to"}
    return TensorProto.FLOAT16 in kinds


def without_halves(model: onnx.ModelProto) -> onnx.ModelProto:
    """Returns the model with float32 in place of float16."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    graph = wide.graph
    for value in [*graph.input, *graph.output]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT16:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.FLOAT16:
            array = numpy_helper.to_array(tensor).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name == "to" and attribute.i == TensorProto.FLOAT16:
                attribute.i = TensorProto.FLOAT
    return wide


def widen(arrays: dict) -> dict:
    """Returns arrays with float32 in place of float16."""
    return {
        name: array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in arrays.items()
    }


def moved(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns an array whose floats are moved by a half's last bit."""
    if array.dtype.kind != "f":
        return array
    factor = 1 + LAST_BIT * random.choice([-1.0, 1.0], array.shape)
    return np.asarray(array * factor, array.dtype)


def with_moved_constants(model: onnx.ModelProto, random) -> onnx.ModelProto:
    """Returns the model with other last bits of its constants."""
    other = onnx.ModelProto()
    other.CopyFrom(model)
    scales = {name for node in model.graph.node if node.op_type == "Resize" for name in node.input}
    for tensor in other.graph.initializer:
        if tensor.name in scales:
            continue
        array = moved(numpy_helper.to_array(tensor), random)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    return other


def opened(open_model):
    """Returns what opening a model gives, or None if the peer lacks a kernel."""
    try:
        return open_model()
    except Exception as error:  # of a type that the peer's module doesn't export
        if "NOT_IMPLEMENTED" in str(error):
            return None
        raise


class Halves:
    """A model in float32, and two whose constants have other last bits."""

    def __init__(self, path: Path, model: onnx.ModelProto):
        self.random = np.random.default_rng(1)
        wide = without_halves(model)
        models = [wide, *(with_moved_constants(wide, self.random) for _ in range(2))]
        self.sessions = []
        for index, changed in enumerate(models):
            place = path.with_suffix(f".wide{index}")
            onnx.save(changed, place)
            self.sessions.append(opened(partial(make_session, place, optimized=False)))

    def runs(self, inputs: dict) -> list:
        """Returns the outputs of each session; none if the peer lacks a kernel."""
        if None in self.sessions:
            return []
        runs = [run_session(self.sessions[0], inputs)]
        for session in self.sessions[1:]:
            near = {name: moved(array, self.random) for name, array in inputs.items()}
            runs.append(run_session(session, near))
        return runs

    def allow(self, reference: Reference, inputs: dict) -> None:
        """Raises the tolerances of a reference as halves need it."""
        runs = self.runs(widen(inputs))
        for name, allowed in reference.tolerances.items():
            want = reference.outputs[name]
            least, most = (bound * magnitude(want) for bound in (LEAST, MOST))
            own = 3 * max((distance(want, run[name]) for run in runs), default=most)
            reference.tolerances[name] = max(allowed, min(max(least, own), most))
