//===- PanelRuns.cpp - runs of memory in a panel's row --------------------===//

#include "passes/codegen/cpu/PanelRuns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lz;

PanelRuns::PanelRuns(KernelBuilder &kb, const Panel &panel, int64_t lanes,
                     int64_t stride)
    : kb(kb), panel(panel), vectors(kb, panel.buffer.elementType, lanes),
      stride(stride), suffices(kb.getInt(kb.getBuilder().getI1Type(), 1)),
      isPlain(kb.getInt(kb.getBuilder().getI1Type(), stride == 1)) {
  for (int64_t first = 0; first != panel.width; first += lanes)
    addVector(first);
}

/// What the lanes of one vector read.
struct PanelRuns::Lanes {
  SmallVector<Value> isRead;   // i1 each
  SmallVector<Value> relative; // the position minus lane * stride
};

/// The run of the first lane, or the last, that reads anything.
PanelRuns::Run PanelRuns::findRun(const Lanes &lanes, bool fromEnd) {
  Run run = {kb.getIndex(0), Value()};
  for (int64_t i = 0, count = vectors.getLanes(); i != count; ++i) {
    int64_t lane = fromEnd ? i : count - 1 - i;
    run.base = kb.select(lanes.isRead[lane], lanes.relative[lane], run.base);
  }
  OpBuilder &builder = kb.getBuilder();
  auto type = VectorType::get({vectors.getLanes()}, builder.getI1Type());
  run.mask = LLVM::PoisonOp::create(builder, kb.getLoc(), type);
  for (int64_t lane = 0; lane != vectors.getLanes(); ++lane) {
    Value isSame =
        kb.compare(arith::CmpIPredicate::eq, lanes.relative[lane], run.base);
    run.mask = LLVM::InsertElementOp::create(
        builder, kb.getLoc(), run.mask,
        kb.create<arith::AndIOp>(isSame, lanes.isRead[lane]),
        kb.getInt(builder.getI32Type(), lane));
  }
  return run;
}

void PanelRuns::addVector(int64_t first) {
  Lanes lanes;
  for (int64_t lane = 0; lane != vectors.getLanes(); ++lane) {
    Value offset = kb.load(panel.offsets, kb.getIndex(first + lane));
    lanes.isRead.push_back(
        kb.compare(arith::CmpIPredicate::sge, offset, kb.getIndex(0)));
    lanes.relative.push_back(kb.sub(offset, kb.getIndex(lane * stride)));
  }
  Run head = findRun(lanes, false), tail = findRun(lanes, true);
  for (int64_t lane = 0; lane != vectors.getLanes(); ++lane) {
    auto isIn = [&](const Run &run) {
      return kb.compare(arith::CmpIPredicate::eq, lanes.relative[lane],
                        run.base);
    };
    isPlain = kb.create<arith::AndIOp>(
        isPlain, kb.create<arith::AndIOp>(lanes.isRead[lane], isIn(head)));
    Value isCovered = kb.create<arith::OrIOp>(isIn(head), isIn(tail));
    Value isIdle = kb.create<arith::XOrIOp>(
        lanes.isRead[lane], kb.getInt(kb.getBuilder().getI1Type(), 1));
    suffices = kb.create<arith::AndIOp>(
        suffices, kb.create<arith::OrIOp>(isCovered, isIdle));
  }
  head.mask = spread(head.mask);
  tail.mask = spread(tail.mask);
  runs.push_back({head, tail});
}

/// A mask of memory: lane i of `mask` at i * stride.
Value PanelRuns::spread(Value mask) {
  if (stride == 1)
    return mask;
  OpBuilder &builder = kb.getBuilder();
  int64_t count = vectors.getLanes();
  SmallVector<int32_t> lanes(count * stride, static_cast<int32_t>(count));
  for (int64_t lane = 0; lane != count; ++lane)
    lanes[lane * stride] = static_cast<int32_t>(lane);
  auto none = DenseElementsAttr::get(cast<ShapedType>(mask.getType()), false);
  Value zero = arith::ConstantOp::create(builder, kb.getLoc(), none);
  return LLVM::ShuffleVectorOp::create(builder, kb.getLoc(), mask, zero, lanes);
}

/// Both runs may be the same, or hold the same lanes' zeros: what one of them
/// doesn't read is taken from the other.
void PanelRuns::copy(const Buffer &input, Value start, Value to) {
  for (auto [number, pair] : llvm::enumerate(runs)) {
    auto &[head, tail] = pair;
    Value low = vectors.loadMasked(input, kb.add(start, head.base), head.mask);
    Value both =
        vectors.loadMasked(input, kb.add(start, tail.base), tail.mask, low);
    vectors.store(panel.buffer,
                  kb.add(to, kb.getIndex(number * vectors.getLanes())),
                  vectors.pick(both, 0, stride));
  }
}

void PanelRuns::copyPlain(const Buffer &input, Value start, Value to) {
  for (auto [number, pair] : llvm::enumerate(runs)) {
    Value position = kb.add(start, pair.first.base);
    // What the next panel reads lies behind; it is far from what comes next.
    if (number == 0)
      vectors.prefetch(input, kb.add(position, kb.getIndex(panel.width)));
    vectors.store(panel.buffer,
                  kb.add(to, kb.getIndex(number * vectors.getLanes())),
                  vectors.load(input, position));
  }
}
