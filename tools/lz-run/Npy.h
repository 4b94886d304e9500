//===- Npy.h - numpy's array files ----------------------------------*- C++
//-*-===//
//
// Types that numpy lacks travel as their bits: bf16 and the 8-bit floats as
// unsigned integers (or numpy's void type) of the same size, the types of 4 and
// 2 bits one to a byte, signed ones as int8.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lezero/lezero.hpp"

namespace lz::run {

/// An array as the file has it.
struct NpyArray {
  char kind = 0; // as in numpy: f i u b c V
  int64_t itemBytes = 0;
  std::vector<int64_t> shape;
  Tensor bytes; // u8
};

/// Parses the content of a .npy file. `what` is for errors.
NpyArray parseNpy(const std::string &content, const std::string &what);

/// The array as a tensor of a type; throws if it is of another.
Tensor toTensor(const NpyArray &array, int32_t type, const std::string &what);

/// The array as a tensor of the type that numpy gives it.
Tensor toTensor(const NpyArray &array, const std::string &what);

/// The content of a .npy file.
std::string writeNpy(const Tensor &tensor);

} // namespace lz::run
