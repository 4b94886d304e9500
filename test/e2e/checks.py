"""What is checked of each model. Each check is one test of the suite.

A check is a function of a Subject; it returns a list of problems, empty when
all is well, and may yield several named results (one for each size).
"""

import hashlib
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from compare import compare, unmoved
from damage import KINDS, damaged_references
from inputs import make_inputs
from peer import Peer, Reference
from tools import Tools

ALLOWED_LIBRARIES = {"libc.so.6", "libm.so.6"}
MEMORY_LIMIT_MB = 700
THREADS = (1, 2, 3, 7)
SEEDS = (1, 2)


@dataclass
class Subject:
    """A model under test, and what is computed once for several checks."""

    name: str
    recipe: dict
    path: Path
    tools: Tools
    peer: Peer | None = None
    runs: dict = field(default_factory=dict)

    def sizes(self, quick: bool) -> list[dict]:
        """Returns the sizes to try: all, or the recipe's quick ones."""
        sizes = self.recipe["sizes"]
        return sizes[: self.recipe.get("quick_sizes", len(sizes))] if quick else sizes

    def artifact(self) -> Path:
        """Returns the one artifact that serves every size."""
        flags = self.recipe.get("flags", [])
        return self.tools.compile(self.path, *flags).artifact

    def run(self, sizes: dict, seed: int) -> tuple[dict, dict, Reference]:
        """Returns inputs, LeZero's outputs and the peer's, computed once."""
        key = (tuple(sorted(sizes.items())), seed)
        if key not in self.runs:
            self.peer = self.peer or Peer(self.path)
            inputs = make_inputs(self.recipe, sizes, seed)
            outputs = self.tools.run(self.artifact(), inputs).outputs
            self.runs[key] = (inputs, outputs, self.peer.reference(inputs))
        return self.runs[key]


def label(sizes: dict) -> str:
    """Returns sizes as text: batch=2,seq=13."""
    return ",".join(f"{name}={size}" for name, size in sizes.items()) or "fixed"


def check_compile(subject: Subject, quick: bool):
    """The model compiles within its time and the memory of every model."""
    flags = subject.recipe.get("flags", [])
    compiled = subject.tools.compile(subject.path, *flags)
    problems = []
    if compiled.anonymous_mb > MEMORY_LIMIT_MB:
        problems.append(
            f"lzc held {compiled.anonymous_mb:.0f} MB of anonymous memory,"
            f" limit {MEMORY_LIMIT_MB}"
        )
    limit = subject.recipe.get("compile_seconds", 60)
    if compiled.seconds > limit:
        problems.append(f"took {compiled.seconds:.1f} s, limit {limit}")
    cost = f"{compiled.seconds:.1f} s, {compiled.anonymous_mb:.0f} MB"
    yield f"compile ({cost})", problems


def check_elf(subject: Subject, quick: bool):
    """The artifact needs the C library only and exports one symbol."""
    artifact = subject.artifact()
    dynamic = readelf("--dynamic", artifact)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    symbols = re.findall(
        r"^ *\d+: .* (?:GLOBAL|WEAK) +DEFAULT +(?!UND)\S+ (\S+)",
        readelf("--dyn-syms", artifact),
        re.M,
    )
    problems = []
    if needed - ALLOWED_LIBRARIES:
        problems.append(f"needs {', '.join(sorted(needed - ALLOWED_LIBRARIES))}")
    if len(symbols) != 1:
        problems.append(f"exports {len(symbols)} symbols: {' '.join(symbols[:5])}")
    yield "needs libc and libm only, exports one symbol", problems


def readelf(option: str, path: Path) -> str:
    """Returns what readelf prints about a file."""
    command = ["readelf", "--wide", option, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check_same_bytes(subject: Subject, quick: bool):
    """Compiling again, in another folder, gives the same bytes."""
    first = subject.artifact()
    folder = first.parent.parent / f"{first.parent.name} again"
    flags = subject.recipe.get("flags", [])
    second = subject.tools.compile_to(subject.path, folder / first.name, *flags)
    hashes = [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (first, second.artifact)
    ]
    second.artifact.unlink()
    yield "compiling twice gives the same bytes", (
        [] if hashes[0] == hashes[1] else ["the two artifacts differ"]
    )


def check_numbers(subject: Subject, quick: bool):
    """One artifact computes what the peer does, at every size."""
    for sizes in subject.sizes(quick):
        _, outputs, reference = subject.run(sizes, SEEDS[0])
        yield f"equals the peer, {label(sizes)}", compare(outputs, reference)


def check_second_input(subject: Subject, quick: bool):
    """A second input is right too, and moves every output."""
    sizes = subject.sizes(quick)[0]
    _, first, reference = subject.run(sizes, SEEDS[0])
    _, second, other = subject.run(sizes, SEEDS[1])
    yield f"equals the peer on another input, {label(sizes)}", compare(second, other)
    yield "two inputs move every output", unmoved(first, second, reference)


def check_damage(subject: Subject, quick: bool):
    """The comparison fails against damaged copies of the model."""
    inputs, outputs, reference = subject.run(subject.sizes(quick)[0], SEEDS[0])
    for kind in KINDS:
        problems, tried = [], 0
        for node, damaged in damaged_references(
            subject.path, kind, inputs, reference
        ):
            tried += 1
            if not compare(outputs, damaged):
                problems.append(f"unnoticed at {node}")
        if not tried:
            problems.append("the peer shows the damage of no contraction")
        yield f"notices {tried} contractions {kind}", problems


def check_threads(subject: Subject, quick: bool):
    """Any number of threads gives the same bits."""
    inputs = make_inputs(subject.recipe, subject.sizes(quick)[0], SEEDS[0])
    digests = {}
    for threads in THREADS:
        result = subject.tools.run(
            subject.artifact(), inputs, "--threads", str(threads)
        )
        whole = hashlib.sha256()
        for name, value in sorted(result.outputs.items()):
            whole.update(name.encode() + value.tobytes())
        digests[threads] = whole.hexdigest()
    odd = [str(n) for n in THREADS if digests[n] != digests[THREADS[0]]]
    yield f"same bits for {', '.join(map(str, THREADS))} threads", (
        [f"{', '.join(odd)} threads differ from {THREADS[0]}"] if odd else []
    )


def check_memory(subject: Subject, quick: bool):
    """The planned arena is just enough, and a bound run takes nothing."""
    problems = []
    sizes = subject.sizes(quick)[0]
    inputs = make_inputs(subject.recipe, sizes, SEEDS[0])
    for threads in (1, 2):
        problem = subject.tools.guard(subject.artifact(), inputs, threads)
        if problem:
            problems.append(f"{threads} threads: {problem}")
    yield f"runs in its planned memory, {label(sizes)}", problems


CHECKS = {
    "compile": check_compile,
    "numbers": check_numbers,
    "second-input": check_second_input,
    "damage": check_damage,
    "threads": check_threads,
    "memory": check_memory,
    "elf": check_elf,
    "same-bytes": check_same_bytes,
}
