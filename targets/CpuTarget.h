//===- CpuTarget.h - what code generation knows of a CPU --------*- C++ -*-===//
//
// Everything here follows from the recorded target string alone, never from the
// machine that compiles, so that equal flags give equal artifacts.
//
//===----------------------------------------------------------------------===//
#ifndef TARGETS_CPUTARGET_H
#define TARGETS_CPUTARGET_H

#include <cstdint>
#include <string>

namespace lz::targets {

struct CpuTarget {
  std::string triple;
  std::string cpu;
  std::string features; // LLVM's form, "+avx2,-avx512f"

  int64_t vectorBytes = 16;     // of the widest register worth using
  int64_t vectorRegisters = 16; // of that width
  int64_t l1Bytes = 32 << 10;   // data cache of one core
  int64_t l2Bytes = 512 << 10;
  bool convertsHalf = false; // has instructions from f16 to f32 and back

  /// The lanes of a vector of elements of `elementBytes`.
  int64_t getLanes(int64_t elementBytes) const {
    return vectorBytes / elementBytes;
  }
};

} // namespace lz::targets

#endif // TARGETS_CPUTARGET_H
