//===- ProgramSteps.cpp - launches, copies and binds of a program ---------===//

#include "passes/codegen/cpu/KernelPlan.h"
#include "passes/schedule/ProgramBuilder.h"
#include "passes/support/NodeNames.h"

using namespace mlir;
using namespace lz;

/// Copies the operands of a contiguous concat that do not lie in it already.
void ProgramBuilder::addConcatCopies(FusionOp fusion) {
  auto concat = cast<ConcatOp>(fusion.getBody().front().front());
  Place whole = assignment->getPlace(fusion.getResult(0));
  SymExpr offset = whole.offset;
  Value buffer = getRootBuffer(whole.root);
  grow(fusion.getLoc(), buffer,
       offset + assignment->getBytes(fusion.getResult(0)));
  for (Value argument : concat.getInputs()) {
    Value value =
        fusion.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
    Place place = assignment->getPlace(value);
    SymExpr bytes = assignment->getBytes(value);
    if (place.root != whole.root || place.offset != offset) {
      Value target = getView(fusion.getLoc(), buffer, offset);
      addCopy(fusion.getLoc(), getBuffer(value), target, bytes);
    }
    offset = offset + bytes;
  }
}

/// Memory for this step alone; null if it needs none.
Value ProgramBuilder::createScratch(Location loc, SymExpr bytes) {
  if (bytes.isConstant(0))
    return {};
  Value scratch = createMemory(loc, bytes);
  grow(loc, scratch, bytes);
  touch(scratch);
  return scratch;
}

LogicalResult ProgramBuilder::addLaunch(FusionOp fusion) {
  SymShape symbols;
  func::FuncOp kernel = outliner.outline(fusion, shapes, symbols);
  FailureOr<KernelPlan> plan = planKernel(kernel, target);
  if (failed(plan))
    return failure();
  computeInPlace(fusion, plan->inPlace);
  SmallVector<Value> inputs, outputs;
  // Memory grows before views of it are made.
  for (Value result : fusion.getResults())
    outputs.push_back(getTarget(result));
  for (Value input : fusion.getInputs())
    inputs.push_back(getBuffer(input));
  Value scratch = createScratch(
      fusion.getLoc(), substituteKernelSymbols(plan->scratchBytes, symbols));
  lzx::LaunchOp::create(
      builder, fusion.getLoc(), kernel.getName(), inputs, outputs, scratch,
      getExprArray(context, symbols),
      getExpr(substituteKernelSymbols(plan->iterations, symbols)),
      getExpr(substituteKernelSymbols(plan->grain, symbols)),
      builder.getStrArrayAttr(getNodeNames(fusion.getLoc())));
  ++step;
  return success();
}

LogicalResult ProgramBuilder::addBind(BindOp bind) {
  SymShape limits;
  for (SymExpr symbol : getExprs(bind.getSymbols())) {
    if (!bounds->find(symbol.getName()))
      return bind.emitOpError() << "binds a symbol that is not declared";
    limits.push_back(bounds->getLimit(symbol));
  }
  auto type = cast<RankedTensorType>(bind.getInput().getType());
  Value source = getBuffer(bind.getInput());
  lzx::BindOp::create(builder, bind.getLoc(), source, bind.getSymbols(),
                      getExprArray(context, limits),
                      type.getElementTypeBitWidth(),
                      getNodeName(bind.getLoc()));
  return success();
}

LogicalResult ProgramBuilder::addStep(Operation &op) {
  for (const SizeCheck &check : runChecks.lookup(&op))
    addCheck(check);
  if (auto fusion = dyn_cast<FusionOp>(op)) {
    if (assignment->isView(fusion))
      return success();
    if (assignment->isContiguousConcat(fusion)) {
      addConcatCopies(fusion);
      return success();
    }
    return addLaunch(fusion);
  }
  if (auto bind = dyn_cast<BindOp>(op))
    return addBind(bind);
  if (auto branch = dyn_cast<IfOp>(op))
    return addIf(branch);
  if (auto loop = dyn_cast<LoopOp>(op))
    return addLoop(loop);
  if (isa<ConstantOp, ReshapeOp, YieldOp, func::ReturnOp>(op))
    return success();
  return op.emitOpError() << "can't be scheduled outside a fusion group";
}

LogicalResult ProgramBuilder::addBlock(Block &block) {
  for (Operation &op : block)
    if (failed(addStep(op)))
      return failure();
  return success();
}

/// Copies the results that were not computed in the caller's memory.
void ProgramBuilder::addOutputCopies() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    Place place = assignment->getPlace(value);
    int64_t output = assignment->getOutput(place.root);
    if (output == static_cast<int64_t>(operand.getOperandNumber()))
      continue;
    Value target = outputBuffers[operand.getOperandNumber()];
    SymExpr bytes = assignment->getBytes(value);
    grow(terminator->getLoc(), target, bytes);
    addCopy(terminator->getLoc(), getBuffer(value), target, bytes);
  }
}
