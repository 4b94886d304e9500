//===- Control.cpp - integer form of lz.if --------------------------------===//
//
// Integers pass into the branches and out of them: each branch makes the values
// that it captures real where it begins, and its results integers where it
// ends. That leaves the operations of the branch between a dequantize and a
// quantize, to be rewritten by their own rules. A captured value that is
// yielded with the parameters it came with passes through as it is.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/Rules/Quantization/Quantizations.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lz;

/// Every captured and every yielded tensor of floats may be quantized.
static QuantizationRule getIfRule(IfOp op) {
  auto allow = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && isa<FloatType>(type.getElementType()) ? allowAxes(value)
                                                         : ValueQuantization();
  };
  QuantizationRule rule;
  rule.sources = llvm::map_to_vector(getSources(op), allow);
  rule.sources[0] = ValueQuantization();
  for (Value result : op.getResults())
    rule.results.push_back(allow(result));
  return rule;
}

namespace {
/// The captured values of an lz.if in their quantized form.
using Captures = DenseMap<Value, QuantizedValue>;
} // namespace

/// Copies the operations of a branch, on real values.
static LogicalResult copyOnReals(RuleBuilder &b, Block &branch,
                                 const Captures &captures, IRMapping &mapping) {
  for (Operation &op : branch.without_terminator()) {
    for (Value source : getSources(&op)) {
      auto found = captures.find(source);
      if (found == captures.end() || mapping.contains(source))
        continue;
      Value real = buildReal(b, found->second);
      if (!real)
        return failure();
      mapping.map(source, real);
    }
    Operation *copy = b.getBuilder().clone(op, mapping);
    if (failed(b.getShapes().infer(copy, /*setTypes=*/false)))
      return failure();
  }
  return success();
}

/// One result of a branch as an integer.
static Value yieldInteger(RuleBuilder &b, Value value,
                          const QuantizationParams &params,
                          const Captures &captures, const IRMapping &mapping) {
  auto found = captures.find(value);
  if (found == captures.end())
    return buildInteger(b, mapping.lookupOrDefault(value), params);
  if (found->second.params == params)
    return found->second.value;
  return buildInteger(b, buildReal(b, found->second), params);
}

static LogicalResult buildBranch(RuleBuilder &b, Block &branch,
                                 const Captures &captures,
                                 ArrayRef<QuantizationParams> results,
                                 Region &region) {
  OpBuilder::InsertionGuard guard(b.getBuilder());
  b.getBuilder().setInsertionPointToEnd(&region.front());
  IRMapping mapping;
  if (failed(copyOnReals(b, branch, captures, mapping)))
    return failure();
  SmallVector<Value> yielded;
  for (auto [value, params] :
       llvm::zip_equal(branch.getTerminator()->getOperands(), results))
    yielded.push_back(yieldInteger(b, value, params, captures, mapping));
  if (llvm::is_contained(yielded, Value()))
    return failure();
  YieldOp::create(b.getBuilder(), b.getLoc(), yielded);
  return success();
}

static LogicalResult buildIf(IfOp op, RuleBuilder &b,
                             ArrayRef<QuantizedValue> sources,
                             ArrayRef<QuantizationParams> results,
                             SmallVectorImpl<Value> &integers) {
  Captures captures;
  auto whole = getSources(op);
  for (auto [source, value] : llvm::drop_begin(llvm::zip_equal(whole, sources)))
    captures[source] = value;
  IfOp begun = b.beginIf(sources[0].value, op.getSymbols());
  if (failed(buildBranch(b, op.getThenRegion().front(), captures, results,
                         begun.getThenRegion())) ||
      failed(buildBranch(b, op.getElseRegion().front(), captures, results,
                         begun.getElseRegion())))
    return failure();
  FailureOr<IfOp> form = b.endIf(begun);
  if (failed(form))
    return failure();
  integers.append(form->result_begin(), form->result_end());
  return success();
}

void lz::attachControlQuantizations(MLIRContext &context) {
  attachQuantization<IfOp, getIfRule, buildIf>(context);
}
