//===- WeightsFile.cpp - a module's resources in a file -------------------===//

#include "compiler/driver/WeightsFile.h"

#include "compiler/target/WriteFile.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace mlir;
using namespace lz;

static constexpr llvm::StringLiteral kMagic = "LZWEIGHT";
static constexpr uint64_t kAlignment = 64;

/// Calls `visit` for each resource that an attribute of `module` holds.
static void
walkResources(ModuleOp module,
              llvm::function_ref<void(DenseResourceElementsAttr)> visit) {
  module.walk([&](Operation *op) {
    for (NamedAttribute named : op->getAttrs())
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(named.getValue()))
        visit(resource);
    if (auto properties = op->getPropertiesAsAttribute())
      properties.walk(visit);
  });
}

void WeightsWriter::add(ModuleOp module) {
  walkResources(module, [&](DenseResourceElementsAttr resource) {
    resources.insert({resource.getRawHandle().getKey(), resource});
  });
}

static void writeNumber(llvm::raw_ostream &os, uint64_t value) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, value);
  os.write(bytes, sizeof bytes);
}

llvm::Error WeightsWriter::write(StringRef path) const {
  return writeFile(path, [&](llvm::raw_ostream &os) { write(os); });
}

void WeightsWriter::write(llvm::raw_ostream &os) const {
  uint64_t header = kMagic.size() + 8;
  for (const auto &entry : resources)
    header += 24 + entry.first.size();
  os << kMagic;
  writeNumber(os, resources.size());
  uint64_t offset = llvm::alignTo(header, kAlignment);
  for (const auto &[name, resource] : resources) {
    uint64_t bytes = resource.getRawHandle().getBlob()
                         ? resource.getRawHandle().getBlob()->getData().size()
                         : 0;
    writeNumber(os, name.size());
    os << name;
    writeNumber(os, offset);
    writeNumber(os, bytes);
    offset = llvm::alignTo(offset + bytes, kAlignment);
  }
  for (const auto &entry : resources) {
    os.write_zeros(llvm::offsetToAlignment(os.tell(), llvm::Align(kAlignment)));
    if (AsmResourceBlob *blob = entry.second.getRawHandle().getBlob())
      os.write(blob->getData().data(), blob->getData().size());
  }
}

namespace {

/// Reads numbers and names from the front of a file.
struct Cursor {
  StringRef rest;

  std::optional<uint64_t> number() {
    if (rest.size() < 8)
      return std::nullopt;
    uint64_t value = llvm::support::endian::read64le(rest.data());
    rest = rest.drop_front(8);
    return value;
  }
  std::optional<StringRef> bytes(uint64_t count) {
    if (rest.size() < count)
      return std::nullopt;
    StringRef taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  }
};

} // namespace

/// The entries of a weights file, each within it.
static std::optional<llvm::StringMap<StringRef>> parse(StringRef file) {
  Cursor cursor{file};
  if (cursor.bytes(kMagic.size()) != StringRef(kMagic))
    return std::nullopt;
  std::optional<uint64_t> count = cursor.number();
  if (!count || *count > file.size())
    return std::nullopt;
  llvm::StringMap<StringRef> entries;
  for (uint64_t i = 0; i != *count; ++i) {
    std::optional<uint64_t> length = cursor.number();
    std::optional<StringRef> name =
        length ? cursor.bytes(*length) : std::nullopt;
    std::optional<uint64_t> offset = cursor.number(), bytes = cursor.number();
    if (!name || !offset || !bytes || *offset > file.size() ||
        *bytes > file.size() - *offset)
      return std::nullopt;
    entries[*name] = file.substr(*offset, *bytes);
  }
  return entries;
}

llvm::Error lz::attachWeights(ModuleOp module, StringRef path) {
  SmallVector<DenseResourceElementsAttr> missing;
  walkResources(module, [&](DenseResourceElementsAttr resource) {
    if (!resource.getRawHandle().getBlob())
      missing.push_back(resource);
  });
  if (missing.empty())
    return llvm::Error::success();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot open the weights " + path);
  auto entries = parse((*buffer)->getBuffer());
  if (!entries)
    return llvm::createStringError(path + " is not a file of weights");
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*buffer);
  for (DenseResourceElementsAttr resource : missing) {
    DenseResourceElementsHandle handle = resource.getRawHandle();
    auto found = entries->find(handle.getKey());
    if (found == entries->end())
      return llvm::createStringError(path + " lacks the weights '" +
                                     handle.getKey() + "'");
    ArrayRef<char> data(found->second.data(), found->second.size());
    auto blob = UnmanagedAsmResourceBlob::allocateWithAlign(
        data, 1, [owner](void *, size_t, size_t) {});
    handle.getResource()->setBlob(std::move(blob));
  }
  return llvm::Error::success();
}
