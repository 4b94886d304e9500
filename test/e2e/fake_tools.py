"""Stand-ins for lzc and lz-run that let ONNX Runtime do the work.

test_harness.py proves with them that the harness passes right numbers and
catches wrong ones: `LIE` says how the fake lz-run lies.
"""

import os
import stat
import sys
from pathlib import Path

PROGRAM = """#!{python}
import json, os, shutil, sys
sys.path.insert(0, {here!r})
import fake_tools
sys.exit(fake_tools.{function}(sys.argv[1:]))
"""


def install(folder: Path) -> Path:
    """Writes the two programs into a folder and returns it."""
    here = str(Path(__file__).resolve().parent)
    for name, function in (("lzc", "fake_lzc"), ("lz-run", "fake_lz_run")):
        path = folder / name
        path.write_text(
            PROGRAM.format(python=sys.executable, here=here, function=function)
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def fake_lzc(arguments: list[str]) -> int:
    """`model -o artifact`: the artifact is the model's path."""
    Path(arguments[2]).write_text(str(Path(arguments[0]).resolve()))
    return 0


def lie(name: str, outputs: dict) -> dict:
    """Returns outputs changed as the environment variable LIE asks."""
    if name == "scale":
        return {key: value * 1.01 for key, value in outputs.items()}
    if name == "constant":
        return {key: value * 0 + 1 for key, value in outputs.items()}
    if name == "shape":
        return {key: value[..., None] for key, value in outputs.items()}
    if name == "nan":
        return {key: value * float("nan") for key, value in outputs.items()}
    if name == "missing":
        return dict(list(outputs.items())[1:])
    return outputs


def fake_lz_run(arguments: list[str]) -> int:
    """Runs the model with ONNX Runtime, and lies if told to."""
    import json

    import numpy as np

    from peer import make_session, run_session
    from tools import write_npz

    model = Path(Path(arguments[0]).read_text())
    flags = dict(zip(arguments[1:], arguments[2:]))
    with np.load(flags["--inputs"]) as loaded:
        inputs = {name: loaded[name] for name in loaded.files}
    outputs = run_session(make_session(model, optimized=True), inputs)
    outputs = lie(os.environ.get("LIE", ""), outputs)
    if os.environ.get("LIE") == "threads" and flags.get("--threads") == "3":
        outputs = {key: value * (1 + 1e-6) for key, value in outputs.items()}
    if "--outputs" in flags:
        write_npz(Path(flags["--outputs"]), outputs)
    times = {"min": 1.0, "median": 1.0, "max": 1.0}
    report = {"load_ms": 0.5, "first_ms": 1.0, "latency_ms": times}
    print(json.dumps(report))
    return 0
