"""The command-line tools as the end-to-end tests use them: lzc and lz-run.

Only the documented command lines are used, so that what passes here is what a
user's script can do.
"""

import json
import os
import resource
import subprocess
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


class ToolError(Exception):
    """A tool failed; the text is its exit code and what it printed."""


@dataclass
class Compiled:
    """One compilation: the artifact and what it cost."""

    artifact: Path
    seconds: float  # of processor time, which other processes leave alone
    anonymous_mb: float


@dataclass
class RunResult:
    """One run: outputs by name, and the object that --json printed."""

    outputs: dict
    report: dict


def write_npz(path: Path, arrays: dict) -> None:
    """Writes an .npz whose members may have any name, `file` included."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array)
                                          if np.ndim(array) else np.asarray(array))


def anonymous_mb(pid: int) -> float:
    """Returns the anonymous resident memory of a process in MB (0 if gone)."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1024
    except (OSError, ProcessLookupError):
        pass
    return 0.0


def processor_seconds() -> float:
    """Returns what this process's ended children used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Tools:
    """The tools of one build folder, with every compilation kept for reuse."""

    bin: Path
    work: Path
    runner: Path | None = None  # another build's lz-run
    timeout: float = 600
    compiled: dict = field(default_factory=dict)

    def compile(self, model: Path, *flags: str) -> Compiled:
        """Compiles a model, or returns the earlier result of the same call."""
        key = (model, flags)
        if key not in self.compiled:
            name = f"{model.stem}-{len(self.compiled)}"
            self.compiled[key] = self.compile_to(
                model, self.work / name / "model.so", *flags
            )
        return self.compiled[key]

    def compile_to(self, model: Path, artifact: Path, *flags: str) -> Compiled:
        """Compiles a model to a file, sampling lzc's memory every 10 ms."""
        artifact.parent.mkdir(parents=True, exist_ok=True)
        command = [str(self.bin / "lzc"), str(model), "-o", str(artifact), *flags]
        start, peak = time.monotonic(), 0.0
        log = artifact.with_suffix(".log")
        with log.open("w") as out:
            before = processor_seconds()
            process = subprocess.Popen(command, stdout=out, stderr=out)
            while process.poll() is None:
                peak = max(peak, anonymous_mb(process.pid))
                if time.monotonic() - start > self.timeout:
                    process.kill()
                    process.wait()
                    raise ToolError(f"lzc took more than {self.timeout:.0f} s")
                time.sleep(0.01)
        seconds = processor_seconds() - before
        self._check("lzc", process.returncode, log.read_text(errors="replace"))
        return Compiled(artifact, seconds, peak)

    def run(self, artifact: Path, inputs: dict, *flags: str) -> RunResult:
        """Runs an artifact on named arrays."""
        source = self.work / f"in-{os.getpid()}-{artifact.parent.name}.npz"
        result = self.work / f"out-{os.getpid()}-{artifact.parent.name}.npz"
        write_npz(source, inputs)
        result.unlink(missing_ok=True)
        command = [
            *(str(self.runner or self.bin / "lz-run"), str(artifact)),
            *("--inputs", str(source), "--outputs", str(result), "--json"),
            *flags,
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=self.timeout
            )
        except subprocess.TimeoutExpired:
            raise ToolError(f"lz-run took more than {self.timeout:.0f} s") from None
        self._check("lz-run", done.returncode, done.stdout + done.stderr)
        report = json.loads(done.stdout.strip().splitlines()[-1])
        with np.load(result, allow_pickle=False) as loaded:
            outputs = {name: loaded[name] for name in loaded.files}
        source.unlink()
        result.unlink()
        return RunResult(outputs, report)

    @staticmethod
    def _check(tool: str, code: int, output: str) -> None:
        if code == 0:
            return
        tail = "\n".join(output.strip().splitlines()[-8:])
        raise ToolError(f"{tool} ended by {code}: {tail}")

    def guard(self, artifact: Path, inputs: dict, threads: int) -> str:
        """Runs an artifact under guard; returns what lz-guard-run found wrong."""
        folder = artifact.parent
        arguments = []
        for index, (name, array) in enumerate(inputs.items()):
            raw = folder / f"guard-{index}.bin"
            raw.write_bytes(np.ascontiguousarray(array).tobytes())
            shape = ",".join(map(str, array.shape))
            arguments.append(f"{name}={shape}={raw}")
        command = [str(self.bin / "lz-guard-run"), str(artifact), str(threads)]
        done = subprocess.run(
            command + arguments, capture_output=True, text=True, timeout=self.timeout
        )
        if done.returncode == 0:
            return ""
        return f"exit {done.returncode}: {(done.stdout + done.stderr).strip()}"
