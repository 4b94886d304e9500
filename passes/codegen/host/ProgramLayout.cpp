//===- ProgramLayout.cpp - the order of a program's facts -----------------===//

#include "passes/codegen/host/ProgramLayout.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/schedule/KernelOutline.h"
#include "runtime/include/lezero/lz_artifact.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lz;

SymShape ProgramLayout::getArguments(lzx::LaunchOp launch) {
  Operation *kernel =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  assert(kernel && "launches were verified");
  SymShape arguments;
  auto params = kernel->getAttrOfType<ArrayAttr>(lzx::LzxDialect::kParamsAttr);
  if (!params)
    return arguments;
  SymShape symbols = getExprs(launch.getSymbols());
  for (SymExpr param : getExprs(params))
    arguments.push_back(substituteKernelSymbols(param, symbols));
  return arguments;
}

void ProgramLayout::addSize(SymExpr expr) {
  if (expr.getConstant() || slots.contains(expr.getAttr()))
    return;
  slots[expr.getAttr()] = LZ_STATE_FIRST_FREE + symbols.size() + sizes.size();
  sizes.push_back(expr);
}

void ProgramLayout::addSizes(ArrayAttr exprs) {
  for (SymExpr expr : getExprs(exprs))
    addSize(expr);
}

/// The end of the arena, if all parts have offsets.
static std::optional<int64_t> getArenaBytes(ArrayRef<lzx::AllocOp> parts) {
  int64_t end = 0;
  for (lzx::AllocOp part : parts) {
    std::optional<int64_t> bytes = getExprs(part.getBytes())[0].getConstant();
    if (!part.getOffset() || !bytes)
      return std::nullopt;
    end = std::max<int64_t>(end, *part.getOffset() + llvm::alignTo(*bytes, 64));
  }
  return end;
}

bool ProgramLayout::dependsOnRun(SymExpr expr) const {
  SmallVector<StringRef> names;
  expr.collectSymbols(names);
  return llvm::any_of(names,
                      [&](StringRef name) { return runNames.contains(name); });
}

/// `prepare` tests what it can before the run, in the order of the program.
void ProgramLayout::addCheck(lzx::CheckOp check) {
  SymShape sides = getExprs(check.getSides());
  if (isa<lzx::ProgramOp>(check->getParentOp()) &&
      llvm::none_of(sides, [&](SymExpr side) { return dependsOnRun(side); }))
    return checks.push_back(check);
  addSizes(check.getSides());
  runChecks.push_back(check);
}

void ProgramLayout::addOutput(lzx::OutputOp output) {
  addSizes(output.getDims());
  outputs.push_back(output);
  if (output.getGrowing())
    growing.push_back(output);
}

void ProgramLayout::addLaunch(lzx::LaunchOp launch) {
  for (SymExpr argument : getArguments(launch))
    addSize(argument);
  addSizes(launch.getIterations());
  addSizes(launch.getGrain());
  steps.push_back(launch);
}

void ProgramLayout::add(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](lzx::OutputOp output) { addOutput(output); })
      .Case([&](lzx::AllocOp alloc) { parts.push_back(alloc); })
      .Case([&](lzx::GrowingOp buffer) { growing.push_back(buffer); })
      .Case([&](lzx::ViewOp view) { addSizes(view.getOffset()); })
      .Case([&](lzx::CheckOp check) { addCheck(check); })
      .Case([&](lzx::LaunchOp launch) { addLaunch(launch); })
      .Case([&](lzx::CopyOp copy) {
        addSizes(copy.getBytes());
        steps.push_back(copy);
      })
      .Case([&](lzx::BindOp bind) {
        addSizes(bind.getLimits());
        runChecks.push_back(bind);
      })
      .Case([&](lzx::SetOp set) {
        addSizes(set.getValues());
        addSizes(set.getLimits());
        runChecks.push_back(set);
      })
      .Case([&](lzx::GrowOp grow) {
        addSizes(grow.getBytes());
        runChecks.push_back(grow);
      })
      .Case([&](lzx::LoopOp loop) { runChecks.push_back(loop); });
}

ProgramLayout::ProgramLayout(lzx::ProgramOp program) {
  for (bool run : {false, true})
    for (auto symbol : program.getSymbols().getAsRange<SymbolAttr>()) {
      if ((symbol.getSource() == "run") != run)
        continue;
      SymExpr expr = SymExpr::symbol(program.getContext(), symbol.getName());
      slots[expr.getAttr()] = LZ_STATE_FIRST_FREE + symbols.size();
      symbols.push_back(symbol);
      if (run)
        runNames.insert(symbol.getName());
    }
  program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { add(op); });
  arenaBytes = getArenaBytes(parts);
}

std::optional<int64_t> ProgramLayout::getGrowthSlot(Value buffer) const {
  auto found = llvm::find(growing, buffer);
  if (found == growing.end())
    return std::nullopt;
  return getFirstPartSlot() + (isPlannedLate() ? 4 * parts.size() : 0) +
         2 * std::distance(growing.begin(), found);
}

int64_t ProgramLayout::getFailure(Operation *op) const {
  auto found = llvm::find(runChecks, op);
  assert(found != runChecks.end() && "the operation can't fail");
  return 1 + static_cast<int64_t>(steps.size()) + checks.size() + 1 +
         std::distance(runChecks.begin(), found);
}

int64_t ProgramLayout::getSlot(SymExpr expr) const {
  auto found = slots.find(expr.getAttr());
  assert(found != slots.end() && "the size has no slot");
  return found->second;
}

int64_t ProgramLayout::getFirstPartSlot() const {
  return LZ_STATE_FIRST_FREE + symbols.size() + sizes.size();
}

int64_t ProgramLayout::getNumSlots() const {
  return getFirstPartSlot() + (isPlannedLate() ? 4 * parts.size() : 0) +
         2 * growing.size();
}
