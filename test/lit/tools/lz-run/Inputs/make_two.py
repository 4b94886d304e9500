"""Writes a model with two outputs, one of whose names needs escapes in XML, and
what numpy says that they are; the f16 one is off by one part in a thousand."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

folder = sys.argv[1]
odd = "a<b> & \"c\"\n'd'"
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])
outputs = [
    helper.make_tensor_value_info(odd, TensorProto.FLOAT, [3]),
    helper.make_tensor_value_info("half", TensorProto.FLOAT16, [3]),
]
nodes = [
    helper.make_node("Neg", ["x"], [odd], name="neg"),
    helper.make_node("Cast", [odd], ["half"], name="cast", to=TensorProto.FLOAT16),
]
graph = helper.make_graph(nodes, "two", [x], outputs)
model = helper.make_model(
    graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
)
onnx.save(model, f"{folder}/two.onnx")
data = np.array([1, 2, 4], np.float32)
half = (-data * 1.001).astype(np.float16)
np.savez(f"{folder}/x.npz", x=data)
np.savez(f"{folder}/half.npz", half=half)
np.savez(f"{folder}/good.npz", **{odd: -data, "half": half})
np.savez(f"{folder}/wrong.npz", **{odd: -data * np.float32(1.001), "half": half})
