//===- ShapeEmitter.cpp - operations that move data -----------------------===//
//
// None of these computes: each maps an element of the result to an element of
// an operand, or to a constant.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "passes/codegen/cpu/ElementEmitter.h"
#include "passes/codegen/cpu/Scalars.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Value emitSplat(KernelBuilder &kb, DenseElementsAttr elements) {
  Type element = elements.getElementType(), type = getComputeType(element);
  if (isa<FloatType>(element)) {
    llvm::APFloat value = elements.getSplatValue<llvm::APFloat>();
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return kb.getFloat(type, value.convertToDouble());
  }
  APInt bits = elements.getSplatValue<APInt>();
  return kb.getInt(type, isUnsigned(element)
                             ? static_cast<int64_t>(bits.getZExtValue())
                             : bits.getSExtValue());
}

static Value emitConstant(ElementEmitter &e, ConstantOp op, OpResult result,
                          const Index &index) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements) {
    e.kb.fail(op, "must hold its elements in line in a CPU kernel");
    return e.kb.getScalar(getComputeType(getElementTypeOrSelf(result)), 0);
  }
  if (elements.isSplat())
    return emitSplat(e.kb, elements);
  Value position = index.position
                       ? index.position
                       : e.kb.linearize(index.dims, e.getShape(result));
  return e.kb.load(e.kb.getTable(op, elements), position);
}

static Value emitSizes(ElementEmitter &e, SizesOp op, OpResult result,
                       const Index &index) {
  KernelBuilder &kb = e.kb;
  Type element = getElementTypeOrSelf(result);
  Type i64 = kb.getBuilder().getI64Type();
  Value position = index.position
                       ? index.position
                       : kb.linearize(index.dims, e.getShape(result));
  SymShape sizes = getExprs(op.getElements());
  if (sizes.empty())
    return kb.getScalar(getComputeType(element), 0);
  Value chosen = kb.getSize(sizes.back());
  for (size_t i = sizes.size() - 1; i-- > 0;) {
    Value here = kb.compare(arith::CmpIPredicate::eq, position,
                            kb.getIndex(static_cast<int64_t>(i)));
    chosen = kb.select(here, kb.getSize(sizes[i]), chosen);
  }
  return emitCast(kb, chosen, i64, element);
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {

/// The smallest leading parts of two shapes with equal products.
struct Parts {
  size_t input, output;
};

} // namespace

static Parts getLeadingParts(MLIRContext *context, ArrayRef<SymExpr> input,
                             ArrayRef<SymExpr> output) {
  for (size_t i = 1; i <= input.size(); ++i)
    for (size_t o = 1; o <= output.size(); ++o)
      if (getProduct(context, input.take_front(i)) ==
          getProduct(context, output.take_front(o)))
        return {i, o};
  return {input.size(), output.size()};
}

/// The indices into `input` of element `dims` of `output`: dimensions that are
/// the same pass through, others are joined and divided in groups.
static SmallVector<Value> mapReshape(KernelBuilder &kb, ArrayRef<Value> dims,
                                     ArrayRef<SymExpr> output,
                                     ArrayRef<SymExpr> input) {
  SmallVector<Value> mapped;
  while (!input.empty()) {
    Parts parts = getLeadingParts(kb.getContext(), input, output);
    if (parts.input == 1 && parts.output == 1) {
      mapped.push_back(dims.front());
    } else {
      Value joined = kb.linearize(dims.take_front(parts.output),
                                  output.take_front(parts.output));
      mapped.append(kb.delinearize(joined, input.take_front(parts.input)));
    }
    input = input.drop_front(parts.input);
    output = output.drop_front(parts.output);
    dims = dims.drop_front(parts.output);
  }
  return mapped;
}

static Value emitReshape(ElementEmitter &e, ReshapeOp op, OpResult result,
                         const Index &index) {
  if (index.position)
    return e.emit(op.getInput(), index);
  ArrayRef<SymExpr> output = e.getShape(result);
  ArrayRef<SymExpr> input = e.getShape(op.getInput());
  if (isFlat(e.kernel, op.getInput()))
    return e.emit(op.getInput(),
                  Index::flat(e.kb.linearize(index.dims, output)));
  return e.emit(op.getInput(), mapReshape(e.kb, index.dims, output, input));
}

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

static Value emitTranspose(ElementEmitter &e, TransposeOp op, OpResult result,
                           const Index &index) {
  SmallVector<Value> dims = e.getDims(result, index), mapped(dims.size());
  for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
    mapped[source] = dims[dim];
  return e.emit(op.getInput(), mapped);
}

static Value emitExpand(ElementEmitter &e, ExpandOp op, OpResult result,
                        const Index &index) {
  return e.emitBroadcast(op.getInput(), result, index);
}

static Value emitSlice(ElementEmitter &e, SliceOp op, OpResult result,
                       const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  SymShape offsets = getExprs(op.getOffsets());
  SymShape strides = getExprs(op.getStrides());
  for (auto [dim, value] : llvm::enumerate(dims))
    value = kb.add(kb.getSize(offsets[dim]),
                   kb.mul(value, kb.getSize(strides[dim])));
  return e.emit(op.getInput(), dims);
}

static Value emitTile(ElementEmitter &e, TileOp op, OpResult result,
                      const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  ArrayRef<SymExpr> input = e.getShape(op.getInput());
  for (auto [dim, value] : llvm::enumerate(dims)) {
    if (input[dim].isConstant(1))
      value = kb.getIndex(0);
    else if (input[dim] != e.getShape(result)[dim])
      value = kb.remainder(value, kb.getSize(input[dim]));
  }
  return e.emit(op.getInput(), dims);
}

static Value emitRange(ElementEmitter &e, RangeOp op, OpResult result,
                       const Index &index) {
  KernelBuilder &kb = e.kb;
  Type element = getElementTypeOrSelf(result);
  Value count = emitCast(kb, e.getDims(result, index).front(),
                         kb.getBuilder().getI64Type(), element);
  Value start = e.emit(op.getStart(), Index(ArrayRef<Value>()));
  Value delta = e.emit(op.getDelta(), Index(ArrayRef<Value>()));
  return emitAdd(kb, start, emitMul(kb, count, delta));
}

static Value emitTrilu(ElementEmitter &e, TriluOp op, OpResult result,
                       const Index &index) {
  KernelBuilder &kb = e.kb;
  SmallVector<Value> dims = e.getDims(result, index);
  Value row = dims[dims.size() - 2], column = dims.back();
  Value diagonal = kb.add(row, kb.getSize(getExprs(op.getK()).front()));
  Value isKept = kb.compare(op.getUpper() ? arith::CmpIPredicate::sge
                                          : arith::CmpIPredicate::sle,
                            column, diagonal);
  Value kept = e.emit(op.getInput(), dims);
  return kb.select(isKept, kept, kb.getScalar(kept.getType(), 0));
}

void lz::addShapeRules(ElementRules &rules) {
  rules.add<ConstantOp>(emitConstant);
  rules.add<SizesOp>(emitSizes);
  rules.add<ReshapeOp>(emitReshape);
  rules.add<TransposeOp>(emitTranspose);
  rules.add<ExpandOp>(emitExpand);
  rules.add<SliceOp>(emitSlice);
  rules.add<TileOp>(emitTile);
  rules.add<RangeOp>(emitRange);
  rules.add<TriluOp>(emitTrilu);
}
