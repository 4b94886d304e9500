//===- Contraction.cpp - integer forms of products and convolutions -------===//
//
// With a = (A - zeroA) * scaleA and b likewise, both scales constant along what
// is summed, the sum of a * b is scaleA * scaleB times the integer sum of
// (A - zeroA) * (B - zeroB), which is exact. That takes one multiplication per
// result element to become real again, and one rounding to become an integer of
// the result's parameters.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/Rules.h"
#include "dialects/lz/Rules/Quantization/Quantizations.h"

#include <cmath>

using namespace mlir;
using namespace lz;

/// The largest distance of an integer of `type` from a zero point of `type`.
static double getLargestDistance(Type type) {
  return std::exp2(cast<IntegerType>(type).getWidth()) - 1;
}

/// The type in which `depth` products are summed: i32 where they surely fit.
static Type getAccumulator(RuleBuilder &b, SymExpr depth, Type lhs, Type rhs) {
  std::optional<int64_t> count = depth.getConstant();
  bool fits =
      count && *count * getLargestDistance(lhs) * getLargestDistance(rhs) <
                   std::exp2(31);
  return b.getBuilder().getIntegerType(fits ? 32 : 64);
}

/// The integers' distances from their zero points.
static Value center(RuleBuilder &b, const QuantizedValue &value, Type type) {
  Value wide = b.cast(value.value, type);
  if (!value.params.zeroPoint)
    return wide;
  int64_t rank = b.getShapes().getShape(value.value).size();
  Value zero = alignToAxis(b, b.cast(value.params.zeroPoint, type),
                           value.params.axis, rank);
  return b.sub(wide, zero);
}

namespace {
/// What an integer sum is to be multiplied by: two scales, each along a
/// dimension of the result.
struct Scales {
  Value lhs, rhs;
  std::optional<int64_t> lhsAxis, rhsAxis;
};
} // namespace

/// The real numbers that integer sums stand for.
static Value scaleSums(RuleBuilder &b, Value sums, const Scales &scales) {
  if (!sums)
    return {};
  int64_t rank = b.getShapes().getShape(sums).size();
  Value real = b.cast(sums, getElementType(scales.lhs));
  return b.mul(real, b.mul(alignToAxis(b, scales.lhs, scales.lhsAxis, rank),
                           alignToAxis(b, scales.rhs, scales.rhsAxis, rank)));
}

/// The product of operands that are both quantized; real otherwise.
template <typename Multiply>
static Value buildProduct(RuleBuilder &b, const QuantizedValue &lhs,
                          const QuantizedValue &rhs, SymExpr depth,
                          const Scales &scales, Multiply multiply) {
  if (!lhs.params || !rhs.params)
    return multiply(buildReal(b, lhs), buildReal(b, rhs));
  Type type = getAccumulator(b, depth, lhs.params.storage, rhs.params.storage);
  return scaleSums(b, multiply(center(b, lhs, type), center(b, rhs, type)),
                   scales);
}

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

static int64_t getRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// The dimension of an operand that its products are summed over.
static int64_t getDepthDim(MatmulOp op, bool isLhs) {
  int64_t rank = getRank(isLhs ? op.getLhs() : op.getRhs());
  if (rank == 1)
    return 0;
  bool isLast = isLhs != (isLhs ? op.getTransposeLhs() : op.getTransposeRhs());
  return isLast ? rank - 1 : rank - 2;
}

/// Scales may vary along an operand's other dimension than the depth: rows of
/// the left one, columns of the right one.
static QuantizationRule getMatmulRule(MatmulOp op) {
  QuantizationRule rule;
  for (bool isLhs : {true, false}) {
    ValueQuantization allowed{true, {}};
    int64_t rank = getRank(isLhs ? op.getLhs() : op.getRhs());
    if (rank > 1)
      allowed.axes.push_back(2 * rank - 3 - getDepthDim(op, isLhs));
    rule.sources.push_back(allowed);
  }
  rule.results = {allowAxes(op.getResult())};
  return rule;
}

/// Where the operands' scales vary in the result: along its last but one
/// dimension, and its last.
static Scales getMatmulScales(MatmulOp op, const QuantizedValue &lhs,
                              const QuantizedValue &rhs) {
  int64_t rank = getRank(op.getResult());
  Scales scales{lhs.params.scale, rhs.params.scale, {}, {}};
  if (lhs.params.axis)
    scales.lhsAxis = rank - (getRank(op.getRhs()) > 1 ? 2 : 1);
  if (rhs.params.axis)
    scales.rhsAxis = rank - 1;
  return scales;
}

static LogicalResult buildMatmul(MatmulOp op, RuleBuilder &b,
                                 ArrayRef<QuantizedValue> sources,
                                 ArrayRef<QuantizationParams> results,
                                 SmallVectorImpl<Value> &integers) {
  SymExpr depth =
      b.getShapes().getShape(op.getLhs())[getDepthDim(op, /*isLhs=*/true)];
  Value real = buildProduct(
      b, sources[0], sources[1], depth,
      getMatmulScales(op, sources[0], sources[1]), [&](Value lhs, Value rhs) {
        return b.matmul(lhs, rhs, op.getTransposeLhs(), op.getTransposeRhs());
      });
  integers.push_back(buildInteger(b, real, results[0]));
  return success(!!integers.back());
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The filter may have a scale for each output channel. The bias may be
/// quantized in any way; it is added to the real sum.
static QuantizationRule getConvRule(ConvOp op) {
  QuantizationRule rule;
  rule.sources = {{true, {}}, {true, {0}}};
  if (op.getBias())
    rule.sources.push_back({true, {0}});
  rule.results = {allowAxes(op.getResult())};
  return rule;
}

/// The products summed for one result element.
static SymExpr getConvDepth(ConvOp op, RuleBuilder &b) {
  return getProduct(op.getContext(),
                    b.getShapes().getShape(op.getFilter()).drop_front());
}

/// Adds a bias of one element for each channel.
static Value addBias(RuleBuilder &b, Value real, const QuantizedValue &bias) {
  if (!real)
    return {};
  int64_t rank = b.getShapes().getShape(real).size();
  return b.add(real, alignToAxis(b, buildReal(b, bias), 1, rank));
}

/// Padding with zeros is right because it is done to distances from the zero
/// point.
static LogicalResult buildConv(ConvOp op, RuleBuilder &b,
                               ArrayRef<QuantizedValue> sources,
                               ArrayRef<QuantizationParams> results,
                               SmallVectorImpl<Value> &integers) {
  Scales scales{sources[0].params.scale, sources[1].params.scale, {}, {}};
  if (sources[1].params.axis)
    scales.rhsAxis = 1;
  Value real = buildProduct(b, sources[0], sources[1], getConvDepth(op, b),
                            scales, [&](Value input, Value filter) {
                              return b.create<ConvOp>(
                                  input, filter, RuleBuilder::Absent(),
                                  op.getStrides(), op.getLow(), op.getHigh(),
                                  op.getDilations(), op.getGroups());
                            });
  if (op.getBias())
    real = addBias(b, real, sources[2]);
  integers.push_back(buildInteger(b, real, results[0]));
  return success(!!integers.back());
}

void lz::attachContractionQuantizations(MLIRContext &context) {
  attachQuantization<MatmulOp, getMatmulRule, buildMatmul>(context);
  attachQuantization<ConvOp, getConvRule, buildConv>(context);
}
