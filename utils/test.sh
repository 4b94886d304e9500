#!/usr/bin/env bash
# Installs what is missing, builds with assertions and runs every suite. The last
# line is the sum: N passed, N failed, N skipped. Arguments go to run_tests.py:
# --list, --only NAME,..., --base COMMIT, --budget-scale X.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
utils/setup.sh
exec ~/.cache/lezero/venv/bin/python utils/run_tests.py "$@"
