#!/usr/bin/env python3
"""Operators that read or write at computed places, one node each, against ONNX
Runtime or, where it has none, against numpy.

usage: sampling.py --bin BUILD/bin [--only NAME,NAME...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import small_models

from contrib import check_case
from sampling_models import FAMILIES

if __name__ == "__main__":
    cases = (case for family in FAMILIES for case in family())
    sys.exit(small_models.run(__doc__, cases, lambda case: case.name, check_case))
