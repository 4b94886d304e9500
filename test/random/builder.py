"""A graph that grows node by node, with the values of every run at hand.

Each node is computed by ONNX Runtime as soon as it is added, at each of the
graph's sizes. So shapes, types and magnitudes need no rules of their own: a node
that is invalid or leaves the range in which numbers can be compared is taken
back by `Reject`.
"""

import random
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper
from onnx.reference import ReferenceEvaluator

FLOATS = (np.float32, np.float64, np.float16)
INTEGERS = (np.int64, np.int32, np.uint8)
IR_VERSION = 8
MAX_ELEMENTS = 150_000

# Beyond these magnitudes a graph's errors can grow past any tolerance.
LIMITS = {"float16": 60.0, "float32": 300.0, "float64": 300.0}

# Operators whose results are exact if operands and results are small multiples
# of a power of two: no rounding happens, in whatever order they are computed.
EXACT = set(
    "Abs Add Cast Ceil Clip Concat CumSum DepthToSpace Expand Flatten Floor Gather"
    " GatherElements Gemm Identity MatMul Max MaxPool Min Mul Neg Pad ReduceMax ReduceMin"
    " ReduceSum Relu Reshape Round Sign Slice SpaceToDepth Split Squeeze Sub Sum Tile TopK"
    " Transpose Trilu Unsqueeze Where".split()
)


class Reject(Exception):
    """What was proposed is not possible here; something else may be."""


@dataclass(eq=False)
class Value:
    """A value of the graph: its arrays, one for each run, and if it is exact."""

    name: str
    arrays: list
    exact: bool

    @property
    def dtype(self):
        """The element type, a numpy scalar class."""
        return self.arrays[0].dtype.type

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.arrays[0].ndim

    @property
    def dims(self) -> list:
        """For each dimension its sizes, a tuple with one for each run."""
        return list(zip(*(array.shape for array in self.arrays), strict=True))

    def fixed(self, axis: int) -> bool:
        """Returns whether a dimension has the same size in all runs."""
        return len(set(self.dims[axis])) == 1

    def size(self, axis: int) -> int:
        """Returns the smallest size of a dimension."""
        return min(self.dims[axis])

    def low(self) -> float:
        """Returns the smallest element of all runs."""
        return min((float(a.min()) for a in self.arrays if a.size), default=0.0)

    def high(self) -> float:
        """Returns the largest element of all runs."""
        return max((float(a.max()) for a in self.arrays if a.size), default=0.0)

    def empty(self) -> bool:
        """Returns whether a run has no elements."""
        return any(array.size == 0 for array in self.arrays)


def on_grid(array: np.ndarray) -> bool:
    """Returns whether all elements are small multiples of 1/64 (1/8 for halves)."""
    if array.dtype.kind != "f":
        return True
    step, limit = (8, 2**7) if array.dtype == np.float16 else (64, 2**15)
    scaled = array.astype(np.float64) * step
    return bool(np.all(scaled == np.rint(scaled)) and np.all(np.abs(scaled) < limit))


def single_node_model(node, operands: list, opset: int) -> onnx.ModelProto:
    """Returns the model of one node whose operands are inputs."""
    infos = {}
    for value in operands:
        kind = helper.np_dtype_to_tensor_dtype(value.arrays[0].dtype)
        infos[value.name] = helper.make_tensor_value_info(value.name, kind, [None] * value.rank)
    results = [helper.make_value_info(name, onnx.TypeProto()) for name in node.output]
    graph = helper.make_graph([node], "node", list(infos.values()), results)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)


def evaluate(model: onnx.ModelProto, feeds: list) -> list:
    """Returns the results of each run, by ONNX Runtime or, where it has no kernel,
    by ONNX's reference evaluator."""
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return [session.run(None, feed) for feed in feeds]
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise Reject(str(error)) from None
    try:
        return [ReferenceEvaluator(model).run(None, feed) for feed in feeds]
    except Exception as error:
        raise Reject(str(error)) from None


class Builder:
    """Nodes, constants, inputs and values so far."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.opset = self.random.choice([17, 20])
        self.nodes, self.constants = [], {}
        self.inputs, self.dims_of_inputs = [], {}
        self.values, self.count = [], 0
        self.runs = 1

    def name(self, stem: str) -> str:
        """Returns a new name."""
        self.count += 1
        return f"{stem}{self.count}"

    def mark(self) -> tuple:
        """Returns what `take_back` needs."""
        return len(self.nodes), dict(self.constants), len(self.values)

    def take_back(self, mark: tuple) -> None:
        """Forgets everything since the mark."""
        nodes, self.constants, values = mark
        del self.nodes[nodes:], self.values[values:]

    def constant(self, array, dtype=None) -> Value:
        """Adds an initializer."""
        array = np.asarray(array, dtype)
        name = self.name("c")
        self.constants[name] = array
        return Value(name, [array] * self.runs, on_grid(array))

    def sizes(self, numbers) -> Value:
        """Adds an initializer of type int64, as axes and shapes are."""
        return self.constant(np.asarray(numbers, np.int64))

    def numbers(
        self, shape, dtype=np.float32, grid: bool = False, scale: float = 1.0
    ) -> np.ndarray:
        """Returns random elements; those on a grid are exact."""
        if dtype == np.bool_:
            return np.asarray(self.data.random(shape) < 0.5)
        if dtype in INTEGERS:
            low = 0 if dtype == np.uint8 else -9
            return np.asarray(self.data.integers(low, 10, shape), dtype)
        if grid:
            return np.asarray(self.data.integers(-16, 17, shape) / 8, dtype)
        return np.asarray(self.data.uniform(-2, 2, shape) * scale, dtype)

    def node(self, op: str, operands: list, results: int = 1, **attributes) -> list[Value]:
        """Adds a node and computes it; returns its results. An absent operand is
        None."""
        names = [value.name if value else "" for value in operands]
        outputs = [self.name("v") for _ in range(results)]
        node = helper.make_node(op, names, outputs, name=self.name(f"{op}_"), **attributes)
        present = list({value.name: value for value in operands if value}.values())
        feeds = [{value.name: value.arrays[run] for value in present} for run in range(self.runs)]
        runs = evaluate(single_node_model(node, present, self.opset), feeds)
        exact = op in EXACT and all(value.exact for value in present)
        made = []
        for index, name in enumerate(outputs):
            arrays = [np.asarray(run[index]) for run in runs]
            check_numbers(arrays)
            # Rules make whole numbers and answers of what is safely one of them.
            whole = arrays[0].dtype.kind != "f"
            made.append(Value(name, arrays, whole or exact and all(map(on_grid, arrays))))
        self.nodes.append(node)
        return made

    def op(self, op: str, *operands, **attributes) -> Value:
        """Adds a node of one result."""
        return self.node(op, list(operands), **attributes)[0]

    def pick(self, accept=lambda value: True) -> Value:
        """Returns a value, more often one of the last."""
        fitting = [value for value in self.values if accept(value)]
        if not fitting:
            raise Reject("no value fits")
        if self.random.random() < 0.5:
            return self.random.choice(fitting[-3:])
        return self.random.choice(fitting)

    def pick_float(self, low: int = 0, high: int = 5, accept=lambda value: True) -> Value:
        """Returns a float value of a rank between two limits."""
        return self.pick(
            lambda value: value.dtype in FLOATS and low <= value.rank <= high and accept(value)
        )

    def pick_exact(self, accept=lambda value: True) -> Value:
        """Returns a numeric value that is exact."""
        return self.pick(lambda value: value.exact and value.dtype != np.bool_ and accept(value))

    def axis(self, value: Value) -> int:
        """Returns an axis of a value."""
        if value.rank == 0:
            raise Reject("a scalar has no axes")
        return self.random.randrange(value.rank)

    def spelled(self, axis: int, rank: int) -> int:
        """Returns an axis, sometimes counted from the end."""
        return axis - rank if self.random.random() < 0.3 else axis

    def chance(self, probability: float) -> bool:
        """Returns true with a probability."""
        return self.random.random() < probability


def check_numbers(arrays: list) -> None:
    """Rejects results that can't be compared, or that say nothing."""
    for array in arrays:
        if array.size > MAX_ELEMENTS or array.ndim > 5:
            raise Reject("too large")
        if array.dtype.kind == "f":
            check_floats(array.astype(np.float64), LIMITS[array.dtype.name])
        elif array.size and np.abs(array.astype(np.float64)).max() > 30_000:
            raise Reject("too large numbers")


def check_floats(array: np.ndarray, limit: float) -> None:
    """Rejects floats that are not finite, are too large, or almost all zero."""
    if not array.size:
        return
    if not np.all(np.isfinite(array)):
        raise Reject("not finite")
    largest = np.abs(array).max()
    if largest > limit:
        raise Reject("too large numbers")
    if 0 < largest < 1e-3 or (array.size > 8 and np.count_nonzero(array) < array.size / 8):
        raise Reject("hardly more than zero")
