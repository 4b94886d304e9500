#!/usr/bin/env python3
"""Operators of ONNX Runtime's own domain, one node each, against ONNX Runtime.

usage: contrib.py --bin BUILD/bin [--only NAME,NAME...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import one_node

from contrib_models import FAMILIES

if __name__ == "__main__":
    sys.exit(one_node.run(__doc__, FAMILIES))
