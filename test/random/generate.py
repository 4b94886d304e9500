"""Random graphs: the same seed makes the same model and the same inputs."""

from dataclasses import dataclass

import contractions
import elementwise
import motifs
import movement
import numpy as np
import onnx
import reductions
from builder import IR_VERSION, Builder, Reject, Value
from onnx import helper, numpy_helper

FAMILIES = (elementwise, reductions, contractions, movement, motifs)
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33)
SMALL = (1, 1, 2, 3, 4, 5, 7, 8, 9)
LARGE = (16, 31, 32, 33, 64, 65, 100, 127)  # enough for several threads
TYPES = (np.float32,) * 12 + (np.float64, np.float16, np.float16, np.int64, np.int32, np.uint8)
TYPES += (np.bool_,)
# Images, sequences, or whatever comes: the ranks of inputs.
THEMES = ([4], [4], [3], [2, 3], [], [], [])
SIDE_TYPES = (np.float32, np.float32, np.int64, np.bool_, np.int32)


@dataclass
class Case:
    """A model, and for each run its inputs and what each output should be."""

    seed: int
    model: onnx.ModelProto
    inputs: list
    outputs: list
    tried: int  # proposals, those taken back included


def rules() -> tuple:
    """Returns all rules and their weights."""
    table = {rule: weight for family in FAMILIES for rule, weight in family.RULES.items()}
    return list(table), list(table.values())


def draw_symbols(b: Builder) -> dict:
    """Returns the free sizes of a graph: for each name its size in each run."""
    if b.chance(0.45):
        return {}
    b.runs = b.random.choice([2, 3])
    choices = [0, *SIZES] if b.chance(0.12) else list(SIZES)
    names = b.random.sample(["n", "rows", "batch", "len"], b.random.choice([1, 1, 2]))
    return {name: tuple(b.random.sample(choices, b.runs)) for name in names}


def draw_shape(b: Builder, symbols: dict, ranks: list) -> list:
    """Returns the shape of an input, of sizes and names; few dimensions are large.
    No ranks stand for any."""
    large = b.chance(0.12)
    rank = b.random.choice(ranks or ([2, 3, 3, 4] if large else [0, 1, 2, 2, 3, 3, 3, 4, 4, 5]))
    shape = [b.random.choice(SMALL) for _ in range(rank)]
    for axis in b.random.sample(range(rank), min(rank, 2)):
        shape[axis] = b.random.choice(LARGE if large else SIZES)
    if rank and b.chance(0.15):
        shape[-1] = 1
    for name in symbols:
        if rank and b.chance(0.7):
            shape[b.random.choice([0, 0, b.random.randrange(rank)])] = name
    if not symbols and rank and b.chance(0.02):
        shape[b.random.randrange(rank)] = 0
    return shape


def add_input(b: Builder, symbols: dict, dtype, shape: list) -> None:
    """Adds an input with numbers for each run."""
    name = b.name("x")
    grid = b.chance(0.4)
    arrays = []
    for run in range(b.runs):
        sizes = [symbols[d][run] if isinstance(d, str) else d for d in shape]
        arrays.append(b.numbers(sizes, dtype, grid))
    if max(array.size for array in arrays) > 40_000:
        raise Reject("too large")
    b.dims_of_inputs[name] = shape
    b.inputs.append(Value(name, arrays, grid or dtype not in (np.float32, np.float64, np.float16)))
    b.values.append(b.inputs[-1])


def add_inputs(b: Builder) -> None:
    """Draws the free sizes and one to three inputs."""
    symbols = draw_symbols(b)
    ranks = b.random.choice(THEMES)
    dtype = b.random.choice(TYPES[: len(TYPES) - 4 * bool(ranks)])
    shape = draw_shape(b, symbols, ranks)
    add_input(b, symbols, dtype, shape)
    for _ in range(b.random.choice([0, 1, 1, 2])):
        other = draw_shape(b, symbols, ranks)
        if b.chance(0.5):  # the first shape, in part or whole
            other = [size if b.chance(0.7) else 1 for size in shape]
            other = other[b.random.choice([0, 0, b.random.randint(0, len(other))]) :]
        add_input(b, symbols, dtype if b.chance(0.6) else b.random.choice(SIDE_TYPES), other)


def grow(b: Builder, wanted: int) -> int:
    """Adds nodes until there are enough; returns how many rules were tried."""
    choices, weights = rules()
    for tried in range(1, wanted * 12):
        if len(b.nodes) >= wanted:
            return tried
        mark = b.mark()
        try:
            b.values.append(b.random.choices(choices, weights)[0](b))
        except Reject:
            b.take_back(mark)
    return wanted * 12


def pick_outputs(b: Builder) -> list[Value]:
    """Returns what nothing uses, and sometimes values that are used inside too."""
    used = {name for node in b.nodes for name in node.input}
    inputs = {value.name for value in b.inputs}
    made = [value for value in b.values if value.name not in inputs]
    ends = [value for value in made if value.name not in used]
    inner = [value for value in made if value.name in used]
    for _ in range(b.random.choice([0, 0, 1, 2])):
        if inner:
            ends.append(inner.pop(b.random.randrange(len(inner))))
    return ends


def info(name: str, value: Value, shape: list):
    """Describes an input or output."""
    kind = helper.np_dtype_to_tensor_dtype(value.arrays[0].dtype)
    return helper.make_tensor_value_info(name, kind, shape)


def build_model(b: Builder, outputs: list[Value]) -> onnx.ModelProto:
    """Returns the model of a grown graph; outputs state their rank only."""
    graph = helper.make_graph(
        b.nodes,
        "random",
        [info(value.name, value, b.dims_of_inputs[value.name]) for value in b.inputs],
        [info(value.name, value, [None] * value.rank) for value in outputs],
        [numpy_helper.from_array(array, name) for name, array in b.constants.items()],
    )
    opsets = [helper.make_opsetid("", b.opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


def attempt(seed: int, salt: int) -> Case:
    """Makes a graph, or rejects what came out."""
    b = Builder(seed * 1000 + salt)
    add_inputs(b)
    tried = grow(b, b.random.randint(3, 25))
    outputs = pick_outputs(b)
    if len(b.nodes) < 3 or not outputs:
        raise Reject("too few nodes")
    runs = range(b.runs)
    return Case(
        seed,
        build_model(b, outputs),
        [{value.name: value.arrays[run] for value in b.inputs} for run in runs],
        [{value.name: value.arrays[run] for value in outputs} for run in runs],
        tried,
    )


def generate(seed: int) -> Case:
    """Returns the case of a seed."""
    for salt in range(100):
        try:
            return attempt(seed, salt)
        except Reject:
            continue
    raise RuntimeError(f"seed {seed} makes no graph")
