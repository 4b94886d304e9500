//===- StreamRows.cpp - chains of windows over bands of rows --------------===//

#include "dialects/lz/IR/LzOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/memory/Passes.h"
#include "passes/memory/RowBands.h"
#include "passes/memory/StreamBuilder.h"
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
/// All bands of a chain.
struct BandList {
  Band first;
  SmallVector<Band> inner; // alike
  std::optional<Band> last;
};
} // namespace

/// None if the chain can't be cut into bands of `rows` rows and a rest, or
/// there would be no loop.
static std::optional<BandList> getBands(ArrayRef<WindowStep> chain,
                                        int64_t rows) {
  BandList list;
  int64_t total = chain.back().rows;
  auto first = getBand(chain, {0, rows}, nullptr);
  if (!first)
    return std::nullopt;
  list.first = *first;
  auto getNext = [&](int64_t count) {
    const Band &before = list.inner.empty() ? list.first : list.inner.back();
    int64_t start = before.steps.back().rows.last;
    return getBand(chain, {start, start + count}, &before);
  };
  auto getRest = [&] {
    return total - rows * static_cast<int64_t>(list.inner.size() + 1);
  };
  while (getRest() >= rows) {
    auto band = getNext(rows);
    if (!band || !band->isInner)
      break;
    list.inner.push_back(*band);
  }
  // The rest needs rows that are new to it.
  while (getRest() > 0 && !list.inner.empty() &&
         !(list.last = getNext(getRest())))
    list.inner.pop_back();
  return list.inner.size() > 1 ? std::optional(list) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing them
//===----------------------------------------------------------------------===//

static RankedTensorType withRows(Type type, int64_t rows) {
  return withSize(type, kRowDim, rows);
}

namespace {

/// What a band has computed.
struct Written {
  Value result;
  SmallVector<Value> inputs; // of each operation
};

/// Writes a chain anew, over bands.
class BandWriter : StreamBuilder {
public:
  BandWriter(func::FuncOp function, const ShapeAnalysis &shapes,
             ArrayRef<WindowStep> chain)
      : StreamBuilder(function, shapes, chain.back().op), chain(chain) {}

  /// The chain's result.
  Value write(const BandList &list);

private:
  Written writeBand(const Band &band, SymExpr first, ArrayRef<Value> kept);
  Value writeStep(const WindowStep &step, const BandStep &part, Value input);
  Value join(Value above, Value below);
  SmallVector<Value> keep(const Written &written, const Band &next);
  Value writeLoop(ArrayRef<Band> bands, SmallVector<Value> &kept);
  Value joinIterations(Value stacked, int64_t trips, int64_t rows);

  ArrayRef<WindowStep> chain;
};

} // namespace

static int64_t getRows(Value value) {
  return cast<RankedTensorType>(value.getType()).getDimSize(kRowDim);
}

/// The rows of `above`, if it isn't null, then those of `below`.
Value BandWriter::join(Value above, Value below) {
  if (!above)
    return below;
  Type type = withRows(below.getType(), getRows(above) + getRows(below));
  return ConcatOp::create(builder, loc, type, ValueRange{above, below},
                          kRowDim);
}

/// The rows of what operations have read that they read again for `next`; null
/// where there are none.
SmallVector<Value> BandWriter::keep(const Written &written, const Band &next) {
  SmallVector<Value> kept(chain.size());
  for (size_t index = 1; index != chain.size(); ++index)
    if (int64_t rows = next.getKeptRows(index)) {
      Value input = written.inputs[index];
      kept[index] = slice(input, chain[index].getInput(), kRowDim,
                          constant(getRows(input) - rows), rows);
    }
  return kept;
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

Value BandWriter::writeStep(const WindowStep &step, const BandStep &part,
                            Value input) {
  IRMapping mapping;
  mapping.map(step.getInput(), input);
  Operation *op = builder.clone(*step.op, mapping);
  Value result = op->getResult(0);
  result.setType(withRows(result.getType(), part.rows.size()));
  if (auto conv = dyn_cast<ConvOp>(op))
    setPadding(conv, part);
  if (auto pool = dyn_cast<PoolOp>(op)) {
    setPadding(pool, part);
    SymShape sizes = getExprs(pool.getSizes());
    sizes[0] = constant(part.rows.size());
    pool.setSizesAttr(getExprArray(op->getContext(), sizes));
  }
  return result;
}

/// The rows of `band`, which reads the chain's input from row `first` on.
Written BandWriter::writeBand(const Band &band, SymExpr first,
                              ArrayRef<Value> kept) {
  Written written;
  Value input = chain.front().getInput();
  Value value = slice(input, input, kRowDim, first, band.steps[0].input.size());
  for (auto [index, step] : llvm::enumerate(chain)) {
    written.inputs.push_back(index == 0 ? value : join(kept[index], value));
    value = writeStep(step, band.steps[index], written.inputs.back());
  }
  written.result = value;
  return written;
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

/// The rows of `bands`, which are alike. `kept` is what they keep from the band
/// before, and then what they leave to the one behind.
Value BandWriter::writeLoop(ArrayRef<Band> bands, SmallVector<Value> &kept) {
  auto trips = static_cast<int64_t>(bands.size());
  const Band &band = bands[0];
  int64_t rows = band.steps.back().rows.size();
  int64_t first = band.steps[0].input.first;
  int64_t distance = bands[1].steps[0].input.first - first;
  SmallVector<Value> initial;
  llvm::copy_if(kept, std::back_inserter(initial), [](Value v) { return v; });
  auto replaceKept = [&](ValueRange values) {
    for (Value &value : kept)
      if (value) {
        value = values.front();
        values = values.drop_front();
      }
  };
  Type part = withRows(chain.back().getResult().getType(), rows);
  ValueRange results =
      loop(trips, initial, part, [&](SymExpr number, ValueRange carried) {
        replaceKept(carried);
        Written written = writeBand(band, number * distance + first, kept);
        SmallVector<Value> yielded;
        for (Value value : keep(written, bands[1]))
          if (value)
            yielded.push_back(value);
        yielded.push_back(written.result);
        return yielded;
      });
  replaceKept(results);
  return joinIterations(results.back(), trips, rows);
}

Value BandWriter::write(const BandList &list) {
  SmallVector<Value> kept(chain.size());
  Written first =
      writeBand(list.first, constant(list.first.steps[0].input.first), kept);
  kept = keep(first, list.inner[0]);
  SmallVector<Value> parts = {first.result, writeLoop(list.inner, kept)};
  if (const auto &last = list.last)
    parts.push_back(
        writeBand(*last, constant(last->steps[0].input.first), kept).result);
  return ConcatOp::create(builder, loc, chain.back().getResult().getType(),
                          parts, kRowDim);
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
