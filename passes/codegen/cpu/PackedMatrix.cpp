//===- PackedMatrix.cpp - matrices packed when compiling ------------------===//

#include "passes/codegen/cpu/PackedMatrix.h"

#include "dialects/lz/Symbols/SymExpr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lz;

static constexpr int64_t kUnpack[] = {1, 0, 2};

int64_t lz::getPanelWidth(const targets::CpuTarget &target, Type scalar) {
  return 2 * target.getLanes((scalar.getIntOrFloatBitWidth() + 7) / 8);
}

/// The rows of the left operand, if they are known. All of its dimensions but
/// the last are rows, as the right one is a single matrix.
static std::optional<int64_t> getRows(MatmulOp op) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    else
      rows *= size;
  return rows;
}

std::optional<int64_t> lz::choosePacking(MatmulOp op,
                                         const targets::CpuTarget &target) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  Type scalar = type.getElementType();
  if (type.getRank() != 2 || !type.hasStaticShape() || op.getTransposeLhs() ||
      !(scalar.isF32() || scalar.isF64()))
    return std::nullopt;
  std::optional<int64_t> rows = getRows(op);
  if (rows && *rows <= kMostGemvRows)
    return std::nullopt;
  int64_t columns = type.getDimSize(op.getTransposeRhs() ? 0 : 1);
  int64_t width = getPanelWidth(target, scalar);
  // Padding takes no more than the matrix itself.
  if (type.getNumElements() == 0 || 2 * columns < width)
    return std::nullopt;
  return width;
}

static bool isConstant(ArrayAttr exprs, ArrayRef<int64_t> values) {
  return exprs == getExprArray(exprs.getContext(), values);
}

Value lz::findPacked(Value matrix) {
  if (auto slice = matrix.getDefiningOp<SliceOp>()) {
    if (!isConstant(slice.getOffsets(), {0, 0}) ||
        !isConstant(slice.getStrides(), {1, 1}))
      return nullptr;
    matrix = slice.getInput();
  }
  auto reshape = matrix.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return nullptr;
  auto transpose = reshape.getInput().getDefiningOp<TransposeOp>();
  if (!transpose || transpose.getPermutation() != ArrayRef(kUnpack))
    return nullptr;
  auto from = cast<RankedTensorType>(transpose.getInput().getType());
  auto to = cast<RankedTensorType>(reshape.getType());
  bool isUnpacked = from.hasStaticShape() && to.getRank() == 2 &&
                    to.getDimSize(0) == from.getDimSize(1);
  return isUnpacked ? transpose.getInput() : nullptr;
}

Value lz::unpack(OpBuilder &builder, Location loc, Value packed,
                 int64_t columns) {
  MLIRContext *context = builder.getContext();
  auto type = cast<RankedTensorType>(packed.getType());
  int64_t panels = type.getDimSize(0), depth = type.getDimSize(1),
          width = type.getDimSize(2);
  Value value =
      TransposeOp::create(builder, loc, type.clone({depth, panels, width}),
                          packed, builder.getDenseI64ArrayAttr(kUnpack));
  value = ReshapeOp::create(
      builder, loc, type.clone({depth, panels * width}), value,
      getExprArray(context, ArrayRef<int64_t>{depth, panels * width}));
  if (panels * width == columns)
    return value;
  return SliceOp::create(
      builder, loc, type.clone({depth, columns}), value,
      getExprArray(context, ArrayRef<int64_t>{0, 0}),
      getExprArray(context, ArrayRef<int64_t>{depth, columns}),
      getExprArray(context, ArrayRef<int64_t>{1, 1}));
}
