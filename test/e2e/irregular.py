#!/usr/bin/env python3
"""Operators on boxes, regions and signals, and those that select, one node each,
against ONNX Runtime or, where it has none, against numpy.

usage: irregular.py --bin BUILD/bin [--only NAME,NAME...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import one_node

from irregular_models import FAMILIES

if __name__ == "__main__":
    sys.exit(one_node.run(__doc__, FAMILIES))
