#!/usr/bin/env python3
"""Operators of classical models (ai.onnx.ml), one node each, against ONNX Runtime.

usage: ml.py --bin BUILD/bin [--only NAME,NAME...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import one_node

from ml_models import FAMILIES

if __name__ == "__main__":
    sys.exit(one_node.run(__doc__, FAMILIES))
