"""Writes a model that a test gives in ONNX's text form.

usage: make.py TEST NAME OUT: the lines of TEST from `MODEL NAME` to the next
empty line become the model OUT.
"""

import sys

import onnx
import onnx.parser


def read(path, name):
    """The text of model `name` in the file `path`."""
    lines = open(path, encoding="utf-8").read().split("\n")
    start = lines.index(f"MODEL {name}") + 1
    return "\n".join(lines[start : lines.index("", start)])


def main():
    path, name, out = sys.argv[1:]
    model = onnx.parser.parse_model(read(path, name))
    with open(out, "wb") as file:
        file.write(model.SerializeToString())


main()
