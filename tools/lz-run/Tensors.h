//===- Tensors.h - inputs and references from files -----------------*- C++
//-*-===//
#pragma once

#include "Npy.h"
#include "OnnxTensor.h"

#include <map>

namespace lz::run {

/// A tensor of a file, before its type is settled.
struct FileTensor {
  std::string source; // "in.npz: 'image'"
  bool isNpy = true;
  NpyArray array; // of .npy
  Tensor tensor;  // of .pb

  /// As a tensor of that type; throws if it has another.
  Tensor as(int32_t type) const;
  /// As the file has it.
  Tensor any() const;
};

/// Reads in.npz, name=x.npy, name=x.pb, x.pb into tensors by name.
std::map<std::string, FileTensor>
readTensors(const std::vector<std::string> &arguments);

/// Writes tensors to a .npz file.
void writeTensors(const std::string &path,
                  const std::vector<NamedTensor> &tensors);

} // namespace lz::run
