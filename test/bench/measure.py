"""What the benchmarks share: models, inputs, and fresh processes that time
LeZero and ONNX Runtime in turn, so that a noisy machine disturbs both."""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from inputs import make_inputs
from models import Missing, find_model, load_recipes
from tools import Tools, write_npz


@dataclass
class Bench:
    """A compiled model and the input it is timed with."""

    name: str
    model: Path
    artifact: Path
    inputs: Path
    lz_run: Path

    def lezero(self, threads: int, repeat: int) -> dict:
        """Times one fresh process of lz-run."""
        flags = ["--threads", str(threads), "--repeat", str(repeat), "--json"]
        command = [self.lz_run, self.artifact, "--inputs", self.inputs, *flags]
        return last_json(command)

    def peer(self, threads: int, repeat: int) -> dict:
        """Times one fresh process of ONNX Runtime."""
        program = [sys.executable, HERE / "peer_process.py"]
        command = [*program, self.model, self.inputs, str(threads), str(repeat)]
        return last_json(command)


def last_json(command: list) -> dict:
    """Runs a command; returns the object on its last line."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def benches(options, key: str) -> list[Bench]:
    """Compiles the wanted models; a missing one is named and left out. They run
    at the recipe's sizes `key` where it has some, else at the first it lists."""
    result = []
    for name, recipe in load_recipes(options.only).items():
        work = options.work / name
        try:
            model = find_model(recipe["model"], work)
        except Missing as reason:
            print(f"{name}: left out, {reason}")
            continue
        tools = Tools(options.bin.resolve(), work)
        artifact = tools.compile(model, *recipe.get("flags", [])).artifact
        inputs = work / "bench.npz"
        sizes = recipe.get(key, recipe["sizes"][0])
        write_npz(inputs, make_inputs(recipe, sizes, seed=1))
        lz_run = options.bin.resolve() / "lz-run"
        result.append(Bench(name, model, artifact, inputs, lz_run))
    return result


def parser(description: str) -> argparse.ArgumentParser:
    """Returns the options that every benchmark has."""
    result = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("--bin", type=Path, required=True)
    result.add_argument("--work", type=Path, default=Path("build/e2e"))
    result.add_argument("--only", default="", help="comma-separated recipes")
    result.add_argument("--json", type=Path, help="write the numbers here too")
    return result
