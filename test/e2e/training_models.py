"""Models that derive and optimize, and what they must give."""

from dataclasses import dataclass, field

import numpy as np
from contrib_models import floats
from onnx import helper
from onnx.reference import ReferenceEvaluator

DOMAIN = "ai.onnx.preview.training"
node = helper.make_node


@dataclass
class Model:
    """A graph, and the gradients of the sum of `y` that it must give.

    Inputs are arrays with the names of their dimensions, of which numbers are
    fixed. Output `d<name>` is the gradient by <name>.
    """

    name: str
    nodes: list
    inputs: dict
    outputs: list
    weights: dict = field(default_factory=dict)
    functions: list = field(default_factory=list)
    opset: int = 20
    y: str = "y"
    expected: dict = field(default_factory=dict)  # default: by differences
    words: tuple = ()  # of the error, if the model must not compile


def gradient(xs: str, zs: str = "", y: str = "y", inputs: str = "", outputs: str = "", **names):
    """A node that derives `y`; its inputs and outputs are named after `xs`."""
    wanted = xs.split()
    return node("Gradient", inputs.split() or [*wanted, *zs.split()],
                outputs.split() or [f"d{x}" for x in wanted], domain=DOMAIN, y=y, xs=wanted,
                **({"zs": zs.split()} if zs else {}), **names)


def widen(value: np.ndarray) -> np.ndarray:
    """Floats as f64."""
    return value.astype(np.float64) if value.dtype == np.float32 else value


def get_differences(model: Model) -> dict:
    """Central differences of the sum of `y` by what the outputs are named after."""
    values = {name: widen(array) for name, (array, _) in model.inputs.items()}
    values |= {name: widen(array) for name, array in model.weights.items()}
    forward = [item for item in model.nodes if item.domain != DOMAIN]
    inputs = [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in values.items()]
    output = helper.make_tensor_value_info(model.y, helper.np_dtype_to_tensor_dtype(
        np.dtype(np.float64)), None)
    graph = helper.make_graph(forward, "forward", inputs, [output])
    opsets = [helper.make_opsetid("", model.opset)]
    evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=opsets, ir_version=9))
    return {name: differ(evaluator, values, name[1:]) for name in model.outputs}


def differ(evaluator: ReferenceEvaluator, values: dict, name: str, step: float = 1e-5):
    """Central differences of the evaluator's result by one of `values`."""
    found = np.zeros_like(values[name])
    for index in np.ndindex(found.shape):
        ends = []
        for sign in (1, -1):
            moved = values[name].copy()
            moved[index] += sign * step
            ends.append(np.sum(evaluator.run(None, values | {name: moved})[0]))
        found[index] = (ends[0] - ends[1]) / (2 * step)
    return found


def network_cases():
    """Small networks by their weights."""
    labels = np.array([0, 2, 1, 2, 0], np.int64)[:, None]
    yield Model(
        "perceptron",
        [node("Gemm", ["x", "w", "b"], ["h"]), node("Softplus", ["h"], ["g"]),
         node("MatMul", ["g", "v"], ["s"]), node("LogSoftmax", ["s"], ["p"], axis=-1),
         node("GatherElements", ["p", "labels"], ["q"], axis=1),
         node("ReduceMean", ["q"], ["m"], keepdims=0), node("Neg", ["m"], ["y"]),
         gradient("w b v x", "labels")],
        {"x": (floats(5, 4), "n 4"), "labels": (labels, "n 1")}, ["dw", "db", "dv", "dx"],
        {"w": floats(4, 6, seed=1), "b": floats(6, seed=2), "v": floats(6, 3, seed=3)})
    yield Model(
        "convolution",
        [node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1], strides=[2, 1]),
         node("BatchNormalization", ["c", "s", "t", "m", "v"], ["n"], epsilon=1e-2),
         node("Relu", ["n"], ["r"]),
         node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[1, 2]),
         node("AveragePool", ["p"], ["a"], kernel_shape=[2, 2], pads=[0, 0, 1, 1]),
         node("GlobalAveragePool", ["a"], ["g"]), node("Mul", ["g", "g"], ["y"]),
         gradient("w b s t x")],
        {"x": (floats(2, 3, 7, 8), "n 3 h k")}, ["dw", "db", "ds", "dt", "dx"],
        {"w": floats(4, 3, 3, 3, seed=1), "b": floats(4, seed=2), "s": floats(4, seed=3),
         "t": floats(4, seed=4), "m": floats(4, seed=5),
         "v": np.abs(floats(4, seed=6)) + np.float32(0.5)})
    yield Model(
        "attention",
        [node("LayerNormalization", ["x", "s", "t"], ["n"], epsilon=1e-2),
         node("MatMul", ["n", "w"], ["q"]), node("MatMul", ["n", "v"], ["k"]),
         node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["a"]),
         node("Softmax", ["a"], ["p"], axis=-1), node("MatMul", ["p", "x"], ["o"]),
         node("Add", ["o", "x"], ["r"]), node("Sin", ["r"], ["y"]), gradient("w v s t x")],
        {"x": (floats(2, 5, 4), "n l 4")}, ["dw", "dv", "ds", "dt", "dx"],
        {"w": floats(4, 3, seed=1), "v": floats(4, 3, seed=2), "s": floats(4, seed=3),
         "t": floats(4, seed=4)})
    ids = np.array([[1, 4, 1], [0, 6, 6]], np.int64)
    yield Model(
        "embedding",
        [node("Gather", ["w", "ids"], ["e"]), node("CumSum", ["e", "axis"], ["c"]),
         node("Slice", ["c", "from", "to", "axes"], ["l"]), node("Tanh", ["l"], ["y"]),
         gradient("w", "ids")],
        {"ids": (ids, "n l")}, ["dw"],
        {"w": floats(7, 4), "axis": np.array(1), "axes": np.array([1]), "from": np.array([1]), "to": np.array([3])})


def meaning_cases():
    """What the attributes and inputs of Gradient mean."""
    x, z = floats(2, 3), floats(2, 3, seed=1)
    operands = {"x": (x, "a b"), "z": (z, "a b")}
    cube = [node("Mul", ["x", "x"], ["s"]), node("Mul", ["s", "x"], ["c"]),
            node("Mul", ["c", "z"], ["y"])]
    yield Model("second", [*cube, gradient("x", "z", outputs="first"),
                           gradient("x z", y="first")], operands, ["dx", "dz"],
                expected={"dx": 6 * x * z, "dz": 3 * x * x})
    # By an inner tensor: what it is computed from plays no part.
    yield Model("inner", [*cube, gradient("s x z")], operands, ["ds", "dx", "dz"],
                expected={"ds": x * z, "dx": x * x * z, "dz": x**3})
    # At other values, of which one is given for both.
    other = {"o": (floats(2, 3, seed=2), "a b")}
    o = other["o"][0]
    yield Model("elsewhere", [*cube, gradient("x z", inputs="o o")],
                operands | other, ["dx", "dz"], expected={"dx": 3 * o**3, "dz": o**3})
    # Names of one value are apart.
    yield Model("names", [node("Identity", ["x"], ["i"]), node("Mul", ["x", "i"], ["y"]),
                          gradient("x i", outputs="dx di")], {"x": (x, "a b")}, ["dx", "di"],
                expected={"dx": x, "di": x})
    yield Model("skipped", [*cube, node("Gradient", ["x", "z"], ["", "dz"], domain=DOMAIN, y="y",
                                        xs=["x", "z"])], operands, ["dz"], expected={"dz": x**3})
    yield Model("unused", [node("Mul", ["x", "x"], ["y"]), gradient("x z")],
                operands, ["dx", "dz"], expected={"dx": 2 * x, "dz": 0 * x})
    # The node may stand before what it derives.
    yield Model("order", [gradient("x z"), *reversed(cube)], operands, ["dx", "dz"],
                expected={"dx": 3 * x * x * z, "dz": x**3})
    body = helper.make_function("local", "Product", ["a", "b"], ["da", "db"], [
        node("Mul", ["a", "b"], ["p"]), node("Mul", ["p", "b"], ["y"]), gradient("a b")],
        [helper.make_opsetid("", 20), helper.make_opsetid(DOMAIN, 1)])
    yield Model("function", [node("Product", ["x", "x"], ["dx", "dz"], domain="local")],
                {"x": (x, "a b")}, ["dx", "dz"], functions=[body],
                expected={"dx": x * x, "dz": 2 * x * x})


def step_cases():
    """A step of training: a loss, its gradient, an optimizer."""
    w, x, v = floats(4, 3), floats(5, 4, seed=1), floats(4, 3, seed=2)
    h = np.abs(floats(4, 3, seed=3))
    rate, beta = np.float32(0.1), np.float32(0.9)
    product = x @ w
    slope = x.T @ (2 * product)
    momentum = np.float32(0.8) * v + beta * slope
    inputs = {"w": (w, "4 k"), "x": (x, "n 4"), "v": (v, "4 k"), "h": (h, "4 k"),
              "rate": (rate.reshape(()), ""), "t": (np.array(3, np.int64), "")}
    loss = [node("MatMul", ["x", "w"], ["p"]), node("Mul", ["p", "p"], ["y"]), gradient("w", "x")]
    yield Model(
        "momentum_step",
        [*loss, node("Momentum", ["rate", "t", "w", "dw", "v"], ["w1", "v1"], domain=DOMAIN,
                     alpha=0.8, beta=0.9, norm_coefficient=0.0, mode="standard")],
        {name: value for name, value in inputs.items() if name != "h"}, ["w1", "v1"], expected={"w1": w - rate * momentum, "v1": momentum})
    average = np.float32(0.9) * v + np.float32(0.1) * slope
    square = np.float32(0.999) * h + np.float32(0.001) * slope * slope
    adjusted = rate * np.sqrt(1 - 0.999**3) / (1 - 0.9**3)
    yield Model(
        "adam_step",
        [*loss, node("Adam", ["rate", "t", "w", "dw", "v", "h"], ["w1", "v1", "h1"],
                     domain=DOMAIN)],
        inputs, ["w1", "v1", "h1"],
        expected={"w1": w - adjusted * average / (np.sqrt(square) + 1e-6), "v1": average,
                  "h1": square})


def failing_cases():
    """Models that can't be compiled, and what the error says."""
    x = {"x": (floats(3, 3), "3 3")}
    yield Model("no_rule", [node("Det", ["x"], ["y"], name="culprit"), gradient("x")], x, ["dx"],
                words=("culprit", "lz.det", "no gradient rule"))
    square = node("Mul", ["x", "x"], ["y"])
    yield Model("no_tensor", [square, gradient("x", y="missing", name="culprit")], x, ["dx"],
                words=("culprit", "missing"))
    yield Model("itself", [square, gradient("x", y="dx", name="culprit")], x, ["dx"],
                words=("culprit", "cycle"))
    yield Model("counts", [square, gradient("x", inputs="x x", name="culprit")], x, ["dx"],
                words=("culprit", "2 inputs", "1 tensors"))
    yield Model("twice", [square, gradient("x x", name="culprit", outputs="dx dz")], x, ["dx"],
                words=("culprit", "'x' more than once"))
    # Each node doubles what the next one derives.
    yield Model("explosion", [node("Tanh", ["x"], ["d0"]),
                              *(gradient("x", y=f"d{i}", outputs=f"d{i + 1}") for i in range(60))],
                x, ["d60"], words=("Gradient", "65536 nodes"))
    yield Model("integers", [node("Cast", ["x"], ["i"], to=7), node("Cast", ["i"], ["y"], to=1),
                             gradient("i", name="culprit")], x, ["di"],
                words=("culprit", "'i'", "no tensor of floats"))
    yield Model("other_sizes", [square, gradient("x", inputs="z", name="culprit")],
                x | {"z": (floats(2, 3), "2 3")}, ["dx"], words=("culprit", "input 0", "sizes"))
    scalars = {"r": (np.float32(1).reshape(()), ""), "t": (np.array(0, np.int64), "")}
    rates = {"alpha": 0.9, "beta": 0.9, "norm_coefficient": 0.0}
    names = ["r", "t", "x", "g", "x"]
    for label, shape, mode, words in (
            ("rank", (3,), "standard", ("gradient of tensor 0 has rank 1",)),
            ("size", (3, 2), "standard", ("gradient of tensor 0 has size 2 in dimension 1",)),
            ("mode", (3, 3), "fast", ("'mode' is 'fast'", "'nesterov'"))):
        yield Model(f"optimizer_{label}",
                    [node("Momentum", names, ["w", "v"], name="culprit", domain=DOMAIN, mode=mode,
                          **rates)],
                    x | scalars | {"g": (floats(*shape), " ".join(map(str, shape)))}, ["w"],
                    words=("culprit", *words))
    yield Model("optimizer_count",
                [node("Adam", names, ["w"], name="culprit", domain=DOMAIN)],
                x | scalars | {"g": (floats(3, 3), "3 3")}, ["w"],
                words=("culprit", "3 inputs after R and T", "multiple of 4"))


FAMILIES = (network_cases, meaning_cases, step_cases, failing_cases)
