//===- Sha256.h - SHA-256 ---------------------------------------*- C++ -*-===//
//
// FIPS 180-4, for the hash of weights files and of lz-run's outputs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>

namespace lz::rt {

/// The SHA-256 of `size` bytes, as 64 lower-case hexadecimal digits.
std::string sha256(const void *data, size_t size);

} // namespace lz::rt
