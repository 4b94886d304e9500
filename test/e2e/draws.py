#!/usr/bin/env python3
"""Operators that draw random numbers: bits, distributions, repetition.

usage: draws.py --bin BUILD/bin [--only NAME,NAME...]

Uniform numbers must be those of Philox4x32-10, computed here in plain integers
and tied to the published test vector of the generator; whatever else is drawn
is put to a test of its distribution. Two runs, and runs on one and two threads,
must give the same bits.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import onnx
import small_models
from onnx import TensorProto, helper
from scipy import stats

from tools import Tools

COUNT = 100_000
# Below this, what was seen would be too odd to be chance.
LEAST_CHANCE = 1e-6


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Returns the four words of Philox4x32-10 (Salmon et al., SC 2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & 0xFFFFFFFF,
             (first >> 32) ^ c[3] ^ k[1], first & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# The generator's own test vector (Random123, kat_vectors).
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@dataclass
class Draw:
    """A model of one node, and what its output must be like."""

    name: str
    operator: str
    check: Callable  # (output, inputs) -> what is wrong with it, or nothing
    attributes: dict = field(default_factory=dict)
    inputs: dict = field(default_factory=dict)
    result: int = TensorProto.FLOAT
    outputs: tuple = ("drawn",)


def build(case: Draw) -> onnx.ModelProto:
    """Returns the model of a case, with free sizes."""
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype),
            [f"{name}{dim}" for dim in range(value.ndim)])
        for name, value in case.inputs.items()
    ]
    outputs = [helper.make_tensor_value_info(case.outputs[0], case.result, None)]
    node = helper.make_node(case.operator, list(case.inputs), list(case.outputs[:1]),
                            **case.attributes)
    graph = helper.make_graph([node], "draw", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)


def unlikely(test) -> str:
    """Returns what a statistical test found, if that is too odd."""
    return "" if test.pvalue > LEAST_CHANCE else f"is unlikely: {test}"


def like(distribution) -> Callable:
    """Returns the check that elements are drawn from `distribution`, and that
    neighbours are independent."""

    def check(drawn: np.ndarray, _inputs: dict) -> str:
        values = drawn.astype(np.float64).ravel()
        pairs = stats.pearsonr(values[:-1], values[1:])
        return unlikely(stats.kstest(values, distribution.cdf)) or unlikely(pairs)

    return check


def check_bits(drawn: np.ndarray, _inputs: dict) -> str:
    """Compares numbers in f32 of seed 0 with those of the generator."""
    words = [philox([i, 0, 0, 0], [0, 0])[0] for i in range(1000)]
    expected = np.array([word >> 8 for word in words], np.float64) * 2.0**-24
    return "" if np.array_equal(drawn.ravel()[:1000], expected) else "has other bits"


def check_wide_bits(drawn: np.ndarray, _inputs: dict) -> str:
    """Compares numbers in f64 of seed 1.5, and of which 53 bits are drawn."""
    key = int(np.float32(1.5).view(np.uint32))
    pairs = [philox([i, 0, 0, 0], [key, 0]) for i in range(1000)]
    expected = [((a >> 6 << 27) + (b >> 5)) * 2.0**-53 for a, b, _, _ in pairs]
    return "" if np.array_equal(drawn.ravel()[:1000], expected) else "has other bits"


def check_bernoulli(drawn: np.ndarray, inputs: dict) -> str:
    """Counts ones where their chance is the same."""
    for chance in np.unique(inputs["p"]):
        part = drawn[inputs["p"] == chance].astype(int)
        text = unlikely(stats.binomtest(int(part.sum()), part.size, float(chance)))
        if text or not set(np.unique(part)) <= {0, 1}:
            return text or "has elements besides 0 and 1"
    return ""


def check_classes(drawn: np.ndarray, inputs: dict) -> str:
    """Counts the classes of each row of logits."""
    for row, logits in zip(drawn, inputs["logits"], strict=True):
        shares = np.exp(logits.astype(np.float64))
        shares /= shares.sum()
        counts = np.bincount(row, minlength=shares.size)
        possible = shares > 0
        if counts[~possible].any():
            return "draws what has no chance"
        text = unlikely(stats.chisquare(counts[possible], shares[possible] * row.size))
        if text:
            return text
    return ""


def check_dropout(drawn: np.ndarray, inputs: dict) -> str:
    """Counts dropped elements; the others are scaled."""
    ratio, x = float(inputs["ratio"]), inputs["x"]
    dropped = drawn == 0
    if not np.allclose(drawn[~dropped], x[~dropped] / (1 - ratio), rtol=1e-6):
        return "has elements that are neither dropped nor scaled"
    return unlikely(stats.binomtest(int(dropped.sum()), x.size, ratio))


def check_kept(drawn: np.ndarray, inputs: dict) -> str:
    """Dropout that is not training changes nothing."""
    return "" if np.array_equal(drawn, inputs["x"]) else "changes its input"


def cases() -> list[Draw]:
    """Returns all models."""
    shape = {"shape": [COUNT // 100, 100]}
    like_input = {"x": np.zeros((COUNT // 100, 100), np.float32)}
    ones = np.ones(COUNT, np.float32)
    chances = np.repeat(np.array([0, 0.1, 0.5, 0.9, 1], np.float32), COUNT // 5)
    logits = np.log(np.array([[1, 2, 3, 4], [5, 0, 1, 1]], np.float32) + 1e-30)
    double, half = TensorProto.DOUBLE, TensorProto.FLOAT16
    normal = stats.norm(3, 2)
    return [
        Draw("uniform_bits", "RandomUniform", check_bits, {**shape, "seed": 0.0}),
        Draw("uniform_bits_f64", "RandomUniform", check_wide_bits,
             {**shape, "seed": 1.5, "dtype": double}, result=double),
        Draw("uniform", "RandomUniform", like(stats.uniform(-2, 5)),
             {**shape, "low": -2.0, "high": 3.0}),
        Draw("uniform_like", "RandomUniformLike", like(stats.uniform(0, 1)),
             inputs=like_input),
        Draw("normal", "RandomNormal", like(normal), {**shape, "mean": 3.0, "scale": 2.0}),
        Draw("normal_f64", "RandomNormal", like(normal),
             {**shape, "mean": 3.0, "scale": 2.0, "dtype": double}, result=double),
        Draw("normal_like", "RandomNormalLike", like(stats.norm(0, 1)), inputs=like_input),
        Draw("normal_f16", "RandomNormalLike", like(stats.norm(0, 1)), {"dtype": half},
             like_input, half),
        Draw("bernoulli", "Bernoulli", check_bernoulli, inputs={"p": chances}),
        Draw("bernoulli_to_i32", "Bernoulli", check_bernoulli, {"dtype": TensorProto.INT32},
             {"p": chances.astype(np.float64)}, TensorProto.INT32),
        Draw("multinomial", "Multinomial", check_classes, {"sample_size": COUNT // 2},
             {"logits": logits}, TensorProto.INT32),
        Draw("dropout", "Dropout", check_dropout,
             inputs={"x": ones, "ratio": np.float32(0.3)[...], "mode": np.array(True)}),
        Draw("dropout_off", "Dropout", check_kept,
             inputs={"x": ones, "ratio": np.float32(0.3)[...], "mode": np.array(False)}),
        Draw("other_name", "RandomUniformLike", like(stats.uniform(0, 1)),
             inputs=like_input, outputs=("other",)),
    ]


DRAWN = {}  # what each model without a seed drew


def check(case: Draw, tools: Tools) -> list:
    """Returns what is wrong with a case."""
    path = tools.work / f"{case.name}.onnx"
    onnx.save(build(case), path)
    artifact = tools.compile(path).artifact
    runs = [tools.run(artifact, case.inputs, f"--threads={threads}").outputs[case.outputs[0]]
            for threads in (1, 1, 2)]
    text = case.check(runs[0], case.inputs)
    problems = [text] if text else []
    if any(run.tobytes() != runs[0].tobytes() for run in runs[1:]):
        problems.append("draws other numbers in another run")
    DRAWN[case.name] = runs[0]
    if case.name == "other_name" and np.array_equal(runs[0], DRAWN.get("uniform_like")):
        problems.append("two nodes of one model would draw the same numbers")
    return problems


if __name__ == "__main__":
    sys.exit(small_models.run(__doc__, cases(), lambda case: case.name, check))
