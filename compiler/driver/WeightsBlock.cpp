//===- WeightsBlock.cpp - the bytes of the weights section ----------------===//

#include "compiler/driver/WeightsBlock.h"

#include "dialects/lz/Reference/Evaluator.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace lz;

llvm::Expected<WeightsBlock> WeightsBlock::create(const WeightsLayout &layout) {
  WeightsBlock block;
  for (const auto &[value, entry] : layout.getEntries()) {
    FailureOr<RefTensor> tensor = getRefTensor(cast<ElementsAttr>(value));
    if (failed(tensor) ||
        static_cast<int64_t>(tensor->getBytes().size()) != entry.bytes)
      return llvm::createStringError(
          "the weights '" + entry.name + "' have no data, or not the " +
          std::to_string(entry.bytes) + " bytes that their type needs");
    ArrayRef<char> bytes = tensor->getBytes();
    if (!isa<DenseResourceElementsAttr>(value)) {
      block.copies.emplace_back(bytes.begin(), bytes.end());
      bytes = block.copies.back();
    }
    uint64_t offset = block.data.append(bytes);
    if (static_cast<int64_t>(offset) != entry.offset)
      return llvm::createStringError("the weights '" + entry.name +
                                     "' lie elsewhere than planned");
  }
  return block;
}
