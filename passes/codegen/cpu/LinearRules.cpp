//===- LinearRules.cpp - calls of the kernels for transforms and matrices -===//

#include "kernels/Kernels.h"
#include "passes/codegen/cpu/OpaqueCall.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

/// Slots of LzDft.
static constexpr int64_t kDftSlots = 7;

/// The longest transform whose memory is counted exactly: beyond it, powers of
/// two near 2^63 would overflow.
static constexpr int64_t kMostExact = int64_t(1) << 40;

static SymExpr getLength(DftOp op) { return getExprs(op.getLength()).front(); }

/// The power of two by which a length is transformed.
static int64_t getTransformSize(int64_t length) {
  return static_cast<int64_t>(llvm::isPowerOf2_64(length)
                                  ? length
                                  : llvm::PowerOf2Ceil(2 * length - 1));
}

/// The doubles of scratch memory that a transform needs: see LZ_DECLARE_DFT.
/// Of a length that is not known, an upper bound: its size is below four times
/// the length.
static SymExpr getScratchSize(SymExpr length) {
  std::optional<int64_t> known = length.getConstant();
  if (!known || *known > kMostExact) {
    SymExpr least =
        SymExpr::constant(length.getContext(), LZ_DFT_SHORT * LZ_DFT_LANES);
    return (length * 4).max(least) * 4 + length * 14;
  }
  int64_t size = getTransformSize(*known);
  int64_t lanes = size <= LZ_DFT_SHORT ? LZ_DFT_LANES : 1;
  int64_t chirp = size == *known ? 0 : 2 * (size + *known);
  return SymExpr::constant(length.getContext(), (4 * lanes + 1) * size + chirp);
}

/// The lines along the axis that lie side by side; and all of them.
static SymExpr countInner(const KernelInfo &kernel, DftOp dft) {
  ArrayRef<SymExpr> shape = kernel.getShape(dft.getInput());
  return getProduct(kernel.getContext(),
                    shape.drop_front(dft.getAxis() + 1).drop_back());
}
static SymExpr countLines(const KernelInfo &kernel, DftOp dft) {
  ArrayRef<SymExpr> shape = kernel.getShape(dft.getInput());
  return getProduct(kernel.getContext(), shape.take_front(dft.getAxis())) *
         countInner(kernel, dft);
}

static OpaquePlan planDft(const KernelInfo &kernel, Operation *op) {
  auto dft = cast<DftOp>(op);
  return {countLines(kernel, dft).ceilDiv(kernel.constant(LZ_DFT_LANES)),
          getLength(dft) * 256 * LZ_DFT_LANES,
          getScratchSize(getLength(dft)) * 8 + kDftSlots * 8};
}

/// Writes LzDft.
static void addDescription(OpaqueCall &call, DftOp dft) {
  KernelBuilder &kb = call.kb;
  ArrayRef<SymExpr> shape = call.e.getShape(dft.getInput());
  call.addSlots({kb.getSize(countLines(call.e.kernel, dft)),
                 kb.getSize(countInner(call.e.kernel, dft)),
                 kb.getSize(shape[dft.getAxis()]), kb.getSize(shape.back()),
                 kb.getSize(getLength(dft)), kb.getIndex(dft.getInverse()),
                 kb.getIndex(dft.getOnesided())});
}

static void emitDft(OpaqueCall &call, Operation *op) {
  auto dft = cast<DftOp>(op);
  addDescription(call, dft);
  call.addOperand(dft.getInput());
  call.addResult(dft.getResult());
  call.addScratch();
  call.addRange();
  call.emit("dft", dft.getInput());
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

static OpaquePlan planDet(const KernelInfo &kernel, Operation *op) {
  auto det = cast<DetOp>(op);
  SymExpr n = kernel.getShape(det.getInput()).back();
  return {kernel.getNumElements(det.getResult()), n * n * 64, n * n * 8};
}

static void emitDet(OpaqueCall &call, Operation *op) {
  auto det = cast<DetOp>(op);
  call.addOperand(det.getInput());
  call.addResult(det.getResult());
  call.addScratch();
  call.addSize(call.e.getShape(det.getInput()).back());
  call.addRange();
  call.emit("det", det.getInput());
}

const OpaqueRule *lz::findLinearRule(Operation *op) {
  static const OpaqueRule dft = {planDft, emitDft};
  static const OpaqueRule det = {planDet, emitDet};
  if (isa<DftOp>(op))
    return &dft;
  return isa<DetOp>(op) ? &det : nullptr;
}
