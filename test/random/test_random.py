"""Tests of the suite of random graphs: it passes right numbers, catches wrong
ones, and makes the same graph of the same seed. test_harness.py runs them.
"""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import check
import fake_tools
import generate
from builder import Builder, Reject, evaluate
from elementwise import away_from_steps
from minimize import Shrinker, size
from tools import Compiled, RunResult, Tools

SEEDS = range(1, 4)


class PeerTools(Tools):
    """Tools whose runs are ONNX Runtime's, told or turned into lies."""

    lie = ""

    def compile(self, model: Path, *flags: str) -> Compiled:
        """The artifact is the model."""
        return Compiled(model, 0.0, 0.0)

    def run(self, artifact: Path, inputs: dict, *flags: str) -> RunResult:
        """Runs the model; `threads` is a lie of the third thread only."""
        model = onnx.load(artifact)
        names = [output.name for output in model.graph.output]
        outputs = dict(zip(names, map(np.asarray, evaluate(model, [inputs])[0]), strict=True))
        if self.lie == "threads" and flags == ("--threads", "3"):
            outputs = {key: flip_a_bit(array) for key, array in outputs.items()}
        return RunResult(fake_tools.lie(self.lie, outputs), {})

    def guard(self, artifact: Path, inputs: dict, threads: int) -> str:
        """Finds what `guard` claims."""
        return "exit 1: the last line is not written" if self.lie == "guard" else ""


def flip_a_bit(array: np.ndarray) -> np.ndarray:
    """Returns an array whose first byte has another last bit."""
    data = bytearray(array.tobytes())
    data[0] ^= 1
    return np.frombuffer(bytes(data), array.dtype).reshape(array.shape)


class RandomGraphTest(unittest.TestCase):
    """ONNX Runtime plays LeZero, and tells the truth or lies."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = PeerTools(Path(folder.name), Path(folder.name))

    def results(self, lie: str = "") -> list:
        """Returns the results of some seeds while lz-run lies so."""
        self.tools.lie = lie
        return [check.check_seed(seed, self.tools) for seed in SEEDS]

    def test_the_truth_passes(self):
        for result in self.results():
            self.assertEqual((result.state(), result.problems), ("PASS", []))

    def test_lies_are_caught(self):
        for lie in ("scale", "shape", "nan", "missing"):
            for result in self.results(lie):
                self.assertEqual(result.state(), "FAIL", f"{lie}, seed {result.seed}")

    def test_unlike_threads_are_caught(self):
        for result in self.results("threads"):
            self.assertTrue(result.problems)
            for text in result.problems:
                self.assertIn("3 threads give other bits than 1", text)

    def test_a_broken_guard_is_caught(self):
        for result in self.results("guard"):
            self.assertIn("under guard", result.problems[0])

    def state_if_lzc(self, script: str) -> str:
        """Returns what comes of a seed if lzc is a shell script."""
        tools = Tools(self.tools.work, self.tools.work)
        lzc = tools.bin / "lzc"
        lzc.write_text(f"#!/bin/sh\n{script}\n")
        lzc.chmod(0o755)
        return check.check_seed(1, tools).state()

    def test_a_refusal_is_a_skip_only_if_it_says_so(self):
        self.assertEqual(self.state_if_lzc("echo type f8 is not supported; exit 1"), "SKIP")
        self.assertEqual(self.state_if_lzc("echo no layout; exit 1"), "FAIL")

    def test_a_crash_is_a_failure(self):
        self.assertEqual(self.state_if_lzc("echo not supported; kill -SEGV $$"), "FAIL")

    def test_shrinking_keeps_the_failure(self):
        self.tools.lie = "scale"
        case = generate.generate(1)
        smaller = Shrinker(case, (), self.tools).smaller()
        self.assertIsNotNone(smaller)
        self.assertLess(size(smaller), size(case))
        self.assertTrue(check.judge(smaller, self.tools, ()).problems)


class GeneratorTest(unittest.TestCase):
    """What graphs are made, and what is taken back."""

    def test_a_seed_makes_one_graph(self):
        for seed in SEEDS:
            first, second = generate.generate(seed), generate.generate(seed)
            self.assertEqual(
                first.model.SerializeToString(), second.model.SerializeToString()
            )
            for left, right in zip(first.inputs, second.inputs, strict=True):
                for name, array in left.items():
                    np.testing.assert_array_equal(array, right[name])

    def test_what_is_not_valid_is_taken_back(self):
        b = Builder(1)
        left = b.constant(np.ones([2, 3], np.float32))
        mark = b.mark()
        with self.assertRaises(Reject):
            b.op("MatMul", b.op("Abs", left), b.constant(np.ones([2, 3], np.float32)))
        b.take_back(mark)
        self.assertEqual((b.nodes, list(b.constants)), ([], [left.name]))

    def test_numbers_out_of_range_are_taken_back(self):
        b = Builder(1)
        for value in (100.0, 1e-6, 80.0):
            with self.assertRaises(Reject):
                b.op("Exp" if value > 1 else "Abs", b.constant([value], np.float32))

    def test_computed_numbers_near_a_step_are_seen(self):
        b = Builder(1)
        near = b.op("Sigmoid", b.constant([0.0], np.float32))
        self.assertFalse(near.exact)
        self.assertFalse(away_from_steps(near, 0.5))
        self.assertTrue(away_from_steps(near))
        self.assertTrue(away_from_steps(b.constant([0.5, 1.0], np.float32), 0.5))


if __name__ == "__main__":
    unittest.main()
