#!/usr/bin/env bash
# Brings a Debian 12 machine to the state that the build and the tests need, and
# says what it installs:
#   1. Debian packages (compiler, MLIR, protobuf, test libraries);
#   2. a virtual environment with the PyPI packages of requirements.txt;
#   3. ONNX's C++ library, built once from PyPI's source distribution.
# What is there already is left alone, so a second run takes about a second.
# Needs the network only for what is missing. Everything but the Debian
# packages goes to ~/.cache/lezero.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache="$HOME/.cache/lezero"
venv="$cache/venv"
onnx_version=1.22.0
onnx_prefix="$cache/onnx-$onnx_version"

debian_packages=(
  # the build
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  liblld-22-dev libclang-rt-22-dev cmake ninja-build ccache git binutils
  protobuf-compiler libprotobuf-dev zlib1g-dev libzstd-dev
  python3-venv ca-certificates
  # the tests and examples
  libgtest-dev libbenchmark-dev libpng-dev clang-tidy-22 clang-format-22
  qemu-user fonts-dejavu-core
)

say() { echo "setup: $*"; }

die() {
  echo "setup: error: $*" >&2
  exit 1
}

missing_debian_packages() {
  local package
  for package in "${debian_packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q '^install ok installed$' || echo "$package"
  done
}

install_debian_packages() {
  local missing root=()
  mapfile -t missing < <(missing_debian_packages)
  ((${#missing[@]})) || return 0
  say "Debian packages to install: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "installing needs root and there is no sudo: run" \
        "'apt-get update && apt-get install ${missing[*]}' as root"
    root=(sudo)
  fi
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
    --no-install-recommends "${missing[@]}" >"$cache/apt.log" 2>&1 || {
    tail -20 "$cache/apt.log" >&2
    die "apt-get install failed (whole log: ~/.cache/lezero/apt.log)"
  }
}

# Prints the lines of requirements.txt whose exact version is not installed.
missing_python_packages() {
  "$venv/bin/python" - "$here/requirements.txt" <<'PY'
import importlib.metadata as metadata
import sys

for line in open(sys.argv[1]):
    wanted = line.split("#")[0].strip()
    if not wanted:
        continue
    name, version = wanted.split("==")
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        found = None
    if found != version:
        print(line.strip())
PY
}

install_python_packages() {
  local missing line
  [[ -x "$venv/bin/python" ]] || {
    say "creating the virtual environment ~/.cache/lezero/venv"
    python3 -m venv "$venv"
  }
  mapfile -t missing < <(missing_python_packages)
  for line in ${missing[@]+"${missing[@]}"}; do
    say "PyPI package to install: ${line%% *}"
    if [[ $line == *no-deps* ]]; then
      "$venv/bin/pip" install -q --disable-pip-version-check --no-deps "${line%% *}"
    else
      "$venv/bin/pip" install -q --disable-pip-version-check "${line%% *}"
    fi
  done
}

build_onnx() {
  [[ -f "$onnx_prefix/lib/cmake/ONNX/ONNXConfig.cmake" ]] && return 0
  say "building ONNX's C++ library $onnx_version (about two minutes)"
  local work="$cache/onnx-build"
  rm -rf "$work"
  mkdir -p "$work"
  {
    "$venv/bin/pip" download -q --disable-pip-version-check --no-deps \
      --no-binary onnx -d "$work" "onnx==$onnx_version"
    tar -xzf "$work/onnx-$onnx_version.tar.gz" -C "$work"
    "$venv/bin/cmake" -G Ninja -S "$work/onnx-$onnx_version" -B "$work/build" \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$onnx_prefix" \
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
      -DPython3_EXECUTABLE="$venv/bin/python" -DONNX_ML=ON \
      -DONNX_BUILD_PYTHON=OFF -DONNX_BUILD_TESTS=OFF \
      -DONNX_USE_PROTOBUF_SHARED_LIBS=ON
    "$venv/bin/cmake" --build "$work/build"
    "$venv/bin/cmake" --install "$work/build"
  } >"$cache/onnx.log" 2>&1 || {
    tail -20 "$cache/onnx.log" >&2
    die "building ONNX failed (whole log: ~/.cache/lezero/onnx.log)"
  }
  rm -rf "$work"
}

mkdir -p "$cache"
# Two set-ups at once would install over each other.
exec 9>"$cache/setup.lock"
flock 9
install_debian_packages
install_python_packages
build_onnx
say "everything needed is installed"
