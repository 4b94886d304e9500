#!/usr/bin/env python3
"""Tests of the comparison harness: right numbers pass, wrong ones are caught.

ONNX Runtime plays LeZero through the programs of fake_tools.py; the model is
the committed network of handwritten digits.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "random")]

import checks
import fake_tools
from compare import compare, integer_problem, unmoved
from models import find_model, load_recipes
from peer import Reference, distance, tolerance
from test_random import GeneratorTest, RandomGraphTest  # noqa: F401 (unittest finds them)
from tools import Tools


def reference(**outputs) -> Reference:
    """Returns a reference whose float outputs may be off by 0.01."""
    arrays = {name: np.asarray(value) for name, value in outputs.items()}
    floats = {name: 0.01 for name, value in arrays.items() if value.dtype.kind == "f"}
    return Reference(arrays, floats)


class CompareTest(unittest.TestCase):
    """The rules for single outputs, on numbers worked out by hand."""

    def test_tolerance_follows_the_peers_own_distance(self):
        plain = np.array([10.0, -20.0], np.float32)
        self.assertAlmostEqual(tolerance(plain, plain), 1e-4 * 20 + 1e-6)
        apart = np.array([10.0, -20.2], np.float32)
        self.assertAlmostEqual(tolerance(apart, plain), 3 * 0.2 + 1e-6, places=5)

    def test_floats_within_and_beyond(self):
        want = reference(y=[1.0, 2.0])
        self.assertEqual(compare({"y": np.array([1.0, 2.009])}, want), [])
        self.assertNotEqual(compare({"y": np.array([1.0, 2.011])}, want), [])

    def test_not_a_number_equals_only_itself(self):
        nan, inf = float("nan"), float("inf")
        self.assertEqual(distance(np.array([nan, inf]), np.array([nan, inf])), 0)
        self.assertEqual(distance(np.array([nan]), np.array([1.0])), inf)
        self.assertEqual(distance(np.array([inf]), np.array([-inf])), inf)

    def test_integers_one_step_in_one_percent(self):
        want = np.zeros(300, np.int64)
        got = want.copy()
        got[:3] = 1
        self.assertEqual(integer_problem(got, want), "")
        got[3] = 1
        self.assertNotEqual(integer_problem(got, want), "")
        got[:4] = [2, 0, 0, 0]
        self.assertNotEqual(integer_problem(got, want), "")

    def test_unsigned_bytes_do_not_wrap(self):
        low, high = np.array([0], np.uint8), np.array([255], np.uint8)
        self.assertNotEqual(integer_problem(low, high), "")

    def test_texts_shapes_names_and_types(self):
        want = reference(y=["a", "b"])
        self.assertEqual(compare({"y": np.array(["a", "b"])}, want), [])
        self.assertNotEqual(compare({"y": np.array(["a", "c"])}, want), [])
        self.assertNotEqual(compare({}, want), [])
        self.assertNotEqual(compare({"y": np.array([["a", "b"]])}, want), [])
        real = reference(y=np.array([1.0], np.float32))
        self.assertNotEqual(compare({"y": np.array([1.0])}, real), [])
        self.assertNotEqual(
            compare({"y": real.outputs["y"], "z": np.array([1])}, real), []
        )

    def test_two_inputs_must_move_the_output(self):
        want = reference(y=[1.0])
        near = {"y": np.array([1.0])}, {"y": np.array([1.4])}
        far = {"y": np.array([1.0])}, {"y": np.array([1.6])}
        self.assertNotEqual(unmoved(*near, want), [])
        self.assertEqual(unmoved(*far, want), [])


class HarnessTest(unittest.TestCase):
    """Whole checks, with a fake lz-run that tells the truth or lies."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        work = Path(folder.name)
        recipe = load_recipes("digits")["digits"]
        path = find_model(recipe["model"], work)
        tools = Tools(fake_tools.install(work), work)
        self.subject = checks.Subject("digits", recipe, path, tools)

    def problems(self, check, lie: str = "") -> list:
        """Returns all problems of a check while lz-run lies so."""
        with mock.patch.dict(os.environ, {"LIE": lie}):
            found = check(self.subject, quick=True)
            return [problem for _, problems in found for problem in problems]

    def test_the_truth_passes(self):
        for check in (
            checks.check_compile,
            checks.check_numbers,
            checks.check_second_input,
            checks.check_damage,
            checks.check_threads,
        ):
            self.assertEqual(self.problems(check), [], check.__name__)

    def test_lies_are_caught(self):
        for lie in ("scale", "constant", "shape", "nan", "missing"):
            self.subject.runs.clear()
            self.assertNotEqual(self.problems(checks.check_numbers, lie), [], lie)

    def test_a_constant_output_is_caught(self):
        found = self.problems(checks.check_second_input, "constant")
        self.assertTrue(any("two inputs move it" in text for text in found))

    def test_unlike_threads_are_caught(self):
        found = self.problems(checks.check_threads, "threads")
        self.assertEqual(found, ["3 threads differ from 1"])

    def test_unnoticed_damage_is_caught(self):
        # Outputs equal to whatever is compared stand for a blind comparison.
        with mock.patch.object(checks, "compare", return_value=[]):
            found = self.problems(checks.check_damage)
        self.assertTrue(any("unnoticed" in text for text in found))

    def test_a_failing_tool_is_an_error(self):
        (self.subject.tools.bin / "lz-run").write_text("#!/bin/sh\nexit 3\n")
        with self.assertRaisesRegex(Exception, "lz-run ended by 3"):
            self.problems(checks.check_numbers)


def main() -> int:
    program = unittest.main(exit=False, verbosity=1)
    result = program.result
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
