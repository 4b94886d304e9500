//===- ConvEmitter.cpp - convolutions as contractions ---------------------===//
//
// Rows are the output channels of a group, columns the output positions, k runs
// over (input channel, tap). Packing a panel gathers what each tap of the
// filter reads at each of its positions:
//
//   conv            input position = output * stride + tap * dilation - low
//   conv_transpose  input position = (output + low - tap * dilation) / stride,
//                   where that is whole
//
// and zero where that is outside of the input. Nothing is copied of a filter
// with one tap, unit strides and no padding: its input is the matrix already.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/codegen/cpu/Contraction.h"
#include "passes/codegen/cpu/PanelRuns.h"

using namespace mlir;
using namespace lz;

/// Channels up to which a tap is gathered column by column.
static constexpr int64_t kFewChannels = 8;

namespace {

class Conv : public Contraction {
public:
  template <typename OpTy> Conv(const KernelInfo &kernel, OpTy op);

  Value emitLhs(ElementEmitter &e, ArrayRef<Value> outer, Value row,
                Value k) const override;
  void pack(ElementEmitter &e, const Panel &panel) const override;
  Value emitStart(ElementEmitter &e, ArrayRef<Value> outer,
                  Value row) const override;
  SmallVector<Value> getResultDims(ElementEmitter &e, ArrayRef<Value> outer,
                                   Value row, Value column) const override;
  Value getPlainOperand() const override {
    return isPlain() ? dyn_cast<BlockArgument>(input) : Value();
  }
  std::optional<PlainMatrix> getPlainRhs(ElementEmitter &e,
                                         ArrayRef<Value> outer) const override;

private:
  Value getChannel(KernelBuilder &kb, Value group, SymExpr each,
                   Value channel) const {
    return kb.add(kb.mul(group, kb.getSize(each)), channel);
  }
  void storeCoordinates(ElementEmitter &e, const Panel &panel) const;
  void storeOffsets(ElementEmitter &e, const Panel &panel,
                    ArrayRef<Value> tap) const;
  std::pair<Value, Value> getInputIndex(KernelBuilder &kb, size_t dim,
                                        Value output, Value tap) const;
  void gather(ElementEmitter &e, const Panel &panel, Value channel,
              Value k) const;
  void packTap(ElementEmitter &e, const Panel &panel, Value firstChannel,
               Value tap) const;
  Value emitInput(ElementEmitter &e, const Panel &panel, Value channel,
                  Value offset, Value isInside) const;
  bool isPlain() const;

  Value input, filter, bias;
  bool isTransposed;
  SmallVector<int64_t> strides, dilations;
  SymShape low, inputSpace, taps, outputSpace;
  SymExpr channels; // input channels of a group
};

} // namespace

template <typename OpTy>
Conv::Conv(const KernelInfo &kernel, OpTy op)
    : input(op.getInput()), filter(op.getFilter()), bias(op.getBias()),
      isTransposed(std::is_same_v<OpTy, ConvTransposeOp>),
      strides(op.getStrides()), dilations(op.getDilations()),
      low(getExprs(op.getLow())) {
  ArrayRef<SymExpr> in = kernel.getShape(input);
  ArrayRef<SymExpr> weights = kernel.getShape(filter);
  ArrayRef<SymExpr> out = kernel.getShape(op.getResult());
  SymExpr groups = kernel.constant(op.getGroups());
  result = op.getResult();
  inputSpace.assign(in.begin() + 2, in.end());
  outputSpace.assign(out.begin() + 2, out.end());
  taps.assign(weights.begin() + 2, weights.end());
  channels = in[1].floorDiv(groups);
  outer = {out[0], groups};
  rows = out[1].floorDiv(groups);
  columns = getProduct(kernel.getContext(), outputSpace);
  depth = channels * getProduct(kernel.getContext(), taps);
}

/// A filter is [rows, k] for each group, or [k, rows] as
/// [channel, row, tap] if transposed.
Value Conv::emitLhs(ElementEmitter &e, ArrayRef<Value> outer, Value row,
                    Value k) const {
  KernelBuilder &kb = e.kb;
  Value tapCount = kb.getSize(taps);
  if (!isTransposed) {
    Value channel = getChannel(kb, outer[1], rows, row);
    return e.emit(filter,
                  Index::flat(kb.add(kb.mul(channel, kb.getSize(depth)), k)));
  }
  Value channel = getChannel(kb, outer[1], channels, kb.divide(k, tapCount));
  Value position = kb.add(kb.mul(channel, kb.getSize(rows)), row);
  return e.emit(filter, Index::flat(kb.add(kb.mul(position, tapCount),
                                           kb.remainder(k, tapCount))));
}

Value Conv::emitStart(ElementEmitter &e, ArrayRef<Value> outer,
                      Value row) const {
  if (!bias)
    return nullptr;
  return e.emit(bias,
                SmallVector<Value>{getChannel(e.kb, outer[1], rows, row)});
}

SmallVector<Value> Conv::getResultDims(ElementEmitter &e, ArrayRef<Value> outer,
                                       Value row, Value column) const {
  SmallVector<Value> dims = {outer[0], getChannel(e.kb, outer[1], rows, row)};
  llvm::append_range(dims, e.kb.delinearize(column, outputSpace));
  return dims;
}

/// True if the input of a group is the matrix [channels, positions].
bool Conv::isPlain() const {
  auto isOne = [](int64_t value) { return value == 1; };
  return inputSpace == outputSpace && llvm::all_of(strides, isOne) &&
         llvm::all_of(taps, [](SymExpr size) { return size.isConstant(1); }) &&
         llvm::all_of(low, [](SymExpr size) { return size.isConstant(0); });
}

std::optional<PlainMatrix> Conv::getPlainRhs(ElementEmitter &e,
                                             ArrayRef<Value> outer) const {
  auto argument = cast_or_null<BlockArgument>(getPlainOperand());
  if (!argument)
    return std::nullopt;
  KernelBuilder &kb = e.kb;
  Value first = kb.add(kb.mul(outer[0], kb.getSize(e.getShape(input)[1])),
                       kb.mul(outer[1], kb.getSize(channels)));
  Value stride = kb.getSize(columns);
  return PlainMatrix{kb.getOperand(argument.getArgNumber()),
                     kb.mul(first, stride), stride};
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The table's rows 1 ...: each column's position in each output dimension.
/// Those beyond the panel's columns repeat the last one.
void Conv::storeCoordinates(ElementEmitter &e, const Panel &panel) const {
  KernelBuilder &kb = e.kb;
  Value width = kb.getIndex(panel.width);
  Value last = kb.sub(panel.count, kb.getIndex(1));
  kb.loop(kb.getIndex(0), width, [&](Value j) {
    Value column = kb.add(panel.first, kb.minimum(j, last));
    for (auto [dim, index] :
         llvm::enumerate(kb.delinearize(column, outputSpace)))
      kb.store(panel.offsets, kb.add(kb.getIndex((dim + 1) * panel.width), j),
               index);
  });
}

/// The index read in dimension `dim`, and whether it is inside of the input.
std::pair<Value, Value> Conv::getInputIndex(KernelBuilder &kb, size_t dim,
                                            Value output, Value tap) const {
  Value shift = kb.mul(tap, kb.getIndex(dilations[dim]));
  Value stride = kb.getIndex(strides[dim]), zero = kb.getIndex(0);
  Value pad = kb.getSize(low[dim]), size = kb.getSize(inputSpace[dim]);
  using Predicate = arith::CmpIPredicate;
  if (!isTransposed) {
    Value index = kb.sub(kb.add(kb.mul(output, stride), shift), pad);
    // Negative numbers are large ones without a sign.
    return {index, kb.compare(Predicate::ult, index, size)};
  }
  Value position = kb.sub(kb.add(output, pad), shift);
  Value positive = kb.maximum(position, zero);
  Value index = kb.divide(positive, stride);
  Value isWhole =
      kb.compare(Predicate::eq, kb.remainder(positive, stride), zero);
  Value isInside =
      kb.create<arith::AndIOp>(kb.compare(Predicate::sge, position, zero),
                               kb.compare(Predicate::slt, index, size));
  return {index, kb.create<arith::AndIOp>(isInside, isWhole)};
}

/// The table's row 0: what each column reads for this tap, as a position within
/// a channel of the input, or -1.
void Conv::storeOffsets(ElementEmitter &e, const Panel &panel,
                        ArrayRef<Value> tap) const {
  KernelBuilder &kb = e.kb;
  kb.loop(kb.getIndex(0), kb.getIndex(panel.width), [&](Value j) {
    Value position = kb.getIndex(0);
    Value isInside = kb.compare(arith::CmpIPredicate::slt, j, panel.count);
    for (size_t dim = 0; dim != taps.size(); ++dim) {
      Value output = kb.load(panel.offsets,
                             kb.add(kb.getIndex((dim + 1) * panel.width), j));
      auto [index, isIn] = getInputIndex(kb, dim, output, tap[dim]);
      position = kb.add(kb.mul(position, kb.getSize(inputSpace[dim])), index);
      isInside = kb.create<arith::AndIOp>(isInside, isIn);
    }
    kb.store(panel.offsets, j, kb.select(isInside, position, kb.getIndex(-1)));
  });
}

/// The input at `offset` of `channel`, or zero. In memory, the address of
/// something harmless is read instead, which needs no branch.
Value Conv::emitInput(ElementEmitter &e, const Panel &panel, Value channel,
                      Value offset, Value isInside) const {
  KernelBuilder &kb = e.kb;
  Value position = kb.add(kb.mul(channel, kb.getSize(inputSpace)), offset);
  Type type = panel.buffer.elementType;
  Value zero = getZero(kb, type);
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument)
    return kb.choose(
        type, isInside, [&] { return e.emit(input, Index::flat(position)); },
        [&] { return zero; });
  Buffer buffer = kb.getOperand(argument.getArgNumber());
  Value address = kb.getAddress(buffer, position);
  Buffer chosen = {kb.select(isInside, address, panel.offsets.pointer),
                   buffer.elementType, buffer.group};
  return kb.select(isInside, kb.loadAnywhere(chosen), zero);
}

/// panel[k] = `channel` of the input at the offsets of the table.
void Conv::gather(ElementEmitter &e, const Panel &panel, Value channel,
                  Value k) const {
  KernelBuilder &kb = e.kb;
  Value row = kb.mul(k, kb.getIndex(panel.width));
  kb.loop(kb.getIndex(0), kb.getIndex(panel.width), [&](Value j) {
    Value offset = kb.load(panel.offsets, j);
    Value isInside =
        kb.compare(arith::CmpIPredicate::sge, offset, kb.getIndex(0));
    kb.store(panel.buffer, kb.add(row, j),
             emitInput(e, panel, channel, offset, isInside));
  });
}

/// The panel's rows of one tap, from the table's offsets: by vectors where
/// memory lies in runs, else column by column.
void Conv::packTap(ElementEmitter &e, const Panel &panel, Value firstChannel,
                   Value tap) const {
  KernelBuilder &kb = e.kb;
  Value tapCount = kb.getSize(taps);
  auto forChannels = [&](function_ref<void(Value, Value)> body) {
    kb.loop(kb.getIndex(0), kb.getSize(channels), [&](Value channel) {
      body(kb.add(firstChannel, channel),
           kb.add(kb.mul(channel, tapCount), tap));
    });
  };
  auto gatherAll = [&] {
    forChannels([&](Value channel, Value k) { gather(e, panel, channel, k); });
  };
  Type type = panel.buffer.elementType;
  int64_t stride = isTransposed ? 1 : strides.back();
  auto argument = dyn_cast<BlockArgument>(input);
  // To find the runs of a tap costs about as much as to gather a few channels.
  std::optional<int64_t> few = channels.getConstant();
  if (!argument || getElementTypeOrSelf(input) != type || stride > 2 ||
      (few && *few < kFewChannels))
    return gatherAll();
  int64_t bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  PanelRuns runs(kb, panel, e.kernel.getTarget().getLanes(bytes), stride);
  auto copyAll = [&](auto copy) {
    forChannels([&](Value channel, Value k) {
      (runs.*copy)(kb.getOperand(argument.getArgNumber()),
                   kb.mul(channel, kb.getSize(inputSpace)),
                   kb.mul(k, kb.getIndex(panel.width)));
    });
  };
  auto otherwise = [&](Value condition, function_ref<void()> body) {
    Value yes = kb.getInt(kb.getBuilder().getI1Type(), 1);
    kb.when(kb.create<arith::XOrIOp>(condition, yes), body);
  };
  kb.when(runs.getIsPlain(), [&] { copyAll(&PanelRuns::copyPlain); });
  otherwise(runs.getIsPlain(), [&] {
    kb.when(runs.getSuffices(), [&] { copyAll(&PanelRuns::copy); });
    otherwise(runs.getSuffices(), gatherAll);
  });
}

void Conv::pack(ElementEmitter &e, const Panel &panel) const {
  KernelBuilder &kb = e.kb;
  Value zero = kb.getIndex(0), tapCount = kb.getSize(taps);
  Value firstChannel =
      kb.add(kb.mul(panel.outer[0], kb.getSize(e.getShape(input)[1])),
             kb.mul(panel.outer[1], kb.getSize(channels)));
  storeCoordinates(e, panel);
  kb.loop(zero, tapCount, [&](Value tap) {
    storeOffsets(e, panel, kb.delinearize(tap, taps));
    packTap(e, panel, firstChannel, tap);
  });
}

std::unique_ptr<Contraction> lz::makeConv(const KernelInfo &kernel, ConvOp op) {
  return std::make_unique<Conv>(kernel, op);
}

std::unique_ptr<Contraction> lz::makeConvTranspose(const KernelInfo &kernel,
                                                   ConvTransposeOp op) {
  return std::make_unique<Conv>(kernel, op);
}
