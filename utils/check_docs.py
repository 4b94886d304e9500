#!/usr/bin/env python3
"""Checks the documentation: every link leads somewhere, every file named in
backquotes exists, every page is reachable from README.md.

Each page is one test. Links into the network are not followed.

usage: check_docs.py
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1", re.M | re.S)
INDENTED = re.compile(r"^ {4,}.*$", re.M)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
HEADING = re.compile(r"^#+ +(.*)$", re.M)

# A backquoted word is a path of the repository if it starts with one of its
# folders, and holds nothing that only a pattern or a command has.
PATH = re.compile(r"[A-Za-z0-9_.]+(/[A-Za-z0-9_.+-]+)+/?")


def pages() -> list[Path]:
    """Returns the committed (or about to be) markdown files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    names = listed.stdout.splitlines()
    return sorted(ROOT / name for name in names if (ROOT / name).exists())


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives to a page's headings."""
    titles = HEADING.findall(FENCE.sub("", page.read_text()))
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.replace(" ", "-") for title in plain}


def link_problem(page: Path, link: str) -> str:
    """Returns what is wrong with one link, or an empty string."""
    if re.match(r"[a-z]+:", link):
        return ""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return f"link to {link}: no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"link to {link}: no such heading"
    return ""


def path_problem(page: Path, code: str, tops: set[str]) -> str:
    """Returns what is wrong with a path in backquotes, or an empty string."""
    if not PATH.fullmatch(code) or code.split("/")[0] not in tops:
        return ""
    if code.startswith("build/") or re.search(r"\b[A-Z]{3,}\b", code):
        return ""
    named = ROOT / code
    found = named.exists() or (page.parent / code).exists()
    found = found or any(named.parent.glob(f"{named.name}.*"))  # Codegen.cpp and .h
    return "" if found else f"names {code}, which does not exist"


def check(page: Path, tops: set[str]) -> list[str]:
    """Returns what is wrong with a page."""
    text = FENCE.sub("", page.read_text())
    problems = [link_problem(page, link) for link in LINK.findall(text)]
    prose = INDENTED.sub("", text)
    problems += [path_problem(page, code, tops) for code in CODE.findall(prose)]
    return [problem for problem in problems if problem]


def reachable(start: Path) -> set[Path]:
    """Returns the pages that links lead to from one page."""
    seen, waiting = set(), [start]
    while waiting:
        page = waiting.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        for link in LINK.findall(FENCE.sub("", page.read_text())):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md":
                waiting.append(target)
    return seen


def main() -> int:
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()}
    found, linked = pages(), reachable(ROOT / "README.md")
    failed = 0
    for page in found:
        problems = check(page, tops)
        if page not in linked:
            problems.append("no link from README.md leads here")
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'PASS'} {page.relative_to(ROOT)}")
        for problem in problems:
            print(f"     {problem}")
    print(f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
