//===- BuildProgram.cpp - fused functions to programs ---------------------===//

#include "mlir/Pass/Pass.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/ProgramBuilder.h"
#include "passes/support/NodeNames.h"
#include "passes/support/PassTarget.h"

namespace lz {
#define GEN_PASS_DEF_BUILDPROGRAMPASS
#include "passes/schedule/Passes.h.inc"
} // namespace lz

using namespace mlir;
using namespace lz;

ProgramBuilder::ProgramBuilder(func::FuncOp function, KernelOutliner &outliner,
                               const targets::CpuTarget &target)
    : function(function), outliner(outliner), target(target),
      context(function.getContext()), shapes(context), builder(context),
      bufferType(lzx::BufferType::get(context)) {}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// Declares inputs, in the order of the function's.
void ProgramBuilder::addInputs() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto name =
        function.getArgAttrOfType<StringAttr>(index, LzDialect::kNameAttr);
    auto elements = function.getArgAttrOfType<ArrayAttr>(index, "lz.elements");
    auto input = lzx::InputOp::create(
        builder, argument.getLoc(), bufferType, index,
        name ? name.getValue() : "input" + std::to_string(index),
        argument.getType(), getExprArray(context, shapes.getShape(argument)),
        elements,
        function.getArgAttrOfType<TypeAttr>(index, LzDialect::kValueAttr),
        function.getArgAttrOfType<IntegerAttr>(index, LzDialect::kPartsAttr));
    rootBuffers[argument] = input;
    lastDeclaration = input;
  }
}

/// The largest sizes; null if they are just the sizes, or if `isGrowing`.
static ArrayAttr getLimits(const SizeBounds &bounds, ArrayRef<SymExpr> shape,
                           bool &isGrowing) {
  SymShape limits;
  bool depends = false;
  for (SymExpr size : shape) {
    limits.push_back(bounds.getUpper(size));
    depends |= bounds.dependsOnRun(size);
    isGrowing |= !limits.back();
  }
  if (!depends || isGrowing)
    return {};
  return getExprArray(shape.front().getContext(), limits);
}

/// Declares outputs, in the order of the function's.
void ProgramBuilder::addOutputs() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto name =
        function.getResultAttrOfType<StringAttr>(index, LzDialect::kNameAttr);
    bool isGrowing = false;
    ArrayRef<SymExpr> shape = shapes.getShape(value);
    ArrayAttr limits = getLimits(*bounds, shape, isGrowing);
    noteMemory(assignment->getBytes(value));
    auto output = lzx::OutputOp::create(
        builder, value.getLoc(), bufferType, index,
        name ? name.getValue() : "output" + std::to_string(index),
        value.getType(), getExprArray(context, shape), limits, isGrowing,
        function.getResultAttrOfType<TypeAttr>(index, LzDialect::kValueAttr),
        function.getResultAttrOfType<IntegerAttr>(index,
                                                  LzDialect::kPartsAttr));
    outputBuffers.push_back(output);
    lastDeclaration = output;
  }
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

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

void ProgramBuilder::addCheck(const SizeCheck &check) {
  lzx::CheckOp::create(
      builder, check.op->getLoc(), getCheckKind(check.kind),
      getExprArray(context, ArrayRef<SymExpr>{check.lhs, check.rhs}),
      getNodeName(check.op->getLoc()), check.message);
}

/// Declares the conditions that `prepare` can test; the others wait for the
/// operation that needs them, since a branch that is not taken needs nothing.
void ProgramBuilder::sortChecks() {
  for (const SizeCheck &check : shapes.getChecks()) {
    Operation *op = check.op;
    if (auto fusion = op->getParentOfType<FusionOp>())
      op = fusion;
    if (op->getParentOp() == function && !bounds->dependsOnRun(check.lhs) &&
        !bounds->dependsOnRun(check.rhs)) {
      addCheck(check);
      lastDeclaration = &program.getBody().front().back();
    } else {
      runChecks[op].push_back(check);
    }
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// Fails if no buffer can hold `value`, which is `what`.
static LogicalResult verifyValue(Location loc, const Twine &what, Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (tensor && !isa<StringType>(tensor.getElementType()))
    return success();
  return emitError(loc) << what << " of type " << value.getType()
                        << " can't be compiled: only tensors of numbers have a "
                           "place in memory; cut the model before it, or "
                           "behind it";
}

static LogicalResult verifyValues(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "lz.name");
    if (failed(verifyValue(argument.getLoc(),
                           name ? "the input '" + name.getValue() + "'"
                                : Twine("a value"),
                           argument)))
      return failure();
  }
  WalkResult walk = function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (failed(verifyValue(op->getLoc(), "a value", result)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

void ProgramBuilder::setMemoryClass() {
  if (memoryClass == lzx::MemoryClass::exact)
    return;
  program.setMemoryClassAttr(lzx::MemoryClassAttr::get(context, memoryClass));
  program.setMemoryNode(memoryNode);
}

LogicalResult ProgramBuilder::build() {
  if (failed(verifyValues(function)) || failed(shapes.run(function)))
    return failure();
  bounds = std::make_unique<SizeBounds>(function, shapes);
  assignment = std::make_unique<BufferAssignment>(function, shapes, *bounds);
  findLastUses();
  builder.setInsertionPoint(function);
  auto symbols = function->getAttrOfType<ArrayAttr>(LzDialect::kSymbolsAttr);
  program = lzx::ProgramOp::create(
      builder, function.getLoc(), function.getName(),
      symbols ? symbols : ArrayAttr::get(context, {}), nullptr, nullptr);
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  addInputs();
  addOutputs();
  if (!lastDeclaration)
    return function.emitError() << "has neither inputs nor outputs";
  sortChecks();
  if (failed(addBlock(function.getBody().front())))
    return failure();
  addOutputCopies();
  setMemoryClass();
  function.erase();
  return success();
}

namespace {

struct BuildProgramPass : lz::impl::BuildProgramPassBase<BuildProgramPass> {
  using BuildProgramPassBase::BuildProgramPassBase;

  void runOnOperation() override {
    auto target = getPassTarget(getOperation(), cpu, features);
    if (failed(target))
      return signalPassFailure();
    KernelOutliner outliner(getOperation());
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (failed(ProgramBuilder(function, outliner, *target).build()))
        return signalPassFailure();
  }
};

} // namespace
