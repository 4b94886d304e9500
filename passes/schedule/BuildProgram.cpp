//===- BuildProgram.cpp - fused functions to programs ---------------------===//
//
// One walk over a fused function: every group that computes something becomes a
// step. Buffers are declared first, then the conditions on sizes, then the
// steps; lifetimes are filled in when all steps are known.
//
//===----------------------------------------------------------------------===//

#include "dialects/lz/IR/LzOps.h"
#include "dialects/lzx/IR/LzxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/cpu/KernelPlan.h"
#include "passes/schedule/BufferAssignment.h"
#include "passes/schedule/KernelOutline.h"
#include "passes/schedule/Passes.h"
#include "passes/support/NodeNames.h"
#include "targets/x86_64/X86Target.h"
#include "llvm/ADT/MapVector.h"

namespace lz {
#define GEN_PASS_DEF_BUILDPROGRAMPASS
#include "passes/schedule/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

namespace {

/// Builds the program of one function.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, KernelOutliner &outliner,
                 const targets::CpuTarget &target)
      : function(function), outliner(outliner), target(target),
        context(function.getContext()), shapes(context), builder(context),
        bufferType(lzx::BufferType::get(context)) {}

  LogicalResult build();

private:
  void addPorts();
  LogicalResult addChecks();
  LogicalResult addStep(Operation &op);
  LogicalResult addLaunch(FusionOp fusion);
  lzx::AllocOp getDyingBuffer(FusionOp fusion, Value input) const;
  void computeInPlace(FusionOp fusion, ArrayRef<unsigned> operands);
  void addConcatCopies(FusionOp fusion);
  LogicalResult addBind(BindOp bind);
  void addOutputCopies();
  void addCopy(Location loc, Value source, Value target, SymExpr bytes);

  Value getBuffer(Value value);
  Value getRootBuffer(Value root);
  Value getView(Location loc, Value buffer, SymExpr offset);
  ArrayAttr getExpr(SymExpr expr) { return getExprArray(context, expr); }
  void touch(Value buffer);

  func::FuncOp function;
  KernelOutliner &outliner;
  const targets::CpuTarget &target;
  MLIRContext *context;
  ShapeAnalysis shapes;
  OpBuilder builder;
  Type bufferType;
  std::unique_ptr<BufferAssignment> assignment;
  lzx::ProgramOp program;
  Operation *lastDeclaration = nullptr;
  int64_t step = 0;
  DenseMap<Value, Value> rootBuffers;
  DenseMap<Value, Operation *> lastUses; // of roots
  SmallVector<Value> outputBuffers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Extends the lifetime of the arena part that `buffer` lies in to this step.
void ProgramBuilder::touch(Value buffer) {
  while (auto view = buffer.getDefiningOp<lzx::ViewOp>())
    buffer = view.getSource();
  auto alloc = buffer.getDefiningOp<lzx::AllocOp>();
  if (!alloc)
    return;
  if (static_cast<int64_t>(alloc.getFirst()) < 0)
    alloc.setFirst(step);
  alloc.setLast(step);
}

Value ProgramBuilder::getRootBuffer(Value root) {
  int64_t output = assignment->getOutput(root);
  if (output >= 0)
    return outputBuffers[output];
  Value &buffer = rootBuffers[root];
  if (buffer)
    return buffer;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(lastDeclaration);
  if (auto constant = root.getDefiningOp<ConstantOp>())
    buffer = lzx::ConstantOp::create(builder, root.getLoc(), bufferType,
                                     constant.getValue());
  else
    buffer = lzx::AllocOp::create(builder, root.getLoc(), bufferType,
                                  getExpr(assignment->getBytes(root)), -1, -1,
                                  IntegerAttr());
  lastDeclaration = buffer.getDefiningOp();
  return buffer;
}

Value ProgramBuilder::getView(Location loc, Value buffer, SymExpr offset) {
  if (offset.isConstant(0))
    return buffer;
  return lzx::ViewOp::create(builder, loc, bufferType, buffer, getExpr(offset));
}

Value ProgramBuilder::getBuffer(Value value) {
  Place place = assignment->getPlace(value);
  Value buffer =
      getView(value.getLoc(), getRootBuffer(place.root), place.offset);
  touch(buffer);
  return buffer;
}

/// Declares inputs and outputs, in the order of the function's.
void ProgramBuilder::addPorts() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name =
        function.getArgAttrOfType<StringAttr>(index, LzDialect::kNameAttr);
    auto elements = function.getArgAttrOfType<ArrayAttr>(index, "lz.elements");
    auto input = lzx::InputOp::create(
        builder, argument.getLoc(), bufferType, index,
        name ? name.getValue() : "input" + std::to_string(index),
        argument.getType(), getExprArray(context, shapes.getShape(argument)),
        elements);
    rootBuffers[argument] = input;
    lastDeclaration = input;
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(index, LzDialect::kNameAttr);
    auto output = lzx::OutputOp::create(
        builder, value.getLoc(), bufferType, index,
        name ? name.getValue() : "output" + std::to_string(index),
        value.getType(), getExprArray(context, shapes.getShape(value)),
        ArrayAttr());
    outputBuffers.push_back(output);
    lastDeclaration = output;
  }
}

static lzx::CheckKind getCheckKind(SizeCheck::Kind kind) {
  switch (kind) {
  case SizeCheck::Equal:
    return lzx::CheckKind::equal;
  case SizeCheck::Broadcastable:
    return lzx::CheckKind::broadcastable;
  case SizeCheck::NotLess:
    return lzx::CheckKind::not_less;
  }
  llvm_unreachable("unknown kind of check");
}

LogicalResult ProgramBuilder::addChecks() {
  for (const SizeCheck &check : shapes.getChecks()) {
    auto created = lzx::CheckOp::create(
        builder, check.op->getLoc(), getCheckKind(check.kind),
        getExprArray(context, ArrayRef<SymExpr>{check.lhs, check.rhs}),
        getNodeName(check.op->getLoc()), check.message);
    lastDeclaration = created;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void ProgramBuilder::addCopy(Location loc, Value source, Value target,
                             SymExpr bytes) {
  touch(source);
  touch(target);
  lzx::CopyOp::create(builder, loc, source, target, getExpr(bytes),
                      builder.getStrArrayAttr(getNodeNames(loc)));
  ++step;
}

/// Copies the operands of a contiguous concat that do not lie in it already.
void ProgramBuilder::addConcatCopies(FusionOp fusion) {
  auto concat = cast<ConcatOp>(fusion.getBody().front().front());
  Place whole = assignment->getPlace(fusion.getResult(0));
  SymExpr offset = whole.offset;
  for (Value argument : concat.getInputs()) {
    Value value =
        fusion.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
    Place place = assignment->getPlace(value);
    SymExpr bytes = assignment->getBytes(value);
    if (place.root != whole.root || place.offset != offset) {
      Value target =
          getView(fusion.getLoc(), getRootBuffer(whole.root), offset);
      addCopy(fusion.getLoc(), getBuffer(value), target, bytes);
    }
    offset = offset + bytes;
  }
}

/// The part of the arena that `input` is the whole of, if this launch is the
/// last to read it, and reads it through this input alone.
lzx::AllocOp ProgramBuilder::getDyingBuffer(FusionOp fusion,
                                            Value input) const {
  Place place = assignment->getPlace(input);
  auto isInRoot = [&](Value value) {
    return assignment->getPlace(value).root == place.root;
  };
  auto buffer = rootBuffers.find(place.root);
  if (buffer == rootBuffers.end() || lastUses.lookup(place.root) != fusion ||
      llvm::count_if(fusion.getInputs(), isInRoot) != 1 ||
      assignment->getBytes(place.root) != assignment->getBytes(input))
    return nullptr;
  return buffer->second.getDefiningOp<lzx::AllocOp>();
}

/// Gives the result of a launch the memory of one of `operands`, if that is not
/// needed any more. If the result is an output, the operand is moved there.
void ProgramBuilder::computeInPlace(FusionOp fusion,
                                    ArrayRef<unsigned> operands) {
  Value result = fusion.getResult(0);
  if (assignment->getPlace(result).root != result)
    return;
  for (unsigned operand : operands) {
    lzx::AllocOp alloc = getDyingBuffer(fusion, fusion.getInputs()[operand]);
    if (!alloc)
      continue;
    int64_t output = assignment->getOutput(result);
    if (output < 0) {
      rootBuffers[result] = alloc;
      return;
    }
    for (auto &entry : rootBuffers)
      if (entry.second == alloc)
        entry.second = outputBuffers[output];
    alloc.replaceAllUsesWith(outputBuffers[output]);
    if (lastDeclaration == alloc)
      lastDeclaration = alloc->getPrevNode();
    alloc.erase();
    return;
  }
}

LogicalResult ProgramBuilder::addLaunch(FusionOp fusion) {
  SymShape symbols;
  func::FuncOp kernel = outliner.outline(fusion, shapes, symbols);
  FailureOr<KernelPlan> plan = planKernel(kernel, target);
  if (failed(plan))
    return failure();
  computeInPlace(fusion, plan->inPlace);
  SmallVector<Value> inputs, outputs;
  for (Value input : fusion.getInputs())
    inputs.push_back(getBuffer(input));
  for (Value result : fusion.getResults())
    outputs.push_back(getBuffer(result));
  Value scratch;
  SymExpr scratchBytes = substituteKernelSymbols(plan->scratchBytes, symbols);
  if (!scratchBytes.isConstant(0)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(lastDeclaration);
    scratch =
        lzx::AllocOp::create(builder, fusion.getLoc(), bufferType,
                             getExpr(scratchBytes), step, step, IntegerAttr());
    lastDeclaration = scratch.getDefiningOp();
  }
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
  auto symbols = function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr);
  for (SymExpr symbol : getExprs(bind.getSymbols()))
    for (auto declared : symbols.getAsRange<SymbolAttr>())
      if (declared.getName() == symbol.getName()) {
        if (declared.getMax() >= INT32_MAX)
          return bind.emitOpError()
                 << "binds size '" << symbol.getName()
                 << "' to data without a bound, so that the memory of a run "
                    "can't be planned; bound it with --dim "
                 << symbol.getName() << "=0..MAX";
        limits.push_back(shapes.constant(declared.getMax()));
      }
  if (limits.size() != bind.getSymbols().size())
    return bind.emitOpError() << "binds a symbol that is not declared";
  auto type = cast<RankedTensorType>(bind.getInput().getType());
  Value source = getBuffer(bind.getInput());
  lzx::BindOp::create(builder, bind.getLoc(), source, bind.getSymbols(),
                      getExprArray(context, limits),
                      type.getElementTypeBitWidth(),
                      getNodeName(bind.getLoc()));
  return success();
}

LogicalResult ProgramBuilder::addStep(Operation &op) {
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
  if (isa<ConstantOp, ReshapeOp, func::ReturnOp>(op))
    return success();
  return op.emitOpError() << "can't be scheduled outside a fusion group";
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
    addCopy(terminator->getLoc(), getBuffer(value),
            outputBuffers[operand.getOperandNumber()],
            assignment->getBytes(value));
  }
}

/// Fails on the first value that no buffer can hold.
static LogicalResult verifyValues(func::FuncOp function) {
  auto check = [](Location loc, Value value) -> LogicalResult {
    if (isa<RankedTensorType>(value.getType()))
      return success();
    return emitError(loc) << "a value of type " << value.getType()
                          << " can't be compiled: only tensors have a place in "
                             "memory that is known before a run";
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(check(argument.getLoc(), argument)))
      return failure();
  WalkResult walk = function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(check(op->getLoc(), result)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult ProgramBuilder::build() {
  if (failed(verifyValues(function)))
    return failure();
  if (failed(shapes.run(function)))
    return failure();
  assignment = std::make_unique<BufferAssignment>(function, shapes);
  for (Operation &op : function.getBody().front())
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        lastUses[assignment->getPlace(operand).root] = &op;
    });
  builder.setInsertionPoint(function);
  auto symbols = function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr);
  program =
      lzx::ProgramOp::create(builder, function.getLoc(), function.getName(),
                             symbols ? symbols : ArrayAttr::get(context, {}));
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  addPorts();
  if (!lastDeclaration)
    return function.emitError() << "has neither inputs nor outputs";
  if (failed(addChecks()))
    return failure();
  for (Operation &op : function.getBody().front())
    if (failed(addStep(op)))
      return failure();
  addOutputCopies();
  function.erase();
  return success();
}

namespace {

struct BuildProgramPass : lz::impl::BuildProgramPassBase<BuildProgramPass> {
  using BuildProgramPassBase::BuildProgramPassBase;

  void runOnOperation() override {
    auto target = targets::getX86Target(cpu, features);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    KernelOutliner outliner(getOperation());
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(ProgramBuilder(function, outliner, *target).build()))
        return signalPassFailure();
  }
};

} // namespace
