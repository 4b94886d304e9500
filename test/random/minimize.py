"""Shrinks the graph of a failing seed while it fails in the same way."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import onnx
from check import flags_of, judge
from generate import Case, generate
from onnx.utils import Extractor
from peer import make_session, run_session
from tools import Tools, write_npz


def kind(problems: list) -> str:
    """Returns the first problem without numbers and names."""
    text = problems[0].split("]: ")[-1] if problems else ""
    return re.sub(r"[\w./+-]*\d[\w./+-]*", "#", text)[:60]


def cut(case: Case, inputs: list, outputs: list) -> Case:
    """Returns the case whose graph lies between some values."""
    inferred = onnx.shape_inference.infer_shapes(case.model)
    model = Extractor(inferred).extract_model(inputs, outputs)
    del model.graph.value_info[:]
    model.graph.name = case.model.graph.name
    return replace(case, model=model)


def with_runs(case: Case, feeds: list, work: Path) -> Case:
    """Returns the case with what the peer computes for its inputs."""
    path = work / "cut.onnx"
    onnx.save(case.model, path)
    session = make_session(path, optimized=False)
    return replace(case, inputs=feeds, outputs=[run_session(session, feed) for feed in feeds])


def all_values(case: Case, work: Path) -> list:
    """Returns for each run the values of all names."""
    model = onnx.shape_inference.infer_shapes(case.model)
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(v for v in model.graph.value_info if v.name not in known)
    whole = with_runs(replace(case, model=model), case.inputs, work)
    return [{**feed, **run} for feed, run in zip(case.inputs, whole.outputs, strict=True)]


def proposals(case: Case):
    """Yields (inputs, outputs) of smaller graphs."""
    inputs = [value.name for value in case.model.graph.input]
    outputs = [value.name for value in case.model.graph.output]
    for name in outputs:
        yield inputs, [name]
    for node in reversed(case.model.graph.node):
        if len(outputs) == 1 and node.output[0] not in outputs:
            yield inputs, [node.output[0]]
    for node in case.model.graph.node:
        for name in node.output:
            if name not in outputs:
                yield [*inputs, name], outputs


class Shrinker:
    """Tries smaller graphs until none fails."""

    def __init__(self, case: Case, flags: tuple, tools: Tools):
        self.case, self.flags, self.tools = case, flags, tools
        self.values = all_values(case, tools.work)
        self.problems = self.problems_of(case)

    def problems_of(self, case: Case) -> list:
        """Returns what is wrong with a case; its file has the name of the last."""
        self.tools.compiled.clear()
        return judge(case, self.tools, self.flags).problems

    def fails(self, case: Case) -> bool:
        """Returns whether a case fails as the first one did."""
        problems = self.problems_of(case)
        return bool(problems) and kind(problems) == kind(self.problems)

    def smaller(self) -> Case | None:
        """Returns a smaller case that fails, if there is one."""
        for inputs, outputs in proposals(self.case):
            try:
                case = cut(self.case, inputs, outputs)
                needed = {name for node in case.model.graph.node for name in node.input}
                if set(inputs) - needed:
                    case = cut(self.case, sorted(set(inputs) & needed), outputs)
                names = [value.name for value in case.model.graph.input]
                feeds = [{name: run[name] for name in names} for run in self.values]
                case = with_runs(case, feeds, self.tools.work)
            except Exception:  # not a graph, or one that the peer refuses
                continue
            if size(case) < size(self.case) and self.fails(case):
                return case
        return None


def size(case: Case) -> tuple:
    """Returns what shrinks: nodes, outputs."""
    return len(case.model.graph.node), len(case.model.graph.output)


def minimize(seed: int, binaries: Path, keep: Path) -> int:
    """Shrinks a seed's graph and saves it with its numbers."""
    with tempfile.TemporaryDirectory() as work:
        tools = Tools(binaries, Path(work), timeout=120)
        shrinker = Shrinker(generate(seed), flags_of(seed), tools)
        if not shrinker.problems:
            print(f"seed {seed} passes")
            return 0
        while smaller := shrinker.smaller():
            shrinker.case = smaller
            print(f"{size(smaller)[0]} nodes", flush=True)
        path = keep / f"seed-{seed}.onnx"
        onnx.save(shrinker.case.model, path)
        for run, inputs in enumerate(shrinker.case.inputs):
            write_npz(keep / f"seed-{seed}-in-{run}.npz", inputs)
        print(onnx.printer.to_text(shrinker.case.model))
        print(f"{path}\n" + "\n".join(shrinker.problems_of(shrinker.case)))
    return 1
