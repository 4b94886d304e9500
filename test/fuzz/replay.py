#!/usr/bin/env python3
"""Feeds lzc and lz-run with damaged files: the committed corpora, and seeded
mutations of sound models. Each must end in exit 0 or in exit 1 with a message;
what lzc accepts is run too.

corpus/onnx/      inputs of the importer that once went wrong
corpus/artifact/  the same for the loader
What went wrong once becomes a file there, named for what went wrong.

usage: replay.py --bin BUILD/bin [--mutations N]
"""

import argparse
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parent / "models/digits/digits.onnx"
TIMEOUT = 30


def mutate(data: bytes, seed: int) -> bytes:
    """Returns a copy with a few bytes changed, cut out or repeated."""
    generator = random.Random(seed)
    result = bytearray(data)
    for _ in range(generator.randint(1, 6)):
        at = generator.randrange(len(result))
        length = generator.randint(1, 16)
        action = generator.randrange(4)
        if action == 0:
            result[at] = generator.randrange(256)
        elif action == 1:
            result[at] ^= 1 << generator.randrange(8)
        elif action == 2:
            del result[at : at + length]
        else:
            result[at:at] = result[at : at + length]
    return bytes(result)


def structure_only(data: bytes) -> bytes:
    """Returns the part of the digits model that is not weights, so that most
    mutations hit something that is read and not only computed with."""
    import onnx

    model = onnx.load_from_string(data)
    for tensor in model.graph.initializer:
        tensor.float_data.extend([0.5] * 4)
        tensor.ClearField("raw_data")
        tensor.dims[:] = [2, 2]
    return model.SerializeToString()


def run(command: list[str]) -> str:
    """Runs a tool; returns what is wrong with how it ended."""
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT} s"
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, 1):
        return f"exit {done.returncode}: {message[-300:]}"
    if done.returncode == 1 and not message:
        return "exit 1 without a message"
    return ""


def replay(binaries: Path, path: Path, out: Path) -> str:
    """Compiles a model and runs what comes of it, or runs an artifact; returns
    what went wrong."""
    if path.suffix == ".so":
        return run([str(binaries / "lz-run"), str(path)])
    artifact = out / f"{path.stem}.so"
    problem = run([str(binaries / "lzc"), str(path), "-o", str(artifact)])
    if problem or not artifact.exists():
        return problem
    problem = run([str(binaries / "lz-run"), str(artifact)])
    artifact.unlink()
    return f"its artifact: {problem}" if problem else ""


def write_mutations(folder: Path, count: int) -> list[Path]:
    """Writes mutations of the digits model; returns their paths."""
    whole, paths = DIGITS.read_bytes(), []
    for seed in range(count):
        data = whole if seed % 2 else structure_only(whole)
        paths.append(folder / f"mutated-{seed}.onnx")
        paths[-1].write_bytes(mutate(data, seed))
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--mutations", type=int, default=100)
    options = parser.parse_args()
    failed = 0
    binaries = options.bin.resolve()
    with tempfile.TemporaryDirectory(prefix="lezero-fuzz-") as folder:
        work = Path(folder)
        cases = sorted((HERE / "corpus").glob("*/*"))
        cases += write_mutations(work, options.mutations)
        with ThreadPoolExecutor(2) as pool:
            problems = pool.map(lambda path: replay(binaries, path, work), cases)
            for path, problem in zip(cases, problems):
                failed += bool(problem)
                if problem:
                    print(f"FAIL {path.name}: {problem}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
