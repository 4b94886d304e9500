//===- DataBlock.cpp - weights put together without copying ---------------===//

#include "compiler/target/DataBlock.h"

#include "compiler/target/WriteFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SHA256.h"

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

namespace {

/// Passes bytes on to a stream and hashes them on their way.
class HashingStream : public raw_ostream {
public:
  explicit HashingStream(raw_ostream &os) : os(os) {}
  ~HashingStream() override { flush(); }

  std::string finish() {
    flush();
    return toHex(hash.final(), /*LowerCase=*/true);
  }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(StringRef(data, size));
    os.write(data, size);
  }
  uint64_t current_pos() const override { return os.tell(); }

  raw_ostream &os;
  SHA256 hash;
};

} // namespace

Expected<std::string> lz::writeDataFile(StringRef path,
                                        const DataBlock &block) {
  std::string hash;
  auto fill = [&](raw_ostream &os) {
    HashingStream stream(os);
    block.write(stream);
    hash = stream.finish();
  };
  if (Error error = writeFile(path, fill))
    return std::move(error);
  return hash;
}
