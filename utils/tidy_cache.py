"""Remembers which files clang-tidy passed, so that none is checked twice.

A file's key is the hash of all that a finding can depend on: the version of
clang-tidy, its configuration, the compile command, and the text of the file and
of every file of the project that it includes, directly or not. The key of the
last success lies in a file of its own, named for the source.
"""

import hashlib
import re
import subprocess
from pathlib import Path

INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)


class TidyCache:
    """The successes of one build folder."""

    def __init__(self, root: Path, build: Path, commands: dict[Path, str]):
        self.root, self.build, self.commands = root, build.resolve(), commands
        self.folder = build / "tidy-cache"
        self.folder.mkdir(exist_ok=True)
        version = subprocess.run(
            ["clang-tidy-22", "--version"], check=True, capture_output=True
        )
        self.common = version.stdout + (root / ".clang-tidy").read_bytes()
        self.texts: dict[Path, bytes] = {}

    def text(self, path: Path) -> bytes:
        """Returns a file's bytes; a header is read once for all its users."""
        if path not in self.texts:
            self.texts[path] = path.read_bytes()
        return self.texts[path]

    def included_by(self, path: Path) -> set[Path]:
        """Returns the files of the project, generated ones too, that a file
        includes. Headers outside belong to packages, as clang-tidy does."""
        names = {name.decode() for name in INCLUDE.findall(self.text(path))}
        folders = (path.parent, self.root, self.build)
        found = (folder / name for name in names for folder in folders)
        return {file.resolve() for file in found if file.is_file()}

    def key(self, source: Path) -> str:
        """Returns the hash of all that the findings of a source depend on."""
        closure, fresh = {source}, [source]
        while fresh:
            more = self.included_by(fresh.pop()) - closure
            closure |= more
            fresh += more
        digest = hashlib.sha256(self.common + self.commands[source].encode())
        for path in sorted(closure):
            text = self.text(path)
            digest.update(f"\n{path} {len(text)}\n".encode() + text)
        return digest.hexdigest()

    def entry(self, source: Path) -> Path:
        """Returns the file that holds the key of a source's last success."""
        return self.folder / "-".join(source.relative_to(self.root).parts)

    def passed(self, source: Path) -> bool:
        """Tells whether the source passed and nothing changed since."""
        entry = self.entry(source)
        return entry.exists() and entry.read_text() == self.key(source)

    def remember(self, source: Path) -> None:
        """Notes that the source, as it is now, passed."""
        self.entry(source).write_text(self.key(source))
