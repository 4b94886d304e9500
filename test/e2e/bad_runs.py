"""Wrong command lines of lzc, and what lz-run must refuse: inputs that do not
fit, files that are no artifacts, artifacts of another time, too small a CPU.

The sound artifact is the digits model: image [batch, 1, 8, 8] of float.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tools import write_npz

ROOT = Path(__file__).resolve().parent.parent.parent
DIGITS = ROOT / "test/models/digits/digits.onnx"
CLANG = "/usr/lib/llvm-22/bin/clang"

# An artifact as a later LeZero may write it: its first fields only, since a
# loader must not look further than the version.
FUTURE = """
#include "lezero/lz_artifact.h"
static const lz_artifact artifact = {
    sizeof(lz_artifact), LZ_ARTIFACT_ABI + 1, 0, "LeZero of the future"};
__attribute__((visibility("default"))) const lz_artifact *
lz_artifact_v1(const lz_host *host) {
  (void)host;
  return &artifact;
}
"""


@dataclass
class BadRun:
    """A command made in a folder of its own, and what its error must name."""

    name: str
    command: Callable[[Path], list]
    words: tuple
    codes: tuple = (1,)


# A wrong command line, as opposed to a wrong file, may have a code of its own.
USAGE = (1, 2)


class Fixture:
    """What several cases share: a sound artifact and one of another ABI."""

    artifact: Path
    future: Path


def prepare(binaries: Path, work: Path) -> None:
    """Compiles the sound artifact and the one of the future into `work`."""
    Fixture.artifact = work / "digits.so"
    Fixture.future = work / "future.so"
    flags = ["-o", Fixture.artifact, "--cpu=x86-64-v3"]
    subprocess.run([binaries / "lzc", DIGITS, *flags], check=True)
    source = work / "future.c"
    source.write_text(FUTURE)
    include = ROOT / "runtime" / "include"
    command = [CLANG, "-shared", "-fPIC", f"-I{include}", source, "-o", Fixture.future]
    subprocess.run(command, check=True)


def check(bad: BadRun, run, judge) -> list[str]:
    """Runs a case in a new folder, in which it must leave nothing new."""
    folder = Fixture.artifact.parent / bad.name.replace(" ", "-")
    folder.mkdir()
    command = bad.command(folder)
    before = sorted(folder.iterdir())
    problems = judge(*run(command), bad.words, bad.codes)
    left = [path.name for path in sorted(folder.iterdir()) if path not in before]
    shutil.rmtree(folder)
    return problems + [f"left behind: {name}" for name in left]


def full_disk(lzc: Path) -> list[BadRun]:
    """Writes each kind of output to a device that has no space."""

    def case(*flags):
        command = lambda folder: [lzc, DIGITS, "-o", "/dev/full", *flags]
        words = ("digits.onnx", "/dev/full", "No space left")
        return BadRun(f"lzc disk full {' '.join(flags)}", command, words)

    kinds = [f"--emit={kind}" for kind in ("so", "obj", "mlir", "llvm")]
    return [case(flag) for flag in (*kinds, "--stop-after=graph")]


def lzc_cases(lzc: Path) -> list[BadRun]:
    """Command lines of lzc."""

    def flags(name: str, words: tuple, *arguments):
        command = lambda folder: [lzc, DIGITS, "-o", folder / "out.so", *arguments]
        return BadRun(f"lzc {name}", command, words, USAGE)

    return [
        BadRun("lzc without model", lambda folder: [lzc], (), USAGE),
        BadRun(
            "lzc missing file",
            lambda folder: [lzc, folder / "absent.onnx", "-o", folder / "out.so"],
            ("absent.onnx",),
        ),
        BadRun(
            "lzc folder as model",
            lambda folder: [lzc, folder, "-o", folder / "out.so"],
            ("folder-as-model",),
        ),
        BadRun(
            "lzc missing output folder",
            lambda folder: [lzc, DIGITS, "-o", folder / "absent" / "out.so"],
            ("absent",),
        ),
        BadRun(
            "lzc output is a folder",
            lambda folder: [lzc, DIGITS, "-o", folder],
            ("output-is-a-folder",),
        ),
        BadRun(
            "lzc output is the model",
            lambda folder: [
                lzc,
                shutil.copy(DIGITS, folder / "model.onnx"),
                "-o",
                folder / "model.onnx",
            ],
            ("model.onnx", "give another file"),
        ),
        *full_disk(lzc),
        flags("unknown flag", ("--frobnicate",), "--frobnicate"),
        flags("unknown cpu", ("nonsense",), "--cpu=nonsense"),
        flags("unknown target", ("nonsense",), "--target=nonsense"),
        flags("unknown opt level", ("O9",), "--opt-level=O9"),
        flags("unknown dimension", ("nonsense",), "--dim", "nonsense=1"),
        flags("dimension not a number", ("batch",), "--dim", "batch=many"),
        flags("negative dimension", ("batch",), "--dim", "batch=-1"),
        flags("huge dimension", ("batch", "2147483647"), "--dim", f"batch={10**20}"),
        flags("option without value", ("--dump-dir",), "--dump-dir="),
        flags("option twice", ("-o", "twice"), "-o", "other.so"),
        flags("check and output", ("--check", "-o"), "--check"),
        flags("unknown stage", ("nonsense",), "--stop-after=nonsense"),
    ]


def input_cases(lz_run: Path) -> list[BadRun]:
    """Inputs that do not fit the model."""

    def inputs(name: str, words: tuple, **arrays):
        def command(folder):
            write_npz(folder / "in.npz", arrays)
            out = folder / "out.npz"
            options = ["--inputs", folder / "in.npz", "--outputs", out]
            return [lz_run, Fixture.artifact, *options]

        return BadRun(f"lz-run {name}", command, words)

    image = np.ones((2, 1, 8, 8), np.float32)
    shapes = ("in.npz", "image", "[batch, 1, 8, 8]")
    return [
        inputs("wrong name", ("image", "picture", "in.npz"), picture=image),
        inputs("extra input", ("extra",), image=image, extra=image),
        inputs("no input", ("image",)),
        inputs("wrong type", ("image",), image=image.astype(np.float64)),
        inputs("wrong integer type", ("image",), image=image.astype(np.int32)),
        inputs("wrong rank", (*shapes, "[2, 64]"), image=image.reshape(2, 64)),
        inputs("scalar", (*shapes, "[]"), image=np.float32(1)),
        inputs(
            "wrong dimension",
            (*shapes, "[2, 1, 8, 9]"),
            image=np.ones((2, 1, 8, 9), np.float32),
        ),
    ]


def file_cases(lz_run: Path) -> list[BadRun]:
    """Files of inputs and artifacts that are none."""

    def inputs_file(name: str, data: bytes | None):
        def command(folder):
            if data is not None:
                (folder / "in.npz").write_bytes(data)
            return [lz_run, Fixture.artifact, "--inputs", folder / "in.npz"]

        return BadRun(f"lz-run {name}", command, ("in.npz",))

    def artifact_file(name: str, make: Callable[[], bytes], word="model.so"):
        def command(folder):
            (folder / "model.so").write_bytes(make())
            return [lz_run, folder / "model.so"]

        return BadRun(f"lz-run {name}", command, (word,))

    def cut(percent: int):
        def make():
            whole = Fixture.artifact.read_bytes()
            return whole[: len(whole) * percent // 100]

        return artifact_file(f"artifact truncated to {percent} %", make)

    absent = lambda folder: [lz_run, folder / "absent.so"]
    return [
        inputs_file("missing inputs", None),
        inputs_file("empty inputs", b""),
        inputs_file("inputs of text", b"not a zip file\n" * 99),
        inputs_file("inputs cut off", b"PK\x03\x04" + bytes(40)),
        BadRun("lz-run missing artifact", absent, ("absent.so",)),
        artifact_file("empty artifact", lambda: b""),
        artifact_file("artifact of text", lambda: b"no library\n" * 99),
        artifact_file("artifact is a model", DIGITS.read_bytes),
        *(cut(percent) for percent in (1, 20, 50, 80, 99)),
        artifact_file("another ABI version", lambda: Fixture.future.read_bytes(), "ABI"),
        artifact_file(
            "another library", lambda: Path("/lib/x86_64-linux-gnu/libm.so.6").read_bytes()
        ),
    ]


def option_cases(lz_run: Path) -> list[BadRun]:
    """Options of lz-run, and a CPU that the artifact was not made for."""

    def flags(name: str, words: tuple, *arguments):
        command = lambda folder: [lz_run, Fixture.artifact, *arguments]
        return BadRun(f"lz-run {name}", command, words, USAGE)

    compare = ("--compare", "y.npz")

    def emulated(cpu: str):
        command = ["qemu-x86_64", "-cpu", cpu, lz_run]
        return BadRun(
            f"lz-run on a {cpu} CPU",
            lambda folder: [*command, Fixture.artifact],
            ("avx", "--cpu"),
        )

    return [
        BadRun("lz-run without artifact", lambda folder: [lz_run], (), USAGE),
        flags("unknown flag", ("--frobnicate",), "--frobnicate"),
        flags("zero threads", ("threads",), "--threads", "0"),
        flags("threads not a number", ("threads",), "--threads", "many"),
        flags("more threads than possible", ("threads", "1024"), "--threads", "99999"),
        flags("negative repeat", ("repeat",), "--repeat", "-2"),
        flags("negative tolerance", ("--tolerance", "-1"), *compare, "--tolerance", "-1"),
        flags("tolerance not a number", ("--tolerance", "nan"), *compare, "--tolerance=nan"),
        flags("two tolerances", ("--tolerance",), *compare, "--tolerance=1", "--atol=1"),
        flags("tolerance without comparison", ("--compare",), "--tolerance=1"),
        flags("huge dimension", ("batch", "9223372036854775807"), "--dim", f"batch={10**20}"),
        flags("dimension twice", ("batch", "twice"), "--dim", "batch=1", "--dim", "batch=2"),
        flags("outputs of another format", ("y.txt", ".npz"), "--outputs", "y.txt"),
        flags("option as value", ("--outputs", "--json"), "--outputs", "--json"),
        emulated("Nehalem"),
        emulated("IvyBridge"),
    ]


def cases(binaries: Path) -> list[BadRun]:
    """Returns every case of this file."""
    lz_run = binaries / "lz-run"
    return [
        *lzc_cases(binaries / "lzc"),
        *input_cases(lz_run),
        *file_cases(lz_run),
        *option_cases(lz_run),
    ]
