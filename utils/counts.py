"""How the suites count: `N passed, N failed, N skipped`, the last such line."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)

# The result codes of lit's JSON output that count as passed or skipped; all
# others, and any that a later lit adds, are failures.
LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


@dataclass
class Counts:
    """The outcome of a suite, or of several added up."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self) -> str:
        return (
            f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"
        )

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


def from_summary(output: str) -> Counts | None:
    """Returns the counts of the last summary line of `output`, if it has one."""
    found = SUMMARY.findall(output)
    return Counts(*map(int, found[-1])) if found else None


def from_lit_json(path: Path) -> Counts:
    """Returns the counts of a file that `lit --output` wrote."""
    counts = Counts()
    for test in json.loads(path.read_text())["tests"]:
        if test["code"] in LIT_PASSED:
            counts.passed += 1
        elif test["code"] in LIT_SKIPPED:
            counts.skipped += 1
        else:
            counts.failed += 1
    return counts


def from_gtest_json(path: Path) -> tuple[Counts, list[str]]:
    """Returns the counts of a `--gtest_output=json:` file and the failures."""
    counts, failures = Counts(), []
    for suite in json.loads(path.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            if case["status"] == "NOTRUN" or case["result"] == "SKIPPED":
                counts.skipped += 1
            elif case.get("failures"):
                counts.failed += 1
                failures.append(f"{suite['name']}.{case['name']}")
            else:
                counts.passed += 1
    return counts, failures
