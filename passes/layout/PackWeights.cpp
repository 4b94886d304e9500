//===- PackWeights.cpp - constant matrices as kernels read them -----------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/codegen/cpu/PackedMatrix.h"
#include "passes/graph/ConstantData.h"
#include "passes/layout/Passes.h"
#include "passes/layout/WeightLayouts.h"
#include "passes/support/PassTarget.h"

#include <cstring>

namespace lz {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "passes/layout/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

/// The products that read a constant, all in the same way.
struct PackedUses {
  SmallVector<MatmulOp> products;
  int64_t width = 0;
  bool transposed = false; // [columns, k]
};

/// A matrix of a constant's bytes.
struct Matrix {
  ArrayRef<char> bytes;
  int64_t depth, columns, elementBytes;
  bool transposed;

  const char *at(int64_t k, int64_t column) const {
    int64_t position = transposed ? column * depth + k : k * columns + column;
    return bytes.data() + position * elementBytes;
  }
};

} // namespace

/// The product that is all that the kernel does with `use`; null if there is
/// more.
static MatmulOp getProduct(OpOperand &use) {
  auto fusion = dyn_cast<FusionOp>(use.getOwner());
  if (!fusion)
    return nullptr;
  Value argument = fusion.getBody().getArgument(use.getOperandNumber());
  if (!argument.hasOneUse())
    return nullptr;
  OpOperand &read = *argument.use_begin();
  auto product = dyn_cast<MatmulOp>(read.getOwner());
  return product && read.get() == product.getRhs() &&
                 read.getOperandNumber() == 1
             ? product
             : nullptr;
}

/// None if anything reads the constant otherwise.
static std::optional<PackedUses> getUses(ConstantOp constant,
                                         const targets::CpuTarget &target) {
  PackedUses uses;
  for (OpOperand &use : constant->getUses()) {
    MatmulOp product = getProduct(use);
    if (!product)
      return std::nullopt;
    std::optional<int64_t> width = choosePacking(product, target);
    bool isSame =
        uses.products.empty() || uses.transposed == product.getTransposeRhs();
    if (!width || !isSame)
      return std::nullopt;
    uses.products.push_back(product);
    uses.width = *width;
    uses.transposed = product.getTransposeRhs();
  }
  if (uses.products.empty())
    return std::nullopt;
  return uses;
}

/// Writes the panels; columns beyond the last become zero.
static void pack(const Matrix &matrix, int64_t width,
                 MutableArrayRef<char> target) {
  char *out = target.data();
  for (int64_t first = 0; first < matrix.columns; first += width)
    for (int64_t k = 0; k != matrix.depth; ++k)
      for (int64_t column = first; column != first + width; ++column) {
        if (column < matrix.columns)
          std::memcpy(out, matrix.at(k, column), matrix.elementBytes);
        else
          std::memset(out, 0, matrix.elementBytes);
        out += matrix.elementBytes;
      }
}

/// Lets `product` read the packed constant that its kernel's operand has
/// become.
static void readPacked(MatmulOp product, RankedTensorType packed,
                       int64_t columns) {
  auto argument = cast<BlockArgument>(product.getRhs());
  argument.setType(packed);
  OpBuilder builder(product);
  Value matrix = unpack(builder, product.getLoc(), argument, columns);
  product.getRhsMutable().assign(matrix);
  product.setTransposeRhs(false);
}

static void packConstant(ConstantOp constant, const PackedUses &uses,
                         ArrayRef<char> bytes, ConstantMaker &maker,
                         ModuleOp module) {
  auto type = cast<RankedTensorType>(constant.getType());
  Matrix matrix = {bytes, type.getDimSize(uses.transposed ? 1 : 0),
                   type.getDimSize(uses.transposed ? 0 : 1),
                   getElementBytes(type.getElementType()), uses.transposed};
  auto panels =
      static_cast<int64_t>(llvm::divideCeil(matrix.columns, uses.width));
  auto packed = type.clone({panels, matrix.depth, uses.width});
  if (!maker.hasRoomFor(packed))
    return;
  auto resource = cast<DenseResourceElementsAttr>(constant.getValue());
  DenseResourceElementsAttr value = maker.make(
      packed, constant.getResult(),
      [&](MutableArrayRef<char> target) { pack(matrix, uses.width, target); });
  std::string layout = "panels" + std::to_string(uses.width);
  setWeightLayout(module, value,
                  {resource.getRawHandle().getKey().str(),
                   SmallVector<int64_t>(type.getShape()),
                   uses.transposed ? layout + "-transposed" : layout});
  constant.setValueAttr(value);
  constant.getResult().setType(packed);
  for (MatmulOp product : uses.products)
    readPacked(product, packed, matrix.columns);
}

namespace {

struct PackWeightsPass : lz::impl::PackWeightsPassBase<PackWeightsPass> {
  using Base::Base;

  void runOnOperation() override {
    auto target = getPassTarget(getOperation(), cpu, features);
    if (failed(target))
      return signalPassFailure();
    ConstantMaker maker(".packed", maxBytes);
    getOperation().walk([&](ConstantOp constant) {
      std::optional<ArrayRef<char>> bytes =
          getResourceBytes(constant.getResult());
      if (!bytes)
        return;
      if (std::optional<PackedUses> uses = getUses(constant, *target))
        packConstant(constant, *uses, *bytes, maker, getOperation());
    });
  }
};

} // namespace
