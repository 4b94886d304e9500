//===- OnnxTensor.h - ONNX's TensorProto files ----------------------*- C++
//-*-===//
#pragma once

#include "lezero/lezero.hpp"

#include <string>

namespace lz::run {

/// A tensor and the name that the file gives it.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Parses a serialised onnx.TensorProto. `what` is for errors.
NamedTensor parseOnnxTensor(const std::string &content,
                            const std::string &what);

} // namespace lz::run
