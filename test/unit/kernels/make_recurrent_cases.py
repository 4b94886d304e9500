#!/usr/bin/env python3
"""Writes RecurrentCases.inc: what ONNX Runtime computes for LSTM, GRU and RNN.

Operands are filled by the formula in fill(), which RecurrentTest.cpp repeats, so
that only results are stored.

usage: make_recurrent_cases.py > RecurrentCases.inc
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
DIRECTIONS = {"forward": 0, "reverse": 1, "bidirectional": 2}
KINDS = ["Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu",
         "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus"]


def fill(seed, *shape):
    """Returns a tensor of small numbers that are exact in float."""
    count = np.arange(np.prod(shape, dtype=np.int64))
    return ((count * 37 + seed * 11) % 61 - 30).astype(np.float32).reshape(shape) / 32


def case(op, time, batch, inputs, hidden, direction="forward", *, bias=True,
         lengths=None, state=False, peepholes=False, clip=None, flag=False,
         activations=None):
    """One case; `activations` is a list of (name, alpha, beta)."""
    directions = 2 if direction == "bidirectional" else 1
    rows = GATES[op] * hidden
    feeds = {
        "x": fill(1, time, batch, inputs),
        "w": fill(2, directions, rows, inputs),
        "r": fill(3, directions, rows, hidden),
        "b": fill(4, directions, 2 * rows) if bias else None,
        "l": np.array(lengths, np.int32) if lengths else None,
        "h": fill(5, directions, batch, hidden) if state else None,
    }
    if op == "LSTM":
        feeds["c"] = fill(6, directions, batch, hidden) if state else None
        feeds["p"] = fill(7, directions, 3 * hidden) if peepholes else None
    attributes = {"hidden_size": hidden, "direction": direction}
    if clip:
        attributes["clip"] = clip
    if flag:
        attributes["input_forget" if op == "LSTM" else "linear_before_reset"] = 1
    if activations:
        attributes["activations"] = [name for name, _, _ in activations]
        attributes["activation_alpha"] = [a for _, a, _ in activations if a is not None]
        attributes["activation_beta"] = [b for _, _, b in activations if b is not None]
    attributes = {name: value for name, value in attributes.items() if value != []}
    results = run(op, feeds, attributes)
    print_case(op, [time, batch, inputs, hidden, DIRECTIONS[direction]], feeds,
               clip, flag, activations, results)


def run(op, feeds, attributes):
    """Returns the results of one node."""
    names = ["y", "yh", "yc"][: 3 if op == "LSTM" else 2]
    node = helper.make_node(op, [k if v is not None else "" for k, v in feeds.items()],
                            names, **attributes)
    feeds = {k: v for k, v in feeds.items() if v is not None}
    inputs = [helper.make_tensor_value_info(
        k, TensorProto.INT32 if k == "l" else TensorProto.FLOAT, v.shape)
        for k, v in feeds.items()]
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
    model = helper.make_model(helper.make_graph([node], "g", inputs, outputs),
                              opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, feeds)


def print_case(op, sizes, feeds, clip, flag, activations, results):
    """Prints one case as a C++ initializer."""
    def numbers(values):
        return "{" + ", ".join(f"{v:.7g}" for v in np.ravel(values)) + "}"

    defaults = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"],
                "RNN": ["Tanh"]}[op]
    directions = 2 if sizes[4] == 2 else 1
    activations = activations or [(name, None, None) for name in defaults * directions]
    listed = ", ".join(f"{{{KINDS.index(name)}, {a or 0}, {b or 0}}}"
                       for name, a, b in activations)
    given = [feeds.get(k) is not None for k in "bhcp"]
    lengths = feeds["l"] if feeds["l"] is not None else []
    print(f'{{"{op}", {numbers(sizes)}, {int(flag)}, {clip or "INFINITY"}, {{{listed}}},')
    print(f' {{{", ".join(str(g).lower() for g in given)}}}, {numbers(lengths)},')
    for result in results + [[]] * (3 - len(results)):
        print(f" {numbers(result)},")
    print("},")


def main():
    print("// Made by make_recurrent_cases.py with ONNX Runtime "
          f"{onnxruntime.__version__}.")
    print("// clang-format off")
    case("LSTM", 3, 2, 3, 4)
    case("LSTM", 3, 2, 3, 4, bias=False, state=True)
    case("LSTM", 4, 3, 2, 3, "bidirectional", lengths=[4, 1, 3], state=True,
         peepholes=True)
    case("LSTM", 4, 2, 2, 3, "reverse", lengths=[2, 4], clip=0.25, peepholes=True)
    case("LSTM", 3, 1, 2, 3, flag=True, state=True)
    case("LSTM", 2, 1, 37, 21, state=True)
    case("LSTM", 3, 1, 2, 3, activations=[("HardSigmoid", 0.3, 0.4),
         ("Softsign", None, None), ("ScaledTanh", 0.9, 0.7)])
    case("GRU", 3, 2, 3, 4)
    case("GRU", 4, 3, 2, 3, "bidirectional", lengths=[4, 1, 3], state=True)
    case("GRU", 4, 3, 2, 3, "bidirectional", lengths=[4, 1, 3], state=True, flag=True)
    case("GRU", 3, 2, 2, 3, "reverse", clip=0.25)
    case("GRU", 2, 1, 37, 21, flag=True, state=True)
    case("RNN", 3, 2, 3, 4, bias=False)
    case("RNN", 4, 3, 2, 3, "bidirectional", lengths=[4, 1, 3], state=True)
    case("RNN", 2, 1, 37, 21, "reverse", state=True)
    parameters = {"Affine": (0.5, 0.25), "LeakyRelu": (0.125, None),
                  "ThresholdedRelu": (0.5, None), "ScaledTanh": (0.75, 0.5),
                  "HardSigmoid": (0.3, 0.4), "Elu": (0.7, None)}
    for name in KINDS:
        case("RNN", 2, 2, 3, 4,
             activations=[(name, *parameters.get(name, (None, None)))])


if __name__ == "__main__":
    main()
