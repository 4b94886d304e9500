"""Models of one node each, put together from a case and compared with ONNX Runtime.

Each model runs with fixed sizes, and with free ones compiled for a plainer CPU;
its outputs must be the peer's. Models that can't be compiled must say why, and
name the node.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import onnx
import onnxruntime
import small_models
from onnx import helper, numpy_helper

from tools import ToolError, Tools

NODE = "culprit"
CONTRIB = "com.microsoft"
# Where both round the same number, they may round to different sides.
OFF_BY_ONE = 0.05


@dataclass
class Case:
    """One node: its operands, attributes, and how far numbers may be off.

    A case states its inputs and, by names in the place of sizes, which of their
    dimensions are free. `None` is an input that is absent. Arrays without free
    dimensions are initializers.
    """

    name: str
    op: str
    inputs: list  # of None, an array, or (array, "dims")
    attributes: dict = field(default_factory=dict)
    outputs: str = "y"  # names; `-` is an absent one
    types: dict = field(default_factory=dict)  # of outputs, default: the first input's
    tolerance: float = 1e-5
    domain: str = CONTRIB
    version: int = 1  # of the domain
    opset: int = 17
    off_by_one: float = OFF_BY_ONE  # the share of integers that may be off by one
    words: tuple = ()  # of the error, if the case must not compile
    run_words: tuple = ()  # of the error, if it compiles and must not run
    expected: dict = field(default_factory=dict)  # where the peer gives nothing
    peer: dict = field(default_factory=dict)  # fields that differ in what the peer runs


def is_fed(operand) -> bool:
    """True for an operand that is an input of the graph."""
    return isinstance(operand, tuple)


def build(case: Case, dynamic: bool) -> tuple:
    """Returns the model and its inputs; free dimensions are free if `dynamic`."""
    names, inputs, initializers, feeds = [], [], [], {}
    for index, operand in enumerate(case.inputs):
        name = "" if operand is None else f"x{index}"
        names.append(name)
        if is_fed(operand):
            array, dims = operand
            shape = [dim if dynamic and not dim.isdigit() else size
                     for dim, size in zip(dims.split(), array.shape, strict=True)]
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            inputs.append(helper.make_tensor_value_info(name, kind, shape))
            feeds[name] = array
        elif operand is not None:
            initializers.append(numpy_helper.from_array(operand, name))
    results = ["" if name == "-" else name for name in case.outputs.split()]
    node = helper.make_node(case.op, names, results, name=NODE, domain=case.domain,
                            **case.attributes)
    first = next(x[0] if is_fed(x) else x for x in case.inputs if x is not None)
    types = {name: case.types.get(name, first.dtype) for name in filter(None, results)}
    outputs = [helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), None)
        for name, kind in types.items()]
    graph = helper.make_graph([node], "g", inputs, outputs, initializers)
    domain = case.domain or CONTRIB
    opsets = [helper.make_opsetid("", case.opset),
              helper.make_opsetid(domain, case.version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), feeds


def compare(name: str, found: np.ndarray, expected: np.ndarray, case: Case) -> str:
    """Returns what is wrong with an output, or nothing."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return (f"{name} is {found.dtype}{found.shape}, "
                f"expected {expected.dtype}{expected.shape}")
    if np.issubdtype(expected.dtype, np.integer):
        difference = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        wrong = np.count_nonzero(difference)
        if difference.max(initial=0) <= 1 and wrong <= case.off_by_one * difference.size:
            return ""
        return f"{name}: {wrong} elements differ, by up to {difference.max()}"
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    found, expected = found[~same].astype(np.float64), expected[~same].astype(np.float64)
    if same.all():
        return ""
    difference = np.abs(found - expected).max()
    limit = case.tolerance * max(np.abs(expected).max(), 1)
    return "" if difference <= limit else f"{name} differs from the peer by {difference}"


def run_peer(case: Case) -> dict:
    """Returns what ONNX Runtime computes, by name of output."""
    names = [name for name in case.outputs.split() if name != "-"]
    wanted = [name for name in names if name not in case.expected]
    if not wanted:
        return case.expected
    model, inputs = build(replace(case, **case.peer), dynamic=False)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip(wanted, session.run(wanted, inputs), strict=True)) | case.expected


def check_words(words: tuple, error: ToolError) -> list:
    """Returns what an error must say and does not."""
    missing = [word for word in (NODE, *words) if word not in str(error)]
    return [f"no {missing} in: {error}"] if missing else []


def check_failure(case: Case, tools: Tools) -> list:
    """Returns what is wrong with the error of a case that must have one."""
    model, inputs = build(case, dynamic=False)
    path = tools.work / f"{case.name}.onnx"
    onnx.save(model, path)
    try:
        artifact = tools.compile(path).artifact
    except ToolError as error:
        return check_words(case.words, error) if case.words else [f"can't be compiled: {error}"]
    if case.words:
        return ["compiles, but should not"]
    try:
        tools.run(artifact, inputs)
    except ToolError as error:
        return check_words(case.run_words, error)
    return ["runs, but should not"]


def check_case(case: Case, tools: Tools) -> list:
    """Returns what is wrong with a case."""
    if case.words or case.run_words:
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
                     if (text := compare(name, outputs[name], value, case))]
    return problems


def run(description: str, families: Iterable) -> int:
    """Checks the cases of `families`; the exit code says if all are right."""
    cases = (case for family in families for case in family())
    return small_models.run(description, cases, lambda case: case.name, check_case)
