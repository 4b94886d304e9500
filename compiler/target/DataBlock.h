//===- DataBlock.h - weights put together without copying -------*- C++ -*-===//
//
// The weights of an artifact are one block of bytes. Its pieces stay where they
// are (usually in the mapped model file) until the block is written.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>

namespace lz {

class DataBlock {
public:
  /// A cache line, and the widest vector register.
  static constexpr uint64_t kAlignment = 64;

  /// Adds `bytes`, which must outlive the block, at the next multiple of
  /// `alignment` (a power of two, at most a page). Returns their offset.
  uint64_t append(llvm::ArrayRef<char> bytes, uint64_t alignment = kAlignment);

  uint64_t size() const { return end; }

  /// Writes the block, with zeros between its pieces.
  void write(llvm::raw_ostream &os) const;

private:
  struct Piece {
    uint64_t offset;
    llvm::ArrayRef<char> bytes;
  };
  llvm::SmallVector<Piece, 0> pieces;
  uint64_t end = 0;
};

/// Writes `block` to a file of its own; returns its SHA-256 in lower-case
/// hexadecimal. A file that can't be written whole is removed.
llvm::Expected<std::string> writeDataFile(llvm::StringRef path,
                                          const DataBlock &block);

} // namespace lz
