#!/usr/bin/env python3
"""Single operators beside ONNX Runtime, one thread: both sides in turn, the best
of many, and the ratio peer / LeZero (above 1 is faster).

usage: operators.py --bin BUILD/bin [--only REGEX] [--rounds N]
"""

import argparse
import json
import re
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))

from measure import last_json
from operator_cases import Case, all_cases
from peer import distance, magnitude, make_session
from tools import ToolError, Tools, write_npz


class Peer:
    """A model in ONNX Runtime with its inputs and outputs bound beforehand."""

    def __init__(self, model: Path, arrays: dict):
        self.session = make_session(model, True, threads=1)
        self.outputs = self.session.run(None, arrays)
        self.binding = self.session.io_binding()
        self.values = [ort.OrtValue.ortvalue_from_numpy(a) for a in arrays.values()]
        for name, value in zip(arrays, self.values):
            self.binding.bind_ortvalue_input(name, value)
        self.results = [ort.OrtValue.ortvalue_from_numpy(a) for a in self.outputs]
        for output, value in zip(self.session.get_outputs(), self.results):
            self.binding.bind_ortvalue_output(output.name, value)

    def best_ms(self, repeat: int) -> float:
        """Returns the shortest of several runs."""
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            self.session.run_with_iobinding(self.binding)
            times.append(time.perf_counter() - start)
        return min(times) * 1e3


def is_near(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Says whether two outputs are the same but for roundings."""
    if ours.dtype.kind in "iub":
        gap = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
        return ours.shape == theirs.shape and gap.max(initial=0) <= 1
    return distance(ours, theirs) <= 1e-3 * magnitude(theirs) + 1e-6


def measure(case: Case, tools: Tools, rounds: int) -> dict:
    """Times one case; fails if the outputs differ."""
    folder = tools.work / f"{case.family}-{case.name}"
    folder.mkdir(parents=True, exist_ok=True)
    model, inputs = folder / "model.onnx", folder / "in.npz"
    onnx.save(case.model(), model)
    arrays = case.arrays()
    write_npz(inputs, arrays)
    artifact = tools.compile_to(model, folder / "model.so").artifact
    peer = Peer(model, arrays)
    outputs = tools.run(artifact, arrays).outputs
    if not all(map(is_near, outputs.values(), peer.outputs)):
        raise ToolError("the outputs differ")
    command = [tools.bin / "lz-run", artifact, "--inputs", inputs]
    command += ["--threads", "1", "--repeat", "12", "--json"]
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(last_json(command)["latency_ms"]["min"])
        theirs.append(peer.best_ms(12))
    times = {"lezero_ms": min(ours), "peer_ms": min(theirs)}
    ratio = min(theirs) / min(ours)
    return {"family": case.family, "name": case.name, **times, "ratio": ratio}


def print_row(row: dict) -> None:
    """Prints one line of the table."""
    print(
        f"{row['family']:<10}{row['name']:<24}{row['lezero_ms']:>10.3f}"
        f"{row['peer_ms']:>10.3f}{row['ratio']:>8.2f}",
        flush=True,
    )


def print_means(rows: list[dict]) -> None:
    """Prints the geometric means and the worst of each family."""
    print()
    for family in dict.fromkeys(row["family"] for row in rows):
        group = [row for row in rows if row["family"] == family]
        worst = min(group, key=lambda row: row["ratio"])
        mean = statistics.geometric_mean(row["ratio"] for row in group)
        print(f"{family:<10} {mean:6.2f}   worst {worst['ratio']:.2f} {worst['name']}")
    mean = statistics.geometric_mean(row["ratio"] for row in rows)
    print(f"{'all':<10} {mean:6.2f}   of {len(rows)}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/operators"))
    parser.add_argument("--only", default="", help="of family/name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    options = parser.parse_args()
    tools = Tools(options.bin.resolve(), options.work.resolve())
    rows, failed = [], 0
    print(f"{'family':<10}{'operator':<24}{'LeZero ms':>10}{'peer ms':>10}{'ratio':>8}")
    for case in all_cases():
        if not re.search(options.only, f"{case.family}/{case.name}"):
            continue
        try:
            rows.append(measure(case, tools, options.rounds))
            print_row(rows[-1])
        except (ToolError, onnx.shape_inference.InferenceError) as reason:
            failed += 1
            print(f"{case.family:<10}{case.name:<24}failed: {reason}", flush=True)
    if rows:
        print_means(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
