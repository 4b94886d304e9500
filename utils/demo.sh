#!/usr/bin/env bash
# Compiles a trained network and reads the text in a picture with it: installs
# what is missing, builds LeZero, compiles the PP-OCRv4 recogniser of the PyPI
# package rapidocr-onnxruntime to one shared library, runs it on
# examples/read_text/picture.png and prints the text and the times.
#
# usage: utils/demo.sh [PICTURE.png]     dark text on a light ground
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
picture=$(realpath -- "${1:-examples/read_text/picture.png}")
build=build/release
artifact=build/demo/recogniser.so

say() { echo "demo: $*"; }

# Runs a command, its output in a log that is shown only if it fails.
quietly() {
  local log="build/demo/$1.log"
  shift
  "$@" >"$log" 2>&1 || {
    tail -40 "$log" >&2
    echo "demo: error: '$*' failed (whole log: $log)" >&2
    exit 1
  }
}

find_recogniser() {
  ~/.cache/lezero/venv/bin/python - <<'PY'
import importlib.util
from pathlib import Path

package = importlib.util.find_spec("rapidocr_onnxruntime").origin
print(Path(package).parent / "models" / "ch_PP-OCRv4_rec_infer.onnx")
PY
}

utils/setup.sh
mkdir -p build/demo
say "building LeZero in $build (several minutes the first time)"
quietly configure cmake --preset release
quietly build cmake --build --preset release -t lzc lz-run lezero

model=$(find_recogniser)
say "compiling $(basename "$model") to $artifact"
started=$(date +%s%N)
"$build/bin/lzc" "$model" -o "$artifact"
say "took $((($(date +%s%N) - started) / 1000000)) ms; $(du -h "$artifact" | cut -f1) in one file"

quietly configure-example cmake -G Ninja -S examples/read_text -B build/demo/example \
  -DCMAKE_CXX_COMPILER=clang++-22 -DLeZero_ROOT="$PWD/$build"
quietly build-example cmake --build build/demo/example
say "reading $picture"
build/demo/example/read_text "$artifact" "$picture"
