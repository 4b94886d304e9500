"""One random graph: compiled, run on several threads, compared with the peer."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import generate
import onnx
from compare import compare
from halves import Halves, opened, uses_halves
from peer import Peer, Reference, run_session, tolerance
from tools import ToolError, Tools, write_npz

THREADS = (1, 2, 3)
NOT_SUPPORTED = re.compile(r"not supported|not imported|no handler")


@dataclass
class Result:
    """What came of one seed."""

    seed: int
    problems: list = field(default_factory=list)
    skipped: str = ""
    flags: tuple = ()
    nodes: int = 0

    def state(self) -> str:
        """Returns PASS, FAIL or SKIP."""
        return "FAIL" if self.problems else "SKIP" if self.skipped else "PASS"


def runs_here(cpu: str) -> bool:
    """Returns whether this machine runs code for a CPU."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("flags", 1)[-1].split("\n")[0]
    needed = {"x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl"}[cpu]
    return set(needed.split()) <= set(flags.split())


def flags_of(seed: int) -> tuple:
    """Returns the flags that a seed is compiled with beside the usual way."""
    return {1: ("--opt-level=O0",), 2: ("--cpu=x86-64-v4",), 3: ("--verify",)}.get(seed % 8, ())


class Expectation:
    """What a model's outputs should be, and how far off they may be."""

    def __init__(self, path: Path, model: onnx.ModelProto):
        self.halves = Halves(path, model) if uses_halves(model) else None
        self.peer = opened(lambda: Peer(path))

    def of(self, inputs: dict, single: dict) -> Reference:
        """Returns the peer's outputs; where it lacks a kernel, those of the nodes
        one by one."""
        plain = run_session(self.peer.plain, inputs) if self.peer else single
        reference = Reference(plain, self.tolerances(inputs, plain))
        if self.halves:
            self.halves.allow(reference, inputs)
        return reference

    def tolerances(self, inputs: dict, plain: dict) -> dict:
        """Returns the tolerances of the floats among the outputs. Where the peer's
        optimised run fails or is far off, that is a fault of its own."""
        floats = {name: array for name, array in plain.items() if array.dtype.kind == "f"}
        least = {name: tolerance(array, array) for name, array in floats.items()}
        if not self.peer:
            return least
        try:
            optimized = run_session(self.peer.optimized, inputs)
            own = {name: tolerance(optimized[name], array) for name, array in floats.items()}
        except Exception:  # of a type that the peer's module doesn't export
            return least
        return {name: own[name] if own[name] < 10 * least[name] else least[name] for name in floats}


def same_bits(first: dict, second: dict) -> bool:
    """Returns whether two runs gave the same bytes."""
    return all(first[name].tobytes() == second[name].tobytes() for name in first)


def check_runs(tools: Tools, artifact: Path, case, expectation: Expectation) -> list:
    """Runs an artifact on all inputs and threads; returns what is wrong."""
    problems = []
    for inputs, single in zip(case.inputs, case.outputs, strict=True):
        sizes = ", ".join(f"{name}{list(array.shape)}" for name, array in inputs.items())
        runs = [tools.run(artifact, inputs, "--threads", str(n)).outputs for n in THREADS]
        reference = expectation.of(inputs, single)
        problems += [f"{sizes}: {text}" for text in compare(runs[0], reference)]
        for count, run in zip(THREADS[1:], runs[1:], strict=True):
            if not same_bits(runs[0], run):
                problems.append(f"{sizes}: {count} threads give other bits than 1")
        problem = tools.guard(artifact, inputs, 1)
        if problem:
            problems.append(f"{sizes}: under guard: {problem}")
    return problems


def check_case(case, tools: Tools, flags: tuple) -> list:
    """Compiles and runs a case; returns what is wrong."""
    path = tools.work / f"random-{case.seed}.onnx"
    onnx.save(case.model, path)
    for run, inputs in enumerate(case.inputs):
        write_npz(tools.work / f"in-{run}.npz", inputs)
    artifacts = [(flags, tools.compile(path, *flags).artifact)]
    if "--cpu=x86-64-v4" in flags:
        artifacts.append(((), tools.compile(path).artifact))
        if not runs_here("x86-64-v4"):
            del artifacts[0]
    expectation = Expectation(path, case.model)
    problems = []
    for used, artifact in artifacts:
        found = check_runs(tools, artifact, case, expectation)
        problems += [" ".join((*used, text)) for text in found]
    return problems


def judge(case, tools: Tools, flags: tuple) -> Result:
    """Returns what comes of a case; a failing tool is a problem, a feature that
    the compiler says it doesn't have is not."""
    result = Result(case.seed, flags=flags, nodes=len(case.model.graph.node))
    try:
        result.problems = check_case(case, tools, flags)
    except ToolError as error:
        if str(error).startswith("lzc ended by 1:") and NOT_SUPPORTED.search(str(error)):
            result.skipped = str(error)
        else:
            result.problems = [str(error)]
    return result


def check_seed(seed: int, tools: Tools) -> Result:
    """Makes the graph of a seed and checks it."""
    return judge(generate.generate(seed), tools, flags_of(seed))
