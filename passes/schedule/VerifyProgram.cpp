//===- VerifyProgram.cpp - the contract after the stage `schedule` --------===//

#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/schedule/Passes.h"

namespace lz {
#define GEN_PASS_DEF_VERIFYPROGRAMPASS
#include "passes/schedule/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

/// The part of the arena that `buffer` lies in, or null.
static lzx::AllocOp getAlloc(Value buffer) {
  while (auto view = buffer.getDefiningOp<lzx::ViewOp>())
    buffer = view.getSource();
  return buffer.getDefiningOp<lzx::AllocOp>();
}

/// Fails unless every arena operand of `op` is live at `step`.
static LogicalResult verifyLifetimes(Operation *op, int64_t step) {
  for (Value operand : op->getOperands()) {
    lzx::AllocOp alloc = getAlloc(operand);
    if (!alloc || (static_cast<int64_t>(alloc.getFirst()) <= step &&
                   step <= static_cast<int64_t>(alloc.getLast())))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "is step " << step
                               << " and uses a buffer that is not live then";
    error.attachNote(alloc.getLoc())
        << "live from " << alloc.getFirst() << " to " << alloc.getLast();
    return error;
  }
  return success();
}

static LogicalResult verifyLaunch(lzx::LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      launch, launch.getKernelAttr());
  if (!kernel || !kernel->hasAttr(lzx::LzxDialect::kKernelAttr))
    return launch.emitOpError()
           << "names '" << launch.getKernel() << "', which is not a kernel";
  auto symbols = kernel->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr);
  bool fits = launch.getInputs().size() == kernel.getNumArguments() &&
              launch.getOutputs().size() == kernel.getNumResults() && symbols &&
              symbols.size() == launch.getSymbols().size();
  if (fits)
    return success();
  InFlightDiagnostic error = launch.emitOpError()
                             << "does not fit the kernel's signature";
  error.attachNote(kernel.getLoc()) << "kernel declared here";
  return error;
}

static bool overlap(lzx::AllocOp a, lzx::AllocOp b) {
  if (!a.getOffset() || !b.getOffset() || a.getLast() < b.getFirst() ||
      b.getLast() < a.getFirst())
    return false;
  int64_t aBytes = getExprs(a.getBytes())[0].getConstant().value_or(0);
  int64_t bBytes = getExprs(b.getBytes())[0].getConstant().value_or(0);
  int64_t aStart = *a.getOffset(), bStart = *b.getOffset();
  return aStart < bStart + bBytes && bStart < aStart + aBytes;
}

static LogicalResult verifyOffsets(lzx::ProgramOp program) {
  auto allocs = llvm::to_vector(program.getOps<lzx::AllocOp>());
  for (size_t i = 0; i != allocs.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      if (overlap(allocs[i], allocs[j])) {
        InFlightDiagnostic error =
            allocs[i].emitOpError()
            << "overlaps another part of the arena that lives with it";
        error.attachNote(allocs[j].getLoc()) << "the other part";
        return error;
      }
  return success();
}

/// Fails if a part of the arena that lives into the loop of steps `first` to
/// `last`, and is used there, ends before it.
static LogicalResult verifyLoop(lzx::LoopOp loop, int64_t first, int64_t last) {
  WalkResult walk = loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      lzx::AllocOp alloc = getAlloc(operand);
      if (!alloc || static_cast<int64_t>(alloc.getFirst()) >= first ||
          static_cast<int64_t>(alloc.getLast()) >= last)
        continue;
      InFlightDiagnostic error =
          loop.emitOpError() << "ends with step " << last
                             << ", but a buffer that lives into it does not";
      error.attachNote(alloc.getLoc())
          << "live from " << alloc.getFirst() << " to " << alloc.getLast();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult verifySteps(Region &region, int64_t &step);

static LogicalResult verifyOp(Operation &op, int64_t &step) {
  if (auto launch = dyn_cast<lzx::LaunchOp>(op))
    if (failed(verifyLaunch(launch)))
      return failure();
  if (isa<lzx::LaunchOp, lzx::CopyOp>(op))
    return verifyLifetimes(&op, step++);
  int64_t first = step;
  for (Region &region : op.getRegions())
    if (failed(verifySteps(region, step)))
      return failure();
  auto loop = dyn_cast<lzx::LoopOp>(op);
  return loop ? verifyLoop(loop, first, step - 1) : success();
}

/// Verifies the steps of a region, of which the first is number `step`.
static LogicalResult verifySteps(Region &region, int64_t &step) {
  for (Block &block : region)
    for (Operation &op : block)
      if (failed(verifyOp(op, step)))
        return failure();
  return success();
}

static LogicalResult verifyProgram(lzx::ProgramOp program) {
  int64_t step = 0;
  if (failed(verifySteps(program.getBody(), step)))
    return failure();
  return verifyOffsets(program);
}

namespace {

struct VerifyProgramPass : lz::impl::VerifyProgramPassBase<VerifyProgramPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(lzx::LzxDialect::kKernelAttr)) {
        function.emitError() << "function '" << function.getName()
                             << "' was not turned into a program by "
                                "lz-build-program";
        return signalPassFailure();
      }
    for (auto program : getOperation().getOps<lzx::ProgramOp>())
      if (failed(verifyProgram(program)))
        return signalPassFailure();
  }
};

} // namespace
