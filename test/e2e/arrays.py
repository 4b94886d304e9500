"""Arrays for cases of one node: each call gives the same numbers in each run."""

import numpy as np


def floats(*shape: int, seed: int = 0, scale: float = 1.0, kind=np.float32) -> np.ndarray:
    """Normal numbers."""
    return (np.random.default_rng(seed + sum(shape)).standard_normal(shape) * scale
            ).astype(kind)


def integers(*shape: int, low: int = 0, high: int = 256, kind=np.uint8, seed: int = 0):
    """Whole numbers below `high`."""
    return np.random.default_rng(seed + sum(shape)).integers(low, high, shape).astype(kind)


def of(value, kind=np.float32) -> np.ndarray:
    """A scalar."""
    return np.array(value, kind)
