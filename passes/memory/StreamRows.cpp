//===- StreamRows.cpp - chains of windows over bands of rows --------------===//

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lz/Symbols/ShapeAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/memory/Passes.h"
#include "passes/memory/RowBands.h"
#include "passes/support/FreshSymbol.h"
#include "llvm/ADT/STLExtras.h"

namespace lz {
#define GEN_PASS_DEF_STREAMROWSPASS
#include "passes/memory/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

namespace {
/// All bands of a chain: those that meet the upper border, the run of inner
/// ones with one number of rows, and the rest.
struct BandList {
  SmallVector<Band> before, inner, after;
};
} // namespace

/// None if the chain can't be cut so, or there would be no loop.
static std::optional<BandList> getBands(ArrayRef<WindowStep> chain,
                                        int64_t rows) {
  BandList list;
  int64_t total = chain.back().rows;
  for (int64_t first = 0; first < total; first += rows) {
    RowRange range = {first, std::min(first + rows, total)};
    auto band = getBand(chain, range);
    if (!band)
      return std::nullopt;
    bool isInner = band->isInner && range.size() == rows;
    if (isInner && list.after.empty())
      list.inner.push_back(*band);
    else
      (list.inner.empty() ? list.before : list.after).push_back(*band);
  }
  return list.inner.size() > 1 ? std::optional(list) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing them
//===----------------------------------------------------------------------===//

static RankedTensorType withRows(Type type, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[kRowDim] = rows;
  return tensor.clone(shape);
}

namespace {

/// Writes a chain anew, over bands.
class BandWriter {
public:
  BandWriter(func::FuncOp function, const ShapeAnalysis &shapes,
             ArrayRef<WindowStep> chain)
      : function(function), shapes(shapes), chain(chain),
        builder(chain.back().op), loc(chain.back().op->getLoc()) {}

  /// The chain's result.
  Value write(const BandList &list);

private:
  Value writeBand(const Band &band, SymExpr first);
  Value slice(Value value, SymExpr first, int64_t rows);
  Value writeLoop(ArrayRef<Band> bands);
  SymExpr bindIteration(Value iteration, int64_t trips);
  Value joinIterations(Value stacked, int64_t trips, int64_t rows);
  SymExpr constant(int64_t value) const { return shapes.constant(value); }
  Value constant(Type elementType, int64_t value);

  func::FuncOp function;
  const ShapeAnalysis &shapes;
  ArrayRef<WindowStep> chain;
  OpBuilder builder;
  Location loc;
};

} // namespace

Value BandWriter::constant(Type elementType, int64_t value) {
  auto type = RankedTensorType::get({}, elementType);
  return ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, builder.getIntegerAttr(elementType, value)));
}

/// `rows` rows of `value` from row `first`.
Value BandWriter::slice(Value value, SymExpr first, int64_t rows) {
  SymShape sizes(shapes.getShape(value));
  SymShape offsets(sizes.size(), constant(0));
  SymShape strides(sizes.size(), constant(1));
  offsets[kRowDim] = first;
  sizes[kRowDim] = constant(rows);
  MLIRContext *context = builder.getContext();
  return SliceOp::create(builder, loc, withRows(value.getType(), rows), value,
                         getExprArray(context, offsets),
                         getExprArray(context, sizes),
                         getExprArray(context, strides));
}

/// Gives `op` the padding that its band meets.
template <typename OpT> static void setPadding(OpT op, const BandStep &step) {
  MLIRContext *context = op.getContext();
  SymShape low = getExprs(op.getLow()), high = getExprs(op.getHigh());
  low[0] = SymExpr::constant(context, step.low);
  high[0] = SymExpr::constant(context, step.high);
  op.setLowAttr(getExprArray(context, low));
  op.setHighAttr(getExprArray(context, high));
}

/// The rows of `band`, whose input starts at row `first`.
Value BandWriter::writeBand(const Band &band, SymExpr first) {
  Value value = slice(chain.front().getInput(), first, band.input.size());
  for (auto [step, part] : llvm::zip_equal(chain, band.steps)) {
    IRMapping mapping;
    mapping.map(step.getInput(), value);
    Operation *op = builder.clone(*step.op, mapping);
    value = op->getResult(0);
    value.setType(withRows(value.getType(), part.rows.size()));
    if (auto conv = dyn_cast<ConvOp>(op))
      setPadding(conv, part);
    if (auto pool = dyn_cast<PoolOp>(op)) {
      setPadding(pool, part);
      SymShape sizes = getExprs(pool.getSizes());
      sizes[0] = constant(part.rows.size());
      pool.setSizesAttr(getExprArray(op->getContext(), sizes));
    }
  }
  return value;
}

/// The number of the iteration as a symbol.
SymExpr BandWriter::bindIteration(Value iteration, int64_t trips) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  SymShape one(1, constant(1));
  Value number = ReshapeOp::create(builder, loc, type, iteration,
                                   getExprArray(builder.getContext(), one));
  SymExpr band = declareRunSymbol(function, "band", trips - 1);
  SymShape bound(1, band);
  BindOp::create(builder, loc, number,
                 getExprArray(builder.getContext(), bound));
  return band;
}

/// The rows that the iterations have stacked along a new first dimension.
Value BandWriter::joinIterations(Value stacked, int64_t trips, int64_t rows) {
  MLIRContext *context = builder.getContext();
  Value result = chain.back().getResult();
  auto type = withRows(result.getType(), trips * rows);
  SymShape sizes(shapes.getShape(result));
  sizes[kRowDim] = constant(rows);
  SmallVector<int64_t> shape(withRows(type, rows).getShape());
  SymShape parts(sizes);
  parts.insert(parts.begin(), constant(trips));
  shape.insert(shape.begin(), trips);
  Value known = ReshapeOp::create(builder, loc, type.clone(shape), stacked,
                                  getExprArray(context, parts));
  // Iterations from the front to before the rows.
  SmallVector<int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + kRowDim + 1);
  std::rotate(shape.begin(), shape.begin() + 1, shape.begin() + kRowDim + 1);
  Value moved =
      TransposeOp::create(builder, loc, type.clone(shape), known, order);
  sizes[kRowDim] = constant(trips * rows);
  return ReshapeOp::create(builder, loc, type, moved,
                           getExprArray(context, sizes));
}

/// The rows of `bands`, which are alike.
Value BandWriter::writeLoop(ArrayRef<Band> bands) {
  auto trips = static_cast<int64_t>(bands.size());
  int64_t rows = bands[0].steps.back().rows.size();
  SymShape count(1, declareRunSymbol(function, "bands", trips));
  SmallVector<int64_t> shape(
      withRows(chain.back().getResult().getType(), rows).getShape());
  shape.insert(shape.begin(), ShapedType::kDynamic);
  Type type =
      cast<RankedTensorType>(chain.back().getResult().getType()).clone(shape);
  auto loop = LoopOp::create(
      builder, loc, type, constant(builder.getI64Type(), trips), Value(),
      ValueRange(), getExprArray(builder.getContext(), count));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = loop.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&body);
    Value iteration =
        body.addArgument(RankedTensorType::get({}, builder.getI64Type()), loc);
    body.addArgument(RankedTensorType::get({}, builder.getI1Type()), loc);
    SymExpr band = bindIteration(iteration, trips);
    int64_t distance = bands[1].input.first - bands[0].input.first;
    Value value = writeBand(bands[0], band * distance + bands[0].input.first);
    YieldOp::create(builder, loc,
                    ValueRange{constant(builder.getI1Type(), 1), value});
  }
  return joinIterations(loop.getResult(0), trips, rows);
}

Value BandWriter::write(const BandList &list) {
  SmallVector<Value> parts;
  for (const Band &band : list.before)
    parts.push_back(writeBand(band, constant(band.input.first)));
  parts.push_back(writeLoop(list.inner));
  for (const Band &band : list.after)
    parts.push_back(writeBand(band, constant(band.input.first)));
  return parts.size() == 1
             ? parts[0]
             : ConcatOp::create(builder, loc,
                                chain.back().getResult().getType(), parts,
                                kRowDim)
                   .getResult();
}

//===----------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------===//

/// The chains of `block`, of which none starts within another.
static SmallVector<WindowChain> getChains(Block &block) {
  SmallVector<WindowChain> chains;
  llvm::SmallDenseSet<Operation *> taken;
  for (Operation &op : block)
    for (OpOperand &operand : op.getOpOperands()) {
      if (taken.contains(&op))
        continue;
      WindowChain chain = getWindowChain(operand);
      for (const WindowStep &step : chain)
        taken.insert(step.op);
      if (chain.size() > 1)
        chains.push_back(std::move(chain));
    }
  return chains;
}

namespace {

struct StreamRowsPass : lz::impl::StreamRowsPassBase<StreamRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    ShapeAnalysis shapes(&getContext());
    if (failed(shapes.run(getOperation())))
      return signalPassFailure();
    for (const WindowChain &chain : getChains(getOperation().front()))
      stream(shapes, chain);
  }

private:
  /// Streams the part of `chain` that gains most, then what is left of it.
  void stream(ShapeAnalysis &shapes, ArrayRef<WindowStep> chain) {
    auto choice = chooseBands(chain, minBytes);
    if (!choice)
      return;
    auto part = chain.slice(choice->first, choice->count);
    auto bands = getBands(part, choice->rows);
    if (!bands)
      return;
    BandWriter writer(getOperation(), shapes, part);
    Value before = part.back().getResult(), after = writer.write(*bands);
    shapes.setShape(after, SymShape(shapes.getShape(before)));
    before.replaceAllUsesWith(after);
    stream(shapes, chain.take_front(choice->first));
    stream(shapes, chain.drop_front(choice->first + choice->count));
    for (const WindowStep &step : llvm::reverse(part))
      step.op->erase();
  }
};

} // namespace
