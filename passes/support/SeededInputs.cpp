//===- SeededInputs.cpp - inputs for a function, from its symbols ---------===//

#include "passes/support/SeededInputs.h"

#include "dialects/lz/IR/LzDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <random>

using namespace mlir;
using namespace lz;

/// Elements of one input at most; a model that needs more is not for checking
/// by plain loops.
static constexpr int64_t kMaxElements = 1 << 26;

/// The value of each symbol that `function` declares.
static llvm::StringMap<int64_t> getSymbolValues(FunctionOpInterface function,
                                                int64_t size) {
  llvm::StringMap<int64_t> values;
  if (auto symbols =
          function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr))
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      values[symbol.getName()] =
          std::min(std::max(size, symbol.getMin()), symbol.getMax());
  return values;
}

/// The values of `exprs`; none if one is not a size.
static std::optional<SmallVector<int64_t>>
evaluateSizes(ArrayAttr exprs, const llvm::StringMap<int64_t> &symbols) {
  SmallVector<int64_t> sizes;
  for (SymExpr expr : getExprs(exprs)) {
    auto size = expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
      auto found = symbols.find(name);
      return found == symbols.end() ? std::nullopt
                                    : std::optional<int64_t>(found->second);
    });
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// The static type of argument `index`; null if there is none.
static RankedTensorType getInputType(FunctionOpInterface function,
                                     unsigned index,
                                     const llvm::StringMap<int64_t> &symbols) {
  // The shapes in a sequence must fit its data: no random numbers do.
  auto parts =
      function.getArgAttrOfType<IntegerAttr>(index, LzDialect::kPartsAttr);
  if (parts && parts.getInt() > 1)
    return {};
  auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
  auto dims = function.getArgAttrOfType<ArrayAttr>(index, LzDialect::kDimsAttr);
  if (type && dims) {
    auto sizes = evaluateSizes(dims, symbols);
    type = sizes ? type.clone(*sizes) : RankedTensorType();
  }
  if (!type || !type.hasStaticShape() || isa<StringType>(type.getElementType()))
    return {};
  int64_t count = 1;
  for (int64_t size : type.getShape()) {
    if (size < 0 || (size > 0 && count > kMaxElements / size))
      return {};
    count *= size;
  }
  return type;
}

std::optional<SmallVector<RefValue>>
lz::makeSeededInputs(FunctionOpInterface function, uint64_t seed,
                     int64_t size) {
  llvm::StringMap<int64_t> symbols = getSymbolValues(function, size);
  std::mt19937_64 random(seed);
  SmallVector<RefValue> inputs;
  for (unsigned index = 0; index != function.getNumArguments(); ++index) {
    RankedTensorType type = getInputType(function, index, symbols);
    if (!type)
      return std::nullopt;
    RefTensor tensor(type);
    bool isInteger = type.getElementType().isInteger();
    for (int64_t i = 0; i != tensor.getNumElements(); ++i)
      if (isInteger)
        tensor.setInt(i, type.getElementType().isInteger(1) ? random() % 2
                                                            : random() % 4);
      else
        tensor.setDouble(i, static_cast<double>(random() % 65536) / 32768 - 1);
    if (auto elements =
            function.getArgAttrOfType<ArrayAttr>(index, "lz.elements")) {
      auto values = evaluateSizes(elements, symbols);
      if (!values ||
          static_cast<int64_t>(values->size()) != tensor.getNumElements())
        return std::nullopt;
      for (auto [i, value] : llvm::enumerate(*values))
        tensor.setInt(i, value);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}
