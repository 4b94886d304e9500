//===- Quantizations.cpp - what quantization rules share ------------------===//

#include "dialects/lz/Rules/Quantization/Quantizations.h"

#include "dialects/lz/IR/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace lz;

ValueQuantization lz::allowAxes(Value value, std::optional<int64_t> except) {
  ValueQuantization allowed{true, {}};
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t dim : llvm::seq<int64_t>(0, rank))
    if (dim != except)
      allowed.axes.push_back(dim);
  return allowed;
}

Value lz::alignToAxis(RuleBuilder &builder, Value vector,
                      std::optional<int64_t> axis, int64_t rank) {
  if (!vector || !axis)
    return vector;
  SymShape shape(rank, builder.getShapes().constant(1));
  shape[*axis] = builder.getShapes().getShape(vector)[0];
  return builder.reshape(vector, shape);
}

Value lz::buildReal(RuleBuilder &builder, const QuantizedValue &value) {
  const QuantizationParams &params = value.params;
  if (!params)
    return value.value;
  Type type = getElementType(params.scale);
  int64_t axis = params.axis.value_or(0);
  if (params.zeroPoint)
    return builder.create<DequantizeOp>(value.value, params.scale,
                                        params.zeroPoint, axis, 0, type);
  return builder.create<DequantizeOp>(value.value, params.scale,
                                      RuleBuilder::Absent(), axis, 0, type);
}

Value lz::buildInteger(RuleBuilder &builder, Value real,
                       const QuantizationParams &params) {
  if (!params)
    return real;
  int64_t axis = params.axis.value_or(0);
  if (params.zeroPoint)
    return builder.create<QuantizeOp>(real, params.scale, params.zeroPoint,
                                      axis, 0, params.storage);
  return builder.create<QuantizeOp>(real, params.scale, RuleBuilder::Absent(),
                                    axis, 0, params.storage);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Fails with an error on `op` unless `params` may be those of its `index`-th
/// `what`.
static LogicalResult verifyParams(Operation *op, StringRef what, size_t index,
                                  const ValueQuantization &allowed,
                                  const QuantizationParams &params) {
  if (!params)
    return success();
  if (!allowed.allowed)
    return op->emitOpError() << what << " " << index << " can't be quantized";
  if (params.axis && !llvm::is_contained(allowed.axes, *params.axis))
    return op->emitOpError()
           << what << " " << index << " can't have one scale for each element "
           << "of dimension " << *params.axis;
  auto rank = cast<RankedTensorType>(params.scale.getType()).getRank();
  if (rank != (params.axis ? 1 : 0))
    return op->emitOpError()
           << what << " " << index << " has a scale of rank " << rank
           << ", expected " << (params.axis ? "a vector" : "a scalar");
  if (params.zeroPoint && getElementType(params.zeroPoint) != params.storage)
    return op->emitOpError()
           << what << " " << index << " has a zero point of element type "
           << getElementType(params.zeroPoint) << ", expected "
           << params.storage;
  return success();
}

LogicalResult lz::buildQuantized(RuleBuilder &builder, Operation *op,
                                 ArrayRef<QuantizedValue> sources,
                                 ArrayRef<QuantizationParams> results,
                                 SmallVectorImpl<Value> &integers) {
  auto quantization = dyn_cast<QuantizationOpInterface>(op);
  if (!quantization)
    return op->emitOpError() << "has no quantization rule";
  QuantizationRule rule = quantization.getQuantizationRule();
  if (sources.size() != rule.sources.size() ||
      results.size() != rule.results.size())
    return op->emitOpError()
           << "is given " << sources.size() << " sources and " << results.size()
           << " results, but its quantization rule has " << rule.sources.size()
           << " and " << rule.results.size();
  for (auto [index, allowed, source] : llvm::enumerate(rule.sources, sources))
    if (failed(verifyParams(op, "source", index, allowed, source.params)))
      return failure();
  for (auto [index, allowed, params] : llvm::enumerate(rule.results, results))
    if (failed(verifyParams(op, "result", index, allowed, params)))
      return failure();
  return quantization.buildIntegerForm(builder, sources, results, integers);
}
