#!/usr/bin/env python3
"""Trains the network of digits.onnx and writes it, with a few test vectors.

Two 3x3 convolutions (the second with stride 2) and a fully connected layer on
scikit-learn's 8x8 digits; the forward pass, its gradient and Adam are written
out in numpy, so that nothing but numpy, onnx and scikit-learn is needed.
Takes about a minute on one core.

usage: train.py [--out DIR]
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

TRAINED, EPOCHS, BATCH, RATE = 1500, 40, 50, 2e-3


def columns(x: np.ndarray, stride: int) -> np.ndarray:
    """Returns each 3x3 window of a padded NCHW batch: [n, h, w, c * 9]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = sliding_window_view(padded, (3, 3), axis=(2, 3))
    windows = windows[:, :, ::stride, ::stride].transpose(0, 2, 3, 1, 4, 5)
    return windows.reshape(*windows.shape[:3], -1)


def uncolumns(gradient: np.ndarray, shape: tuple, stride: int) -> np.ndarray:
    """Adds window gradients back onto the pixels: the transpose of columns."""
    n, c, h, w = shape
    padded = np.zeros((n, c, h + 2, w + 2), np.float32)
    windows = gradient.reshape(*gradient.shape[:3], c, 3, 3).transpose(0, 3, 4, 5, 1, 2)
    for y in range(3):
        for x in range(3):
            padded[:, :, y : y + h : stride, x : x + w : stride] += windows[:, :, y, x]
    return padded[:, :, 1:-1, 1:-1]


def start(generator: np.random.Generator) -> dict:
    """Returns the parameters before training."""

    def weight(*shape):
        fan_in = int(np.prod(shape[1:]))
        drawn = generator.standard_normal(shape) * np.sqrt(2 / fan_in)
        return drawn.astype(np.float32)

    return {
        "conv1.weight": weight(16, 1, 3, 3),
        "conv1.bias": np.zeros(16, np.float32),
        "conv2.weight": weight(32, 16, 3, 3),
        "conv2.bias": np.zeros(32, np.float32),
        "fc.weight": weight(10, 512),
        "fc.bias": np.zeros(10, np.float32),
    }


def convolve(x, p, name: str, stride: int):
    """Returns relu(conv(x)) and what the gradient needs."""
    weight = p[f"{name}.weight"]
    cols = columns(x, stride)
    y = cols @ weight.reshape(len(weight), -1).T + p[f"{name}.bias"]
    return np.maximum(y, 0).transpose(0, 3, 1, 2), cols


def forward(p: dict, x: np.ndarray):
    """Returns the logits and the values that the gradient needs."""
    a, cols1 = convolve(x, p, "conv1", 1)
    b, cols2 = convolve(a, p, "conv2", 2)
    flat = b.reshape(len(b), -1)
    return flat @ p["fc.weight"].T + p["fc.bias"], (cols1, a, cols2, b, flat)


def convolution_gradient(g: dict, name: str, gradient, y, cols, weight):
    """Adds the gradients of one layer; returns that of its windows."""
    gradient = (gradient * (y > 0)).transpose(0, 2, 3, 1)
    flat = gradient.reshape(-1, gradient.shape[-1])
    g[f"{name}.weight"] = (flat.T @ cols.reshape(len(flat), -1)).reshape(weight.shape)
    g[f"{name}.bias"] = flat.sum(0)
    return gradient @ weight.reshape(len(weight), -1)


def gradients(p: dict, x: np.ndarray, labels: np.ndarray) -> dict:
    """Returns the gradient of the mean cross entropy."""
    logits, (cols1, a, cols2, b, flat) = forward(p, x)
    e = np.exp(logits - logits.max(1, keepdims=True))
    error = e / e.sum(1, keepdims=True)
    error[np.arange(len(x)), labels] -= 1
    error /= len(x)
    g = {"fc.weight": error.T @ flat, "fc.bias": error.sum(0)}
    back = (error @ p["fc.weight"]).reshape(b.shape)
    back = convolution_gradient(g, "conv2", back, b, cols2, p["conv2.weight"])
    back = uncolumns(back, a.shape, 2)
    convolution_gradient(g, "conv1", back, a, cols1, p["conv1.weight"])
    return g


def train(x: np.ndarray, labels: np.ndarray) -> dict:
    """Returns the parameters after EPOCHS of Adam."""
    generator = np.random.default_rng(0)
    p = start(generator)
    first = {k: np.zeros_like(v) for k, v in p.items()}
    second = {k: np.zeros_like(v) for k, v in p.items()}
    step = 0
    for _ in range(EPOCHS):
        for rows in generator.permutation(len(x)).reshape(-1, BATCH):
            step += 1
            for k, g in gradients(p, x[rows], labels[rows]).items():
                first[k] = 0.9 * first[k] + 0.1 * g
                second[k] = 0.999 * second[k] + 0.001 * g * g
                mean = first[k] / (1 - 0.9**step)
                spread = np.sqrt(second[k] / (1 - 0.999**step))
                p[k] -= (RATE * mean / (spread + 1e-8)).astype(np.float32)
    return p


def to_onnx(p: dict) -> onnx.ModelProto:
    """Returns the network: image [batch, 1, 8, 8] to probabilities [batch, 10]."""
    node = helper.make_node
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    nodes = [
        node("Conv", ["image", "conv1.weight", "conv1.bias"], ["c1"], "conv1", **conv),
        node("Relu", ["c1"], ["r1"], "relu1"),
        node(
            *("Conv", ["r1", "conv2.weight", "conv2.bias"], ["c2"], "conv2"),
            **(conv | {"strides": [2, 2]}),
        ),
        node("Relu", ["c2"], ["r2"], "relu2"),
        node("Flatten", ["r2"], ["flat"], "flatten"),
        node("Gemm", ["flat", "fc.weight", "fc.bias"], ["logits"], "fc", transB=1),
        node("Softmax", ["logits"], ["probabilities"], "softmax", axis=1),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])
    out = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])
    weights = [numpy_helper.from_array(value, name) for name, value in p.items()]
    graph = helper.make_graph(nodes, "digits", [image], [out], weights)
    graph.doc_string = "reads 8x8 handwritten digits; pixels 0 (white) to 16 (black)"
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent)
    out = parser.parse_args().out
    data = load_digits()
    x = data.images[:, None].astype(np.float32)
    p = train(x[:TRAINED], data.target[:TRAINED])
    unseen, labels = x[TRAINED:], data.target[TRAINED:]
    right = forward(p, unseen)[0].argmax(1) == labels
    print(f"{right.sum()} of {len(right)} unseen digits are read right")
    onnx.save(to_onnx(p), out / "digits.onnx")
    np.savez(out / "digits.npz", image=unseen[:16], label=labels[:16])


if __name__ == "__main__":
    main()
