"""One-operator models over about a million elements, by family.

A case is an operator, its inputs and its attributes. Inputs are written
`type:AxBxC`, or `type<LIMIT:AxBxC` for integers below LIMIT; arrays are
constants of the model.
"""

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
TYPES = {
    "f32": np.float32,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
    "u8": np.uint8,
    "bool": np.bool_,
}
MATRIX, IMAGE, ROWS = "f32:1024x1024", "f32:1x64x128x128", "f32:1024x768"


@dataclass
class Case:
    """One operator at one size."""

    family: str
    name: str
    op: str
    inputs: list
    attributes: dict = field(default_factory=dict)
    outputs: int = 1

    def model(self) -> onnx.ModelProto:
        """Returns the model, with shapes inferred."""
        names = [f"in{i}" for i in range(len(self.inputs))]
        given = [(n, s) for n, s in zip(names, self.inputs) if isinstance(s, str)]
        constants = [
            numpy_helper.from_array(value, name)
            for name, value in zip(names, self.inputs)
            if isinstance(value, np.ndarray)
        ]
        used = ["" if s is None else n for n, s in zip(names, self.inputs)]
        results = [f"out{i}" for i in range(self.outputs)]
        node = helper.make_node(self.op, used, results, **self.attributes)
        graph = helper.make_graph(
            [node],
            self.name,
            [value_info(name, *parse(spec)[:2]) for name, spec in given if spec],
            [helper.make_value_info(name, onnx.TypeProto()) for name in results],
            constants,
        )
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return onnx.shape_inference.infer_shapes(model)

    def arrays(self) -> dict:
        """Returns seeded inputs."""
        random = np.random.default_rng(1)
        return {
            f"in{i}": sample(random, *parse(spec))
            for i, spec in enumerate(self.inputs)
            if isinstance(spec, str)
        }


def parse(spec: str) -> tuple:
    """Returns the type, the shape and the limit of an input."""
    kind, _, sizes = spec.partition(":")
    kind, _, limit = kind.partition("<")
    shape = [int(size) for size in sizes.split("x") if size]
    return TYPES[kind], shape, int(limit or 100)


def value_info(name: str, kind, shape: list) -> onnx.ValueInfoProto:
    """Describes a graph input."""
    element = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    return helper.make_tensor_value_info(name, element, shape)


def sample(random, kind, shape: list, limit: int) -> np.ndarray:
    """Returns random elements of a type."""
    if kind is np.bool_:
        return random.random(shape) < 0.5
    if np.issubdtype(kind, np.integer):
        return random.integers(0, limit, shape).astype(kind)
    return random.standard_normal(shape).astype(kind)


def ints(*values: int) -> np.ndarray:
    """Returns a constant list of integers."""
    return np.array(values, np.int64)


def family(name: str, *rows: tuple) -> list[Case]:
    """Returns the cases of one family: (name, operator, inputs, attributes ...)."""
    return [Case(name, *row) for row in rows]


def unary_cases() -> list[Case]:
    """Functions of one element."""
    names = (
        "Abs Neg Relu LeakyRelu Elu Selu HardSigmoid HardSwish Sigmoid Tanh Exp Erf"
        " Softplus Softsign Mish Gelu Sin Cos Floor Round Sign Reciprocal"
        " ThresholdedRelu IsNaN"
    )
    cases = [Case("unary", name, name, [MATRIX]) for name in names.split()]
    tanh = Case("unary", "Gelu-tanh", "Gelu", [MATRIX], {"approximate": "tanh"})
    return cases + [tanh]


def binary_cases() -> list[Case]:
    """Two and three operands, equal or broadcast."""
    pairs = {
        "same": (MATRIX, MATRIX),
        "scalar": (MATRIX, "f32:1"),
        "row": (MATRIX, "f32:1024"),
        "column": (MATRIX, "f32:1024x1"),
        "channel": (IMAGE, "f32:1x64x1x1"),
        "outer": ("f32:1024x1", "f32:1x1024"),
        "batch": ("f32:16x64x1024", "f32:1x64x1024"),
        "middle": ("f32:32x64x512", "f32:32x1x512"),
        "small-channel": ("f32:8x2048x7x7", "f32:1x2048x1x1"),
    }
    cases = [
        Case("binary", f"Add-{name}", "Add", list(pair)) for name, pair in pairs.items()
    ]
    cases += [
        Case("binary", "Div", "Div", [MATRIX, MATRIX]),
        Case("binary", "Max", "Max", [MATRIX, MATRIX]),
        Case("binary", "Pow-2", "Pow", [MATRIX, np.array(2, np.float32)]),
        Case("binary", "Pow-half", "Pow", [MATRIX, np.array(0.5, np.float32)]),
        Case("binary", "PRelu", "PRelu", [IMAGE, "f32:64x1x1"]),
        Case("binary", "Add-i64", "Add", ["i64:1024x512", "i64:1024x512"]),
        Case("binary", "Less", "Less", [MATRIX, MATRIX]),
        Case("binary", "Equal-i64", "Equal", ["i64:1024x512", "i64:1"]),
        Case("binary", "And", "And", ["bool:1024x1024", "bool:1024x1024"]),
    ]
    return cases


def choice_cases() -> list[Case]:
    """Selection, limits and conversions."""
    low, high = np.array(-1, np.float32), np.array(1, np.float32)
    casts = [
        ("f32", "f16", TensorProto.FLOAT16),
        ("f16", "f32", TensorProto.FLOAT),
        ("f32", "i32", TensorProto.INT32),
        ("f32", "i64", TensorProto.INT64),
        ("i64", "f32", TensorProto.FLOAT),
        ("i64", "i32", TensorProto.INT32),
        ("u8", "f32", TensorProto.FLOAT),
        ("f32", "i8", TensorProto.INT8),
        ("f32", "bool", TensorProto.BOOL),
        ("bool", "f32", TensorProto.FLOAT),
    ]
    return [
        Case("where", "Where-same", "Where", ["bool:1024x1024", MATRIX, MATRIX]),
        Case("where", "Where-scalar", "Where", ["bool:1024x1024", MATRIX, "f32:1"]),
        Case("where", "Where-mask", "Where", ["bool:1x1024", MATRIX, "f32:1"]),
        Case("where", "Clip", "Clip", [MATRIX, low, high]),
        Case("where", "Min", "Min", [MATRIX, MATRIX, MATRIX]),
    ] + [
        Case("cast", f"Cast-{a}-{b}", "Cast", [f"{a}:1024x1024"], {"to": to})
        for a, b, to in casts
    ]


def norm_cases() -> list[Case]:
    """Softmax and normalizations."""
    channels = ["f32:64"] * 2
    small = ["f32:8x2048x7x7", *["f32:2048"] * 4]
    return [
        Case("softmax", "Softmax-128", "Softmax", ["f32:12x512x128"], {"axis": -1}),
        Case("softmax", "Softmax-1000", "Softmax", ["f32:1024x1000"], {"axis": -1}),
        Case("softmax", "Softmax-middle", "Softmax", ["f32:16x64x1024"], {"axis": 1}),
        Case("softmax", "LogSoftmax", "LogSoftmax", ["f32:1024x1000"], {"axis": -1}),
        Case("norm", "LayerNorm", "LayerNormalization", [ROWS, "f32:768", "f32:768"]),
        Case("norm", "SmallBatchNorm", "BatchNormalization", small),
        Case("norm", "InstanceNorm", "InstanceNormalization", [IMAGE, *channels]),
        Case("norm", "BatchNorm", "BatchNormalization", [IMAGE, *channels, *channels]),
        Case("norm", "LRN", "LRN", [IMAGE], {"size": 5}),
        Case("norm", "LpNorm", "LpNormalization", [ROWS], {"axis": -1}),
        Case("norm", "MeanVariance", "MeanVarianceNormalization", [IMAGE]),
    ]


def reduce_cases() -> list[Case]:
    """Reductions over the first, middle, last and all axes."""
    shape = "f32:64x128x128"
    axes = {"first": ints(0), "middle": ints(1), "last": ints(2), "all": None}
    axes["outer"] = ints(0, 1)
    axes["inner"] = ints(1, 2)
    axes["ends"] = ints(0, 2)
    cases = [
        Case("reduce", f"{op}-{name}", op, [shape] if axis is None else [shape, axis])
        for op in ("ReduceSum", "ReduceMax", "ReduceMean")
        for name, axis in axes.items()
    ]
    for op in ("ReduceL2", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare"):
        for name in ("middle", "last"):
            cases.append(Case("reduce", f"{op}-{name}", op, [shape, axes[name]]))
    for name, axis in {"first": 0, "middle": 1, "last": 2}.items():
        arg = Case("reduce", f"ArgMax-{name}", "ArgMax", [shape], {"axis": axis})
        axis = np.array(axis, np.int64)
        cases += [arg, Case("reduce", f"CumSum-{name}", "CumSum", [shape, axis])]
    return cases


def pool_cases() -> list[Case]:
    """Windows."""
    three = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    one = {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [1, 1, 1, 1]}
    counted = {**three, "count_include_pad": 1}
    five = {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2, 2, 2, 2]}
    cases = []
    for op in ("MaxPool", "AveragePool"):
        for name, attributes in (("3s2", three), ("2s2", two), ("3s1", one)):
            cases.append(Case("pool", f"{op}-{name}", op, [IMAGE], attributes))
    return cases + [
        Case("pool", "MaxPool-5s1", "MaxPool", [IMAGE], five),
        Case("pool", "AveragePool-in", "AveragePool", [IMAGE], counted),
        Case("pool", "LpPool", "LpPool", [IMAGE], two),
        Case("pool", "GlobalAverage", "GlobalAveragePool", [IMAGE]),
        Case("pool", "GlobalAverage-7", "GlobalAveragePool", ["f32:8x2048x7x7"]),
        Case("pool", "GlobalMax", "GlobalMaxPool", [IMAGE]),
    ]


def resize_cases() -> list[Case]:
    """Resampling by 2, and back."""
    small, large = "f32:1x16x128x128", "f32:1x16x512x512"
    up = [small, None, np.array([1, 1, 2, 2], np.float32)]
    down = [large, None, np.array([1, 1, 0.5, 0.5], np.float32)]
    cases = []
    for mode in ("nearest", "linear", "cubic"):
        pixel = "asymmetric" if mode == "nearest" else "half_pixel"
        keys = {"mode": mode, "coordinate_transformation_mode": pixel}
        if mode == "nearest":
            keys["nearest_mode"] = "floor"
        cases.append(Case("resize", f"{mode}-up", "Resize", up, keys))
        cases.append(Case("resize", f"{mode}-down", "Resize", down, keys))
    corners = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    cases.append(Case("resize", "corners-up", "Resize", up, corners))
    return cases


def transpose_cases() -> list[Case]:
    """Permutations."""
    permutations = {
        "2d": (MATRIX, [1, 0]),
        "nhwc": (IMAGE, [0, 2, 3, 1]),
        "nchw": ("f32:1x128x128x64", [0, 3, 1, 2]),
        "rgb": ("f32:1x512x512x3", [0, 3, 1, 2]),
        "heads": ("f32:4x256x12x64", [0, 2, 1, 3]),
        "keys": ("f32:4x256x12x64", [0, 2, 3, 1]),
        "reverse": ("f32:32x64x8x64", [3, 2, 1, 0]),
        "shuffle": ("f32:1x4x16x128x128", [0, 2, 1, 3, 4]),
    }
    return [
        Case("transpose", name, "Transpose", [shape], {"perm": order})
        for name, (shape, order) in permutations.items()
    ] + [
        Case("transpose", "2d-u8", "Transpose", ["u8:1024x1024"], {"perm": [1, 0]}),
        Case("transpose", "2d-f16", "Transpose", ["f16:1024x1024"], {"perm": [1, 0]}),
    ]


def copy_cases() -> list[Case]:
    """Data moved in pieces."""
    quarter = "f32:1x16x128x128"
    border = ints(0, 0, 1, 1, 0, 0, 1, 1)
    axes, ones = ints(0, 1, 2, 3), ints(1, 1, 2, 2)
    window = [ints(0, 0, 8, 8), ints(1, 64, 120, 120), axes]
    steps = [ints(0, 0, 0, 0), ints(1, 64, 128, 128), axes, ones]
    back = [ints(-1), ints(-(1 << 40)), ints(3), ints(-1)]
    block, crd = {"blocksize": 2}, {"blocksize": 2, "mode": "CRD"}
    split = {"axis": 1, "num_outputs": 4}
    rows = ["f32:16384x64", "f32:16384x3"]
    return family(
        "copy",
        ("Pad", "Pad", [IMAGE, border]),
        ("Pad-edge", "Pad", [IMAGE, border], {"mode": "edge"}),
        ("Pad-reflect", "Pad", [IMAGE, border], {"mode": "reflect"}),
        ("Concat-channels", "Concat", [quarter] * 4, {"axis": 1}),
        ("Concat-last", "Concat", ["f32:16384x16"] * 4, {"axis": 1}),
        ("Concat-two", "Concat", rows, {"axis": 1}),
        ("Split-channels", "Split", [IMAGE], split, 4),
        ("Split-last", "Split", rows[:1], split, 4),
        ("Slice-window", "Slice", [IMAGE, *window]),
        ("Slice-steps", "Slice", [IMAGE, *steps]),
        ("Slice-back", "Slice", [IMAGE, *back]),
        ("Expand-rows", "Expand", ["f32:1x1024", ints(1024, 1024)]),
        ("Expand-columns", "Expand", ["f32:1024x1", ints(1024, 1024)]),
        ("Expand-middle", "Expand", ["f32:16x1x64x64", ints(16, 16, 64, 64)]),
        ("Tile", "Tile", ["f32:256x256", ints(4, 4)]),
        ("SpaceToDepth", "SpaceToDepth", [IMAGE], block),
        ("DepthToSpace", "DepthToSpace", [IMAGE], block),
        ("DepthToSpace-crd", "DepthToSpace", [IMAGE], crd),
        ("Trilu", "Trilu", [MATRIX]),
    )


def gather_cases() -> list[Case]:
    """Indices from data."""
    each, some = "i64<1024:1024x1024", "i64<1024:256x1024"
    first, last = {"axis": 0}, {"axis": 1}
    values = np.array([0, 1], np.float32)
    rows = "f32:256x1024"
    return family(
        "gather",
        ("Gather-rows", "Gather", ["f32:30000x256", "i64<30000:4096"]),
        ("Gather-last", "Gather", [MATRIX, "i64<1024:1024"], last),
        ("Gather-middle", "Gather", [IMAGE, "i64<64:64"], last),
        ("GatherElements", "GatherElements", [MATRIX, each], last),
        ("GatherElements-0", "GatherElements", [MATRIX, each], first),
        ("GatherND", "GatherND", ["f32:64x64x256", "i64<64:4096x2"]),
        ("ScatterElements", "ScatterElements", [MATRIX, some, rows], first),
        ("ScatterND", "ScatterND", [MATRIX, "i64<1024:256x1", rows]),
        ("OneHot", "OneHot", ["i64<1000:1024", ints(1000), values]),
    )


def quant_cases() -> list[Case]:
    """8-bit storage."""
    scale = np.array(0.02, np.float32)
    image = "u8:1x64x128x128"
    scales, zeros = np.full(64, scale), np.full(64, np.uint8(128))
    cases = []
    for kind, zero in (("u8", np.array(128, np.uint8)), ("i8", np.array(3, np.int8))):
        codes = f"{kind}:1024x1024"
        cases += family(
            "quantize",
            (f"Quantize-{kind}", "QuantizeLinear", [MATRIX, scale, zero]),
            (f"Dequantize-{kind}", "DequantizeLinear", [codes, scale, zero]),
        )
    return cases + family(
        "quantize",
        ("Quantize-channel", "QuantizeLinear", [IMAGE, scales, zeros]),
        ("Dequantize-channel", "DequantizeLinear", [image, scales, zeros]),
        ("DynamicQuantize", "DynamicQuantizeLinear", [MATRIX], {}, 3),
    )


def all_cases() -> list[Case]:
    """Returns every case, family by family."""
    groups = (
        unary_cases, binary_cases, choice_cases, norm_cases, reduce_cases, pool_cases,
        resize_cases, transpose_cases, copy_cases, gather_cases, quant_cases,
    )
    return [case for group in groups for case in group()]
