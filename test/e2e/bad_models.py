"""Hostile models. Each case is a file, and what the error must name.

A case's function writes its files into a folder and returns the model's path.
Nodes at fault are called `culprit`; the words after the name are those that
the message must hold.
"""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import AttributeProto, TensorProto, helper

FLOAT = TensorProto.FLOAT
FILE = "bad.onnx"
NODE = "culprit"


@dataclass
class BadModel:
    """One hostile model."""

    name: str
    write: Callable[[Path], Path]
    words: tuple


CASES: list[BadModel] = []


def case(name: str, *words: str):
    """Adds a function that returns bytes or a ModelProto to the cases."""

    def add(function):
        def write(folder: Path) -> Path:
            made = function(folder)
            data = made if isinstance(made, bytes) else made.SerializeToString()
            (folder / FILE).write_bytes(data)
            return folder / FILE

        CASES.append(BadModel(name, write, words))
        return function

    return add


def value(name: str, shape=(2, 3), element=FLOAT):
    """Returns the description of a graph input or output."""
    return helper.make_tensor_value_info(name, element, shape)


def node(operator: str, inputs="x", outputs="y", name=NODE, **attributes):
    """Returns a node; several names are separated by spaces."""
    return helper.make_node(
        operator, inputs.split(), outputs.split(), name, **attributes
    )


def model(nodes, inputs=None, outputs=None, weights=(), opset=17, **more):
    """Returns a model of one graph, unchecked."""
    graph = helper.make_graph(
        nodes, "bad", inputs or [value("x")], outputs or [value("y")], weights
    )
    domains = [helper.make_opsetid("", opset)] if opset is not None else []
    return helper.make_model(graph, opset_imports=domains, ir_version=8, **more)


def good() -> onnx.ModelProto:
    """Returns a sound model, for what only goes wrong around it."""
    return model([node("Relu")])


# Files that are no model.


@case("empty", FILE)
def _(folder):
    return b""


@case("text", FILE)
def _(folder):
    return b"# not a model\nprint('hello')\n" * 20


@case("zeros", FILE)
def _(folder):
    return bytes(4096)


def random_bytes(seed: int):
    """Adds a case of 2,000 random bytes."""
    case(f"random-bytes-{seed}", FILE)(
        lambda folder: random.Random(seed).randbytes(2000)
    )


for _seed in range(4):
    random_bytes(_seed)


def truncated(percent: int):
    """Adds the digits model cut off after so many percent."""
    digits = Path(__file__).resolve().parent.parent / "models/digits/digits.onnx"

    def cut(folder):
        data = digits.read_bytes()
        return data[: len(data) * percent // 100]

    case(f"truncated-{percent}", FILE)(cut)


for _percent in (1, 30, 60, 99):
    truncated(_percent)


@case("no-graph", FILE)
def _(folder):
    return onnx.ModelProto(ir_version=8, opset_import=[helper.make_opsetid("", 17)])


# Operators and versions.


@case("unknown-operator", NODE, "Frobnicate")
def _(folder):
    return model([node("Frobnicate")])


@case("unknown-domain", NODE, "com.example")
def _(folder):
    bad = model([node("Relu", domain="com.example")])
    bad.opset_import.append(helper.make_opsetid("com.example", 1))
    return bad


@case("undeclared-domain", "ai.onnx.ml")
def _(folder):
    return model([node("Scaler", domain="ai.onnx.ml")])


@case("operator-newer-than-opset", NODE, "Gelu")
def _(folder):
    return model([node("Gelu")], opset=13)


@case("opset-of-the-future", "999")
def _(folder):
    return model([node("Relu")], opset=999)


@case("no-opset", FILE)
def _(folder):
    return model([node("Relu")], opset=None)


# Graphs that hang together badly.


@case("cycle", "first|second")
def _(folder):
    return model([node("Add", "x b", "a", "first"), node("Relu", "a", "b", "second"),
                  node("Relu", "b", "y", "third")])


@case("reads-itself", NODE)
def _(folder):
    return model([node("Add", "x y", "y")])


@case("string-input", "x", "string", "cut the model")
def _(folder):
    strings = [value(name, element=TensorProto.STRING) for name in "xy"]
    return model([node("Identity")], strings[:1], strings[1:])


@case("string-constant", "string", "cut the model")
def _(folder):
    words = helper.make_tensor("s", TensorProto.STRING, [2], [b"a", b"b"])
    outputs = [value("y"), value("t", (2,), TensorProto.STRING)]
    nodes = [node("Relu"), node("Identity", "s", "t", name="copy")]
    return model(nodes, outputs=outputs, weights=[words])


@case("undefined-value", "nowhere")
def _(folder):
    return model([node("Add", "x nowhere")])


@case("undefined-output", "z")
def _(folder):
    return model([node("Relu")], outputs=[value("y"), value("z")])


@case("duplicate-value", "y")
def _(folder):
    return model([node("Relu", name="first"), node("Abs")])


@case("duplicate-input", "x")
def _(folder):
    return model([node("Relu")], inputs=[value("x"), value("x")])


@case("duplicate-weight", "w")
def _(folder):
    weight = helper.make_tensor("w", FLOAT, [3], [1.0, 2.0, 3.0])
    return model([node("Add", "x w")], weights=[weight, weight])


@case("too-many-inputs", NODE)
def _(folder):
    return model([node("Relu", "x x x")])


@case("too-few-inputs", NODE)
def _(folder):
    return model([node("Add", "x")])


@case("recursive-function", "Again")
def _(folder):
    again = helper.make_function(
        *("local", "Again", ["a"], ["b"]),
        [helper.make_node("Again", ["a"], ["b"], NODE, domain="local")],
        [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)],
    )
    bad = model([node("Again", domain="local")], functions=[again])
    bad.opset_import.append(helper.make_opsetid("local", 1))
    return bad


# Attributes, types and shapes.


@case("wrong-attribute-type", NODE, "axis")
def _(folder):
    return model([node("Softmax", axis=1.5)])


@case("missing-attribute", NODE, "axis")
def _(folder):
    return model([node("Concat", "x x")], outputs=[value("y", (4, 3))])


@case("unknown-attribute", NODE, "colour")
def _(folder):
    return model([node("Relu", colour=3)])


@case("axis-out-of-range", NODE)
def _(folder):
    return model([node("Softmax", axis=7)])


@case("result-larger-than-memory", NODE, "140737521909760 bytes")
def _(folder):
    sizes = helper.make_tensor("s", TensorProto.INT64, [2], [1 << 22, (1 << 22) + 1])
    return model(
        [node("Expand", "x s", "wide"), node("Neg", "wide", name="next")],
        inputs=[value("x", (1, 1), TensorProto.DOUBLE)],
        outputs=[value("y", None, TensorProto.DOUBLE)],
        weights=[sizes],
    )


@case("count-beyond-64-bits", NODE, "64 bits")
def _(folder):
    sizes = helper.make_tensor("s", TensorProto.INT64, [3], [1 << 22] * 3)
    return model(
        [node("Expand", "x s")], outputs=[value("y", None)], weights=[sizes],
        inputs=[value("x", (1, 1))],
    )


@case("attribute-without-type", NODE)
def _(folder):
    bad = model([node("Softmax")])
    bad.graph.node[0].attribute.append(AttributeProto(name="axis", i=1))
    return bad


@case("wrong-rank", NODE)
def _(folder):
    weight = helper.make_tensor("w", FLOAT, [1, 1, 1, 1], [1.0])
    return model([node("Conv", "x w")], weights=[weight])


@case("shapes-do-not-fit", NODE)
def _(folder):
    weight = helper.make_tensor("w", FLOAT, [5, 2], [0.0] * 10)
    return model([node("MatMul", "x w")], outputs=[value("y", (2, 2))], weights=[weight])


@case("types-do-not-fit", NODE)
def _(folder):
    weight = helper.make_tensor("w", TensorProto.INT64, [3], [1, 2, 3])
    return model([node("Add", "x w")], weights=[weight])


@case("type-not-allowed", NODE)
def _(folder):
    whole = TensorProto.INT32
    return model([node("Erf")], [value("x", (2,), TensorProto.STRING)],
                 [value("y", (2,), whole)])


@case("negative-dimension", "x")
def _(folder):
    return model([node("Relu")], [value("x", (2, -3))], [value("y", (2, -3))])


@case("huge-dimension", "x|y|culprit")
def _(folder):
    return model([node("Relu")], [value("x", (2**62, 8))], [value("y", (2**62, 8))])


@case("size-overflows", "x|y|culprit")
def _(folder):
    shape = (2**31, 2**31, 2**31)
    return model([node("Relu")], [value("x", shape)], [value("y", shape)])


@case("unknown-element-type", "x")
def _(folder):
    return model([node("Relu")], [value("x", (2, 3), 99)])


# Weights.


def weight_model(**fields):
    """Returns x + w whose weight has the given TensorProto fields."""
    fields = {"name": "w", "data_type": FLOAT, "dims": [3]} | fields
    return model([node("Add", "x w")], weights=[TensorProto(**fields)])


@case("weight-too-short", "w")
def _(folder):
    return weight_model(raw_data=bytes(8))


@case("weight-too-long", "w")
def _(folder):
    return weight_model(raw_data=bytes(400))


@case("weight-without-data", "w")
def _(folder):
    return weight_model()


@case("weight-negative-dimension", "w")
def _(folder):
    return weight_model(dims=[-3], raw_data=bytes(12))


@case("weight-huge-dimension", "w")
def _(folder):
    return weight_model(dims=[2**62], raw_data=bytes(12))


@case("weight-size-overflows", "w")
def _(folder):
    return weight_model(dims=[2**32, 2**32], raw_data=b"")


def external(location: str, **entries):
    """Returns x + w whose weight lies in another file."""
    bad = weight_model(data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **entries}.items():
        bad.graph.initializer[0].external_data.add(key=key, value=str(text))
    return bad


@case("external-missing", "w", "absent.bin")
def _(folder):
    return external("absent.bin")


@case("external-too-short", "w", "short.bin")
def _(folder):
    (folder / "short.bin").write_bytes(bytes(8))
    return external("short.bin", offset=0, length=12)


@case("external-offset-beyond", "w")
def _(folder):
    (folder / "data.bin").write_bytes(bytes(64))
    return external("data.bin", offset=2**62, length=12)


@case("external-offset-negative", "w")
def _(folder):
    (folder / "data.bin").write_bytes(bytes(64))
    return external("data.bin", offset=-8, length=12)


@case("external-length-differs", "w")
def _(folder):
    (folder / "data.bin").write_bytes(bytes(64))
    return external("data.bin", offset=0, length=40)


@case("external-outside", "w")
def _(folder):
    (folder.parent / "outside.bin").write_bytes(bytes(64))
    return external("../outside.bin", offset=0, length=12)


@case("external-absolute", "w")
def _(folder):
    (folder.parent / "outside.bin").write_bytes(bytes(64))
    return external(str(folder.parent / "outside.bin"), offset=0, length=12)


@case("external-symlink-out", "w")
def _(folder):
    (folder.parent / "outside.bin").write_bytes(bytes(64))
    os.symlink(folder.parent / "outside.bin", folder / "link.bin")
    return external("link.bin", offset=0, length=12)


@case("external-is-a-folder", "w")
def _(folder):
    (folder / "data").mkdir()
    return external("data", offset=0, length=12)


# Depth.


def field(number: int, data: bytes) -> bytes:
    """Returns a length-delimited protobuf field."""
    return prefix(number, len(data)) + data


def prefix(number: int, length: int) -> bytes:
    """Returns the tag and the length of a length-delimited field."""
    result = bytearray([number << 3 | 2])
    while length > 127:
        result.append(length & 127 | 128)
        length >>= 7
    return bytes(result) + bytes([length])


def nested_ifs(depth: int) -> bytes:
    """Returns a model of Ifs in Ifs, written from the inside out.

    Protobuf's own classes do not go that deep, so each level is written as the
    lengths before it and the fields after it.
    """
    relu = node("Relu", name="innermost").SerializeToString()
    core = field(1, relu) + field(2, b"g") + field(12, value("y").SerializeToString())
    before, after, size = [], [], len(core)
    for _ in range(depth):
        tail = field(1, b"then_branch") + b"\xa0\x01\x05"  # AttributeProto.GRAPH
        attribute = prefix(6, size)
        size += len(attribute) + len(tail)
        head = field(1, b"c") + field(2, b"y") + field(3, b"n") + field(4, b"If")
        in_node = prefix(5, size)
        size += len(head) + len(in_node)
        in_graph = prefix(1, size)
        graph_tail = field(2, b"g")
        size += len(in_graph) + len(graph_tail)
        before.append(in_graph + head + in_node + attribute)
        after.append(tail + graph_tail)
    graph = b"".join(reversed(before)) + core + b"".join(after)
    return b"\x08\x08" + field(7, graph) + field(
        8, helper.make_opsetid("", 17).SerializeToString()
    )


@case("ten-thousand-nested-subgraphs", FILE)
def _(folder):
    return nested_ifs(10000)


@case("three-hundred-nested-subgraphs", FILE)
def _(folder):
    return nested_ifs(300)
