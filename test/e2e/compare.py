"""When outputs count as equal, and when such a comparison counts at all."""

import numpy as np
from peer import Reference, distance

# A float output must move by this many tolerances between two inputs, or the
# comparison proves nothing.
MOVES = 50


def integer_problem(got: np.ndarray, want: np.ndarray) -> str:
    """Integers: one step in at most 1 % of the elements (or in one)."""
    if got.dtype.kind == "b":
        gap = (got != want).astype(np.int64)
    else:
        gap = np.abs(got.astype(object) - want.astype(object)).astype(np.float64)
    off = int(np.count_nonzero(gap))
    if off == 0:
        return ""
    if gap.max() > 1:
        return f"an element is off by {gap.max():.0f}"
    if off > max(1, want.size // 100):
        return f"{off} of {want.size} elements are off by one"
    return ""


def output_problem(name: str, got, want, allowed: float | None) -> str:
    """Returns what is wrong with one output, or an empty string."""
    if got.shape != want.shape:
        return f"{name}: shape {list(got.shape)}, expected {list(want.shape)}"
    if got.dtype != want.dtype and not (got.dtype.kind in "US" and want.dtype.kind in "OUS"):
        return f"{name}: type {got.dtype}, expected {want.dtype}"
    if allowed is not None:
        gap = distance(got, want)
        if gap <= allowed:
            return ""
        return f"{name}: off by {gap:.3g}, allowed {allowed:.3g}"
    if want.dtype.kind in "iub":
        problem = integer_problem(got, want)
        return f"{name}: {problem}" if problem else ""
    if np.array_equal(got.astype(str), want.astype(str)):
        return ""
    return f"{name}: texts differ"


def compare(outputs: dict, reference: Reference) -> list[str]:
    """Returns what is wrong with a run's outputs; nothing if they are equal."""
    problems = []
    for name, want in reference.outputs.items():
        if name not in outputs:
            problems.append(f"{name}: missing")
            continue
        allowed = reference.tolerances.get(name)
        problem = output_problem(name, outputs[name], want, allowed)
        if problem:
            problems.append(problem)
    extra = set(outputs) - set(reference.outputs)
    problems += [f"{name}: not an output of the model" for name in sorted(extra)]
    return problems


def unmoved(first: dict, second: dict, reference: Reference) -> list[str]:
    """Returns the float outputs that two inputs leave (nearly) alone."""
    problems = []
    for name, allowed in reference.tolerances.items():
        moved = distance(first[name], second[name])
        if moved < MOVES * allowed:
            problems.append(
                f"{name}: two inputs move it by {moved:.3g},"
                f" less than {MOVES} x {allowed:.3g}"
            )
    return problems
