//===- DataBlock.cpp - weights put together without copying ---------------===//

#include "compiler/target/DataBlock.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace llvm;

uint64_t lz::DataBlock::append(ArrayRef<char> bytes, uint64_t alignment) {
  assert(isPowerOf2_64(alignment) && alignment <= 4096 && "bad alignment");
  uint64_t offset = alignTo(end, alignment);
  pieces.push_back({offset, bytes});
  end = offset + bytes.size();
  return offset;
}

void lz::DataBlock::write(raw_ostream &os) const {
  uint64_t position = 0;
  for (const Piece &piece : pieces) {
    os.write_zeros(piece.offset - position); // less than a page
    os.write(piece.bytes.data(), piece.bytes.size());
    position = piece.offset + piece.bytes.size();
  }
}
