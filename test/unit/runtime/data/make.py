"""Writes the files of this folder: arrays as numpy and onnx write them.

usage: make.py FOLDER    (needs numpy and onnx)
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def arrays() -> dict:
    """One array of each type that numpy has, and shapes of interest."""
    values = {
        name: np.arange(-2, 4).astype(name).reshape(2, 3)
        for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64")
    }
    for name in ("uint8", "uint16", "uint32", "uint64"):
        values[name] = np.arange(6).astype(name).reshape(2, 3)
    values["bool"] = np.array([True, False, True])
    values["complex64"] = np.array([1 + 2j, -3.5j], np.complex64)
    values["complex128"] = np.array([1 + 2j, -3.5j])
    values["scalar"] = np.float32(7.5)
    values["empty"] = np.zeros((0, 3), np.float32)
    values["zeros"] = np.zeros((20, 50), np.float32)
    return values


def tensors() -> dict:
    """Tensors in each of the ways that TensorProto has."""
    return {
        "raw": numpy_helper.from_array(np.float32([[1, 2, 3], [4, 5, 6]]), "raw"),
        "float_data": helper.make_tensor("f", TensorProto.FLOAT, [3], [1.5, -2, 3]),
        "double_data": helper.make_tensor("d", TensorProto.DOUBLE, [2], [1.5, -2]),
        "int32_data": helper.make_tensor("i", TensorProto.INT32, [3], [1, -2, 3]),
        "int8_data": helper.make_tensor("i8", TensorProto.INT8, [3], [1, -2, 127]),
        "bool_data": helper.make_tensor("b", TensorProto.BOOL, [3], [1, 0, 1]),
        "int64_data": helper.make_tensor("l", TensorProto.INT64, [2], [1 << 40, -5]),
        "uint64_data": helper.make_tensor("u", TensorProto.UINT64, [2], [1 << 63, 5]),
        "float16_data": helper.make_tensor("h", TensorProto.FLOAT16, [2], [1.5, -2]),
        "bfloat16_data": helper.make_tensor("bf", TensorProto.BFLOAT16, [2], [1.5, -2]),
        "int4_data": helper.make_tensor("i4", TensorProto.INT4, [3], [1, -2, 7]),
        "complex_data": helper.make_tensor("c", TensorProto.COMPLEX64, [1], [1 + 2j]),
        "string_data": helper.make_tensor("s", TensorProto.STRING, [1], [b"text"]),
    }


def main() -> None:
    folder = Path(sys.argv[1])
    np.savez(folder / "stored.npz", **arrays())
    np.savez_compressed(folder / "deflated.npz", **arrays())
    np.save(folder / "fortran.npy", np.asfortranarray(np.ones((2, 3), np.float32)))
    np.save(folder / "big.npy", np.array([1, 2], ">f4"))
    np.save(folder / "text.npy", np.array(["text"]))
    for name, tensor in tensors().items():
        onnx.save_tensor(tensor, folder / f"{name}.pb")


if __name__ == "__main__":
    main()
