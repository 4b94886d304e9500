//===- DepthwiseWindow.cpp - padded rows for depthwise taps ---------------===//

#include "passes/codegen/cpu/DepthwiseWindow.h"

using namespace mlir;
using namespace lz;

/// Strides up to which whole vectors are read and split by shuffles.
static constexpr int64_t kMostShuffled = 4;

/// The window of a lone group: as large as this many of others, and in at least
/// about this many bands.
static constexpr int64_t kLoneGroupBytes = 4, kLoneGroupBands = 16;

SymExpr WindowDim::getReach() const {
  SymExpr one = SymExpr::constant(taps.getContext(), 1);
  SymExpr reach = (taps.max(one) - 1) * dilation;
  return reach.floorDiv(SymExpr::constant(taps.getContext(), stride));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static std::array<WindowDim, 3> getDims(const KernelInfo &kernel, ConvOp conv) {
  ArrayRef<SymExpr> in = kernel.getShape(conv.getInput()).drop_front(2);
  ArrayRef<SymExpr> out = kernel.getShape(conv.getResult()).drop_front(2);
  ArrayRef<SymExpr> taps = kernel.getShape(conv.getFilter()).drop_front(2);
  SymShape low = getExprs(conv.getLow());
  SymExpr one = kernel.constant(1), zero = kernel.constant(0);
  std::array<WindowDim, 3> dims;
  dims.fill({one, one, one, zero, 1, 1});
  for (size_t dim = 0; dim != in.size(); ++dim)
    dims[3 - in.size() + dim] = {in[dim],
                                 out[dim],
                                 taps[dim],
                                 low[dim],
                                 conv.getStrides()[dim],
                                 conv.getDilations()[dim]};
  return dims;
}

WindowSizes::WindowSizes(const KernelInfo &kernel, ConvOp conv)
    : type(getComputeType(getElementTypeOrSelf(conv.getResult()))),
      dims(getDims(kernel, conv)),
      rank(kernel.getShape(conv.getInput()).size() - 2),
      channels(kernel.getShape(conv.getFilter())[1]) {
  int64_t bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  lanes = kernel.getTarget().getLanes(bytes);
  SymExpr one = kernel.constant(1), vector = kernel.constant(lanes);
  const WindowDim &height = dims[1], &width = dims[2];
  pitch = (width.output + width.getReach()).ceilDiv(vector) * lanes;
  // A band and its outputs stay in the first cache, or in the second where many
  // filters read it. A lone group has bands for several threads.
  int64_t cacheBytes = kernel.getTarget().l1Bytes / 2;
  if (conv.getGroups() == 1)
    cacheBytes *= kLoneGroupBytes;
  SymExpr rowElements = channels * dims[0].taps * pitch * getPhases();
  SymExpr fitting =
      kernel.constant(cacheBytes / bytes).floorDiv(rowElements.max(one));
  SymExpr most = (fitting - height.getReach()).max(one);
  if (conv.getGroups() == 1)
    most = most.min(height.output.ceilDiv(kernel.constant(kLoneGroupBands)))
               .max(one);
  SymExpr wanted = height.output.ceilDiv(most).max(one);
  bandRows = height.output.ceilDiv(wanted).max(one);
  bands = height.output.ceilDiv(bandRows);
  rows = bandRows + height.getReach();
  elements = rows * rowElements;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

DepthwiseWindow::DepthwiseWindow(ElementEmitter &e, ConvOp conv,
                                 const WindowSizes &sizes, Buffer buffer)
    : e(e), kb(e.kb), conv(conv), sizes(sizes), buffer(buffer),
      vectors(kb, sizes.type, sizes.lanes) {}

/// The first element of a phase of a channel's depth.
Value DepthwiseWindow::getPlane(Value number, Value rowPhase,
                                Value columnPhase) {
  Value plane =
      kb.add(kb.mul(number, kb.getIndex(sizes.dims[1].getPhases())), rowPhase);
  plane = kb.add(kb.mul(plane, kb.getIndex(sizes.dims[2].getPhases())),
                 columnPhase);
  return kb.mul(plane, kb.getSize(sizes.rows * sizes.pitch));
}

Value DepthwiseWindow::getPosition(ArrayRef<Value> tap, Value row,
                                   Value column) {
  std::array<Value, 3> phases, shifts;
  for (size_t dim = 1; dim != 3; ++dim) {
    Value distance =
        kb.mul(tap[dim + 1], kb.getIndex(sizes.dims[dim].dilation));
    Value stride = kb.getIndex(sizes.dims[dim].stride);
    phases[dim] = kb.remainder(distance, stride);
    shifts[dim] = kb.divide(distance, stride);
  }
  Value number = kb.add(kb.mul(tap[0], kb.getSize(sizes.dims[0].taps)), tap[1]);
  Value plane = getPlane(number, phases[1], phases[2]);
  Value start = kb.mul(kb.add(row, shifts[1]), kb.getSize(sizes.pitch));
  return kb.add(kb.add(plane, start), kb.add(column, shifts[2]));
}

//===----------------------------------------------------------------------===//
// Filling
//===----------------------------------------------------------------------===//

/// The rows of one plane and row phase: row y of the window is row
/// `y * stride + offset` of the input where that is in [low, high).
struct DepthwiseWindow::Rows {
  SmallVector<Value> indices; // batch, channel, and the depth if there is one
  Value plane, phase;
  Value offset, low, high;
};

/// The indices of row y in the input, without the column.
SmallVector<Value> DepthwiseWindow::getLine(const Rows &rows, Value y) {
  SmallVector<Value> line(rows.indices);
  Value stride = kb.getIndex(sizes.dims[1].stride);
  if (sizes.rank > 1)
    line.push_back(kb.add(kb.mul(y, stride), rows.offset));
  return line;
}

/// ceil(a / b) of an `a` that counts as 0 if negative.
static Value divideUp(KernelBuilder &kb, Value a, int64_t b) {
  Value positive = kb.maximum(a, kb.getIndex(0));
  return kb.divide(kb.add(positive, kb.getIndex(b - 1)), kb.getIndex(b));
}

void DepthwiseWindow::fill(Value batch, Value group, Value depth,
                           Value firstRow) {
  const WindowDim &deep = sizes.dims[0], &high = sizes.dims[1];
  Value zero = kb.getIndex(0), channels = kb.getSize(sizes.channels);
  Value top =
      kb.sub(kb.mul(firstRow, kb.getIndex(high.stride)), kb.getSize(high.low));
  Value front =
      kb.sub(kb.mul(depth, kb.getIndex(deep.stride)), kb.getSize(deep.low));
  kb.loop(zero, channels, [&](Value channel) {
    Value source = kb.add(kb.mul(group, channels), channel);
    kb.loop(zero, kb.getSize(deep.taps), [&](Value tap) {
      Value index = kb.add(front, kb.mul(tap, kb.getIndex(deep.dilation)));
      Value isInside =
          kb.compare(arith::CmpIPredicate::ult, index, kb.getSize(deep.input));
      Rows rows;
      rows.indices = {batch, source};
      if (sizes.rank > 2)
        rows.indices.push_back(index);
      rows.plane = kb.add(kb.mul(channel, kb.getSize(deep.taps)), tap);
      fillPlane(rows, top, isInside);
    });
  });
}

/// Fills the row phases of a plane that may lie outside of the input.
void DepthwiseWindow::fillPlane(Rows rows, Value top, Value isInside) {
  const WindowDim &high = sizes.dims[1];
  Value zero = kb.getIndex(0), count = kb.getSize(sizes.rows);
  kb.loop(zero, kb.getIndex(high.getPhases()), [&](Value phase) {
    rows.phase = phase;
    rows.offset = kb.add(top, phase);
    Value low = divideUp(kb, kb.sub(zero, rows.offset), high.stride);
    Value end =
        divideUp(kb, kb.sub(kb.getSize(high.input), rows.offset), high.stride);
    rows.low = kb.minimum(low, count);
    rows.high = kb.clamp(end, rows.low, count);
    if (sizes.rank > 2)
      rows.high = kb.select(isInside, rows.high, rows.low);
    fillRows(rows);
  });
}

void DepthwiseWindow::fillRows(const Rows &rows) {
  clear(rows, kb.getIndex(0), rows.low);
  if (isPlain())
    copyVectors(rows);
  else
    copyElements(rows);
  clear(rows, rows.high, kb.getSize(sizes.rows));
}

/// Writes zeros to whole rows of all column phases.
void DepthwiseWindow::clear(const Rows &rows, Value from, Value to) {
  Value zero = kb.getIndex(0), pitch = kb.getSize(sizes.pitch);
  Value lanes = kb.getIndex(sizes.lanes);
  kb.loop(zero, kb.getIndex(sizes.dims[2].getPhases()), [&](Value phase) {
    Value plane = getPlane(rows.plane, rows.phase, phase);
    Value begin = kb.add(plane, kb.mul(from, pitch));
    Value count =
        kb.divide(kb.mul(kb.maximum(kb.sub(to, from), zero), pitch), lanes);
    kb.loop(zero, count, [&](Value i) {
      vectors.store(buffer, kb.add(begin, kb.mul(i, lanes)), vectors.getZero());
    });
  });
}

/// True if vectors can be read from memory and split into phases.
bool DepthwiseWindow::isPlain() {
  const WindowDim &width = sizes.dims[2];
  return isa<BlockArgument>(conv.getInput()) &&
         getElementTypeOrSelf(conv.getInput()) == sizes.type &&
         width.getPhases() == width.stride && width.stride <= kMostShuffled;
}

/// Copies by vectors: what is outside of the input is masked to zero.
void DepthwiseWindow::copyVectors(const Rows &rows) {
  const WindowDim &width = sizes.dims[2];
  int64_t count = width.stride * sizes.lanes;
  Value zero = kb.getIndex(0), pitch = kb.getSize(sizes.pitch);
  unsigned operand = cast<BlockArgument>(conv.getInput()).getArgNumber();
  SymShape lines(e.getShape(conv.getInput()));
  lines.pop_back();
  kb.loop(zero, kb.divide(pitch, kb.getIndex(sizes.lanes)), [&](Value block) {
    Value x = kb.mul(block, kb.getIndex(sizes.lanes));
    Value first =
        kb.sub(kb.mul(block, kb.getIndex(count)), kb.getSize(width.low));
    Value size = kb.getSize(width.input);
    Value mask =
        vectors.getMask(kb.sub(zero, first), kb.sub(size, first), count);
    kb.loop(rows.low, rows.high, [&](Value y) {
      SmallVector<Value> line = getLine(rows, y);
      Value start = kb.mul(kb.linearize(line, lines), size);
      Value wide = vectors.loadMasked(kb.getOperand(operand),
                                      kb.add(start, first), mask);
      Value to = kb.add(kb.mul(y, pitch), x);
      for (int64_t phase = 0; phase != width.stride; ++phase)
        vectors.store(
            buffer,
            kb.add(getPlane(rows.plane, rows.phase, kb.getIndex(phase)), to),
            vectors.pick(wide, phase, width.stride));
    });
  });
}

/// Copies by elements, which what comes before the convolution may make.
void DepthwiseWindow::copyElements(const Rows &rows) {
  const WindowDim &width = sizes.dims[2];
  Value zero = kb.getIndex(0), pitch = kb.getSize(sizes.pitch);
  Value nothing = kb.getScalar(sizes.type, 0);
  kb.loop(zero, kb.getIndex(width.getPhases()), [&](Value phase) {
    Value plane = getPlane(rows.plane, rows.phase, phase);
    Value offset = kb.sub(phase, kb.getSize(width.low));
    Value low =
        kb.minimum(divideUp(kb, kb.sub(zero, offset), width.stride), pitch);
    Value end =
        divideUp(kb, kb.sub(kb.getSize(width.input), offset), width.stride);
    Value high = kb.clamp(end, low, pitch);
    kb.loop(rows.low, rows.high, [&](Value y) {
      Value to = kb.add(plane, kb.mul(y, pitch));
      auto clearColumns = [&](Value from, Value until) {
        kb.loop(from, until,
                [&](Value x) { kb.store(buffer, kb.add(to, x), nothing); });
      };
      clearColumns(zero, low);
      kb.loop(low, high, [&](Value x) {
        SmallVector<Value> index = getLine(rows, y);
        index.push_back(kb.add(kb.mul(x, kb.getIndex(width.stride)), offset));
        kb.store(buffer, kb.add(to, x), e.emit(conv.getInput(), index));
      });
      clearColumns(high, pitch);
    });
  });
}
