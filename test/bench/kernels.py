#!/usr/bin/env python3
"""Single matrix products and convolutions beside ONNX Runtime, one thread each:
GFLOP/s, the fraction of the peak of this core's fused multiply-adds, which is
measured in between, and the ratio LeZero / peer of the times (below 1 is faster).

usage: kernels.py --bin BUILD/bin [--only gemm,dw,...] [--cpu x86-64-v3]
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import measure
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tools import Tools, write_npz


@dataclass
class Kernel:
    """A model of one operation (and what is fused with it)."""

    name: str
    nodes: list
    input: tuple
    weights: dict
    output: tuple
    flops: float  # of the operation, padding counted


def matmul(name, m, k, n, activation=None) -> Kernel:
    """x[m, k] times a constant [k, n]; with a bias if something follows."""
    weights = {"w": random((k, n), k)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y" if not activation else "p"])]
    if activation:
        weights["b"] = random((n,), 1)
        nodes += [
            helper.make_node("Add", ["p", "b"], ["q"]),
            helper.make_node(activation, ["q"], ["y"]),
        ]
    return Kernel(name, nodes, (m, k), weights, (m, n), 2.0 * m * k * n)


def gemm(name, m, k, n) -> Kernel:
    """Gemm with the weights as [n, k], and a bias."""
    weights = {"w": random((n, k), k), "b": random((n,), 1)}
    node = helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)
    return Kernel(name, [node], (m, k), weights, (m, n), 2.0 * m * k * n)


def conv(name, channels, size, filters, taps, stride=1, groups=1) -> Kernel:
    """A square convolution with a bias and Relu, padded to keep its size."""
    pad = taps // 2
    out = (size + 2 * pad - taps) // stride + 1
    each = channels // groups
    shape = (filters, each, taps, taps)
    weights = {"w": random(shape, each * taps * taps), "b": random((filters,), 1)}
    attributes = {
        "strides": [stride] * 2,
        "pads": [pad] * 4,
        "group": groups,
        "kernel_shape": [taps] * 2,
    }
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["p"], **attributes),
        helper.make_node("Relu", ["p"], ["y"]),
    ]
    flops = 2.0 * filters * out * out * each * taps * taps
    output = (1, filters, out, out)
    return Kernel(name, nodes, (1, channels, size, size), weights, output, flops)


def depthwise(name, channels, size, taps, stride=1) -> Kernel:
    return conv(name, channels, size, channels, taps, stride, groups=channels)


def random(shape, terms) -> np.ndarray:
    """Numbers whose sums of `terms` products stay near 1."""
    generator = np.random.default_rng(len(shape) * 1000 + terms)
    scale = 1 / np.sqrt(terms)
    return (generator.standard_normal(shape) * scale).astype(np.float32)


KERNELS = [
    matmul("gemm-512", 512, 512, 512),
    matmul("gemm-128x768x768", 128, 768, 768),
    matmul("gemm-128x768x3072", 128, 768, 3072, "Gelu"),
    matmul("gemm-128x3072x768", 128, 3072, 768),
    gemm("gemm-transB-128x768x768", 128, 768, 768),
    gemm("gemv-4096", 1, 4096, 4096),
    matmul("gemv-row-4096", 1, 4096, 4096),
    gemm("gemv-4x1024", 4, 1024, 1024),
    conv("conv3x3-64x56", 64, 56, 64, 3),
    conv("conv3x3-128x28", 128, 28, 128, 3),
    conv("conv3x3-256x14", 256, 14, 256, 3),
    conv("conv3x3-512x7", 512, 7, 512, 3),
    conv("conv3x3s2-128x56", 128, 56, 128, 3, 2),
    conv("conv1x1-64x56-256", 64, 56, 256, 1),
    conv("conv1x1-1024x14-256", 1024, 14, 256, 1),
    conv("conv7x7s2-3x224-64", 3, 224, 64, 7, 2),
    conv("grouped3x3-128x28-32", 128, 28, 128, 3, 1, 32),
    depthwise("dw3x3-32x112", 32, 112, 3),
    depthwise("dw3x3-128x56", 128, 56, 3),
    depthwise("dw3x3-512x14", 512, 14, 3),
    depthwise("dw3x3s2-64x112", 64, 112, 3, 2),
    depthwise("dw5x5-96x28", 96, 28, 5),
    depthwise("dw3x3-960x7", 960, 7, 3),
]


def write_model(kernel: Kernel, path: Path) -> None:
    initializers = [
        numpy_helper.from_array(value, name) for name, value in kernel.weights.items()
    ]
    graph = helper.make_graph(
        kernel.nodes,
        "kernel",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, kernel.input)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, kernel.output)],
        initializers,
    )
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def prepare(kernel: Kernel, options) -> measure.Bench:
    work = options.work / "kernels" / kernel.name
    work.mkdir(parents=True, exist_ok=True)
    model, inputs = work / "model.onnx", work / "bench.npz"
    write_model(kernel, model)
    write_npz(inputs, {"x": random(kernel.input, 1)})
    tools = Tools(options.bin.resolve(), work)
    artifact = tools.compile(model, f"--cpu={options.cpu}").artifact
    lz_run = options.bin.resolve() / "lz-run"
    return measure.Bench(kernel.name, model, artifact, inputs, lz_run)


def measure_one(kernel: Kernel, options) -> dict:
    """Times peak, LeZero and the peer in turn; the best of each counts."""
    bench = prepare(kernel, options)
    repeat = int(min(2000, max(20, 2e10 / kernel.flops)))
    isa = "avx512" if options.cpu == "x86-64-v4" else "avx2"
    peaks, ours, theirs = [], [], []
    for _ in range(options.processes):
        program = [options.bin / "lz-fma-peak", isa]
        peaks.append(float(subprocess.check_output(program)))
        ours.append(bench.lezero(1, repeat)["latency_ms"]["min"])
        theirs.append(bench.peer(1, repeat)["latency_ms"]["min"])
    speed = kernel.flops / min(ours) * 1e-6
    return {
        "kernel": kernel.name,
        "lezero_us": round(min(ours) * 1e3, 1),
        "peer_us": round(min(theirs) * 1e3, 1),
        "gflops": round(speed, 1),
        "of_peak": round(speed / max(peaks), 3),
        "ratio": round(min(ours) / min(theirs), 2),
    }


def main() -> int:
    parser = measure.parser(__doc__)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--cpu", default="x86-64-v3")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    rows = []
    columns = f"{'LeZero us':>11}{'peer us':>10}{'GFLOP/s':>9}{'of peak':>9}"
    print(f"{'kernel':<26}{columns}{'ratio':>7}")
    for kernel in KERNELS:
        if wanted and not any(name in kernel.name for name in wanted):
            continue
        row = measure_one(kernel, options)
        rows.append(row)
        print(
            f"{row['kernel']:<26}{row['lezero_us']:>11.1f}{row['peer_us']:>10.1f}"
            f"{row['gflops']:>9.1f}{row['of_peak']:>9.1%}{row['ratio']:>7.2f}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
