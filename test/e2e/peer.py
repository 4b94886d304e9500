"""ONNX Runtime, the independent implementation that models are compared with."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime as ort


def make_session(
    model: Path, optimized: bool, threads: int = 2, spin: bool = False
) -> ort.InferenceSession:
    """Opens a model with all of the peer's graph optimisations, or none."""
    options = ort.SessionOptions()
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = (
        level.ORT_ENABLE_ALL if optimized else level.ORT_DISABLE_ALL
    )
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    if not spin:
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(
        str(model), options, providers=["CPUExecutionProvider"]
    )


def run_session(session: ort.InferenceSession, inputs: dict) -> dict:
    """Runs a session; returns the outputs by name."""
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Returns max|a - b|, infinite where one of them alone is not finite."""
    if a.size == 0:
        return 0.0
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
    return float(np.max(np.where(np.isnan(gap), np.inf, gap)))


def magnitude(a: np.ndarray) -> float:
    """Returns the largest finite |a|, or 0."""
    finite = np.abs(a[np.isfinite(a)].astype(np.float64))
    return float(finite.max()) if finite.size else 0.0


@dataclass
class Reference:
    """What the peer says about one input: outputs and how far to trust them."""

    outputs: dict
    tolerances: dict  # of the float outputs, absolute


def tolerance(optimized: np.ndarray, plain: np.ndarray) -> float:
    """Returns the absolute tolerance of a float output.

    max(1e-4, 3 x the peer's own relative distance) * max|reference| + 1e-6, where
    1e-4 is 2e-3 for f16
    """
    scale = magnitude(plain)
    own = distance(optimized, plain) / scale if scale else 0.0
    if not np.isfinite(own):
        raise ValueError("the peer's two runs differ in what is finite")
    least = 2e-3 if optimized.dtype == np.float16 else 1e-4
    return max(least, 3 * own) * scale + 1e-6


class Peer:
    """A model in ONNX Runtime, optimised and not."""

    def __init__(self, model: Path):
        self.plain = make_session(model, optimized=False)
        self.optimized = make_session(model, optimized=True)

    def reference(self, inputs: dict) -> Reference:
        """Runs both sessions; the unoptimised one gives the numbers."""
        plain = run_session(self.plain, inputs)
        optimized = run_session(self.optimized, inputs)
        return Reference(
            plain,
            {
                name: tolerance(optimized[name], value)
                for name, value in plain.items()
                if isinstance(value, np.ndarray) and value.dtype.kind == "f"
            },
        )
