"""A recogniser reads twenty rendered lines as ONNX Runtime does."""

from checks import Subject
from peer import make_session, run_session
from render import characters, read_text, render_line

LINES = [
    "Hello LeZero 2026",
    "the quick brown fox",
    "jumps over the lazy dog",
    "Pack my box with five dozen jugs",
    "ISO 9001:2015",
    "total 1,234.56 EUR",
    "+49 341 123456",
    "https://example.org/a?b=c",
    "One artifact, every width",
    "A",
    "42",
    "ahead of time",
    "no interpreter, no JIT",
    "x = (a + b) * c - d / e",
    "Tuesday, 7 July",
    "UPPER lower MiXeD",
    "50% off!",
    "gate B17, seat 23F",
    "compile once and run anywhere that has the C library",
    "the last of twenty lines",
]

# The peer itself must read most lines, or agreeing with it means little.
READ_RIGHT = 14


def check_reading(subject: Subject, quick: bool):
    """Each line gives the peer's text; the peer mostly gives the line."""
    classes = characters(subject.path)
    session = make_session(subject.path, optimized=True)
    right, problems = 0, []
    for line in LINES:
        inputs = {"x": render_line(line)}
        (want,) = run_session(session, inputs).values()
        (got,) = subject.tools.run(subject.artifact(), inputs).outputs.values()
        peer_text, text = read_text(want[0], classes), read_text(got[0], classes)
        right += peer_text == line
        if text != peer_text:
            problems.append(f"reads {text!r}, the peer {peer_text!r}")
    if right < READ_RIGHT:
        problems.append(f"the peer reads only {right} of {len(LINES)} lines right")
    yield f"reads {len(LINES)} lines as the peer does ({right} right)", problems
