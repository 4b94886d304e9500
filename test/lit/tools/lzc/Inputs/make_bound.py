"""Writes a model whose result's size depends on data, with input and numpy's
result."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

folder = sys.argv[1]
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 5])
y = helper.make_tensor_value_info("y", TensorProto.INT64, [2, "count"])
nodes = [
    helper.make_node("Relu", ["x"], ["positive"], name="relu"),
    helper.make_node("NonZero", ["positive"], ["y"], name="where"),
]
graph = helper.make_graph(nodes, "bound", [x], [y])
model = helper.make_model(
    graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
)
onnx.save(model, f"{folder}/bound.onnx")
for name, seed in (("a", 0), ("b", 1)):
    data = np.random.default_rng(seed).standard_normal((4, 5)).astype(np.float32)
    np.savez(f"{folder}/{name}.npz", x=data)
    positions = np.stack(np.nonzero(np.maximum(data, 0)))
    np.savez(f"{folder}/{name}-y.npz", y=positions.astype(np.int64))
np.savez(f"{folder}/none.npz", x=np.zeros((4, 5), np.float32))
np.savez(f"{folder}/none-y.npz", y=np.zeros((2, 0), np.int64))
